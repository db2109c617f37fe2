"""Scratch tables stop the rows that break a constraint; what no row can try is a note."""

from __future__ import annotations

import re

from pytest_delta_schema import Column, ForeignKey, MemoryCatalog, Unique
from pytest_delta_schema.diagnostics.errors import StatementError
from pytest_delta_schema.engine.outcomes import Status
from pytest_delta_schema.test_kit.enforcement import enforcement_rows
from support.rows import different_models, outcomes_of, table
from support.snapshots import TextSnapshot

PATTERN = "b IS NULL OR NOT (b LIKE '%-q%' AND b LIKE '%y_v' AND length(b) = 77)"
KEY, PARENT = {"primary_key": ["id"]}, ForeignKey(["p"], "dev.silver.parents", ["id"])
GENERATED = Column("g", "int", is_nullable=False, generated_as="a + 1")
UNTRIED = {
    "one value": ("id int not null", ["id = 1"], KEY, "primary key pk_dev_silver_orders__id"),
    "holds always": ("a int not null", ["a > 0 OR a <= 0"], {}, "check c1"),
    "one of several": ("a int not null; b string not null", ["a > 0", PATTERN], {}, "check c2"),
    "generated": ("a int", [], {"more": [GENERATED]}, "not null g"),
    "foreign key": ("id int not null; p int", [], {"foreign_keys": [PARENT]}, ""),
}


def test_what_no_row_can_try_is_noted():
    for case, (columns, checks, options, untried) in UNTRIED.items():
        (outcome,) = outcomes_of([table(columns, checks, **options)], MemoryCatalog())

        assert (case, outcome.status, outcome.diagnostics) == (case, Status.ENFORCED, ())
        notes = [f"not tried, because no row of this table is known that breaks it: {untried}"] if untried else []
        assert [note.message for note in outcome.notes] == notes, case


def test_the_rows_are_as_many_as_the_keys_allow_and_meet_the_checks_that_some_row_can_meet():
    def made(columns, *checks, **options):
        rows = enforcement_rows(table(columns, checks, **options))
        return len(rows.valid), [check.name for check in rows.unsolved]

    assert made("id int not null", **KEY) == (3, [])
    assert made("id boolean not null", **KEY) == (2, [])
    assert made("id int not null", "id = 1", **KEY) == (1, [])
    assert made("a int", "a > 5", "a < 1") == (3, ["c2"])
    assert enforcement_rows(table("a int", ["a > 5", "a < 1"])).valid[0]["a"] > 5


class TakesAll(MemoryCatalog):
    def append_rows(self, table, rows):
        self._rows.setdefault(table, []).extend(dict(row) for row in rows)


class StopsByAnother(MemoryCatalog):
    """Stops a row without an id by another constraint."""

    def append_rows(self, table, rows):
        super().append_rows(table, [{"id": 1}] if any(row.get("id") is None for row in rows) else rows)


class WritesRefused(MemoryCatalog):
    def append_rows(self, table, rows):
        try:
            super().append_rows(table, rows)
        except StatementError:
            self._rows[table].extend(rows)
            raise


class IsFull(MemoryCatalog):
    def append_rows(self, *_):
        raise StatementError("the disk is full")


class Patterns(MemoryCatalog):
    """Evaluates ``sku RLIKE '(?i)^sku'``, as Spark does."""

    def append_rows(self, table, rows):
        if any(row.get("sku") is None or not row["sku"].startswith("sku") for row in rows):
            raise StatementError("CHECK constraint c1 (sku RLIKE '(?i)^sku') violated by row with values:")
        if any(row["id"] is None for row in rows):
            raise StatementError("NOT NULL constraint violated for column: id")
        self._rows.setdefault(table, []).extend(rows)


def trials():
    """Yield names, models and catalogs."""
    orders = table(
        "id bigint not null; customer bigint; status varchar(7); address struct<city: string not null>; amount decimal(18,2)",
        ["amount > 0"],
        more=[Column("number", "bigint", identity=True)],
        unique=[Unique(["number"], name="one_number")],
        foreign_keys=[ForeignKey(["customer"], "dev.silver.customers", ["id"], name="fk_customer")],
        **KEY,
    )
    pattern, never = (
        table("id bigint not null; sku string", ["sku RLIKE '(?i)^sku'"]),
        table("id int", ["id > 1 AND id < 1"]),
    )
    for catalog in (TakesAll(), StopsByAnother(), WritesRefused(), IsFull()):
        yield type(catalog).__name__, orders, catalog
    yield "memory cannot evaluate the check", pattern, MemoryCatalog()
    yield "no row meets the check", never, MemoryCatalog()
    yield "no row is known that breaks the check", pattern, Patterns()


def test_a_row_that_is_not_stopped_by_its_constraint_is_a_fault(snapshot):
    lines = []
    for name, model, catalog in trials():
        (outcome,) = outcomes_of([model], catalog)
        parts = (*outcome.diagnostics, *outcome.notes)
        lines += [f"==== {name}: {outcome.status.value}", *map(str, parts), *outcome.failure.splitlines()]

    text = re.sub(r"test_rows_\w{8}", "test_rows", "\n".join([*lines, ""]))
    assert text == snapshot(extension_class=TextSnapshot)


def test_memory_stops_the_rows_of_all_scenarios():
    outcomes = outcomes_of((model for model, _ in different_models()), MemoryCatalog())

    assert [outcome for outcome in outcomes if outcome.status is not Status.ENFORCED] == []
    assert len(outcomes) > 100
