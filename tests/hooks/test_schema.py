import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from policyc.hooks.schema import HOOKS_SCHEMA_PATH, load_schema, problems, shape_problems

SEEDS = Path(__file__).parent / "seed"
COMMAND = {"type": "command", "command": "x", "timeout": 10}
HTTP = {"type": "http", "url": "https://x.test/y", "headers": {"X": "y"}, "timeout": 10}


def group(handler=COMMAND, **changes):
    return {"pre_tool_execution": [{"matcher": "*", "hooks": [handler]} | changes]}


def test_the_schema_is_one():
    Draft202012Validator.check_schema(load_schema())
    assert json.loads(HOOKS_SCHEMA_PATH.read_text("utf-8")) == load_schema()


@pytest.mark.parametrize("name", ["gate", "auto-format", "privacy", "audit"])
def test_the_seeds_documents_are_accepted(name):
    assert problems(json.loads((SEEDS / f"{name}.json").read_text("utf-8"))) == []


ACCEPTED = [
    {},
    {"g": {}},
    {"g": {"enabled": False}},
    {"g": {"enabled": True, "pre_tool_execution": [], "post_tool_execution": []}},
    {"g": group(), "h": group(HTTP), "any name: at all": group({"type": "command", "command": "x"})},
    {"g": group({"type": "http", "url": "https://x.test"})},
    {"g": {"post_tool_execution": [{"matcher": "", "hooks": [COMMAND, HTTP]}]}},
    *(
        {"g": group(matcher=matcher)}
        for matcher in ("*", ".*", "", ".*_file", "read_file|write_file", "^(?:a|b)$")
    ),
]


@pytest.mark.parametrize("document", ACCEPTED)
def test_accepted(document):
    assert problems(document) == []


ENTRY = "$.g.pre_tool_execution[0]"
HOOK = f"{ENTRY}.hooks[0]"
REFUSED = [
    ([], "$", "is not of type 'object'"),
    ({"g": []}, "$.g", "is not of type 'object'"),
    ({"g": {"enabled": "yes"}}, "$.g.enabled", "is not of type 'boolean'"),
    ({"g": {"PreToolUse": []}}, "$.g", "'PreToolUse' was unexpected"),
    ({"a b": {"x": 1}}, "$['a b']", "'x' was unexpected"),
    ({"g": group(matcher=1)}, f"{ENTRY}.matcher", "is not of type 'string'"),
    ({"g": group(matcher="*_file")}, f"{ENTRY}.matcher", "is not RE2, so it matches no tool"),
    ({"g": group(matcher="(?=x)")}, f"{ENTRY}.matcher", "lookahead"),
    ({"g": group(timeout=3)}, ENTRY, "'timeout' was unexpected"),
    ({"g": group(hooks=[])}, f"{ENTRY}.hooks", ""),
    ({"g": {"pre_tool_execution": [{"hooks": [COMMAND]}]}}, ENTRY, "'matcher' is a required property"),
    ({"g": {"pre_tool_execution": [{"matcher": "*"}]}}, ENTRY, "'hooks' is a required property"),
    ({"g": group({"command": "x"})}, HOOK, "'type' is a required property"),
    ({"g": group({"type": "prompt"})}, f"{HOOK}.type", "'prompt' is not one of"),
    ({"g": group({"type": "command"})}, HOOK, "'command' is a required property"),
    ({"g": group({"type": "command", "command": ""})}, f"{HOOK}.command", ""),
    ({"g": group(COMMAND | {"url": "https://x.test"})}, HOOK, "'url' was unexpected"),
    ({"g": group(COMMAND | {"timeout": 0})}, f"{HOOK}.timeout", "minimum"),
    ({"g": group(COMMAND | {"timeout": 1.5})}, f"{HOOK}.timeout", "is not of type 'integer'"),
    ({"g": group(COMMAND | {"timeout": True})}, f"{HOOK}.timeout", "is not of type 'integer'"),
    ({"g": group({"type": "http"})}, HOOK, "'url' is a required property"),
    ({"g": group(HTTP | {"url": "http://x.test/"})}, f"{HOOK}.url", "is not an https:// URL"),
    ({"g": group(HTTP | {"url": "https:///x"})}, f"{HOOK}.url", "is not an https:// URL"),
    ({"g": group(HTTP | {"headers": {"X": 1}})}, f"{HOOK}.headers.X", "is not of type 'string'"),
    ({"g": group(HTTP | {"command": "x"})}, HOOK, "'command' was unexpected"),
]


@pytest.mark.parametrize(("document", "path", "message"), REFUSED)
def test_refused(document, path, message):
    [(found_path, found_message)] = problems(document)
    assert found_path == path
    assert message in found_message


def test_a_matcher_is_no_problem_of_the_shape():
    document = {"g": group(COMMAND | {"timeout": 0}, matcher="*_file")}
    assert [path for path, _ in shape_problems(document)] == [f"{ENTRY}.hooks[0].timeout"]


def test_all_problems_are_found():
    document = {"g": group(COMMAND | {"timeout": 0}, matcher="*_file"), "h": {"enabled": 1}}
    assert [path for path, _ in problems(document)] == [
        f"{ENTRY}.hooks[0].timeout",
        f"{ENTRY}.matcher",
        "$.h.enabled",
    ]
