"""What is told about the place under the pointer: the key, the tool, and the rule that it is in."""

from __future__ import annotations

from policyc.engine.model import Policy, Rule
from policyc.engine.text import clean
from policyc.lsp import schemas
from policyc.lsp.completion import known_tools
from policyc.lsp.project import Reading
from policyc.source.diagnostics import JsonPath
from policyc.source.read import read_document
from policyc.testing.coverage import RuleCoverage, points_of
from policyc.testing.report_text import said


def hover(kind: str, path: JsonPath, word: str, text: str, reading: Reading | None, file: str) -> str | None:
    """Markdown about the key or value at ``path`` of ``file``; None where there is nothing to say."""
    said = [schemas.description(kind, path), known_tools().get(word)]
    if kind == "policy" and reading is not None:
        said.append(_rule(path, text, reading, file))
    found = [part for part in said if part is not None]
    return "\n\n---\n\n".join(found) if found else None


def _rule(path: JsonPath, text: str, reading: Reading, file: str) -> str | None:
    at = path[:2] if path[:1] == ("rules",) else path[:1]
    if not at or not isinstance(at[-1], int):
        return None
    document, _ = read_document(file, text.encode("utf-8", "surrogatepass"))
    if document is None or reading.plan is None:
        return None
    line = document.place_of(at)[0]
    cards = [
        _card(policy, number, rule, reading)
        for policy in reading.plan.policies.values()
        for number, rule in enumerate(policy.rules, start=1)
        if (rule.source.path, rule.source.line) == (file, line)
    ]
    return "\n\n".join(cards) or None


def _card(policy: Policy, number: int, rule: Rule, reading: Reading) -> str:
    shadow = ", in shadow: it is recorded and does not decide" if rule.shadow or policy.shadow else ""
    lines = [
        f"**{rule.verdict}** {_plain(rule.label)}: rule {number} of {len(policy.rules)} in "
        f"policy `{policy.name}`, priority {rule.priority}{shadow}"
    ]
    before = policy.rules[number - 2] if number > 1 else None
    if before is not None:
        lines.append(f"after {_plain(before.label)} ({_plain(str(before.source))})")
    lines += [
        f"`{finding.code}`: {_plain(finding.message)}"
        for finding in reading.linted.findings
        if (finding.path, finding.line) == (rule.source.path, rule.source.line)
    ]
    if reading.results:
        lines.append(_tested(rule, reading))
    return "  \n".join(lines)


def _tested(rule: Rule, reading: Reading) -> str:
    """How far the tests have been to the rule."""
    covered = RuleCoverage(rule, {point: point in reading.points for point in points_of(rule)})
    if not covered.missed:
        return "tests: every outcome seen"
    return f"tests: not seen: {', '.join(_plain(said(covered, point)) for point in covered.missed)}"


def _plain(text: str) -> str:
    """``text`` as Markdown that shows it and nothing else."""
    return "".join(f"\\{char}" if char in "\\`*_{}[]<>()#+-!|" else char for char in clean(text))
