import os

import pytest

from policyc.files import replace_files


def test_files_are_replaced_together_and_keep_their_mode(tmp_path):
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_text("1")
    old.chmod(0o640)
    replace_files({old: b"2", new: b"3"}, mode=0o600)
    assert (old.read_bytes(), new.read_bytes()) == (b"2", b"3")
    assert (old.stat().st_mode & 0o777, new.stat().st_mode & 0o777) == (0o640, 0o600)
    assert sorted(tmp_path.iterdir()) == [new, old]


def test_a_link_is_followed(tmp_path):
    (tmp_path / "real").write_text("1")
    (tmp_path / "link").symlink_to("real")
    replace_files({tmp_path / "link": b"2"})
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"2"


def test_what_is_no_regular_file_stays(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for place in (tmp_path / "pipe", tmp_path):
        with pytest.raises(OSError, match="no regular file"):
            replace_files({place: b""})
    assert (tmp_path / "pipe").is_fifo()


def test_when_one_cannot_be_written_none_is(tmp_path):
    first = tmp_path / "first"
    first.write_text("1")
    with pytest.raises(FileNotFoundError):
        replace_files({first: b"2", tmp_path / "no/such/folder": b"3"})
    assert first.read_text() == "1"
    assert list(tmp_path.iterdir()) == [first]
