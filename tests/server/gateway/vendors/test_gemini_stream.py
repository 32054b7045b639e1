import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from policyc_server.gateway.vendors.gemini_stream import GeminiStream
from policyc_server.gateway.vendors.vendor import Note, Rewrite, Unreadable

from policyc.stand_in.script import Item, Text, Thought, ToolCall, turn
from server.gateway.vendors.driving import LATER, Driver, allow, events, sent

PATH = "/v1beta/models/m:streamGenerateContent"
CODE = Item({"executableCode": {"code": "print(1)", "language": "PYTHON"}})
RESULT = Item({"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "secret"}})
PARTS = st.lists(
    st.sampled_from(
        [Text("hello"), Thought("hm"), ToolCall("crm.get", '{"id": 1}'), ToolCall("pay", signature="s"), CODE]
    ),
    max_size=5,
)


def chunk(*parts: dict, finish: str | None = None, **more: object) -> bytes:
    candidate = {
        "content": {"role": "model", "parts": list(parts)},
        **({} if finish is None else {"finishReason": finish}),
    }
    return f"data: {json.dumps({'candidates': [{**candidate, **more}]})}\r\n\r\n".encode()


def parts(content: bytes) -> list[dict]:
    found = [json.loads(event.data) for event in events(content)]
    return [
        part
        for data in found
        for each in data["candidates"]
        for part in each["content"]["parts"]
        if part != {"text": ""}
    ]


def finishes(content: bytes) -> list[str]:
    found = [json.loads(event.data) for event in events(content)]
    return [each["finishReason"] for data in found for each in data["candidates"] if "finishReason" in each]


CALL = {"functionCall": {"name": "pay", "args": {"secret": 1}}}
GET = {"functionCall": {"name": "crm.get", "args": {}}}
TEXT = {"text": "hello"}


@given(PARTS)
def test_what_is_allowed_is_byte_for_byte_what_came(said):
    content = sent(PATH, turn(*said))
    driver = Driver(GeminiStream(1), allow).feed(content)
    assert driver.end() == content
    assert (driver.ends, driver.stream.is_over) == (1, True)


@pytest.mark.parametrize(
    "content",
    [
        chunk(TEXT, CALL, GET) + chunk({"text": ""}, finish="STOP"),
        chunk(TEXT, CALL, GET, finish="STOP"),
        chunk(CALL) + chunk(TEXT, finish="STOP"),
        b": comment\r\n\r\n" + chunk(CALL, finish="STOP") + b'data: {"usageMetadata": {}}\r\n\r\n',
        b'data: {"promptFeedback": {"blockReason": "SAFETY"}}\r\n\r\n',
    ],
)
def test_events_of_any_make_are_released_as_they_came(content):
    driver = Driver(GeminiStream(1), allow)
    assert driver.feed(content).end() == content
    assert driver.ends == 1


@given(PARTS, st.lists(st.sampled_from([None, LATER, Note("no"), Rewrite({"a": 1})]), min_size=5, max_size=5))
def test_every_part_arrives_once_and_the_end_comes_last(said, decisions):
    turns = iter(decisions)
    driver = Driver(GeminiStream(1), lambda _call: next(turns), Note("blocked"))
    content = driver.feed(sent(PATH, turn(*said))).end()
    texts = sum(isinstance(part, Text) for part in said)
    assert len(parts(content)) == len(said) + texts
    assert finishes(content) == ["STOP"]
    assert b"finishReason" in events(content)[-1].raw


def test_the_text_of_an_event_goes_ahead_of_its_call():
    driver = Driver(GeminiStream(1), lambda _call: LATER, Note("no")).feed(chunk(TEXT, CALL, finish="STOP"))
    assert parts(b"".join(driver.released)) == [TEXT]
    assert finishes(b"".join(driver.released)) == []
    content = driver.end()
    assert parts(content) == [TEXT, {"text": "no"}]
    assert finishes(content) == ["STOP"]


def test_text_of_the_last_event_is_not_lost_where_the_message_goes_on():
    stream = GeminiStream(1)
    first = Driver(stream, lambda _call: LATER).feed(chunk(CALL) + chunk(TEXT, finish="STOP"))
    assert stream.answer()["candidates"][0]["content"]["parts"] == [CALL, TEXT]
    stream.restart()
    content = b"".join(first.released) + Driver(stream, allow).feed(chunk(GET, finish="STOP")).end()
    assert parts(content) == [TEXT, GET]
    assert finishes(content) == ["STOP"]


@pytest.mark.parametrize("decision", [LATER, Note("no")])
def test_the_first_call_that_arrives_has_the_signature_of_the_turn(decision):
    signed = {**CALL, "thoughtSignature": "sig"}
    driver = Driver(GeminiStream(1), lambda call: decision if call.name == "pay" else None, Note("no"))
    content = driver.feed(chunk(signed) + chunk(GET) + chunk(GET, finish="STOP")).end()
    note = {"text": "no", "thoughtSignature": "sig"}
    calls = [part for part in parts(content) if part != note]
    assert calls == [{**GET, "thoughtSignature": "sig"}, GET]
    assert note in parts(content)


def test_what_a_hosted_call_returned_goes_with_it():
    content = sent(PATH, turn(CODE, RESULT, "ok"))
    assert Driver(GeminiStream(1), allow).feed(content).end() == content
    driver = Driver(GeminiStream(1), lambda _call: Note("no")).feed(content)
    assert [(call.name, call.is_hosted) for call in driver.calls] == [("code_execution", True)]
    assert b"secret" not in driver.end()


@pytest.mark.parametrize(
    ("part", "name", "raw"),
    [
        ({"function_call": {"name": "pay", "args": {"a": 1}}}, "pay", {"a": 1}),
        ({"functionCall": {"name": "pay"}}, "pay", {}),
        ({"functionCall": {"name": "pay", "args": "x"}}, "pay", None),
        ({"functionCall": {"name": "pay", "willContinue": True, "partialArgs": []}}, "pay", None),
        ({"functionCall": {}}, "unnamed_call", {}),
        ({"toolCall": {"toolType": "GOOGLE_MAPS", "args": {"q": 1}}}, "google_maps", {"q": 1}),
        ({"robotCall": {"x": 1}}, "robot_call", None),
    ],
)
def test_calls_in_any_form_are_seen(part, name, raw):
    driver = Driver(GeminiStream(1), lambda _call: Note("no")).feed(chunk(part, finish="STOP"))
    assert [(call.name, call.raw) for call in driver.calls] == [(name, raw)]
    assert parts(driver.end()) == [{"text": "no"}]


def test_faults_in_arguments_are_the_calls_and_elsewhere_the_answers():
    faulty = chunk(CALL, finish="STOP").replace(b'"secret": 1', b'"a": 1, "a": NaN')
    driver = Driver(GeminiStream(1), lambda _call: Note("no")).feed(faulty)
    assert b"NaN" not in driver.end()
    with pytest.raises(Unreadable):
        Driver(GeminiStream(1), allow).feed(chunk(CALL).replace(b'"role"', b'"parts": [], "role"'))


@pytest.mark.parametrize(
    "content",
    [
        b"data: [1]\r\n\r\n",
        chunk(finish="STOP") + chunk(CALL),
        b"data: {\r\n\r\n",
        chunk(CALL).replace(b'{"cand', b'{"error": null, "cand'),
        chunk(CALL).replace(b'{"cand', b'{"error": {"code": 503}, "cand'),
    ],
)
def test_what_is_not_the_apis_is_refused(content):
    with pytest.raises(Unreadable):
        Driver(GeminiStream(1), allow).feed(content)


def test_candidates_side_by_side_end_when_the_last_one_does():
    content = chunk(CALL, finish="STOP") + chunk(GET, finish="STOP", index=1)
    driver = Driver(GeminiStream(2), allow).feed(content)
    assert [call.key for call in driver.calls] == [(0, 0), (1, 0)]
    assert (driver.end(), driver.ends, driver.stream.is_single) == (content, 1, False)


def test_an_error_in_the_stream_ends_it():
    error = b'data: {"error": {"code": 503, "message": "overloaded"}}\r\n\r\n'
    driver = Driver(GeminiStream(1), lambda _call: LATER).feed(chunk(CALL) + error)
    assert driver.stream.is_over
    assert b"".join(driver.released) == error


def test_what_comes_behind_the_end_waits_for_it():
    late = b'data: {"usageMetadata": {"promptTokenCount": 3}}\r\n\r\n'
    driver = Driver(GeminiStream(1), lambda _call: LATER, Note("no")).feed(chunk(CALL, finish="STOP") + late)
    assert driver.released == []
    assert driver.end().endswith(late)
    assert driver.stream.usage.input == 3
