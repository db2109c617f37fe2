"""Other plugins of pytest and editors: items that are run again, shuffled, or checks by their paths and node ids."""

from __future__ import annotations

import json

import pytest

from support.plugin_project import CATALOG, ORDERS

AGAIN = """
from _pytest.runner import runtestprotocol

def pytest_runtest_protocol(item, nextitem):
    for attempt in range(3):
        item._initrequest()
        reports = runtestprotocol(item, nextitem=nextitem, log=False)
        if not any(report.failed for report in reports):
            break
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    return True
"""
FLAKY = (
    CATALOG.replace("{catalog}", "Flaky()")
    + """
from pytest_delta_schema.diagnostics.errors import StatementError

class Flaky(MemoryCatalog):
    failures = 1

    def run(self, statement):
        if "PRIMARY KEY" in statement.sql and self.failures:
            Flaky.failures -= 1
            raise StatementError("the disk was busy")
        super().run(statement)
"""
)


def test_an_apply_that_has_failed_is_not_run_again(project):
    project.pytester.makeconftest(FLAKY + AGAIN)
    project.models(ORDERS)

    result = project.run("--delta-apply", "-m", "delta_apply", "--junitxml=report.xml")

    result.assert_outcomes(failed=1, deselected=2)
    result.stdout.fnmatch_lines(["apply: 1 failed, 2 statements run", "*statement 3 of 3 failed: the disk was busy"])
    report = (project.path / "report.xml").read_text()
    assert report.count('name="delta.outcome"') == report.count('name="delta.statements"') == 1


FOREIGN_KEYS = """
from pytest_delta_schema import ForeignKey

lines = table("dev.silver.lines", Column("id", LongType()), foreign_keys=[ForeignKey(["id"], "dev.silver.orders")])
orders = table(
    "dev.silver.orders", Column("id", LongType(), is_nullable=False), primary_key=["id"],
    foreign_keys=[ForeignKey(["id"], "dev.silver.customers")],
)
customers = table("dev.silver.customers", Column("id", LongType(), is_nullable=False), primary_key=["id"])
"""
SHUFFLE = """
import random
import pytest

@pytest.hookimpl({order}=True)
def pytest_collection_modifyitems(items):
    random.Random({seed}).shuffle(items)
"""


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("order", ["tryfirst", "trylast"])
def test_shuffled_items_are_applied_in_the_order_of_their_foreign_keys(project, order, seed):
    project.pytester.makeconftest(SHUFFLE.format(order=order, seed=seed) + CATALOG.format(catalog="MemoryCatalog()"))
    project.models(FOREIGN_KEYS)

    result = project.run("-v", "--delta-apply", "-m", "delta_apply")

    result.assert_outcomes(passed=3, deselected=6)
    assert [line.split("::")[1] for line in result.outlines if "::apply PASSED" in line] == [
        "dev.silver.customers",
        "dev.silver.orders",
        "dev.silver.lines",
    ]


WALK = """
import json
from pathlib import Path
import pytest

def pytest_collection_finish(session):
    checks = []
    for item in session.items:
        assert isinstance(item.parent, pytest.Class) and isinstance(item.parent.parent, pytest.Module)
        node_id = "::".join([str(item.path), *item.nodeid.split("::")[1:]])
        checks.append([item.name, item.parent.name, item.location[1] + 1, node_id])
    Path("checks.json").write_text(json.dumps(checks))
"""


def test_an_editor_finds_and_runs_each_check_by_its_absolute_path(project):
    project.pytester.makeconftest(WALK)
    project.models(ORDERS)

    project.run("--collect-only", str(project.path))

    path = project.path / "models.py"
    checks = json.loads((project.path / "checks.json").read_text())
    assert checks == [
        [check, "dev.silver.orders", 8, f"{path}::dev.silver.orders::{check}"] for check in ("rules", "ddl")
    ]
    (project.path / "conftest.py").unlink()
    project.run("--snapshot-update", *(item[3] for item in checks)).assert_outcomes(passed=2)
