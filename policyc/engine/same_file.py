"""What else a path names, as far as its spelling tells, and where its spelling does not tell."""

from __future__ import annotations

from policyc.engine.file_paths import is_darwin, reads_as_windows
from policyc.engine.patterns import lazy_pattern

# macOS: /etc, /tmp and /var are links into /private; the data volume shows through a firmlink.
# https://developer.apple.com/support/downloads/Apple-File-System-Reference.pdf
_PRIVATE = lazy_pattern(r"(?i)/private(?=/(?:etc|tmp|var)(?:/|\Z))")
_IN_PRIVATE = lazy_pattern(r"(?i)/(?:etc|tmp|var)(?=/|\Z)")
_FIRMLINK = lazy_pattern(r"(?i)/(?:System/Volumes/Data|\.nofollow|\.resolve/[0-9]+)(?=/)")

#: A descriptor beyond the three standard ones, and what /proc still holds of another process.
_DESCRIPTOR = lazy_pattern(
    r"(?s)/(?:dev|proc/(?:self|thread-self|[0-9]+)(?:/task/[0-9]+)?)/fd/(?![0-2]\Z).*"
    r"|/proc/(?:self|thread-self|[0-9]+)(?:/task/[0-9]+)?/(?:root|cwd|exe)(?:/.*)?",
)
#: A file by its number, not by its name.
_INODE = lazy_pattern(r"(?i)/\.(?:vol|file)/")
#: The short name of a longer one on NTFS: ``SSH~1`` may be ``.ssh``.
_SHORT_NAME = lazy_pattern(r"(?:^|[/:])[^/.~]{1,6}~[0-9]{1,6}(?:\.[^/.]{0,3})?(?:/|\Z)")


def other_names(path: str, os: str | None) -> tuple[str, ...]:
    """Other normal forms that surely name the same file."""
    if (os is not None and not is_darwin(os)) or not path.startswith("/"):
        return ()
    plain = _FIRMLINK.sub("", path, count=1) if _FIRMLINK.match(path) else path
    found = [] if plain == path else [plain]
    if _PRIVATE.match(plain):
        found.append(plain[len("/private") :])
    elif os is not None and _IN_PRIVATE.match(plain):
        found.append("/private" + plain)
    return tuple(found)


def is_opaque(path: str, os: str | None) -> bool:
    """Whether the normal form ``path`` may name a file under quite another name."""
    if "\0" in path:
        return True
    if reads_as_windows(path, os):
        return path.startswith("\\\\?/") or ("~" in path and _SHORT_NAME.search(path) is not None)
    if is_darwin(os) and _INODE.match(path):
        return True
    return path.startswith(("/dev/", "/proc/")) and _DESCRIPTOR.fullmatch(path) is not None
