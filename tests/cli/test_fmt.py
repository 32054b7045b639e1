from __future__ import annotations

import os
import stat

import pytest

BAD = "rules:\n- {verdict: allow,  priority: 1}  # why\n"
GOOD = "rules:\n  - {priority: 1, verdict: allow}  # why\n"


def test_files_are_written_in_one_step_and_keep_their_mode(policyc, tmp_path):
    (tmp_path / "p.yaml").write_text(BAD)
    (tmp_path / "p.yaml").chmod(0o640)
    os.symlink("p.yaml", tmp_path / "link.yaml")
    answer = policyc("fmt", "link.yaml")
    assert (answer.code, answer.out) == (0, "formatted: link.yaml\n1 file formatted, 0 left as they are\n")
    assert (tmp_path / "p.yaml").read_text() == GOOD
    assert stat.S_IMODE((tmp_path / "p.yaml").stat().st_mode) == 0o640
    assert (tmp_path / "link.yaml").is_symlink()
    before = (tmp_path / "p.yaml").stat().st_ino
    assert policyc("fmt", "p.yaml").out == "0 files formatted, 1 left as they are\n"
    assert (tmp_path / "p.yaml").stat().st_ino == before
    assert sorted(os.listdir(tmp_path)) == ["link.yaml", "p.yaml"]


def test_check_names_the_files_and_writes_nothing(policyc, tmp_path):
    (tmp_path / "p.yaml").write_text(BAD)
    answer = policyc("fmt", "--check", "p.yaml")
    assert answer.code == 1
    assert answer.out == "would be formatted: p.yaml\n1 file would be formatted, 0 left as they are\n"
    assert (tmp_path / "p.yaml").read_text() == BAD
    assert policyc("fmt", "--check", "--format", "json", "p.yaml").json["files"][0]["changed"] is True


def test_diff_is_unified_and_writes_nothing(policyc, tmp_path):
    (tmp_path / "p.yaml").write_text(BAD)
    answer = policyc("fmt", "--diff", "p.yaml")
    assert answer.code == 0
    assert answer.out.splitlines() == [
        "--- a/p.yaml",
        "+++ b/p.yaml",
        "@@ -1,2 +1,2 @@",
        " rules:",
        "-- {verdict: allow,  priority: 1}  # why",
        "+  - {priority: 1, verdict: allow}  # why",
    ]
    assert (tmp_path / "p.yaml").read_text() == BAD
    assert policyc("fmt", "--diff", "--check", "p.yaml").code == 1


@pytest.mark.usefixtures("bundle")
def test_a_folder_is_its_bundles(policyc, tmp_path):
    (tmp_path / "workflow.yaml").write_text("a:   1\n")
    (tmp_path / "pay/policies/deep").mkdir()
    (tmp_path / "pay/policies/deep/more.yaml").write_text(BAD)
    (tmp_path / "pay/.hidden.yaml").write_text("a:   1\n")
    answer = policyc("fmt")
    assert "formatted: pay/policies/deep/more.yaml\n" in answer.out
    assert (tmp_path / "workflow.yaml").read_text() == "a:   1\n"
    empty = tmp_path / "empty"
    empty.mkdir()
    assert "error[no_sources]" in policyc("fmt", "empty").err
    assert policyc("fmt", "empty").code == 2
    assert policyc("fmt", "nowhere.yaml").code == 2


def test_a_stream_passes_through(policyc):
    assert policyc("fmt", "-", stdin=BAD).out == GOOD
    assert policyc("fmt", "-", "--check", stdin=BAD).code == 1
    assert policyc("fmt", "-", stdin='{"rules": [ ]}').out == '{"rules": [ ]}'
    assert policyc("fmt", "-", "other.yaml", stdin=BAD).code == 2


def test_what_cannot_be_read_is_said_as_ever_and_stays(policyc, tmp_path):
    (tmp_path / "p.yaml").write_text("rules: [\n")
    (tmp_path / "q.yaml").write_text(BAD)
    answer = policyc("fmt", "p.yaml", "q.yaml")
    assert answer.code == 1
    assert "p.yaml:2:1: error[syntax_error]" in answer.err
    assert (tmp_path / "p.yaml").read_text() == "rules: [\n"
    assert (tmp_path / "q.yaml").read_text() == GOOD
    broken = policyc("fmt", "-", stdin="rules: [\n")
    assert (broken.code, broken.out) == (1, "")


def test_a_file_that_would_lose_something_stays(policyc, tmp_path):
    text = "? - a\n  - b\n: 1\n"
    (tmp_path / "p.yaml").write_text(text)
    assert policyc("fmt", "p.yaml").code == 1
    assert (tmp_path / "p.yaml").read_text() == text


def test_what_init_writes_is_in_the_form(policyc):
    policyc("init", "guard")
    policyc("init", "level", "--autonomy", "tight")
    assert policyc("fmt", "--check").code == 0
