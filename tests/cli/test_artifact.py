"""build, keygen, sign, verify, inspect: the life of an artifact."""

import pytest

KEY = ("--verify-key", "release.pub.pem")


def test_the_same_sources_give_the_same_bytes(policyc, bundle, tmp_path):
    first = policyc("build", bundle, "--out", "a.tar.gz", "--format", "json").json
    second = policyc("build", tmp_path / "pay", "--out", "b.tar.gz", "--format", "json").json
    assert first["revision"] == second["revision"]
    assert (tmp_path / "a.tar.gz").read_bytes() == (tmp_path / "b.tar.gz").read_bytes()


def test_build_writes_into_a_folder_and_takes_a_revision(policyc, bundle, tmp_path):
    (tmp_path / "dist").mkdir()
    assert policyc("build", bundle, "--out", "dist", "--revision", "v1").out.startswith(
        "dist/pay.tar.gz: bundle pay, "
    )
    assert policyc("inspect", "dist/pay.tar.gz", "--format", "json").json["revision"] == "v1"


def test_sources_with_errors_are_not_built(policyc, bundle, tmp_path):
    (tmp_path / "pay/policies/pay.yaml").write_text("rules: 1\n")
    answer = policyc("build", bundle)
    assert answer.code == 1
    assert "pay/policies/pay.yaml:1:8" in answer.err
    assert not (tmp_path / "pay.tar.gz").exists()


def test_a_place_that_cannot_be_written(policyc, bundle):
    answer = policyc("build", bundle, "--out", "no/such/folder/a.tar.gz")
    assert answer.code == 2
    assert "error[unwritable_file]" in answer.err


@pytest.mark.parametrize("algorithm", ["HS256", "RS256", "ES256"])
def test_sign_and_verify(policyc, bundle, tmp_path, algorithm):
    policyc("build", bundle)
    assert policyc("keygen", "k", "--alg", algorithm).code == 0
    private, public = ("k.secret", "k.secret") if algorithm == "HS256" else ("k.pem", "k.pub.pem")
    assert (tmp_path / private).stat().st_mode & 0o777 == 0o600
    assert policyc("sign", "pay.tar.gz", "--key", private, "--version", "3").code == 0
    answer = policyc("verify", "pay.tar.gz", "--verify-key", public, "--format", "json")
    assert answer.code == 0
    assert (answer.json["version"], answer.json["key_id"], answer.json["algorithm"]) == (3, "k", algorithm)


def test_a_key_is_never_overwritten(policyc):
    assert policyc("keygen", "k").code == 0
    answer = policyc("keygen", "k")
    assert answer.code == 2
    assert "error[key_exists]" in answer.err


def test_several_keys_may_be_trusted_so_that_keys_rotate(policyc, signed):
    policyc("keygen", "next")
    assert policyc("verify", signed, "--verify-key", "next.pub.pem", *KEY).code == 0
    answer = policyc("verify", signed, "--verify-key", "next.pub.pem")
    assert answer.code == 1
    assert "error[" in answer.err


def test_what_was_changed_or_never_signed_does_not_verify(policyc, bundle, signed, tmp_path):
    content = bytearray(signed.read_bytes())
    content[len(content) // 2] ^= 1
    (tmp_path / "tampered.tar.gz").write_bytes(content)
    assert policyc("verify", "tampered.tar.gz", *KEY).code == 1
    policyc("build", bundle, "--out", "unsigned.tar.gz")
    answer = policyc("verify", "unsigned.tar.gz", *KEY)
    assert answer.code == 1
    assert "error[signature_missing]" in answer.err
    assert policyc("verify", "nowhere.tar.gz", *KEY).code == 2
    assert policyc("verify", signed).code == 2


def test_inspect_says_what_is_inside(policyc, signed):
    text = policyc("inspect", signed, *KEY).out
    for part in (
        "bundle    pay",
        "by release (ES256), version 7, verified",
        "policies/pay.yaml",
        "pay (default)",
    ):
        assert part in text
    document = policyc("inspect", signed, "--format", "json").json
    assert document["signature"]["verified"] is False
    assert document["policies"]["pay"]["rules"] == 3
    assert "policyc/pay/sources/policies/pay.yaml" in document["files"]


def test_inspect_refuses_what_is_no_artifact(policyc, tmp_path):
    (tmp_path / "x.tar.gz").write_bytes(b"no")
    assert policyc("inspect", "x.tar.gz").code == 1
    assert policyc("inspect", "nowhere").code == 2


def test_an_artifact_is_no_source(policyc, signed):
    answer = policyc("check", signed)
    assert answer.code == 2
    assert "policyc inspect" in answer.err


def test_a_device_is_not_replaced(policyc, bundle):
    answer = policyc("build", bundle, "--out", "/dev/null")
    assert answer.code == 2
    assert "no regular file" in answer.err
