"""Clients of a project: what a user writes, and what is shown."""

from __future__ import annotations

import pytest

MODELS = """
orders = table(
    "dev.silver.orders", Column("id", LongType(), is_nullable=False), Column("n", LongType(), default=0){clients}
)
"""
REFUSED = (
    "*dev.silver.orders: trino>=470 cannot write the table feature allowColumnDefaults (default of column n): no version up"
    " to 481 can (Trino 481 documentation, Delta Lake connector, Delta Lake table features, 2026-11-22); leave it out, or"
    ' list "trino>=470 (read)" if it never writes the table, or if this is outdated, set client_features = {'
    ' "trino.allowColumnDefaults" = "470" } in [[]tool.pytest_delta_schema] [[]DS126 FeatureUnsupportedByClient]'
)
NOTE = (
    "  note * dev.silver.orders: it is not known whether duckdb>=1.1 can write allowColumnDefaults, invariants; if it can,"
    ' set client_features = { "duckdb.allowColumnDefaults" = "1.1", "duckdb.invariants" = "1.1" } in'
    " [[]tool.pytest_delta_schema]"
)


@pytest.fixture
def settings(project):
    def write(text: str, clients: str = "") -> None:
        project.path.joinpath("pyproject.toml").write_text(f"[tool.pytest_delta_schema]\n{text}\n")
        project.models(MODELS.format(clients=clients))
        project.catalog("MemoryCatalog()")

    return write


def test_a_declaration_that_a_client_cannot_use_is_refused(project, settings):
    settings('clients = ["delta-spark>=3.3", "databricks>=15.4", "trino>=470"]')

    result = project.run("-m", "delta_rules")

    result.assert_outcomes(failed=1, deselected=1)
    result.stdout.fnmatch_lines([REFUSED])


@pytest.mark.parametrize(
    ("text", "clients"),
    [
        ('clients = ["trino>=470 (read)"]', ""),
        ('clients = ["trino>=470"]', ', clients=["databricks>=15.4"]'),
        ('clients = ["trino>=470"]\nclient_features = { "trino.allowColumnDefaults" = "470" }', ""),
    ],
    ids=["a reader", "the table has its own clients", "the remedy"],
)
def test_what_is_not_refused(project, settings, text, clients):
    settings(text, clients)

    project.run("-m", "delta_rules").assert_outcomes(passed=1, deselected=1)


def test_what_is_not_known_is_a_note(project, settings):
    settings('clients = ["duckdb>=1.1"]')

    result = project.run("--delta-apply", "-m", "delta_apply", "--junit-xml=report.xml")

    result.assert_outcomes(passed=1, deselected=2)
    result.stdout.fnmatch_lines([NOTE])
    assert "it is not known whether duckdb&gt;=1.1 can write" in project.path.joinpath("report.xml").read_text("utf-8")


def test_the_same_settings_in_an_ini_file(project):
    project.ini(
        "delta_models = models",
        "delta_clients =",
        "    trino>=470",
        "    duckdb>=1.1 (read)",
        "delta_client_features =",
        "    trino.allowColumnDefaults = never <=480",
        "    trino.invariants = yes",
    )
    project.models(MODELS.format(clients=""))

    result = project.run("-m", "delta_rules")

    result.assert_outcomes(failed=1, deselected=1)
    result.stdout.fnmatch_lines(["*no version up to 480 can (setting client_features of the project); leave it out*"])


def test_every_correction_that_names_nothing_is_shown(project, settings):
    settings("client_features = { 'trino.clusterin' = '482', 'athena.clustering' = 'soon', 'trinoo.clustering' = '4' }")

    result = project.run()

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        [
            "*client_features: there is no table feature clusterin; did you mean clustering?*",
            "*client_features: athena.clustering: 'soon' names no versions; write '454', *",
            "*client_features: 'trinoo.clustering' begins with no client; clients are delta-spark, *",
        ]
    )


def test_a_table_with_a_client_that_does_not_exist(project, settings):
    settings("", ', clients=["trinoo>=470"]')

    result = project.run("-m", "delta_rules")

    result.stdout.fnmatch_lines(
        [
            "*dev.silver.orders: clients: 'trinoo>=470': there is no client trinoo; did you mean trino, as in 'trino>=470'?*"
        ]
    )
