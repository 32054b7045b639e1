"""Programs that run commands in a way of their own: find, xargs, ssh, su, watch, parallel, git aliases."""

from __future__ import annotations

from collections.abc import Callable

from policyc.engine.patterns import lazy_pattern
from policyc.engine.shell.command_options import ssh_options
from policyc.engine.shell.facts import SimpleCommand
from policyc.engine.shell.fields import HOLE, UNKNOWN, Dynamic, Glob, Listing
from policyc.engine.shell.find_expression import find_results, find_roots
from policyc.engine.shell.multiplexers import run_screen, run_tmux
from policyc.engine.shell.options import parse
from policyc.engine.shell.remotes import run_elsewhere
from policyc.engine.shell.running_api import Running
from policyc.engine.shell.scripts import after_flag, joined, known, run_code, run_input
from policyc.engine.shell.wrappers_table import WRAPPERS, Wrapper
from policyc.engine.shell.xargs_input import mark_of, options_of, runs_of

Fields = list["str | Dynamic"]
Launcher = Callable[[Running, SimpleCommand], "str | Dynamic"]

#: Words that parallel runs one by one.
MAX_LINES = 16

_ACTIONS = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_XARGS = Wrapper("I J L n P d E s a R S max-args max-procs delimiter arg-file max-chars process-slot-var")
_SSH = Wrapper("b c D E e F I i J L l m O o p Q R S W w B P", skip=1)
_WATCH = Wrapper("n q interval equexit")
_BLANK = lazy_pattern(r"[\s;&|$`]")
#: Marks of parallel beside ``{}`` that stand for a part of its input.
_PART = lazy_pattern(r"\{(?:[0-9]+[./]{0,3}|[./#%]{1,2}|\+[./]{1,3})\}")


def _find(shell: Running, command: SimpleCommand) -> str | Dynamic:
    shell.add(command)
    expression, runs = _actions(command.fields[1:])
    arguments = command.arguments = parse("find", expression)
    results = find_results(find_roots(arguments.operands), arguments)
    for words in runs:
        shell.dispatch(_filled(words, "{}", results))
    if runs or arguments.has("-printf", "-ls", "-delete", "-fprint"):
        return UNKNOWN
    return Listing([item for item in results if isinstance(item, str)]) if known(results) else UNKNOWN


def _actions(words: Fields) -> tuple[Fields, list[Fields]]:
    """The expression without the commands after ``-exec`` and its like, and these."""
    expression: Fields = []
    runs: list[Fields] = []
    at = 0
    while at < len(words):
        expression.append(words[at])
        if words[at] in _ACTIONS:
            start = at + 1
            while at < len(words) and words[at] not in (";", "+"):
                at += 1
            runs.append(words[start:at])
        at += 1
    return expression, runs


def _filled(words: list[str | Dynamic], mark: str, items: list[str | Dynamic]) -> list[str | Dynamic]:
    """``words`` with ``items`` in place of each ``mark``; inside a word what comes there is not known."""
    filled: list[str | Dynamic] = []
    for word in words:
        text = word if isinstance(word, str) else word.template
        if word == mark:
            filled += items
        elif mark in text:
            only = items[0] if len(items) == 1 else UNKNOWN
            if isinstance(word, str) and isinstance(only, str) and not isinstance(only, Glob):
                filled.append(word.replace(mark, only))
            else:
                filled.append(Dynamic(text.partition(mark)[0], False, text.replace(mark, UNKNOWN.template)))
        else:
            filled.append(word)
    return filled


def _xargs(shell: Running, command: SimpleCommand) -> str | Dynamic:
    shell.add(command)
    inner = _XARGS.inner(command.fields)
    flags = command.fields[1 : len(command.fields) - len(inner)]
    command.arguments = parse("xargs", flags)
    options = options_of(flags)
    mark = mark_of(options)
    stdin = UNKNOWN if shell.stdin is None or "a" in options else shell.stdin
    outer, shell.stdin = shell.stdin, None
    inner = inner or ["echo"]
    for items in runs_of(stdin, options):
        shell.dispatch([*inner, *items] if mark is None else _filled(inner, mark, items))
    shell.stdin = outer
    return UNKNOWN


def _ssh(shell: Running, command: SimpleCommand) -> str | Dynamic:
    shell.add(command)
    words = _SSH.inner(command.fields)
    own = command.fields[1 : len(command.fields) - len(words)]
    ssh_options(shell, command, parse("ssh", own).value_of("-o"))
    return run_elsewhere(shell, command, words)


def _watch(shell: Running, command: SimpleCommand) -> str | Dynamic:
    shell.add(command)
    words = _WATCH.inner(command.fields)
    if words:
        run_code(shell, command, "sh", joined(words), None)
        _as_words(shell, words)
    return UNKNOWN


def _as_words(shell: Running, words: list[str | Dynamic]) -> None:
    """``watch -x sh -c 'rm x'``: other options, and other programs of the name, do not join the words."""
    if len(words) > 1 and any(isinstance(word, str) and _BLANK.search(word) for word in words):
        shell.dispatch(words)


def _su(shell: Running, command: SimpleCommand) -> str | Dynamic:
    shell.add(command)
    code = after_flag(command.fields, "c", "--command")
    return run_input(shell, command, []) if code is None else run_code(shell, command, "sh", code, None)


def _sudo(shell: Running, command: SimpleCommand) -> str | Dynamic:
    shell.add(command)
    inner = WRAPPERS[command.program or ""].inner(command.fields)
    own = command.fields[1 : len(command.fields) - len(inner)]
    command.arguments = parse("sudo", own)
    flags = [word for word in own if isinstance(word, str)]
    if "-e" in flags or "--edit" in flags:
        return shell.dispatch(["sudoedit", *inner], command.redirected_from, command.redirected_to)
    if any(flag in ("-s", "-i", "--shell", "--login") for flag in flags) and not inner:
        return run_input(shell, command, [])
    return shell.dispatch(inner, command.redirected_from, command.redirected_to) if inner else ""


def _parallel(shell: Running, command: SimpleCommand) -> str | Dynamic:
    shell.add(command)
    words = Wrapper(
        "j S a jobs sshlogin arg-file colsep C d delimiter n N I results joblog timeout retries"
    ).inner(command.fields)
    marks = [at for at, word in enumerate(words) if word in (":::", "::::", ":::+")]
    inner = words[: marks[0]] if marks else words
    items = (
        [word for word in words[marks[0] :] if word not in (":::", "::::", ":::+")] if marks else [UNKNOWN]
    )
    if marks and words[marks[0]] == "::::":
        items = [UNKNOWN]
    if len(items) > MAX_LINES:
        items = [*items[:MAX_LINES], UNKNOWN]
    given, inner = inner, [_without_parts(word, len(marks) == 1) for word in inner]
    has_mark = inner != given or any("{}" in word for word in inner if isinstance(word, str))
    for item in items:
        words = _filled(inner, "{}", [item]) if has_mark or not inner else [*inner, item]
        run_code(shell, command, "sh", joined(words) if inner else item, None)
        _as_words(shell, words)
    return UNKNOWN


def _without_parts(word: str | Dynamic, single: bool) -> str | Dynamic:
    if isinstance(word, Dynamic) or "{" not in word:
        return word
    if single:
        word = word.replace("{1}", "{}")
    text = _PART.sub(HOLE, word)
    return word if text == word else Dynamic(text.partition(HOLE)[0], False, text)


def _command_flag_or_words(shell: Running, command: SimpleCommand) -> str | Dynamic:
    """Programs that take shell code after ``-c``, and else a command as it stands."""
    shell.add(command)
    wrapper = WRAPPERS[command.program or ""]
    inner = wrapper.inner(command.fields)
    own = command.fields[: len(command.fields) - len(inner)]
    code = after_flag([*own, *inner[:1]], "c", "--command")
    command.arguments = parse(command.program or "", own[1:])
    if code is not None:
        return run_code(shell, command, "sh", code, None)
    return shell.dispatch(inner) if inner else UNKNOWN


def _runuser(shell: Running, command: SimpleCommand) -> str | Dynamic:
    """With ``-u`` it takes a command as it stands, else it is ``su``."""
    if "-u" in command.fields or any(str(word).startswith("--user") for word in command.fields):
        return _command_flag_or_words(shell, command)
    return _su(shell, command)


def _nix_shell(shell: Running, command: SimpleCommand) -> str | Dynamic:
    shell.add(command)
    fields = command.fields
    for at, word in enumerate(fields[:-1]):
        if word in ("--run", "--command"):
            run_code(shell, command, "sh", fields[at + 1], None)
    return UNKNOWN


PROGRAMS: dict[str, Launcher] = {
    "find": _find,
    "xargs": _xargs,
    "gxargs": _xargs,
    "ssh": _ssh,
    "mosh": _ssh,
    "watch": _watch,
    "su": _su,
    **dict.fromkeys(("sudo", "doas"), _sudo),
    "parallel": _parallel,
    "flock": _command_flag_or_words,
    "runuser": _runuser,
    "nix-shell": _nix_shell,
    "tmux": run_tmux,
    "screen": run_screen,
}
