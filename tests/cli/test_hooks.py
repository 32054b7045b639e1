import json

import pytest

BUNDLE = """\
bundle: pay
server: {url: https://policy.example.com}
hooks:
  gate:
    pre_tool_execution:
      - {handler: server, timeout: 10}
"""


@pytest.fixture
def hooked(bundle, tmp_path):
    (tmp_path / bundle / "bundle.yaml").write_text(BUNDLE)
    return bundle


def test_generate_writes_hooks_json_and_says_what_stays_open(policyc, hooked, tmp_path):
    answer = policyc("hooks", "generate", hooked, "--out", "sandbox")
    assert answer.code == 0
    document = json.loads((tmp_path / "sandbox/.agents/hooks.json").read_text())
    (entry,) = document["gate"]["pre_tool_execution"]
    assert entry["hooks"][0]["url"] == "https://policy.example.com/v1/hooks/pre_tool_execution"
    assert "note: " in answer.err


def test_check_fails_when_the_file_differs(policyc, hooked, tmp_path):
    assert policyc("hooks", "generate", hooked, "--check").code == 1
    policyc("hooks", "generate", hooked)
    assert policyc("hooks", "generate", hooked, "--check").code == 0
    path = tmp_path / ".agents/hooks.json"
    path.write_text(path.read_text().replace("10", "11"))
    answer = policyc("hooks", "generate", hooked, "--check")
    assert answer.code == 1
    assert '"timeout": 1' in answer.out
    assert "11" in path.read_text()


def test_an_artifact_gives_the_same_and_carries_them(policyc, hooked, tmp_path):
    policyc("build", hooked)
    policyc("hooks", "generate", hooked, "--out", "a")
    policyc("hooks", "generate", "pay.tar.gz", "--out", "b")
    assert (tmp_path / "a/.agents/hooks.json").read_text() == (tmp_path / "b/.agents/hooks.json").read_text()
    files = policyc("inspect", "pay.tar.gz", "--format", "json").json["files"]
    assert "policyc/pay/hooks/managed/.agents/hooks.json" in files


def test_a_target_that_is_not_known(policyc, hooked):
    assert policyc("hooks", "generate", hooked, "--target", "nobody").code == 2
