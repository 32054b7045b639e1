"""What is told about held calls."""

import pytest

from policyc.engine.model import Call, Outcome
from policyc.runs.holds import arguments_of, joint_approvers, redacted

HELD = Outcome("pending_approval", "held", "rule_match")


def test_what_passes_loses_what_the_rules_for_its_other_parts_take_out():
    also = Outcome("sanitize", "redacted", "rule_match", sanitize={"presets": ["email"], "custom": []})
    passed = HELD.changed("allow", "approved by dana", "approved")
    found = redacted(passed, [HELD, also])
    assert (found.verdict, found.reason_code, found.sanitize) == ("sanitize", "approved", also.sanitize)
    assert redacted(passed, [HELD]) is passed
    assert redacted(HELD, [HELD, also]) is HELD


@pytest.mark.parametrize(
    ("named", "found"),
    [
        ([], ()),
        ([(), ()], ()),
        ([("a", "b"), ()], ("a", "b")),
        ([("a", "b"), ("b", "c")], ("b",)),
        ([("a",), ("b",)], None),
    ],
)
def test_who_answers_for_several_rules(named, found):
    assert joint_approvers(named) == found


def test_arguments_of_every_part_identify_a_call():
    call = Call("patch", {"patch": "x"})
    call.more = (Call("fs.write", {"path": "b"}),)
    assert arguments_of(call) == [{"patch": "x"}, {"patch": "x"}, {"path": "b"}]
