import os
import stat

import pytest

from policyc.hooks.errors import HooksError
from policyc.hooks.generated import Generated
from policyc.hooks.write import drift, write_files

PATH = ".agents/hooks.json"
TEXT = '{\n  "g": {}\n}\n'
GENERATED = Generated({PATH: TEXT, ".agents/hooks-scripts/gate.py": "print()\n"}, [])


def test_files_are_written_with_their_folders(tmp_path):
    out = tmp_path / "deep" / "out"
    assert write_files(GENERATED, out) == [out / path for path in GENERATED.files]
    assert {
        str(path.relative_to(out)): path.read_text() for path in out.rglob("*") if path.is_file()
    } == GENERATED.files
    assert drift(GENERATED, out) == []


def test_the_umask_decides_who_reads(tmp_path):
    previous = os.umask(0o022)
    try:
        write_files(GENERATED, tmp_path)
    finally:
        os.umask(previous)
    assert stat.S_IMODE((tmp_path / PATH).stat().st_mode) == 0o644


def test_writing_replaces_and_leaves_other_files_alone(tmp_path):
    (tmp_path / ".agents").mkdir()
    (tmp_path / ".agents" / "mine.py").write_text("x")
    (tmp_path / PATH).write_text("old")
    write_files(GENERATED, tmp_path)
    assert (tmp_path / PATH).read_text() == TEXT
    assert sorted(os.listdir(tmp_path / ".agents")) == ["hooks-scripts", "hooks.json", "mine.py"]


def test_a_failure_leaves_everything_as_it_was(tmp_path):
    (tmp_path / ".agents").mkdir()
    (tmp_path / PATH).write_text("old")
    (tmp_path / ".agents" / "hooks-scripts").write_text("a file where a folder must be")
    with pytest.raises(HooksError, match="hooks-scripts") as error:
        write_files(GENERATED, tmp_path)
    assert error.value.code == "file_unwritable"
    assert (tmp_path / PATH).read_text() == "old"
    assert sorted(os.listdir(tmp_path / ".agents")) == ["hooks-scripts", "hooks.json"]


@pytest.mark.parametrize("path", ["/etc/x", "../x", "a/../../x", "a\\..\\x", ""])
def test_no_file_leaves_the_folder(tmp_path, path):
    with pytest.raises(HooksError) as error:
        write_files(Generated({path: "x"}, []), tmp_path)
    assert error.value.code == "path_invalid"


def changed(tmp_path, content):
    write_files(GENERATED, tmp_path)
    (tmp_path / PATH).write_bytes(content)
    [difference] = drift(GENERATED, tmp_path)
    return difference


def test_a_change_is_shown_as_a_diff(tmp_path):
    difference = changed(tmp_path, b'{\n  "g": {"enabled": false}\n}\n')
    assert difference.splitlines() == [
        "--- .agents/hooks.json (on disk)",
        "+++ .agents/hooks.json (generated)",
        "@@ -1,3 +1,3 @@",
        " {",
        '-  "g": {"enabled": false}',
        '+  "g": {}',
        " }",
    ]


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        (TEXT.replace("{}", "{} ").encode(), '-  "g": {}\\u{20}'),
        (TEXT.replace("\n", "\r\n").encode(), "-{\\u{d}"),
        (TEXT[:-1].encode(), "-}\\ no newline at end of file"),
        (TEXT.encode() + b"\n", "-"),
        (b"\xef\xbb\xbf" + TEXT.encode(), "-\\u{feff}{"),
        (TEXT.replace('"g"', '"g\u202e"').encode(), '-  "g\\u{202e}": {}'),
    ],
)
def test_white_space_counts_and_can_be_seen(tmp_path, content, shown):
    assert shown in changed(tmp_path, content).splitlines()


def test_missing_and_unreadable_files(tmp_path):
    assert drift(GENERATED, tmp_path) == [
        ".agents/hooks.json is missing",
        ".agents/hooks-scripts/gate.py is missing",
    ]
    assert changed(tmp_path, b"\xff") == ".agents/hooks.json is not UTF-8: byte 0"
    (tmp_path / PATH).unlink()
    (tmp_path / PATH).mkdir()
    [difference] = drift(GENERATED, tmp_path)
    assert difference == ".agents/hooks.json cannot be read: Is a directory"


def test_files_that_are_not_generated_are_not_looked_at(tmp_path):
    write_files(GENERATED, tmp_path)
    (tmp_path / ".agents" / "AGENTS.md").write_text("mine")
    assert drift(GENERATED, tmp_path) == []
