"""A plan that was reviewed is what runs: ``--delta-plan-out``, and ``--delta-apply --delta-plan``."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

import pytest

from pytest_delta_schema import Column, MemoryCatalog, Orchestrator, QualifiedName, Table
from pytest_delta_schema.backends.spark.versions import OPEN_SOURCE_DELTA
from pytest_delta_schema.commands.cli import main
from pytest_delta_schema.state import ColumnState, TableState
from pytest_delta_schema.state.states import IntroducedBy
from support.plugin_project import SHARED
from support.snapshots import TextSnapshot

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.plugin_project import Project

MODELS = """
from pytest_delta_schema import Check, ForeignKey
customers = table("dev.silver.customers", Column("id", LongType(), is_nullable=False, comment="Key"), primary_key=["id"])
orders = table(
    "dev.silver.orders",
    Column("id", LongType(), is_nullable=False, comment="Order ID"),
    Column("customer", LongType()),
    comment="Orders",
    foreign_keys=[ForeignKey(["customer"], references=customers)],
)
plain = table("dev.silver.plain", Column("id", LongType(), is_nullable=False))
"""
OUT = ("--delta-drift", "--delta-plan-out=plan.json")
APPLY = ("--delta-apply", "--delta-plan=plan.json")
NEW_PLAN = "make a new plan: pytest --delta-drift --delta-plan-out=plan.json"
ORDERS = QualifiedName("dev", "silver", "orders")


def catalog_of(catalog: str = "dev", kind: type[MemoryCatalog] = MemoryCatalog, **orders: Any) -> MemoryCatalog:
    """Return a catalog in which customers are missing, orders differ and the third table is in sync."""
    identity = ColumnState("id", "bigint", True, "")
    columns = (identity, ColumnState("customer", "bigint", True, ""))
    name = QualifiedName(catalog, "silver", "orders")
    return kind(
        [
            replace(TableState(name=name, columns=columns), **orders),
            TableState(name=name._replace(table="plain"), columns=(identity._replace(is_nullable=False),)),
        ],
        rows={name: [{"id": 1}]},
    )


@pytest.fixture
def planned(project: Project) -> Project:
    """Return the project, whose plan is written, and whose catalog the runs of one test share."""
    project.ini('addopts = -m "delta_drift or delta_apply or delta_compat"')
    project.models(MODELS)
    project.catalog('__import__("support.plugin_project").plugin_project.SHARED["catalog"]')
    SHARED["catalog"] = catalog_of()
    result = project.run(*OUT)
    result.assert_outcomes(passed=1, failed=2)
    assert "delta schema: plan of 3 tables written to plan.json, digest " in result.stdout.str()
    return project


def states() -> dict[QualifiedName, TableState]:
    """Return what the catalog holds."""
    catalog: Any = SHARED["catalog"]
    return dict(catalog._tables)


def edited(project: Project, change: Callable[[bytes], bytes]) -> None:
    path = project.path / "plan.json"
    path.write_bytes(change(path.read_bytes()))


# Written


def test_the_whole_file_is_reviewed(planned, snapshot):
    text = (planned.path / "plan.json").read_text("ascii")

    assert [*json.loads(text)] == sorted(json.loads(text))
    assert text == snapshot(extension_class=TextSnapshot)


def test_equal_input_gives_equal_bytes(planned, monkeypatch):
    """Written by workers, in a different folder, and with a different hash seed."""
    before = (planned.path / "plan.json").read_bytes()
    planned.catalog("None")
    planned.extend_conftest(CATALOG_OF_WORKERS)
    folder = planned.path / "elsewhere"
    folder.mkdir()
    monkeypatch.setenv("PYTHONHASHSEED", "7")
    monkeypatch.chdir(folder)

    result = planned.run("--delta-drift", "--delta-plan-out=again.json", "-n2", "--rootdir=..", "..", subprocess=True)

    written = next(path for path in planned.path.rglob("again.json"))
    assert written.read_bytes() == before, result.stdout.str()


CATALOG_OF_WORKERS = """
@pytest.fixture(scope="session")
def delta_catalog():
    return MemoryCatalog(
        [stored("dev.silver.orders", OLD, ColumnState("customer", "bigint", True, "")), stored("dev.silver.plain", ID)],
        rows={QualifiedName("dev", "silver", "orders"): [{"id": 1}]},
    )
"""


def test_neither_versions_of_data_nor_values_that_are_not_owned_are_in_it(planned):
    before = (planned.path / "plan.json").read_bytes()
    SHARED["catalog"] = catalog_of(version=41, table_properties={"owner.password": "hunter2"})

    planned.run(*OUT)

    assert (planned.path / "plan.json").read_bytes() == before


@pytest.mark.parametrize(
    ("models", "settings", "reason"),
    [
        (
            "x = table('dev.silver.plain', Column('id', LongType(), is_nullable=False), comment='x')\n",
            "max_risk = 'scan'",
            "",
        ),
        (
            "x = table('dev.silver.orders', Column('id', LongType()))\n",
            "",
            "the check drift of dev.silver.orders fails",
        ),
        (
            "x = table('dev.silver.new', Column('id', LongType()), table_properties={'sink.password': 'hunter2'})\n",
            "",
            "dev.silver.new: properties.sink.password may hold a secret, which no plan file holds; apply it without a file",
        ),
        (
            "x = table('dev.silver.new', Column('id', LongType(), comment='dapi0123456789abcdef0123456789abcdef'))\n",
            "",
            "dev.silver.new: statements may hold a secret, which no plan file holds; apply it without a file",
        ),
    ],
    ids=["written", "blocked", "secret property", "token"],
)
def test_a_plan_is_written_as_a_whole_or_not_at_all(planned, models, settings, reason):
    planned.settings('models = ["models"]', settings)
    planned.models(models)

    result = planned.run(*OUT)

    assert (planned.path / "plan.json").exists() is (not reason)
    assert not reason or f"delta schema: no plan was written to plan.json: {reason}\n" in result.stdout.str()
    assert result.ret == 1
    assert "hunter2" not in (planned.path / "plan.json").read_text() if not reason else True


def test_a_run_that_ends_early_writes_none(planned):
    result = planned.run(*OUT, "-x")

    assert not (planned.path / "plan.json").exists()
    result.stdout.fnmatch_lines(["*no plan was written to plan.json: the run ended before every table was planned"])


def test_a_file_of_others_is_not_replaced(planned):
    result = planned.run("--delta-drift", "--delta-plan-out=models.py")

    assert result.ret == 4
    assert "models.py exists and is not a plan file; choose a different name" in result.stderr.str()
    assert "ForeignKey" in (planned.path / "models.py").read_text()


def test_a_file_that_cannot_be_written_fails_the_run(planned):
    SHARED["catalog"] = catalog_of()
    (planned.path / "file").touch()

    result = planned.run("--delta-drift", "--delta-plan-out=file/plan.json", "-k", "plain and drift")

    assert result.ret in {1, 4}
    assert "it cannot be written: " in result.stdout.str() + result.stderr.str()


@pytest.mark.parametrize("form", ["text", "sql", "markdown"])
def test_it_is_shown(planned, form, monkeypatch, capsys, snapshot):
    monkeypatch.chdir(planned.path)

    assert main(["plan", "plan.json", f"--format={form}"]) == 0

    shown = re.sub(r"\b[0-9a-f]{12,64}\b", "<digest>", capsys.readouterr().out)
    assert shown == snapshot(extension_class=TextSnapshot)


def test_a_file_that_cannot_be_shown_is_an_error(planned, monkeypatch, capsys):
    monkeypatch.chdir(planned.path)

    assert main(["plan", "models.py"]) == 1

    assert capsys.readouterr().err.startswith("error: models.py is not valid JSON: ")


# Applied


def test_it_is_applied_once_and_then_already_applied(planned):
    digest = json.loads((planned.path / "plan.json").read_text())["digest"]

    first = planned.run(*APPLY, "--delta-report=json:first.json", "--delta-report=markdown:first.md")
    after = states()
    second = planned.run(*APPLY)

    first.assert_outcomes(passed=3)
    first.stdout.fnmatch_lines(
        [
            f"delta schema: plan plan.json, 3 tables, digest {digest[:12]}",
            "apply: 1 in sync, 2 applied, 6 statements run",
        ]
    )
    assert json.loads((planned.path / "first.json").read_text())["runs"][0]["plan"] == f"plan.json ({digest})"
    assert f"plan plan.json ({digest})" in (planned.path / "first.md").read_text()
    second.assert_outcomes(passed=3)
    second.stdout.fnmatch_lines(
        [
            "apply: 3 in sync, 0 statements run",
            "*dev.silver.customers: already applied: nothing is left of the 3 changes that plan.json has",
        ]
    )
    assert states() == after


def test_one_file_goes_from_dev_to_prod_through_bindings(planned):
    SHARED["catalog"] = catalog_of("prod")

    result = planned.run(*APPLY, "--delta-bind=dev=prod")

    result.assert_outcomes(passed=3)
    catalog: Any = SHARED["catalog"]
    assert catalog._tables[QualifiedName("prod", "silver", "orders")].foreign_keys[0].parent.catalog == "prod"


def test_tables_that_are_not_in_it_are_skipped(planned):
    planned.models(MODELS + "later = table('dev.silver.later', Column('id', LongType()))\n")

    result = planned.run(*APPLY, "-rs")

    result.assert_outcomes(passed=3, skipped=1)
    result.stdout.fnmatch_lines(["SKIPPED * not in the plan"])
    assert QualifiedName("dev", "silver", "later") not in states()


class LoggedCatalog(MemoryCatalog):
    """Knows which commit has brought every column."""

    def introduced_by(self, table, paths):  # noqa: ARG002 - the signature of the port
        time = datetime(2026, 1, 31, tzinfo=timezone.utc)
        return tuple(IntroducedBy(path=path, version=7, operation="ADD COLUMNS", time=time) for path in paths)


class EmulatingCatalog(MemoryCatalog):
    """Emulates what open-source Delta emulates."""

    capabilities = OPEN_SOURCE_DELTA


def with_customers(catalog: MemoryCatalog) -> MemoryCatalog:
    """Create the missing table with another type."""
    Orchestrator.over(catalog).sync_tables([Table("dev", "silver", "customers", [Column("id", "string")])])
    return catalog


def with_null(catalog: MemoryCatalog) -> MemoryCatalog:
    """Insert a row that forbids a change."""
    catalog.insert(ORDERS, [{"id": None}])
    return catalog


COLUMNS = (ColumnState("id", "bigint", True, ""), ColumnState("customer", "bigint", True, ""))
STALE: dict[str, tuple[Callable[[], MemoryCatalog], tuple[str, ...]]] = {
    "a column was added by hand": (
        lambda: catalog_of(
            kind=LoggedCatalog,
            columns=(*COLUMNS, ColumnState("legacy", "string", True, "")),
            table_properties={"delta.columnMapping.mode": "name"},
        ),
        (
            "blocked: plan.json is stale: it does not have 1 change of a plan made now: columns.legacy",
            "! dev.silver.orders: since the plan was made: + columns.legacy: (absent) -> string [DS606 StalePlan]",
            "note: column legacy came with version 7, ADD COLUMNS of 2026-01-31",
            "blocked: plan.json is applied to all of its tables or to none, and does not fit dev.silver.orders",
        ),
    ),
    "a part of it was applied": (
        lambda: catalog_of(table_comment="Orders"),
        (
            "blocked: plan.json is stale: 1 of its 4 changes is made already: comment",
            "since the plan was made: ~ comment: '' -> 'Orders' [DS606 StalePlan]",
            f"{NEW_PLAN} [DS606 StalePlan]",
        ),
    ),
    "a table was created": (
        lambda: with_customers(catalog_of()),
        (
            "blocked: plan.json is stale: it does not have 4 changes of a plan made now: columns.id, primary_key, ",
            "! dev.silver.customers: since the plan was made: + table: (absent) -> created with 1 column [DS606 StalePlan]",
        ),
    ),
    "rows forbid it": (lambda: with_null(catalog_of()), ("NullsInColumn",)),
    "another backend": (
        lambda: catalog_of(kind=EmulatingCatalog),
        ("blocked: plan.json is stale: of its backend and that of this run, only one emulates add check, ",),
    ),
}


@pytest.mark.parametrize("case", STALE)
def test_nothing_runs_on_any_table_if_it_does_not_fit_one(planned, case):
    catalog, texts = STALE[case]
    SHARED["catalog"] = catalog()
    before = states()

    result = planned.run(*APPLY)

    assert [
        text for text in (*texts, "apply: 1 in sync, 2 blocked, 0 statements run") if text not in result.stdout.str()
    ] == []
    result.assert_outcomes(passed=1, failed=2)
    assert states() == before


def test_the_command_for_a_new_plan_has_the_options_of_the_catalog(planned):
    SHARED["catalog"] = catalog_of("prod", table_comment="Orders")

    result = planned.run(*APPLY, "--delta-bind=dev=prod")

    assert f"{NEW_PLAN} --delta-bind=dev=prod [DS606 StalePlan]" in result.stdout.str()


def test_a_state_with_a_token_is_not_written(planned):
    SHARED["catalog"] = catalog_of(table_comment="dapi0123456789abcdef0123456789abcdef")

    result = planned.run(*OUT)

    assert "no plan was written to plan.json: dev.silver.orders: before may hold a secret" in result.stdout.str()


def test_other_settings_are_named(planned):
    planned.settings('models = ["models"]', 'enable_features = ["typeWidening"]')
    SHARED["catalog"] = catalog_of(table_comment="Orders")

    result = planned.run(*APPLY)

    settings = 'the plan was made with other settings: the defaults, not enable_features = ["typeWidening"]'
    assert settings in result.stdout.str()


# Refused


REFUSED = {
    "no such file": (lambda _: b"", "plan.json does not exist"),
    "another version": (
        lambda data: data.replace(b'"version": 1\n', b'"version": 2\n'),
        "plan.json is of version 2, and this release reads version 1",
    ),
    "one byte": (lambda data: data.replace(b"Order ID", b"Order id", 1), "plan.json was edited after it was written"),
    "a blank": (lambda data: data.replace(b"{\n", b"{ \n", 1), "plan.json was edited after it was written"),
    "half": (lambda data: data[: len(data) // 2], "plan.json is not valid JSON: "),
    "NUL": (lambda data: data.replace(b"Orders", b"\0rders", 1), "plan.json is not valid JSON: "),
    "empty": (lambda _: b"", "plan.json is not valid JSON: "),
    "text": (lambda data: data.replace(b"Orders", b"\xff", 1), "plan.json is not UTF-8"),
    "brackets": (lambda _: b"[" * 100_000, "plan.json is nested too deeply"),
    "too large": (lambda _: b"[" * (64 * 1024 * 1024 + 1), "plan.json is larger than 64 MiB"),
    "a report": (lambda _: b'{"version": 1, "tables": []}', "plan.json is not a plan file"),
    "a merge": (lambda data: b"<<<<<<< ours\n" + data, "plan.json has a conflict of a merge in line 1"),
    "a key twice": (lambda data: data.replace(b'"version"', b'"version": 1,\n "version"'), "is written twice"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_file_that_is_not_as_it_was_written_is_refused(planned, case):
    change, message = REFUSED[case]
    edited(planned, change)
    if case == "no such file":
        (planned.path / "plan.json").unlink()
    before = states()

    result = planned.run(*APPLY)

    errors = result.stderr.str()
    assert result.ret == 4
    assert re.search(rf"ERROR: --delta-plan: .*{re.escape(message)}.*; (make a new plan: pytest|upgrade)", errors), (
        errors
    )
    assert states() == before


@pytest.mark.parametrize(
    ("models", "options", "message"),
    [
        ("x = table('dev.silver.x', Column('id', LongType()))\n", (), "plan.json is the plan of another project: no model of"),
        (MODELS.replace("plain = ", "_ = "), ("models.py",), ""),
        (MODELS.replace("dev.silver.plain", "dev.silver.moved"), (), "plan.json is stale: no model of this run declares dev.silver.plain; "),
        (MODELS.replace("Order ID", "Order"), (), "plan.json is stale: what is declared of dev.silver.orders has changed since"),
        (MODELS, ("-k", "orders"), "--delta-plan is applied as a whole, and -k may leave out tables; leave that out"),
        (MODELS, ("-m", "delta_apply"), "--delta-plan is applied as a whole, and -m may leave out tables; leave that out"),
        (MODELS, ("-o", "addopts=--deselect=models.py::dev.silver.plain"), "is applied as a whole, and --deselect leaves out dev.silver.plain"),
    ],
    ids=["project", "same", "gone", "changed", "keyword", "mark", "deselected"],
)  # fmt: skip
def test_the_tables_of_the_run_have_to_be_those_of_the_plan(planned, models, options, message):
    planned.models(models)
    before = states()

    result = planned.run(*APPLY, *options)

    if message:
        assert result.ret == 4
        assert message in result.stderr.str()
        assert states() == before
    else:
        result.assert_outcomes(passed=3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ("--delta-plan-out=p.json",),
            "--delta-plan-out has no effect without --delta-drift or --delta-against; give one",
        ),
        (("--delta-apply", "--delta-plan-out=p.json"), "--delta-plan-out has no effect without --delta-drift or"),
        (("--delta-plan=p.json",), "--delta-plan has no effect without --delta-apply; give that, too"),
        (("--delta-drift", "--delta-plan=p.json"), "--delta-plan has no effect without --delta-apply; give that, too"),
        (("--delta-apply", "--delta-plan="), "--delta-plan= names no file; write --delta-plan=plan.json"),
        (("--delta-apply", "--delta-plan=."), "--delta-plan: . is not a file; make a new plan"),
    ],
)
def test_options_that_do_not_fit_are_refused(planned, options, message):
    result = planned.run(*options)

    assert result.ret == 4
    assert message in result.stderr.str()


# Without a catalog


@pytest.fixture
def released(project: Project) -> Project:
    """Return the project whose models are released in a folder, and have changed since."""
    project.ini('addopts = -m "delta_compat or delta_apply or delta_drift"')
    project.models(MODELS)
    project.run("-m", "delta_ddl", "--snapshot-update")
    (project.path / "__snapshots__").rename(project.path / "v1")
    project.catalog('__import__("support.plugin_project").plugin_project.SHARED["catalog"]')
    return project


def test_a_plan_without_a_catalog_fits_every_target_that_is_as_released(released):
    SHARED["catalog"] = MemoryCatalog()
    released.run("--delta-apply")
    released.models(
        MODELS.replace('comment="Key"', 'comment="Key of a customer"')
        + "new = table('dev.silver.new', Column('id', LongType()))\n"
    )
    fresh = SHARED.pop("catalog")

    made = released.run("--delta-against=./v1", "--delta-plan-out=plan.json")
    SHARED["catalog"] = fresh
    applied = released.run(*APPLY)

    made.assert_outcomes(passed=4)
    assert json.loads((released.path / "plan.json").read_text())["capabilities"] is None
    applied.stdout.fnmatch_lines(["apply: 2 in sync, 2 applied, 2 statements run"])


BREAKS = MODELS.replace('"dev.silver.plain", Column("id", LongType()', '"dev.silver.plain", Column("id", StringType()')
ANYTHING = """
[[tool.pytest_delta_schema.compatibility]]
path = "**"
fail_on = "never"
"""


@pytest.mark.parametrize(
    ("settings", "options", "reason"),
    [
        ("", ("--delta-against=./v1",), "--delta-plan-out plans from one contract of each table; give --delta-against once"),
        ("", (), "no plan was written to plan.json: the check compat of dev.silver.plain fails"),
        (ANYTHING, (), "no plan was written to plan.json: dev.silver.plain: column id "),
    ],
    ids=["two refs", "breaking", "blocked"],
)  # fmt: skip
def test_a_plan_without_a_catalog_that_cannot_be_made_is_not_written(released, settings, options, reason):
    released.models(BREAKS)
    released.settings('models = ["models"]', settings)

    result = released.run("--delta-against=./v1", "--delta-plan-out=plan.json", *options)

    assert result.ret != 0
    assert reason in result.stdout.str() + result.stderr.str()
    assert not (released.path / "plan.json").exists()


# Consents


CONSENT = """
[[tool.pytest_delta_schema.allow]]
action = "drop-column"
path = "dev.silver.orders.legacy"
reason = "moved to payments"
expires = {}
"""


def test_a_consent_is_in_it_and_has_to_be_valid_when_it_is_applied(planned):
    mapped = {"table_properties": {"delta.columnMapping.mode": "name"}}
    SHARED["catalog"] = catalog_of(columns=(*COLUMNS, ColumnState("legacy", "string", True, "")), **mapped)
    planned.settings('models = ["models"]', CONSENT.format("2999-12-31"))
    planned.run(*OUT)
    before = states()

    planned.settings('models = ["models"]', CONSENT.format("2026-01-31"))
    expired = planned.run(*APPLY)
    unchanged = states()
    planned.settings('models = ["models"]', CONSENT.format("2999-12-31"))
    applied = planned.run(*APPLY)

    orders = json.loads((planned.path / "plan.json").read_text())["tables"][1]
    assert orders["consents"] == ["drop-column dev.silver.orders.legacy, until 2999-12-31"]
    assert orders["data_checks"] == [
        "SELECT * FROM `dev`.`silver`.`orders` WHERE `id` IS NULL",
        (
            "SELECT * FROM `dev`.`silver`.`orders` AS c ANTI JOIN `dev`.`silver`.`customers` AS p ON c.`customer` = p.`id`"
            " WHERE c.`customer` IS NOT NULL"
        ),
    ]
    assert (expired.ret, unchanged) == (4, before)
    applied.stdout.fnmatch_lines(["apply: 1 in sync, 2 applied, *"])
