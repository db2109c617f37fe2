"""The private names of pytest, syrupy, deltalake and sqlglot, the versions in which they work, and other plugins."""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace

import pytest
import syrupy.session
from packaging.specifiers import SpecifierSet
from syrupy.data import SnapshotCollections, SnapshotUnknownCollection
from syrupy.report import SnapshotReport

from pytest_delta_schema import sqlglot_compat
from pytest_delta_schema.backends.logs import stored
from pytest_delta_schema.plugin import compat, syrupy_compat
from support.plugin_project import CATALOG, ORDERS

VERSIONS = {
    **compat.VERSIONS,
    **syrupy_compat.VERSIONS,
    **stored.VERSIONS,
    **sqlglot_compat.VERSIONS,
}


@pytest.mark.parametrize("distribution", VERSIONS)
def test_the_installed_version_is_one_in_which_they_were_tried(distribution):
    assert version(distribution) in SpecifierSet(VERSIONS[distribution])


@pytest.mark.parametrize(
    ("version", "added"),
    [((9, 0, 0), ["/p/shop/models.py", "/p/tests/models.py", "/lib/models.py"]), ((8, 4, 2), ["/lib/models.py"])],
    ids=["9", "8.4"],
)
def test_an_older_pytest_finds_the_modules_below_its_folders(monkeypatch, version, added):
    monkeypatch.setattr(pytest, "version_tuple", version)
    files = [Path("/p/shop/models.py"), Path("/p/tests/models.py"), Path("/lib/models.py")]

    assert compat.added_arguments(["/p/tests", "/p/shop/models.py"], files) == added


def test_the_file_of_a_skipped_test_is_not_unused_in_syrupy_5(monkeypatch):
    files = SnapshotCollections()
    for name in ("dev.silver.orders.ddl", "dev.silver.other.ddl"):
        files.add(SnapshotUnknownCollection(location=f"/p/__snapshots__/models/{name}.sql"))
    monkeypatch.setattr(syrupy_compat, "version", lambda _: "5.5.3")
    monkeypatch.setattr(SnapshotReport, "unused", property(lambda _: files))
    monkeypatch.setattr(
        SnapshotReport,
        "_skipped_items_match_name",
        lambda *names: names[-1] == "dev.silver.orders.ddl",
    )

    with syrupy_compat.corrected_report():
        report = _report()

    assert sorted(Path(collection.location).stem for collection in report.unused) == ["dev.silver.other.ddl"]
    assert vars(syrupy.session)["SnapshotReport"] is SnapshotReport


def test_syrupy_before_5_4_looks_for_no_unused_snapshots_if_it_would_delete_them():
    config = SimpleNamespace(option=SimpleNamespace(), stash=pytest.Stash(), args=[])
    session = SimpleNamespace(config=config, shouldstop=False, shouldfail=False)

    syrupy_compat.protect_after_run(session, pytest.ExitCode.TESTS_FAILED)

    assert vars(config.option) == {"disable_unused_snapshots": True, "no_cleanup": True}


def _report(**options):
    """Make a report as syrupy does when a session ends."""
    arguments = SimpleNamespace(keyword="", file_or_dir=[], pyargs=False, **options)
    return vars(syrupy.session)["SnapshotReport"](
        base_dir=Path("/p"),
        collected_items=set(),
        selected_items={},
        assertions=[],
        options=arguments,
    )


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

    result.assert_outcomes(failed=1)
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


def test_shuffled_items_are_applied_in_the_order_of_their_foreign_keys(project):
    project.models(FOREIGN_KEYS)
    for order, seed in (("tryfirst", 1), ("trylast", 2)):
        project.pytester.makeconftest(
            SHUFFLE.format(order=order, seed=seed) + CATALOG.format(catalog="MemoryCatalog()")
        )

        result = project.run("-v", "--delta-apply", "-m", "delta_apply")

        result.assert_outcomes(passed=3)
        applied = [line.split("::")[1] for line in result.outlines if "::apply PASSED" in line]
        assert applied == ["dev.silver.customers", "dev.silver.orders", "dev.silver.lines"]


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
