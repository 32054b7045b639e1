import pytest
from hooks.doctor.repositories import compiled, repository

from policyc.hooks.doctor import diagnose as module
from policyc.hooks.doctor.situations import SITUATIONS


@pytest.fixture(scope="session")
def data(tmp_path_factory):
    return compiled(tmp_path_factory.mktemp("bundle") / "b")


@pytest.fixture
def written(data, tmp_path):
    """The hooks of an agent in a folder whose name needs quotes."""
    return lambda name: repository(data, name, tmp_path / "my repo" / name)


@pytest.fixture
def table(monkeypatch):
    """The rows by name of an agent in a folder; what waits for a timeout only where it is asked for."""

    def rows(name, folder, *more):
        kept = [one for one in SITUATIONS if not one.slow or one.name in more]
        monkeypatch.setattr(module, "SITUATIONS", kept)
        return {row.name: row for row in module.diagnose(name, folder)}

    return rows
