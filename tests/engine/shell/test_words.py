# ruff: noqa: E501  (tables)
"""What words become: quoting, expansion, splitting. Each row was checked against bash 5.2."""

import pytest

from policyc.engine.shell import shell_facts

TABLE = [
    ("a b  c", [["a", "b", "c"]]),
    ("a 'b c' \"d e\"", [["a", "b c", "d e"]]),
    ("r''m x", [["rm", "x"]]),
    (r"\rm \-rf", [["rm", "-rf"]]),
    ("r\"m\" 'x'y\"z\"", [["rm", "xyz"]]),
    ("a $'x\\ty' $'\\x41\\101\\u0042' $'it\\'s'", [["a", "x\ty", "AAB", "it's"]]),
    ('a $"x"', [["a", "x"]]),
    ('a "x\\"y\\$z\\q"', [["a", 'x"y$z\\q']]),
    ("a 'x\\'", [["a", "x\\"]]),
    ("a \\\nb", [["a", "b"]]),
    ('a "x\\\ny"', [["a", "xy"]]),
    ("r\\\nm x", [["rm", "x"]]),
    ("a '' \"\"", [["a", "", ""]]),
    ("a # b", [["a"]]),
    ("a b#c", [["a", "b#c"]]),
    ("a;b", [["a"], ["b"]]),
    ("a\nb\n\nc", [["a"], ["b"], ["c"]]),
    ("a&&b||c", [["a"], ["b"], ["c"]]),
    ("a&b", [["a"], ["b"]]),
    ("a|b|&c", [["a"], ["b"], ["c"]]),
    ("! a", [["a"]]),
    ("x=1 y=2 a", [["a"]]),
    ("x=1", []),
    ("x=1; a $x ${x}2 \"$x\" '$x'", [["a", "1", "12", "1", "$x"]]),
    ("x='a  b'; c $x \"$x\"", [["c", "a", "b", "a  b"]]),
    ("x=; a $x b \"$x\"", [["a", "b", ""]]),
    ("IFS=,; x=rm,-rf,y; $x", [["rm", "-rf", "y"]]),
    ("a=r;b=m;$a$b x", [["rm", "x"]]),
    ("rm$IFS-rf${IFS}x", [["rm", "-rf", "x"]]),
    ("x=rm; x+=dir; $x y", [["rmdir", "y"]]),
    ("x=abcdef; a ${x:1:2} ${x#ab} ${x%ef} ${x/cd/-} ${x^^} ${x: -2}", [["a", "bc", "cdef", "abcd", "ab-ef", "ABCDEF", "ef"]]),
    ("x=a.b.c; p ${x##*.} ${x%%.*} ${x#*.} ${x%.*}", [["p", "c", "a", "b.c", "a.b"]]),
    ("x=rm; y=x; ${!y} z", [["rm", "z"]]),
    ("x=; a ${x:-b} ${x:+c}", [["a", "b"]]),
    ("x=1; a ${x:-b} ${x:+c}", [["a", "1", "c"]]),
    ("x=(rm -rf y); ${x[@]}", [["rm", "-rf", "y"]]),
    ('x=(a "b c"); p "${x[@]}" ${x[1]} $x', [["p", "a", "b c", "b", "c", "a"]]),
    ('set -- a "b c"; p "$@" $1 "$2"', [["set", "--", "a", "b c"], ["p", "a", "b c", "a", "b c"]]),
    ('set -- rm x; "$@"', [["set", "--", "rm", "x"], ["rm", "x"]]),
    ("set -- a b c; shift; p $1", [["set", "--", "a", "b", "c"], ["shift"], ["p", "b"]]),
    ("{rm,-rf,x}", [["rm", "-rf", "x"]]),
    ("a x{1,2}y {1..3} {c..a} {01..03} {a} {a,b", [["a", "x1y", "x2y", "1", "2", "3", "c", "b", "a", "01", "02", "03", "{a}", "{a,b"]]),
    ("a {x,{y,z}w} '{p,q}' {a,'b c'}", [["a", "x", "yw", "zw", "{p,q}", "a", "b c"]]),
    ("a $(echo b c) \"$(echo d  e)\"", [["echo", "b", "c"], ["echo", "d", "e"], ["a", "b", "c", "d e"]]),
    ("`echo rm` x", [["echo", "rm"], ["rm", "x"]]),
    ("a `echo \\`echo b\\``", [["echo", "b"], ["echo", "b"], ["a", "b"]]),
    ("a $((1+2)) $((7))", [["a", None, "7"]]),
    ("a $(( $(b) + 1 ))", [["b"], [None], ["a", None]]),
    ("a $((b); c)", [["b"], ["c"], ["a", None]]),
    ("a ~ ~/x x~ '~'", [["a", "/home/u", "/home/u/x", "x~", "~"]]),
    ('a $HOME "$PWD/x"', [["a", "/home/u", "/w/repo/x"]]),
    ("cd sub; a $PWD ~+", [["cd", "sub"], ["a", "/w/repo/sub", "/w/repo/sub"]]),
    ("a $X", [["a", None]]),
    ('a "x$X" y', [["a", None, "y"]]),
    ("a ${X:-b} ${X/c/$(d)}", [["d"], ["a", None, None]]),
    ("a <(b) >(c)", [["b"], ["c"], ["a", "/dev/fd/63", "/dev/fd/63"]]),
    ("a *.txt [ab]c ?", [["a", "*.txt", "[ab]c", "?"]]),
    ("a = b", [["a", "=", "b"]]),
    ("[ -f x ] && a", [["[", "-f", "x", "]"], ["a"]]),
    ("[[ -f x && $y == a* || ( $z =~ ^(a|b)$ ) ]] && a", [["a"]]),
    ("((x=1, y<2)) && a", [["a"]]),
    ("a 1>x 2>&1 <y b >>z &>w >|v c", [["a", "b", "c"]]),
    (">x a b", [["a", "b"]]),
    ("a {fd}>x", [["a"]]),
    ("time -p a; time b", [["a"], ["b"]]),
    ("echo -e 'a\\nb' | c", [["echo", "-e", "a\\nb"], ["c"]]),
]  # fmt: skip


@pytest.mark.parametrize(("line", "expected"), TABLE, ids=[line for line, _ in TABLE])
def test_words(line, expected):
    facts = shell_facts(line, cwd="/w/repo", home="/home/u")
    assert [list(command.words) for command in facts.commands] == expected
    assert facts.unknown is None


COMPOUND = [
    ("(a; b)", "a b"),
    ("{ a; b; }", "a b"),
    ("if a; then b; elif c; then d; else e; fi", "a b c d e"),
    ("while a; do b; done", "a b"),
    ("until a; do b; done < x", "a b"),
    ("for x in 1 2; do a; done", "a a"),
    ("for x; do a; done", "a"),
    ("for ((i=0; i<3; i++)); do a; done", "a"),
    ("select x in 1; do a; done", "a"),
    ("case x in a|b) c;; (d) e;& *) f;; esac", "c e f"),
    ("case $(a) in *) b; esac", "a b"),
    ("f() { a; }; f", "a"),
    ("function f { a; }; f; f", "a a"),
    ("f() (a); f", "a"),
    ("f() { a; }; f", "a"),
    ("coproc a", "a"),
    ("coproc x { a; }", "a"),
    ("a <<E | b\n$(c)\nE\nd", "c a b d"),
    ("a <<'E'\n$(c)\nE\nd", "a d"),
    ("a <<-E\n\tx\n\tE\nd", "a d"),
    ("a <<X <<Y\n1\nX\n2\nY\nb", "a b"),
    ("a <<<$(b)", "b a"),
    ("x=$(a <<E\nb\nE\n); c", "a c"),
    ('a "$(b "$(c "d")")"', "c b a"),
    ('echo "${x:-$(a)}"', "a echo"),
    ("x=(1 $(a) \n 2); b", "a b"),
    ("if a\nthen\nb\nfi", "a b"),
    ("a; # comment ' \" (\nb", "a b"),
    ("[[ $(a) ]] ; b", "a b"),
    ("a && { b || c; } & d", "a b c d"),
    ("! { a; } | b", "a b"),
]


@pytest.mark.parametrize(("line", "programs"), COMPOUND, ids=[line for line, _ in COMPOUND])
def test_every_branch_counts(line, programs):
    facts = shell_facts(line, cwd="/w/repo", home="/home/u")
    assert " ".join(command.program or "?" for command in facts.commands) == programs
    assert facts.unknown is None


NOT_PARSABLE = [
    "'", '"', "$'", "`", "$(", "${", "$((", "(", "{", "if a", "if a; then b", "while a; do", "case x in", "case x in a", "a |", "a &&",
    ")", "fi", "done", "a (", "a ( b )", "<", "a >", "a > ;", ";", "a ;; b", "[[ a", "x=(", "f() ", "for", "for x in a; b", "}", "a | | b",
    "for 1 in a; do b; done", "a <(",
]  # fmt: skip


@pytest.mark.parametrize("line", NOT_PARSABLE)
def test_what_is_no_command_line_is_unknown(line):
    assert shell_facts(line, cwd="/w/repo").unknown is not None


def test_what_stands_before_a_fault_counts():
    facts = shell_facts("rm -rf x\nif (", cwd="/w")
    assert [command.program for command in facts.commands] == ["rm"]
    assert facts.unknown is not None


def test_an_argument_list_is_taken_as_it_is():
    facts = shell_facts(["rm", "a b", "$x", "*"], cwd="/w")
    assert facts.commands[0].words == ("rm", "a b", "$x", "*")
    assert facts.commands[0].deletes == ("/w/a b", "/w/$x", "/w/*")
    assert shell_facts([], cwd="/w").commands == ()


@pytest.mark.parametrize("command", [None, 1, {"a": 1}, ["a", 1], b"a"])
def test_what_is_no_command_at_all_is_unknown(command):
    assert shell_facts(command, cwd="/w").unknown is not None
