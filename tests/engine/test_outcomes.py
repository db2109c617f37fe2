"""The value that a check ends with, its JSON form, and the note about the commit that brought a column."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest

from pytest_delta_schema import Check as RowCheck
from pytest_delta_schema import (
    DeltaSchemaError,
    ForeignKey,
    InvalidModelError,
    MemoryCatalog,
    Orchestrator,
    Settings,
    assert_no_drift,
)
from pytest_delta_schema.delta.names import ColumnPath
from pytest_delta_schema.diagnostics.errors import BackendUnavailableError, Diagnostic, Location, StatementError
from pytest_delta_schema.engine import Gate, TableOutcome
from pytest_delta_schema.engine.declarations import Declarations
from pytest_delta_schema.engine.outcomes import CheckKind, DataChecks, OutcomeStatement, Status, TableChange
from pytest_delta_schema.engine.plan_outcomes import introduction_note, statements_after_failure
from pytest_delta_schema.models.declared_at import DeclaredAt
from pytest_delta_schema.models.table import derived
from pytest_delta_schema.state import CatalogState, IntroducedBy
from support.models import NAME, column, orders, orders_before, state, stored, table

WHOLE = TableOutcome(
    table="dev.silver.orders",
    check=CheckKind.APPLY,
    status=Status.BLOCKED,
    stored_as="ci.silver.orders",
    backend="memory",
    observed_version=7,
    changes=(
        TableChange(table="ci.silver.orders", marker="~", path="columns.id", before="a\ud800", after="'b'\n", loss="x"),
        TableChange(table="t", marker="+", path="p", before="", after="", location=Location("f.py", 3)),
    ),
    diagnostics=(
        Diagnostic(
            code="DS1",
            rule="R",
            table="t",
            path="p",
            message="m",
            remedy="r",
            location=Location("f.py", 3, 5, 4),
        ),
    ),
    statements=(OutcomeStatement(sql="ALTER TABLE `t`", risk="scan", is_emulated=True, has_run=True),),
    notes=(Diagnostic(severity="note", table="t", message="noted"),),
    background=(Diagnostic(severity="note", table="t", message="because"),),
    data_checks=DataChecks.FAILED,
    location=Location("shop/models.py", 12),
    restore_sql="RESTORE",
    failure="it failed",
)


def test_the_json_form_keeps_everything():
    least = TableOutcome(table="t", check=CheckKind.RULES, status=Status.VALID)

    for outcome in (WHOLE, least):
        again = TableOutcome.from_json(json.loads(json.dumps(outcome.to_json())))

        assert again == outcome
        assert isinstance(again.status, Status)
        assert isinstance(again.location, type(outcome.location))


def test_a_gate_names_changes_statements_and_location():
    outcome = Gate(MemoryCatalog([orders_before()]), [orders()], settings=Settings()).drift(orders())

    assert (outcome.table, outcome.check, outcome.status) == ("dev.silver.orders", CheckKind.DRIFT, Status.DRIFTED)
    assert (outcome.stored_as, outcome.backend, outcome.data_checks, outcome.observed_version) == (
        "dev.silver.orders",
        "memory",
        DataChecks.NOT_RUN,
        0,
    )
    assert outcome.changes[0] == TableChange(
        table="dev.silver.orders",
        marker="+",
        path="columns.amount",
        before="(absent)",
        after="decimal(18,2)",
        risk="metadata",
        code="DD102",
        location=outcome.location,
    )
    assert [statement.has_run for statement in outcome.statements] == [False] * 6
    assert outcome.location is not None
    assert TableOutcome.from_json(outcome.to_json()) == outcome


def test_a_gate_runs_data_checks_only_if_the_settings_ask_for_them():
    ended = {}
    for preflight, row in ((None, None), ("off", None), ("count", None), ("limit", 1)):
        catalog = MemoryCatalog([orders_before()], rows={NAME: [{"id": row}]})
        outcome = Gate(catalog, [orders()], settings=Settings(preflight=preflight)).drift(orders())
        ended[preflight] = outcome.status, outcome.data_checks

    assert ended == {
        None: (Status.DRIFTED, DataChecks.NOT_RUN),
        "off": (Status.DRIFTED, DataChecks.NOT_RUN),
        "count": (Status.BLOCKED, DataChecks.FAILED),
        "limit": (Status.DRIFTED, DataChecks.PASSED),
    }


class Moving(MemoryCatalog):
    """Gets the column that a model declares after the first read."""

    def snapshot(self, models):
        seen = super().snapshot(models)
        self._tables[NAME] = state(stored(), stored("b"))
        return seen


def test_what_became_right_since_the_catalog_was_read_is_not_done_twice():
    model = table(column(), column("b"))
    gate = Gate(Moving([state(stored())]), [model], settings=Settings())

    assert gate.drift(model).status is Status.DRIFTED
    assert gate.apply(model).status is Status.IN_SYNC


def test_an_apply_says_what_ran_and_how_to_go_back():
    gate = Gate(MemoryCatalog([orders_before()]), [orders()], settings=Settings())

    outcome = gate.apply(orders())

    assert (outcome.status, outcome.observed_version) == (Status.APPLIED, 0)
    assert all(statement.has_run for statement in outcome.statements)
    assert outcome.restore_sql == "RESTORE TABLE `dev`.`silver`.`orders` TO VERSION AS OF 0"
    assert Gate(gate.catalog, [orders()], settings=Settings()).drift(orders()).status is Status.IN_SYNC


def test_foreign_keys_of_other_declared_tables_are_changes_of_those_tables():
    parent = table(column(is_nullable=False), name="dev.silver.parents", primary_key=["id"])
    child = table(column(), name="dev.silver.child", foreign_keys=[ForeignKey(["id"], parent)])
    catalog = MemoryCatalog()
    Gate(catalog, [parent, child], settings=Settings()).apply(parent)
    Gate(catalog, [parent, child], settings=Settings()).apply(child)
    wide = table(
        column(is_nullable=False),
        column("b", is_nullable=False),
        name="dev.silver.parents",
        primary_key=["id", "b"],
    )

    outcome = Gate(catalog, [wide, child], settings=Settings()).drift(wide)

    assert {change.table for change in outcome.changes} == {"dev.silver.parents", "dev.silver.child"}
    assert outcome.changes[0].table == "dev.silver.parents"


def test_a_catalog_is_read_once_and_its_error_is_the_outcome_of_every_table():
    class Closed(MemoryCatalog):
        reads = 0

        def snapshot(self, models):
            self.reads += 1
            return super().snapshot(models)

    catalog = Closed([state(stored())])
    models = [table(column()), table(column(), name="dev.silver.b")]
    gate = Gate(catalog, models, settings=Settings())

    statuses = [gate.drift(model).status for model in models]

    assert (statuses, catalog.reads) == ([Status.IN_SYNC, Status.DRIFTED], 1)


class Unreadable(MemoryCatalog):
    """Holds a view instead of the table, or cannot be read at all."""

    error: DeltaSchemaError | None = None

    def snapshot(self, _models):
        if self.error is not None:
            raise self.error
        return CatalogState.of({NAME: Diagnostic(table=str(NAME), message="is a view", remedy="drop it")})


class Down(Unreadable):
    error = BackendUnavailableError("no route\nto host")


class Refusing(MemoryCatalog):
    def run(self, _statement):
        raise StatementError("no")


def test_whatever_ends_a_check_is_diagnostics_at_the_declaration():
    unknown = [RowCheck("c", "nope > 1")]
    remedy = "write a condition over the columns of one row, such as amount >= 0 [DS111 InvalidCheckExpression]"
    ends = [
        (Unreadable(), [], Status.UNREADABLE, ["is a view; drop it"]),
        (Down(), [], Status.UNREADABLE, ["no route to host [DS501 UnreachableCatalog]"]),
        (Refusing(), [], Status.FAILED, ["statement 1 of 2 failed: no [DS601 FailedStatement]"]),
        (
            MemoryCatalog(),
            unknown,
            Status.BLOCKED,
            [f"check c (nope > 1) names nope, which is not a column of the table; {remedy}"],
        ),
        (MemoryCatalog([state(stored("ID"))]), [], Status.IN_SYNC, []),
    ]
    for catalog, checks, status, texts in ends:
        model = table(column(), checks=checks)

        outcome = Gate(catalog, [model], settings=Settings()).apply(model)

        expected = [f"dev.silver.orders: {text}" for text in texts]
        assert (outcome.status, list(map(str, outcome.diagnostics))) == (status, expected)
        located = [*outcome.diagnostics, *outcome.notes]
        assert [diagnostic.location for diagnostic in located] == [outcome.location] * len(located)
        assert outcome.location is not None


def test_a_failed_apply_names_what_ran_and_what_did_not():
    class Half(MemoryCatalog):
        def run(self, statement):
            if "COMMENT" in statement.sql:
                raise StatementError("no")
            super().run(statement)

    model = table(column("id"), column("n"), comment="new")

    outcome = Gate(Half([state(stored("id"))]), [model], settings=Settings()).apply(model)

    assert outcome.status is Status.FAILED
    assert [(statement.kind, statement.has_run) for statement in outcome.statements] == [
        ("add columns", True),
        ("comment on table", False),
    ]


def test_statements_of_other_tables_stand_before_those_of_the_plan():
    planned = [OutcomeStatement(sql="a", kind="set tags"), OutcomeStatement(sql="b", kind="cluster")]

    assert statements_after_failure(planned, ["x", "a"]) == (
        OutcomeStatement(sql="x", has_run=True),
        OutcomeStatement(sql="a", kind="set tags", has_run=True),
        OutcomeStatement(sql="b", kind="cluster"),
    )


def test_rows_that_break_a_data_check_are_apart_from_the_message():
    model = table(column(), checks=[RowCheck("positive", "id > 0")])

    outcome = Gate(MemoryCatalog([state(stored())], rows={NAME: [{"id": -1}]}), [model], settings=Settings()).apply(
        model,
    )

    [diagnostic] = outcome.diagnostics
    assert diagnostic.samples == "id = -1"
    assert diagnostic.message.endswith("because 1 row breaks it, of 1")
    assert ", because 1 row breaks it, of 1, such as id = -1; correct them" in str(diagnostic)


class Sampling(MemoryCatalog):
    """Returns other rows that fail data checks than there are.

    Args:
        sample: Returns them for the columns that each data check shows.
    """

    def __init__(self, sample, *arguments, **options):
        super().__init__(*arguments, **options)
        self._sample = sample

    def data_checks(self, table):
        count = super().data_checks(table).count_rows
        return SimpleNamespace(count_rows=count, sample_rows=lambda _, shown, **__: self._sample(shown))


def test_a_data_check_without_rows_or_columns_to_show_has_no_samples():
    model = table(column(is_nullable=False), column("n"), checks=[RowCheck("positive", "n > 0")])

    def samples(sample):
        catalog = Sampling(sample, [state(stored(), stored("n"))], rows={NAME: [{"id": None, "n": -1}]})
        outcome = Gate(catalog, [model], settings=Settings()).apply(model)
        return outcome.data_checks, [diagnostic.samples for diagnostic in outcome.diagnostics]

    assert samples(lambda shown: tuple(() for _ in shown)) == (DataChecks.FAILED, ["", ""])
    assert samples(lambda shown: tuple((("7",) * len(columns),) for columns in shown)) == (
        DataChecks.FAILED,
        ["", "n = 7"],
    )


def test_no_rows_are_read_that_are_not_shown():
    def refuse(_):
        raise AssertionError

    for settings, checks in ((Settings(preflight_samples=0), [RowCheck("positive", "id > 0")]), (Settings(), [])):
        model = table(column(is_nullable=False), checks=checks)
        catalog = Sampling(refuse, [state(stored())], rows={NAME: [{"id": None}]})

        outcome = Gate(catalog, [model], settings=settings).apply(model)

        assert {diagnostic.samples for diagnostic in outcome.diagnostics} == {""}
        assert outcome.data_checks is DataChecks.FAILED


def test_an_apply_that_a_rule_refuses_ran_no_data_checks():
    model = table(column())

    outcome = Gate(MemoryCatalog([state(stored(), stored("old"))]), [model], settings=Settings()).apply(model)

    assert [diagnostic.code for diagnostic in outcome.diagnostics] == ["DS206", "DS207"]
    assert (outcome.status, outcome.data_checks) == (Status.BLOCKED, DataChecks.NOT_RUN)


def test_a_diagnostic_about_another_table_has_the_location_of_that_table():
    here, there = table(column()), table(column(), name="dev.silver.other")
    here = derived(here, origin=DeclaredAt("a", "a.py", 1, name=here.name))
    there = derived(there, origin=DeclaredAt("b", "b.py", 2, name=there.name))
    declarations = Declarations(Settings(bindings=((("dev",), ("ci",)),)), {here.name: here, there.name: there})
    names = ["dev.silver.orders", "ci.silver.orders", "CI.silver.Other", "dev.silver.nobody"]

    located = declarations.located((Diagnostic(table=name, message="m") for name in names), passes=False)

    assert [diagnostic.location for diagnostic in located] == [
        here.origin.location,
        here.origin.location,
        there.origin.location,
        None,
    ]
    placed = Diagnostic(table="dev.silver.orders", message="m", location=Location("rules.py", 7))
    assert declarations.located([placed], passes=False) == (placed,)


def test_a_name_that_means_two_models_has_no_location():
    bound, other = table(column(), name="dev.silver.orders"), table(column(), name="ci.silver.orders")
    bound = derived(bound, origin=DeclaredAt("a", "a.py", 1, name=bound.name))
    other = derived(other, origin=DeclaredAt("b", "b.py", 2, name=other.name))
    settings = Settings(bindings=((("dev",), ("ci",)), (("ci",), ("prod",))))
    declarations = Declarations(settings, {bound.name: bound, other.name: other})
    names = ["dev.silver.orders", "ci.silver.orders", "prod.silver.orders"]

    located = declarations.located((Diagnostic(table=name, message="m") for name in names), passes=False)

    assert [diagnostic.location for diagnostic in located] == [bound.origin.location, None, other.origin.location]


def test_two_models_that_map_to_one_table_are_refused_by_library_and_assertion():
    settings = Settings(bindings=((("dev", "gold"), ("dev", "silver")),))
    models, catalog = [table(column()), table(column(), name="dev.gold.orders")], MemoryCatalog()

    for call in (
        lambda: Orchestrator.over(catalog, settings=settings).sync_tables(models),
        lambda: assert_no_drift(models, catalog=catalog, settings=settings),
    ):
        with pytest.raises(InvalidModelError, match=r"dev\.silver\.orders: is declared 2 times"):
            call()


TIME = "2026-11-21 03:00:00"
REMEDY = 'declare it, drop it, or accept such columns with Table(evolution="additive")'


def test_a_column_that_a_write_added_differs_from_one_that_a_statement_added():
    line, note = ColumnPath("lines", "element", "sku"), ColumnPath("note")
    load = {"operation": "WRITE", "user_metadata": "nightly load"}
    origins = [
        IntroducedBy(path=ColumnPath("discount"), version=3, time=TIME, **load),
        IntroducedBy(path=line, version=12, operation="STREAMING UPDATE", time=TIME),
        IntroducedBy(path=note, version=1, operation="ADD COLUMNS", time=TIME),
    ]

    notes = [introduction_note(NAME, origin) for origin in origins]

    assert [(note.table, note.path, note.message) for note in notes] == [
        (
            str(NAME),
            "discount",
            (
                "column discount was appended by a writer, in version 3, WRITE of 2026-11-21 03:00:00 UTC"
                f" ('nightly load'): {REMEDY}"
            ),
        ),
        (
            str(NAME),
            "lines.element.sku",
            (
                "column lines.element.sku was appended by a writer, in version 12, STREAMING UPDATE of 2026-11-21 03:00:00"
                f" UTC: {REMEDY}"
            ),
        ),
        (str(NAME), "note", "column note came with version 1, ADD COLUMNS of 2026-11-21 03:00:00 UTC"),
    ]
