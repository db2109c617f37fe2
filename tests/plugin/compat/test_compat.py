"""The private names of pytest, syrupy, deltalake and sqlglot: where they are used, and in which versions they were tried."""

from __future__ import annotations

import re
import sys
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace

import pytest
import syrupy.session
from packaging.specifiers import SpecifierSet
from syrupy.data import SnapshotCollections, SnapshotUnknownCollection
from syrupy.report import SnapshotReport

import pytest_delta_schema
from pytest_delta_schema import sqlglot_compat
from pytest_delta_schema.backends.unity import logs
from pytest_delta_schema.plugin import compat, syrupy_compat

PACKAGE = Path(pytest_delta_schema.__file__).parent
VERSIONS = {
    **compat.VERSIONS,
    **syrupy_compat.VERSIONS,
    **logs.VERSIONS,
    **sqlglot_compat.VERSIONS,
}
PRIVATE = re.compile(
    r"\b_pytest\b|\._fixtureinfo\b|\bno_cleanup\b|\bdisable_unused_snapshots\b|\b_syrupy\b|\breport_handler\b|\b_use_item_location\b|\bdeltalake\.fs\b|PanicException"
)


@pytest.mark.parametrize("distribution", VERSIONS)
def test_the_installed_version_is_one_in_which_they_were_tried(distribution):
    assert version(distribution) in SpecifierSet(VERSIONS[distribution])


@pytest.mark.skipif(sys.version_info < (3, 11), reason="tomllib came with Python 3.11")
def test_the_package_depends_on_the_versions_of_sqlglot_that_were_tried():
    import tomllib  # noqa: PLC0415 - Python 3.10 has none

    project = tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text("utf-8"))["project"]

    assert f"sqlglot{sqlglot_compat.VERSIONS['sqlglot']}" in project["dependencies"]


def test_no_other_module_uses_one():
    uses = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if PRIVATE.search(path.read_text("utf-8"))
    }

    assert uses == {
        "plugin/compat.py",
        "plugin/syrupy_compat.py",
        "backends/unity/logs.py",
    }


@pytest.mark.parametrize(
    ("version", "added"),
    [((9, 0, 0), ["/p/shop/models.py", "/p/tests/models.py", "/lib/models.py"]), ((8, 4, 2), ["/lib/models.py"])],
    ids=["9", "8.4"],
)
def test_an_older_pytest_finds_the_modules_below_its_folders(monkeypatch, version, added):
    monkeypatch.setattr(pytest, "version_tuple", version)
    files = [Path("/p/shop/models.py"), Path("/p/tests/models.py"), Path("/lib/models.py")]

    assert compat.added_arguments(["/p/tests", "/p/shop/models.py"], files) == added


@pytest.mark.parametrize(
    ("skipped", "unused"),
    [
        pytest.param({"dev.silver.orders.ddl"}, ["dev.silver.other.ddl"], id="of a skipped test"),
        pytest.param(set(), ["dev.silver.orders.ddl", "dev.silver.other.ddl"], id="of no test"),
    ],
)
def test_the_file_of_a_skipped_test_is_not_unused_in_syrupy_5(monkeypatch, skipped, unused):
    files = SnapshotCollections()
    for name in ("dev.silver.orders.ddl", "dev.silver.other.ddl"):
        files.add(SnapshotUnknownCollection(location=f"/p/__snapshots__/models/{name}.sql"))
    monkeypatch.setattr(syrupy_compat, "version", lambda _: "5.5.3")
    monkeypatch.setattr(SnapshotReport, "unused", property(lambda _: files))
    monkeypatch.setattr(
        SnapshotReport,
        "_skipped_items_match_name",
        lambda *names: names[-1] in skipped,
    )

    with syrupy_compat.corrected_report():
        report = _report()

    assert sorted(Path(collection.location).stem for collection in report.unused) == unused
    assert vars(syrupy.session)["SnapshotReport"] is SnapshotReport


def test_syrupy_5_finds_nothing_unused_where_later_versions_do_not_look(monkeypatch):
    monkeypatch.setattr(syrupy_compat, "version", lambda _: "5.5.3")
    files = SnapshotCollections()
    files.add(SnapshotUnknownCollection(location="/p/__snapshots__/models/dev.silver.orders.ddl.sql"))
    monkeypatch.setattr(SnapshotReport, "__post_init__", lambda report: setattr(report, "discovered", files))

    with syrupy_compat.corrected_report():
        report = _report(disable_unused_snapshots=True)

    assert list(report.discovered) == []


def test_syrupy_before_5_4_looks_for_no_unused_snapshots_if_it_would_delete_them():
    config = SimpleNamespace(option=SimpleNamespace(), stash=pytest.Stash(), args=[])
    session = SimpleNamespace(config=config, shouldstop=False, shouldfail=False)

    syrupy_compat.protect_after_run(session, pytest.ExitCode.TESTS_FAILED)

    assert vars(config.option) == {"disable_unused_snapshots": True, "no_cleanup": True}


def _report(**options):
    """Make a report as syrupy does when a session ends."""
    arguments = SimpleNamespace(keyword="", file_or_dir=[], pyargs=False, **options)
    return vars(syrupy.session)["SnapshotReport"](
        base_dir=Path("/p"), collected_items=set(), selected_items={}, assertions=[], options=arguments
    )
