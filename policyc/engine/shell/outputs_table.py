# ruff: noqa: E501  (tables)
"""Programs whose output is not known but can do no harm: numbers, and what sets up a shell."""

from __future__ import annotations

import re
from collections.abc import Callable

from policyc.engine.patterns import lazy_pattern
from policyc.engine.shell.fields import NUMBER, NUMBERS, Dynamic

#: Program and leading words whose documented output is shell code for ``eval``: variables and functions of its own.
_SET_UP: dict[str, tuple[str, ...]] = {
    "ssh-agent": ("",), "keychain": ("",), "dircolors": ("",), "gdircolors": ("",), "lesspipe": ("",), "resize": ("",),
    **dict.fromkeys(("pyenv", "rbenv", "nodenv", "goenv", "jenv", "plenv", "phpenv"), ("init", "virtualenv-init", "shell", "sh-shell")),
    "direnv": ("hook", "export"), "brew": ("shellenv",), "fnm": ("env", "completions"), "opam": ("env", "config env"),
    **dict.fromkeys(("conda", "mamba", "micromamba"), ("shell.", "shell hook", "shell activate")),
    **dict.fromkeys(("starship", "zoxide", "atuin", "oh-my-posh"), ("init",)), "thefuck": ("--alias",), "fzf": ("--bash", "--zsh"),
    "mise": ("activate", "env", "hook-env", "completion"), "rtx": ("activate", "env"), "pixi": ("shell-hook", "completion"),
    "devbox": ("shellenv", "global shellenv", "hook"), "minikube": ("docker-env", "podman-env", "completion"),
    "docker-machine": ("env",), "luarocks": ("path",), "go": ("env",), "op": ("signin",), "getopt": ("",),
    "register-python-argcomplete": ("",), "pipenv": ("--completion",), "poetry": ("env activate", "completions"),
    "uv": ("generate-shell-completion",), "rustup": ("completions",), "aws": ("configure export-credentials",),
    **dict.fromkeys(("kubectl", "helm", "gh", "npm", "pip", "docker", "k3d", "kind", "flux", "argocd", "glab"), ("completion",)),
}  # fmt: skip
#: Folders whose programs are what their name says.
_INSTALLED = lazy_pattern(
    r"/(?:usr/(?:local/)?(?:s?bin|lib)|s?bin|opt|home/linuxbrew)/|~/\.(?:\w+/)+|(?:/home/\w+|/root)/\.(?:\w+/)+"
)


def prints_set_up(program: str, fields: list[str | Dynamic]) -> bool:
    """Whether the output is shell code that a well-known program prints for ``eval``."""
    beginnings = _SET_UP.get(program)
    name = fields[0] if fields else ""
    if beginnings is None or not isinstance(name, str) or ("/" in name and not _INSTALLED.match(name)):
        return False
    words = " ".join(word for word in fields[1:] if isinstance(word, str))
    return ".." not in name and any(words.startswith(one) or f" {one}" in words for one in beginnings)


def _count(words: list[str], _stdin: object) -> Dynamic | None:
    """``wc -l`` of its input; with a file it prints the name too."""
    return NUMBER if len(words) == 1 and words[0] in ("-l", "-c", "-w", "-m", "--lines", "--bytes") else None


def _matches(words: list[str], _stdin: object) -> Dynamic | None:
    counts = any(re.fullmatch("-[a-zA-Z]*c[a-zA-Z]*|--count", word) for word in words)
    several = any(
        re.fullmatch("-[a-zA-Z]*[rRH][a-zA-Z]*|--recursive|--with-filename", word) for word in words
    )
    return NUMBER if counts and not several and sum(word[:1] != "-" for word in words) <= 2 else None


def _with(pattern: str, number: Dynamic = NUMBER) -> Callable[[list[str], object], Dynamic | None]:
    """A number where the words, joined with blanks, match."""
    compiled = lazy_pattern(pattern)
    return lambda words, _stdin: number if compiled.fullmatch(" ".join(words)) else None


def _through(_words: list[str], stdin: object) -> Dynamic | None:
    """Lines of the input."""
    return stdin if isinstance(stdin, Dynamic) and stdin.tame else None


_NUMBERS: dict[str, Callable[[list[str], object], Dynamic | None]] = {
    "wc": _count,
    **dict.fromkeys(("grep", "egrep", "fgrep"), _matches),
    "date": _with(r"(?:-u |-d \S+ |--date=\S+ )*\+(?:%-?[sYymdHMSjuNVw])+"),
    "nproc": _with(r".*"),
    "seq": _with(r"[^fs]*", NUMBERS),
    "expr": _with(r"[^:]* [-+*/%] [^:]*"),
    "id": _with(r"-[ug](?: \w+)?"),
    "getconf": _with(r"_NPROCESSORS_ONLN|PAGE_?SIZE"),
    "sysctl": _with(r"-n hw\.\w+"),
    "stat": _with(r"(?:-L )?(?:-c|-f|--format) ?%[sYzmXZ] \S+"),
    "tput": _with(r"cols|lines|colors"),
    "pgrep": _with(r".*-c.*"),
    "jq": _with(r"(?:-r )?(?:\. ?\| ?)?length(?: \S+)?"),
    "git": _with(r"rev-list (?:.* )?--count .*"),
    "curl": _with(r"(?=.*(?:-\w*o ?|--output )/dev/null)(?=.*%\{(?:http_code|response_code)\}(?:\\n)?(?: |\Z))(?!.*%(?!\{(?:http|response)_code)).*"),
    **dict.fromkeys(("head", "tail", "sort", "uniq", "cut"), _through),
}  # fmt: skip


def number_of(program: str, words: list[str], stdin: object) -> Dynamic | None:
    """A number, or numbers, where the program prints nothing else."""
    found = _NUMBERS.get(program)
    return None if found is None else found(words, stdin)
