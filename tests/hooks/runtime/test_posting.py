import asyncio
import json
import logging
import ssl

import pytest
from hooks.runtime.driving import ALLOW, DENY, POST, hooked, only, payload, run
from hooks.runtime.https_server import CLOSED, HOST, PUBLIC, PublicWire

from policyc.hooks.runtime import read_hooks, read_network, run_event
from policyc.hooks.runtime.sandbox import Sandbox

SECRET = "Bearer telemetry-secret-123"
NETWORK = read_network(
    {
        "allowlist": [
            {"domain": HOST, "transform": {"Authorization": "Bearer ${TOKEN}", "X-Source": "the proxy"}},
            {"domain": "*"},
        ]
    },
    {"TOKEN": "telemetry-secret-123"},
)


def http(path="/x", host=HOST, **more):
    return {"type": "http", "url": f"https://{host}{path}", **more}


def posted(server, handler, *, event="pre_tool_execution", wire=None, network=NETWORK, call=None):
    sandbox = {"network": network, "wire": (wire or PublicWire(server)).wire}
    return run(hooked(handler, event=event), call, event=event, **sandbox)


@pytest.mark.parametrize(("answer", "outcome"), [(DENY, "deny"), (ALLOW, "allow")])
def test_a_decision(server, answer, outcome):
    server.says("/x", answer)
    result = posted(server, http())
    assert result.outcome == outcome
    handled = only(result)
    assert (handled.decision, handled.status, handled.exit_code) == (outcome, 200, None)


def test_the_same_event_is_posted_as_json(server):
    server.says("/x", ALLOW)
    call = payload(code="echo 'é' \U0001f600", language="bash")
    posted(server, http("/x?a=1&b=%20"), call=call)
    [(path, headers, body)] = server.requests
    assert path == "/x?a=1&b=%20"
    assert json.loads(body) == call
    sent = {name.lower(): value for name, value in headers.items()}
    assert sent["content-type"] == "application/json"
    assert sent["host"] == HOST


def test_any_2xx_is_read(server):
    server.says("/x", DENY, status=202)
    assert posted(server, http()).denied


def test_headers_of_the_file_and_of_the_proxy(server):
    server.says("/x", ALLOW)
    declared = {"X-Event-Source": "sandbox", "X-Source": "the file", "authorization": "Bearer mine"}
    posted(server, http(headers=declared))
    [(_, headers, _)] = server.requests
    assert headers["x-event-source"] == "sandbox"
    assert headers["x-source"] == "the proxy"
    assert headers["authorization"] == SECRET


def test_the_file_cannot_change_the_host_or_the_framing(server):
    server.says("/x", DENY)
    declared = {
        "Host": "evil.test",
        "Content-Length": "1",
        "Transfer-Encoding": "chunked",
        "Accept-Encoding": "gzip",
    }
    assert posted(server, http(headers=declared)).denied
    [(_, headers, body)] = server.requests
    assert headers["host"] == HOST
    assert "transfer-encoding" not in headers
    assert headers["accept-encoding"] == "identity"
    assert json.loads(body) == payload()


def test_the_connection_goes_to_the_address_that_was_checked(server):
    server.says("/x", DENY)
    wire = PublicWire(server)
    assert posted(server, http(), wire=wire).denied
    assert wire.looked_up == [(HOST, 443)]
    assert wire.connected == [PUBLIC]


def test_the_next_address_is_tried_when_one_takes_no_connection(server):
    server.says("/x", DENY)
    wire = PublicWire(server, addresses=(CLOSED, PUBLIC))
    assert posted(server, http(), wire=wire).denied
    assert wire.connected == [CLOSED, PUBLIC]
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("status", "text"), [(400, DENY), (403, DENY), (404, ""), (500, DENY), (503, "down"), (304, "")]
)
def test_another_status_lets_the_call_run(server, status, text):
    server.says("/x", text, status=status)
    result = posted(server, http())
    handled = only(result)
    assert (result.outcome, handled.cause, handled.status) == ("allow", "status_not_2xx", status)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_not_followed(server, status):
    server.says("/x", "", status=status, location=f"https://{HOST}/y")
    server.says("/y", DENY)
    handled = only(posted(server, http()))
    assert (handled.cause, handled.status) == ("status_not_2xx", status)
    assert [path for path, *_ in server.requests] == ["/x"]


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("", "answer_empty"),
        ("<html>deny</html>", "answer_not_json"),
        ("{}", "answer_unrecognised"),
        ('{"verdict": "deny"}', "answer_unrecognised"),
        (DENY + DENY, "answer_not_json"),
        (DENY + " " * (1 << 20), "answer_too_large"),
    ],
)
def test_other_content_lets_the_call_run(server, text, cause):
    server.says("/x", text)
    result = posted(server, http())
    assert (result.outcome, only(result).cause) == ("allow", cause)


def test_a_body_without_end_is_given_up_at_the_limit(server):
    sent = []

    def answer(handler):
        handler.send_response(200)
        handler.end_headers()  # until the connection ends
        handler.close_connection = True
        while len(sent) < 100_000:
            handler.wfile.write(b" " * 65536)
            sent.append(65536)

    server.answers["/x"] = answer
    assert only(posted(server, http())).cause == "answer_too_large"
    assert sum(sent) < 100_000_000


def test_a_compressed_body_is_not_inflated(server):
    import gzip

    server.says("/x", gzip.compress(b" " * 200_000_000 + DENY.encode()), **{"content-encoding": "gzip"})
    assert only(posted(server, http())).cause == "answer_not_json"


def trickle(server, start):
    def answer(handler):
        if start:
            handler.send_response(200)
            handler.send_header("content-length", "1000")
            handler.end_headers()
        while not server.released.wait(0.1):
            if start:
                handler.wfile.write(b" ")
                handler.wfile.flush()

    server.answers["/x"] = answer


@pytest.mark.parametrize("start", [False, True])
def test_the_timeout_is_for_the_whole_exchange(server, start):
    trickle(server, start)  # each byte comes in time
    result = posted(server, http(timeout=1))
    handled = only(result)
    assert (result.outcome, handled.cause) == ("allow", "timeout")


def test_a_lookup_that_hangs_times_out(server):
    wire = PublicWire(server)

    async def never(_host, _port):
        await asyncio.Event().wait()

    wire.wire = type(wire.wire)(never, wire.wire.transport)
    assert only(posted(server, http(timeout=1), wire=wire)).cause == "timeout"


def test_a_cancelled_exchange_ends(server):
    trickle(server, True)
    hooks = read_hooks(hooked(http()))

    async def cancelled():
        sandbox = Sandbox(NETWORK, wire=PublicWire(server).wire)
        running = asyncio.create_task(run_event(hooks, "pre_tool_execution", payload(), sandbox))
        while not server.requests:
            await asyncio.sleep(0.01)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        assert running.cancelled()

    asyncio.run(cancelled())


@pytest.mark.parametrize(
    ("handler", "cause"),
    [
        (http(host="user:hush-hush@hooks.example.com"), "url_refused"),
        (http(host="hooks.example.com:99999"), "url_refused"),
        (http(host="[::1"), "url_refused"),
        (http(headers={"X Y": "1"}), "header_invalid"),
        (http(headers={"X": "1\r\nAuthorization: none"}), "header_invalid"),
        (http(headers={"X": "é"}), "header_invalid"),
        (http(host="localhost"), "target_refused"),
        (http(host="LOCALHOST."), "target_refused"),
        (http(host="printer"), "target_refused"),
        (http(host="a.localhost"), "target_refused"),
        (http(host="metadata.google.internal"), "target_refused"),
        (http(host="127.0.0.1"), "target_refused"),
        (http(host="127.1"), "target_refused"),
        (http(host="2130706433"), "target_refused"),
        (http(host="10.1.2.3:8443"), "target_refused"),
        (http(host="169.254.169.254"), "target_refused"),
        (http(host="[::1]"), "target_refused"),
        (http(host="[::ffff:127.0.0.1]"), "target_refused"),
        (http(host="[fd00::1]"), "target_refused"),
    ],
)
def test_refused_before_any_lookup(server, handler, cause):
    wire = PublicWire(server)
    result = posted(server, handler, wire=wire)
    assert (result.outcome, only(result).cause) == ("allow", cause)
    assert "hush" not in json.dumps(result.document())
    assert wire.looked_up == wire.connected == []


@pytest.mark.parametrize(
    "host", ["127.0x1", "0x7f.0.0.0x1", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[::127.0.0.1]"]
)
def test_other_spellings_of_loopback_are_refused_after_the_lookup(host):
    """With the wire of this machine: nothing here stands for a public host."""
    handled = only(run(hooked(http(host=host)), network=read_network({"allowlist": [{"domain": "*"}]}, {})))
    assert handled.cause == "target_refused"


@pytest.mark.parametrize(
    "addresses",
    [
        ("127.0.0.1",),
        ("10.0.0.7",),
        ("169.254.169.254",),
        ("::1",),
        (PUBLIC, "127.0.0.1"),
        ("::ffff:192.168.0.1", PUBLIC),
        ("64:ff9b::a9fe:a9fe",),
    ],
)
def test_a_name_that_leads_inside_is_refused(server, addresses):
    wire = PublicWire(server, addresses)
    handled = only(posted(server, http(), wire=wire))
    assert handled.cause == "target_refused"
    assert HOST in handled.detail
    assert wire.connected == server.requests == []


def test_a_name_is_looked_up_once_so_it_cannot_be_rebound(server):
    server.says("/x", DENY)
    wire = PublicWire(server)
    answers = iter([[PUBLIC], ["127.0.0.1"]])

    async def rebound(_host, _port):
        return next(answers)

    wire.wire = type(wire.wire)(rebound, wire.wire.transport)
    assert posted(server, http(), wire=wire).denied
    assert wire.connected == [PUBLIC]
    assert next(answers) == ["127.0.0.1"]


def test_a_host_off_the_allowlist(server):
    wire = PublicWire(server)
    network = read_network({"allowlist": [{"domain": "*.hooks.example.com"}, {"domain": "other.test"}]}, {})
    handled = only(posted(server, http(), wire=wire, network=network))
    assert (handled.cause, handled.detail) == ("host_not_allowed", HOST)
    assert only(run(hooked(http()))).cause == "host_not_allowed"
    assert wire.looked_up == []


def test_a_name_without_addresses(server):
    assert only(posted(server, http(), wire=PublicWire(server, addresses=()))).cause == "name_unresolved"
    handled = only(run(hooked(http(host="no-such-name.invalid")), network=NETWORK))
    assert handled.cause == "name_unresolved"


def test_no_connection(server):
    handled = only(posted(server, http(), wire=PublicWire(server, addresses=(CLOSED,))))
    assert (handled.cause, handled.detail) == ("connection_failed", "Connection refused")


def test_a_certificate_that_is_not_trusted(server):
    handled = only(posted(server, http(), wire=PublicWire(server, context=ssl.create_default_context())))
    assert handled.cause == "tls_failed"
    assert server.requests == []


def test_a_certificate_of_another_name(server):
    handled = only(posted(server, http(host="example.org")))
    assert handled.cause == "tls_failed"
    assert "example.org" in handled.detail
    assert server.requests == []


@pytest.mark.parametrize(
    "said", [b"", b"SSH-2.0-x\r\n", b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n" + DENY.encode()]
)
def test_a_connection_that_breaks(server, said):
    def answer(handler):
        handler.close_connection = True
        handler.wfile.write(said)

    server.answers["/x"] = answer
    assert only(posted(server, http())).cause == "exchange_failed"


def test_after_a_call_the_answer_is_not_read(server):
    server.says("/x", DENY)
    result = posted(server, http(), event=POST)
    assert (result.outcome, result.failures) == ("allow", ())
    assert (only(result).decision, only(result).status) == (None, 200)


def test_the_secret_is_on_the_wire_and_nowhere_else(server, caplog, capfd):
    caplog.set_level(logging.DEBUG)
    echoed = json.dumps({"decision": "deny", "reason": f"Got {SECRET}, that is telemetry-secret-123."})
    server.says("/echo", echoed)
    server.says("/moved", "", status=302, location=f"https://{HOST}/?{SECRET}")
    server.says("/failed", SECRET, status=500, **{"x-echo": SECRET})
    server.says("/text", SECRET)

    def broken(handler):
        handler.close_connection = True
        handler.wfile.write(SECRET.encode() + b"\r\n\r\n")

    server.answers["/broken"] = broken
    wire = PublicWire(server)
    shown = [repr(NETWORK), repr(Sandbox(NETWORK, wire=wire.wire))]
    for path in ("/echo", "/moved", "/failed", "/text", "/broken"):
        result = posted(server, http(path), wire=wire)
        shown += [json.dumps(result.document()), repr(result)]
    assert [headers["authorization"] for _, headers, _ in server.requests] == [SECRET] * 5
    assert "Got [redacted], that is [redacted]." in shown[2]
    ours = [record.getMessage() for record in caplog.records if not record.name.startswith("httpcore")]
    assert "secret-123" not in "".join([*shown, *ours, *capfd.readouterr()])
    # httpcore logs what the server answered, at level DEBUG; never what was sent.
    sent = [record.getMessage() for record in caplog.records if "receive_response" not in record.getMessage()]
    assert "secret-123" not in "".join(sent)


def test_many_at_once_do_not_mix(server):
    def answer(handler):
        number = handler.path.partition("?")[2]
        content = json.dumps({"decision": "deny", "reason": number}).encode()
        handler.send_response(200)
        handler.send_header("content-length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content)

    server.answers["/x"] = answer

    async def all_of_them():
        sandbox = Sandbox(NETWORK, wire=PublicWire(server).wire)
        hooks = [read_hooks(hooked(http(f"/x?{number}"))) for number in range(20)]
        return await asyncio.gather(
            *(run_event(one, "pre_tool_execution", payload(), sandbox) for one in hooks)
        )

    assert [result.reason for result in asyncio.run(all_of_them())] == [str(number) for number in range(20)]
