# ruff: noqa: E501  (tables)
"""Laws: never raises, linear, and wrapping a command hides none of it."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from policyc.engine.shell import check, matches, shell_facts

PIECES = ["rm", "-rf", "x", " ", "\n", ";", "&", "|", "<", ">", "(", ")", "{", "}", "$", "`", "'", '"', "\\", "#", "~", "*", "?", "[", "]", "=",
          "$(", "${", "$((", "<<E\n", "<<<", "E\n", "if ", "then ", "fi", "for ", "in ", "do ", "done", "case ", "esac", ";;", "a=b ", "eval ",
          "sh -c ", "xargs ", "find . -exec ", "\\;", "{a,b}", "{1..9}", "$@", "\0", "é", "\ud800", "!", "[[ ", " ]]", "((", "))", "function f", "f()",
          "a[", "]=", "$[", "${x@P}", "${!x}", "[[ -v ", " -eq ", "declare -n r=", "declare -l ", "local ", "let ", "printf -v ", "read ", "unset ", "mapfile -C ", "exec ", "<>(",
          "<<<", "PS4=", "BASH_ENV=", "env -i ", "x=", "cp a b;", "mktemp ", "bash -n "]  # fmt: skip

lines = st.one_of(st.text(max_size=60), st.lists(st.sampled_from(PIECES), max_size=30).map("".join))


def everything(facts):
    for command in facts.commands:
        assert command.program is None or isinstance(command.program, str)
        for value in (
            command.words,
            command.args,
            command.operands,
            command.reads,
            command.writes,
            command.deletes,
            command.pipes_to,
        ):
            assert all(item is None or isinstance(item, str) for item in value)
        assert all(isinstance(flag, str) for flag in command.flags)
        assert set(command.dynamic) <= {"program", "operand", "code", "path"}


@settings(max_examples=300, deadline=None)
@given(
    line=lines,
    cwd=st.sampled_from([None, "/w", "C:\\w", ""]),
    home=st.sampled_from([None, "/home/u"]),
    os=st.sampled_from([None, "linux", "darwin", "windows"]),
)
def test_nothing_raises(line, cwd, home, os):
    facts = shell_facts(line, cwd=cwd, home=home, os=os)
    everything(facts)
    for value in (
        {"program": "rm"},
        {"deletes": ["/**", "!./**"], "any_flag": "-r"},
        {"code": "x"},
        {"operand": "*", "reads": "~/.ssh/**"},
    ):
        assert check(value) is None
        for match in ("any", "all"):
            assert matches(value, facts, match) in (True, False, None)


@settings(max_examples=100, deadline=None)
@given(words=st.lists(st.text(max_size=12), max_size=6))
def test_nothing_raises_on_an_argument_list(words):
    everything(shell_facts(words, cwd="/w"))


GROWING = {
    "single quotes": lambda n: "'a'" * n,
    "open quotes": lambda n: '"' * (2 * n + 1),
    "nested substitutions": lambda n: "$(" * n,
    "closed substitutions": lambda n: "$(a " * n + ")" * n,
    "nested arithmetic": lambda n: "$((" * n,
    "arithmetic that is none": lambda n: "$((a) b)" * n,
    "backquotes": lambda n: "`" * n,
    "backslashes": lambda n: "\\" * n,
    "escaped backquotes": lambda n: "`\\`" * n,
    "parentheses": lambda n: "(" * n,
    "groups": lambda n: "{ " * n,
    "braces": lambda n: "a {" + "{," * n,
    "braces that multiply": lambda n: "a " + "{a,b}" * n,
    "braces that nest": lambda n: "a " + "{a," * n + "b" + "}" * n,
    "ranges": lambda n: "a {1..999999999}" * n,
    "parameters": lambda n: "${x:-" * n,
    "heredocs": lambda n: "a <<E\n" * n,
    "heredocs on one line": lambda n: "a" + " <<E" * n + "\n" + "x\n" * n,
    "pipes": lambda n: "a|" * n + "a",
    "and": lambda n: "a&&" * n + "a",
    "ifs": lambda n: "if " * n,
    "loops": lambda n: "for x in 1 2 3 4 5 6 7 8; do " * n + "a; " + "done; " * n,
    "functions": lambda n: "".join(f"f{k}() {{ f{k + 1}; f{k + 1}; }}; " for k in range(n)) + "f0",
    "recursion": lambda n: "f() { f x; f y; }; " + "f;" * n,
    "doubling": lambda n: "a=xx;" + "a=$a$a;" * n + "b $a",
    "repeating": lambda n: "a=" + "x" * n + "; b " + "$a" * n,
    "assignments": lambda n: "".join(f"a{k}={k};" for k in range(n)) + "b && c " * 5,
    "assignments and branches": lambda n: "".join(f"a{k}={k} && " for k in range(n)) + "b",
    "eval": lambda n: "eval " * n + "a",
    "sh -c": lambda n: "sh -c " * n + "a",
    "wrappers": lambda n: "sudo nice env " * n + "a",
    "xargs": lambda n: "xargs " * n + "rm",
    "find": lambda n: "find . -exec " * n + "rm \\;",
    "options": lambda n: "rm -" + "r" * n,
    "many options": lambda n: "rm " + "-rf " * n,
    "long options": lambda n: "git push " + "--f=x " * n,
    "operands": lambda n: "rm " + "x/../y " * n,
    "path parts": lambda n: "rm " + "../" * n,
    "globs": lambda n: "rm " + "*?" * n,
    "separators": lambda n: "IFS=,; a='" + ", " * n + "'; b $a",
    "code": lambda n: "python -c '" + "open(" * n + "'",
    "calls in code": lambda n: "python -c '" + 'system("a")' * n + "'",
    "lists in code": lambda n: "python -c '" + '["a",' * n + "'",
    "blanks in code": lambda n: "python -c 'system" + " " * n + "'",
    "scripts": lambda n: "echo 'sh s; sh s' > s; " + "sh s; " * n,
    "continued lines": lambda n: "\\\n" * n,
    "blank lines": lambda n: "\n" * n,
    "comments": lambda n: "#\n" * n,
    "tildes": lambda n: "~" * n,
    "assigned arithmetic": lambda n: "((" + "x=1," * n + "1))",
    "spaces in arithmetic": lambda n: "((x" + " " * n + "))",
    "functions that nothing calls": lambda n: "".join(f"f{k}() {{ f{k + 1}; }}; " for k in range(n)) + ". ./x",
    "xargs with quotes": lambda n: "xargs -n1 rm <<< '" + '"' * n + "'",
    "xargs with many options": lambda n: "xargs -" + "0" * n + " rm",
    "quoting in code": lambda n: "perl -e '" + "qx(" * n + "'",
    "joined constants": lambda n: "python -c '" + '"a" + ' * n + "'",
    "homes in code": lambda n: "ruby -e '" + '#{ENV["HOME"]' * n + "'",
    "parts of parallel": lambda n: "parallel rm " + "{1" * n + " ::: a",
    "temporary folders": lambda n: "rm " + "$TMPDIR/x " * n,
    "printf": lambda n: "printf '%s%s' " + "a " * n + "| sh",
    "open brackets": lambda n: "[" * n,
    "closed brackets": lambda n: "a " + "[]" * n,
    "subscripts": lambda n: "a[1 2]=3 " * n,
    "subscripts in subscripts": lambda n: "a[" * n + "]" * n + "=1",
    "substitutions in subscripts": lambda n: "a[$(" * n + "b" + ")]=1" * n,
    "old arithmetic": lambda n: "a " + "$[1]" * n,
    "elements": lambda n: "a=(" + "[x]=y " * n + ");" + "((a));" * n,
    "names in values": lambda n: "x='" + "y z " * n + "'; " + "((x));" * n,
    "a value in its own subscript": lambda n: "x='a[$x]';" + "((x));" * n,
    "prompts": lambda n: "x='$(a)'; b " + "${x@P}" * n,
    "attributes": lambda n: "".join(f"declare -l a{k}=B && " for k in range(n)) + "b",
    "locals": lambda n: "f() { " + "".join(f"local a{k}=1; " for k in range(n)) + "}; " + "f; " * n,
    "files that may be written": lambda n: "".join(f"echo a > s{k} || " for k in range(n)) + "b",
    "copies": lambda n: "".join(f"cp s{k} s{k + 1}; " for k in range(n)) + "./s",
    "environments": lambda n: "a=1; " + "env -i " * n + "b",
    "trailing pipes into sh": lambda n: "echo 'echo a' | sh | " * n + "sh",
}  # fmt: skip


@pytest.mark.parametrize("name", GROWING)
def test_time_is_linear(name):
    for size in (50, 5000):
        line = GROWING[name](size)[:60_000]
        start = time.process_time()
        facts = shell_facts(line, cwd="/w/repo", home="/home/u")
        for value in (
            {"deletes": ["**/x/**", "/a*/b*/c*"]},
            {"any_flag": "-x*", "operand": "*a*b*c"},
            {"code": "(a|b)*c"},
            {"reads": "~/.ssh/**"},
        ):
            matches(value, facts)
        assert time.process_time() - start < 1.5


def test_a_redirect_before_a_parenthesis_ends():
    for line in ("a <>(b)", "a <>(", "a >>(b)", "<>("):
        assert shell_facts(line, cwd="/w").unknown is not None


def test_a_line_beyond_the_bounds_is_unknown():
    assert shell_facts("a " * 40_000, cwd="/w").unknown is not None
    assert shell_facts("a;" * 2_000, cwd="/w").unknown is not None
    assert shell_facts("$(" * 40 + "a" + ")" * 40, cwd="/w").unknown is not None
    assert shell_facts("a " + "{b,c}" * 12, cwd="/w").unknown is not None


# Wrapping ---------------------------------------------------------------------------------------------


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


WRAPPINGS = [
    lambda line: f"sh -c {quoted(line)}",
    lambda line: f"bash -lc {quoted(line)}",
    lambda line: f"eval {quoted(line)}",
    lambda line: f"bash <<'E{len(line)}'\n{line}\nE{len(line)}",
    lambda line: f"bash <<< {quoted(line)}",
    lambda line: f"echo {quoted(line)} | sh",
    lambda line: f"printf '%s\\n' {quoted(line)} | sudo bash",
    lambda line: f"x=$({line}\n)",
    lambda line: f'echo "$({line}\n)"',
    lambda line: f"cat <({line}\n)",
    lambda line: f"({line}\n)",
    lambda line: f"{{ {line}\n}}",
    lambda line: f"true && {{ {line}\n}}",
    lambda line: f"ls | {{ {line}\n}}",
    lambda line: f"{{ {line}\n}} | cat",
    lambda line: f"if true; then {line}\nfi",
    lambda line: f"while sleep 1; do {line}\ndone",
    lambda line: f"f() {{ {line}\n}}; f",
    lambda line: f"f() {{ {line}\n}}; export -f f",
    lambda line: f"cd . && {{ {line}\n}}",
    lambda line: f"{{ {line}\n}} &",
    lambda line: f"trap {quoted(line)} EXIT",
    lambda line: f"echo {quoted(line)} > run.sh; sh run.sh",
    lambda line: f"cat > run.sh <<'E{len(line)}'\n{line}\nE{len(line)}\nchmod +x run.sh && ./run.sh",
    lambda line: f"source /dev/stdin <<< {quoted(line)}",
    lambda line: f"watch -n 1 {quoted(line)}",
    lambda line: f"su -c {quoted(line)} root",
    lambda line: f"docker exec box sh -c {quoted(line)}",
    lambda line: f"find . -maxdepth 0 -exec sh -c {quoted(line)} \\;",
    lambda line: f"timeout 5 sh -c {quoted(line)}",
    lambda line: f"xargs -I%{len(line)}% sh -c {quoted(line)}",
]
FIRST = ["", "! ", "X=1 ", "X=1 y=$Z >out "]
PREFIXES = ["env X=1 ", "sudo -u root ", "nohup ", "time ", "nice -n 5 ", "command ", "exec ", "timeout -k 1 5 ", "stdbuf -oL ",
            "setsid ", "busybox ", "env -i ", "doas ", "ionice -c 3 ", "builtin ", "chroot /mnt ", "xargs "]  # fmt: skip
COMMANDS = st.sampled_from(
    [("rm", "-rf", "/w/other"), ("git", "push", "--force", "origin", "main"), ("dd", "if=/dev/zero", "of=/dev/sda"), ("chmod", "-R", "777", "/etc"),
     ("curl", "-o", "x", "https://e.example"), ("find", "/x", "-delete"), ("kubectl", "delete", "ns", "a b")]
)  # fmt: skip


def spelled(words, style):
    if style == 0:
        return " ".join(word if word.replace("-", "a").isalnum() else quoted(word) for word in words)
    if style == 1:
        return " ".join(quoted(word) for word in words)
    if style == 2:
        return " ".join("".join("\\" + char for char in word) for word in words)
    return f"a={quoted(words[0])}; $a " + " ".join('"' + word + '"' for word in words[1:])


def has(facts, words):
    plain = shell_facts(list(words), cwd="/w/repo", home="/home/u").commands[0]
    return any(
        command.program == plain.program
        and plain.flags <= command.flags
        and set(plain.operands) <= set(command.operands)
        for command in facts.commands
    )


@settings(max_examples=250, deadline=None)
@given(
    words=COMMANDS,
    style=st.integers(0, 3),
    first=st.sampled_from(FIRST),
    prefixes=st.lists(st.sampled_from(PREFIXES), max_size=2),
    wrappings=st.lists(st.sampled_from(WRAPPINGS), max_size=3),
)
def test_wrapping_hides_nothing(words, style, first, prefixes, wrappings):
    line = spelled(words, style)
    if style != 3:
        line = first + "".join(prefixes) + line
    for wrapping in wrappings:
        line = wrapping(line)
    facts = shell_facts(line, cwd="/w/repo", home="/home/u")
    assert has(facts, words), line
