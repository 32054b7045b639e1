import asyncio
import json
import os
import resource
import sys

import pytest
from hooks.runtime.driving import ALLOW, DENY, POST, command, hooked, only, payload, python, run, says

from policyc.hooks.runtime import Sandbox, read_hooks, read_network, run_event


def test_a_deny():
    result = run(hooked(says(DENY)))
    assert (result.outcome, result.reason) == ("deny", "Not here.")
    handled = only(result)
    assert (handled.decision, handled.cause, handled.exit_code) == ("deny", None, 0)
    assert handled.milliseconds > 0


def test_the_event_is_on_standard_input_to_the_letter(tmp_path):
    call = payload(code="echo 'é' \U0001f600\n", language="bash")
    run(hooked(command("cat > event; true")), call, cwd=tmp_path)
    assert json.loads((tmp_path / "event").read_bytes()) == call


def test_standard_input_can_be_opened_by_name(tmp_path):
    run(hooked(command("cat /dev/stdin > event")), cwd=tmp_path)
    assert json.loads((tmp_path / "event").read_bytes()) == payload()


def test_a_large_event_arrives_whole(tmp_path):
    call = payload(code="x" * 3_000_000)
    run(hooked(command("sleep 0.1; cat > event")), call, cwd=tmp_path)
    assert json.loads((tmp_path / "event").read_bytes()) == call


@pytest.mark.parametrize(
    "line", ["exec <&-; sleep 0.2; printf %s ", "head -c 1 > /dev/null; printf %s ", "printf %s "]
)
def test_a_handler_that_does_not_read_the_event_is_heard(line):
    assert run(hooked(command(f"{line}'{DENY}'")), payload(code="x" * 3_000_000)).denied


def test_the_shell_runs_it(tmp_path):
    line = f"A=1; test \"$A\" = 1 && pwd > where; echo '{ALLOW}' | cat"
    assert only(run(hooked(command(line)), cwd=tmp_path)).decision == "allow"
    assert (tmp_path / "where").read_text().strip() == os.path.realpath(tmp_path)


def test_the_secrets_of_the_proxy_are_not_in_the_sandbox(tmp_path):
    allowlist = [{"domain": "*", "transform": {"Authorization": "Bearer ${TOKEN}"}}]
    env = {"PATH": os.environ["PATH"], "TOKEN": "hush-hush", "KEPT": "1"}
    run(
        hooked(command("env > seen")),
        cwd=tmp_path,
        env=env,
        network=read_network({"allowlist": allowlist}, env),
    )
    seen = (tmp_path / "seen").read_text()
    assert "KEPT=1" in seen
    assert "hush" not in seen


def test_the_environment_of_this_process_by_default(tmp_path, monkeypatch):
    monkeypatch.setenv("KEPT", "as it is")
    run(hooked(command("env > seen")), cwd=tmp_path)
    assert "KEPT=as it is" in (tmp_path / "seen").read_text()


@pytest.mark.parametrize(
    ("handler", "cause", "exit_code"),
    [
        (command(f"printf %s '{DENY}'; exit 1"), "exit_nonzero", 1),
        (command(f"printf %s '{DENY}'; exit 2"), "exit_nonzero", 2),
        (command("kill -9 $$"), "exit_nonzero", -9),
        (command("no-such-command-anywhere"), "exit_nonzero", 127),
        (command("if"), "exit_nonzero", 2),
        (python("raise ValueError"), "exit_nonzero", 1),
        (command("true"), "answer_empty", 0),
        (command("echo ok"), "answer_not_json", 0),
        (command(f"echo checking; printf %s '{DENY}'"), "answer_not_json", 0),
        (says("{}"), "answer_unrecognised", 0),
        (command(f"printf %s '{DENY}' >&2"), "answer_empty", 0),
        (command("true\0"), "not_started", None),
    ],
)
def test_a_handler_that_fails_lets_the_call_run(handler, cause, exit_code):
    result = run(hooked(handler))
    handled = only(result)
    assert (result.outcome, result.reason) == ("allow", None)
    assert (handled.cause, handled.exit_code, handled.decision) == (cause, exit_code, None)
    assert result.failures == (handled,)
    assert not result.holds


def test_a_folder_that_is_not_there(tmp_path):
    handled = only(run(hooked(says(DENY)), cwd=tmp_path / "gone"))
    assert handled.cause == "not_started"
    assert "No such file" in handled.detail


def test_the_end_of_standard_error_is_kept():
    handled = only(
        run(hooked(command("head -c 100000 /dev/zero | tr '\\0' x >&2; echo the-last >&2; exit 3")))
    )
    assert handled.stderr.endswith("the-last\n")
    assert len(handled.stderr) == 4096


def test_a_timeout_ends_the_whole_group(marker):
    line = "sleep 300 & (sleep 300; true) & sleep 300; true"
    result = run(hooked(command(line, timeout=1)), env=marker.env)
    handled = only(result)
    assert (result.outcome, handled.cause, handled.exit_code) == ("allow", "timeout", None)
    assert marker.gone()


def test_a_handler_that_ignores_signals_is_ended_too(marker):
    assert (
        only(run(hooked(command("trap '' TERM INT HUP; sleep 300; true", timeout=1)), env=marker.env)).cause
        == "timeout"
    )
    assert marker.gone()


def test_what_it_wrote_before_the_timeout_is_no_decision():
    assert only(run(hooked(command(f"printf %s '{DENY}'; exec sleep 300", timeout=1)))).cause == "timeout"


def test_a_grandchild_that_keeps_the_output_open_is_ended(marker):
    handled = only(run(hooked(command(f"printf %s '{DENY}'; sleep 300 &", timeout=1)), env=marker.env))
    assert (handled.cause, handled.exit_code, handled.decision) == ("output_held_open", 0, None)
    assert marker.gone()


def test_a_grandchild_that_left_the_group_does_not_hold_the_call(marker, tmp_path):
    # setsid: no signal to the group reaches it, and it holds the pipes.
    code = (
        "import os, time\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    open('pid', 'w').write(str(os.getpid()))\n"
        "    time.sleep(300)\n"
    )
    handled = only(run(hooked(python(code, timeout=3)), env=marker.env, cwd=tmp_path))
    assert handled.cause == "output_held_open"
    os.kill(int((tmp_path / "pid").read_text()), 9)
    assert marker.gone()


def test_what_a_handler_leaves_on_purpose_is_left(marker):
    handled = only(run(hooked(command(f"sleep 300 > /dev/null 2>&1 & printf %s '{DENY}'")), env=marker.env))
    assert handled.decision == "deny"
    [left] = marker.processes()
    os.kill(int(left), 9)
    assert marker.gone()


@pytest.mark.parametrize("stream", ["", " >&2"])
def test_a_handler_that_writes_a_gigabyte_fills_no_memory(stream):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    handled = only(run(hooked(command(f"head -c 1000000000 /dev/zero{stream}"))))
    assert handled.cause == ("answer_empty" if stream else "answer_too_large")
    assert handled.exit_code == 0
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 * 1024  # kilobytes


def test_an_answer_of_just_the_limit_is_read():
    for more, decision in ((0, "deny"), (1, None)):
        code = f"d='{DENY}'; print(d + ' ' * ({1 << 20} + {more} - len(d)), end='')"
        assert only(run(hooked(python(code)))).decision == decision


def test_after_a_call_the_answer_is_not_read():
    document = hooked(says(DENY), says("x"), command("head -c 2000000 /dev/zero"), event=POST)
    result = run(document, event=POST)
    assert (result.outcome, result.failures) == ("allow", ())
    assert [handled.decision for handled in result.trace] == [None] * 3


def test_after_a_call_a_failure_is_still_said():
    result = run(hooked(command("exit 1"), command("sleep 300", timeout=1), event=POST), event=POST)
    assert [handled.cause for handled in result.trace] == ["exit_nonzero", "timeout"]
    assert (result.outcome, result.holds) == ("allow", False)


def test_a_cancelled_run_leaves_no_process(marker):
    hooks = read_hooks(hooked(command("sleep 300 & sleep 300; true")))

    async def cancelled():
        running = asyncio.create_task(
            run_event(hooks, "pre_tool_execution", payload(), Sandbox(env=marker.env))
        )
        while len(marker.processes()) < 3:
            await asyncio.sleep(0.01)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        assert running.cancelled()

    asyncio.run(cancelled())
    assert marker.gone()


def test_a_run_cancelled_at_any_moment_leaves_no_process(marker):
    hooks = read_hooks(hooked(command("sleep 300 & sleep 300; true")))

    async def cancelled(steps):
        running = asyncio.create_task(
            run_event(hooks, "pre_tool_execution", payload(code="x" * 200_000), Sandbox(env=marker.env))
        )
        for _ in range(steps):
            await asyncio.sleep(0)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        assert running.cancelled()

    for steps in range(12):
        asyncio.run(cancelled(steps))
    assert marker.gone()


def test_many_at_once_do_not_mix():
    code = (
        "import json, sys\n"
        "number = json.load(sys.stdin)['tool_call']['args']['n']\n"
        "print(json.dumps({'decision': 'deny', 'reason': number}))\n"
    )
    hooks = read_hooks(hooked(python(code)))

    async def all_of_them():
        calls = [run_event(hooks, "pre_tool_execution", payload(n=str(number))) for number in range(20)]
        return await asyncio.gather(*calls)

    assert [result.reason for result in asyncio.run(all_of_them())] == [str(number) for number in range(20)]


def test_no_descriptor_is_left_open():
    def descriptors():
        return len(os.listdir("/proc/self/fd"))

    documents = [
        hooked(says(DENY)),
        hooked(command("sleep 300", timeout=1)),
        hooked(command("exec <&-; true")),
    ]
    before = descriptors()
    for document in documents:
        run(document, payload(code="x" * 200_000))
    assert descriptors() == before


def test_it_runs_on_uvloop():
    import uvloop

    hooks = read_hooks(hooked(command("cat /dev/stdin > /dev/null; sleep 0.05"), says(DENY)))
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        result = runner.run(run_event(hooks, "pre_tool_execution", payload(code="x" * 200_000)))
    assert result.denied
    assert sys.platform != "win32"
