"""``--delta-max-risk`` and ``delta_protected``: what a run may do at most, and where it may do nothing."""

from __future__ import annotations

import pytest

MODELS = """
orders = table("dev.silver.orders", Column("id", LongType(), is_nullable=False), Column("new", LongType()), primary_key=["id"])
other = table("dev.gold.other", Column("id", LongType()))
"""
CATALOG = """MemoryCatalog([stored("dev.silver.orders", OLD)])"""
REFUSED = (
    "  ! dev.silver.orders: changes columns.id (scan), primary_key (scan) are riskier than {}, the maximum of this run;"
    " raise --delta-max-risk, or remove them from the model [[]DS212 MaxRiskExceeded]"
)


@pytest.mark.parametrize("limit", ["metadata", "feature"])
@pytest.mark.parametrize("how", ["option", "ini"])
def test_changes_above_the_limit_are_refused_and_new_tables_are_not(project, limit, how):
    project.models(MODELS)
    project.catalog(CATALOG)
    if how == "ini":
        project.ini("delta_models = models", f"delta_max_risk = {limit}")

    result = project.run(
        "--delta-apply", "-m", "delta_apply", *([f"--delta-max-risk={limit}"] if how == "option" else [])
    )

    result.assert_outcomes(passed=1, failed=1, deselected=4)
    result.stdout.fnmatch_lines([REFUSED.format(limit), "apply: 1 applied, 1 blocked, 2 statements run"])


def test_changes_within_the_limit_are_done(project):
    project.models(MODELS)
    project.catalog(CATALOG)

    result = project.run("--delta-apply", "-m", "delta_apply", "--delta-max-risk", "scan")

    result.assert_outcomes(passed=2, deselected=4)


def test_protected_tables_are_not_changed_and_may_be_looked_at(project):
    project.ini("delta_models = models", "delta_protected = prod.* DEV.silver.*")
    project.models(MODELS)
    project.catalog(CATALOG)

    looked = project.run("--delta-drift", "-m", "delta_drift")
    applied = project.run("--delta-apply", "-m", "delta_apply")

    looked.stdout.fnmatch_lines(["drift: 2 drifted, 0 statements run"])
    applied.assert_outcomes(passed=1, failed=1, deselected=4)
    applied.stdout.fnmatch_lines(
        [
            (
                "  ! dev.silver.orders: is protected by the pattern DEV.silver.[*] of the setting protected, so no run changes it; change it in the way that"
                " was agreed on for it, or remove the pattern [[]DS213 ProtectedTable]"
            )
        ]
    )


def test_a_pattern_that_protects_nothing_is_reported(project):
    project.ini("delta_models = models", "delta_protected = prod.* dev.silver.* dev.siver.*")
    project.models(MODELS)
    project.catalog(CATALOG)

    result = project.run("--delta-apply", "-m", "delta_apply", "-k", "other", "--junitxml=report.xml")

    assert result.ret == 0
    for pattern in ("prod.*", "dev.siver.*"):
        note = f"the pattern {pattern} of the setting protected matches no table of this run; fix or remove it"
        assert result.stdout.str().count(f"  unused      {note}\n") == 1
        assert f'<property name="delta.unused" value="{note}" />' in project.path.joinpath("report.xml").read_text()
    assert "the pattern dev.silver" not in result.stdout.str()


@pytest.mark.parametrize("pattern", ["dev.silver.o[1]", "dev.silver.O[[]1]", "dev.silver.o?1?", "*[[]*"])
def test_a_protected_pattern_matches_a_table_of_that_name(project, pattern):
    project.ini("delta_models = models", f"delta_protected = {pattern}")
    project.models('orders = Table("dev", "silver", "o[1]", [Column("id", LongType())])')
    project.catalog("MemoryCatalog()")

    result = project.run("--delta-apply", "-m", "delta_apply")

    result.assert_outcomes(failed=1, deselected=2)
    assert f"is protected by the pattern {pattern} of the setting protected" in result.stdout.str()
    assert "matches no table" not in result.stdout.str()


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (
            ["--delta-max-risk=scan"],
            "--delta-max-risk has no effect without --delta-drift or --delta-apply; give one of them, too",
        ),
        (
            ["--delta-drift", "--delta-max-risk=some"],
            "--delta-max-risk is 'some'; choose metadata, feature, scan, rewrite or destructive",
        ),
    ],
)
def test_an_invalid_value_is_a_usage_error(project, args, message):
    project.models(MODELS)

    result = project.run(*args)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {message}"])
