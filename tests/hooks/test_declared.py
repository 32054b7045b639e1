import pytest

from policyc.hooks.declared import Command, Gate, Http, allowed_domains, read_groups
from policyc.hooks.errors import CODES, HooksError

COMMAND = {"type": "command", "command": "x"}


def read(handler=COMMAND, *, server=None, **entry):
    data = {"hooks": [{"name": "g", "pre_tool_execution": [{"handler": handler, **entry}]}], "server": server}
    return read_groups(data)[0].entries[0]


def http(url, **keys):
    return {"type": "http", "url": url, **keys}


def test_what_is_declared():
    entry = read(matcher="a|b", timeout=9)
    assert (entry.place, entry.event) == ("g.pre_tool_execution[0]", "pre_tool_execution")
    assert (entry.matcher, entry.handler, entry.timeout) == ("a|b", Command("x"), 9)
    assert read(http("https://x.test/y")).handler == Http("https://x.test/y")
    assert read("gate").handler == Gate()


REFUSED = [
    {"matcher": "*_file"},
    {"matcher": "(?!read)_file"},
    {"matcher": 1},
    {"handler": "server"},
    {"handler": "server", "server": {"url": "http://policy.example.com/hunter2"}},
    {"handler": "server", "server": {"url": "https://policy.example.com?x=hunter2"}},
    {"handler": http("http://policy.example.com/hunter2")},
    {"handler": http("https://localhost/hunter2")},
    {"handler": http("https://127.0.0.1:8080/hunter2")},
    {"handler": http("https://10.0.0.1/")},
    {"handler": http("https://")},
    {"handler": http("https://?x")},
    {"handler": http("https://x.test/a b")},
    {"handler": http("https://x.test\n.evil/")},
    {"handler": http("https://x.test:port/")},
    {"handler": http("https://bücher.example/")},
    {"handler": http("https://x.test/", headers={"X": 1})},
    {"handler": "gate", "timeout": 1},
    {"handler": "door"},
    {"handler": None},
    {"handler": {"type": "shell"}},
    {"handler": {"type": "command"}},
    {"timeout": 0},
    {"timeout": True},
    {"timeout": 1.5},
]


@pytest.mark.parametrize("entry", REFUSED, ids=str)
def test_what_the_agent_would_skip_is_refused(entry):
    with pytest.raises(HooksError) as error:
        read(**entry)
    assert error.value.code == "hooks_invalid"
    assert error.value.hint == CODES["hooks_invalid"]
    assert "hunter2" not in str(error.value)


@pytest.mark.parametrize(
    "hooks",
    [
        {},
        [[]],
        [{}],
        [{"name": "g", "enabled": 1}],
        [{"name": "g", "pre_tool_execution": {}}],
        [{"name": "g", "pre_tool_execution": [1]}],
    ],
)
def test_another_shape_is_refused(hooks):
    with pytest.raises(HooksError) as error:
        read_groups({"hooks": hooks})
    assert error.value.code == "hooks_invalid"


def test_the_allowlist():
    assert allowed_domains({}) is None
    assert allowed_domains({"network": {"allowlist": []}}) == ()
    entries = [{"domain": "a.test", "transform": {"X": "y"}}, {"domain": "*"}]
    assert allowed_domains({"network": {"allowlist": entries}}) == ("a.test", "*")
