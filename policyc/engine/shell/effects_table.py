# ruff: noqa: E501  (tables)
"""What common programs read, write and delete: one small function for each way to do so."""

from __future__ import annotations

from collections.abc import Callable

from policyc.engine.shell.fields import Dynamic, Glob, Tree
from policyc.engine.shell.find_expression import find_results, find_roots
from policyc.engine.shell.options import Arguments

#: Files that are none: reading or writing them touches nothing on disk.
DEVICES = frozenset({"-", "/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/fd/63"})


class Paths:
    """The arguments of one command, and the paths found among them so far."""

    __slots__ = ("arguments", "deletes", "program", "reads", "writes")

    def __init__(self, program: str, arguments: Arguments) -> None:
        self.program = program
        self.arguments = arguments
        self.reads: list[str | Dynamic | None] = []
        self.writes: list[str | Dynamic | None] = []
        self.deletes: list[str | Dynamic | None] = []

    @property
    def operands(self) -> list[str | Dynamic]:
        return self.arguments.operands

    def has(self, *names: str) -> bool:
        return self.arguments.has(*names)

    def values(self, *names: str) -> list[str | Dynamic]:
        return self.arguments.value_of(*names)


def tree(field: str | Dynamic) -> str | Dynamic:
    """The field as a folder with all in it."""
    return field if isinstance(field, (Dynamic, Glob)) else Tree(field)


def trees(fields: list[str | Dynamic]) -> list[str | Dynamic]:
    return [tree(field) for field in fields]


def below(folder: str | Dynamic, source: str | Dynamic) -> str | Dynamic:
    """The file that appears in ``folder`` when ``source`` is put there."""
    if isinstance(folder, Dynamic) or isinstance(source, Dynamic):
        return Dynamic()
    joined = folder.rstrip("/") + "/" + source.rstrip("/").rpartition("/")[2]
    return Glob(joined) if isinstance(folder, Glob) or isinstance(source, Glob) else joined


def _nothing(paths: Paths) -> None:
    pass


def _read(paths: Paths) -> None:
    paths.reads += paths.operands
    paths.reads += paths.values("--files0-from", "--file", "--reference")
    paths.writes += paths.values("--output")


def _options_only(paths: Paths) -> None:
    paths.reads += paths.values("--file")


def _write(paths: Paths) -> None:
    paths.writes += paths.operands


def _write_after_first(paths: Paths) -> None:
    """chmod, chown: ``-R`` changes all below."""
    files = paths.operands if paths.values("--reference") else paths.operands[1:]
    paths.writes += trees(files) if paths.has("--recursive") else files


def _read_and_write(paths: Paths) -> None:
    paths.reads += paths.operands
    paths.writes += paths.operands


def _delete(paths: Paths) -> None:
    paths.deletes += paths.operands


def _rm(paths: Paths) -> None:
    unsure = paths.arguments.more_flags
    paths.deletes += trees(paths.operands) if unsure or paths.has("--recursive") else paths.operands


def _shred(paths: Paths) -> None:
    paths.deletes += paths.operands
    paths.writes += paths.operands


def _sources_and_target(paths: Paths) -> tuple[list[str | Dynamic], str | Dynamic | None]:
    named = paths.values("--target-directory")
    if named:
        return paths.operands, named[-1]
    if len(paths.operands) < 2:
        return paths.operands, None
    return paths.operands[:-1], paths.operands[-1]


def _put(paths: Paths, sources: list[str | Dynamic], target: str | Dynamic | None) -> None:
    """The target is a file of that name, or a folder that takes the sources."""
    if target is not None and target not in DEVICES:
        paths.writes += [target, *[below(target, source) for source in sources]]


def _copy(paths: Paths) -> None:
    sources, target = _sources_and_target(paths)
    if not paths.has("--attributes-only"):
        paths.reads += trees(sources) if paths.has("--recursive", "--archive") else sources
    _put(paths, sources, target)


def _move(paths: Paths) -> None:
    sources, target = _sources_and_target(paths)
    paths.reads += sources
    paths.deletes += trees(sources)
    _put(paths, sources, target)


def _link(paths: Paths) -> None:
    sources, target = _sources_and_target(paths)
    paths.reads += sources
    _put(paths, sources, target if target is not None else ".")


def _install(paths: Paths) -> None:
    if paths.has("--directory"):
        paths.writes += paths.operands
    else:
        _copy(paths)


def _dd(paths: Paths) -> None:
    for operand in paths.operands:
        if isinstance(operand, Dynamic):
            (paths.writes if operand.leading.startswith("of=") else paths.reads).append(operand)
            if not operand.leading:
                paths.writes.append(operand)
        elif operand.startswith("of="):
            paths.writes.append(operand[3:])
        elif operand.startswith("if="):
            paths.reads.append(operand[3:])


def _after_pattern(paths: Paths) -> None:
    """grep, sed, awk, jq: the first operand is the program unless a flag gives it."""
    given = paths.values("--regexp", "--file", "--expression", "--source", "--from-file")
    files = paths.operands if given or paths.has("--files") else paths.operands[1:]
    paths.reads += (
        trees(files)
        if paths.has("--recursive", "--dereference-recursive") or paths.program in _RECURSIVE
        else files
    )
    paths.reads += paths.values("--file", "--from-file", "--exclude-from")


def _sed(paths: Paths) -> None:
    _after_pattern(paths)
    # `-i.bak` is `-i` with a suffix.
    if paths.has("--in-place"):
        paths.writes += paths.reads


def _jq(paths: Paths) -> None:
    """yq also has subcommands before the expression."""
    verbs = (
        paths.program == "yq" and paths.operands[:1] and paths.operands[0] in ("e", "eval", "ea", "eval-all")
    )
    given = bool(paths.values("--from-file"))
    paths.reads += paths.operands[bool(verbs) + (not given) :] + paths.values("--from-file")
    if paths.has("--in-place", "--inplace"):
        paths.writes += paths.reads


def _awk(paths: Paths) -> None:
    _after_pattern(paths)
    for value in paths.values("--include"):
        if not isinstance(value, str) or value.rpartition("/")[2].startswith("inplace"):
            paths.writes += paths.operands if paths.values("--file", "--source") else paths.operands[1:]


def _tar(paths: Paths) -> None:
    archives = paths.values("--file")
    operands = paths.operands
    flags = paths.arguments.flags
    bundled = (
        operands[0]
        if operands
        and isinstance(operands[0], str)
        and not flags & {"--create", "--extract", "--list", "-c", "-x"}
        else ""
    )
    modes = set(bundled) if bundled and set(bundled) <= set("cxtruvfzjJpkhmwoOPSWa") else set()
    if modes:  # `tar xf a.tar`: the first word is flags without a dash
        archives = operands[1:2] if "f" in modes else []
        operands = operands[2:] if "f" in modes else operands[1:]
    folder = (paths.values("--directory") or ["."])[-1]
    if "x" in modes or paths.has("--extract"):
        paths.reads += archives
        paths.writes.append(tree(folder))
    elif modes & set("cru") or paths.has("--create", "--append", "--update"):
        paths.reads += operands if paths.has("--no-recursion") else trees(operands)
        paths.writes += archives
        if paths.has("--remove-files"):
            paths.deletes += trees(operands)
    else:
        paths.reads += archives


def _zip(paths: Paths) -> None:
    paths.writes += paths.operands[:1]
    paths.reads += trees(paths.operands[1:])
    if paths.has("--move"):
        paths.deletes += trees(paths.operands[1:])


def _unzip(paths: Paths) -> None:
    paths.reads += paths.operands[:1]
    if not paths.has("-l", "-p", "-t", "-Z", "-v", "-z"):
        paths.writes.append(tree((paths.values("-d") or ["."])[-1]))


def _rsync(paths: Paths) -> None:
    *sources, target = paths.operands or [""]
    paths.reads += trees(sources)
    paths.reads += paths.values("--exclude-from", "--files-from")
    if sources and not paths.has("--dry-run"):
        paths.writes += [tree(target), *[below(target, source) for source in sources]]
        if any(flag.startswith("--del") for flag in paths.arguments.flags):
            paths.deletes.append(tree(target))
        if paths.has("--remove-source-files"):
            paths.deletes += trees(sources)


def _curl(paths: Paths) -> None:
    paths.reads += paths.values("--upload-file", "--config", "--cert", "--key", "--cacert", "--netrc-file")
    for value in paths.values("--data", "--data-binary", "--data-urlencode", "--json", "--form", "--header"):
        if isinstance(value, str):
            at = value.find("@")
            if at == 0 or (at > 0 and value[at - 1] == "=") or (at > 0 and value[:at].isidentifier()):
                paths.reads.append(value[at + 1 :].partition(";")[0])
            elif "=<" in value:
                paths.reads.append(value.partition("=<")[2].partition(";")[0])
        elif value.leading in ("", "@"):
            paths.reads.append(value)
    folder = (paths.values("--output-dir") or ["."])[-1]
    for output in paths.values("--output"):
        paths.writes.append(below(folder, output) if folder != "." else output)
    paths.writes += paths.values("--cookie-jar", "--dump-header", "--trace", "--stderr")
    for url in paths.operands + paths.values("--url"):
        if isinstance(url, str) and url.lower().startswith("file:"):
            paths.reads.append(url)
        elif paths.has("--remote-name", "--remote-name-all"):
            paths.writes.append(_remote_name(folder, url))


def _remote_name(folder: str | Dynamic, url: str | Dynamic) -> str | Dynamic:
    if isinstance(url, Dynamic):
        return Dynamic()
    name = url.partition("?")[0].partition("#")[0].rstrip("/").rpartition("/")[2]
    return below(folder, name or "index.html")


def _wget(paths: Paths) -> None:
    paths.reads += paths.values("--input-file", "--post-file", "--body-file", "--load-cookies")
    paths.writes += paths.values("--output-document", "--output-file", "--append-output", "--save-cookies")
    if not paths.values("--output-document"):
        folder = (paths.values("--directory-prefix") or ["."])[-1]
        paths.writes += [_remote_name(folder, url) for url in paths.operands]


def _find(paths: Paths) -> None:
    roots = find_roots(paths.operands)
    for root in roots:
        paths.reads.append(root)
    if paths.has("-delete"):
        paths.deletes += find_results(roots, paths.arguments)
    paths.writes += paths.values("-fprint", "-fprint0", "-fprintf", "-fls")


def _docker(paths: Paths) -> None:
    operands = paths.operands
    if operands[:1] == ["cp"] or operands[:2] == ["container", "cp"]:
        paths.reads += operands[-2:-1]
        paths.writes += operands[-1:]
    for mount in paths.values("--volume", "-v"):
        if isinstance(mount, Dynamic):
            paths.writes.append(mount)
        elif mount[:1] in "./~" and mount:
            (paths.reads if mount.endswith(":ro") else paths.writes).append(Tree(mount.partition(":")[0]))
    for mount in paths.values("--mount"):
        if isinstance(mount, str):
            for pair in mount.split(","):
                key, _, value = pair.partition("=")
                if key in ("source", "src") and value[:1] in ("/", ".", "~"):
                    paths.writes.append(Tree(value))
    paths.reads += paths.values("--env-file", "--file")


def _kubectl(paths: Paths) -> None:
    paths.reads += paths.values("--filename", "--kubeconfig", "--from-file", "--from-env-file")
    if paths.operands[:1] == ["cp"]:
        paths.reads += paths.operands[1:2]
        paths.writes += paths.operands[2:3]


def _in_and_out(paths: Paths) -> None:
    paths.reads += paths.values("-in", "-inkey", "-key", "-config", "-cert", "-CAfile")
    paths.writes += paths.values("-out", "-keyout")


def _compress(paths: Paths) -> None:
    paths.reads += paths.operands
    if not paths.has("--stdout", "-c", "-l", "-t"):
        paths.writes += paths.operands
        if not paths.has("--keep", "-k"):
            paths.deletes += paths.operands


def _patch(paths: Paths) -> None:
    paths.reads += paths.values("--input") + paths.operands[1:2]
    paths.writes += paths.operands[:1] + paths.values("--output")
    if not paths.operands:
        paths.writes.append(tree((paths.values("--directory") or ["."])[-1]))


def _source(paths: Paths) -> None:
    paths.reads += paths.operands[:1]


_RECURSIVE = frozenset({"rg", "ag", "ack"})

_ROWS: tuple[tuple[Callable[[Paths], None], str], ...] = (
    (
        _nothing,
        "echo printf true false : test [ cd pushd popd export declare local typeset readonly unset set shift read ls "
        "exa eza pwd dirname basename realpath readlink whoami id uname sleep kill pkill killall ps top "
        "env printenv type which whereis command hash alias unalias exit return break continue wait jobs fg bg "
        "seq expr bc let trap umask ulimit getopts mapfile readarray eval npm npx yarn pnpm bun pip pip3 pipx uv "
        "poetry conda brew apt apt-get yum dnf apk pacman gem cargo rustup mvn gradle make cmake ninja pytest "
        "systemctl service journalctl gh aws gcloud az gsutil helm vault ssh ping dig host nslookup ip ifconfig "
        "netstat ss df du free mount umount history sudo doas su xargs watch parallel tmux screen man help logger tr "
        "yes nproc hostname uptime w who last groups passwd chsh useradd userdel usermod groupadd groupdel tput "
        "clear reset stty tty time timeout nohup nice iptables ufw crontab launchctl sysctl redis-cli mongo "
        "mongosh fuser lsof batch sg runuser perf mise asdf direnv pipenv rye hatch pdm bundle nix "
        "devbox volta fnm rbenv pyenv run0 nsenter pkexec capsh hyperfine concurrently rake just tox nox mix",
    ),
    (
        _read,
        "cat tac head tail less more most bat batcat nl od hexdump hd strings wc sort cut paste column fold fmt "
        "rev expand join comm diff cmp file stat md5sum sha1sum sha256sum sha512sum shasum cksum sum base64 base32 "
        "zcat bzcat xzcat zless view open xdg-open csvcut pr unexpand b2sum",
    ),
    (_options_only, "at dotenv dotenvx env-cmd"),
    (_write, "tee touch truncate mkdir mkfifo mknod fallocate blkdiscard "
     "mkswap script sponge mktemp"),
    (_write_after_first, "chmod chown chgrp"),
    (_read_and_write, "vi vim nvim nano emacs ed ex code subl micro pico gedit dos2unix unix2dos visudo sudoedit"),
    (_rm, "rm srm trash trash-put"),
    (_delete, "unlink rmdir rimraf wipe"),
    (_shred, "shred"),
    (_move, "mv"),
    (_copy, "cp scp ditto"),
    (_link, "ln link symlink"),
    (_install, "install"),
    (_dd, "dd dcfldd"),
    (_after_pattern, "grep egrep fgrep zgrep rg ag ack ugrep"),
    (_jq, "jq yq gojq"),
    (_awk, "awk gawk mawk nawk"),
    (_sed, "sed gsed"),
    (_tar, "tar gtar bsdtar"),
    (_zip, "zip"),
    (_unzip, "unzip"),
    (_rsync, "rsync"),
    (_curl, "curl"),
    (_wget, "wget"),
    (_find, "find"),
    (_docker, "docker podman nerdctl"),
    (_kubectl, "kubectl oc"),
    (_source, "source ."),
    (_in_and_out, "openssl"),
    (_compress, "gzip gunzip bzip2 bunzip2 xz unxz zstd lzma"),
    (_patch, "patch"),
)  # fmt: skip

EFFECTS: dict[str, Callable[[Paths], None]] = {
    program: function for function, programs in _ROWS for program in programs.split()
}
