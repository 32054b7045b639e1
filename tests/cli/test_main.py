"""The whole program as a process: what a shell sees."""

import json
import os
import subprocess
import sys

import pytest

from policyc.cli import COMMANDS


def run(*arguments, stdin=None, **environment):
    return subprocess.run(
        [sys.executable, "-m", "policyc", *arguments],
        input=stdin,
        capture_output=True,
        env=os.environ | environment,
        check=False,
    )


def test_help_lists_every_command():
    text = run("--help").stdout.decode()
    for name in COMMANDS:
        assert f"\n  {name} " in text


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(policyc, name):
    answer = policyc(name, "--help")
    assert answer.code == 0
    assert answer.out.startswith("Usage:")


def test_version():
    assert run("--version").stdout.startswith(b"policyc, version ")


def test_unknown_commands_are_used_wrongly():
    assert run("evaluate").returncode == 2


def test_what_is_not_ascii_passes_through_a_plain_terminal(bundle, tmp_path):
    call = json.dumps({"tool": "payment.é", "args": {"note": "\ud83d\ude00 日本"}}, ensure_ascii=False)
    answer = run(
        "eval",
        str(tmp_path / bundle),
        "--calls",
        "-",
        stdin=call.encode("utf-16", "surrogatepass").decode("utf-16").encode(),
        LC_ALL="C",
    )
    assert answer.returncode == 0
    assert json.loads(answer.stdout)["args"]["note"] == "😀 日本"


def test_output_that_cannot_be_written_is_no_verdict(bundle, tmp_path):
    command = [sys.executable, "-m", "policyc", "eval", str(tmp_path / bundle), "--tool", "payment.x"]
    with open("/dev/full", "w") as full:
        answer = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False)
    assert answer.returncode == 2
    assert answer.stderr.startswith(b"error[output_failed]")


def test_a_reader_that_has_seen_enough_is_no_fault(bundle, tmp_path):
    command = f"{sys.executable} -m policyc eval {tmp_path / bundle} --calls - | head -1"
    calls = b'{"tool": "payment.x"}\n' * 20_000
    answer = subprocess.run(command, shell=True, input=calls, capture_output=True, check=False)
    assert answer.stdout.count(b"\n") == 1
    assert answer.stderr == b""
