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
     "${arr[@]}", '"${arr[@]}"', "$unset_name", "${n-z}", "${v-y}", "${unset_name-$w}", "${v+q}", "$((n + 1))", "${arr[1]}", "${arr[n]}", "${#arr[@]}", "${!r}", "${r}",
     "${w%%*q}", "${v@U}"]
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
        "declare -l prog=BETA",
        "declare -u v",
        "declare -n r=prog",
        "r=v",
        "unset v",
        "unset n",
        "unset prog part",
        "arr[1]=z",
        "arr+=(q)",
        "n=$((n + 1))",
        "typeset -i n=2",
        "let n=3",
        "local v=loc",
        "local prog=gamma w",
        "export prog=beta",
        "printf -v v %s t",
        "read v w <<<'r s'",
        "unset 'arr[0]'",
        "declare -A m=([k]=1)",
        "read prog",
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
        pair.map(lambda p: f"f() {{ local v=in prog=beta; {p[0]}\n}}; f; {p[1]}"),
        pair.map(lambda p: f"f() {{ g; {p[0]}\n}}; g() {{ {p[1]}\n}}; f"),
        inner.map(lambda c: "mapfile -c 1 -C '" + c.replace("'", "'\\''") + "' y <<<z"),
        inner.map(lambda c: ": ${y[0$(" + c + "\n)]}"),
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


HIDDEN = [
    "a[$(alpha x >/dev/null)0]=1", "a[`alpha x >/dev/null`0]+=1", "a[0]=$(alpha x)", "a[b[$(alpha x >/dev/null)0]]=1", "y='a[0$(alpha x >/dev/null)]'; a[y]=1",
    "y='a[0$(alpha x >/dev/null)]'; b=([y]=1)", ": ${a[$(alpha x >/dev/null)0]}", "y='a[0$(alpha x >/dev/null)]'; : ${b[y]}", ": $((a[0$(alpha x >/dev/null)]))", ": $[ 0$(alpha x >/dev/null) ]",
    "y='a[0$(alpha x >/dev/null)]'; : $((y))", "y='a[0$(alpha x >/dev/null)]'; z=y; ((z + 1))", "y='a[0$(alpha x >/dev/null)]'; : ${!y}", "y='a[0$(alpha x >/dev/null)]'; z=abc; : ${z:y}", "y=(0 'a[0$(alpha x >/dev/null)]'); ((y[1]))",
    "test -v 'a[0$(alpha x >/dev/null)]'", "[[ -v 'a[0$(alpha x >/dev/null)]' ]]", "[[ 'a[0$(alpha x >/dev/null)]' -eq 0 ]]", "printf -v 'a[0$(alpha x >/dev/null)]' y", "read 'a[0$(alpha x >/dev/null)]' <<<y",
    "declare 'a[0$(alpha x >/dev/null)]=1'", "f() { local 'a[0$(alpha x >/dev/null)]=1'; }; f", "let 'a[0$(alpha x >/dev/null)]=1'", "a=1; unset 'a[0$(alpha x >/dev/null)]'", "declare -i n; n='a[0$(alpha x >/dev/null)]'", "declare -n r='a[0$(alpha x >/dev/null)]'; : $r",
    "y='$(alpha x)'; : \"${y@P}\"", "PS4='$(alpha x)'; set -x; :", "mapfile -C 'alpha x' -c 1 a <<<y", "compgen -C 'alpha x'", "compgen -W '$(alpha x)'", "trap 'alpha x' DEBUG; :",
    "declare -l p=ALPHA; \"$p\" x", "declare -l p; p=ALPHA; \"$p\" x", "typeset -l p; read p <<<ALPHA; $p x", "declare -n r=p; r=alpha; $p x", "declare -l p; f() { local p=A; }; f; p=ALPHA; $p x",
    "p=alpha; f() { local p=beta; }; f; $p x", "p=beta; f() { local p=alpha; $p x; }; f; $p y", "f() { local p=alpha; g; }; g() { $p x; }; f", "f() { declare -g p=alpha; }; f; $p x", "p=beta; f() { (local p=1); p=alpha; }; f; $p x",
    "f() { local p=$(echo alpha x); $p; }; f", "unset u; eval \"${u-alpha x}\"", "u=; eval \"${u-beta}\"; alpha", "set --; eval \"${1-alpha x}\"", "unset u; alpha ${u+x} ${u-y}",
    "exec {d}<<<'alpha x'; source /dev/fd/$d; alpha x", "exec 5<<<'alpha x'; source /dev/fd/5; alpha x", "echo 'beta' >s; echo 'alpha x' >s; source ./s", "c='alpha xy'; eval \"${c%y}\"", "o='-a b'; eval set -- \"$o\"; alpha \"$@\"",
    "(cd /); alpha $PWD", "alpha '/et?' \"/*\"", "alpha >/dev/null | beta", "[[ $(alpha x >/dev/null) -eq 0 ]]", "a[1 + 2]=3; alpha ${a[3]}", "declare -a a=(alpha x); \"${a[@]}\"", "declare -A m=([k]=1); alpha x",
]  # fmt: skip


@pytest.mark.parametrize("line", HIDDEN)
def test_code_in_what_looks_like_data_is_among_the_facts(line, tmp_path):
    ran = bash_oracle.recorded(SETUP + line, tmp_path)
    facts = shell_facts(SETUP + line, cwd=str(tmp_path / "empty"), home="/home/u")
    assert ran, "bash runs something here"
    for words in ran:
        named = [command.fields for command in facts.commands if command.program is not None]
        assert any(covers(fields, words) for fields in named), (words, facts.commands)


def test_the_oracle_records(tmp_path):
    assert bash_oracle.recorded("alpha 'b c' $v; (beta)", tmp_path) == [["alpha", "b c"], ["beta"]]
