"""``--delta-preflight``: data checks run before the DDL, as far as they are wanted, and are reported."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

MODELS = """
from pytest_delta_schema import Check
orders = table("dev.silver.orders", Column("id", LongType(), is_nullable=False), Column("amount", LongType()),
    primary_key=["id"], checks=[Check("positive", "amount > 0")], comment="New")
"""
CATALOG = """MemoryCatalog(
    [stored("dev.silver.orders", ID, ColumnState("amount", "bigint", True, ""))],
    rows={QualifiedName("dev", "silver", "orders"): [{"id": n %% 9, "amount": %s} for n in range(10)]},
)"""
CLEAN, BROKEN = CATALOG % "1", CATALOG % "n - 7"
CHECK = "dev.silver.orders: check positive (amount > 0) cannot be added, because 8 rows break it, of 10"
KEY = "dev.silver.orders: primary key pk_dev_silver_orders__id (id) cannot be added, because 1 row repeats the key of another, of 10"
LISTED = "; correct them (they are listed by SELECT [*] FROM `dev`.`silver`.`orders` WHERE NOT coalesce((amount > 0), false)), or change the check [[]DS302 RowsViolateCheck]"


@pytest.mark.parametrize("how", ["option", "ini"])
def test_drift_reports_that_an_apply_would_fail_and_why(project, how):
    project.models(MODELS)
    project.catalog(BROKEN)
    if how == "ini":
        project.ini("delta_models = models", "delta_preflight = count")

    result = project.run(
        "--delta-drift", "-m", "delta_drift", *(["--delta-preflight=count"] if how == "option" else [])
    )

    result.assert_outcomes(failed=1, deselected=2)
    result.stdout.fnmatch_lines(
        [
            "dev.silver.orders has drifted, 3 changes: *; blocked: check positive (amount > 0) cannot be added, because *",
            "Blocked SQL:",
            f"  ! {CHECK}, such as id = 0, 1, 2, 3, 4{LISTED}",
            f"  ! {KEY}, such as id = 0; remove them *",
            "drift: 1 blocked, 0 statements run",
        ]
    )


def test_drift_alone_asks_nothing(project):
    project.models(MODELS)
    project.catalog(BROKEN)

    project.run("--delta-drift", "-m", "delta_drift").stdout.fnmatch_lines(["drift: 1 drifted, 0 statements run"])


@pytest.mark.parametrize(
    ("mode", "ends"), [("--delta-drift", "drift: 1 drifted"), ("--delta-apply", "apply: 1 applied")]
)
def test_off_asks_nothing(project, mode, ends):
    project.models(MODELS)
    project.catalog(
        """type("Mute", (MemoryCatalog,), {"data_checks": None})(
            [stored("dev.silver.orders", ID, ColumnState("amount", "bigint", True, ""))])"""
    )

    result = project.run(mode, "--delta-preflight=off", "-m", "delta_drift or delta_apply")

    result.stdout.fnmatch_lines([f"{ends}, *"])


def test_limit_stops_at_the_first_row(project):
    project.models(MODELS)
    project.catalog(BROKEN)

    result = project.run("--delta-apply", "-m", "delta_apply", "--delta-preflight", "limit")

    result.stdout.fnmatch_lines(
        [f"  ! {CHECK.replace('8 rows break it, of 10', 'at least 1 row breaks it')}, such as id = 0{LISTED}"]
    )


def test_no_samples_if_they_are_not_wanted(project):
    project.ini("delta_models = models", "delta_preflight_samples = 0")
    project.models(MODELS)
    project.catalog(BROKEN)

    result = project.run("--delta-apply", "-m", "delta_apply")

    result.stdout.fnmatch_lines([f"  ! {CHECK}{LISTED}"])


@pytest.mark.parametrize(("catalog", "expected"), [(CLEAN, ["passed"]), (BROKEN, [CHECK, KEY])])
def test_the_answer_lands_in_junits_properties(project, catalog, expected):
    project.models(MODELS)
    project.catalog(catalog.replace("n % 9", "n") if catalog is CLEAN else catalog)

    project.run("--delta-drift", "--delta-preflight=count", "-m", "delta_drift", "--junitxml=out.xml")

    properties = ET.parse(project.path / "out.xml").iter("property")
    values = [item.get("value") for item in properties if item.get("name") == "delta.preflight"]
    assert [text.partition(", such as")[0] for text in values] == expected


def test_a_data_check_that_fails_is_reported_like_a_statement_that_fails(project):
    project.models(MODELS)
    project.catalog(
        """type("Broken", (MemoryCatalog,), {"data_checks": lambda *_: fail()})(
            [stored("dev.silver.orders", ID, ColumnState("amount", "bigint", True, ""))])
from pytest_delta_schema.diagnostics.errors import StatementError
def fail():
    raise StatementError("no cluster")"""
    )

    result = project.run("--delta-drift", "--delta-preflight=count", "-m", "delta_drift")

    result.assert_outcomes(failed=1, deselected=2)
    story = "dev.silver.orders: its rows cannot be read: no cluster; fix the cause and run again"
    result.stdout.fnmatch_lines([story, "drift: 1 failed, 0 statements run", f"  failed      {story}"])


def test_a_table_that_does_not_exist_has_no_rows_to_ask(project):
    project.models(MODELS)

    result = project.run("--delta-drift", "--delta-preflight=count", "-m", "delta_drift", "--delta-backend=memory")

    result.stdout.fnmatch_lines(["drift: 1 drifted, 0 statements run"])


@pytest.mark.parametrize(
    ("lines", "args", "message"),
    [
        (
            (),
            ["--delta-preflight=count"],
            "--delta-preflight has no effect without --delta-drift or --delta-apply; give*",
        ),
        (
            (),
            ["--delta-drift", "--delta-preflight=all"],
            "--delta-preflight is 'all'; choose count, limit or off",
        ),
        (
            ("delta_preflight = some",),
            ["--delta-drift"],
            "delta_preflight is 'some'; choose count, limit or off",
        ),
        (
            ("delta_preflight_samples = many",),
            ["--delta-apply"],
            "delta_preflight_samples is 'many'; write a whole number, 0 or more",
        ),
    ],
)
def test_an_invalid_value_is_a_usage_error(project, lines, args, message):
    project.models(MODELS)
    project.ini("delta_models = models", *lines)

    result = project.run(*args)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {message}"])


@pytest.mark.parametrize("mode", ["--delta-drift", "--delta-apply"])
def test_values_that_a_new_partition_would_not_keep_hold_a_rewrite_back(project, mode):
    project.models("""orders = table("dev.silver.orders", Column("id", LongType()), Column("p", StringType()),
    partitioned_by=["p"])""")
    project.catalog(
        """MemoryCatalog([stored("dev.silver.orders", ID, ColumnState("p", "string", True, ""))], rows={QualifiedName("dev", "silver", "orders"): [{"id": 1, "p": ""}, {"id": 2, "p": "a"}]})"""
    )

    result = project.run(
        mode, "--delta-preflight=count", "-m", mode[2:].replace("-", "_"), "--delta-allow=rewrite dev.silver.orders"
    )

    result.assert_outcomes(failed=1, deselected=2)
    result.stdout.fnmatch_lines(
        [
            "  ! dev.silver.orders: column p cannot become a partition column, because 1 row holds a value that is read *, of 2, such as p = ; replace the values (they are listed by *), or choose another layout [[]DS306 Part*"
        ]
    )
