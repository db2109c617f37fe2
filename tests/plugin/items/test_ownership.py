"""``Table(owns=...)``: what a contract only reports fails the gate, and no apply changes it."""

from __future__ import annotations

MODELS = """
orders = table(
    "dev.silver.orders",
    Column("id", LongType(), is_nullable=False, comment="Key"),
    Column("new", LongType()),
    comment="Ours",
    table_properties={"team": "us"},
    owns={"comments": "report", "properties": "ignore"},
)
"""
CATALOG = (
    """MemoryCatalog([stored("dev.silver.orders", ID, table_comment="Theirs", table_properties={"team": "them"})])"""
)


def test_a_gate_shows_managed_and_reported_differences(project):
    project.models(MODELS)
    project.catalog(CATALOG)

    result = project.run("--delta-drift", "-m", "delta_drift")

    result.assert_outcomes(failed=1, deselected=2)
    result.stdout.fnmatch_lines(
        [
            "*dev.silver.orders has drifted, 1 change: columns.new",
            "  + columns.new  (absent) -> bigint",
            "",
            "  ~ columns.id.comment  ''       -> 'Key'",
            "  ~ comment             'Theirs' -> 'Ours'",
            "",
            (
                "No apply changes this, because the contract reports comments and does not manage it: change it where it is"
                " managed, or change the model."
            ),
            "SQL that would run:",
        ]
    )
    assert "team" not in result.stdout.str()


def test_an_apply_does_its_part_and_notes_the_rest_which_keeps_failing_the_gate(project):
    project.models(MODELS)
    project.catalog(CATALOG)

    applied = project.run("--delta-apply", "-m", "delta_apply")

    applied.assert_outcomes(passed=1, deselected=2)
    applied.stdout.fnmatch_lines(
        [
            "apply: 1 applied, 1 statement run",
            (
                "  note        dev.silver.orders has drifted, 2 changes: columns.id.comment, comment, in what the contract"
                " only reports"
            ),
        ]
    )


def test_drift_in_reported_aspects_alone_fails_the_gate(project):
    project.models(MODELS)
    project.catalog(
        """MemoryCatalog([stored("dev.silver.orders", ID._replace(comment="Key"), OLD._replace(name="new"))])"""
    )

    result = project.run("--delta-drift", "-m", "delta_drift")

    result.assert_outcomes(failed=1, deselected=2)
    result.stdout.fnmatch_lines(
        [
            "*dev.silver.orders has drifted, 1 change: comment",
            "declared at models.py:*",
            "  ~ comment  '' -> 'Ours'",
            "drift: 1 drifted, 0 statements run",
        ]
    )
    assert "SQL that would run" not in result.stdout.str()
