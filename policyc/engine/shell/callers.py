# ruff: noqa: E501  (tables)
"""Programs that take a command in a way of their own: npx, entr, gdb, hyperfine, script, crontab, cmake, and the loader."""

from __future__ import annotations

from collections.abc import Callable

from policyc.engine.patterns import lazy_pattern
from policyc.engine.shell.command_options import carried
from policyc.engine.shell.facts import SimpleCommand
from policyc.engine.shell.fields import UNKNOWN, Dynamic, Glob
from policyc.engine.shell.interpreters import LANGUAGES
from policyc.engine.shell.options import parse
from policyc.engine.shell.running_api import Running
from policyc.engine.shell.scripts import run_code, run_input, run_language
from policyc.engine.shell.wrappers_table import Wrapper

Fields = list["str | Dynamic"]

_NPX = Wrapper("p w package workspace")
_NPX_CODE = Wrapper("p w c package workspace call")
_ENTR = Wrapper()
_SCRIPT = Wrapper("I O B E T m o log-in log-out log-io log-timing logging-format output-limit echo", skip=1)
_MISE = Wrapper("j jobs C cd E env")
_NIX = Wrapper("f file I include k keep A override-input")
_SG = Wrapper(skip=1)
_DOTENV = Wrapper("f e v p c q file")
_WATCHEXEC = Wrapper(
    "e w i f d s o exts watch ignore filter debounce delay-run signal shell project-origin workdir"
)
_WHEN = r"(?:[0-9*?][\w*,/\-]*|[A-Za-z]{3}(?:[,\-][A-Za-z]{3})*)"
_CRON_TIMES = lazy_pattern(rf"[ \t]*(?:@\w+|(?:{_WHEN}[ \t]+){{4}}{_WHEN})[ \t]+(.+)")
_OVERWRITES = frozenset(
    {"copy", "copy_if_different", "copy_directory", "rename", "create_symlink", "create_hardlink"}
)
#: Programs of the name that a loader is called by: ld-linux-x86-64.so.2, ld.so, ld-musl-x86_64.so.1.
_LOADER = lazy_pattern(r"ld(?:-linux|-musl|64)?[\w.\-]*\.so(?:\.[0-9]+)?")
_LOADER_OPTIONS = Wrapper(
    "library-path preload audit inhibit-rpath argv0 glibc-hwcaps-prepend glibc-hwcaps-mask"
)


def _words(shell: Running, command: SimpleCommand, inner: Fields) -> str | Dynamic:
    """Runs the command in the arguments, after the options of the program that takes it."""
    command.arguments = parse(command.program or "", command.fields[1 : len(command.fields) - len(inner)])
    return shell.dispatch(inner) if inner else ""


def _npx(shell: Running, command: SimpleCommand) -> str | Dynamic:
    """``npx -c 'cmd'``; ``npx package arg...`` runs a program of that name, or what stands at an address."""
    shell.add(command)
    options = command.fields[: len(command.fields) - len(_NPX_CODE.inner(command.fields))]
    codes = parse("npx", options[1:]).value_of("--call")
    for code in codes:
        run_code(shell, command, "sh", code, None)
    inner = [] if codes else _NPX.inner(command.fields)
    if inner and isinstance(inner[0], str) and is_address(inner[0]):
        command.code_unknown = True
        shell.unknown_command()
        return UNKNOWN
    return _words(shell, command, inner) if inner else UNKNOWN


def is_address(package: str) -> bool:
    """Whether a package is named by where it can be had, not by its name in a registry."""
    return "://" in package or package.startswith(
        ("git+", "github:", "gitlab:", "bitbucket:", "gist:", "git@", "file:")
    )


def _entr(shell: Running, command: SimpleCommand) -> str | Dynamic:
    shell.add(command)
    inner = _ENTR.inner(command.fields)
    own = command.fields[1 : len(command.fields) - len(inner)]
    outer, shell.stdin = shell.stdin, None
    if any(isinstance(word, str) and "s" in word for word in own) and inner:
        run_code(shell, command, "sh", inner[0], inner[1:])
        command.arguments = parse("entr", own)
    else:
        _words(shell, command, [UNKNOWN if word == "/_" else word for word in inner])
    shell.stdin = outer
    return UNKNOWN


def _gdb(shell: Running, command: SimpleCommand) -> str | Dynamic:
    """``-ex '!cmd'``, and ``--args cmd``."""
    fields = command.fields
    mark = next((at for at, word in enumerate(fields) if word in ("--args", "-args")), len(fields))
    command.fields = fields[:mark]
    output = run_language(shell, command, LANGUAGES["gdb"])
    command.arguments = parse("gdb", command.fields[1:])
    command.fields = fields
    if mark + 1 < len(fields):
        shell.dispatch(fields[mark + 1 :])
    return output


def _each_operand(shell: Running, command: SimpleCommand) -> str | Dynamic:
    """hyperfine, concurrently: every operand is a command."""
    shell.add(command)
    carried(shell, command)
    operands = command.arguments.operands
    for code in operands:
        run_code(shell, command, "sh", code, None)
    command.arguments.operands = []
    return UNKNOWN


def _script(shell: Running, command: SimpleCommand) -> str | Dynamic:
    """``script -c 'cmd' log``, and of BSD ``script log cmd arg...``."""
    shell.add(command)
    code = _flag_code(command.fields, "c", "--command")
    if code is not None:
        return run_code(shell, command, "sh", code, None)
    return _words(shell, command, _SCRIPT.inner(command.fields))


def _flag_code(fields: Fields, letter: str, long: str) -> str | Dynamic | None:
    for at, word in enumerate(fields[1:], 1):
        text = word if isinstance(word, str) else word.leading
        if text == "--":
            return None
        if text == long or (text[:1] == "-" and text[1:].isalpha() and text[-1] == letter):
            return fields[at + 1] if at + 1 < len(fields) else ""
        if text.startswith(long + "="):
            return text.partition("=")[2] if isinstance(word, str) else word
    return None


def _sg(shell: Running, command: SimpleCommand) -> str | Dynamic:
    """``sg group -c 'cmd'``, ``sg group 'cmd'``"""
    shell.add(command)
    words = [word for word in _SG.inner(command.fields) if word not in ("-c", "-")]
    return run_code(shell, command, "sh", words[0], None) if words else run_input(shell, command, [])


def _mise(shell: Running, command: SimpleCommand) -> str | Dynamic:
    """``mise exec tool@1 -- cmd``"""
    shell.add(command)
    fields = command.fields
    if fields[1:2] not in (["exec"], ["x"]):
        return UNKNOWN
    code = _flag_code(fields[1:], "c", "--command")
    if code is not None:
        return run_code(shell, command, "sh", code, None)
    at = fields.index("--") + 1 if "--" in fields else len(fields) - len(_MISE.inner(fields[1:]))
    return _words(shell, command, fields[at:])


def _nix(shell: Running, command: SimpleCommand) -> str | Dynamic:
    """``nix shell x -c cmd arg...``"""
    shell.add(command)
    fields = command.fields
    at = next((at for at, word in enumerate(fields) if word in ("-c", "--command")), len(fields))
    return _words(shell, command, fields[at + 1 :]) if at < len(fields) else UNKNOWN


def _crontab(shell: Running, command: SimpleCommand) -> str | Dynamic:
    """The lines that it is given, or that the line wrote to a file: what cron will run counts as run."""
    shell.add(command)
    operands = command.arguments.operands
    if command.arguments.has("-l", "-r"):
        return UNKNOWN
    from_input = operands in ([], ["-"], ["/dev/stdin"])
    text = shell.stdin if from_input else shell.written(operands[0])
    if isinstance(text, Dynamic):
        run_code(shell, command, "sh", _scheduled(text.template, text), None)
    elif text is not None:
        run_code(shell, command, "sh", _scheduled(text, None), None)
    return ""


def _scheduled(text: str, unknown: Dynamic | None) -> str | Dynamic:
    lines = [found[1].partition("%")[0] for found in map(_CRON_TIMES.match, text.splitlines()) if found]
    return "\n".join(lines) if unknown is None else Dynamic("", True, "\n".join(lines) or unknown.template)


def _cmake(shell: Running, command: SimpleCommand) -> str | Dynamic:
    """``cmake -E rm x``, ``-E env A=1 cmd``: its own small commands stand for those of the shell."""
    shell.add(command)
    fields = command.fields
    if fields[1:2] != ["-E"] or len(fields) < 3 or not isinstance(fields[2], str):
        return UNKNOWN
    name, rest = fields[2], fields[3:]
    command.arguments = parse("cmake", ["-E"])
    if name in _CMAKE:
        return shell.dispatch([*_CMAKE[name].split(), *rest], command.redirected_from, command.redirected_to)
    if name in _OVERWRITES:
        word = "mv" if name == "rename" else "ln" if name.startswith("create") else "cp"
        return shell.dispatch([word, *(["-r"] if name == "copy_directory" else []), *rest])
    return UNKNOWN


_CMAKE = {
    "rm": "rm",
    "remove": "rm",
    "remove_directory": "rm -r",
    "touch": "touch",
    "touch_nocreate": "touch -c",
    "make_directory": "mkdir -p",
    "cat": "cat",
    "echo": "echo",
    "echo_append": "echo -n",
    "env": "env",
    "time": "time",
    "tar": "tar",
    "sha256sum": "sha256sum",
    "md5sum": "md5sum",
    "compare_files": "cmp",
}


def _at(shell: Running, command: SimpleCommand) -> str | Dynamic:
    """The input, or a file that the line wrote, is run later."""
    shell.add(command)
    for file in command.arguments.value_of("--file"):
        text = shell.written(file)
        if text is not None:
            run_code(shell, command, "sh", text, None)
    return run_input(shell, command, [])


def _dotenv(shell: Running, command: SimpleCommand) -> str | Dynamic:
    """``dotenv run -- cmd``, ``dotenv -e file -- cmd``"""
    shell.add(command)
    inner = _DOTENV.inner(command.fields)
    if inner[:1] == ["run"]:
        inner = _DOTENV.inner(inner)
    return UNKNOWN if inner[:1] in (["list"], ["get"], ["set"], ["unset"]) else _words(shell, command, inner)


def _watchexec(shell: Running, command: SimpleCommand) -> str | Dynamic:
    """A single word is for the shell."""
    shell.add(command)
    inner = _WATCHEXEC.inner(command.fields)
    if len(inner) != 1:
        return _words(shell, command, inner)
    return run_code(shell, command, "sh", inner[0], None)


def _capsh(shell: Running, command: SimpleCommand) -> str | Dynamic:
    """``capsh -- -c 'cmd'``: the arguments after ``--`` are those of a shell."""
    shell.add(command)
    fields = command.fields
    return shell.dispatch(["bash", *fields[fields.index("--") + 1 :]]) if "--" in fields else UNKNOWN


def _bun(shell: Running, command: SimpleCommand) -> str | Dynamic:
    """A runner of packages as well as of JavaScript."""
    if command.fields[1:2] == ["x"]:
        shell.add(command)
        return _words(shell, command, _NPX.inner(command.fields[1:]))
    output = run_language(shell, command, LANGUAGES["bun"])
    shell.project(command)
    return output


def _daemon(shell: Running, command: SimpleCommand) -> str | Dynamic:
    """``start-stop-daemon --exec program -- arg...``"""
    shell.add(command)
    program = command.arguments.value_of("--exec", "--startas")[-1:]
    rest = command.arguments.operands
    command.arguments.operands = []
    return shell.dispatch([*program, *rest]) if program else UNKNOWN


def _fd(shell: Running, command: SimpleCommand) -> str | Dynamic:
    """``fd pattern folder -x cmd {}`` runs the command on what it finds."""
    shell.add(command)
    fields = command.fields
    at = next((at for at, word in enumerate(fields) if word in _FD_RUNS), len(fields))
    command.arguments = parse("fd", fields[1:at])
    roots = command.arguments.operands[1:] or ["."]
    command.arguments.operands = roots
    found: Fields = [root if isinstance(root, Dynamic) else Glob(root.rstrip("/") + "/**") for root in roots]
    inner = fields[at + 1 :]
    if inner:
        marked = any(isinstance(word, str) and "{" in word for word in inner)
        words: Fields = []
        for word in inner if marked else [*inner, "{}"]:
            hidden = isinstance(word, str) and "{" in word
            words += found if word == "{}" else [Dynamic()] if hidden else [word]
        shell.dispatch(words)
    return UNKNOWN


_FD_RUNS = frozenset({"-x", "-X", "--exec", "--exec-batch"})


def is_loader(program: str) -> bool:
    """Whether the program is the loader of programs, which runs the one it is given."""
    return program[:2] == "ld" and _LOADER.fullmatch(program) is not None


def run_loader(shell: Running, command: SimpleCommand) -> str | Dynamic:
    shell.add(command)
    return _words(shell, command, _LOADER_OPTIONS.inner(command.fields))


PROGRAMS: dict[str, Callable[[Running, SimpleCommand], "str | Dynamic"]] = {
    **dict.fromkeys(("npx", "pnpx", "bunx"), _npx),
    "entr": _entr,
    "gdb": _gdb,
    **dict.fromkeys(("hyperfine", "concurrently"), _each_operand),
    "script": _script,
    "sg": _sg,
    "mise": _mise,
    "nix": _nix,
    "crontab": _crontab,
    **dict.fromkeys(("at", "batch"), _at),
    "dotenv": _dotenv,
    "watchexec": _watchexec,
    "capsh": _capsh,
    "bun": _bun,
    **dict.fromkeys(("fd", "fdfind"), _fd),
    "start-stop-daemon": _daemon,
    "cmake": _cmake,
}
