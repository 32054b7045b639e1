import itertools
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from policyc_server.gateway.vendors.responses_chain import Chain
from policyc_server.gateway.vendors.responses_stream import ResponsesStream
from policyc_server.gateway.vendors.vendor import Note, Rewrite, Unreadable

from policyc.stand_in.script import Item, Text, Thought, ToolCall, turn
from server.gateway.vendors.driving import LATER, Driver, allow, events, sent

PATH = "/v1/responses"
SHELL = Item(
    {
        "type": "shell_call",
        "id": "sh",
        "call_id": "c9",
        "status": "completed",
        "action": {"commands": ["ls", "id"]},
    }
)
PARTS = st.lists(
    st.sampled_from(
        [Text("hello"), Thought("hm"), ToolCall("crm.get", '{"id": 1}'), ToolCall("pay", "{}"), SHELL]
    ),
    max_size=5,
)


def datas(content: bytes) -> list[dict]:
    return [json.loads(event.data) for event in events(content)]


def final(content: bytes) -> dict:
    return datas(content)[-1]["response"]


def check_numbers(content: bytes) -> None:
    """Sequence numbers count up, an item is added once, in order, and the last event lists all items."""
    found = datas(content)
    assert [data["sequence_number"] for data in found] == list(range(len(found)))
    added = [data["output_index"] for data in found if data["type"] == "response.output_item.added"]
    assert added == list(range(len(added)))
    done = [data["item"] for data in found if data["type"] == "response.output_item.done"]
    assert done == found[-1]["response"]["output"]


@given(PARTS)
def test_what_is_allowed_is_byte_for_byte_what_came(parts):
    content = sent(PATH, turn(*parts))
    driver = Driver(ResponsesStream(Chain()), allow).feed(content)
    assert driver.end() == content
    assert (driver.ends, driver.stream.is_over) == (1, True)
    assert len(driver.calls) == sum(isinstance(part, ToolCall | Item) for part in parts)


@given(
    PARTS,
    st.lists(st.sampled_from([None, LATER, Note("no"), Rewrite({"command": "x"})]), min_size=5, max_size=5),
)
def test_numbers_and_the_last_event_stay_true_whatever_is_decided(parts, decisions):
    turns = iter(decisions)
    driver = Driver(ResponsesStream(Chain()), lambda _call: next(turns), Note("blocked")).feed(
        sent(PATH, turn(*parts))
    )
    content = driver.end()
    check_numbers(content)
    assert len(final(content)["output"]) == len(parts)


def test_nothing_of_a_held_call_is_released_and_text_goes_ahead_of_it():
    content = sent(PATH, turn(ToolCall("pay", '{"secret": 1}'), Text("and on", 1)))
    driver = Driver(ResponsesStream(Chain()), lambda _call: LATER).feed(content)
    ahead = b"".join(driver.released)
    assert b"and on" in ahead
    assert b"secret" not in ahead
    assert b"function_call" not in ahead
    assert [(call.name, call.raw) for call in driver.calls] == [("pay", '{"secret": 1}')]
    check_numbers(driver.end())


def test_the_message_goes_on_after_a_restart():
    stream = ResponsesStream(Chain())
    first = Driver(stream, lambda _call: LATER).feed(sent(PATH, turn("Wait. ", ToolCall("pay"))))
    assert [item["type"] for item in stream.answer()["output"]] == ["message", "function_call"]
    stream.restart()
    second = Driver(stream, allow).feed(sent(PATH, turn("Done.", ToolCall("crm.get")), number=2))
    content = b"".join(first.released) + second.end()
    check_numbers(content)
    assert [item["type"] for item in final(content)["output"]] == ["message", "message", "function_call"]
    assert final(content)["id"] == "resp_1"


def test_a_stored_answer_is_resumed_with_results_of_what_was_blocked():
    chain = Chain()
    stream = ResponsesStream(chain)
    stream.restart()  # as if a first answer had been continued
    decide = lambda call: None if call.name == "crm.get" else Note("over the cap")  # noqa: E731
    driver = Driver(ResponsesStream(chain), decide).feed(
        sent(PATH, turn(ToolCall("crm.get"), ToolCall("pay", id="p")))
    )
    driver.end()
    resumed = chain.resumed({"previous_response_id": "resp_1", "input": "go on"})
    assert resumed == {
        "previous_response_id": "resp_1",
        "input": [
            {"type": "function_call_output", "call_id": "p", "output": "over the cap"},
            {"role": "user", "content": "go on"},
        ],
    }
    assert chain.resumed(unknown := {"previous_response_id": "resp_9"}) is unknown


def test_results_of_a_hosted_call_wait_for_it_and_go_with_it():
    hosted = {"type": "shell_call", "id": "sh", "call_id": "c", "action": {"commands": ["ls"]}}
    hosted["environment"] = {"type": "container_reference", "container_id": "x"}
    output = {"type": "shell_call_output", "id": "so", "call_id": "c", "output": [{"stdout": "secret"}]}
    content = sent(PATH, turn(Item(hosted), Item(output), "ok"))
    assert Driver(ResponsesStream(Chain()), allow).feed(content).end() == content
    for decision in (Note("no"), LATER):
        driver = Driver(ResponsesStream(Chain()), lambda _call, found=decision: found, Note("no")).feed(
            content
        )
        assert driver.calls[0].is_hosted
        ended = driver.end()
        assert b"secret" not in ended
        check_numbers(ended)


def changed(kind: str, **change: object) -> bytes:
    """A turn with one call, whose event of that type is another one."""
    content = sent(PATH, turn("a", ToolCall("pay", "{}")))
    written = []
    for event in events(content):
        data = json.loads(event.data)
        if data["type"] == kind:
            data |= change
        written.append(f"event: {data['type']}\ndata: {json.dumps(data)}\n\n".encode())
    return b"".join(written)


CALL = {"type": "function_call", "call_id": "c", "name": "pay", "arguments": "{}"}


@pytest.mark.parametrize(
    "content",
    [
        changed("response.created", response={"output": [CALL]}),
        changed("response.content_part.added", output_index=7),
        changed("response.function_call_arguments.delta", output_index="1"),
        changed("response.output_item.done", item=CALL),
        changed("response.in_progress", type="response.new", item=CALL),
        changed("response.output_item.added", item={**CALL, "name": "crm.get"}),
        sent(PATH, turn(ToolCall("pay"))).replace(b"event: response.completed", b"event: response.other"),
        sent(PATH, turn("a")) + sent(PATH, turn(ToolCall("pay"))),
        b'data: {"type": "response.created", "response": {"output": [], "output": []}}\n\n',
        b"data: [1]\n\n",
    ],
)
def test_what_is_not_the_apis_is_refused(content):
    with pytest.raises(Unreadable):
        Driver(ResponsesStream(Chain()), allow).feed(content).end()


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("response.function_call_arguments.delta", {"delta": '{"amount": 1}'}),
        ("response.function_call_arguments.done", {"arguments": '{"amount": 1}'}),
        ("response.function_call_arguments.done", {"arguments": None}),
    ],
)
def test_a_call_that_its_events_tell_differently_is_unreadable(kind, change):
    driver = Driver(ResponsesStream(Chain()), lambda _call: Note("no")).feed(changed(kind, **change))
    assert [call.raw for call in driver.calls] == [None]
    assert b"amount" not in driver.end()


@pytest.mark.parametrize("arguments", ["{}", '{"amount":1}'])
def test_a_call_that_begins_with_arguments_has_no_more_and_no_others(arguments):
    began = sent(PATH, turn(ToolCall("pay", "{}"))).replace(
        b'"arguments":""', b'"arguments":' + json.dumps(arguments).encode(), 1
    )
    driver = Driver(ResponsesStream(Chain()), lambda _call: Note("no")).feed(began)
    assert [call.raw for call in driver.calls] == [None]
    alone = re.sub(rb"event: response.function_call_arguments.*\n.*\n\n", b"", began)
    driver = Driver(ResponsesStream(Chain()), lambda _call: Note("no")).feed(alone)
    assert [call.raw for call in driver.calls] == ["{}" if arguments == "{}" else None]


def test_no_number_of_items_stops_the_server():
    added, *_ = events(sent(PATH, turn(SHELL)))[2:]
    data = json.loads(added.data)
    many = [f"data: {json.dumps({**data, 'output_index': n})}\n\n".encode() for n in range(2001)]
    Driver(ResponsesStream(Chain()), allow).feed(b"".join(many[:2000]))
    with pytest.raises(Unreadable):
        Driver(ResponsesStream(Chain()), allow).feed(b"".join(many))


@pytest.mark.parametrize("told", ["+x", "+rm"])
def test_the_diff_of_a_patch_is_held_and_compared(told):
    operation = {"type": "create_file", "path": "a", "diff": "+x"}
    patch = {"type": "apply_patch_call", "id": "ap", "call_id": "c", "operation": operation}
    added, done, completed = events(sent(PATH, turn(Item(patch))))[2:]
    kind = "response.apply_patch_call_operation_diff"
    for one in ({"type": f"{kind}.delta", "delta": told}, {"type": f"{kind}.done", "diff": told}):
        between = f"data: {json.dumps({**one, 'output_index': 0})}\n\n".encode()
        driver = Driver(ResponsesStream(Chain()), lambda _call: Note("no"))
        driver.feed(added.raw + between + done.raw + completed.raw)
        assert (driver.calls[0].raw is None) == (told != "+x")


def shell_events(*commands: str) -> bytes:
    """A shell call whose commands come in events of their own."""
    added, *_, done, completed = events(sent(PATH, turn(SHELL)))[2:]
    told = [
        {"type": f"response.shell_call_command.{kind}", "output_index": 0, "command_index": place, **what}
        for place, command in enumerate(commands)
        for kind, what in (
            ("added", {"command": ""}),
            ("delta", {"delta": command}),
            ("done", {"command": command}),
        )
    ]
    between = b"".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n".encode() for one in told)
    return added.raw + between + done.raw + completed.raw


def test_commands_of_a_shell_call_are_held_and_compared():
    driver = Driver(ResponsesStream(Chain()), allow).feed(shell_events("ls", "id"))
    assert driver.calls[0].raw["command"] == "ls\nid"
    other = Driver(ResponsesStream(Chain()), lambda _call: Note("no")).feed(shell_events("ls", "rm"))
    assert other.calls[0].raw is None
    more = Driver(ResponsesStream(Chain()), lambda _call: Note("no")).feed(shell_events("ls", "id", "rm"))
    assert more.calls[0].raw is None


def test_a_call_that_only_the_last_event_has_never_leaves():
    content = changed("response.completed", response={"output": [CALL, CALL, CALL], "id": "r"})
    driver = Driver(ResponsesStream(Chain()), allow).feed(content)
    assert len(final(driver.end())["output"]) == 2


def test_an_error_event_ends_the_stream_and_drops_what_is_held():
    broken = sent(PATH, turn(ToolCall("pay", '{"secret": 1}')))
    cut = b"".join(
        event.raw
        for event in itertools.takewhile(lambda e: e.name != "response.output_item.done", events(broken))
    )
    error = b'event: error\ndata: {"type": "error", "message": "overloaded"}\n\n'
    driver = Driver(ResponsesStream(Chain()), allow).feed(cut + error)
    assert driver.stream.is_over
    assert driver.released[-1] == error
    assert b"secret" not in b"".join(driver.released)
