def test_every_problem_of_every_target_in_one_run(policyc, bundle, tmp_path):
    (tmp_path / "bad.yaml").write_text("default_verdit: deny\nrules:\n  - {priority: 1, verdict: denyy}\n")
    (tmp_path / "worse.yaml").write_text("rules: [")
    answer = policyc("check", "bad.yaml", bundle, "worse.yaml")
    assert answer.code == 1
    assert "bad.yaml:1:1: error[unknown_key]: unknown key `default_verdit`" in answer.out
    assert "help: did you mean `default_verdict`?" in answer.out
    assert "bad.yaml:3:28: error[unknown_verdict]" in answer.out
    assert "worse.yaml:" in answer.out
    assert answer.out.endswith("bad.yaml, pay, worse.yaml: 3 errors, 0 warnings\n")


def test_paths_are_as_the_user_would_open_them(policyc, bundle, tmp_path):
    (tmp_path / "pay/policies/pay.yaml").write_text("rules: 1\n")
    assert "pay/policies/pay.yaml:1:8: error[wrong_type]" in policyc("check", bundle).out


def test_the_same_as_json(policyc, bundle, tmp_path):
    (tmp_path / "bad.yaml").write_text("rules: 1\n")
    answer = policyc("check", bundle, "bad.yaml", "--format", "json")
    assert answer.code == 1
    assert [target["ok"] for target in answer.json["targets"]] == [True, False]
    (found,) = answer.json["targets"][1]["diagnostics"]
    assert (found["path"], found["line"], found["column"]) == ("bad.yaml", 1, 8)
    assert (found["code"], found["json_path"], found["severity"]) == ("wrong_type", "$.rules", "error")


def test_warnings_alone_are_no_failure(policyc, tmp_path):
    (tmp_path / "b/policies").mkdir(parents=True)
    (tmp_path / "b/policies/p.yaml").write_text("rules: []\n")
    answer = policyc("check", "b")
    assert answer.code == 0
    assert "warning[missing_bundle_file]" in answer.out


def test_what_is_not_there_is_used_wrongly_and_the_rest_is_checked(policyc, tmp_path):
    (tmp_path / "bad.yaml").write_text("rules: 1\n")
    answer = policyc("check", "nowhere", "bad.yaml")
    assert answer.code == 2
    assert "bad.yaml:1:8: error[wrong_type]" in answer.out
    document = policyc("check", "nowhere", "bad.yaml", "--format", "json").json
    assert [target.get("error", {}).get("code") for target in document["targets"]] == [
        "unreadable_file",
        None,
    ]
    answer = policyc("check", "nowhere")
    assert answer.code == 2
    assert "error[unreadable_file]: nowhere" in answer.err
    assert policyc("check").code == 2
