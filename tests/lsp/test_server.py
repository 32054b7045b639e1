"""A real client and a real server process, over the protocol."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient
from pygls.uris import from_fs_path

pytestmark = pytest.mark.slow

POLICY = """\
description: Payments.
default_verdict: deny
include: [crm]
rules:
  - priority: 5
    label: cap "😀" amounts
    tool_name_glob: payment.*
    args_match:
      clauses:
        - {path: $.cents, op: gt, value: {from: cap}, on_missing: match}
    verdict: deny
    reason: Too much.
  - priority: 7
    label: pay
    tool_name_glob: payment.*
    verdict: allow
  - priority: 9
    label: never
    tool_name_glob: payment.refund
    verdict: deny
"""
CRM = """\
default_verdict: deny
rules:
  - {priority: 20, label: reads, tool_name_glob: crm.get*, verdict: allow}
"""


class Editor:
    """What an editor does with the server: opens, types, asks, and keeps the diagnostics that it is told."""

    def __init__(self, client: LanguageClient) -> None:
        self.client = client
        self.problems: dict[str, list[lsp.Diagnostic]] = {}
        self._told = asyncio.Condition()
        self._versions: dict[Path, int] = {}

        @client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        async def _told(params: lsp.PublishDiagnosticsParams) -> None:
            async with self._told:
                self.problems[params.uri] = list(params.diagnostics)
                self._told.notify_all()

    def open(self, file: Path, text: str | None = None) -> None:
        document = lsp.TextDocumentItem(uri(file), "yaml", 1, file.read_text() if text is None else text)
        self.client.text_document_did_open(lsp.DidOpenTextDocumentParams(document))
        self._versions[file] = 1

    def type(self, file: Path, text: str) -> None:
        self._versions[file] += 1
        document = lsp.VersionedTextDocumentIdentifier(self._versions[file], uri(file))
        change = lsp.TextDocumentContentChangeWholeDocument(text)
        self.client.text_document_did_change(lsp.DidChangeTextDocumentParams(document, [change]))

    async def told(self, file: Path, wanted: Callable[[list[lsp.Diagnostic]], bool]) -> list[lsp.Diagnostic]:
        """The diagnostics of ``file`` once they are as ``wanted``."""
        async with asyncio.timeout(60), self._told:
            await self._told.wait_for(lambda: uri(file) in self.problems and wanted(self.problems[uri(file)]))
            return self.problems[uri(file)]

    async def complete(self, file: Path, line: int, column: int) -> dict[str, lsp.CompletionItem]:
        params = lsp.CompletionParams(lsp.TextDocumentIdentifier(uri(file)), lsp.Position(line, column))
        found: Any = await self.client.text_document_completion_async(params)
        return {item.label: item for item in found}

    async def hover(self, file: Path, line: int, column: int) -> str:
        params = lsp.HoverParams(lsp.TextDocumentIdentifier(uri(file)), lsp.Position(line, column))
        found: Any = await self.client.text_document_hover_async(params)
        return "" if found is None else found.contents.value

    async def format(self, file: Path) -> list[lsp.TextEdit]:
        options = lsp.FormattingOptions(2, True)
        params = lsp.DocumentFormattingParams(lsp.TextDocumentIdentifier(uri(file)), options)
        found: Any = await self.client.text_document_formatting_async(params)
        return list(found)

    async def define(self, file: Path, line: int, column: int) -> lsp.Location | None:
        params = lsp.DefinitionParams(lsp.TextDocumentIdentifier(uri(file)), lsp.Position(line, column))
        found: Any = await self.client.text_document_definition_async(params)
        return found


def uri(file: Path) -> str:
    found = from_fs_path(str(file))
    assert found is not None
    return found


@asynccontextmanager
async def editor_of(encoding: lsp.PositionEncodingKind) -> AsyncIterator[Editor]:
    client = LanguageClient("editor", "1")
    editor = Editor(client)
    await client.start_io(sys.executable, "-m", "policyc", "lsp")
    general = lsp.GeneralClientCapabilities(position_encodings=[encoding])
    await client.initialize_async(lsp.InitializeParams(lsp.ClientCapabilities(general=general)))
    client.initialized(lsp.InitializedParams())
    try:
        yield editor
    finally:
        await client.shutdown_async(None)
        client.exit(None)
        await client.stop()


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    folder = tmp_path / "pay"
    (folder / "policies").mkdir(parents=True)
    (folder / "bundle.yaml").write_text("bundle: pay\ndefault_policy: pay\n")
    (folder / "values.yaml").write_text("cap: 100000\n")
    (folder / "policies/pay.yaml").write_text(POLICY)
    (folder / "policies/crm.yaml").write_text(CRM)
    return folder


def play(
    scene: Callable[[Editor], Awaitable[None]],
    encoding: lsp.PositionEncodingKind = lsp.PositionEncodingKind.Utf16,
) -> None:
    async def run() -> None:
        async with editor_of(encoding) as editor:
            await scene(editor)

    asyncio.run(run())


def codes(problems: list[lsp.Diagnostic]) -> set[Any]:
    return {problem.code for problem in problems}


def test_diagnostics_follow_what_is_typed(bundle: Path) -> None:
    policy = bundle / "policies/pay.yaml"

    async def scene(editor: Editor) -> None:
        editor.open(policy)
        found = await editor.told(policy, lambda problems: "allow_hides_deny" in codes(problems))
        hidden = next(problem for problem in found if problem.code == "allow_hides_deny")
        assert hidden.range == lsp.Range(lsp.Position(16, 4), lsp.Position(16, 15))
        editor.type(policy, POLICY.replace("verdict: allow", "verdict: alow"))
        found = await editor.told(policy, lambda problems: "unknown_verdict" in codes(problems))
        wrong = next(problem for problem in found if problem.code == "unknown_verdict")
        assert wrong.severity == lsp.DiagnosticSeverity.Error
        assert "allow" in wrong.message
        assert wrong.range == lsp.Range(lsp.Position(15, 13), lsp.Position(15, 17))
        editor.type(policy, POLICY.partition("  - priority: 9")[0])
        await editor.told(policy, lambda problems: codes(problems) == {"fails_open"})

    play(scene)


def test_a_buffer_of_one_file_is_seen_by_another(bundle: Path) -> None:
    policy, values = bundle / "policies/pay.yaml", bundle / "values.yaml"

    async def scene(editor: Editor) -> None:
        editor.open(values, "limit: 5\n")
        await editor.told(policy, lambda problems: "unknown_value" in codes(problems))
        editor.type(values, "cap: 5\n")
        await editor.told(policy, lambda problems: "unknown_value" not in codes(problems))

    play(scene)


@pytest.mark.parametrize(
    ("encoding", "start"), [("utf-8", 27), ("utf-16", 25), ("utf-32", 24)], ids=["utf-8", "utf-16", "utf-32"]
)
def test_columns_are_counted_as_the_editor_counts_them(tmp_path: Path, encoding: str, start: int) -> None:
    policy = tmp_path / "alone.yaml"
    policy.write_text("rules:\n  - {label: 😀, verdict: dany, priority: 1}\n")

    async def scene(editor: Editor) -> None:
        editor.open(policy)
        found = await editor.told(policy, lambda problems: "unknown_verdict" in codes(problems))
        wrong = next(problem for problem in found if problem.code == "unknown_verdict")
        assert wrong.range.start.character == start

    play(scene, lsp.PositionEncodingKind(encoding))


def test_completion(bundle: Path) -> None:
    policy, main = bundle / "policies/pay.yaml", bundle / "bundle.yaml"

    async def scene(editor: Editor) -> None:
        editor.open(policy)
        await editor.told(policy, bool)
        keys = await editor.complete(policy, 11, 4)
        assert {"priority", "tool_name_glob", "args_match", "verdict"} <= set(keys)
        assert keys["verdict"].insert_text == "verdict: "
        assert "blocked" in str(keys["verdict"].documentation)
        assert "pending_approval" in await editor.complete(policy, 10, 13)
        assert "cidr_match" in await editor.complete(policy, 9, 30)
        included = await editor.complete(policy, 2, 10)
        assert {"crm", "block_destructive_shell"} <= set(included)
        assert "pay" not in included
        assert included["block_destructive_shell"].documentation
        tools = await editor.complete(policy, 6, 20)
        assert {"shell.exec", "fs.read", "payment.refund", "Bash"} <= set(tools)
        assert tools["payment.*"].insert_text == "payment.*"
        assert set(await editor.complete(policy, 9, 49)) == {"cap"}
        editor.open(main)
        assert {"crm", "pay"} == set(await editor.complete(main, 1, 17))
        # While nothing parses, too.
        editor.type(policy, POLICY + "  - priority: 11\n    reason: '\n    ver")
        assert "verdict" in await editor.complete(policy, 23, 7)

    play(scene)


def test_hover_tells_of_the_key_and_of_the_rule(bundle: Path) -> None:
    policy = bundle / "policies/pay.yaml"

    async def scene(editor: Editor) -> None:
        editor.open(policy)
        await editor.told(policy, lambda problems: "allow_hides_deny" in codes(problems))
        told = await editor.hover(policy, 10, 6)
        assert "it is blocked" in told
        assert "**deny** cap" in told
        assert "rule 1 of 4 in policy `pay`, priority 5" in told
        told = await editor.hover(policy, 17, 8)
        assert "`allow_hides_deny`" in told
        assert "after pay (policies/pay.yaml:13)" in told
        assert "case counts" in await editor.hover(policy, 6, 8)

    play(scene)


def test_definition(bundle: Path) -> None:
    policy, main = bundle / "policies/pay.yaml", bundle / "bundle.yaml"

    async def scene(editor: Editor) -> None:
        editor.open(policy, POLICY.replace("[crm]", "[crm, git_guard]"))
        editor.open(main)
        await editor.told(policy, bool)
        found = await editor.define(policy, 2, 11)
        assert found is not None
        assert found.uri == uri(bundle / "policies/crm.yaml")
        preset = await editor.define(policy, 2, 17)
        assert preset is not None
        assert preset.uri.endswith("/git_guard/policies/git_guard.yaml")
        value = await editor.define(policy, 9, 48)
        assert value is not None
        assert (value.uri, value.range.start.line) == (uri(bundle / "values.yaml"), 0)
        named = await editor.define(main, 1, 18)
        assert named is not None
        assert named.uri == uri(policy)
        assert await editor.define(policy, 0, 3) is None

    play(scene)


def test_a_file_is_formatted_as_policyc_fmt_does(tmp_path: Path) -> None:
    policy = tmp_path / "pay.yaml"
    policy.write_text("rules:\n    - verdict: deny # why\n      priority: 1\n")

    async def scene(editor: Editor) -> None:
        editor.open(policy)
        (edit,) = await editor.format(policy)
        assert edit.new_text == "rules:\n  - priority: 1\n    verdict: deny  # why\n"
        assert edit.range == lsp.Range(lsp.Position(0, 0), lsp.Position(4, 0))
        editor.type(policy, edit.new_text)
        assert await editor.format(policy) == []
        editor.type(policy, "rules: [")
        assert await editor.format(policy) == []

    play(scene)


def test_what_is_no_policy_or_no_yaml_does_no_harm(bundle: Path, tmp_path: Path) -> None:
    other = tmp_path / "notes.txt"
    other.write_text("x")

    async def scene(editor: Editor) -> None:
        editor.open(other)
        assert await editor.complete(other, 0, 0) == {}
        assert await editor.hover(other, 0, 0) == ""
        editor.open(bundle / "policies/crm.yaml", "rules: [" * 2000)
        await editor.told(bundle / "policies/crm.yaml", bool)

    play(scene)


TESTS = """\
tests:
  - name: large
    call: {tool: payment.transfer, args: {cents: 100001}}
    expect: {verdict: allow, rule: pay}
"""


def test_tests_run_as_they_are_typed(bundle: Path) -> None:
    (bundle / "tests").mkdir()
    tests, policy = bundle / "tests/pay.yaml", bundle / "policies/pay.yaml"
    tests.write_text(TESTS)

    async def scene(editor: Editor) -> None:
        editor.open(tests)
        (failed,) = await editor.told(tests, bool)
        assert (failed.code, failed.range.start.line) == ("test_fails", 1)
        assert 'expected "allow", got "deny"' in failed.message
        assert "decided by rule 'cap" in failed.message
        editor.type(tests, TESTS.replace("allow", "deny").replace("rule: pay", 'rule: cap "😀" amounts'))
        await editor.told(tests, lambda problems: not problems)
        editor.open(policy)
        for _ in range(100):
            told = await editor.hover(policy, 5, 8)
            if "tests:" in told:
                break
            await asyncio.sleep(0.1)
        assert "tests: not seen:" in told
        assert "pay" in await editor.complete(tests, 3, 35)
        assert "payment.*" in await editor.complete(tests, 2, 17)
        rule = await editor.define(tests, 3, 38)
        assert rule is not None
        assert (rule.uri, rule.range.start.line) == (uri(policy), 4)
        editor.type(tests, "tests: [{name: x, cal: {}}]")
        await editor.told(tests, lambda problems: "unknown_key" in codes(problems))

    play(scene)


def test_a_policy_alone_has_its_tests_beside_it(tmp_path: Path) -> None:
    policy, tests = tmp_path / "pay.yaml", tmp_path / "pay.test.yaml"
    policy.write_text("default_verdict: deny\nrules: []\n")

    async def scene(editor: Editor) -> None:
        editor.open(tests, "tests:\n  - {name: a, call: {tool: x}, expect: allow}\n")
        await editor.told(tests, lambda problems: codes(problems) == {"test_fails"})
        editor.open(policy)
        editor.type(policy, "default_verdict: allow\nrules: []\n")
        await editor.told(tests, lambda problems: not problems)

    play(scene)


def test_it_ends_without_a_fault_when_the_editor_says_so():
    def message(data: dict[str, Any]) -> bytes:
        body = json.dumps({"jsonrpc": "2.0", **data}).encode()
        return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)

    said = [
        {"id": 1, "method": "initialize", "params": {"processId": None, "rootUri": None, "capabilities": {}}},
        {"id": 2, "method": "shutdown"},
        {"method": "exit"},
    ]
    done = subprocess.run(
        [sys.executable, "-m", "policyc", "lsp"],
        input=b"".join(map(message, said)),
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
