"""The value that a check ends with, its JSON form, and the note about the commit that brought a column."""

from __future__ import annotations

import json
from types import SimpleNamespace

from pytest_delta_schema import Check as RowCheck
from pytest_delta_schema import (
    DeltaSchemaError,
    MemoryCatalog,
    Settings,
    Table,
)
from pytest_delta_schema.diagnostics.errors import BackendUnavailableError, Diagnostic, Location, StatementError
from pytest_delta_schema.engine import Gate, TableOutcome
from pytest_delta_schema.engine.declarations import Declarations
from pytest_delta_schema.engine.outcomes import CheckKind, DataChecks, OutcomeStatement, Status, TableChange
from pytest_delta_schema.engine.plan_outcomes import rules_outcome, statements_after_failure
from pytest_delta_schema.models.declared_at import DeclaredAt
from pytest_delta_schema.models.table import derived
from pytest_delta_schema.state import CatalogState
from support.models import NAME, column, state, stored, table

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


BROKEN = Table(
    "dev", "silver", "orders", [column()],
    checks=[RowCheck("c", "nope > 1")],
)  # fmt: skip


def test_a_broken_rule_is_where_its_part_is_declared():
    outcome = rules_outcome(BROKEN, Declarations(Settings(), {BROKEN.name: BROKEN}))

    (diagnostic,) = outcome.diagnostics
    assert outcome.status is Status.BLOCKED
    assert (outcome.location.line, diagnostic.location.line) == (BROKEN.origin.line, BROKEN.origin.line + 2)


def test_statements_of_other_tables_stand_before_those_of_the_plan():
    planned = [OutcomeStatement(sql="a", kind="set tags"), OutcomeStatement(sql="b", kind="cluster")]

    assert statements_after_failure(planned, ["x", "a"]) == (
        OutcomeStatement(sql="x", has_run=True),
        OutcomeStatement(sql="a", kind="set tags", has_run=True),
        OutcomeStatement(sql="b", kind="cluster"),
    )


class Unsampled(MemoryCatalog):
    """Counts rows that fail data checks, and returns none of them."""

    def data_checks(self, table):
        return SimpleNamespace(count_rows=super().data_checks(table).count_rows)


def test_no_rows_are_read_that_are_not_shown():
    for settings, checks in ((Settings(preflight_samples=0), [RowCheck("positive", "id > 0")]), (Settings(), [])):
        model = table(column(is_nullable=False), checks=checks)
        catalog = Unsampled([state(stored())], rows={NAME: [{"id": None}]})

        outcome = Gate(catalog, [model], settings=settings).apply(model)

        assert {diagnostic.samples for diagnostic in outcome.diagnostics} == {""}
        assert outcome.data_checks is DataChecks.FAILED


def test_an_apply_says_whether_its_data_checks_ran():
    model = table(column(is_nullable=False))

    def checks(catalog, preflight):
        return Gate(catalog, [model], settings=Settings(preflight=preflight)).apply(model).data_checks

    assert checks(MemoryCatalog([state(stored())]), "count") is DataChecks.PASSED
    assert checks(MemoryCatalog([state(stored())]), "off") is DataChecks.NOT_RUN
    assert checks(MemoryCatalog(), "count") is DataChecks.NOT_RUN


def declared_in(model, file, line):
    return derived(model, origin=DeclaredAt(file, f"{file}.py", line, name=model.name))


def test_a_diagnostic_has_the_location_of_the_one_model_that_its_table_means():
    here = declared_in(table(column()), "a", 1)
    there = declared_in(table(column(), name="dev.silver.other"), "b", 2)
    moved = declared_in(table(column(), name="ci.silver.orders"), "c", 3)
    cases = [
        # bindings, models, and the locations of names
        (
            {"dev": "ci"},
            [here, there],
            {"dev.silver.orders": here, "ci.silver.orders": here, "CI.silver.Other": there, "dev.silver.nobody": None},
        ),
        (
            {"dev": "ci", "ci": "prod"},
            [here, moved],
            {"dev.silver.orders": here, "ci.silver.orders": None, "prod.silver.orders": moved},
        ),
    ]
    for bindings, models, expected in cases:
        settings = Settings(bindings=tuple(((old,), (new,)) for old, new in bindings.items()))
        declarations = Declarations(settings, {model.name: model for model in models})

        located = declarations.located((Diagnostic(table=name, message="m") for name in expected), passes=False)

        locations = [model and model.origin.location for model in expected.values()]
        assert [diagnostic.location for diagnostic in located] == locations
        placed = Diagnostic(table="dev.silver.orders", message="m", location=Location("rules.py", 7))
        assert declarations.located([placed], passes=False) == (placed,)
