import posixpath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policyc.engine.file_paths import normalise
from policyc.engine.spellings import spellings

POSIX = [
    ("/a/../etc//passwd", "/etc/passwd"),
    ("/../../etc/./passwd/", "/etc/passwd"),
    ("//etc/passwd", "/etc/passwd"),
    ("src/./a.py", "/w/repo/src/a.py"),
    ("../../../../etc/passwd", "/etc/passwd"),
    ("./.git/../.git/config", "/w/repo/.git/config"),
    ("", "/w/repo"),
    ("~", "/home/u"),
    ("~/.ssh/../.aws", "/home/u/.aws"),
    ("~u/x", "/home/u/x"),
    ("~ann/x", "~ann/x"),
    ("~root/.ssh", "/root/.ssh"),
    ("./~/x", "/w/repo/~/x"),
    ("file:///etc/%70asswd", "/etc/passwd"),
    ("FILE:/etc/passwd#x", "/etc/passwd"),
    (" file://localhost/etc/passwd?x", "/etc/passwd"),
    ("file://other/etc/passwd", "/etc/passwd"),
    ("file:///w/%2e%2e/etc", "/etc"),
    ("file:///w\\..\\etc", "/etc"),
    ("fi\u006ce:///w/a%00b", "/w/a\0b"),
    ("file:///a%ffb", "/a\ufffdb"),
    ("/proc/self/root/etc/shadow", "/etc/shadow"),
    ("/proc/1/root/../etc/shadow", "/etc/shadow"),
    ("/proc/self/task/7/root/etc", "/etc"),
    ("/proc/self/cwd/../x", "/w/x"),
    ("/proc/1/cwd/x", "/proc/1/cwd/x"),
    ("/caf\u0065\u0301", "/caf\u00e9"),
    ("/a\ud800b", "/a\ufffdb"),
    ("a\\b", "/w/repo/a\\b"),
    ("C:foo", "/w/repo/C:foo"),
]


@pytest.mark.parametrize(("path", "expected"), POSIX)
@pytest.mark.parametrize("os", [None, "linux"])
def test_posix(path, expected, os):
    assert normalise(path, "/w/repo", "/home/u", os) == expected


WINDOWS = [
    ("C:\\w\\repo\\.env", "C:/w/repo/.env"),
    ("c:/w//repo\\..\\x", "C:/w/x"),
    ("src\\a.py", "D:/repo/src/a.py"),
    ("\\Windows\\x", "D:/Windows/x"),
    ("\\", "D:/"),
    ("D:a", "D:/repo/a"),
    ("C:a", "C:a"),
    (".env::$DATA", "D:/repo/.env"),
    (".ssh::$INDEX_ALLOCATION\\id", "D:/repo/.ssh/id"),
    (".env. .", "D:/repo/.env"),
    (".. \\x", "D:/x"),
    ("\\\\?\\C:\\x", "C:/x"),
    ("\\\\.\\C:\\x", "C:/x"),
    ("\\??\\C:\\x", "C:/x"),
    ("\\\\?\\UNC\\server\\share\\x", "\\\\server/share/x"),
    ("\\\\server\\share\\..\\..\\..\\x", "\\\\server/share/x"),
    ("//localhost/C$/x", "C:/x"),
    ("\\\\127.0.0.1\\c$\\x", "C:/x"),
    ("\\\\?\\Volume{1}\\x", "\\\\?/Volume{1}/x"),
    ("/c/Users/u", "C:/Users/u"),
    ("/cygdrive/c/Users", "C:/Users"),
    ("/mnt/c/Users", "C:/Users"),
    ("file:///C:/x%20y", "C:/x y"),
    ("file:///C|/x", "C:/x"),
    ("file://server/share/x", "\\\\server/share/x"),
    ("~\\.ssh", "C:/Users/u/.ssh"),
]


@pytest.mark.parametrize(("path", "expected"), WINDOWS)
def test_windows(path, expected):
    assert normalise(path, "D:\\repo", "C:\\Users\\u", "windows") == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [("a/b", "a/b"), ("../a/../../b", "../../b"), (".", "."), ("~/../x", "~/../x"), ("./file:x", "./file:x")],
)
def test_without_surroundings_what_is_not_known_stays(path, expected):
    assert normalise(path) == expected


def test_a_drive_tells_windows_where_the_os_is_not_known():
    assert normalise("C:\\w\\.env", "/w") == "C:/w/.env"
    assert normalise("a\\.env", "C:\\w") == "C:/w/a/.env"
    assert normalise("\\\\server\\share\\x") == "\\\\server/share/x"


paths = st.one_of(
    st.text(max_size=30),
    st.text(alphabet="ab./\\~:%25eEfil C\0\ud800\u0301é|?#", max_size=24),
    st.lists(
        st.sampled_from(
            ["..", ".", "/", "a", "~", "file:", "proc", "self", "root", "cwd", "C:", "\\", "%2e", " "]
        ),
        max_size=9,
    ).map("/".join),
)
systems = st.sampled_from([None, "linux", "darwin", "windows", "Windows", "plan9"])
folders = st.one_of(st.none(), st.sampled_from(["/w/repo", "C:\\w", "rel", "~", "\\\\s\\h"]), paths)


@given(paths, folders, folders, systems)
def test_normalising_never_raises_and_is_idempotent(path, cwd, home, os):
    once = normalise(path, cwd, home, os)
    assert normalise(once, cwd, home, os) == once


@given(st.text(alphabet="ab./", max_size=16))
def test_plain_posix_paths_are_what_posixpath_says(path):
    assert normalise(path, "/w/repo", None, "linux") == "/" + posixpath.normpath(
        "/w/repo/" + path if not path.startswith("/") else path
    ).lstrip("/")


SPELLINGS = [
    ("/etc/passwd\0.png", "/etc/passwd"),
    (" ~/.ssh/id\n", "/home/u/.ssh/id"),
    ("$HOME/.ssh/id", "/home/u/.ssh/id"),
    ("${home}/.ssh/id", "/home/u/.ssh/id"),
    ("%USERPROFILE%\\.ssh\\id", "/home/u/.ssh/id"),
    ("$PWD/.env", "/w/repo/.env"),
    ("a\\..\\.env", "/w/repo/.env"),
    ("/w/repo/.env.", "/w/repo/.env"),
    (".env::$DATA", "/w/repo/.env"),
    ("/etc/%70asswd", "/etc/passwd"),
    ("/w/%252e%252e/etc/passwd", "/etc/passwd"),
    ("file:///etc/%2570asswd", "/etc/passwd"),
    ("file:///w/x#/../../etc/passwd", "/etc/passwd"),
    ("/proc/self/root/etc", "/proc/self/root/etc"),
]


@pytest.mark.parametrize(("path", "expected"), SPELLINGS)
def test_a_reading_that_some_tool_has_is_a_spelling(path, expected):
    assert expected in spellings(path, cwd="/w/repo", home="/home/u")


def test_a_plain_path_has_one_spelling_and_realpaths_add_theirs():
    assert spellings("notes", ["/w/.env"], "/w") == ["/w/notes", "/w/.env"]
    assert spellings("src/a.py", cwd="/w") == ["/w/src/a.py"]


@given(paths, folders, folders, systems)
def test_spellings_never_raise_and_start_with_the_plain_one(path, cwd, home, os):
    forms = spellings(path, [path], cwd, os, home)
    assert forms[0] == normalise(path, cwd, home, os)
    assert len(forms) <= 60


def test_long_paths_take_linear_time():
    for unit in ("a/", "../", "%25", "/proc/self/root", "~", "\\", "\0", "."):
        assert spellings(unit * 20_000, cwd="/w")
