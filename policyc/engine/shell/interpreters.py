"""Languages that programs run: which flag gives the code, and which commands and files code names."""

from __future__ import annotations

import re

from policyc.engine.shell.fields import Dynamic

SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ksh", "ash", "mksh", "rbash", "yash"})
_SHELL_VALUES = frozenset({"-o", "-O", "+o", "+O", "--rcfile", "--init-file"})
#: A command name that is another version of an interpreter: python3.12, ruby3.1, bash-5.2.
_VERSION = re.compile(r"(python|ruby|perl|lua|php|node|bash|pypy)[0-9.\-]*(?:t|d|w)?")


class Language:
    """``code`` are the flags before code, ``values`` others with a value. ``first``: the first operand is
    code; ``stdin``: without an operand the code is read from standard input."""

    __slots__ = ("clusters", "code", "first", "name", "stdin", "values")

    def __init__(
        self, name: str, code: str, values: str = "", first: bool = False, stdin: bool = True
    ) -> None:
        self.clusters = name in ("python", "perl", "ruby", "lua", "php")
        self.name = name
        self.code = frozenset(code.split())
        self.values = frozenset(values.split())
        self.first = first
        self.stdin = stdin


_PYTHON = Language("python", "-c", "-W -X -m")
_PERL = Language("perl", "-e -E", "-I -m -M")
_RUBY = Language("ruby", "-e", "-I -r -C")
_NODE = Language("javascript", "-e -p -pe --eval --print", "-r --require --import --loader")
_AWK = Language(
    "awk",
    "-e --source",
    "-F -v -f -i -l -E --field-separator --assign --file --include --load --exec",
    first=True,
    stdin=False,
)
_SQL = Language(
    "sql",
    "-c --command -e --execute -cmd",
    "-h -U -u -p -P -d -f -D --host --user --port --dbname --file",
    stdin=True,
)

LANGUAGES: dict[str, Language] = {
    **dict.fromkeys(("python", "python2", "python3", "pypy", "pypy3", "ipython"), _PYTHON),
    "perl": _PERL,
    "ruby": _RUBY,
    **dict.fromkeys(("node", "nodejs", "bun"), _NODE),
    "deno": Language("javascript", "eval", "--config"),
    "php": Language("php", "-r -R -B -E --run", "-d -c"),
    **dict.fromkeys(("lua", "luajit"), Language("lua", "-e", "-l")),
    **dict.fromkeys(("Rscript", "R"), Language("r", "-e")),
    "osascript": Language("applescript", "-e", "-l"),
    "julia": Language("julia", "-e -E --eval --print"),
    "groovy": Language("groovy", "-e"),
    "scala": Language("scala", "-e"),
    "elixir": Language("elixir", "-e --eval", "-r"),
    "tclsh": Language("tcl", ""),
    "fish": Language("fish", "-c --command"),
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk"), _AWK),
    **dict.fromkeys(("psql", "mysql", "mariadb", "clickhouse-client", "cockroach"), _SQL),
    "sqlite3": Language("sql", "-cmd"),
    "mongosh": Language("javascript", "--eval"),
    "mongo": Language("javascript", "--eval"),
}


def language_of(program: str) -> Language | None:
    """The language that a program interprets, whatever its version."""
    found = LANGUAGES.get(program)
    if found is None:
        match = _VERSION.fullmatch(program)
        found = LANGUAGES.get(match.group(1)) if match is not None else None
    return found


def is_shell(program: str) -> bool:
    """Whether the program runs shell commands."""
    return program in SHELLS or (
        program.startswith(("bash-", "bash5", "zsh-", "ksh9")) and program[-1].isdigit()
    )


class Given:
    """What an interpreter is given: ``code`` texts, else the ``script``; ``rest`` are its arguments."""

    __slots__ = ("code", "rest", "script")

    def __init__(self) -> None:
        self.code: list[str | Dynamic] = []
        self.script: str | Dynamic | None = None
        self.rest: list[str | Dynamic] = []


def shell_given(fields: list[str | Dynamic]) -> Given:
    """What ``sh -ec code name arg...`` or ``bash script arg...`` is given."""
    given = Given()
    code, stdin = False, False
    at = 1
    while at < len(fields):
        word = fields[at]
        if isinstance(word, Dynamic) or word[:1] not in ("-", "+") or word in ("-", "--"):
            at += word in ("-", "--")
            break
        if word in _SHELL_VALUES:
            at += 1
        elif not word.startswith("--"):
            code = code or (word[0] == "-" and "c" in word)
            stdin = stdin or (word[0] == "-" and "s" in word)
            at += word[-1] in "oO"
        at += 1
    rest = fields[at:]
    if code:
        given.code, given.rest = rest[:1], rest[2:]
    elif rest and not stdin:
        given.script, given.rest = rest[0], rest[1:]
    else:
        given.rest = rest
    return given


def code_given(language: Language, fields: list[str | Dynamic]) -> Given:
    """What ``python -c code arg...`` or ``awk code file...`` is given."""
    given = Given()
    at = 1
    from_file = False
    while at < len(fields):
        word = fields[at]
        if isinstance(word, str) and (_asks_for_code(word, language) or _attached(word, language)):
            if _asks_for_code(word, language):
                at += 1
                given.code += fields[at : at + 1]
            elif not isinstance(word, Dynamic):
                given.code.append(_attached(word, language))
            if language.name == "python":
                at += 1
                break
        elif isinstance(word, str) and word[:1] == "-" and len(word) > 1:
            from_file = (
                from_file or word in ("-f", "--file", "-m") or (language.first and word in ("-E", "--exec"))
            )
            if word in language.values:
                at += 1
            if word == "-m":
                given.script = "/dev/null"
        else:
            break
        at += 1
    rest = fields[at:]
    if not given.code and given.script is None and rest and not from_file:
        if language.first:
            given.code, rest = rest[:1], rest[1:]
        else:
            given.script, rest = rest[0], rest[1:]
    given.rest = rest
    return given


def _asks_for_code(word: str, language: Language) -> bool:
    """Whether the next word is code: ``-c``, ``--eval``, or a cluster that ends so (``perl -ne``)."""
    if word in language.code:
        return True
    return word[:1] == "-" and word[1:].isalnum() and "-" + word[-1] in language.code and language.clusters


def _attached(word: str, language: Language) -> str:
    """The code in ``-ccode``, ``-ne code``'s cluster or ``--eval=code``; empty where there is none."""
    name, equals, value = word.partition("=")
    if equals and name in language.code:
        return value
    for flag in language.code:
        if len(flag) == 2 and word.startswith(flag) and len(word) > 2:
            return word[2:]
    return ""
