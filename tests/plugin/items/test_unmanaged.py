"""``delta_unmanaged``: tables that no model declares."""

from __future__ import annotations

import pytest

MODELS = """
orders = table("dev.silver.orders", Column("id", LongType(), is_nullable=False))
lines = table("dev.silver.lines", Column("id", LongType(), is_nullable=False))
other = table("dev.gold.other", Column("id", LongType(), is_nullable=False))
"""
HELD = """MemoryCatalog([
    stored(name, ID)
    for name in (
        "dev.silver.orders", "dev.silver.lines", "dev.silver.stray", "dev.silver.tmp_1", "dev.gold.other", "dev.bronze.raw",
        "ci.x.orders", "ci.x.lines", "ci.x.theirs",
    )
])"""
HEAD = "dev.silver holds 1 table that no model declares: dev.silver.stray"


@pytest.fixture
def held(project):
    project.models(MODELS)
    project.catalog(HELD)

    def say(mode):
        project.ini("delta_models = models", f"delta_unmanaged = {mode}", "delta_unmanaged_ignore = *.TMP_* prod.*")

    return say


def test_a_table_that_no_model_declares_fails_its_schema(project, held):
    held("fail")

    result = project.run("--delta-drift", "-m", "delta_drift or delta_unmanaged")

    result.assert_outcomes(passed=4, failed=1, deselected=6)
    result.stdout.fnmatch_lines(
        [
            f"*{HEAD}",
            (
                "Tables of models that this run did not collect count, too. No apply drops a table: declare them, exclude"
                " them with the setting unmanaged_ignore, or drop them by hand."
            ),
            f"  drifted     {HEAD}",
            "FAILED models.py::dev.silver::unmanaged*",
        ]
    )


def test_or_is_only_reported(project, held):
    held("report")

    result = project.run("--delta-drift", "-m", "delta_unmanaged")

    result.assert_outcomes(passed=2, deselected=9)
    result.stdout.fnmatch_lines([f"  note        {HEAD}"])


def test_other_runs_have_no_such_item(project, held):
    held("fail")

    applied = project.run("--delta-apply", "--collect-only", "-q")
    alone = project.run("--collect-only", "-q")

    for result in (applied, alone):
        assert "unmanaged" not in result.stdout.str()


def test_schemas_are_looked_at_where_they_are_bound_to(project, held):
    held("fail")

    result = project.run("--delta-drift", "-m", "delta_unmanaged", "--delta-bind=dev.silver=ci.x")

    result.assert_outcomes(passed=1, failed=1, deselected=9)
    result.stdout.fnmatch_lines(["*dev.silver holds 1 table that no model declares: ci.x.theirs"])


def test_another_word_is_a_usage_error(project, held):
    held("drop")

    result = project.run()

    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: delta_unmanaged is 'drop'; choose ignore, report or fail"])
