import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policyc.engine.file_paths import normalise
from policyc.engine.path_globs import judge, matches

TABLE = [
    ("*.pem", "/a/b.pem", True),
    ("*.pem", "/b.pem/c", False),
    ("*.pem", "b.pem", True),
    (".env", "/w/.env", True),
    (".env", "/w/.envrc", False),
    ("**/.env", "/.env", True),
    (".ssh/**", "/home/u/.ssh", True),
    (".ssh/**", "/home/u/.ssh/a/b", True),
    (".ssh/", "/home/u/.ssh/a", True),
    (".ssh", "/home/u/.ssh/a", False),
    ("private/**", "/srv/private/x", True),
    ("private/**", "/srv/unprivate/x", False),
    ("/etc/**", "/etc", True),
    ("/etc/**", "/etc/a/b", True),
    ("/etc/**", "/w/etc/a", False),
    ("/etc/*", "/etc/a/b", False),
    ("/etc/*", "/etc/.hidden", True),
    ("/**", "/", True),
    ("/", "/", True),
    ("/", "/x", False),
    ("**", "x", True),
    ("/a/**/z", "/a/z", True),
    ("/a/**/z", "/a/b/c/z", True),
    ("/a/**/b/**/z", "/a/b/z/y", False),
    ("a?c", "/abc", True),
    ("a?c", "/ac", False),
    ("a?c", "/a/c", False),
    ("?*x", "/x", False),
    ("[ab]{c}", "/[ab]{c}", True),
    ("~/.ssh/**", "/home/ann/.ssh/id", True),
    ("~/.ssh/**", "/Users/ann/.ssh/id", True),
    ("~/.ssh/**", "/root/.ssh/id", True),
    ("~/.ssh/**", "/var/root/.ssh", True),
    ("~/.ssh/**", "~/.ssh/id", True),
    ("~/.ssh/**", "~ann/.ssh/id", True),
    ("~/.ssh/**", "C:/Users/u/.SSH/id", True),
    ("~/.ssh/**", "/srv/.ssh/id", False),
    ("~ann/.ssh/**", "/home/ann/.ssh/id", True),
    ("~ann/.ssh/**", "/home/bob/.ssh/id", False),
    ("~ann/.ssh/**", "~/.ssh/id", None),
    ("~root/**", "/root/x", True),
    ("/home/u/**", "~/x", None),
    ("/etc/**", "~/x", False),
    ("/**/x", "~/x", True),
    ("/etc/**", "src/a", False),
    ("/etc/**", "etc/a", None),
    ("/etc/**", "../a", None),
    ("~/.ssh/**", ".ssh/id", None),
    ("*.pem", "../a.pem", True),
    ("*.pem", "..", None),
    ("./src/**", "src/a", True),
    ("./src/**", "/w/src/a", None),
    ("C:/W/**", "c:/w/x", True),
    ("C:\\W\\**", "C:/w/x", True),
    ("/Windows/**", "C:/windows/x", True),
    ("D:/**", "C:/x", False),
    ("//srv/share/**", "\\\\srv/share/x", True),
    ("/srv/**", "\\\\srv/share/x", False),
    ("caf\u0065\u0301", "/caf\u00e9", True),
    (".env", "/w/.env\0.png", None),
    (".env", "/dev/fd/63", None),
    (".env", "/dev/fd/2", False),
    (".env", "/proc/self/fd/9", None),
    (".env", "/proc/1/cwd/x", None),
    (".ssh/**", "C:/Users/u/SSH~1/id", None),
    ("*.txt", "\\\\?/Volume{1}/x", None),
    ("", "/x", False),
    ("/private/etc/**", "/etc/x", False),
    ("/etc/**", "/private/etc/x", True),
]


@pytest.mark.parametrize(("pattern", "path", "expected"), TABLE)
def test_the_glob_language(pattern, path, expected):
    assert judge(pattern, path) is expected
    assert matches(pattern, path) is (expected is True)


@pytest.mark.parametrize("os", ["darwin", "macOS", "windows"])
def test_case_is_folded_where_the_file_system_does(os):
    assert matches(".ssh/**", "/Users/u/.SSH/id", os)
    assert matches("/Users/**/Stra\u00dfe", "/users/STRASSE", os)
    assert matches(".git/**", "/w/.g\u200cit/config", os)
    assert not matches(".ssh/**", "/Users/u/.SSH/id", "linux")


def test_macos_has_two_names_for_some_folders():
    assert matches("/private/**", "/etc/sudoers", "darwin")
    assert matches("/etc/**", "/private/etc/sudoers", "darwin")
    assert matches("/etc/**", "/System/Volumes/Data/private/etc/sudoers", "darwin")
    assert matches("/etc/**", "/.nofollow/etc/sudoers", "darwin")
    assert not matches("/etc/**", "/private/etc/sudoers", "linux")
    assert judge("/etc/**", "/.vol/1/2", "darwin") is None


def test_a_pattern_in_the_working_folder():
    assert judge("./src/**", "/w/src/a", cwd="/w") is True
    assert judge("./**", "/w", cwd="/w") is True
    assert judge("./**", "/wx/a", cwd="/w") is False
    assert judge("./**", "/w*/a", cwd="/w*") is True
    assert judge("./**", "/wx/a", cwd="/w*") is False
    assert judge("./**", "~/a", cwd="/w") is None
    assert judge("./**", "/private/tmp/a", "darwin", cwd="/tmp") is True


def test_a_home_in_an_unusual_place():
    assert judge("~/.ssh/**", "/srv/agent/.ssh/id", home="/srv/agent") is True
    assert judge("~/.ssh/**", "/srv/agent/.ssh/id") is False


def oracle(pattern, names):
    if not pattern:
        return not names
    if pattern[0] == "**":
        return oracle(pattern[1:], names) or (bool(names) and oracle(pattern, names[1:]))
    regex = re.escape(pattern[0]).replace(r"\*", ".*").replace(r"\?", ".")
    return bool(names) and re.fullmatch(regex, names[0]) is not None and oracle(pattern[1:], names[1:])


pattern_names = st.lists(
    st.one_of(st.just("**"), st.text(alphabet="ab*?", min_size=1, max_size=4)), max_size=5
)
names = st.lists(st.text(alphabet="ab", min_size=1, max_size=4), max_size=5)


@given(pattern_names, names)
def test_matching_agrees_with_plain_recursion(pattern, path):
    path = ["x", *path]
    assert matches("/" + "/".join(["x", *pattern]), "/" + "/".join(path), "linux") is oracle(
        ["x", *pattern], path
    )
    assert matches("/".join([*pattern, "a"]), "/" + "/".join(path), "linux") is oracle(
        ["**", *pattern, "a"], path
    )


texts = st.text(alphabet="ab/*?.~\\:C\0\ud800é", max_size=12)


@given(texts, texts, st.sampled_from([None, "linux", "darwin", "windows"]), st.one_of(st.none(), texts))
def test_nothing_raises_and_the_plain_answer_is_the_sure_one(pattern, path, os, cwd):
    form = normalise(path, os=os)
    assert matches(pattern, form, os) is (judge(pattern, form, os) is True)
    assert judge(pattern, form, os, cwd, cwd) in (True, False, None)


def test_nothing_backtracks():
    deep = "/" + "a/" * 50_000 + "b"
    assert not matches("**/a/" * 20 + "c", deep)
    assert not matches("*a" * 200 + "?b", "/" + "a" * 20_000)
