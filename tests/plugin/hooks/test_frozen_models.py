"""Runs of many checks leave models out of collections of garbage, and runs with other tests do not."""

from __future__ import annotations

import gc
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from pytest_delta_schema.plugin.collection import freeze_after_collection
from pytest_delta_schema.plugin.items import ContractItem

if TYPE_CHECKING:
    from collections.abc import Callable

CHECK, TEST = object.__new__(ContractItem), object.__new__(pytest.Function)


@pytest.mark.parametrize(
    ("items", "frozen", "calls"),
    [
        pytest.param([CHECK] * 100, 0, ["freeze", "unfreeze"], id="many checks"),
        pytest.param([CHECK] * 99, 0, [], id="few checks"),
        pytest.param([*[CHECK] * 100, TEST], 0, [], id="another test"),
        pytest.param([CHECK] * 100, 7, [], id="frozen by something else"),
    ],
)
def test_which_runs_leave_their_models_out(monkeypatch, items, frozen, calls):
    called: list[str] = []
    cleanups: list[Callable[[], None]] = []
    monkeypatch.setattr(gc, "get_freeze_count", lambda: frozen)
    for name in ("freeze", "unfreeze"):
        monkeypatch.setattr(gc, name, lambda name=name: called.append(name))
    session = SimpleNamespace(items=items, config=SimpleNamespace(add_cleanup=cleanups.append))

    freeze_after_collection(session)

    assert called == calls[:1]
    for cleanup in cleanups:
        cleanup()
    assert called == calls


def test_a_process_that_runs_pytest_gets_its_objects_back(project):
    project.models("tables = [table(f'dev.silver.t{number}', Column('id', LongType())) for number in range(50)]\n")
    project.pytester.makeconftest(
        """
        import gc

        def pytest_runtestloop(session):
            print("\\nFROZEN", gc.get_freeze_count() > 1000)
        """
    )
    arguments = ["-q", "-s", "-m", "delta_rules or delta_ddl", "--snapshot-update"]

    result = project.pytester.runpython_c(
        f"import gc, pytest; code = pytest.main({arguments!r}); print('LEFT', gc.get_freeze_count()); exit(code)"
    )

    result.stdout.fnmatch_lines(["FROZEN True", "*100 passed*", "LEFT 0"])
