# ruff: noqa: E501  (tables)
"""Files that build tools and compilers run by themselves: looked into where the line wrote them."""

from __future__ import annotations

import json
from collections.abc import Callable

from policyc.engine.shell.callers import is_address
from policyc.engine.shell.command_options import carried
from policyc.engine.shell.facts import SimpleCommand
from policyc.engine.shell.fields import HOLE, UNKNOWN, Dynamic
from policyc.engine.shell.interpreters import LANGUAGES
from policyc.engine.shell.running_api import Running
from policyc.engine.shell.scripts import look_into, run_code

#: program, the language of its files ("?": not known), and the files. A subcommand in ``_IDLE`` runs none of them.
_FILES = """
npm scripts package.json
pnpm scripts package.json
yarn scripts package.json
bun scripts package.json
pip python setup.py
pip ? pyproject.toml
uv python setup.py
uv ? pyproject.toml
poetry ? pyproject.toml
pytest python conftest.py
tox ? tox.ini
nox python noxfile.py
invoke python tasks.py
fab python fabfile.py
scons python SConstruct
cargo rust build.rs src/main.rs
go go main.go
rake ruby Rakefile rakefile
bundle ruby Gemfile
vagrant ruby Vagrantfile
just recipes justfile Justfile .justfile
direnv sh .envrc
gradle ? build.gradle build.gradle.kts settings.gradle
mvn ? pom.xml
ant ? build.xml
cmake ? CMakeLists.txt
ninja ? build.ninja
task ? Taskfile.yml Taskfile.yaml
composer scripts composer.json
mix elixir mix.exs
gulp javascript gulpfile.js
grunt javascript Gruntfile.js
vite javascript vite.config.js
webpack javascript webpack.config.js
jest javascript jest.config.js
eslint javascript eslint.config.js
terraform ? main.tf
pre-commit ? .pre-commit-config.yaml
zig ? build.zig
swift swift Package.swift
"""

_PROJECT: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
for _line in _FILES.split("\n"):
    if _line:
        _program, _language, *_names = _line.split()
        _PROJECT.setdefault(_program, []).append((_language, tuple(_names)))
for _alias, _of in (("pip3", "pip"), ("gmake", "make"), ("tofu", "terraform"), ("py.test", "pytest")):
    if _of in _PROJECT:
        _PROJECT[_alias] = _PROJECT[_of]

#: Subcommands that only ask.
_IDLE = frozenset(
    [
        "view",
        "info",
        "ls",
        "list",
        "show",
        "search",
        "help",
        "version",
        "config",
        "whoami",
        "outdated",
        "audit",
        "why",
        "doc",
        "docs",
        "env",
        "freeze",
        "check",
        "login",
        "logout",
        "new",
        "init",
        "fmt",
        "validate",
        "output",
        "state",
    ]
)
#: Where the tool that runs a file is told another folder.
_FOLDER_OPTIONS = ("--prefix", "--directory", "--cwd", "-C", "--project", "-chdir")
_LANGUAGE = {language.name: language for language in LANGUAGES.values()}
_PACKAGE_TOOLS = frozenset(
    ["pip", "pip3", "npm", "pnpm", "yarn", "bun", "deno", "uv", "uvx", "cargo", "pipx", "go", "gem"]
)
_COMPILERS = frozenset(
    {
        "gcc",
        "cc",
        "g++",
        "c++",
        "clang",
        "clang++",
        "tcc",
        "rustc",
        "ghc",
        "ocamlopt",
        "nim",
        "gfortran",
        "gccgo",
        "dmd",
    }
)


_DOWNLOADERS = frozenset(
    {"curl", "wget", "aria2c", "axel", "http", "https", "scp", "sftp", "rsync", "fetch", "lwp-download"}
)


def placed(shell: Running, path: str | Dynamic) -> str | Dynamic | None:
    """What the line put into a file as output or from elsewhere; None where it is as it was, or edited."""
    known = shell.known_file(path)
    if known is not None or not isinstance(path, str):
        return known
    name = shell.variables.resolve(path)
    fetched = (one for one in shell.commands if one.program in _DOWNLOADERS)
    return UNKNOWN if name is not None and any(name in one.writes for one in fetched) else None


def _look_at(shell: Running, command: SimpleCommand) -> None:
    operands = command.arguments.operands
    first = operands[0] if operands else ""
    program = command.program or ""
    if program in _PACKAGE_TOOLS:
        _addresses(shell, command, operands)
    if program in _SETTINGS:
        _package_settings(shell, command, operands)
    if program == "cargo":
        carried(shell, command)
    if first in _IDLE:
        return
    folder = next(
        (value for value in command.arguments.value_of(*_FOLDER_OPTIONS) if isinstance(value, str)), ""
    )
    for language, names in _PROJECT.get(program, ()):
        for name in names:
            text = placed(shell, f"{folder}/{name}" if folder else name)
            if text is not None:
                _run(shell, command, language, text)
    if program in ("go", "deno", "bun", "ansible-playbook"):
        for operand in operands:
            text = placed(shell, operand)
            if text is not None:
                _run(
                    shell,
                    command,
                    "go" if program == "go" else "javascript" if program != "ansible-playbook" else "?",
                    text,
                )


def _run(shell: Running, command: SimpleCommand, language: str, text: str | Dynamic) -> None:
    """The code in a file of a project."""
    if isinstance(text, Dynamic) or language == "?":
        command.code_unknown = True
        shell.unknown_command()
    elif language == "scripts":
        for script in _scripts(text):
            run_code(shell, command, "sh", script, None)
    elif language == "recipes":
        lines = [line.strip().lstrip("@-") for line in text.splitlines() if line[:1] in ("\t", " ")]
        run_code(shell, command, "sh", "\n".join(lines), None)
    elif language == "sh":
        run_code(shell, command, "sh", text, None)
    else:
        look_into(shell, command, _LANGUAGE[language], text)


def _scripts(text: str) -> list[str | Dynamic]:
    """The scripts of a ``package.json``; text that is none may still hold one."""
    try:
        scripts = json.loads(text).get("scripts", {})
        return [entry for entry in scripts.values() if isinstance(entry, str)]
    except (ValueError, AttributeError, RecursionError):
        return [Dynamic("", True, HOLE)]


_SETTINGS = frozenset({"npm", "pnpm", "yarn", "bun"})


def _package_settings(shell: Running, command: SimpleCommand, operands: list[str | Dynamic]) -> None:
    """``npm pkg set scripts.x='cmd'``: what npm will run counts as run."""
    codes: list[str | Dynamic] = []
    if operands[:2] == ["pkg", "set"]:
        for word in operands[2:]:
            text = word if isinstance(word, str) else word.template
            key, _, value = text.partition("=")
            if key.startswith("scripts"):
                codes.append(value if isinstance(word, str) else Dynamic("", True, value))
    elif operands[:1] == ["set-script"]:
        codes += operands[2:3]
    elif operands[:1] in (["exec"], ["x"]):
        codes += command.arguments.value_of("--call")
    for code in codes:
        run_code(shell, command, "sh", code, None)


_FETCHING = frozenset({"install", "add", "i", "run", "dlx", "x", "exec", "tool", "get"})


def _addresses(shell: Running, command: SimpleCommand, operands: list[str | Dynamic]) -> None:
    """A package or program that is named by an address: its code comes from there."""
    named = command.arguments.value_of("--git", "--spec", "--from", "--with")
    named += operands[1:] if operands and operands[0] in _FETCHING else []
    texts = [word for word in named if isinstance(word, str)]
    remote = command.program == "go" and any("@" in word for word in texts)
    if remote or any(map(is_address, texts)):
        command.code_unknown = True
        if command.program == "deno" and operands[:1] == ["run"]:
            shell.unknown_command()


def _compile(shell: Running, command: SimpleCommand) -> None:
    """The program that comes of sources: it is what they are, where the line wrote them."""
    outputs = command.arguments.value_of("-o", "--output") or ["a.out"]
    sources = [word for word in command.arguments.operands if isinstance(word, str)]
    texts = [shell.stdin if word == "-" else placed(shell, word) for word in sources]
    if (
        command.program in ("rustc", "ghc", "nim", "ocamlopt")
        and sources
        and not command.arguments.value_of("-o")
    ):
        outputs = [sources[0].rpartition(".")[0] or sources[0]]
    path = shell.variables.resolve(outputs[0]) if isinstance(outputs[0], str) else None
    if path is None or "-c" in command.flags or "-S" in command.flags or "-E" in command.flags:
        return
    known = [text for text in texts if text is not None]
    if known:
        whole = all(isinstance(text, str) for text in known)
        source = "\n".join(text for text in known if isinstance(text, str))
        runner = next((name for ending, name in _RUNNERS.items() if sources[0].endswith(ending)), "tcc")
        shell.store(path, f"#!/usr/bin/{runner}\n{source}" if whole else UNKNOWN, False)


#: A compiled program is taken for a script in the language of its source.
_RUNNERS = {".rs": "rust-script", ".go": "gorun", ".hs": "ghc", ".swift": "swift"}


def _module(shell: Running, command: SimpleCommand) -> None:
    """``python -m pip install x`` is ``pip install x``."""
    fields = command.fields
    at = fields.index("-m") + 1 if "-m" in fields else len(fields)
    name = fields[at] if at < len(fields) else ""
    if isinstance(name, str) and name in _MODULES:
        inner = shell.command(name, fields[at:])
        _look_at(shell, inner)
        command.code += inner.code
        command.code_unknown = command.code_unknown or inner.code_unknown


_MODULES = frozenset({"pip", "pytest", "tox", "nox", "invoke", "uv", "pipx", "poetry"})

PROJECTS: dict[str, Callable[[Running, SimpleCommand], None]] = {
    **dict.fromkeys([*_PROJECT, *_PACKAGE_TOOLS, "ansible-playbook"], _look_at),
    **dict.fromkeys(_COMPILERS, _compile),
    **dict.fromkeys(("python", "python2", "python3", "pypy", "pypy3"), _module),
}


def look(shell: Running, command: SimpleCommand) -> None:
    """What ``command`` runs of its folder. Its program is one of PROJECTS."""
    PROJECTS[command.program or ""](shell, command)
