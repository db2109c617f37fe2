"""syrupy gives no advice about snapshots after runs in which tests did not run."""

from __future__ import annotations

import pytest

from support.plugin_project import ORDERS

TWO = f"{ORDERS}\nother = table('dev.silver.other', Column('id', LongType()))\n"
ADVICE = ["*not recommended*", "*snapshot* unused*", "*--snapshot-update to delete*", "*is of a table*"]
UNKNOWN = "--delta-allow=drop-column dev.silver.orders.nothing"


@pytest.fixture
def reviewed(project):
    """A project whose snapshots are complete."""
    project.models(TWO)
    project.catalog("""MemoryCatalog([stored("dev.silver.orders", ID), stored("dev.silver.other", OLD)])""")
    project.run("--snapshot-update")
    return project


@pytest.mark.parametrize(
    ("args", "code"),
    [
        pytest.param(["--collect-only"], 0, id="collection"),
        pytest.param(["--collect-only", "-k", "other"], 0, id="collection by word"),
        pytest.param(["--delta-drift", "--delta-allow=drop-column dev.gold.x.y"], 4, id="no such table"),
        pytest.param(["--delta-drift", UNKNOWN], 4, id="no such column"),
        pytest.param(["--delta-drift", "--delta-bind=a.b=c.d"], 4, id="no such binding"),
    ],
)
def test_there_is_no_advice_after_a_run_without_tests(reviewed, args, code):
    result = reviewed.run(*args)

    assert result.ret == code
    for line in ADVICE:
        result.stdout.no_fnmatch_line(line)
    assert len(reviewed.snapshots()) == 4


def test_the_file_of_a_table_that_is_not_declared_any_more_is_named(reviewed):
    reviewed.models(ORDERS)

    result = reviewed.run()

    (line,) = (line for line in result.outlines if "is of a table" in line)
    assert line == (
        "__snapshots__/models/dev.silver.other.ddl.sql (with .state.json) is of a table that is not declared; delete it:"
        " pytest --snapshot-update"
    )
    reviewed.run("--snapshot-update").stdout.no_fnmatch_line("*is of a table*")
    assert reviewed.snapshots() == [
        "__snapshots__/models/dev.silver.orders.ddl.sql",
        "__snapshots__/models/dev.silver.orders.state.json",
    ]


@pytest.mark.parametrize("args", [[], ["-m", "delta_ddl"]])
def test_there_is_no_advice_after_a_violation_of_a_rule(reviewed, args):
    reviewed.models(TWO.replace('"id"]', '"no"]'))

    result = reviewed.run(*args)

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    for line in ADVICE:
        result.stdout.no_fnmatch_line(line)
    assert len(reviewed.snapshots()) == 4


@pytest.mark.parametrize("workers", [[], ["-n1"]], ids=["serial", "xdist"])
@pytest.mark.parametrize("update", [[], ["--snapshot-update"]], ids=["check", "update"])
def test_there_is_no_advice_after_a_module_that_raises(reviewed, update, workers):
    reviewed.models("raise OSError")

    result = reviewed.run(*update, *workers)

    assert result.ret != pytest.ExitCode.OK
    for line in ADVICE:
        result.stdout.no_fnmatch_line(line)
    assert len(reviewed.snapshots()) == 4


def test_a_snapshot_whose_table_is_gone_is_still_reported(reviewed):
    reviewed.models(ORDERS)

    result = reviewed.run()

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*1 snapshot unused*", "*--snapshot-update to delete*"])
