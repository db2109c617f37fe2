"""The backend of another distribution in ``examples/backend``, found by its entry point."""

from __future__ import annotations

import json
import sys

import pytest

from pytest_delta_schema.commands.cli import conformance_arguments
from support.logs import delta_log, field
from support.pages import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

EXAMPLE = ROOT / "examples" / "backend"
SAMPLE = (
    "basics/worked_example_aligned",
    "checks/checks_added_over_valid_rows",
    "checks/check_added_to_an_empty_table",
    "evolution/every_change_at_once",
    "primary_keys/key_added_over_duplicates",
)
"""The scenarios of the conformance run: statements that are run or emulated, and data checks."""


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """What pip leaves of the distribution in an environment, on the path of this process."""
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text("utf-8"))["project"]
    info = tmp_path / "site" / "delta_folders-1.0.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
    ((group, points),) = project["entry-points"].items()
    (info / "entry_points.txt").write_text("\n".join([f"[{group}]", *(f"{key} = {points[key]}" for key in points)]))
    monkeypatch.syspath_prepend(EXAMPLE)
    monkeypatch.syspath_prepend(info.parent)


@pytest.mark.usefixtures("installed")
def test_tables_are_gated_without_a_jvm(project):
    folder = delta_log(project.path / "lake" / "orders", field("id"), field("extra"))
    project.models("orders = table('dev.silver.orders', Column('id', LongType()))\n")
    warehouse = project.path / "warehouse"
    warehouse.mkdir()
    (warehouse / "folders.json").write_text(json.dumps({"dev.silver": {"orders": str(folder)}}))
    project.pytester.makeconftest("""
        import pytest

        @pytest.fixture(scope="session")
        def delta_spark():
            raise AssertionError("Spark is not needed")
    """)
    project.accept()

    result = project.run("--delta-drift", "--delta-backend=folders", f"--delta-warehouse={warehouse}")

    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["*drift on folders, folders of *", "*columns.extra*"])


@pytest.mark.spark
@pytest.mark.usefixtures("installed", "local")
def test_the_promises_of_a_sample_of_scenarios_hold(project, warehouse):
    project.settings(f'warehouse = "{warehouse}"')

    result = project.run(
        *conformance_arguments(
            "folders",
            "dev.silver",
            report="conformance.md",
            keyword=" or ".join(f"[{name}]" for name in SAMPLE),
        ),
    )

    assert result.ret == 0, result.outlines
    assert f"{len(SAMPLE)} held, 0 did not hold, 0 not possible" in result.outlines
    assert "  created and dropped: dev.silver" in result.outlines
    assert json.loads((warehouse / "folders.json").read_text("utf-8")) == {}
