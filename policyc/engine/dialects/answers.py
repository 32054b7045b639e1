"""What a command hook prints and how it exits, for each thing there is to say."""

from __future__ import annotations

from policyc.engine.decision import visible
from policyc.engine.documents import dump

TYPE_CHECKING = False
if TYPE_CHECKING:  # collections.abc costs a hook process more than its decision
    from collections.abc import Callable

#: Characters of a reason: agents put it into the model's context.
LONGEST_REASON = 2000
_UNSAID = "blocked by policy"


class Answer:
    """What goes to standard output and standard error, and the exit code."""

    __slots__ = ("exit_code", "stderr", "stdout")

    def __init__(self, stdout: str = "", stderr: str = "", exit_code: int = 0) -> None:
        self.stdout = stdout
        self.stderr = stderr
        self.exit_code = exit_code


class Emission:
    """An agent's words for each outcome of a call that is about to run, and ``done`` for everything else.

    ``deny``, ``ask`` and ``refuse`` take a reason, ``rewrite`` the agent's own arguments and a reason.
    ``ask`` and ``rewrite`` are None where the agent has no such answer. ``refuse`` is for the guard's own
    faults: it must stop the call where nothing else can be relied on.
    """

    __slots__ = ("allow", "ask", "deny", "done", "refuse", "rewrite")

    def __init__(
        self,
        *,
        allow: Answer,
        deny: Callable[[str], Answer],
        refuse: Callable[[str], Answer],
        done: Answer,
        ask: Callable[[str], Answer] | None = None,
        rewrite: Callable[[object, str], Answer] | None = None,
    ) -> None:
        self.allow = allow
        self.deny = deny
        self.refuse = refuse
        self.done = done
        self.ask = ask
        self.rewrite = rewrite


SILENT = Answer()


def say(document: dict[str, object]) -> Answer:
    """``document`` as the one JSON document on standard output, exit 0."""
    return Answer(dump(document))


def stop(reason: str) -> Answer:
    """Exit 2 with ``reason`` on standard error: a deny for most agents, and an allow for the managed one."""
    return Answer(stderr=reason, exit_code=2)


def reason_text(reason: str) -> str:
    """``reason`` on one line, bounded and never blank: agents void a deny that gives no reason."""
    short = reason if len(reason) <= LONGEST_REASON else reason[:LONGEST_REASON] + " ..."
    return visible(short.strip()) or _UNSAID


def heard(emission: Emission, document: dict[str, object]) -> Answer | None:
    """What ``document`` says in the words of ``emission``, said again here; None where it is no answer of
    its, or where the agent's hook answers by its exit code. The reason and the arguments are looked for
    anywhere in it, and then it must be that answer to the letter."""
    if not emission.deny(_UNSAID).stdout:
        return None
    if _is(emission.allow, document):
        return emission.allow
    values = _values(document)
    reasons = [value for value in values if isinstance(value, str)]
    for say_so in (emission.deny, emission.ask):
        for reason in reasons if say_so is not None else ():
            if _is(say_so(reason), document):  # type: ignore[misc]
                return say_so(reason_text(reason))  # type: ignore[misc]
    if emission.rewrite is None:
        return None
    for args in (value for value in values if isinstance(value, dict)):
        for reason in ["", *reasons]:
            if _is(emission.rewrite(args, reason), document):
                return emission.rewrite(args, reason_text(reason))
    return None


def _is(answer: Answer, document: dict[str, object]) -> bool:
    """Whether ``answer`` is one that a server can give, and is ``document``: saying nothing is `{}` there."""
    return answer.exit_code == 0 and (answer.stdout or "{}") == dump(document)


def _values(document: dict[str, object]) -> list[object]:
    """The values of ``document`` and of the objects in it, which answers do not nest any deeper."""
    found = list(document.values())
    return [*found, *(inner for value in found if isinstance(value, dict) for inner in value.values())]
