"""The globs that a list leaves out for a path do not cover it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policyc.engine.path_globs import Subject
from policyc.engine.path_lists import PathList
from policyc.engine.shell import shell_facts
from policyc.engine.shell.path_clause import PathTest, judge

names = st.sampled_from(
    ["etc", "Etc", "passwd", ".ssh", ".env", "w", "home", "u", "..", ".", "*.env", "[e]tc", "?x"]
)
paths = st.builds(
    lambda root, found: root + "/".join(found),
    st.sampled_from(["", "/", "~/", "./", "C:/"]),
    st.lists(names, min_size=1, max_size=4),
)
globs = st.builds(
    lambda root, found: root + "/".join(found),
    st.sampled_from(["", "/", "~/", "./", "**/", "~u/", "c:/"]),
    st.lists(
        st.sampled_from(["etc", "passwd", ".ssh", ".env", "*", "**", "w", "*.env", "?x", "home", "u"]),
        min_size=1,
        max_size=4,
    ),
)
systems = st.sampled_from([None, "linux", "darwin", "windows"])


@given(st.lists(globs, max_size=6), paths, systems, st.sampled_from([None, "/w", "/home/u"]))
def test_what_is_left_out_is_false(found, path, os, cwd):
    subject = Subject(path, os, cwd)
    near = PathList(found).near(subject)
    assert all(subject.judge(glob) is False for glob in found if glob not in near)


@given(
    st.lists(globs, min_size=1, max_size=6), paths, systems, st.sampled_from(["cat", "rm -r", "rm", "tee"])
)
def test_a_line_is_judged_by_each_glob(found, path, os, program):
    facts = shell_facts(f"{program} {path}", cwd="/w", os=os)
    for command in facts.commands:
        for file in (*command.reads, *command.writes, *command.deletes):
            if file is not None:
                subject = Subject(str(file), os, "/w")
                answers = [judge(glob, file, subject, facts.place, False) for glob in found]
                answer = PathTest(found, "").covered(file, facts, False)
                # A pattern's text may overlap where its names do not: then the list knows more.
                assert answer is any_of(answers) or (answer is False and True not in answers)


def any_of(answers):
    return True if True in answers else None if None in answers else False


@pytest.mark.parametrize(
    ("path", "near"), [("/w/.env", ["**/.env"]), ("/w/x.pem", []), ("/w/etc/x", ["/etc/**"])]
)
def test_a_name_finds_its_globs(path, near):
    found = PathList(["/etc/**", "**/.env", "~/.ssh/**", "*.key"]).near(Subject(path, "linux", "/w"))
    assert found == ["*.key", *near]
