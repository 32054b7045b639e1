"""File paths as agents write them, brought to one normal form. No disk: links are the caller's realpaths.

Normal forms: ``/etc/hosts``, ``C:/Users/x``, ``\\\\server/share/x`` (UNC), ``~/x`` and ``~user/x`` (a home
that is not known), ``a/b``, ``../a`` and ``.`` (the working folder is not known), ``C:x`` (in a drive).
"""

from __future__ import annotations

from policyc.engine.file_urls import is_file_url, path_of
from policyc.engine.patterns import lazy_pattern
from policyc.engine.remembered import remembered
from policyc.engine.text import clean

#: ``os`` of a call, in any case, whose file names ignore case.
_DARWIN = frozenset(("darwin", "macos", "mac", "osx"))
_WINDOWS = frozenset(("windows", "win32", "win", "nt"))

_LOCAL_SHARE = lazy_pattern(r"(?i)//(?:localhost|127\.0\.0\.1|::1|\.)/([A-Za-z])\$(?=/|\Z)")
_SERVER = lazy_pattern(r"//[^/. :]")
_PROCESS = lazy_pattern(r"self|thread-self|[0-9]+")


def is_darwin(os: str | None) -> bool:
    """Whether the call's ``os`` is macOS."""
    return os is not None and os.lower() in _DARWIN


def is_windows(os: str | None) -> bool:
    """Whether the call's ``os`` is Windows."""
    return os is not None and os.lower() in _WINDOWS


def reads_as_windows(path: str, os: str | None) -> bool:
    """Whether ``path`` follows Windows' rules: by ``os``, or where that is not known, by its drive or UNC."""
    return is_windows(os) if os is not None else _is_drive_path(path)


def _is_drive_path(path: str) -> bool:
    if path[:2] == "\\\\":
        return path[2:3] not in ("", "\\", "/")
    return path[2:3] in ("", "\\", "/") and _has_drive(path)


def _has_drive(path: str) -> bool:
    return path[1:2] == ":" and path[0].isascii() and path[0].isalpha()


def normalise(path: str, cwd: str | None = None, home: str | None = None, os: str | None = None) -> str:
    """The normal form of ``path``; idempotent, never raises.

    Without ``cwd`` a relative path stays relative, without ``home`` a ``~`` stays. ``$HOME`` and other
    variables are not expanded here (see ``spellings``), file: URLs are. A NUL stays in its component.
    """
    return read(path, cwd, home, os)


def split(path: str, os: str | None) -> tuple[str, list[str]]:
    """The root of a normal form and its components.

    The root is ``/``, ``\\\\``, ``C:/``, ``C:`` (drive-relative), ``~`` (the first component is then the
    home, ``~`` or ``~user``) or empty for a relative path.
    """
    if path.startswith("/"):
        return "/", path[1:].split("/") if path != "/" else []
    if path.startswith("~"):
        return "~", path.split("/")
    if path.startswith("\\\\") and reads_as_windows(path, os):
        return "\\\\", path[2:].split("/")
    if _has_drive(path) and reads_as_windows(path, os):
        root, rest = path[:2], path[2:]
        if rest.startswith("/"):
            root, rest = root + "/", rest[1:]
        return root, rest.split("/") if rest else []
    rest = path[2:] if path.startswith("./") else path
    return "", [] if rest == "." else rest.split("/")


def nfc(text: str) -> str:
    """``text`` in Unicode NFC: macOS hands out decomposed names."""
    if text.isascii():
        return text
    import unicodedata  # not loaded for the ASCII paths that nearly every call has

    return unicodedata.normalize("NFC", text)


def read(
    path: str,
    cwd: str | None,
    home: str | None,
    os: str | None,
    *,
    windows: bool = False,
    follow_proc: bool = True,
) -> str:
    """``normalise``, with a say in how to read: ``windows`` by Windows' rules although ``os`` is not known,
    ``follow_proc`` whether ``/proc/self/root`` and ``/proc/self/cwd`` are what they lead to."""
    text = clean(path)
    if is_file_url(text):
        text = path_of(text, windows=os is None or is_windows(os), shares=is_windows(os))
    text = _with_home(nfc(text), home, os, windows)
    base = None if cwd is None else _absolute(cwd, home, os)
    if not windows:
        windows = reads_as_windows(text, os) or (base is not None and _is_in_drive(text, base, os))
    if windows:
        text = _from_windows(text)
    root, stack, names = _start(text, base, os, windows)
    floor = {"~": 1, "\\\\": 2}.get(root, 0)
    for name in names:
        if windows:
            name = _windows_name(name)
        if name in ("", "."):
            continue
        if name != "..":
            stack.append(name)
            if follow_proc and name in ("root", "cwd") and root == "/" and not windows:
                stack = _behind_proc(stack, base)
        elif len(stack) > floor and stack[-1] != "..":
            stack.pop()
        elif root in ("", "~") or root[1:] == ":":
            stack.append("..")
    if windows and is_windows(os) and text.startswith("/"):
        root, stack = _unmounted(root, stack)
    return _join(root, stack, os)


@remembered(256)
def _absolute(folder: str, home: str | None, os: str | None) -> str | None:
    """A folder's normal form, or None where it is relative itself."""
    form = read(folder, None, home, os, follow_proc=False)
    root = split(form, os)[0]
    return None if root == "" or root[1:] == ":" else form


def _is_in_drive(text: str, base: str, os: str | None) -> bool:
    return os is None and not text.startswith(("/", "~")) and reads_as_windows(base, None)


def _start(text: str, base: str | None, os: str | None, windows: bool) -> tuple[str, list[str], list[str]]:
    """The root to start from, the components already there, and those to walk."""
    names = text.split("/")
    if windows and text.startswith("\\\\"):
        return "\\\\", [], text[2:].split("/")
    if windows and _has_drive(text):
        drive = text[0].upper() + ":"
        names[0] = names[0][2:]
        if text[2:3] == "/":
            return drive + "/", [], names
        root, stack = split(base, os) if base is not None and base.startswith(drive) else (drive, [])
        return root, stack, names
    if text.startswith("/"):
        drive = base[:2] if windows and base is not None and _has_drive(base) else ""
        return drive + "/", [], names
    if text.startswith("~"):
        return "~", names[:1], names[1:]
    root, stack = ("", []) if base is None else split(base, os)
    return root, stack, names


def _with_home(text: str, home: str | None, os: str | None, windows: bool) -> str:
    """``text`` with a leading ``~`` or ``~user`` as that home, where it is known."""
    if not text.startswith("~"):
        return text
    known = None if home is None or home.startswith("~") else _absolute(home, None, os)
    windows = windows or reads_as_windows(known or "", os)
    owner = text.replace("\\", "/").partition("/")[0] if windows else text.partition("/")[0]
    if known is not None and (owner == "~" or known.rpartition("/")[2] == owner[1:]):
        return known + text[len(owner) :]
    return "/root" + text[len(owner) :] if owner == "~root" and not windows else text


def _behind_proc(stack: list[str], base: str | None) -> list[str]:
    """The components that ``/proc/self/root`` and ``/proc/self/cwd`` lead to."""
    shape = stack[:2] + stack[4:] if len(stack) == 5 and stack[2] == "task" else stack
    if len(shape) != 3 or shape[0] != "proc" or not _PROCESS.fullmatch(shape[1]):
        return stack
    if shape[2] == "root":
        return []
    here = base is not None and base.startswith("/") and shape[1] in ("self", "thread-self")
    return split(base, "linux")[1] if here and base is not None else stack


def _join(root: str, names: list[str], os: str | None) -> str:
    body = "/".join(names)
    if root:
        return body if root == "~" else root + body
    if not body:
        return "."
    # What would be read as a home, a URL or a drive the next time keeps its "./".
    rereads = body[0] == "~" or is_file_url(body) or reads_as_windows(body, os)
    return "./" + body if rereads else body


def _from_windows(text: str) -> str:
    """``text`` with forward slashes, a drive or ``\\\\`` first, and no device prefix."""
    text = text.replace("\\", "/")
    for prefix in ("//?/", "//./", "/??/"):
        if text.startswith(prefix):
            rest = text[len(prefix) :]
            if rest[:4].upper() == "UNC/":
                text = "//" + rest[4:]
            elif _has_drive(rest):
                text = rest
            else:
                return "\\\\?/" + rest
    share = _LOCAL_SHARE.match(text)
    if share:
        return f"{share[1]}:/{text[share.end() :]}"
    return "\\\\" + text[2:] if _SERVER.match(text) else text


def _unmounted(root: str, names: list[str]) -> tuple[str, list[str]]:
    """``/c/x`` of Git Bash, ``/cygdrive/c/x`` of Cygwin and ``/mnt/c/x`` of WSL as ``C:/x``."""
    at = 1 if names[:1] in (["cygdrive"], ["mnt"]) else 0
    if len(names) > at and len(names[at]) == 1 and _has_drive(names[at] + ":"):
        return names[at].upper() + ":/", names[at + 1 :]
    return root, names


def _windows_name(name: str) -> str:
    """A component as Win32 opens it: no stream (``.env::$DATA``), no trailing dots and spaces."""
    name = name.partition(":")[0].rstrip(" ")
    return name if name in (".", "..") else name.rstrip(". ")
