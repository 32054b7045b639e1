from builders import named, plan_data, rule

from policyc.hooks.generate import generate_hooks

COMMAND = {"type": "command", "command": "python3 gate.py"}
SERVER = {"url": "https://policy.example.com"}
UNSEEN = "`function` and `mcp_server` tools never reach them"
WRITABLE = "mount that source read-only"
NOTHING = "No hook runs"


def notes(hooks, rules=(), **changes):
    return generate_hooks(plan_data(list(rules), hooks=named(hooks), server=SERVER, **changes)).notes


def pre(*handlers, **changes):
    return {
        "pre_tool_execution": [
            {"matcher": None, "handler": handler, "timeout": 10} | changes for handler in handlers
        ]
    }


def post(*handlers):
    return {"post_tool_execution": pre(*handlers)["pre_tool_execution"]}


def some(found, *words):
    return [note for note in found if all(word in note for word in words)]


def test_every_handler_before_a_call_is_named_with_how_it_fails():
    endpoint = {"type": "http", "url": "https://x.example.com/secret-path"}
    found = notes({"gate": pre(COMMAND, endpoint, "server")}, [rule()])
    [command] = some(found, "gate.pre_tool_execution[0] fails open", '"python3 gate.py"', "10 s")
    assert "exits other than 0 (2 is no deny here)" in command
    [http] = some(found, "gate.pre_tool_execution[1] fails open", "x.example.com", "2xx")
    assert "secret-path" not in http
    [gate] = some(found, "gate.pre_tool_execution[2]: the gate denies on any fault of its own")
    assert "without a python3" in gate
    [server] = some(found, "gate.pre_tool_execution[2]: when the evaluator at policy.example.com")
    assert server.endswith("only the gate has decided.")


def test_after_a_call_only_the_event_is_lost():
    found = notes({"log": post(COMMAND)}, [rule()])
    assert some(found, "log.post_tool_execution[0]", "the event is lost")
    assert not some(found, "fails open")


def test_what_is_always_said():
    found = notes({"g": pre("server")})
    assert some(found, UNSEEN)
    assert some(found, WRITABLE)
    assert not some(found, NOTHING)


def test_a_bundle_without_hooks_gets_the_gate_where_it_has_something_to_decide():
    found = notes({}, [rule(tools=["shell.*"])])
    assert some(found, "declares no hooks, so the gate stands before every call")
    assert some(found, "generate again when they change")
    assert notes({}) == [
        "policyc is left out: no rule can touch a tool that hooks see.",
        "No hook runs: nothing in the sandbox is checked or recorded.",
    ]


def test_a_gate_decides():
    ruled = [rule(tools=["shell.*"])]
    assert not some(notes({"g": pre("gate")}, ruled), "Neither the gate nor the evaluator")
    assert not some(notes({"g": pre("gate")}, ruled), "the evaluator at")


def test_hosts_and_the_allowlist():
    hooks = {"g": pre("server")}

    def about_host(**changes):
        [note] = some(notes(hooks, **changes), "policy.example.com", "network.allowlist")
        return note

    assert "must be in the environment's network.allowlist" in about_host()
    assert "is in network.allowlist" in about_host(network={"allowlist": [{"domain": "*.example.com"}]})
    assert "is not in the bundle's" in about_host(network={"allowlist": [{"domain": "other.example.com"}]})


def test_groups_that_do_not_run():
    hooks = {
        "gone": pre(COMMAND),
        "empty": {"enabled": True},
        "off": {"enabled": False, **pre(COMMAND, matcher="*")},
        "half": {
            "pre_tool_execution": [
                *pre(COMMAND)["pre_tool_execution"],
                *pre(COMMAND, matcher="*")["pre_tool_execution"],
            ]
        },
    }
    found = notes(hooks, [rule(tools=["crm.*"])])
    assert "gone is left out: no rule can touch a tool that hooks see." in found
    assert "empty is left out: it has no handlers." in found
    assert "off is disabled: nothing in it runs." in found
    assert "half.pre_tool_execution[0] is left out: no rule can touch a tool that hooks see." in found
    assert not some(found, "off.pre_tool_execution")
    assert some(found, "half.pre_tool_execution[1] fails open")


def test_only_disabled_groups_means_nothing_runs():
    found = notes({"off": {"enabled": False, **pre("server")}})
    assert found == [
        "off is disabled: nothing in it runs.",
        "No hook runs: nothing in the sandbox is checked or recorded.",
    ]


def test_a_matcher_for_no_tool():
    found = notes({"g": pre("server", matcher="Bash")}, [rule(tools=["shell.*"])])
    assert some(found, 'g.pre_tool_execution[0] never runs: its matcher "Bash"')
    assert some(found, "Neither the gate nor the evaluator decides before code_execution")
    # A part of a name: whether the agent searches or matches in full is not documented.
    assert some(notes({"g": pre(COMMAND, matcher="file")}), "never runs")


def test_tools_whose_rules_nobody_asks_about():
    ruled = [rule(tools=["shell.*", "fs.read"])]
    found = notes({"g": pre("server", matcher="code_execution")}, ruled)
    assert some(
        found, "Neither the gate nor the evaluator decides before read_file: rules on these do not hold here."
    )
    assert not some(notes({"g": pre("server")}, ruled), "Neither the gate")
    assert some(notes({"g": pre(COMMAND)}, ruled), "these hooks do not enforce the policies")
    assert some(
        notes({"g": post("server")}, ruled), "Neither the gate nor the evaluator decides before a call"
    )
    assert not some(notes({"g": pre(COMMAND, matcher="*")}), "Neither the gate")


def test_rules_that_no_hook_enforces():
    pinned = [rule(stages=["egress"], label=f"pinned {n}") for n in range(7)]
    found = notes({"g": pre("server")}, [*pinned, rule(tools=["crm.*"], label="crm"), rule(label="all")])
    [elsewhere] = some(found, "Pinned to other stages")
    assert 'p: "pinned 0"' in elsewhere
    assert elsewhere.endswith('p: "pinned 4" and 2 more.')
    [unseen] = some(found, "tools that hooks do not see")
    assert unseen.endswith('p: "crm".')


def test_bindings_do_not_hold_at_a_hook():
    changes = {"bindings": [{"agents": ["x"], "policy": "p"}]}
    assert some(notes({"g": pre("server")}, **changes), "`bindings` cannot tell agents apart")
    assert not some(notes({"g": pre("server")}), "bindings")


def test_a_note_is_one_line_of_text_whatever_the_command_holds():
    hooks = {"g": pre({"type": "command", "command": "x\n\x1b[31m" + "y" * 500}, matcher="*")}
    [note] = some(notes(hooks), "fails open")
    assert note.isprintable()
    assert len(note) < 400
