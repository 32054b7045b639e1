"""tmux and screen: commands for new windows, and keys typed into one."""

from __future__ import annotations

from policyc.engine.shell.escapes import unescape
from policyc.engine.shell.facts import SimpleCommand
from policyc.engine.shell.fields import UNKNOWN, Dynamic
from policyc.engine.shell.running_api import Running
from policyc.engine.shell.scripts import run_code
from policyc.engine.shell.wrappers_table import Wrapper

_TMUX = Wrapper("L S f c T")
_SCREEN = Wrapper("S s c e h p T t")
#: Options of screen that join a session: what follows is its name.
_JOINS = frozenset("rRx")
#: tmux commands that run a command in a window, with their options that take a value.
_WINDOWS = {
    **dict.fromkeys(("new-session", "new"), Wrapper("c e F f n s t x y")),
    **dict.fromkeys(("new-window", "neww"), Wrapper("c e F n t")),
    **dict.fromkeys(("split-window", "splitw"), Wrapper("c e F l p t")),
    **dict.fromkeys(("respawn-pane", "respawnp", "respawn-window", "respawnw"), Wrapper("c e t")),
    **dict.fromkeys(("display-popup", "popup"), Wrapper("b c d e h s S t T w x y")),
    **dict.fromkeys(("run-shell", "run"), Wrapper("c d t")),
    **dict.fromkeys(("if-shell", "if", "pipe-pane", "pipep"), Wrapper("t")),
}
_KEYS = Wrapper("N t")
_NAMED_KEYS = {"Enter": "\n", "C-m": "\n", "KPEnter": "\n", "C-j": "\n", "Space": " ", "Tab": " "}


def run_tmux(shell: Running, command: SimpleCommand) -> str | Dynamic:
    shell.add(command)
    part: list[str | Dynamic] = ["tmux"]
    for word in [*_TMUX.inner(command.fields), ";"]:
        if word not in (";", "\\;"):
            part.append(word)
        elif len(part) > 1:
            _tmux_command(shell, command, part[1:])
            part = ["tmux"]
    return UNKNOWN


def _tmux_command(shell: Running, command: SimpleCommand, words: list[str | Dynamic]) -> None:
    name = words[0]
    if isinstance(name, Dynamic):
        shell.unknown_command()
    elif name in _WINDOWS:
        inner = _WINDOWS[name].inner(words)
        if len(inner) == 1 or name in ("if-shell", "if"):
            run_code(shell, command, "sh", inner[0], None)
        elif inner:
            shell.dispatch(inner)
    elif name in ("send-keys", "send"):
        _typed(shell, command, _KEYS.inner(words))


def _typed(shell: Running, command: SimpleCommand, keys: list[str | Dynamic]) -> None:
    """Keys are taken as they are typed; the names of keys stand for one."""
    texts = [_NAMED_KEYS.get(key, key) if isinstance(key, str) else key.template for key in keys]
    text = "".join(texts)
    if text.strip():
        known = all(isinstance(key, str) for key in keys)
        run_code(shell, command, "sh", text if known else Dynamic("", True, text), None)


def run_screen(shell: Running, command: SimpleCommand) -> str | Dynamic:
    """``screen -dm cmd`` runs it, ``screen -X stuff text`` types."""
    shell.add(command)
    inner = _SCREEN.inner(command.fields)
    own = command.fields[1 : len(command.fields) - len(inner)]
    letters = {letter for word in own if isinstance(word, str) and word[:1] == "-" for letter in word[1:]}
    if "X" in letters:
        if inner[:1] == ["stuff"] and len(inner) > 1:
            text = inner[1]
            run_code(shell, command, "sh", unescape(text) if isinstance(text, str) else text, None)
        elif inner[:1] in (["exec"], ["screen"]):
            shell.dispatch(inner[1:])
    elif inner and letters.isdisjoint(_JOINS) and ("m" in letters or "d" not in letters):
        shell.dispatch(inner)
    return UNKNOWN
