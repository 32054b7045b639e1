"""The engine also runs in the gate: Python 3.9, the standard library, light imports."""

import ast
import pathlib
import sys

import pytest

import policyc.engine

MODULES = sorted(pathlib.Path(policyc.engine.__file__).parent.rglob("*.py"))
HEAVY = {"dataclasses", "enum", "typing", "ipaddress", "logging", "inspect", "asyncio"}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_a_module_is_python_3_9_and_imports_little(path):
    tree = ast.parse(path.read_text("utf-8"), feature_version=(3, 9))
    imported = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imported.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            imported.add(node.module or "")
    foreign = {name for name in imported if name.split(".")[0] not in sys.stdlib_module_names}
    assert all(name == "re2" or name.startswith("policyc.engine") for name in foreign)
    assert not {name.split(".")[0] for name in imported} & HEAVY


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_a_module_compiles_no_pattern_while_it_is_imported(path):
    # patterns.lazy_pattern does, when the pattern is used.
    for statement in ast.parse(path.read_text("utf-8")).body:
        if not isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            assert "re.compile(" not in ast.unparse(statement)
