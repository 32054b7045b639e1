import pytest

from policyc.engine.path_operator import Surroundings, check, compile, covered

SECRETS = ["~/.ssh/**", ".env", ".env.*", "/etc/sudoers"]
REPO = Surroundings("/w/repo", "linux")


@pytest.mark.parametrize(
    "value", ["*.pem", ["/etc/**", "~/x"], "C:\\Users\\**", "./a b/[id].ts", "\\\\s\\h\\**"]
)
def test_a_good_value(value):
    assert check(value) is None


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ([], "at least one"),
        (7, "a path glob"),
        (["a", None], "a path glob"),
        ("", "empty"),
        (" a", "white space"),
        ("a\nb", "control"),
        ("!a", "not: true"),
        ("file:///etc/**", "not a URL"),
        ("$HOME/x", "~/"),
        ("a\\b", "write /"),
        ("a/../b", ".."),
        ("a**/b", "stands alone"),
        ("*.{a,b}", "list"),
    ],
)
def test_a_bad_value(value, said):
    assert said in check(value)


@pytest.mark.parametrize(
    ("argument", "expected"),
    [
        ("notes.md", False),
        (".env", True),
        ("./a/../.env", True),
        ("file:///w/repo/.env", True),
        ("/proc/self/cwd/.env", True),
        ("/etc/sudoers\0.txt", True),
        (".env%00", True),
        (" .env", True),
        ("/dev/fd/9", None),
        ("$HOME/.ssh/id_rsa", True),
        (7, False),
        (None, False),
        (["a"], False),
    ],
)
def test_one_spelling_is_enough_to_stop_a_call(argument, expected):
    assert compile(SECRETS)(argument, REPO) is expected


def test_every_spelling_has_to_be_covered_to_let_a_call_pass():
    allowed = compile("./**")
    assert allowed("src/a.py", REPO, every=True) is True
    assert allowed("%2e%2e/x", REPO, every=True) is False
    assert allowed("/w/repo/a\0/../../x", REPO, every=True) is False
    linked = Surroundings("/w/repo", "linux", ["/etc/passwd"])
    assert allowed("link", linked, every=True) is False
    assert allowed("link", linked) is True


def test_realpaths_count():
    here = Surroundings("/w/repo", None, ["/w/repo/.env.prod"])
    assert compile(SECRETS)("/tmp/notenv", here) is True


def test_case_variants_on_macos():
    assert compile(SECRETS)("/Users/u/.SSH/id_ed25519", Surroundings("/w", "darwin")) is True


def test_backslashes_without_an_os():
    assert compile(SECRETS)("C:\\w\\repo\\.env", Surroundings("/w/repo")) is True
    assert compile(SECRETS)("sub\\.env", Surroundings("/w/repo")) is True


def test_unknown_is_neither():
    assert covered(["/etc/**"], ["../x"]) is None
    assert covered(["/etc/**"], ["../x", "/etc/x"]) is True
    assert covered(["/etc/**"], ["../x", "/etc/x"], every=True) is None
    assert covered(["/etc/**"], ["../x", "/w"], every=True) is False
