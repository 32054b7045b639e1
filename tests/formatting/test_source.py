from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from ruamel.yaml import YAML

from formatting.written import policy_files
from policyc.building import compile_path
from policyc.formatting import format_source, source_files
from policyc.source.read import read_document

ROOT = Path(__file__).parents[2]
FILES = [path for folder in ("bundles", "examples") for _, path in source_files(ROOT / folder)]


def laid_out(text: str, path: str = "p.yaml") -> str:
    found = format_source(path, text.encode())
    assert not found.refused
    assert found.diagnostics == ()
    assert format_source(path, found.content).content == found.content
    return found.content.decode()


def values(data: bytes) -> object:
    document, findings = read_document("p.yaml", data)
    assert document is not None
    assert not findings.errors
    return document.root


@settings(max_examples=60, deadline=None)
@given(policy_files())
@example(b"rules:\n  - priority: 1\n    # of one\n  # of two\n  - # dash\n    priority: 2\n# end\n")
@example(b"default_verdict: deny\nrules: [ # c\n]\n")
def test_no_value_and_no_comment_is_lost_and_a_second_time_changes_nothing(data):
    found = format_source("p.yaml", data)
    assert not found.refused
    assert found.diagnostics == ()
    assert json.dumps(values(found.content), sort_keys=True) == json.dumps(values(data), sort_keys=True)
    comments = [sorted(re.findall(r"# (c\d+|the end)", text.decode())) for text in (data, found.content)]
    assert comments[0] == comments[1]
    assert format_source("p.yaml", found.content).content == found.content
    assert found.content.startswith(b"\xef\xbb\xbf") == data.startswith(b"\xef\xbb\xbf")
    # Another reader of YAML 1.2 takes it for the same.
    other = YAML(typ="safe", pure=True).load(io.StringIO(found.content.decode("utf-8-sig")))
    assert json.dumps(other, sort_keys=True) == json.dumps(values(data), sort_keys=True)


def _decisions(folder: Path) -> object:
    """The plan without lines."""
    built = compile_path(folder)
    return re.sub(
        r'"line": \d+', "", json.dumps([built.data, dict(built.hooks)], default=bytes.decode, sort_keys=True)
    )


@pytest.mark.parametrize(
    "folder", sorted({path.parent for path in FILES if path.name == "bundle.yaml"}), ids=str
)
def test_a_bundle_compiles_to_the_same_plan(folder, tmp_path):
    for name, path in source_files(folder):
        (tmp_path / folder.name / name).parent.mkdir(parents=True, exist_ok=True)
        # Written badly, so that there is something to do.
        text = re.sub(
            r"^( *- )?(\w+): (\S.*)$", r"\1'\2' :   \3   # x", path.read_text("utf-8"), flags=re.MULTILINE
        )
        found = format_source(name, text.encode())
        assert found.content != text.encode()
        (tmp_path / folder.name / name).write_bytes(found.content)
    assert _decisions(tmp_path / folder.name) == _decisions(folder)


def test_the_form():
    assert laid_out(WILD) == TAME


WILD = """\
# yaml-language-server: $schema=.policyc/policy.schema.json
rules:
- verdict: deny   # side
  tool_name_glob: 'payment.*'

  priority: 5
  # about the label
  'label': "cap"
  args_match: {clauses: [{value: 100000, op: gt,
    path: $.amount_cents}, {op: shell, path: $.command, value: {any_flag: [-e], program: [nc, "ncat"]}}]}
  risk_factors:
  - "money"
  - irreversible
- {verdict: allow,   priority: 6, tool_name_glob: ["crm.get", crm.list]}
- {priority: 7, verdict: allow}
# of the last
- priority: 8
  verdict: sanitize
  sanitize:
    presets: [email]
  reason: |
      Two
        lines
    # below

default_verdict: deny
"""
TAME = """\
# yaml-language-server: $schema=.policyc/policy.schema.json
default_verdict: deny
rules:
  - priority: 5
    # about the label
    label: cap
    tool_name_glob: "payment.*"
    args_match:
      clauses:
        - {path: $.amount_cents, op: gt, value: 100000}
        - {path: $.command, op: shell, value: {program: [nc, ncat], any_flag: [-e]}}
    verdict: deny  # side
    risk_factors: [money, irreversible]

  - {priority: 6, tool_name_glob: [crm.get, crm.list], verdict: allow}
  - {priority: 7, verdict: allow}

  # of the last
  - priority: 8
    verdict: sanitize
    sanitize: {presets: [email]}
    reason: |
      Two
        lines
    # below
"""


@pytest.mark.parametrize(
    "text",
    [
        "a: &x [1, 2]\nb: *x\n",
        'a: "\\u00e9\\u200b"\n',
        "a: >-\n  folded\n  text\n\n  more\n",
        "a: one\n  two\n\n  three\n",
        "a: 'one\n  two'\n",
        "%YAML 1.2\n---\na: 1\n",
        "a:\nb: ~\n",
        f"a: {'long ' * 100}end\n",
        "- [1, [2, 3]]\n- - 4\n  - 5\n",
    ],
)
def test_what_is_written_in_the_form_stays(text):
    assert laid_out(text, "values.yaml") == text


def test_keys_stay_in_their_order_where_one_stands_for_another():
    text = (
        "rules:\n  - {verdict: deny, priority: 1, tool_name_glob: &x [a]}\n  - {verdict: deny, reason: *x}\n"
    )
    assert laid_out(text) == text


def test_line_ends_and_the_mark_stay():
    assert format_source("p.yaml", b"\xef\xbb\xbfrules:  []\r\n").content == b"\xef\xbb\xbfrules: []\r\n"


@pytest.mark.parametrize(
    "data", [b'{"rules": [ ]}', b"a: [", b"a: 1\na: 2\n", b"\xff", b"", b"# only this\n", b"text"]
)
def test_json_and_what_cannot_be_read_is_left_as_it_is(data):
    assert format_source("p.yaml", data).content == data


def test_what_ships_is_in_the_form():
    ugly = [
        str(path)
        for path in FILES
        if format_source(path.name, path.read_bytes()).content != path.read_bytes()
    ]
    assert not ugly, f"run policyc fmt: {ugly}"
