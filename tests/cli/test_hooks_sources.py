import json

import pytest

BUNDLE = """\
bundle: pay
default_policy: hooked
server: {url: https://policy.example.com}
hooks:
  gate:
    pre_tool_execution:
      - {handler: server, timeout: 10}
network:
  allowlist:
    - {domain: policy.example.com, transform: {Authorization: "Bearer ${POLICYC_TOKEN}"}}
"""
POLICY = """\
include: [protect_control_plane]
rules: [{priority: 1, label: no shell, tool_name_glob: shell.*, verdict: deny}]
"""
REPOSITORY = ("--kind", "repository", "--url", "https://github.com/org/hooks")


@pytest.fixture
def hooked(bundle, tmp_path, monkeypatch):
    (tmp_path / bundle / "bundle.yaml").write_text(BUNDLE)
    (tmp_path / bundle / "policies/hooked.yaml").write_text(POLICY)
    monkeypatch.setenv("POLICYC_TOKEN", "secret_token_1")
    return bundle


def test_inline_sources_are_the_generated_files(policyc, hooked, tmp_path):
    document = policyc("hooks", "sources", hooked).json
    policyc("hooks", "generate", hooked, "--out", "out")
    written = {
        path.relative_to(tmp_path / "out").as_posix(): path.read_text()
        for path in (tmp_path / "out").rglob("*")
        if path.is_file()
    }
    assert {source["target"]: source["content"] for source in document["sources"]} == written
    assert {source["type"] for source in document["sources"]} == {"inline"}
    assert {".agents/hooks.json", ".agents/hooks-scripts/gate.py", ".agents/hooks-scripts/plan.json"} <= set(
        written
    )


def test_transforms_are_filled_in_from_the_environment(policyc, hooked):
    answer = policyc("hooks", "sources", hooked)
    [entry] = answer.json["network"]["allowlist"]
    assert entry == {
        "domain": "policy.example.com",
        "transform": {"Authorization": "Bearer secret_token_1"},
    }
    assert "secret_token_1" not in json.dumps(answer.json["sources"]) + answer.err


def test_variables_are_kept_when_asked(policyc, hooked, monkeypatch):
    answer = policyc("hooks", "sources", hooked, "--keep-variables")
    assert "Bearer ${POLICYC_TOKEN}" in answer.out
    assert "secret_token_1" not in answer.out
    monkeypatch.delenv("POLICYC_TOKEN")
    assert policyc("hooks", "sources", hooked, "--keep-variables").out == answer.out


def test_a_missing_variable_is_named_and_nothing_printed(policyc, hooked, monkeypatch):
    monkeypatch.delenv("POLICYC_TOKEN")
    answer = policyc("hooks", "sources", hooked)
    assert (answer.code, answer.out) == (2, "")
    assert "error[variable_missing]" in answer.err
    assert "POLICYC_TOKEN" in answer.err
    answer = policyc("hooks", "sources", hooked, "--format", "json")
    assert answer.json["error"]["code"] == "variable_missing"


def test_the_help_says_that_secrets_are_printed(policyc):
    text = policyc("hooks", "sources", "--help").out
    assert "SECRETS" in text
    assert "--keep-variables" in text


@pytest.mark.parametrize(("mount", "needed"), [("/", ".agents/hooks.json"), ("/.agents", " hooks.json")])
def test_a_repository_is_named_with_what_it_must_hold(policyc, hooked, mount, needed):
    answer = policyc("hooks", "sources", hooked, *REPOSITORY, "--mount", mount)
    [source] = answer.json["sources"]
    assert source == {"type": "repository", "source": REPOSITORY[-1], "target": mount}
    assert f"must have {needed.strip()} at its root" in answer.err
    assert policyc("hooks", "sources", hooked, *REPOSITORY, "--mount", "/workspace").code == 2


def test_a_url_that_is_missing_wrong_or_of_no_use(policyc, hooked):
    assert "error[source_url_missing]" in policyc("hooks", "sources", hooked, "--kind", "gcs").err
    wrong = policyc("hooks", "sources", hooked, "--kind", "gcs", "--url", REPOSITORY[-1])
    assert "error[source_url_invalid]" in wrong.err
    assert policyc("hooks", "sources", hooked, "--url", REPOSITORY[-1]).code == 2


def test_own_files_come_along(policyc, hooked, tmp_path):
    own = tmp_path / "own/.agents/hooks-scripts/lint.py"
    own.parent.mkdir(parents=True)
    own.write_text("print('{}')\n")
    given = {"type": "inline", "target": ".agents/hooks-scripts/lint.py", "content": "print('{}')\n"}
    assert given in policyc("hooks", "sources", hooked, "--files", "own").json["sources"]
    assert policyc("hooks", "sources", hooked, *REPOSITORY, "--files", "own").json["sources"][1:] == [given]
    own.with_name("gate.py").write_text("")
    assert "error[source_clash]" in policyc("hooks", "sources", hooked, "--files", "own").err
    assert "error[source_clash]" in policyc("hooks", "sources", hooked, *REPOSITORY, "--files", "own").err


def test_a_bundle_that_lets_the_agent_change_its_guard_is_refused(policyc, hooked, tmp_path):
    (tmp_path / hooked / "policies/hooked.yaml").write_text(POLICY.partition("\n")[2])
    assert "error[no_self_protection]" in policyc("hooks", "sources", hooked).err
    assert policyc("hooks", "sources", hooked, "--no-self-protection").code == 0


def test_an_artifact_gives_the_same(policyc, hooked):
    policyc("build", hooked)
    assert policyc("hooks", "sources", "pay.tar.gz").json == policyc("hooks", "sources", hooked).json
