"""The output of the few programs whose output can be computed: what is piped into a shell, or substituted."""

from __future__ import annotations

import re
from collections.abc import Callable

from policyc.engine.patterns import lazy_pattern
from policyc.engine.shell.escapes import unescape
from policyc.engine.shell.fields import UNKNOWN, Dynamic, SetUp, tame
from policyc.engine.shell.outputs_table import number_of, prints_set_up

#: Output beyond this is not followed.
MAX_OUTPUT = 1 << 16

_DIRECTIVE = lazy_pattern(r"%(?:%|[-+ #0]*[0-9]*(?:\.[0-9]+)?([sbqdiuc]))")


def echo(words: list[str], _stdin: str | Dynamic) -> str | Dynamic:
    end, escapes = "\n", False
    while words and re.fullmatch("-[neE]+", words[0]):
        if "n" in words[0]:
            end = ""
        escapes = "e" in words[0] and "E" not in words[0]
        words = words[1:]
    text = " ".join(words)
    return (unescape(text) if escapes else text) + end


def printf(words: list[str], _stdin: str | Dynamic) -> str | Dynamic:
    if words[:1] == ["--"]:
        words = words[1:]
    if not words or words[0] == "-v":
        return ""
    form, rest = unescape(words[0]), words[1:]
    if _DIRECTIVE.sub("", form).count("%"):
        return UNKNOWN
    out, size = [], 0
    rest.reverse()
    while True:
        left = len(rest)
        out.append(_DIRECTIVE.sub(lambda match: _fill(match, rest), form))
        size += len(out[-1]) + 1
        if not rest or len(rest) == left or size > MAX_OUTPUT:
            return "".join(out)


def _fill(match: re.Match[str], rest: list[str]) -> str:
    """The text for one directive; the words wait in ``rest``, the next one last."""
    letter = match.group(1)
    if letter is None:
        return "%"
    word = rest.pop() if rest else ""
    return unescape(word) if letter == "b" else word[:1] if letter == "c" else word


def _cat(words: list[str], stdin: str | Dynamic) -> str | Dynamic:
    return stdin if all(word == "-" or re.fullmatch("-[AbeEnstTuv]+", word) for word in words) else UNKNOWN


def _base64(words: list[str], stdin: str | Dynamic) -> str | Dynamic:
    decodes = any(word.startswith("--d") or re.fullmatch("-[a-zA-Z]*[dD][a-zA-Z]*", word) for word in words)
    if not decodes or isinstance(stdin, Dynamic) or not all(word.startswith("-") for word in words):
        return UNKNOWN
    import base64
    import binascii

    try:
        return base64.b64decode("".join(stdin.split()) + "==", validate=False).decode("utf-8", "replace")
    except (binascii.Error, ValueError):
        return UNKNOWN


def _xxd(words: list[str], stdin: str | Dynamic) -> str | Dynamic:
    flags = "".join(words)
    if "r" not in flags or "p" not in flags or isinstance(stdin, Dynamic):
        return UNKNOWN
    try:
        return bytes.fromhex("".join(stdin.split())).decode("utf-8", "replace")
    except ValueError:
        return UNKNOWN


def _rev(words: list[str], stdin: str | Dynamic) -> str | Dynamic:
    if words or isinstance(stdin, Dynamic):
        return UNKNOWN
    return "".join(line[::-1] + "\n" for line in stdin.splitlines())


def _tr(words: list[str], stdin: str | Dynamic) -> str | Dynamic:
    if isinstance(stdin, Dynamic):
        return stdin if words[:1] == ["-d"] and stdin.tame else UNKNOWN
    if len(words) != 2 or any("[:" in word for word in words):
        return UNKNOWN
    if words[0] == "-d":
        return stdin.translate({ord(char): None for char in _characters(words[1])})
    source, target = (_characters(word) for word in words)
    if not target or words[0].startswith("-"):
        return UNKNOWN
    target += target[-1] * (len(source) - len(target))
    return stdin.translate({ord(old): new for old, new in zip(source, target)})


def _characters(text: str) -> str:
    text = unescape(text)
    return re.sub(
        "(.)-(.)",
        lambda match: "".join(map(chr, range(ord(match.group(1)), min(ord(match.group(2)), 255) + 1))),
        text,
    )


def _silent(_words: list[str], _stdin: str | Dynamic) -> str | Dynamic:
    return ""


OUTPUTS: dict[str, Callable[[list[str], "str | Dynamic"], "str | Dynamic"]] = {
    "echo": echo,
    "printf": printf,
    "cat": _cat,
    "tee": lambda _words, stdin: stdin,
    "base64": _base64,
    "xxd": _xxd,
    "rev": _rev,
    "tr": _tr,
    **dict.fromkeys(
        (":", "true", "false", "cd", "mkdir", "touch", "rm", "chmod", "export", "set", "test", "[", "sleep"),
        _silent,
    ),
}


def output_of(program: str | None, fields: list[str | Dynamic], stdin: str | Dynamic | None) -> str | Dynamic:
    """What the command prints; unknown where that cannot be computed."""
    function = OUTPUTS.get(program or "")
    if function is None:
        return kind_of_output(program or "", fields, stdin)
    words = _templates(fields)
    known = all(isinstance(field, str) for field in fields)
    if not known and program not in ("echo", "printf"):
        return UNKNOWN
    output = function(words, UNKNOWN if stdin is None else stdin)
    if isinstance(output, Dynamic) or len(output) > MAX_OUTPUT:
        return output if isinstance(output, Dynamic) else UNKNOWN
    return output if known else Dynamic("", True, output, all(map(tame, fields)))


def kind_of_output(program: str, fields: list[str | Dynamic], stdin: str | Dynamic | None) -> str | Dynamic:
    """What is known of output that cannot be computed: that it sets up a shell, or is a number."""
    if prints_set_up(program, fields):
        return SetUp("", True)
    return number_of(program, _templates(fields), stdin) or UNKNOWN


def _templates(fields: list[str | Dynamic]) -> list[str]:
    return [field if isinstance(field, str) else field.template for field in fields[1:]]
