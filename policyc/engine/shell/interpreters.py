"""Languages that programs run: which flag gives the code, and which commands and files code names."""

from __future__ import annotations

from policyc.engine.patterns import lazy_pattern
from policyc.engine.remembered import remembered
from policyc.engine.shell.fields import Dynamic

#: fish, csh and nu have another grammar: what of it is not also a shell's does not parse, and is not known.
SHELLS = frozenset(
    ("sh", "bash", "zsh", "dash", "ksh", "ash", "mksh", "rbash", "yash", "pdksh", "oksh", "posh", "hush")
) | frozenset(("fish", "csh", "tcsh", "nu", "xonsh", "elvish", "osh"))
_SHELL_VALUES = frozenset({"-o", "-O", "+o", "+O", "--rcfile", "--init-file"})
#: A command name that is another version of an interpreter: python3.12, ruby3.1, bash-5.2.
_VERSION = lazy_pattern(
    r"(python|ruby|perl|lua|luajit|php|node|bash|pypy|tclsh|wish|guile)[0-9.\-]*(?:t|d|w)?"
)


class Language:
    """``code`` are the flags before code, ``values`` others with a value. ``first``: the first operand is
    code; ``after`` operands come before it; ``stdin``: without an operand the code is read from standard
    input. ``verbs`` are subcommands before a script; ``files``: flags whose value is a file of code."""

    __slots__ = ("after", "clusters", "code", "files", "first", "name", "stdin", "values", "verbs")

    def __init__(
        self,
        name: str,
        code: str,
        values: str = "",
        first: bool = False,
        stdin: bool = True,
        after: int = 0,
        verbs: str = "",
        files: str = "",
    ) -> None:
        self.clusters = name in ("python", "perl", "ruby", "lua", "php")
        self.name = name
        self.code = frozenset(code.split())
        self.values = frozenset(values.split())
        self.first = first
        self.stdin = stdin
        self.after = after
        self.verbs = frozenset(verbs.split())
        self.files = frozenset(files.split())


_PYTHON = Language("python", "-c", "-W -X -m")
_PERL = Language("perl", "-e -E", "-I -m -M")
_RUBY = Language("ruby", "-e", "-I -r -C", files="-r")
_NODE = Language(
    "javascript",
    "-e -p -pe --eval --print",
    "-r --require --import --loader",
    files="-r --require --import --loader --preload",
)
_AWK = Language(
    "awk",
    "-e --source",
    "-F -v -f -i -l -E --field-separator --assign --file --include --load --exec",
    first=True,
    stdin=False,
    files="-f --file -E --exec -i --include",
)
_SQL = Language(
    "sql",
    "-c --command -e --execute -cmd",
    "-h -U -u -p -P -d -f -D --host --user --port --dbname --file",
    stdin=True,
    files="-f --file",
)

_JULIA = Language(
    "julia", "-e -E --eval --print", "-L -p -t -J --load --project --threads", files="-L --load"
)
_TCL = Language("tcl", "-c", "-f", files="-f")
_SQLITE = Language(
    "sql", "-cmd", "-init -separator -nullvalue -newline -maxsize -vfs", first=True, after=1, files="-init"
)
_GDB = Language(
    "gdb",
    "-ex --ex -iex --iex -eval-command --eval-command -init-eval-command --init-eval-command",
    "-x --command -ix -p --pid -c --core -s --symbols -e --exec -d --directory",
    stdin=False,
    files="-x --command -ix",
)
_DENO = Language("javascript", "eval", "--config -c --import-map", verbs="run test bench serve")

LANGUAGES: dict[str, Language] = {
    **dict.fromkeys(("python", "python2", "python3", "pypy", "pypy3", "ipython", "sage", "bpython"), _PYTHON),
    "perl": _PERL,
    "ruby": _RUBY,
    "jruby": _RUBY,
    **dict.fromkeys(("node", "nodejs", "bun", "tsx", "ts-node"), _NODE),
    "deno": _DENO,
    "php": Language("php", "-r -R -B -E --run", "-d -c", files="-f --file"),
    **dict.fromkeys(("lua", "luajit", "texlua"), Language("lua", "-e", "-l")),
    **dict.fromkeys(("Rscript", "R", "littler"), Language("r", "-e", "-f --file", files="-f --file")),
    "osascript": Language("applescript", "-e", "-l"),
    "julia": _JULIA,
    "groovy": Language("groovy", "-e", "-cp --classpath -D"),
    "scala": Language("scala", "-e"),
    **dict.fromkeys(("elixir", "iex"), Language("elixir", "-e --eval --rpc-eval", "-r -S -pr")),
    **dict.fromkeys(("tclsh", "wish"), _TCL),
    "expect": _TCL,
    "guile": Language("scheme", "-c", "-l -L -s"),
    "erl": Language("erlang", "-eval --eval", "-s -run -name -sname"),
    "ghc": Language("haskell", "-e", stdin=False),
    "swift": Language("swift", "-e"),
    "emacs": Language(
        "elisp",
        "--eval -eval --execute -execute",
        "-l --load -L --script -f --funcall",
        files="-l --load --script",
    ),
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk"), _AWK),
    **dict.fromkeys(("psql", "mysql", "mariadb", "clickhouse-client"), _SQL),
    **dict.fromkeys(("sqlite3", "sqlite"), _SQLITE),
    "mongosh": Language("javascript", "--eval"),
    "mongo": Language("javascript", "--eval"),
    "gdb": _GDB,
    "lldb": Language("gdb", "-o -O --one-line --one-line-before-file", "-s -S -p -n", stdin=False),
    "m4": Language("m4", "", "-D -I -U -F"),
    "dc": Language("dc", "-e --expression", "-f --file", files="-f --file"),
    "ed": Language("ex", "", "-p"),
    "tcc": Language("c", "", "-I -L -D -l -o"),
    "gorun": Language("go", ""),
    "rust-script": Language("rust", "-e", "-d"),
    "dotnet-script": Language("csharp", "eval"),
}


@remembered(1024)
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
    """What an interpreter is given: ``code`` texts, else the ``script``; ``files`` of code that come first;
    ``rest`` are its arguments."""

    __slots__ = ("code", "files", "rest", "script")

    def __init__(self) -> None:
        self.files: list[str | Dynamic] = []
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
        elif word == "--command" or word[:10] == "--command=":  # fish
            given.code = [word[10:]] if word[9:] else fields[at + 1 : at + 2]
            return given
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
            given.files += _files(language, word, fields[at + 1 : at + 2])
            if word in language.values:
                at += 1
            if word == "-m":
                module = fields[at] if at < len(fields) else ""
                given.script = (
                    module.replace(".", "/") + ".py" if isinstance(module, str) and module else "/dev/null"
                )
                if language.name == "python":  # what follows is the module's
                    at += 1
                    break
        else:
            break
        at += 1
    rest = fields[at:]
    if rest and rest[0] in language.verbs:
        rest = [word for word in rest[1:] if not isinstance(word, str) or word[:1] != "-"]
    if not given.code and given.script is None and rest and not from_file:
        if language.first:
            given.code, rest = rest[language.after : language.after + 1], rest[language.after + 1 :]
        else:
            given.script, rest = rest[0], rest[1:]
    given.rest = rest
    return given


def _files(language: Language, word: str, following: list[str | Dynamic]) -> list[str | Dynamic]:
    """The file of code in ``-f file``, ``-ffile`` or ``--file=file``."""
    if word in language.files:
        return following
    name, equals, value = word.partition("=")
    if equals:
        return [value] if name in language.files else []
    return [word[2:]] if word[:2] in language.files and word[:2] != "--" else []


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
