"""One hook event to the answer that its agent understands: the part of the gate that is a function.

It runs in the agent's sandbox, so it is Python 3.9 and imports the engine alone.
"""

from __future__ import annotations

import os
import sys

from policyc.engine import dialects
from policyc.engine.decision import arguments, block_message
from policyc.engine.dialects.dialect import Dialect
from policyc.engine.dialects.lowering import lowered
from policyc.engine.documents import Malformed, parse, parse_own
from policyc.engine.model import Call
from policyc.engine.one_call import decide_one

TYPE_CHECKING = False
if TYPE_CHECKING:
    from policyc.engine.dialects.answers import Answer
    from policyc.engine.model import Outcome

    Server = tuple[str, float]

#: What stands before and after the plan in its file; the digest is over what is between.
PLAN_HEAD = '{"sha256": "%s", "plan":\n'
PLAN_TAIL = "\n}\n"
#: What stands before its lines.
PLAN_LINES = ',"lines":['
#: ``sys.platform`` -> ``os`` of a call, where they differ.
_OS = {"win32": "windows", "cygwin": "windows"}


class Damaged(ValueError):
    """A plan file that is not what was generated."""


def answer(
    event: bytes, plan_path: str, target: str, name: str, server: Server | None = None
) -> tuple[str, str, int]:
    """What to print on standard output and on standard error, and the exit code.

    ``target`` is the agent that the command was written for; a payload that clearly is another's wins.
    ``name`` is ``pre``, ``post``, or empty where the payload says it. ``server`` is asked about every call
    that is not denied for certain: its hook's URL, and the time.monotonic() until which it may answer. A
    fault is the agent's refusal; where no agent is known it is raised.
    """
    dialect = dialects.load(target) if target in dialects.MODULES else None
    try:
        document = parse(event)
        dialect = dialects.detect(document, target) or dialect
        if dialect is None:
            raise ValueError(f"no --target that is known, and the event is no known agent's: {target!r}")
        found = _answer(event, document, dialect, plan_path, name, server)
    except Exception as error:
        if dialect is None:
            raise
        found = dialect.done() if name == "post" else dialect.refusal(_reason(error))
    return found.stdout, found.stderr, found.exit_code


def _answer(
    event: bytes, document: object, dialect: Dialect, plan_path: str, name: str, server: Server | None
) -> Answer:
    if not isinstance(document, dict):
        raise Malformed("not_an_object", "the document is no object")
    if name == "post" or dialect.event(document) != "pre":
        return dialect.done()
    call = dialect.read(document)
    plan = read_plan(plan_path)
    outcome = decide_one(plan, call, look_around)
    if server is None:
        return said(outcome, call, dialect)
    from policyc.hooks.gate_asking import asked

    return asked(event, plan, call, outcome, dialect, server)


def said(outcome: Outcome, call: Call, dialect: Dialect) -> Answer:
    """``outcome`` in the agent's words."""
    outcome = lowered(outcome, dialect)
    args = arguments(outcome, call) if outcome.sanitize is not None else None
    return dialect.answer(outcome, block_message(outcome, call.tool[:_LONGEST_NAME]), call, args)


#: Files of a command line whose links are followed.
_MOST_FILES = 1000
#: Of a tool's name, as said in a message.
_LONGEST_NAME = 200


def read_plan(path: str) -> object:
    """The plan in the file at ``path``. Raises Damaged."""
    try:
        with open(path, "rb") as file:
            head, _, rest = file.read().partition(b"\n")
    except OSError as error:
        raise Damaged(f"{os.path.basename(path)} cannot be read ({error.strerror})") from None
    body = rest[: -len(PLAN_TAIL)]
    if head + b"\n" != (PLAN_HEAD % _digest(body)).encode() or not rest.endswith(PLAN_TAIL.encode()):
        raise Damaged(f"{os.path.basename(path)} is damaged: its digest is another")
    return _with_lines_as_text(body.decode("utf-8"))


def _with_lines_as_text(body: str) -> object:
    """The plan; each of its lines is still text, since a call needs few of them."""
    first, *lines = body.split("\n")
    if not lines:
        return parse_own(first)
    plan = parse_own(first[: -len(PLAN_LINES)] + "}")
    plan["lines"] = [line.rstrip(",") for line in lines[:-1]]  # type: ignore[index]
    return plan


def _digest(body: bytes) -> str:
    # hashlib loads OpenSSL; the interpreter has the function itself, under a name of its version.
    for module in ("_sha2", "_sha256", "hashlib"):
        try:
            return str(__import__(module).sha256(body).hexdigest())
        except ImportError:
            continue
    raise Damaged("this interpreter has no SHA-256 to check the plan with")


def look_around(call: Call, links: bool = True) -> None:
    """Adds to ``call`` what this machine says of its files: where it is, and where ``links`` lead to."""
    if call.os is None:
        call.os = _OS.get(sys.platform, sys.platform)
    if call.cwd is None:
        try:
            call.cwd = os.getcwd()
        except OSError:  # the folder is gone
            return
    path = call.args.get("path") if isinstance(call.args, dict) else None
    if not links:
        return
    if isinstance(path, str):
        from policyc.engine.spellings import spellings

        call.realpaths = _realpaths(spellings(path, (), call.cwd, call.os), call)
    elif call.command_line is not None:
        from policyc.engine.shell_clauses import facts_of, files_of

        files = dict.fromkeys(files_of(facts_of(call, call.command_line)))
        call.realpaths = _realpaths(list(files)[:_MOST_FILES], call)


def _realpaths(forms: list[str], call: Call) -> list[str]:
    found: dict[str, None] = {}
    for form in forms:
        try:
            found[os.path.realpath(os.path.join(call.cwd or os.curdir, os.path.expanduser(form)))] = None
        except (OSError, ValueError):  # a name that no file can have
            continue
    return list(found)


def _reason(error: Exception) -> str:
    what = f"{_FAULTS.get(type(error).__name__, 'could not decide')}: {error or type(error).__name__}"
    return f"The policy gate {what}. The call is not run. {_NEXT.get(type(error).__name__, _TELL)}"


_TELL = "Ask a person to look at the hook."
_GENERATE = "Ask a person to run `policyc hooks generate` again."
#: By the name of the exception: their modules are not loaded before they are needed.
_FAULTS = {
    "Malformed": "cannot read the event",
    "CallError": "cannot read the call",
    "Damaged": "cannot read its policies",
    "PlanError": "cannot use its policies",
    "RecursionError": "ran out of stack",
    "MemoryError": "ran out of memory",
}
_NEXT = {
    "CallError": "Give the arguments that the tool needs, as it needs them.",
    "Damaged": _GENERATE,
    "PlanError": _GENERATE,
}
