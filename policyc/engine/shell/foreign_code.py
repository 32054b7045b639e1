"""Shell commands and files that are named in the code of another language."""

from __future__ import annotations

import re

from policyc.engine.patterns import lazy_pattern
from policyc.engine.shell.comments import without_comments
from policyc.engine.shell.escapes import unescape
from policyc.engine.shell.fields import Glob
from policyc.engine.shell.foreign_calls import COMMON, GLOBS, OPENED, WORDS, as_line, found
from policyc.engine.shell.interpreters import Language

_CALL = lazy_pattern(
    r"(?:\b(?:system|popen|exec|execSync|execFileSync|spawnSync|spawn|shell_exec|passthru|run|call|check_output|"
    r"check_call|Popen|getoutput|getstatusoutput|sh|qx|shell script)\b\s*(?:\(\s*)?)"
    r"(?:\"((?:[^\"\\\n]|\\.)*)\"|'((?:[^'\\\n]|\\.)*)')(?=\s*(?:[),;}\n]|\Z))"
)
_LIST = lazy_pattern(r"[\[(]\s*((?:\"[^\"\n]*\"|'[^'\n]*')(?:\s*,\s*(?:\"[^\"\n]*\"|'[^'\n]*'))+)\s*[\])]")
_TEXT = lazy_pattern(r"\"([^\"\n]*)\"|'([^'\n]*)'")
_BACKQUOTES = lazy_pattern(r"`([^`\n]+)`")
_AWK_PIPE = lazy_pattern(r"\"([^\"\n]*)\" *\| *&? *getline|\| *&? *\"([^\"\n]*)\"")
_QUOTING = lazy_pattern(
    r"(?:\bqx\s?|%x)(?:\(([^)\n]{0,400})\)|\{([^}\n]{0,400})\}|\[([^\]\n]{0,400})\]|!([^!\n]{0,400})!|/([^/\n]{0,400})/)"
)
#: ``system`` and ``exec`` with perl's and ruby's lists of words.
_CALLED_WORDS = lazy_pattern(
    r"\b(?:system|exec|spawn)\b[\s(*]*(?:qw|%w)\s*(?:\(([^)]{0,400})\)|\[([^\]]{0,400})\]|\{([^}]{0,400})\}|/([^/]{0,400})/|<([^>]{0,400})>)"
)
_WIDE = lazy_pattern(r"\\[xu]\{([0-9a-fA-F]{1,6})\}")
_HOME_IN_TEXT = lazy_pattern(
    r"\$ENV\{ ?['\"]?HOME['\"]? ?\}|#\{ ?(?:ENV\[['\"]HOME['\"]\]|ENV\.fetch\(['\"]HOME['\"]\)|Dir\.home) ?\}"
    r"|\{os\.environ\[['\"]HOME['\"]\]\}|\$\{ ?(?:process\.env\.HOME|(?:os\.)?homedir\(\)) ?\}"
)
_HOME = lazy_pattern(
    r"\b(?:ENV|ENVIRON|os\.environ|process\.env)\[['\"]HOME['\"]\]"
    r"|\b(?:os\.getenv|getenv|ENV\.fetch|os\.environ\.get)\(['\"]HOME['\"]\)|\bprocess\.env\.HOME\b"
    r"|\bDir\.home\b|\bos\.homedir\(\)|\bos\.path\.expanduser\(['\"]~['\"]\)"
)
_JOINED = lazy_pattern(r"\" ?[+.] ?\"|' ?[+.] ?'")
_JUXTAPOSED = lazy_pattern(r"\" ?\"")
_SPAWNING = lazy_pattern(
    r"system|popen|exec|spawn|passthru|subprocess|run|call|check_output|Popen|Command|Process"
)
_PATH = lazy_pattern(r"[~./][^\s*?]*|[\w\-]+(?:/[\w.\-]+)+|[\w\-]+\.\w{1,12}")
#: A name that stands alone, where a function takes it for a file.
_WORD = lazy_pattern(r"[\w\-]+")
_WRITES = lazy_pattern(
    r"write|['\"][wa]b?\+?['\"]|open\s*\(?[^)\n]{0,200}['\"]?>|copy|move|rename|touch|mkdir|symlink|chmod|truncate|dump"
)
_AWK_WRITES = lazy_pattern(r">\s*\"")
_DELETES = lazy_pattern(
    r"rmtree|unlink|\bremove|rmdir|rm_rf|rm_r\b|rimraf|rmSync|\brm!?\(|delete|removedirs|Deno\.remove"
)
#: Commands and files taken from one text of code.
MAX_FOUND = 64


def views(code: str, language: Language) -> list[str]:
    """The code without comments and with the home folder as the shell names it, and that with constants
    joined."""
    home = code = without_comments(code, language.name)
    if "HOME" in code or "home" in code:
        home = _HOME.sub('"${HOME}"', _HOME_IN_TEXT.sub("${HOME}", code))
    joined = (_JUXTAPOSED if language.name == "awk" else _JOINED).sub("", home)
    return list(dict.fromkeys((home, joined)))


def shell_calls(code: str, language: Language) -> tuple[list[str], list[list[str]]]:
    """Shell commands in the code that are plain text, and argument lists."""
    name = language.name
    texts = [as_line(name, groups) for groups in found("calls", name, code)]
    if name not in COMMON:
        return [unescape(text).replace("\r", "\n") for text in texts], []
    texts += [_text(pair, name) for pair in _CALL.findall(code)[:MAX_FOUND]]
    if name in ("perl", "ruby", "php"):
        texts += [_decoded(text, name) for text in _BACKQUOTES.findall(code)[:MAX_FOUND]]
        texts += ["".join(found) for found in _CALLED_WORDS.findall(code)[:MAX_FOUND]]
        texts += [_decoded("".join(found), name) for found in _QUOTING.findall(code)[:MAX_FOUND]]
    if name == "awk":
        texts += [_decoded(before or after, name) for before, after in _AWK_PIPE.findall(code)[:MAX_FOUND]]
    lists: list[list[str]] = []
    if _SPAWNING.search(code):
        lists = [
            [_text(pair, name) for pair in _TEXT.findall(found)] for found in _LIST.findall(code)[:MAX_FOUND]
        ]
    return texts, lists


def _text(pair: tuple[str, str], language: str) -> str:
    """The value of a constant in double, or in single quotes."""
    double, single = pair
    if double or not single or language in ("python", "javascript"):
        return _decoded(double or single, language)
    return single.replace("\\'", "'").replace("\\\\", "\\")


def _decoded(text: str, language: str) -> str:
    if "\\" not in text:
        return text
    text = unescape(_WIDE.sub(r"\\U\1", text))
    return re.sub(r"\\([$@#])", r"\1", text) if language in ("perl", "ruby", "php") else text


def files_named(code: str, language: Language) -> tuple[list[str], list[str], list[str]]:
    """Paths in the code's texts, as (reads, writes, deletes): writes and deletes where the code does such."""
    name = language.name
    if name not in COMMON:
        reads, writes, deletes = (_groups(kind, name, code) for kind in ("reads", "writes", "deletes"))
        return reads, writes, deletes
    texts = [_text(pair, name).replace("${HOME}", "~") for pair in _TEXT.findall(code)[:MAX_FOUND]]
    named = [text for text in texts if _PATH.fullmatch(text)] + _opened(code)
    writing = _WRITES.search(code) or (name == "awk" and _AWK_WRITES.search(code))
    return named, named if writing else [], named if _DELETES.search(code) else []


def _groups(kind: str, language: str, code: str) -> list[str]:
    return [text for groups in found(kind, language, code) for text in groups if text]


def _opened(code: str) -> list[str]:
    """What file functions are given, patterns of names, and perl's lists of words."""
    texts = ["".join(groups) for groups in OPENED.findall(code)[:MAX_FOUND]]
    texts = [text for text in texts if _WORD.fullmatch(text)]
    for groups in WORDS.findall(code)[:MAX_FOUND]:
        texts += [word for word in "".join(groups).split() if _PATH.fullmatch(word)]
    return [*texts, *[Glob("".join(groups)) for groups in GLOBS.findall(code)[:MAX_FOUND]]]
