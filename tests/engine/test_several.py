"""A call that does several things: each is judged, and the strictest outcome is that of the call."""

from builders import clause, plan, rule
from hypothesis import given
from hypothesis import strategies as st

from policyc.engine.dialects.tools import together
from policyc.engine.evaluate import Evaluator
from policyc.engine.explain import Trace
from policyc.engine.model import REWRITING_HOOK, STRICTNESS, Call
from policyc.engine.walk import decide

VALUES = ["a", "b", "c", "d"]


def call(values, surface="hook"):
    parts = [Call("t", {"path": value}, "hook", native_args={"files": values}) for value in values]
    for part in parts:
        part.surface = surface
    return together(parts)


rules = st.lists(
    st.builds(
        lambda verdict, value: rule(
            verdict,
            label=f"{verdict} {value}",
            clauses=[clause("$.path", "eq", value)],
            **({"sanitize": {"presets": ["email"], "custom": [value]}} if verdict == "sanitize" else {}),
        ),
        st.sampled_from(STRICTNESS),
        st.sampled_from(VALUES),
    ),
    max_size=5,
)


@given(rules, st.lists(st.sampled_from(VALUES), min_size=1, max_size=4), st.booleans(), st.booleans())
def test_the_strictest_part_decides(found, values, rewriting, shadow):
    loaded = plan(found, default="audit", shadow=shadow)
    surface = REWRITING_HOOK if rewriting else "hook"
    outcome = Evaluator(loaded).decide(call(values, surface))
    alone = [Evaluator(loaded).decide(call([value], surface)) for value in values]
    ranks = [STRICTNESS.index(each.would_be or each.verdict) for each in alone]
    assert STRICTNESS.index(outcome.would_be or outcome.verdict) == min(ranks)
    assert outcome.rule == alone[ranks.index(min(ranks))].rule
    walked = decide(loaded.policies["p"], call(values, surface))
    assert (walked.verdict, walked.rule, walked.sanitize) == (
        outcome.verdict,
        outcome.rule,
        outcome.sanitize,
    )


def test_what_any_part_redacts_is_redacted():
    loaded = plan(
        [
            rule("sanitize", clauses=[clause("$.path", "eq", "a")], sanitize={"presets": ["email"]}),
            rule("sanitize", clauses=[clause("$.path", "eq", "b")], sanitize={"custom": ["x+"]}),
        ]
    )
    found = Evaluator(loaded).decide(call(["a", "b", "c"], REWRITING_HOOK))
    assert found.sanitize == {"presets": ["email"], "custom": ["x+"]}
    assert Evaluator(loaded).decide(call(["a", "b"])).verdict == "deny"


def test_one_name_on_two_surfaces_is_decided_on_each():
    evaluator = Evaluator(plan([rule("sanitize", sanitize={"presets": ["email"]})]))
    verdicts = [
        evaluator.decide(call(["a"], surface)).verdict for surface in ("hook", REWRITING_HOOK, "hook")
    ]
    assert verdicts == ["deny", "sanitize", "deny"]


def test_the_explanation_tells_of_every_part():
    loaded = plan([rule("deny", clauses=[clause("$.path", "eq", "b")])])
    trace = Trace()
    assert Evaluator(loaded).explain(call(["a", "b"]), trace).verdict == "deny"
    assert [step["matched"] for step in trace.documents()] == [False, True]
