import json
import shlex
import subprocess
from pathlib import Path

import pytest
from builders import named, plan_data, rule

from policyc.hooks.errors import HooksError
from policyc.hooks.generate import generate_hooks
from policyc.hooks.write import write_files

SEEDS = Path(__file__).parent / "seed"
COMMAND = {"type": "command", "command": "python3 /.agents/hooks-scripts/x.py"}
GATE = {
    "type": "command",
    "command": "python3 -I -S /.agents/hooks-scripts/gate.py --target managed --deadline 10 || "
    """echo '{"decision":"deny","reason":"policyc: the gate did not run"}'""",
    "timeout": 15,
}
SERVER = {"url": "https://policy.example.com"}


def entry(handler, **changes):
    return {"matcher": None, "handler": handler, "timeout": 30} | changes


def document(hooks, rules=(), **changes):
    data = plan_data(list(rules), hooks=named(hooks), **changes)
    return json.loads(generate_hooks(data).files[".agents/hooks.json"])


def derived(*rules, handler=COMMAND, **changes):
    """The matcher of one handler without a literal one, or None where the group is left out."""
    generated = document({"g": {"pre_tool_execution": [entry(handler)]}}, rules, **changes)
    return generated["g"]["pre_tool_execution"][0]["matcher"] if generated else None


TOUCHED = [
    ("one tool by canonical name", [rule(tools=["shell.exec"])], "^(?:code_execution)$"),
    ("one tool by native name", [rule(tools=["write_file"])], "^(?:write_file)$"),
    (
        "several, in the agent's order",
        [rule(tools=["fs.write", "shell.*"])],
        "^(?:code_execution|write_file)$",
    ),
    ("several rules", [rule(tools=["fs.list"]), rule(tools=["fs.read"])], "^(?:read_file|list_files)$"),
    ("whatever the verdict", [rule("allow", tools=["fs.read"])], "^(?:read_file)$"),
    ("a rule for every tool", [rule()], "*"),
    ("a glob for every tool", [rule(tools=["crm.x", "**"])], "*"),
    ("the empty glob", [rule(tools=[""])], "*"),
    (
        "all five, yet not every name",
        [rule(tools=["shell.*", "fs.*"])],
        "^(?:code_execution|read_file|write_file|list_files|delete_file)$",
    ),
    ("at another stage", [rule(stages=["mcp"])], None),
    ("at the hook too", [rule(tools=["shell.*"], stages=["mcp", "hook"])], "^(?:code_execution)$"),
    ("tools that hooks do not see", [rule(tools=["crm.*", "mcp.*"])], None),
    ("no rules", [], None),
]


@pytest.mark.parametrize(("rules", "expected"), [row[1:] for row in TOUCHED], ids=[row[0] for row in TOUCHED])
def test_the_matcher_covers_what_rules_touch(rules, expected):
    assert derived(*rules) == expected


@pytest.mark.parametrize(
    ("default", "expected"), [("allow", "^(?:read_file)$"), ("audit", "^(?:read_file)$"), ("deny", "*")]
)
def test_a_default_that_denies_covers_everything(default, expected):
    assert derived(rule("allow", tools=["fs.read"]), default=default) == expected


def test_shadow_hears_of_the_same_tools():
    assert derived(rule(tools=["fs.read"]), shadow=True) == "^(?:read_file)$"
    assert derived(default="deny", shadow=True) == "*"


def test_the_evaluator_hears_of_every_tool():
    assert derived(handler="server", server=SERVER) == "*"


def policies(**defaults):
    return {
        name: plan_data([rule(tools=[tool])], default=default)["policies"]["p"]
        for name, (default, tool) in defaults.items()
    }


def test_bound_policies_count_and_others_do_not():
    found = policies(p=("audit", "fs.read"), bound=("audit", "fs.write"), base=("deny", "shell.*"))
    binding = [{"agents": ["x-*"], "policy": "bound"}]
    assert derived(policies=found, bindings=binding) == "^(?:read_file|write_file)$"
    binding.append({"agents": ["y"], "policy": "base"})
    assert derived(policies=found, bindings=binding) == "*"


def test_without_a_default_policy_everything_is_denied_to_some_agent():
    found = policies(bound=("audit", "fs.write"))
    binding = [{"agents": ["x"], "policy": "bound"}]
    assert derived(policies=found, bindings=binding, default_policy=None) == "*"


def test_a_literal_matcher_is_kept_as_it_is():
    for matcher in ("code_execution", "read_file|write_file", ".*_file", "*", ".*", ""):
        generated = document({"g": {"pre_tool_execution": [entry(COMMAND, matcher=matcher)]}})
        assert generated["g"]["pre_tool_execution"][0]["matcher"] == matcher


def test_handlers():
    endpoint = {
        "type": "http",
        "url": "https://x.example.com/a?b=c",
        "headers": {"X-Event-Source": "sandbox"},
    }
    events = [entry("server", timeout=5), entry(COMMAND), entry(endpoint, timeout=7)]
    generated = document(
        {"g": {"pre_tool_execution": events, "post_tool_execution": [entry("server")]}},
        [rule()],
        server={"url": "https://policy.example.com:8443/base/"},
    )
    base = "https://policy.example.com:8443/base/v1/hooks"
    assert [hook["hooks"] for hook in generated["g"]["pre_tool_execution"]] == [
        [GATE, {"type": "http", "url": f"{base}/pre_tool_execution", "timeout": 5}],
        [COMMAND | {"timeout": 30}],
        [endpoint | {"timeout": 7}],
    ]
    assert generated["g"]["post_tool_execution"][0]["hooks"][0]["url"] == f"{base}/post_tool_execution"


def test_a_timeout_left_out_is_written_as_the_default():
    generated = document({"g": {"pre_tool_execution": [{"handler": COMMAND}]}}, [rule()])
    assert generated["g"]["pre_tool_execution"][0]["hooks"][0]["timeout"] == 30


@pytest.mark.parametrize("authored", [{}, {"enabled": True}, {"enabled": False}])
def test_enabled_is_written_where_it_was_authored(authored):
    generated = document({"g": authored | {"post_tool_execution": [entry(COMMAND)]}}, [rule()])
    assert {key: value for key, value in generated["g"].items() if key == "enabled"} == authored


def test_groups_keep_their_order_and_events_theirs():
    hooks = {
        name: {"post_tool_execution": [entry(COMMAND)], "pre_tool_execution": [entry(COMMAND)]}
        for name in ("z", "a", "m")
    }
    generated = document(hooks, [rule()])
    assert list(generated) == ["z", "a", "m"]
    assert list(generated["z"]) == ["pre_tool_execution", "post_tool_execution"]


def test_what_nothing_can_touch_is_left_out():
    hooks = {
        "gone": {"pre_tool_execution": [entry(COMMAND)]},
        "half": {
            "pre_tool_execution": [entry(COMMAND), entry(COMMAND, matcher="*")],
            "post_tool_execution": [],
        },
        "empty": {"enabled": True},
    }
    generated = document(hooks, [rule(tools=["crm.*"])])
    assert list(generated) == ["half"]
    assert [hook["matcher"] for hook in generated["half"]["pre_tool_execution"]] == ["*"]
    assert "post_tool_execution" not in generated["half"]


@pytest.mark.parametrize("hooks", [None, []])
def test_no_hooks_is_an_empty_document(hooks):
    assert generate_hooks(plan_data([], hooks=hooks)).files == {".agents/hooks.json": "{}\n"}


def test_the_text_is_stable():
    hooks = {"g": {"pre_tool_execution": [entry({"type": "command", "command": "echo 'é'"}, matcher="*")]}}
    assert generate_hooks(plan_data([], hooks=named(hooks))).files[".agents/hooks.json"] == (
        '{\n  "g": {\n    "pre_tool_execution": [\n      {\n        "matcher": "*",\n        "hooks": [\n'
        '          {\n            "type": "command",\n            "command": "echo \'\\u00e9\'",\n'
        '            "timeout": 30\n          }\n        ]\n      }\n    ]\n  }\n}\n'
    )


def as_authored(group):
    """A group of hooks.json as bundle.yaml's data has it."""
    return {
        event: [
            {
                "matcher": item["matcher"],
                "handler": {key: value for key, value in handler.items() if key != "timeout"},
                "timeout": handler["timeout"],
            }
            for item in items
            for handler in item["hooks"]
        ]
        if isinstance(items, list)
        else items
        for event, items in group.items()
    }


@pytest.mark.parametrize("name", ["gate", "auto-format", "privacy", "audit"])
def test_the_seeds_documents(name):
    text = (SEEDS / f"{name}.json").read_text("utf-8")
    hooks = {group: as_authored(content) for group, content in json.loads(text).items()}
    assert generate_hooks(plan_data([], hooks=named(hooks))).files[".agents/hooks.json"] == text


OWN_SCRIPT = entry({"type": "command", "command": "python3 /.agents/hooks-scripts/gate.py"})


@pytest.mark.parametrize("beside", ["gate", "server"])
def test_a_script_of_the_authors_never_has_the_gates_name(beside):
    """The author's own would be replaced, and would then decide by something else."""
    hooks = {"g": {"pre_tool_execution": [OWN_SCRIPT, entry(beside)]}}
    with pytest.raises(HooksError) as error:
        document(hooks, [rule()], server=SERVER)
    assert error.value.code == "script_clash"
    assert "g.pre_tool_execution[0] runs .agents/hooks-scripts/gate.py" in error.value.message
    assert document({"g": {"pre_tool_execution": [OWN_SCRIPT]}}, [rule()])


def test_a_script_of_somebody_elses_on_disk_is_left(tmp_path):
    script = tmp_path / ".agents/hooks-scripts/gate.py"
    script.parent.mkdir(parents=True)
    script.write_text("import json\n")
    generated = generate_hooks(plan_data([rule()]))
    with pytest.raises(HooksError) as error:
        write_files(generated, tmp_path)
    assert error.value.code == "script_clash"
    assert script.read_text() == "import json\n"
    assert not (tmp_path / ".agents/hooks.json").exists()
    script.write_text(generated.files[".agents/hooks-scripts/gate.py"] + "# an older one\n")
    write_files(generated, tmp_path)
    assert "an older one" not in script.read_text()


def test_the_command_line_denies_where_no_python_is(tmp_path):
    """Without a shell, the second half is arguments that the gate leaves alone."""
    write_files(generate_hooks(plan_data([rule(tools=["shell.exec"])])), tmp_path)
    [group] = json.loads((tmp_path / ".agents/hooks.json").read_text()).values()
    line = group["pre_tool_execution"][0]["hooks"][0]["command"]
    nowhere = subprocess.run(
        ["/bin/sh", "-c", line], env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=False
    )
    assert (nowhere.returncode, json.loads(nowhere.stdout)["decision"]) == (0, "deny")
    words = shlex.split(line.replace("/.agents", str(tmp_path / ".agents")))
    event = json.dumps({"tool_call": {"name": "read_file", "args": {"path": "a"}}, "environment_id": "e"})
    bare = subprocess.run(words, input=event, capture_output=True, text=True, check=False)
    assert (bare.returncode, bare.stdout) == (0, '{"decision": "allow"}')
