"""The bytes of one file to a document: JSON where it is JSON, else YAML."""

from __future__ import annotations

from policyc.source.decode import decode
from policyc.source.findings import Findings
from policyc.source.nodes import Document
from policyc.source.read_json import NotJSON, read_json
from policyc.source.read_yaml import read_yaml


def read_document(path: str, data: bytes) -> tuple[Document | None, Findings]:
    """The document in ``data`` (None when it cannot be read) and what is wrong with it so far."""
    findings = Findings(path)
    text = decode(data, findings)
    if text is None:
        return None, findings
    not_json = None
    if text.lstrip(" \t\r\n")[:1] in ("{", "["):
        try:
            return read_json(text, findings), findings
        except NotJSON as error:
            not_json = error
    findings = Findings(path)
    document = read_yaml(text, findings)
    if document is None and not_json is not None and path.endswith(".json") and findings.has("syntax_error"):
        # Neither, but it says it is JSON: then that is the error that helps.
        findings = Findings(path)
        findings.add("syntax_error", not_json.place, (), f"neither JSON nor YAML: {not_json}")
    return document, findings
