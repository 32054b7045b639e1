# ruff: noqa: E501  (tables)
"""What programs beyond the shell's daily ones read, write and delete, as rows of selectors.

A selector is ``r``, ``w`` or ``d``, a ``*`` where all below is meant, and where the paths stand: ``0`` an operand,
``1:`` operands, ``=-o,--out`` values of options, ``@.`` a path as it stands, ``@x*`` a pattern. Of alternatives
with ``|`` the first that finds something holds. A row with a flag (``-w``) or a word (``x``) after the
program holds where that is given; the first row that holds is taken.
"""

from __future__ import annotations

from collections.abc import Callable

from policyc.engine.remembered import remembered
from policyc.engine.shell.effects_table import Paths, tree
from policyc.engine.shell.fields import Dynamic, Glob

Fields = list["str | Dynamic"]

_TABLE = """
date / r=--file,--reference
uniq / r0 w1
xxd / r0 w1
look / r1:
iconv / r0: w=--output
tree / w=-o
split / r0 w1~|@x~
csplit / r0 w=--prefix~|@xx~
gio trash / d*1:
gio remove / d1:
gio cat / r1:
gio copy / r1:-1 w-1
gio move / r1:-1 d*1:-1 w-1
gio rename / d1 w2
gio save / w1
gvfs-trash / d*0:
rmtrash / d*0:
gpg --list-keys --list-secret-keys --export --export-secret-keys --recv-keys --send-keys --delete-keys --gen-key / w=--output
gpg --encrypt --symmetric --sign --detach-sign --clearsign / r0: w=--output|0~
gpg / r0: w=--output r=--passphrase-file
ffmpeg / r=-i w0:
ffprobe / r0: r=-i
convert / r:-1 w-1
magick mogrify / r1: w1:
magick identify / r1:
magick / r:-1 w-1
mogrify / r0: w0:
objcopy / r0 w1|0
strip / r0: w=-o|0:
rename --no-act / r1:
rename / d1: w1:
wipefs --no-act / r0:
wipefs --all --offset / w0:
wipefs / r0:
fdisk --list --getsz --list-details / r0:
fdisk / w0:
sfdisk --dump --list --json --show-size --no-act --list-free --verify / r0:
sfdisk / w0
sgdisk --print --info --verify --backup --list-types --pretend / r0: w=--backup
sgdisk / w0: r=--load-backup
parted print / r0
parted unit / r0
parted --list / r0
parted / w0
chattr / w1:
setfacl / w0: r=--restore
xattr -l -p / r0:
xattr / w0:
mke2fs / w0:
cryptsetup luksDump isLuks luksUUID / r1
cryptsetup / w1
losetup / w0 r1
7z a u / w1 r*2:
7z l t / r1
7z x e / r1 w*@.
7z d / w1
ar x / r1 w*@.
ar t p / r1
ar / w1 r2:
cpio --extract / r=--file w*@.
cpio --pass-through / w*0
cpio / w=--file
pax -r / r=-f w*@.
pax -w / w=-f r*0:
unrar x e / r1 w*2|@.
unrar / r1:
pandoc / r0: w=--output r=--defaults,--include-in-header,--template,--lua-filter,--filter
pdftotext / r0 w1|0~
qemu-img create / w1
qemu-img convert / r1:-1 w-1
qemu-img resize commit rebase amend / w1
qemu-img / r1:
ssh-keygen -R / w=--file|@~/.ssh/known_hosts
ssh-keygen -y -l -e / r=-f
ssh-keygen / w=-f w=-f~
ssh-copy-id / r=-i
age / r0: w=--output r=--identity,--recipients-file
sops --in-place / r0: w0:
sops encrypt decrypt set unset edit rotate / r1: w=--output
sops / r0: w=--output
htpasswd / r0 w0
aria2c / r=--input-file,--torrent-file w=--out w*=--dir
axel / w=--output
yt-dlp / w=--output
xmllint / r0: w=--output
xmlstarlet / r1:
gofmt -w / r*0: w*0:
goimports -w / r*0: w*0:
prettier --write / r*0: w*0:
eslint --fix / r*0: w*0:
stylelint --fix / r*0: w*0:
black --check --diff / r*0:
black / r*0: w*0:
isort / r*0: w*0:
autopep8 --in-place / r0: w0:
rustfmt --check / r0:
rustfmt / r0: w0:
clang-format -i / r0: w0:
shfmt -w / r*0: w*0:
ruff format / r*1: w*1:
ruff --fix / r*1: w*1:
ruff / r*1:
esbuild / r0: w=--outfile,--outdir
tsc / r0: r=--project w*=--outDir,--outFile
mysqldump / w=--result-file
pg_dump / w=--file
pg_restore / r0:
psql / r=--file w=--output,--log-file
mysql / r=--defaults-file
sips / r0: w=--out|0:
iconutil / r0 w=--output
screencapture / w0:
rclone delete purge deletefile rmdir rmdirs cleanup / d*1:
rclone move moveto / r*1 d*1 w*2
rclone copy copyto sync bisync / r*1 w*2
rclone / r1:
gcc -c -S -E / r0: w=-o
gcc / r0: w=-o
rustc / r0: w=-o
go / w=-o
kioclient move / d*1:-1
"""

_ALIASES = {
    "gpg2": "gpg", "identify": "ffprobe", "clang": "gcc", "cc": "gcc", "g++": "gcc", "c++": "gcc", "clang++": "gcc",
    "7za": "7z", "7zz": "7z", "youtube-dl": "yt-dlp", "mkfs": "mke2fs", "kioclient5": "kioclient", "mariadb": "mysql",
    "mariadb-dump": "mysqldump", "gdate": "date", "prename": "rename", "perl-rename": "rename", "gofumpt": "gofmt",
}  # fmt: skip


#: Programs that write files from sources of the disk, or write what stood there in another form: as with
#: any script on disk, what runs of it later is not looked at.
KEEPS_MEANING = frozenset(
    [
        "chmod",
        "chown",
        "chgrp",
        "touch",
        "chattr",
        "setfacl",
        "xattr",
        "dos2unix",
        "strip",
        "black",
        "isort",
        "autopep8",
        "prettier",
        "eslint",
        "stylelint",
        "rustfmt",
        "gofmt",
        "goimports",
        "clang-format",
        "shfmt",
        "ruff",
        "gcc",
        "cc",
        "g++",
        "c++",
        "clang",
        "clang++",
        "rustc",
        "go",
        "esbuild",
        "tsc",
    ]
)


class _Row:
    """Holds where one of ``words`` is a flag or the first operand that was given."""

    __slots__ = ("flags", "selectors", "words")

    def __init__(self, words: list[str], selectors: list[str]) -> None:
        self.flags = tuple(word for word in words if word[0] == "-")
        self.words = frozenset(word for word in words if word[0] != "-")
        self.selectors = selectors

    def holds(self, paths: Paths) -> bool:
        if not self.flags and not self.words:
            return True
        return paths.has(*self.flags) or any(word in self.words for word in paths.operands[:2])


@remembered(1024)
def _rows(program: str) -> list[_Row]:
    """The rows of the table that begin with the program's name."""
    found = []
    for line in _TABLE.split("\n") if f"\n{program} " in _TABLE else ():
        given, _, selectors = line.partition(" / ")
        if given.partition(" ")[0] == program:
            found.append(_Row(given.split()[1:], selectors.split()))
    return found


def _select(paths: Paths, place: str) -> Fields:
    """The paths at a place; ``~`` after it: names that begin so."""
    if place.endswith("~") and place != "@~":
        return [_beginning(field) for field in _select(paths, place[:-1])]
    if place[0] == "@":
        return [place[1:]]
    if place[0] == "=":
        return paths.values(*place[1:].split(","))
    first, colon, last = place.partition(":")
    operands = paths.operands
    if colon:
        return operands[int(first or 0) : int(last) if last else None]
    at = int(first)
    return operands[at : at + 1] if at >= 0 else operands[at:][:1] if len(operands) > 1 else []


def _beginning(field: str | Dynamic) -> str | Dynamic:
    return field if isinstance(field, Dynamic) else Glob(field + "*")


def _apply(paths: Paths, selector: str) -> None:
    for place in selector[1:].split("|"):
        whole = place[0] == "*"
        found = _select(paths, place[1:] if whole else place)
        if found:
            kind = {"r": paths.reads, "w": paths.writes, "d": paths.deletes}[selector[0]]
            kind += [tree(field) for field in found] if whole else found
            return


def tool(program: str) -> Callable[[Paths], None] | None:
    """What the program does to files; None where it is not in the table."""
    rows = _rows(_ALIASES.get(program, program))
    if not rows or not program:
        return None

    def effect(paths: Paths) -> None:
        for row in rows:
            if row.holds(paths):
                for selector in row.selectors:
                    _apply(paths, selector)
                return
        paths.reads += paths.operands

    return effect
