"""How each language runs a shell command, and which files it names without quotes."""

from __future__ import annotations

import re

from policyc.engine.patterns import lazy_pattern
from policyc.engine.remembered import remembered

_DOUBLE = r'"((?:[^"\\\n]|\\.){0,300})"'
_SINGLE = r"'((?:[^'\\\n]|\\.){0,300})'"
_EITHER = f"(?:{_DOUBLE}|{_SINGLE})"
_STRING = r'"(?:[^"\\\n]|\\.){0,300}"'
_BRACKETED = r"(?:\{([^}\n]{0,400})\}|\(([^)\n]{0,400})\)|\[([^\]\n]{0,400})\]|[/|!]([^/|!\n]{0,400})[/|!])"
_EX_RANGE = r"(?:^|[|\n])[ :]*(?:sil(?:ent)?!? +)?(?:[0-9.$%,;]+ *)?"
_SHELLS_OUT = rf"{_EX_RANGE}(?:w(?:rite)? +|r(?:ead)? *)?![ ]*([^\n]+)"

#: Patterns per language; the groups of a match, joined by blanks, are a command for the shell.
_CALLS: dict[str, tuple[str, ...]] = {
    "lua": (
        r"\b(?:os\.execute|io\.popen)\s*\(?\s*(?:" + _DOUBLE + "|" + _SINGLE + r"|\[=*\[(.{0,1000}?)\]=*\])",
    ),
    "perl": (r"\b(?:system|exec)\b\s*\(?\s*qq?\s*" + _BRACKETED,),
    "ruby": (r"\b(?:system|exec|spawn)\b\s*\(?\s*%[qQ]?" + _BRACKETED,),
    "julia": (r"`([^`\n]+)`",),
    "elixir": (
        rf"\bSystem\.cmd\(\s*{_DOUBLE}\s*,\s*\[([^\]\n]{{0,1000}})\]",
        rf":os\.cmd\(\s*(?:~c)?{_EITHER}",
        rf"\bSystem\.shell\(\s*{_DOUBLE}",
    ),
    "erlang": (rf"\bos:cmd\(\s*{_DOUBLE}",),
    "groovy": (rf"{_EITHER}\.execute\b",),
    "scala": (rf"{_DOUBLE}\s*\.?!!?",),
    "r": (rf"\bsystem2\(\s*{_DOUBLE}\s*,\s*(?:c\()?([^)\n]*)",),
    "javascript": (
        rf"\b(?:spawn|spawnSync|execFile|execFileSync)\(\s*{_EITHER}\s*,\s*\[([^\]\n]{{0,1000}})\]",
        rf"\bDeno\.Command\(\s*{_EITHER}\s*,\s*\{{[^}}\n]{{0,1000}}?\bargs\s*:\s*\[([^\]\n]{{0,1000}})\]",
        r"(?<![\w.])\$`([^`\n]+)`",
    ),
    "rust": (rf"\bCommand::new\(\s*{_DOUBLE}\s*\)((?:\s*\.args?\(\s*[^)\n]{{0,1000}}\))*)",),
    "scheme": (rf"\(\s*system\*?\s+{_DOUBLE}",),
    "haskell": (rf"\b(?:system|callCommand|readCreateProcess)\s+{_DOUBLE}",),
    "elisp": (
        rf"\((?:async-)?shell-command(?:-to-string)?\s+{_DOUBLE}",
        rf"\((?:call-process|process-file)\s+{_DOUBLE}((?:\s+(?:nil|t|0|{_STRING}))*)",
        rf"\(start-process\s+\"[^\"\n]*\"\s+\S+\s+{_DOUBLE}((?:\s+{_STRING})*)",
    ),
    "tcl": (
        r"(?:^|[\[;{\n])[ \t]*(?:exec|spawn|system)\s+((?:\{[^}\n]*\}|\"[^\"\n]*\"|[^\]\n;}])+)",
        r"\bopen\s+[\"{]\|\s*([^\"}\n]+)",
        r"\bsend\s+(?:-- *)?[\"{]([^\"}\n]*)",
    ),
    "gdb": (
        r"^[ \t]*(?:!|shell\s+|make\s+|platform shell\s+)(.+)$",
        r"^[ \t]*pipe\s[^|\n]*\|\s*(.+)$",
    ),
    "ex": (
        _SHELLS_OUT,
        r"\bexe(?:c|cu|cut|cute)?\b *['\"] *:?!([^'\"\n]+)",
        rf"\b(?:system|systemlist|job_start|jobstart|termopen)\(\s*{_EITHER}",
        r"(?:^|[|\n])[ :]*(?:vert(?:ical)? +)?ter(?:minal)? +([^\n]+)",
    ),
    "m4": (r"\be?syscmd\(\s*[`\[]*([^'`\])\n]*)",),
    "dc": (r"!([^<>=\n][^\n]*)",),
    "sql": (
        r"\\!\s*([^\n;]+)",
        r"^[ \t]*\.(?:shell|system)\s+(.+)$",
        r"^[ \t]*\.(?:output|once|import|read)\s+['\"]?\|\s*([^'\"\n]+)",
        r"\bprogram\s+'((?:[^']|'')*)'",
        r"\\(?:o|out|g|gx|w|write)\s*\|\s*([^\n]+)",
        r"(?:^|;)[ \t]*system\s+([^;\n]+)",
        r"(?:^|;)[ \t]*pager\s+([^;\n]+)",
    ),
}

#: Languages whose functions that run a command go by the common names: system, popen, exec, spawn, ...
COMMON = frozenset(
    [
        "python",
        "perl",
        "ruby",
        "javascript",
        "php",
        "lua",
        "r",
        "awk",
        "applescript",
        "groovy",
        "scala",
        "julia",
        "c",
        "go",
        "rust",
        "csharp",
        "gdb",
        "java",
        "swift",
    ]
)

_NAME = r"['\"]?([^\s'\";|!)]+)"
#: Files that a language reads, writes and deletes, where its code names them without quotes or in SQL.
_READS: dict[str, tuple[str, ...]] = {
    "ex": (rf"{_EX_RANGE}(?:r|read|e|edit|E|so|source)!? +{_NAME}",),
    "tcl": (r"\bopen\s+([^\s|\"{}\]]+)", r"\bsource\s+([^\s\"{}\];]+)"),
    "m4": (r"\bs?include\(\s*[`\[]*([^'\])\n]+)",),
    "elisp": (rf"\((?:insert-file-contents(?:-literally)?|find-file|load|load-file)\s+{_DOUBLE}",),
    "sql": (
        rf"^[ \t]*\.(?:read|import|restore|open)\s+(?:--?\w+\s+)*{_NAME}",
        r"\b(?:readfile|load_file|pg_read_file|pg_read_binary_file)\(\s*'([^']+)'",
        r"\binfile\s+'([^']+)'",
        r"\bcopy\b[^;]{0,300}?\bfrom\s+'([^']+)'",
        r"\\(?:i|ir|include)\s+([^\s|]+)",
        r"(?:^|;)[ \t]*source\s+([^\s;]+)",
    ),
}
_WRITES: dict[str, tuple[str, ...]] = {
    "ex": (rf"{_EX_RANGE}(?:[wW]|write|wq|sav|saveas|up|update)!? +(?:>> *)?{_NAME}",),
    "tcl": (
        r"\bopen\s+([^\s|\"{}\]]+)\s+[\"{]?(?:[wa]|r\+)",
        r"\bfile\s+(?:mkdir|copy|rename)\s+(?:-\S+\s+)*([^\s;\]]+)",
    ),
    "elisp": (rf"\((?:write-region|append-to-file)\s+\S+\s+\S+\s+{_DOUBLE}", rf"\(write-file\s+{_DOUBLE}"),
    "sql": (
        rf"^[ \t]*\.(?:output|once|backup|save|log|clone|excel)\s+{_NAME}",
        r"\bwritefile\(\s*'([^']+)'",
        r"\b(?:outfile|dumpfile)\s+'([^']+)'",
        r"\bcopy\b[^;]{0,300}?\bto\s+'([^']+)'",
        r"\b(?:vacuum\s+into|attach(?:\s+database)?)\s+['\"]([^'\"]+)['\"]",
        r"\\(?:o|out|w|write|g)\s+([^\s|]+)",
        r"(?:^|;)[ \t]*tee\s+([^\s;]+)",
    ),
}
_DELETES: dict[str, tuple[str, ...]] = {
    "ex": (rf"\bdelete\(\s*{_EITHER}",),
    "tcl": (r"\bfile\s+delete\s+(?:-force\s+)?(?:--\s+)?([^\s;\]]+)",),
    "elisp": (rf"\((?:delete-file|delete-directory|move-file-to-trash)\s+{_DOUBLE}",),
}
#: Texts that code takes for patterns of file names.
GLOBS = lazy_pattern(
    r"(?:\b(?:glob|bsd_glob|iglob|globSync)\s*\(?\s*|\bDir\s*(?:\.glob\s*\(?|\[)\s*)(?:\"([^\"\n]+)\"|'([^'\n]+)')|<([^<>\s=*?]{0,200}[*?][^<>\s]{0,200})>"
)
#: Texts that code takes for the names of files, whatever they look like.
OPENED = lazy_pattern(
    r"\b(?:open|fopen|readfile|file|file_get_contents|file_put_contents|include|require|require_once|unlink|remove|rmdir|rmtree|rename|"
    r"Path|slurp|readFile|readFileSync|writeFile|writeFileSync|appendFileSync|createReadStream|createWriteStream|"
    r"unlinkSync|rmSync|rm|rmdirSync|truncate|readTextFile|writeTextFile|read_text|write_text|mkdir|"
    r"(?:File|IO|FileUtils|Dir)\.\w+|Deno\.\w+|File\.\w+!)"
    r"\s*[(\[]?\s*(?:\"([^\"\n]{1,200})\"|'([^'\n]{1,200})')"
)
WORDS = lazy_pattern(
    r"\bqw\s*(?:\(([^)]{0,1000})\)|\[([^\]]{0,1000})\]|\{([^}]{0,1000})\}|/([^/]{0,1000})/|<([^>]{0,1000})>)"
)
_FOUND = {"calls": _CALLS, "reads": _READS, "writes": _WRITES, "deletes": _DELETES}
_QUOTED_LISTS = frozenset({"elixir", "r", "javascript", "rust", "elisp"})
_LISTED = lazy_pattern(r"\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'")
#: Matches taken from one text of code.
MAX_FOUND = 64


@remembered(128)
def _patterns(kind: str, language: str) -> tuple[re.Pattern[str], ...]:
    flags = re.MULTILINE | (re.IGNORECASE if language == "sql" else 0)
    return tuple(re.compile(text, flags) for text in _FOUND[kind].get(language, ()))


def found(kind: str, language: str, code: str) -> list[tuple[str, ...]]:
    """The groups of what the language's patterns of a kind (``calls``, ``reads``, ...) match."""
    matches: list[tuple[str, ...]] = []
    for pattern in _patterns(kind, language):
        for match in pattern.finditer(code):
            matches.append(tuple(group or "" for group in match.groups()))
            if len(matches) >= MAX_FOUND:
                return matches
    return matches


def as_line(language: str, groups: tuple[str, ...]) -> str:
    """The command that a match of ``calls`` runs, as text for the shell."""
    first, rest = next((group for group in groups if group), ""), ""
    if language in _QUOTED_LISTS and len(groups) > 1:
        rest = " ".join(_LISTED.findall(groups[-1] if groups[-1] != first else ""))
    if language == "tcl":
        first = first.replace("{", "'").replace("}", "'")
    return f"{first} {rest}" if rest else first
