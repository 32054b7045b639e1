# ruff: noqa: E501  (tables)
"""Programs that run the command in their arguments, as it stands there."""

from __future__ import annotations

from policyc.engine.shell.fields import Dynamic


class Wrapper:
    """``values`` are its options with a value; ``skip`` operands come before the command; ``assigns``:
    so may assignments. A ``silent`` one is not a command of its own: it changes nothing that rules ask about."""

    __slots__ = ("assigns", "silent", "skip", "values")

    def __init__(self, values: str = "", skip: int = 0, assigns: bool = False, silent: bool = False) -> None:
        self.values = frozenset(("-" + name if len(name) == 1 else "--" + name) for name in values.split())
        self.skip = skip
        self.assigns = assigns
        self.silent = silent

    def inner(self, fields: list[str | Dynamic]) -> list[str | Dynamic]:
        """The command among ``fields`` (the wrapper's own name first), from where it, or what hides it, begins."""
        at, skip = 1, self.skip
        while at < len(fields):
            word = fields[at]
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
        """1 where the option's value is the next word."""
        if word.startswith("--"):  # getopt_long takes any prefix
            return int(any(name.startswith(word) for name in self.values) and len(word) > 3)
        for at in range(1, len(word)):
            if "-" + word[at] in self.values:
                return int(at == len(word) - 1)
        return 0


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
    "bwrap": Wrapper("bind ro-bind dev proc tmpfs chdir setenv symlink"),
    "unshare": Wrapper("S G setuid setgid root wd"),
    "nsenter": Wrapper("t S G target"),
    "strace": Wrapper("e o p s u E P S a b I O X"),
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
    "npx": Wrapper("p package"),
    "bunx": Wrapper(),
    "pnpx": Wrapper(),
    "uvx": Wrapper("from with python"),
    "dotenv": Wrapper("f e"),
    "direnv": Wrapper(skip=2),
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
    ("npm", "exec"): Wrapper("p c package"),
    ("pnpm", "exec"): Wrapper(),
    ("yarn", "exec"): Wrapper(),
    ("pnpm", "dlx"): Wrapper("package"),
    ("yarn", "dlx"): Wrapper("p"),
    ("conda", "run"): Wrapper("n p name prefix cwd"),
    ("mise", "exec"): Wrapper(),
    ("mise", "x"): Wrapper(),
    ("asdf", "exec"): Wrapper(),
    ("rtk", "proxy"): Wrapper(),
}

#: Wrappers around a container or another host: the command comes after the name of the target.
_TARGET_OPTIONS = (
    "e env v volume p publish w workdir u user name network net entrypoint mount m memory l label h hostname env-file platform "
    "pull cpus add-host cap-add cap-drop device gpus detach-keys n namespace c container context kubeconfig index"
)
CONTAINERS: dict[tuple[str, ...], Wrapper] = {
    (program, *verb): Wrapper(_TARGET_OPTIONS, skip=1)
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
