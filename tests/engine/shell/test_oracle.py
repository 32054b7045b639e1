# ruff: noqa: E501  (tables)
"""Facts against the real bash: what it would run is among the facts, word by word."""

import importlib.util
import pathlib

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from policyc.engine.shell import shell_facts
from policyc.engine.shell.fields import Dynamic

_spec = importlib.util.spec_from_file_location(
    "bash_oracle", pathlib.Path(__file__).with_name("bash_oracle.py")
)
bash_oracle = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(bash_oracle)

pytestmark = pytest.mark.skipif(bash_oracle.BASH is None, reason="needs bash")

PROGRAMS = ["alpha", "beta", "gamma"]
BUILTINS = {
    "set",
    "shift",
    "eval",
    "cd",
    "echo",
    "printf",
    "export",
    "read",
    ":",
    "true",
    "false",
    "[",
    "trap",
    "command",
}

_plain = st.sampled_from(["x", "-rf", "a.b", "--k=v", "1", "é", "y-z", "a=b", "%s", "@"])
_quoted = st.sampled_from(
    [
        "'b c'",
        '"d  e"',
        r"\f",
        "$'g\\th'",
        '""',
        "''",
        r"\ ",
        '"q\'r"',
        "'$v'",
        r'"\$v"',
        '"a\\b"',
        "a'b'\"c\"d",
        r"\\",
        "'*'",
        "\\\nz",
    ]
)
_expanded = st.sampled_from(
    ["$v", '"$v"', "${v}x", '"${w}"', "$w", "${v:-y}", "${v:+z}", "${v#p}", "${w%q}", "${v:1}", "$((1))", "$HOME", "~", "~/k", "${n:-$v}",
     "$(echo one two)", '"$(echo one  two)"', "`echo three`", "$(echo)", "x$(echo y)z", "${v/p/s}", "${v^^}", '"${v:-"a b"}"', "$1", '"$@"', "$*",
     "${arr[@]}", '"${arr[@]}"', "$unset_name"]
)  # fmt: skip
_braces = st.sampled_from(
    [
        "{a,b}",
        "{1..3}",
        "x{,y}",
        "{a,{b,c}d}",
        "{a}",
        "{,}",
        "p{'q r',s}",
        "{$v,t}",
        "{c..a}",
        "{02..04}",
        "a{b",
        "{a,b}{c,d}",
    ]
)
_word = st.one_of(_plain, _quoted, _expanded, _braces)
_program = st.sampled_from(
    [
        *PROGRAMS,
        "al''pha",
        '"beta"',
        r"\gamma",
        "$prog",
        "al${part}a",
        "{alpha,y}",
        "$(echo beta)",
        "$'\\x61lpha'",
    ]
)
_redirect = st.sampled_from(
    ["", "", "", " >out", " 2>&1", " >>out", " <in", " &>out", " 2>/dev/null", " <<<$v", " >|out"]
)
_simple = st.builds(
    lambda prefix, program, words, redirect: prefix + " ".join([program, *words]) + redirect,
    st.sampled_from(["", "", "", "v=t ", "n=1 w=2 ", "! "]),
    _program,
    st.lists(_word, max_size=4),
    _redirect,
)
_assignment = st.sampled_from(
    [
        "v=new",
        "w='two words'",
        "v=$v$v",
        "part=ph",
        "prog=gamma",
        "v=${v}x",
        "w=",
        "export v=e",
        "arr=(1 '2 3')",
        "set -- s 't u'",
        "v+=y",
    ]
)
_command = st.one_of(_simple, _simple, _simple, _assignment)


def _compound(inner):
    pair = st.tuples(inner, inner)
    return st.one_of(
        pair.map(lambda p: f"{p[0]}; {p[1]}"),
        pair.map(lambda p: f"{p[0]}\n{p[1]}"),
        pair.map(lambda p: f"{p[0]} && {p[1]}"),
        pair.map(lambda p: f"{p[0]} || {p[1]}"),
        pair.map(lambda p: f"{p[0]} | {p[1]}"),
        inner.map(lambda c: f"({c})"),
        inner.map(lambda c: f"{{ {c}\n}}"),
        pair.map(lambda p: f"if {p[0]}\nthen {p[1]}\nfi"),
        pair.map(lambda p: f"if {p[0]}\nthen :\nelse {p[1]}\nfi"),
        inner.map(lambda c: f"for v in a 'b c' $w; do {c}\ndone"),
        inner.map(lambda c: f"while read v; do {c}\ndone <<<'l m'"),
        inner.map(lambda c: f"case $v in p*) {c}\n;; *) alpha no;; esac"),
        inner.map(lambda c: f"f() {{ {c}\n}}\nf g 'h i'"),
        inner.map(lambda c: "eval '" + c.replace("'", "'\\''") + "'"),
        inner.map(lambda c: f"x=$({c}\n)"),
        inner.map(lambda c: f"alpha <<E\n$({c}\n)\nE"),
        inner.map(lambda c: f'alpha "$({c}\n)"'),
        inner.map(lambda c: f"command {c}" if c[:1] in "abg" and "arr" not in c[:4] else c),
    )


LINES = st.recursive(_command, _compound, max_leaves=5)
SETUP = "v=pv\nw='1 q'\npart=ph\nprog=alpha\narr=(k 'l m')\nset -- n o\n"


def covers(fields, words):
    """Whether a fact's fields, some of them not known, stand for these words."""
    if not fields:
        return not words
    first, rest = fields[0], fields[1:]
    if isinstance(first, Dynamic):
        counts = range(len(words) + 1) if first.splits else (1,)
        return any(count <= len(words) and covers(rest, words[count:]) for count in counts)
    if first == "":
        return bool(words) and words[0] == "" and covers(rest, words[1:])
    return bool(words) and words[0] == first and covers(rest, words[1:])


def check(line, folder):
    ran = bash_oracle.recorded(SETUP + line, folder)
    facts = shell_facts(SETUP + line, cwd=str(folder / "empty"), home="/home/u")
    for words in ran:
        assert any(covers(command.fields, words) for command in facts.commands) or facts.unknown, (
            words,
            facts.commands,
        )


@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
@given(line=LINES)
def test_what_bash_runs_is_among_the_facts(line, tmp_path_factory):
    check(line, tmp_path_factory.getbasetemp())


@pytest.mark.parametrize(
    "line",
    [
        "alpha {a,b}{c,d} x{1..3}y", "IFS=,; x=alpha,b,,c; $x", "alpha ${v:0:1} ${#v}", "for i in 1 2; do alpha $i; done; alpha $i",
        "cat() { alpha \"$@\"; }; cat b c", "v=alpha; ${v} x; \"$v\"", "alpha <<<x | beta", "if alpha; then beta; else gamma; fi",
        "echo 'alpha z' | while read l; do $l; done", "trap 'alpha bye' EXIT", "eval alpha \"'b c'\"", "read a b <<<'alpha z'; $a $b",
        "printf -v p '%s' alpha; $p y", "x=(alpha 'b c'); \"${x[@]}\"", "true & alpha", "a=al b=pha; $a$b x",
    ],
)  # fmt: skip
def test_what_bash_runs_in_these_is_among_the_facts(line, tmp_path):
    check(line, tmp_path)


def test_the_oracle_records(tmp_path):
    assert bash_oracle.recorded("alpha 'b c' $v; (beta)", tmp_path) == [["alpha", "b c"], ["beta"]]
