"""What the table of programs says is what its modules know."""

import importlib

import pytest

from policyc.engine.shell import projects
from policyc.engine.shell.programs import MODULES, PROJECTS, handler


@pytest.mark.parametrize("module", MODULES)
def test_a_module_knows_its_programs(module):
    known = importlib.import_module(f"policyc.engine.shell.{module}").PROGRAMS
    assert sorted(MODULES[module].split()) == sorted(known)
    first = [name for name in known if next(m for m in MODULES if name in MODULES[m].split()) == module]
    assert all(handler(name) is known[name] for name in first)


def test_programs_that_run_what_a_folder_says():
    assert sorted(PROJECTS.split()) == sorted(projects.PROJECTS)


def test_other_programs_have_none():
    assert handler("head") is None
