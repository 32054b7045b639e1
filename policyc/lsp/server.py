"""The language server: pygls for the protocol, the compiler for what is right."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path
from pygls.workspace import PositionCodec

import policyc
from policyc.formatting import format_source
from policyc.lsp.completion import Suggestion, suggestions
from policyc.lsp.cursor import Cursor, cursor_at
from policyc.lsp.definition import definition
from policyc.lsp.hover import hover
from policyc.lsp.problems import of_failure, of_finding, of_problem
from policyc.lsp.project import Place, Project, Reading, look_closer, place_of
from policyc.source.tree import SourceError

#: Quiet time, in seconds, before what is typed is compiled, and before it is linted.
_COMPILE_AFTER = 0.15
_LINT_AFTER = 0.6
#: The rest of a key or of a scalar, up to what ends it.
_REST = re.compile(r"(?:(?!\s#|:(?:\s|$))[^,\[\]{}])*")
_KINDS = {
    "key": lsp.CompletionItemKind.Property,
    "value": lsp.CompletionItemKind.EnumMember,
    "policy": lsp.CompletionItemKind.Module,
    "preset": lsp.CompletionItemKind.Module,
    "tool": lsp.CompletionItemKind.Function,
    "name": lsp.CompletionItemKind.Constant,
}
#: Characters after which an editor asks without being told to.
_TRIGGERS = [":", " ", "-", "[", "{", ","]


class PolicyServer(LanguageServer):
    """Keeps each bundle that has an open file compiled and linted."""

    def __init__(self) -> None:
        super().__init__("policyc", policyc.__version__)
        self._projects: dict[Path, Project] = {}
        self._readings: dict[Path, Reading] = {}
        self._published: dict[Path, set[Path]] = {}
        self._work: dict[Path, asyncio.Task[None]] = {}
        # Lint of an older text would only be in the way of the next: one at a time.
        self._linter = ThreadPoolExecutor(1, "lint")

    def changed(self, uri: str) -> None:
        """Looks at the bundle of the file again, once the typing rests."""
        place = self._place(uri)
        if place is None:
            return
        before = self._work.get(place.root)
        if before is not None:
            before.cancel()
        self._work[place.root] = asyncio.ensure_future(self._look(place.root))

    def complete(self, params: lsp.CompletionParams) -> list[lsp.CompletionItem]:
        found = self._at(params)
        if found is None:
            return []
        place, cursor, _word, _text, path = found
        named = suggestions(place.kind, cursor, self._readings.get(place.root), path)
        return [_item(one, number) for number, one in enumerate(named)]

    def hover(self, params: lsp.HoverParams) -> lsp.Hover | None:
        found = self._at(params, whole_word=True)
        if found is None:
            return None
        place, cursor, word, text, path = found
        at = (*cursor.path, word) if cursor.on_key and word else cursor.path
        told = hover(place.kind, at, word, text, self._readings.get(place.root), path)
        return None if told is None else lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, told))

    def define(self, params: lsp.DefinitionParams) -> lsp.Location | None:
        found = self._at(params, whole_word=True)
        if found is None:
            return None
        place, cursor, word, _text, path = found
        reading = self._readings.get(place.root)
        target = None if reading is None else definition(cursor.path, word, reading, path)
        if target is None:
            return None
        start = lsp.Position(target.place[0] - 1, 0)
        file = self._projects[place.root].file_of(target.path)
        return lsp.Location(from_fs_path(str(file)) or "", lsp.Range(start, start))

    def format(self, params: lsp.DocumentFormattingParams) -> list[lsp.TextEdit]:
        """The whole file in the form of ``policyc fmt``; nothing where that leaves it alone."""
        uri = params.text_document.uri
        place, file = self._place(uri), to_fs_path(uri)
        if place is None or file is None:
            return []
        text = self.workspace.get_text_document(uri).source
        laid_out = format_source(Path(file).name, text.encode("utf-8", "surrogatepass")).content.decode()
        end = lsp.Position(text.count("\n") + 1, 0)
        return [] if laid_out == text else [lsp.TextEdit(lsp.Range(lsp.Position(0, 0), end), laid_out)]

    async def _look(self, root: Path) -> None:
        await asyncio.sleep(_COMPILE_AFTER)
        project = self._projects.setdefault(root, Project(root))
        try:
            reading = await asyncio.to_thread(project.read, self._buffers())
        except SourceError as error:
            self._readings.pop(root, None)
            self._publish(root, {root: [_whole_file(error.code, error.message)]})
            return
        self._readings[root] = reading
        self._publish(root, self._problems(project, reading))
        if reading.plan is not None:
            await asyncio.sleep(_LINT_AFTER)
            await asyncio.get_running_loop().run_in_executor(self._linter, look_closer, reading)
            self._publish(root, self._problems(project, reading))

    def _buffers(self) -> dict[Path, str]:
        documents = self.workspace.text_documents
        files = {to_fs_path(uri): document.source for uri, document in documents.items()}
        return {Path(file): source for file, source in files.items() if file is not None}

    def _place(self, uri: str) -> Place | None:
        file = to_fs_path(uri)
        return None if file is None or not uri.startswith("file:") else place_of(Path(file))

    def _at(
        self,
        params: lsp.CompletionParams | lsp.HoverParams | lsp.DefinitionParams,
        *,
        whole_word: bool = False,
    ) -> tuple[Place, Cursor, str, str, str] | None:
        """The cursor of a request, the word that it is on, its text, and the path of its file."""
        uri = params.text_document.uri
        place, file = self._place(uri), to_fs_path(uri)
        if place is None or file is None:
            return None
        document = self.workspace.get_text_document(uri)
        position = document.position_from_client_units(params.position)
        lines = document.source.split("\n")
        line = lines[position.line] if position.line < len(lines) else ""
        end = position.character
        if whole_word:
            rest = _REST.match(line, end)
            end = rest.end() if rest is not None else end
        cursor = cursor_at(document.source, position.line, end)
        path = Project(place.root).path_of(Path(file))
        return place, cursor, cursor.prefix.strip().strip("'\""), document.source, path

    def _problems(self, project: Project, reading: Reading) -> dict[Path, list[lsp.Diagnostic]]:
        sources = {**reading.compilation.sources, **reading.suite.sources}
        codec = self.workspace.position_codec
        found: dict[Path, list[lsp.Diagnostic]] = {}

        def add(path: str, show: Callable[[list[str], PositionCodec], lsp.Diagnostic]) -> None:
            lines = sources.get(path, b"").decode("utf-8", "replace").split("\n")
            found.setdefault(project.file_of(path), []).append(show(lines, codec))

        for problem in (*reading.compilation.diagnostics, *reading.suite.diagnostics):
            add(problem.path, partial(of_problem, problem))
        for finding in reading.linted.findings:
            add(finding.path, partial(of_finding, finding))
        for result in reading.results:
            if result.failure is not None:
                add(result.case.path, partial(of_failure, result.case, result.failure))
        return found

    def _publish(self, root: Path, found: dict[Path, list[lsp.Diagnostic]]) -> None:
        """Tells the editor all that is wrong, and of files with nothing left that nothing is."""
        for file in sorted(self._published.get(root, set()) | found.keys()):
            uri = from_fs_path(str(file)) or ""
            self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, found.get(file, [])))
        self._published[root] = set(found)


def _whole_file(code: str, message: str) -> lsp.Diagnostic:
    start = lsp.Position(0, 0)
    return lsp.Diagnostic(
        lsp.Range(start, start), message, lsp.DiagnosticSeverity.Error, code, source="policyc"
    )


def _item(one: Suggestion, number: int) -> lsp.CompletionItem:
    return lsp.CompletionItem(
        one.text,
        kind=_KINDS[one.kind],
        documentation=one.about,
        insert_text=f"{one.text}: " if one.kind == "key" else _written(one.text),
        sort_text=f"{number:04}",
    )


def _written(value: str) -> str:
    """A value as YAML takes it: what begins with a sign of YAML's own is quoted."""
    return f'"{value}"' if value[:1] in "*&!%@`" else value


def language_server() -> PolicyServer:
    """A server with its features, not yet started."""
    server = PolicyServer()

    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    async def _opened(params: lsp.DidOpenTextDocumentParams) -> None:
        server.changed(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    async def _changed(params: lsp.DidChangeTextDocumentParams) -> None:
        server.changed(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    async def _saved(params: lsp.DidSaveTextDocumentParams) -> None:
        server.changed(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    async def _closed(params: lsp.DidCloseTextDocumentParams) -> None:
        server.changed(params.text_document.uri)

    @server.feature(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    async def _watched(params: lsp.DidChangeWatchedFilesParams) -> None:
        for change in params.changes:
            server.changed(change.uri)

    @server.feature(lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionOptions(trigger_characters=_TRIGGERS))
    def _complete(params: lsp.CompletionParams) -> list[lsp.CompletionItem]:
        return server.complete(params)

    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    def _hover(params: lsp.HoverParams) -> lsp.Hover | None:
        return server.hover(params)

    @server.feature(lsp.TEXT_DOCUMENT_DEFINITION)
    def _define(params: lsp.DefinitionParams) -> lsp.Location | None:
        return server.define(params)

    @server.feature(lsp.TEXT_DOCUMENT_FORMATTING)
    def _format(params: lsp.DocumentFormattingParams) -> list[lsp.TextEdit]:
        return server.format(params)

    return server
