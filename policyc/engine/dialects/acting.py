"""What tools act on where it is not one string under one key: folders, lists, patches, URLs in a text."""

from __future__ import annotations

from policyc.engine.dialects.tools import (
    CallError,
    Part,
    Tool,
    executed,
    expect_list,
    expect_object,
    expect_text,
    needed,
)
from policyc.engine.documents import Malformed, parse


def shell_tool(*commands: str, folder: tuple[str, ...] = ()) -> Tool:
    """A shell: the command line under one of ``commands``, run in the folder under one of ``folder``."""

    def parts(args: dict[str, object], where: str) -> list[Part]:
        return run_in(needed(commands, args, where), executed(folder, args, where))

    return Tool("shell.exec", parts=parts, command=commands)


def run_in(command: str, folder: str | None) -> list[Part]:
    """``command``, and where the model chose a ``folder`` for it, the same after a ``cd`` as well.

    The call's ``cwd`` stays the agent's: rules take it for the workspace, which the model must not move.
    """
    found = [Part("shell.exec", command=command)]
    if folder and folder != ".":
        quoted = "'" + folder.replace("'", "'\\''") + "'"
        found.append(Part("shell.exec", command=f"cd -- {quoted}\n{command}"))
    return found


def each(canonical: str, argument: str, *keys: str, inside: str | None = None) -> Tool:
    """A tool that takes a list under one of ``keys``: of strings, or of objects with a string ``inside``."""

    def parts(args: dict[str, object], where: str) -> list[Part]:
        return [Part(canonical, **{argument: text}) for text in texts(args, where, *keys, inside=inside)]

    return Tool(canonical, parts=parts, **{argument: keys})


def texts(args: dict[str, object], where: str, *keys: str, inside: str | None = None) -> list[str]:
    """Every string in the lists under ``keys``. A list may come as JSON text; a bare string is a list of one.
    Raises CallError."""
    found = []
    for key in keys:
        if key in args:
            for number, item in enumerate(_listed(args[key], f"{where}.{key}")):
                at = f"{where}.{key}[{number}]"
                if inside is not None and isinstance(item, dict):
                    item, at = item.get(inside), f"{at}.{inside}"
                found.append(expect_text(item, at))
    if not found:
        raise CallError(f"{where}.{keys[0]}", "is missing or empty, and the tool acts on it")
    return found


def _listed(value: object, where: str) -> list[object]:
    if not isinstance(value, str):
        return expect_list(value, where)
    try:
        found = parse(value) if value.lstrip().startswith("[") else value
    except Malformed:
        found = value
    return found if isinstance(found, list) else [value]


def decoded(value: object, where: str) -> dict[str, object]:
    """An object, or the JSON text of one. Raises CallError."""
    if not isinstance(value, str):
        return expect_object(value, where)
    try:
        return expect_object(parse(value), where)
    except Malformed as error:
        raise CallError(where, f"is not one JSON object: {error.message}") from None


def inserted(args: dict[str, object], where: str) -> str:
    """The new texts of the changes under ``edits``, one below the other. Raises CallError."""
    edits = expect_list(args.get("edits", []), f"{where}.edits")
    changes = [expect_object(edit, f"{where}.edits[{number}]") for number, edit in enumerate(edits)]
    new = [change.get("new_string", "") for change in changes]
    return "\n".join(
        expect_text(text, f"{where}.edits[{number}].new_string") for number, text in enumerate(new)
    )


def either(*keys: str, content: tuple[str, ...] = ()) -> Tool:
    """A tool that makes a file or changes one, and does not say which. Without ``content`` keys, the content
    is what its ``edits`` put in."""

    def parts(args: dict[str, object], where: str) -> list[Part]:
        path = needed(keys, args, where)
        text = executed(content, args, where) if content else inserted(args, where)
        more = {} if text is None else {"content": text}
        return [Part(canonical, path=path, **more) for canonical in ("fs.write", "fs.edit")]

    return Tool(
        "fs.write", parts=parts, also=("fs.edit",), path=keys, **({"content": content} if content else {})
    )


def url_in_text(*keys: str) -> Tool:
    """A tool that fetches every URL in a text."""

    def parts(args: dict[str, object], where: str) -> list[Part]:
        text = " ".join(expect_text(args[key], f"{where}.{key}") for key in keys if key in args)
        words = [word for word in text.replace("\ufeff", " ").split() if "://" in word]
        if not words:
            raise CallError(f"{where}.{keys[0]}", "has no URL, and the tool acts on one")
        return [Part("http.fetch", url=_url(word)) for word in words]

    return Tool("http.fetch", parts=parts, url=keys)


def _url(word: str) -> str:
    start = max(word.lower().find("http"), 0)
    return word[start:].rstrip(").,;:!?'\">]}")


def literal_paths(*keys: str) -> Tool:
    """A tool that reads a list of files, or of patterns of files, which are refused: no rule could say which
    files they are."""
    inner = each("fs.read", "path", *keys)

    def parts(args: dict[str, object], where: str) -> list[Part]:
        found = inner.parts(args, where)
        for part in found:
            if any(char in part.args["path"] for char in "*?[{!"):
                raise CallError(
                    f"{where}.{keys[0]}", "is a pattern, and which files it is about is not known: name them"
                )
        return found

    return Tool("fs.read", parts=parts, path=keys)


def patch_tool(*keys: str) -> Tool:
    """A tool that takes a patch: ``*** Add File: ...`` and so on, any number of files."""

    def parts(args: dict[str, object], where: str) -> list[Part]:
        return patched(needed(keys, args, where), f"{where}.{keys[0]}")

    return Tool("fs.edit", parts=parts, also=("fs.write", "fs.delete"), path=(), content=())


_HEADERS = (
    ("*** Add File: ", "fs.write"),
    ("*** Update File: ", "fs.edit"),
    ("*** Delete File: ", "fs.delete"),
    ("*** Move to: ", "fs.write"),
)
_FRAMES = ("*** Begin Patch", "*** End Patch", "*** End of File", "*** Environment ID:")


def patched(text: str, where: str) -> list[Part]:
    """Every file that the patch ``text`` makes, changes, moves or deletes. Raises CallError.

    White space around a header does not count, as in the agent's own parser.
    https://github.com/openai/codex/blob/main/codex-rs/apply-patch/src/parser.rs
    """
    found: list[Part] = []
    for line in text.split("\n"):
        header = next((pair for pair in _HEADERS if line.strip().startswith(pair[0])), None)
        if header is not None:
            _begin(found, header, line.strip()[len(header[0]) :], where)
        elif line.startswith("+") and found and "content" in found[-1].args:
            found[-1].args["content"] += line[1:] + "\n"
        elif line.strip().startswith("***") and not line.strip().startswith(_FRAMES):
            raise CallError(where, f"has a header that is not known: {line.strip()[:40]!r}")
    return found


def _begin(found: list[Part], header: tuple[str, str], path: str, where: str) -> None:
    title, canonical = header
    if title == "*** Move to: ":
        if not found:
            raise CallError(where, "moves a file before it names one")
        found.append(Part("fs.delete", path=found[-1].args["path"]))
    more = {} if canonical == "fs.delete" else {"content": ""}
    found.append(Part(canonical, path=path, **more))
