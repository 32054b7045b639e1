"""One agent's wording of a tool call, and of what its hook answers."""

from __future__ import annotations

from policyc.engine.dialects.answers import Answer, Emission, heard, reason_text
from policyc.engine.dialects.shapes import event_of, possible
from policyc.engine.dialects.tools import Tool
from policyc.engine.model import Call, Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:  # collections.abc costs a hook process more than its decision
    from collections.abc import Callable


class Dialect:
    """An agent's wording. ``read`` takes the payload of an event before or after a tool, ``call`` a tool name
    and the agent's own arguments; both may raise CallError. What one call does beyond one thing is in the
    Call's ``more``."""

    __slots__ = ("_emission", "call", "name", "read", "tools")

    def __init__(
        self,
        name: str,
        tools: dict[str, Tool],
        read: Callable[[dict[str, object]], Call],
        call: Callable[[str, dict[str, object]], Call],
        emission: Emission,
    ) -> None:
        self.name = name
        self.tools = tools
        self.read = read
        self.call = call
        self._emission = emission

    @property
    def carries(self) -> frozenset[str]:
        """The verdicts beyond yes and no that its hook has an answer for."""
        found = self._emission
        has = {"pending_approval": found.ask, "sanitize": found.rewrite}
        return frozenset(verdict for verdict, answer in has.items() if answer is not None)

    def recognises(self, document: dict[str, object]) -> bool:
        """Whether the shape of ``document`` is this agent's before any other's."""
        return possible(document)[:1] == (self.name,)

    def event(self, document: dict[str, object]) -> str:
        """``pre`` or ``post`` a tool, or ``other``: about no tool, with nothing to decide.

        What does not say is ``pre``; ``managed`` and ``agy`` send the same document before and after.
        """
        return event_of(document)

    def answer(self, outcome: Outcome, message: str, call: Call, args: object = None) -> Answer:
        """What to say before a tool about a ``lowered`` outcome. ``args`` are the agent's own arguments as
        rewritten, of the verdict ``sanitize``; all of them, since agents replace the whole object."""
        emission, reason = self._emission, reason_text(message)
        if outcome.verdict == "pending_approval" and emission.ask is not None:
            return emission.ask(reason)
        if outcome.verdict == "sanitize" and emission.rewrite is not None and args is not None:
            # Nothing was found to take out: the call is what it was.
            return emission.allow if args == call.native_args else emission.rewrite(args, reason)
        return emission.allow if outcome.verdict in _PLAIN else emission.deny(reason)

    def heard(self, document: dict[str, object]) -> Answer | None:
        """The answer before a tool that a server's ``document`` is; None where it is none to the letter."""
        return heard(self._emission, document)

    def deny(self, reason: str) -> Answer:
        """The deny of a decision; where the agent takes a document, a document on exit 0."""
        return self._emission.deny(reason_text(reason))

    def refusal(self, reason: str) -> Answer:
        """The guard's own fault before a tool: what this agent takes for a deny whatever else is wrong."""
        return self._emission.refuse(reason_text(reason))

    def done(self) -> Answer:
        """After a tool, or about none: nothing to say."""
        return self._emission.done


#: Verdicts that run the call as it is.
_PLAIN = frozenset({"allow", "audit"})
