import pytest

from policyc.hooks.errors import HooksError
from policyc.hooks.sources import environment, inline_sources, mounted_source, own_files, together

NETWORK = {
    "allowlist": [
        {"domain": "a.example.com", "transform": {"Authorization": "Bearer ${A}", "X-Team": "${B}-${A}"}},
        {"domain": "*"},
    ]
}


def refused(code, call, *arguments):
    with pytest.raises(HooksError) as caught:
        call(*arguments)
    assert caught.value.code == code
    return caught.value.message


def test_the_document_has_the_shape_of_the_api():
    sources = inline_sources({".agents/hooks.json": "{}\n", ".agents/hooks-scripts/gate.py": "pass\n"})
    assert environment(sources, {"network": NETWORK}, {"A": "a-1", "B": "b"}) == {
        "type": "remote",
        "sources": [
            {"type": "inline", "target": ".agents/hooks.json", "content": "{}\n"},
            {"type": "inline", "target": ".agents/hooks-scripts/gate.py", "content": "pass\n"},
        ],
        "network": {
            "allowlist": [
                {
                    "domain": "a.example.com",
                    "transform": {"Authorization": "Bearer a-1", "X-Team": "b-a-1"},
                },
                {"domain": "*"},
            ]
        },
    }


def test_a_bundle_that_does_not_restrict_the_network():
    """An empty allowlist would cut the sandbox off; no `network` leaves it open."""
    assert environment([], {"network": None}, {}) == {"type": "remote", "sources": []}
    assert environment([], {"network": {"allowlist": []}}, {})["network"] == {"allowlist": []}


def test_variables_that_stay():
    assert environment([], {"network": NETWORK}, None)["network"] == NETWORK


@pytest.mark.parametrize(
    ("env", "named"), [({}, "A, B"), ({"A": "x"}, "B"), ({"A": "", "B": "x"}, "A"), ({"B": "x"}, "A")]
)
def test_every_variable_without_a_value_is_named(env, named):
    message = refused("variable_missing", environment, [], {"network": NETWORK}, env)
    assert message.endswith(f": {named}")


def test_a_value_that_would_start_another_header_is_refused_and_not_said():
    env = {"A": "secret\r\nX-Other: 1", "B": "x"}
    assert "secret" not in refused("network_invalid", environment, [], {"network": NETWORK}, env)


def test_the_limits_of_inline_sources():
    assert len(inline_sources({"a": "x" * 1_000_000, "b": "x" * 1_000_000})) == 2
    message = refused("sources_too_large", inline_sources, {"big": "x" * 1_000_001, "small": ""})
    assert message == "an inline source has at most 1,000,000 bytes: big 1,000,001"
    three = {"a": "x" * 900_000, "b": "x" * 800_000, "c": "é" * 150_001}
    message = refused("sources_too_large", inline_sources, three)
    assert message == (
        "inline sources have at most 2,000,000 bytes together, and these 2,000,002: "
        "a 900,000, b 800,000, c 300,002"
    )


@pytest.mark.parametrize(
    ("kind", "url"),
    [
        ("repository", "https://github.com/org/hooks"),
        ("repository", "https://git.example.com/org/hooks.git"),
        ("gcs", "gs://bucket"),
        ("gcs", "gs://my-bucket/hooks/v1/"),
    ],
)
def test_a_source_elsewhere(kind, url):
    assert mounted_source(kind, url, "/.agents") == {"type": kind, "source": url, "target": "/.agents"}


@pytest.mark.parametrize(
    ("kind", "url"),
    [
        ("repository", "http://github.com/org/hooks"),
        ("repository", "git@github.com:org/hooks.git"),
        ("repository", "https://github.com"),
        ("repository", "https://github.com/org/hooks?ref=main"),
        ("repository", "https://localhost/org/hooks"),
        ("repository", "https://10.0.0.1/org/hooks"),
        ("repository", "gs://bucket"),
        ("repository", ""),
        ("gcs", "https://storage.googleapis.com/bucket"),
        ("gcs", "gs://"),
        ("gcs", "gs:///folder"),
        ("gcs", "gs://bucket/a b"),
        ("gcs", "bucket/folder"),
    ],
)
def test_a_url_of_the_wrong_kind(kind, url):
    assert refused("source_url_invalid", mounted_source, kind, url, "/")


@pytest.mark.parametrize("kind", ["repository", "gcs"])
def test_a_url_that_is_missing(kind):
    assert kind in refused("source_url_missing", mounted_source, kind, None, "/")


def test_a_password_in_a_url_is_refused_and_not_repeated():
    url = "https://ann:hunter2@github.com/org/hooks"
    assert "hunter2" not in refused("source_url_invalid", mounted_source, "repository", url, "/")


def test_own_files(tmp_path):
    (tmp_path / "workspace/data").mkdir(parents=True)
    (tmp_path / "workspace/data/b.txt").write_bytes("é\r\n".encode())
    (tmp_path / "a").write_text("")
    assert own_files(tmp_path) == {"a": "", "workspace/data/b.txt": "é\r\n"}
    (tmp_path / "c").write_bytes(b"\xff")
    assert "not UTF-8" in refused("source_unreadable", own_files, tmp_path)


def test_a_folder_without_files(tmp_path):
    assert str(tmp_path) in refused("source_unreadable", own_files, tmp_path)
    refused("source_unreadable", own_files, tmp_path / "missing")


def test_own_files_never_replace_generated_ones():
    assert together({"a": "1"}, {"b": "2"}) == {"a": "1", "b": "2"}
    assert "b" in refused("source_clash", together, {"a": "1", "b": "1"}, {"b": "2"})
