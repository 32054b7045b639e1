# ruff: noqa: E501  (tables)
"""Lines that set up, check or copy: what they run is known, and nothing else is taken to run. ``?`` is not known."""

import pytest

from policyc.engine.shell import matches, shell_facts

TABLE = [
    # a script that was there before
    ("chmod +x s && ./s", "chmod s"), ("touch s; sh s", "touch sh"), ("cp s t; ./t", "cp t"), ("mv s t && bash t", "mv bash"), ("cp s t; sed -i s/a/b/ t; ./t", "cp sed t ?"),
    ("curl -o s u; chmod +x s; ./s", "curl chmod s ?"), ("curl -o s u; cp s t; ./t", "curl cp t ?"), ("cp s t; curl -o t u; ./t", "cp curl t ?"), ("curl u | cp /dev/stdin t; ./t", "curl cp t ?"), ("cp <(curl u) t; ./t", "curl cp t ?"),
    ("echo ls > s; curl -o s u; sh s", "echo curl sh ?"), ("curl -o s u || echo ls > s; sh s", "curl echo sh ?"), ("curl -o s u; a && echo ls > s; sh s", "curl a echo sh ?"), ("echo ls > s && sh s", "echo sh ls"),
    ("if a; then echo 'shred k' > s; else echo ls > s; fi; sh s", "a echo echo sh ?"), ("echo ls > s && echo pwd >> s && sh s", "echo echo sh ls pwd"),
    # programs that print what sets up a shell
    *[(f'eval "$({printer})"', f"{printer.split()[0]} eval") for printer in (
        "ssh-agent -s", "pyenv init -", "pyenv init - bash", "direnv hook bash", "brew shellenv", "rbenv init -", "fnm env --use-on-cd", "opam env", "conda shell.bash hook", "starship init bash",
        "zoxide init bash", "dircolors -b", "minikube docker-env", "minikube -p x docker-env", "mise activate bash")],
    ("eval $(ssh-agent) && ssh-add k", "ssh-agent eval ssh-add"), ("source <(kubectl completion bash)", "kubectl source"), ("eval \"$(/opt/homebrew/bin/brew shellenv)\"", "brew eval"), ("eval \"$(~/.pyenv/bin/pyenv init -)\"", "pyenv eval"),
    ("o=$(getopt -o ab -- \"$@\"); eval set -- \"$o\"", "getopt eval"),
    ("eval \"$(./brew shellenv)\"", "brew eval ?"), ("eval \"$(/tmp/brew shellenv)\"", "brew eval ?"), ("eval \"$(/opt/../tmp/brew shellenv)\"", "brew eval ?"), ("eval \"$(brew install x)\"", "brew eval ?"), ("eval \"$(brew shellenv; curl u)\"", "brew curl eval ?"),
    ("eval \"x $(brew shellenv)\"", "brew eval x ?"), ("eval \"$(brew shellenv | sed s/a/b/)\"", "brew sed eval ?"), ("brew() { curl u; }; eval \"$(brew shellenv)\"", "curl eval ?"), ("eval \"$(ssh-agent sh -c 'shred k')\"", "ssh-agent sh shred eval ?"),
    # code that is only read, and input that is no code
    ("bash -n s", "bash"), ("bash -n -c 'shred k'", "bash"), ("echo 'shred k' | sh -n", "echo sh"), ("bash -en s", "bash"), ("bash s -n", "bash"), ("bash -c 'shred k' -n", "bash shred"), ("bash -in <<< 'shred k'", "bash shred"),
    ("curl u | bash -c 'echo a'", "curl bash echo"), ("ls | xargs sh -c 'echo a'", "ls xargs sh echo"), ("curl u | bash -c 'bash'", "curl bash bash ?"), ("curl u | sh -c 'eval \"$(cat)\"'", "curl sh cat eval ?"),
    # what is left of a text
    ("c='shred kx'; bash -c \"${c%x}\"", "bash shred"), ("c='ls; shred k'; bash -c \"${c%%;*}\"", "bash ls"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "programs"), TABLE, ids=[line for line, _ in TABLE])
def test_setting_up(line, programs):
    facts = shell_facts(line, cwd="/w/repo", home="/home/u")
    assert " ".join(command.program or "?" for command in facts.commands) == programs


@pytest.mark.parametrize(
    ("line", "reached"),
    [
        ("curl u | bash -c 'echo a'", False),
        ("curl u | xargs sh -c 'echo a'", False),
        ("curl u | bash -n", False),
        ("curl u | bash", True),
        ("curl u | bash -c 'sh'", True),
        ("curl u | xargs -I{} sh -c '{}'", True),
        ("curl u | bash -s -- -n", True),
        ('bash -c "$(curl u)"', True),
    ],
)
def test_a_shell_with_code_of_its_own_takes_none_from_a_pipe(line, reached):
    facts = shell_facts(line, cwd="/w")
    assert matches({"program": "curl", "pipes_to": ["sh", "bash"]}, facts, "any") is reached


@pytest.mark.parametrize(
    ("line", "deleted"),
    [
        ('t=$(mktemp -d); rm -rf "$t"', "/tmp/**"),
        ('t=$(mktemp -d -t x.XXXXXX); rm -rf "$t"', "/tmp/**"),
        ('t=`mktemp`; rm -f "$t"', "/tmp/**"),
        ("t=$(mktemp -d); cd $t; rm -rf x", "/tmp/**"),
        ('t=$(mktemp -p /data x.XXXX); rm "$t"', "/data/**"),
        ('t=$(mktemp --tmpdir=/data); rm "$t"', "/data/**"),
        ('t=$(mktemp ./x.XXXX.sh); rm "$t"', "/w/repo/**"),
        ("rm -rf '/et?'", "/et?/**"),
        ("(cd /tmp); rm -rf child", "/w/repo/child/**"),
    ],
)
def test_what_is_deleted_is_known(line, deleted):
    facts = shell_facts(line, cwd="/w/repo", home="/home/u")
    assert matches({"program": "rm", "deletes": deleted}, facts, "any") is True
    assert matches({"deletes": ["**", f"!{deleted}"]}, facts, "any") is False


def test_a_quoted_pattern_is_the_name_of_a_file():
    for line in ("rm -rf '/et?'", 'mv "/et?" /srv', "cat '/et?/shadow'"):
        for key in ("deletes", "reads", "writes"):
            assert matches({key: "/etc/**"}, shell_facts(line, cwd="/w"), "any") is False


def test_temporary_files_are_not_one_another():
    line = 'a=$(mktemp); curl u > "$a"; b=$(mktemp); echo ls > "$b"; sh "$b"; sh "$a"'
    programs = [command.program for command in shell_facts(line, cwd="/w").commands]
    assert programs == ["mktemp", "curl", "mktemp", "echo", "sh", "ls", "sh", None]


@pytest.mark.parametrize(
    "line",
    [
        't=$(mktemp -d); rm -rf "$t/../../etc"',
        "t=$(mktemp -d); cd $t; rm -rf ../../etc",
        "t=$(mktemp -d); cd $t; cd ..; rm -rf etc",
    ],
)
def test_what_lies_above_the_folder_for_temporary_files_is_not_known(line):
    assert matches({"program": "rm", "deletes": "/etc/**"}, shell_facts(line, cwd="/w"), "any") is None
