"""An import that is killed before or after it has written a module."""

from __future__ import annotations

import ast
import signal

import pytest

KILLED = """
import os, signal

_replace = os.replace

def _killed(source, target):
    if not {is_before}:
        _replace(source, target)
    os.kill(os.getpid(), signal.SIGKILL)

def pytest_collection_finish():
    os.replace = _killed
"""
CATALOG = 'MemoryCatalog([stored("dev.silver.customers", ID), stored("dev.silver.orders", ID)])'


@pytest.mark.parametrize("is_before", [True, False], ids=["before", "after"])
def test_a_killed_import_leaves_whole_files_and_can_be_run_again(project, is_before):
    (project.path / "tox.ini").unlink()
    project.catalog(CATALOG)
    project.extend_conftest(KILLED.format(is_before=is_before))

    killed = project.run("--delta-import=dev.silver", subprocess=True)
    project.catalog(CATALOG)
    modules = list(project.path.glob("contracts/*.py"))

    assert killed.ret == -signal.SIGKILL
    assert [ast.get_docstring(ast.parse(path.read_text("utf-8"))) for path in modules] == (
        [] if is_before else ["Tables of dev.silver."]
    )
    project.run("--delta-import=dev.silver").stdout.fnmatch_lines(
        ['  wrote       pyproject.toml, models = [[]"contracts.silver"]']
    )
    project.run("--snapshot-update")
    project.run("--delta-drift").assert_outcomes(passed=6)
