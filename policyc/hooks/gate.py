"""The gate: an agent's hook that decides one tool call from the files beside it.

    python3 -I -S gate.py --target managed [--event pre|post] [--deadline SECONDS] [--ask URL] < event

It prints one answer in the words of the agent, and nothing else. Whatever goes wrong is an answer too, the
agent's deny: most agents let a call run when its hook fails, and each takes something else for a refusal. So
this file needs nothing but the interpreter, CPython 3.9 to 3.13, and holds those refusals; whatever can be
wrong with the other files comes after it.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # signal itself imports enum
import _thread
import os
import sys
import time

#: Bytes of an event; what a tool writes to a file is in it.
MAX_EVENT = 8 << 20
#: Seconds, where the command line gives none: below every agent's own default.
DEADLINE = 8
#: The part of the deadline after which a server is waited for no more: the rest is for saying so.
ASKING = 0.8
STARTED = time.monotonic()
#: Targets whose refusal is a document and exit code 0. For every other it is exit code 2 with the reason on
#: standard error, which the managed agent takes for an allow.
DENY = '{"decision": "deny", "reason": "%s"}'
NESTED = '{"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "%s"}'
DOCUMENTS = {
    "managed": DENY,
    "agy": DENY,
    "opencode": DENY,
    "cline": '{"cancel": true, "errorMessage": "%s"}',
    "copilot": '{"permissionDecision": "deny", "permissionDecisionReason": "%s", "hookSpecificOutput": '
    + NESTED
    + "}",
}
FOLDER = os.path.dirname(__file__)

_answering = _thread.allocate_lock()


def main(arguments: list[str]) -> None:
    """Answers the event on standard input, and ends the process."""
    options = {"--target": "", "--event": "", "--deadline": str(DEADLINE), "--ask": ""}
    try:
        options.update(zip(arguments[::2], arguments[1::2]))
        _guard(options["--target"], float(options["--deadline"]))
        _deliver(*_decide(_read(), options))
    except BaseException as error:
        _refuse(options["--target"], f"failed ({type(error).__name__}: {str(error)[:300]})")


def _decide(event: bytes, options: dict[str, str]) -> tuple[str, str, int]:
    sys.path.insert(0, FOLDER or os.curdir)
    from policyc.hooks.gate_decision import answer

    server = None
    if options["--ask"]:
        server = (options["--ask"], STARTED + float(options["--deadline"]) * ASKING)
    plan = os.path.join(FOLDER, "plan.json")
    return answer(event, plan, options["--target"], options["--event"], server)


def _guard(target: str, deadline: float) -> None:
    """Sees to an answer where the main thread is late, or is told to stop."""
    if not 0 <= deadline <= _thread.TIMEOUT_MAX:
        raise ValueError(f"a deadline of {deadline} s never comes")
    # What a module prints or warns of is no answer.
    sys.stdout = sys.stderr = None
    _thread.stack_size(1 << 18)
    if hasattr(_signal, "sigwait"):
        # Blocked and waited for: a handler would run in the main thread, once that comes back from a read.
        stops = (_signal.SIGTERM, _signal.SIGINT, _signal.SIGHUP)
        _signal.pthread_sigmask(_signal.SIG_BLOCK, stops)
        _thread.start_new_thread(_wait_for, (target, stops))
    _thread.start_new_thread(_watch, (target, deadline))


def _wait_for(target: str, stops: tuple[int, ...]) -> None:
    _signal.sigwait(stops)
    _refuse(target, "was told to stop")


def _watch(target: str, deadline: float) -> None:
    time.sleep(deadline)
    _refuse(target, f"could not decide within {deadline:g} s")


def _read() -> bytes:
    """The event. What is beyond the bound is read, so that the agent can write it, and not kept."""
    kept, size = [], 0
    while True:
        try:
            chunk = os.read(0, 1 << 16)
        except BlockingIOError:
            time.sleep(0.005)
            continue
        if not chunk:
            break
        size += len(chunk)
        if size <= MAX_EVENT:
            kept.append(chunk)
    if size > MAX_EVENT:
        raise ValueError(f"the event has {size} bytes, and may have {MAX_EVENT}")
    return b"".join(kept)


def _refuse(target: str, fault: str) -> None:
    """The agent's deny, without any other module."""
    said = f"The policy gate {fault}. The call is not run. Ask a person to look at the hook."
    reason = "".join(char if " " <= char <= "~" and char not in '"\\' else "?" for char in said)
    if target in DOCUMENTS:
        _deliver(DOCUMENTS[target].replace("%s", reason), "", 0)
    # Without a target, what most agents take for a deny.
    _deliver("" if target else DENY.replace("%s", reason), reason, 2)


def _deliver(out: str, err: str, code: int) -> None:
    """Writes the answer and ends the process: the first thread that comes here, and no other."""
    _answering.acquire()
    for descriptor, text in ((2, err), (1, out)):
        rest = text.encode("utf-8", "replace")
        while rest:
            try:
                rest = rest[os.write(descriptor, rest) :]
            except BlockingIOError:
                time.sleep(0.005)
            except OSError:  # closed, or the disk is full: the exit code is all that is left
                code = code if descriptor == 2 else 2
                break
    os._exit(code)


if __name__ == "__main__":
    main(sys.argv[1:])
