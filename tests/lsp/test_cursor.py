"""Where the cursor is; ``‸`` marks it."""

import json

import pytest

from policyc.lsp.cursor import cursor_at


def at(text):
    before = text[: text.index("‸")]
    whole = text.replace("‸", "", 1)
    return cursor_at(whole, before.count("\n"), len(before) - (before.rfind("\n") + 1))


BLOCK = [
    ("‸", (), (True, False), ""),
    ("defa‸", (), (True, False), "defa"),
    ("default_verdict: ‸", ("default_verdict",), (False, True), ""),
    ("default_verdict: de‸\nrules: []\n", ("default_verdict",), (False, True), "de"),
    ("rules:\n  - prio‸", ("rules", 0), (True, True), "prio"),
    ("rules:\n- prio‸", ("rules", 0), (True, True), "prio"),
    ("rules:\n  - priority: 1\n    ver‸", ("rules", 0), (True, False), "ver"),
    ("rules:\n  - priority: 1\n  - label: a\n    verdict: ‸", ("rules", 1, "verdict"), (False, True), ""),
    ("rules:\n- priority: 1\n- label: a\n  verdict: ‸\n", ("rules", 1, "verdict"), (False, True), ""),
    (
        "rules:\n  - priority: 1\n    args_match:\n      clauses:\n        - path: $.a\n          o‸",
        ("rules", 0, "args_match", "clauses", 0),
        (True, False),
        "o",
    ),
    ("rules:\n  - priority: 1\n    args_match:\n      ‸", ("rules", 0, "args_match"), (True, True), ""),
    ("include:\n  - bl‸", ("include", 0), (True, True), "bl"),
    ("include:\n  - a\n  - ‸", ("include", 1), (True, True), ""),
    ("rules:\n  - priority: 1\n\n‸", (), (True, False), ""),
    ("a: 1 # note ‸", ("a",), (False, False), "1 # note "),
    ("# note ‸", (), (False, False), ""),
    ("a: |\n  text ‸", ("a",), (False, False), ""),
]
FLOW = [
    ("include: [a, b‸]", ("include", 1), (False, True), "b"),
    ("rules:\n  - {priority: 1, ver‸", ("rules", 0), (True, False), "ver"),
    ("rules:\n  - {priority: 1, verdict: d‸}", ("rules", 0, "verdict"), (False, True), "d"),
    ("rules:\n  - {label: 'a, b: {', verdict: ‸}", ("rules", 0, "verdict"), (False, True), ""),
    (
        "rules:\n  - args_match: {clauses: [{path: $.a}, {op: ‸",
        ("rules", 0, "args_match", "clauses", 1, "op"),
        (False, True),
        "",
    ),
    ("rules:\n  - {priority: 1,\n     ver‸", ("rules", 0), (True, False), "ver"),
    ('{"rules": [{"verdict": "de‸"}]}', ("rules", 0, "verdict"), (False, True), "de"),
    ('[{"priority": 1, "‸', (0,), (True, False), ""),
]


@pytest.mark.parametrize(("text", "path", "stands", "prefix"), BLOCK + FLOW)
def test_cursor(text, path, stands, prefix):
    found = at(text)
    assert (found.path, (found.on_key, found.on_value)) == (path, stands)
    if any(stands):
        assert found.prefix == prefix


def test_any_place_of_any_text_has_an_answer():
    text = json.dumps({"rules": [{"a": "x\\"}]}) + "\n- {a: ]}\n\t: - - ? |\n'\n\"[" * 3
    for line, content in enumerate(text.split("\n")):
        for column in range(len(content) + 1):
            cursor_at(text, line, column)
