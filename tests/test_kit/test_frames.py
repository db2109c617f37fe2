"""Frames of valid rows, and strategies that draw them."""

from __future__ import annotations

from typing import Any, cast

from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_delta_schema import (
    Column,
    Identity,
    frame_of,
    rows_strategy,
)
from pytest_delta_schema.diagnostics.errors import DeclarationError
from support.rows import table
from support.snapshots import TextSnapshot


class Session:
    """A session that keeps what frames are made of."""

    sql = None

    def createDataFrame(self, rows, schema):  # noqa: N802 - a name of pyspark
        return rows, schema


def made(*arguments, **columns) -> Any:
    """Return the rows and the schema of a frame."""
    return frame_of(cast("Any", Session()), *arguments, **columns)


def frames():
    """Yield what a frame shows, its model, its rows and its values."""
    default, generated = Column("d", "int", default=1), Column("g", "int", generated_as="d + 1")
    everything = {"all_columns": True}
    hashed, identity = Column("C", "int", generated_as="hash(a)"), Column("C", "bigint", identity=True)
    columns = "id bigint not null; name varchar(9); price decimal(5,2); s struct<a: int not null>"
    yield "types of the model, and NULL", table(columns, more=[default, generated]), 2, {"NAME": None}
    yield "no rows", table("a array<map<string,int>>", more=[default]), 0, {}
    some = table("a int", ["d < 2 OR a > 1"], more=[Column("d", "int", default=5)])
    yield "a default where only some rows need another value", some, 3, {"a": lambda position: position}
    yield "what only the table knows, in some rows", table("a int", more=[identity]), [{"c": 7}, {"a": 5}], {}
    yield "what only the table knows, in no row", table("a int", more=[identity]), 1, {}
    filled = [Column("D", "int", default=4), Column("g", "int", generated_as="a + D")]
    filled += [Column("i", "bigint", identity=Identity(start=10, step=5))]
    yield "all columns", table("a int", more=filled), [{"a": 1}, {"a": 2, "d": 0}], everything
    for column in (hashed, Column("C", "string", default="current_user()")):
        yield "all columns, with what only Spark knows", table("a int", more=[column]), 1, everything


def test_frames(snapshot):
    lines = []
    for name, model, wanted, columns in frames():
        try:
            rows, schema = made(model, wanted, **columns)
            lines.append(f"{name}:\n  {schema.simpleString()}\n  {rows}")
            assert '"nullable":false' not in schema.json()
        except DeclarationError as error:
            lines.append(f"{name}:\n  {error}")

    assert "\n".join([*lines, ""]) == snapshot(extension_class=TextSnapshot)


def drawn(**options):
    return rows_strategy(
        table("id int not null; amount int; kind string", ["amount >= 0"], primary_key=["id"]), **options
    )


@given(st.data())
@settings(max_examples=20, deadline=None)
def test_strategies_draw_valid_rows(data):
    kinds = {"amount": st.integers(0, 9), "kind": lambda position: f"k{position}"}
    rows = data.draw(drawn(min_size=1, max_size=4, **kinds))

    assert 1 <= len(rows) <= 4
    assert [row["id"] for row in rows] == list(range(1, len(rows) + 1))
    assert all(0 <= row["amount"] <= 9 for row in rows)
    assert [row["kind"] for row in rows] == [f"k{position}" for position in range(len(rows))]
