# ruff: noqa: E501  (tables)
"""Variables of the environment that make other programs run something."""

from __future__ import annotations

import re
from collections.abc import Callable

from policyc.engine.patterns import lazy_pattern
from policyc.engine.shell.fields import Dynamic
from policyc.engine.shell.running_api import Running
from policyc.engine.shell.scripts import run_code

_COMMANDS = """
PAGER MANPAGER GIT_PAGER SYSTEMD_PAGER AWS_PAGER GH_PAGER BAT_PAGER PSQL_PAGER DELTA_PAGER EDITOR VISUAL GIT_EDITOR HGEDITOR
SVN_EDITOR FCEDIT KUBE_EDITOR GIT_SEQUENCE_EDITOR BROWSER GIT_SSH_COMMAND GIT_SSH SVN_SSH CVS_RSH RSYNC_RSH BORG_RSH
GIT_EXTERNAL_DIFF GIT_PROXY_COMMAND GIT_ASKPASS SSH_ASKPASS SUDO_ASKPASS LESSOPEN LESSCLOSE PROMPT_COMMAND FZF_DEFAULT_COMMAND
CARGO_BUILD_RUSTC_WRAPPER RUSTC_WRAPPER npm_config_script_shell npm_config_node_gyp
"""
#: Folders of libraries that the system's own packages put there.
_SYSTEM = ("/usr/lib", "/lib", "/usr/local/lib", "/opt/homebrew/lib", "/usr/libexec", "/System/Library")
_ERROR_COMMAND = lazy_pattern(r"-XX:On(?:Error|OutOfMemoryError)=(.+)", re.DOTALL)
_PERL_MODULE = lazy_pattern(r"-[mMI][\w:./=,+\-]*|-[wWtTUx0-9]*")


def _command(shell: Running, value: str | Dynamic) -> None:
    """LESSOPEN begins with a pipe."""
    code = value.lstrip("|-& ") if isinstance(value, str) else value
    run_code(shell, None, "sh", code, None)


def _library(shell: Running, value: str | Dynamic) -> None:
    """Code that every program loads: not known where it is none of the system's."""
    names = re.split(r"[:\s]+", value) if isinstance(value, str) else [""]
    if any("/" in name and not name.startswith(_SYSTEM) for name in names) or isinstance(value, Dynamic):
        shell.unknown_command()


def _python(shell: Running, value: str | Dynamic) -> None:
    """A file that an interactive python runs first."""
    shell.dispatch(["python", value])


def _node(shell: Running, value: str | Dynamic) -> None:
    """``--require ./file``; a name of a package is none."""
    if isinstance(value, Dynamic):
        return shell.unknown_command()
    words = value.replace("=", " ").split()
    for flag, name in zip(words, words[1:]):  # noqa: RUF007  (pairwise came with Python 3.10)
        if flag not in ("--require", "-r", "--import", "--loader", "--experimental-loader"):
            continue
        if name.startswith("data:"):
            shell.unknown_command()
        elif name[:1] in "./~":
            shell.dispatch(["node", name])
    return None


def _perl(shell: Running, value: str | Dynamic) -> None:
    """Modules by name are ordinary; ``-Mx;code`` is code."""
    words = [value] if isinstance(value, Dynamic) else value.split()
    if any(isinstance(word, Dynamic) or _PERL_MODULE.fullmatch(word) is None for word in words):
        shell.dispatch(["perl", "-e", value if isinstance(value, Dynamic) else value.lstrip("-mM")])
        shell.unknown_command()


def _ruby(shell: Running, value: str | Dynamic) -> None:
    for word in [value] if isinstance(value, Dynamic) else value.split():
        if isinstance(word, Dynamic):
            shell.unknown_command()
        elif word[:3] in ("-r.", "-r/", "-r~"):
            shell.dispatch(["ruby", word[2:]])


def _java(shell: Running, value: str | Dynamic) -> None:
    for word in [value] if isinstance(value, Dynamic) else value.split():
        text = word if isinstance(word, str) else word.template
        if text.startswith(("-javaagent:", "-agentpath:", "-agentlib:")) or isinstance(word, Dynamic):
            shell.unknown_command()
    found = _ERROR_COMMAND.search(value if isinstance(value, str) else value.template)
    if found is not None:
        run_code(shell, None, "sh", found[1], None)


def _options(program: str, *marks: str) -> Callable[[Running, str | Dynamic], None]:
    """Options that ``program`` takes besides those on its line; those with a mark run something."""

    def run(shell: Running, value: str | Dynamic) -> None:
        text = value if isinstance(value, str) else value.template
        if any(mark in text for mark in marks):
            shell.dispatch([program, *([text] if isinstance(value, str) else [value])])

    return run


VARIABLES: dict[str, Callable[[Running, str | Dynamic], None]] = {
    **dict.fromkeys(_COMMANDS.split(), _command),
    **dict.fromkeys(("LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES"), _library),
    "PYTHONSTARTUP": _python,
    "NODE_OPTIONS": _node,
    "PERL5OPT": _perl,
    "PERL5DB": _perl,
    "RUBYOPT": _ruby,
    **dict.fromkeys(("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS"), _java),
    **dict.fromkeys(("MAKEFLAGS", "GNUMAKEFLAGS"), _options("make", "--eval", "SHELL=")),
    "TAR_OPTIONS": _options("tar", "--checkpoint-action", "--to-command", "--use-compress-program"),
}
