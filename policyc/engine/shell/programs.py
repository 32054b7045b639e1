# ruff: noqa: E501  (tables)
"""Programs that are more than their argument list, and the module that knows each: a line loads those of the
programs that it runs."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from policyc.engine.shell.facts import SimpleCommand
    from policyc.engine.shell.fields import Dynamic
    from policyc.engine.shell.running_api import Running

    Handler = Callable[[Running, SimpleCommand], "str | Dynamic"]

#: Module -> the programs in its table ``PROGRAMS``. A program that two have is the first one's.
MODULES = {
    "builtins": "cd pushd popd readonly export local typeset declare unset read getopts mapfile readarray printf "
    "set shift cat tee cp mv ln install pwd eval source . trap alias command fc enable bind complete compgen let test [ mktemp env",
    "git_commands": "git",
    "listings": "ls",
    "launchers": "find xargs gxargs ssh mosh watch su sudo doas parallel flock runuser nix-shell tmux screen",
    "embedded": "openvpn sort rg borg netcat gtar tar zip scp split nc nodemon wget fzf bsdtar rsync man sftp ncat "
    "tcpdump mosh make gmake vim vi nvim ex view vimdiff gvim rvim ed red ne less curl openssl nmap sed gsed hash",
    "callers": "npx pnpx bunx entr gdb hyperfine concurrently script sg mise nix crontab at batch dotenv watchexec "
    "capsh bun fd fdfind start-stop-daemon cmake",
    "remotes": "adb ansible az clush distrobox flatpak-spawn fly flyctl gcloud heroku lima limactl machinectl multipass "
    "pdsh pssh parallel-ssh salt systemd-nspawn toolbox toolbx vagrant wsl",
}
#: The programs of ``projects.PROJECTS``: they run what a folder says.
PROJECTS = (
    "npm pnpm yarn bun pip uv poetry pytest tox nox invoke fab scons cargo go rake bundle vagrant just direnv gradle mvn "
    "ant cmake ninja task composer mix gulp grunt vite webpack jest eslint terraform pre-commit zig swift pip3 tofu "
    "py.test uvx deno pipx gem ansible-playbook g++ gcc nim c++ clang dmd clang++ tcc ghc cc ocamlopt rustc gccgo "
    "gfortran python python2 python3 pypy pypy3"
)
_MODULE_OF = {name: module for module, names in reversed(MODULES.items()) for name in names.split()}


def names(*modules: str) -> frozenset[str]:
    """The programs that these modules know."""
    return frozenset(name for module in modules for name in MODULES[module].split())


def handler(program: str) -> Handler | None:
    """What runs the program, if it is more than its argument list."""
    module = _MODULE_OF.get(program)
    if module is None:
        return None
    loaded = __import__(f"policyc.engine.shell.{module}", fromlist=["PROGRAMS"])
    found: Handler = loaded.PROGRAMS[program]
    return found
