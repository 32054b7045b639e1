# ruff: noqa: E501  (tables)
"""Programs that run the command in their arguments, as it stands there."""

from __future__ import annotations

from policyc.engine.remembered import remembered
from policyc.engine.shell.fields import Dynamic


class Wrapper:
    """``values`` are its options with a value, ``pairs`` those with two; ``skip`` operands come before the
    command; ``assigns``: so may assignments; after the operands of a ``strict`` one every word is the
    command's. A ``silent`` one is not a command of its own: it changes nothing
    that rules ask about."""

    __slots__ = ("_pairs", "_values", "assigns", "silent", "skip", "strict")

    def __init__(
        self,
        values: str = "",
        skip: int = 0,
        assigns: bool = False,
        silent: bool = False,
        pairs: str = "",
        strict: bool = False,
    ) -> None:
        # Read when asked: a line has few of the many wrappers that there are.
        self._values = values
        self._pairs = pairs
        self.skip = skip
        self.assigns = assigns
        self.silent = silent
        self.strict = strict

    @property
    def values(self) -> frozenset[str]:
        return _spelled(self._values)

    @property
    def pairs(self) -> frozenset[str]:
        return _spelled(self._pairs)

    def inner(self, fields: list[str | Dynamic]) -> list[str | Dynamic]:
        """The command among ``fields`` (the wrapper's own name first), from where it, or what hides it, begins."""
        at, skip = 1, self.skip
        while at < len(fields):
            word = fields[at]
            if self.strict and skip == 0:
                break
            if isinstance(word, Dynamic):
                if word.splits or skip == 0:
                    break
                skip -= 1
            elif word == "--":
                at += 1
                while skip and at < len(fields):
                    at, skip = at + 1, skip - 1
                return self.past_assignments(fields, at)
            elif word[:1] == "-" and (len(word) > 1 or self.assigns):
                at += self.takes_next(word)  # `env -` is `env -i`
            elif self.assigns and is_assignment(word):
                pass
            elif skip == 0:
                break
            else:
                skip -= 1
            at += 1
        return fields[at:]

    def past_assignments(self, fields: list[str | Dynamic], at: int) -> list[str | Dynamic]:
        while self.assigns and at < len(fields) and is_assignment(fields[at]):
            at += 1
        return fields[at:]

    def takes_next(self, word: str) -> int:
        """How many words after the option are its values."""
        if word in self.pairs:
            return 2
        if word.startswith("--"):  # getopt_long takes any prefix
            return int(any(name.startswith(word) for name in self.values) and len(word) > 3)
        for at in range(1, len(word)):
            if "-" + word[at] in self.values:
                return int(at == len(word) - 1)
        return 0


@remembered(256)
def _spelled(names: str) -> frozenset[str]:
    """Option names with their dashes."""
    return frozenset(("-" if len(name) == 1 else "--") + name for name in names.split())


def is_assignment(word: str | Dynamic) -> bool:
    """``name=value``, whatever the name: programs that take such words run none that has an ``=`` in its own."""
    return "=" in (word if isinstance(word, str) else word.leading)


WRAPPERS: dict[str, Wrapper] = {
    "builtin": Wrapper(silent=True),
    "nohup": Wrapper(silent=True),
    "setsid": Wrapper(silent=True),
    "time": Wrapper("f o format output", silent=True),
    "timeout": Wrapper("k s kill-after signal", skip=1, silent=True),
    "gtimeout": Wrapper("k s kill-after signal", skip=1, silent=True),
    "nice": Wrapper("n adjustment", silent=True),
    "ionice": Wrapper("c n p P u class classdata pid", silent=True),
    "chrt": Wrapper("T P D", skip=1, silent=True),
    "taskset": Wrapper("", skip=1, silent=True),
    "stdbuf": Wrapper("i o e input output error", silent=True),
    "exec": Wrapper("a", silent=True),
    "ssh-agent": Wrapper("a E O P t"),
    "env": Wrapper("u C P L U a unset chdir argv0", assigns=True, silent=True),
    "noglob": Wrapper(silent=True),
    "unbuffer": Wrapper(silent=True),
    "rlwrap": Wrapper(silent=True),
    "winpty": Wrapper(silent=True),
    "caffeinate": Wrapper("t w", silent=True),
    "catchsegv": Wrapper(silent=True),
    "faketime": Wrapper(skip=1, silent=True),
    "sudo": Wrapper(
        "u g h p C r t T U D R a c user group host prompt close-from role type command-timeout other-user chdir chroot",
        assigns=True,
    ),
    "doas": Wrapper("u C", assigns=True),
    "pkexec": Wrapper("user"),
    "gosu": Wrapper(skip=1),
    "su-exec": Wrapper(skip=1),
    "runuser": Wrapper("u g G user group"),
    "setpriv": Wrapper("reuid regid groups"),
    "chroot": Wrapper(skip=1),
    "proot": Wrapper("r b w R S"),
    "fakeroot": Wrapper("l s i b"),
    "firejail": Wrapper(),
    "bwrap": Wrapper(
        "dev proc tmpfs mqueue dir chdir unsetenv hostname uid gid remount-ro lock-file sync-fd args seccomp perms size",
        pairs="bind ro-bind dev-bind bind-try ro-bind-try dev-bind-try setenv symlink file bind-data ro-bind-data chmod",
    ),
    "unshare": Wrapper("S G setuid setgid root wd"),
    "nsenter": Wrapper("t S G target"),
    "strace": Wrapper("e o p s u E P S a b I O X output trace string-limit attach user env"),
    "valgrind": Wrapper(),
    "numactl": Wrapper(
        "N m C P i p cpunodebind membind physcpubind preferred interleave localalloc", silent=True
    ),
    "setarch": Wrapper(skip=1, silent=True),
    **dict.fromkeys(("linux32", "linux64", "i386", "x86_64"), Wrapper(silent=True)),
    "prlimit": Wrapper("p o pid output", silent=True),
    "cgexec": Wrapper("g"),
    "run0": Wrapper("u g D user group unit property description slice nice chdir setenv", assigns=True),
    "sshpass": Wrapper("p f d P"),
    "cross-env": Wrapper(assigns=True, silent=True),
    "env-cmd": Wrapper("f e r file environments rc-file"),
    "chronic": Wrapper(silent=True),
    "fakechroot": Wrapper(),
    "eatmydata": Wrapper(silent=True),
    "libtool": Wrapper("mode"),
    "xterm": Wrapper("T geometry title"),
    "gnome-terminal": Wrapper("title geometry working-directory"),
    "ltrace": Wrapper("e o p s u n l a"),
    "systemd-run": Wrapper("p u M H E unit property description slice uid gid"),
    "flock": Wrapper("w E wait timeout conflict-exit-code", skip=1),
    "cpulimit": Wrapper("l p e"),
    "xvfb-run": Wrapper("n s e f p"),
    "dbus-run-session": Wrapper("config-file"),
    "dbus-launch": Wrapper(),
    "proxychains": Wrapper("f", silent=True),
    "proxychains4": Wrapper("f", silent=True),
    "torsocks": Wrapper(silent=True),
    "busybox": Wrapper(),
    "toybox": Wrapper(),
    "uvx": Wrapper("from with python"),
    "aws-vault": Wrapper("duration region", skip=2),
    "op": Wrapper("env-file account", skip=1),
    "doppler": Wrapper("p c project config", skip=1),
    "chpst": Wrapper("u U e n"),
    "daemonize": Wrapper("c o e p l u"),
    "nice-run": Wrapper(silent=True),
}

#: ``program subcommand ... command``: package managers that run what follows.
RUNNERS: dict[tuple[str, str], Wrapper] = {
    ("uv", "run"): Wrapper("with p python project directory env-file", skip=0),
    ("poetry", "run"): Wrapper(),
    ("pipenv", "run"): Wrapper(),
    ("pdm", "run"): Wrapper(),
    ("rye", "run"): Wrapper(),
    ("hatch", "run"): Wrapper(),
    ("bundle", "exec"): Wrapper(),
    ("npm", "exec"): Wrapper("p w c call package workspace"),
    ("npm", "x"): Wrapper("p w c call package workspace"),
    ("uv", "tool"): Wrapper("from with python p", skip=1),
    ("dotenvx", "run"): Wrapper("f e env-file env"),
    ("direnv", "exec"): Wrapper(skip=1),
    ("rustup", "run"): Wrapper(skip=1),
    ("perf", "record"): Wrapper("e o c F C p t u g G j k output event"),
    ("perf", "stat"): Wrapper("e o r C p t I x output event repeat"),
    ("perf", "trace"): Wrapper("e o p t output"),
    ("perf", "mem"): Wrapper("e o t", skip=1),
    ("ip", "netns"): Wrapper(skip=2),
    ("ip", "vrf"): Wrapper(skip=2),
    ("nix", "shell"): Wrapper(),
    ("nix", "develop"): Wrapper(),
    ("nix", "run"): Wrapper(),
    ("volta", "run"): Wrapper("node npm yarn"),
    ("fnm", "exec"): Wrapper("using"),
    ("nvm", "exec"): Wrapper(skip=1),
    ("rbenv", "exec"): Wrapper(),
    ("pyenv", "exec"): Wrapper(),
    ("opam", "exec"): Wrapper("switch"),
    ("stack", "exec"): Wrapper(),
    ("cabal", "exec"): Wrapper(),
    ("mix", "cmd"): Wrapper(),
    ("composer", "exec"): Wrapper(),
    ("pixi", "run"): Wrapper("e environment manifest-path"),
    ("micromamba", "run"): Wrapper("n p name prefix"),
    ("mamba", "run"): Wrapper("n p name prefix"),
    ("pipx", "run"): Wrapper("spec python pip-args index-url"),
    ("infisical", "run"): Wrapper("env path projectId"),
    ("sops", "exec-env"): Wrapper(skip=1),
    ("sops", "exec-file"): Wrapper(skip=1),
    ("lerna", "exec"): Wrapper("scope ignore"),
    ("pnpm", "x"): Wrapper(),
    ("devbox", "run"): Wrapper("e env c config"),
    ("pnpm", "exec"): Wrapper(),
    ("yarn", "exec"): Wrapper(),
    ("pnpm", "dlx"): Wrapper("package"),
    ("yarn", "dlx"): Wrapper("p"),
    ("conda", "run"): Wrapper("n p name prefix cwd"),
    ("asdf", "exec"): Wrapper(),
    ("rtk", "proxy"): Wrapper(),
}

#: Wrappers around a container or another host: the command comes after the name of the target.
_TARGET_OPTIONS = (
    "e env v volume p publish w workdir u user name network net entrypoint mount m memory l label h hostname env-file platform "
    "pull cpus add-host cap-add cap-drop device gpus detach-keys n namespace c container context kubeconfig index"
)
#: Those that take no option after the target.
_STRICT = frozenset({"docker", "podman", "nerdctl", "docker-compose"})
CONTAINERS: dict[tuple[str, ...], Wrapper] = {
    (program, *verb): Wrapper(_TARGET_OPTIONS, skip=1, strict=program in _STRICT)
    for program in ("docker", "podman", "nerdctl", "kubectl", "oc", "docker-compose", "lxc", "incus")
    for verb in (
        ("exec",),
        ("run",),
        ("compose", "exec"),
        ("compose", "run"),
        ("container", "exec"),
        ("container", "run"),
    )
}
