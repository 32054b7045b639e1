import pytest

from policyc.hooks.runtime.answers import MAX_ANSWER, read_answer
from policyc.hooks.runtime.causes import CAUSES, NoSay


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (b'{"decision":"allow"}', None),
        (b' {"decision" : "allow", "reason": "x"}\n', None),
        (b'{"decision":"deny","reason":"Not here."}', "Not here."),
        (b'\n{"reason":"Not here.","decision":"deny","more":[1]}\r\n', "Not here."),
        (b'{"decision":"deny"}', ""),
        (b'{"decision":"deny","reason":null}', ""),
        (b'{"decision":"deny","reason":5}', ""),
        ('{"decision":"deny","reason":"안 됩니다"}'.encode(), "안 됩니다"),
    ],
)
def test_a_decision(answer, reason):
    assert read_answer(answer) == reason


@pytest.mark.parametrize(
    ("answer", "cause"),
    [
        (None, "answer_too_large"),
        (b"", "answer_empty"),
        (b" \r\n\t", "answer_empty"),
        (b"deny", "answer_not_json"),
        (b"{'decision': 'deny'}", "answer_not_json"),
        (b'{"decision":"deny"', "answer_not_json"),
        (b'{"decision":"deny"}{"decision":"deny"}', "answer_not_json"),
        (b'checking...\n{"decision":"deny"}', "answer_not_json"),
        (b'{"decision":"deny"}\ndone', "answer_not_json"),
        (b'{"decision":"allow","decision":"deny"}', "answer_not_json"),
        (b'{"decision":"deny","score":NaN}', "answer_not_json"),
        (b'\xef\xbb\xbf{"decision":"deny"}', "answer_not_json"),
        (b'{"decision":"deny","reason":"\xff"}', "answer_not_json"),
        (b"[" * 100_000, "answer_not_json"),
        (b"{}", "answer_unrecognised"),
        (b"null", "answer_unrecognised"),
        (b'"deny"', "answer_unrecognised"),
        (b'["deny"]', "answer_unrecognised"),
        (b'{"decision":"DENY"}', "answer_unrecognised"),
        (b'{"decision":"block","reason":"x"}', "answer_unrecognised"),
        (b'{"decision":"ask"}', "answer_unrecognised"),
        (b'{"decision":{"decision":"deny"}}', "answer_unrecognised"),
        (b'{"permissionDecision":"deny"}', "answer_unrecognised"),
        (b'{"hookSpecificOutput":{"permissionDecision":"deny"}}', "answer_unrecognised"),
    ],
)
def test_everything_else_is_no_decision(answer, cause):
    with pytest.raises(NoSay) as caught:
        read_answer(answer)
    assert caught.value.cause == cause
    assert cause in CAUSES


def test_the_limit_is_the_one_that_the_cause_names():
    assert MAX_ANSWER == 1024 * 1024
    assert "1 MiB" in CAUSES["answer_too_large"]
