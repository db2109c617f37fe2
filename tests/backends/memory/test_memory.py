"""The memory catalog: what it keeps, and what it refuses."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from datetime import datetime, timezone
from decimal import Decimal

import pytest

from pytest_delta_schema import Check, Column, Identity, MemoryCatalog, Orchestrator, UnsafePlanError
from pytest_delta_schema.backends.memory.rows import broken_rows, orphans
from pytest_delta_schema.delta.names import ColumnPath
from pytest_delta_schema.diagnostics.errors import StatementError
from pytest_delta_schema.execute import ABSENT
from pytest_delta_schema.plan import (
    CheckAdd,
    ColumnNullabilityChange,
    LayoutRewrite,
    SetColumnComments,
    TablePlanner,
)
from pytest_delta_schema.sql import Statement, StatementKind, statements
from pytest_delta_schema.state import ForeignKeyState, KeyState, TableState
from pytest_delta_schema.state.desired import desired_state
from support.models import NAME, TEXT, column, state, stored, table
from support.models import catalog as observed


def test_a_table_that_is_not_there_has_no_version_and_maybe_no_schema():
    catalog = MemoryCatalog([state(stored())])
    there = table(column(), name="dev.silver.other")
    nowhere = table(column(), name="dev.gold.other")

    shown = catalog.snapshot([there, nowhere]).tables

    assert [(text.exists, text.schema_exists) for text in shown.values()].count((False, True)) == 1
    assert shown[nowhere.name].schema_exists is False
    assert catalog.version(nowhere.name) is ABSENT


def statement(kind, *changes, name=NAME):
    return Statement(table=name, kind=kind, sql="", changes=changes)


GONE = "there is no column gone; read the table again and make a new plan"
REFUSED = [
    (
        statement(StatementKind.COMMENT_COLUMNS, SetColumnComments(comments={ColumnPath("gone"): "x"})),
        f"dev.silver.orders: {GONE}",
        "UNRESOLVED_COLUMN",
    ),
    (
        statement(StatementKind.COMMENT_COLUMNS, name=NAME._replace(table="gone")),
        "there is no table dev.silver.gone; create it first",
        "TABLE_OR_VIEW_NOT_FOUND",
    ),
]


def refusal(catalog, refused):
    with pytest.raises(StatementError) as caught:
        catalog.run(refused)
    return str(caught.value), caught.value.condition


def test_statements_about_what_is_not_there_or_there_already_are_refused():
    catalog = MemoryCatalog([state(stored("other"))])
    (action,) = TablePlanner().plan([table(column())], observed(TableState(name=NAME, exists=False))).actions

    for refused, message, condition in REFUSED:
        assert refusal(catalog, refused) == (message, condition)
    text, condition = refusal(catalog, statements(action)[0])
    assert text.startswith("cannot create the table dev.silver.orders, because it exists")
    assert condition == "TABLE_OR_VIEW_ALREADY_EXISTS"
    assert catalog.snapshot([table(column())]).tables[NAME] == state(stored("other"))
    assert refusal(MemoryCatalog(), statements(action)[0])[0] == "there is no schema dev.silver; create it first"


def test_a_constraint_asks_the_rows_again_when_it_is_added():
    strict = ColumnNullabilityChange(path=ColumnPath("id"), is_nullable=False)
    for kind, change, text in (
        (StatementKind.TIGHTEN_COLUMNS, strict, "column id cannot be NOT NULL, because 1 row holds NULL in it, of 1"),
        (StatementKind.ADD_CHECK, CheckAdd(name="positive", expression="id > 0"), "1 row breaks it, of 1"),
    ):
        catalog = MemoryCatalog([state(stored())], rows={NAME: [{}]})

        with pytest.raises(UnsafePlanError, match=text):
            catalog.run(statement(kind, change))

        assert catalog.snapshot([table(column())]).tables[NAME] == state(stored())


def test_states_are_copies():
    there = state(stored())
    catalog = MemoryCatalog([there])

    catalog.run(statement(StatementKind.COMMENT_COLUMNS, SetColumnComments(comments={ColumnPath("id"): "x"})))

    assert there == state(stored())
    assert catalog.snapshot([table(column())]).tables[NAME] == replace(state(stored(comment="x")), version=1)


NARROW = [Column("t", "tinyint"), Column("s", "smallint"), Column("f", "float"), Column("i", "int")]
NARROW_ROW = {"t": 100, "s": 200, "f": 0.1, "i": 7}


def test_arithmetic_of_narrow_numbers_is_left_to_spark():
    left = ["t * t > 0", "t + (t) > 0", "s * t > 0", "-t < 0", "abs(s) > 0", "i + t * t > 0", "f * f > 0.01"]
    judged = ["t + 1 > 0", "t * i > 0", "t / s > 0", "t > 0 and s > 0 and f > 0", "i * i > 0"]
    for expression in left + judged:
        model = table(*NARROW, checks=[Check("c", expression)])
        catalog = MemoryCatalog([desired_state(model)])

        if expression in judged:
            catalog.insert(model.name, [NARROW_ROW])
        else:
            with pytest.raises(StatementError, match="is computed in the type of its columns, and cannot be evaluated"):
                catalog.insert(model.name, [NARROW_ROW])


def test_what_a_write_leaves_out_is_filled():
    catalog = MemoryCatalog()
    model = table(
        column(identity=Identity(start=5, step=-2)),
        column("n", default="1 + 1"),
        column("free", identity=Identity(always=False)),
        column("twice", generated_as="n * 2"),
        column("text", TEXT, generated_as="CAST(n AS STRING)"),
    )
    Orchestrator.over(catalog).sync_tables([model])

    catalog.insert(NAME, [{}, {"N": None, "free": 9}, {"n": 4, "twice": 8}])

    assert catalog._rows[NAME] == [
        {"n": 2, "id": 5, "free": 1, "twice": 4, "text": "2"},
        {"n": None, "free": 9, "id": 3, "twice": None, "text": None},
        {"n": 4, "twice": 8, "id": 1, "free": 2, "text": "4"},
    ]


def test_values_that_only_the_table_gives():
    for columns, row, message, condition in (
        (
            [column(identity=True)],
            {"id": 1},
            "column id is an identity column, whose values are never given; leave it out",
            "DELTA_IDENTITY_COLUMNS_EXPLICIT_INSERT_NOT_SUPPORTED",
        ),
        (
            [column("a"), column("b", generated_as="a + 1")],
            {"a": 1, "b": 3},
            "column b is generated as a + 1, which is 2 and not 3",
            "DELTA_VIOLATE_CONSTRAINT_WITH_VALUES",
        ),
    ):
        catalog = MemoryCatalog()
        Orchestrator.over(catalog).sync_tables([table(*columns)])

        with pytest.raises(StatementError) as caught:
            catalog.insert(NAME, [row])

        assert str(caught.value).startswith(message)
        assert caught.value.condition == condition
        assert catalog.data_checks(NAME).count_rows().rows == 0


def test_a_rewrite_never_changes_a_value():
    null = "__HIVE_DEFAULT_PARTITION__"
    for data_type, value, is_kept in (
        ("string", "", False),
        ("string", None, True),
        ("char(3)", "", True),
        ("char(27)", null, True),
        ("char(26)", null, False),
        ("binary", b"", False),
        ("binary", b"\xff", False),
        ("binary", "é".encode(), True),
        ("timestamp", datetime(1, 1, 1, tzinfo=timezone.utc), True),
    ):
        catalog = MemoryCatalog([state(stored("p", data_type))], rows={NAME: [{"p": value}]})
        rewrite = statement(StatementKind.REWRITE_LAYOUT, LayoutRewrite(partitioning=("p",)))

        with nullcontext() if is_kept else pytest.raises(StatementError) as caught:
            catalog.run(rewrite)

        assert is_kept or "the rewrite would change data: the values of p differ; nothing was" in str(caught.value)
        assert catalog.version(NAME) == int(is_kept), (data_type, value)


def test_rows_of_a_version_are_those_before_the_next_change():
    catalog = MemoryCatalog([state(stored("id"))], rows={NAME: [{"ID": 1}]})
    Orchestrator.over(catalog).sync_tables([table(column(), column("more"))])
    catalog.insert(NAME, [{"id": 2, "more": 3}])

    assert [catalog.rows(NAME, version=version) for version in (0, 1, None)] == [
        [{"id": 1}],
        [{"id": 1}, {"id": 2, "more": 3}],
        [{"id": 1}, {"id": 2, "more": 3}],
    ]
    with pytest.raises(StatementError, match="no change has kept the rows of version 7; read the newest"):
        catalog.rows(NAME, version=7)


def test_values_that_spark_takes_for_equal_are_one_key():
    numbers = [(Decimal("1.50"), Decimal("1.5")), (Decimal("0.0"), Decimal("-0.0"))]
    for left, right in [(0.0, -0.0), (float("nan"), float("nan")), *numbers]:
        rows = [{"k": left}, {"k": right}]

        assert broken_rows(KeyState("pk", ("k",)), rows, ["k"]) == rows[1:]
        assert orphans(ForeignKeyState("fk", ("k",), NAME, ("k",)), rows[:1], rows[1:]) == []
