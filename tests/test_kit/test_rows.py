"""Rows from models: plain values, keys, foreign keys, and which checks are solved."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import pytest

from pytest_delta_schema import (
    Column,
    ForeignKey,
    InvalidModelError,
    MemoryCatalog,
    Table,
    Unique,
    rows_of,
)
from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.testing.scenario import EVERY_TYPE
from pytest_delta_schema.testing.scenarios import SCENARIOS
from support.rows import table
from support.snapshots import TextSnapshot


def refusal(model, n=3, **columns):
    with pytest.raises(DeclarationError) as error:
        rows_of(model, n, **columns)
    return str(error.value)


def require_taken(model, rows):
    """Insert rows into a memory catalog, which checks types, NOT NULL, lengths and checks, and count repeated keys."""
    state = desired_state(model)
    catalog = MemoryCatalog([state])
    catalog.insert(model.name, rows)
    assert catalog.data_checks(model.name).count_rows(state.keys).broken == (0,) * len(state.keys)


def tuples(rows):
    return [tuple(row.values()) for row in rows]


def customers():
    return Table("dev", "silver", "customers", [Column("id", "bigint", is_nullable=False)], primary_key=["id"])


TO_CUSTOMER = ForeignKey(["c"], customers())
PARENTS = {customers(): [{"id": 7}, {"ID": 9}, {"id": 9}]}


def test_the_same_seed_gives_the_same_bytes_on_every_python():
    text = repr(rows_of(table("id bigint", more=EVERY_TYPE), 20, seed=3))

    assert sha256(text.encode()).hexdigest()[:16] == "fcb0181917474b49"


SOLVED = [
    ("a int", ["a IN (3, 5)"]),
    ("a decimal(5,2)", ["a > 0 AND a <= 0.5"]),
    ("a int; b decimal(5,2)", ["b IN (2, 2.5, 7)", "a = b"]),
    ("a string", ["a LIKE 'x%y'", "length(a) = 2"]),
    ("a int; b decimal(5,2); c int", ["a < b AND b < c"]),
    ("a string", ["a LIKE 'ORD-%'"]),
    ("a string", ["a LIKE 'x%'", "a >= 'xb'"]),
    ("a string; b string", ["b >= 'k'", "a >= b", "a <= 'l'"]),
    ("a string; b string", ["a > b"]),
    ("a char(3)", ["a IN ('EUR', 'USD')"]),
    ("a int", ["a IS NULL OR a > 9"]),
    ("a struct<b: int, c: struct<d: string>>", ["a.b > 9", "a.c.d IN ('x')"]),
    ("a char(3); b varchar(1)", ["a > b"]),
    ("a int; b int; c int", ["a * b = c", "c > 50"]),
    ("a int; b int", ["CASE WHEN a > 5 THEN b = a ELSE b < a - 10 END"]),
    ("a string", ["a LIKE 'x%' AND a LIKE '%-y'"]),
    ("a string", ["a RLIKE '^[A-Z]{2}[0-9]{4}$'"]),
    ("a string", ["upper(a) = a", "substring(a, 1, 2) = 'DE'"]),
    ("a date", ["year(a) = 2026 AND month(a) IN (3, 4)", "day(a) > 20"]),
    ("a array<int>", ["size(a) > 3"]),
    ("a struct<b: int, c: int>; d int", ["a.b + a.c = d", "d > 40"]),
]


UNSOLVED = [
    ("email string; b int", ["email RLIKE '(?i)^x'"]),
    ("a int; b int", ["a > 5", "b > 0", "a < 3"]),
    ("a int not null", ["a IS NULL"]),
    ("a binary; b binary", ["a = b"]),
    ("a int", ["a = 'x'"]),
    ("a varchar(3)", ["length(a) > 3"]),
    ("a struct<b: int>", ["a IS NULL AND a.b > 1"]),
]


ONE_OF_TWO = {"primary_key": ["s", "f"], "checks": ["s IN ('x', 'y')"]}
TOO_MANY = [
    ("s string not null; f boolean not null", ONE_OF_TWO, 5),
    ("id tinyint", {"unique": [Unique(["id"])]}, 257),
]
"""Columns, keys with too few values, and the number of rows that are asked for."""

BAD_PARENTS = [{customers(): []}, {customers(): [{"x": 1}]}, {customers(): [3]}, {customers(): 3}, {3: []}]


def solved():
    """Yield each case and its rows."""
    for columns, checks in SOLVED:
        rows = rows_of(table(columns, checks))
        require_taken(table(columns, checks), rows)
        yield f"{columns}; {' AND '.join(checks)}", rows


def refused():
    """Yield the errors about models and values."""
    for columns, checks in UNSOLVED:
        yield refusal(table(columns, checks))
    for columns, options, n in TOO_MANY:
        yield refusal(table(columns, **options), n)
    for parents in BAD_PARENTS:
        yield refusal(table("c bigint not null", foreign_keys=[TO_CUSTOMER]), parents=parents)
    nameless = table("c bigint", foreign_keys=[ForeignKey(["c"], "dev.silver.customers")])
    yield refusal(nameless, parents={"dev.silver.customers": []})
    yield refusal(table("a int; b int", ["b <= a AND b >= 0 AND a < b + 9"]), a=-1)
    yield refusal(table("amount int; b int"), amuont=1, z=2)
    yield refusal(table("id int"), [{"id": 1}, 3])
    yield refusal(table("id int"), [{"idd": 1}])


def test_rows_meet_keys_and_checks(snapshot):
    text = "".join(f"{case}\n  {'  '.join(map(str, tuples(rows)))}\n" for case, rows in solved())

    assert text == snapshot(extension_class=TextSnapshot)


def test_what_has_no_rows_is_an_error(snapshot):
    assert "\n".join([*refused(), ""]) == snapshot(extension_class=TextSnapshot)
    assert refusal(table("c bigint", foreign_keys=[TO_CUSTOMER]), parents=[customers()]).startswith(
        "dev.silver.orders: parents is [Table("
    )


def with_generated(expression, checks=(), **options):
    return table("a int", [*checks], more=[Column("g", "int", generated_as=expression)], **options)


FILLED = [
    Column("id", "bigint", identity=True),
    Column("d", "int", default=5),
    Column("g", "int", generated_as="d + 1"),
    Column("now", "timestamp", default="current_timestamp()"),
]
COUNTED = (
    "id int; day date; at timestamp; name string; short varchar(2); c char(5); price decimal(3,2); part decimal(2,2)"
)
SEEDED = "id bigint not null; name varchar(9); price decimal(9,2); at timestamp; s struct<a: int>"


def calls():
    """Yield what a call shows, its model, its rows, and the values that it gives."""
    key, in_key = {"primary_key": ["id"]}, {"unique": [Unique(["d"])]}
    yield "values are plain", table("id bigint", more=EVERY_TYPE), 1, {}
    yield "values count up", table(COUNTED), 12, {}
    yield "another seed changes all but keys", table(SEEDED, **key), 2, {"seed": 7}
    fixed = {"ID": lambda position: 10 * position, "amount": -1, "tags": ["x"]}
    yield "given values are kept", table("id bigint; amount int; tags array<string>", ["amount >= 0"]), 2, fixed
    yield "what the table fills is left out", table("x int", ["d > x", "id < 9", "g < 7"], more=FILLED), 2, {}
    for default, checks, options in (("0", ["d > 0"], {}), ("0", [], in_key)):
        replaced = table("x int", checks, more=[Column("d", "int", default=default)], **options)
        yield "a default that a key or a check refuses is replaced", replaced, 2, {}
    generated = with_generated("a + 1", ["g > 100"])
    yield "a check of a generated column is verified", generated, 2, {}
    yield "a check of a generated column is verified", generated, 1, {"a": 100}
    odd, unknown = (with_generated(text, unique=[Unique(["g"])]) for text in ("a % 2", "hash(a)"))
    yield "a key of a generated column is verified", odd, 2, {}
    yield "a key of a generated column is verified", unknown, 2, {}
    amounts = table("id bigint not null; amount decimal(9,2)", ["amount >= 0"], **key)
    yield "given rows are completed", amounts, [{"amount": -1}, {"id": 2}, {}, {"ID": 7, "amount": None}], {}


def calls_with_parents():
    few: dict[str, Any] = {"parents": {customers(): []}}
    of_parents: dict[str, Any] = {"parents": PARENTS}
    chosen = table("a int; b int", foreign_keys=[ForeignKey(["a", "b"], "dev.silver.other", ["x", "y"])])
    parents = {"dev.silver.other": [{"x": 7, "y": 70}, {"x": 8, "y": 80}, {"x": 8, "y": 81}]}
    rows = [{"a": 8}, {"a": 8}, {"b": 70}, {"a": None}, {"a": 9}]
    yield "given columns choose the rows of the parent", chosen, rows, {"parents": parents}
    defaulted = table("x int", more=[Column("c", "bigint", default=0)], foreign_keys=[TO_CUSTOMER])
    yield "a foreign key does not take the default of its column", defaulted, 2, {}
    yield "a foreign key does not take the default of its column", defaulted, 2, of_parents
    optional = table("c bigint", foreign_keys=[TO_CUSTOMER])
    yield "without parents there are plain values or NULL", optional, 2, {}
    yield "without parents there are plain values or NULL", optional, 2, few
    shares = {"primary_key": ["t", "id"], "foreign_keys": [ForeignKey(["t", "boss"], "dev.silver.orders")]}
    shared = table("t string not null; id int not null; boss int", **shares)
    yield "a foreign key that shares columns with the key", shared, 3, {}
    two = [ForeignKey(["t", name], f"dev.silver.{name}", ["t", "id"]) for name in ("a", "b")]
    common = {"dev.silver.a": [{"t": 1, "id": 10}], "dev.silver.b": [{"t": 2, "id": 20}, {"t": 1, "id": 21}]}
    yield (
        "two foreign keys with a common column",
        table("t int; a int; b int", foreign_keys=two),
        2,
        {"parents": common},
    )


def test_calls_and_their_rows(snapshot):
    lines = []
    for name, model, rows, given_values in (*calls(), *calls_with_parents()):
        lines.append(f"==== {name}")
        try:
            made = rows_of(model, rows, **given_values)
            lines += map(str, made[-5:])
        except DeclarationError as error:
            lines.append(str(error))

    assert "\n".join([*lines, ""]) == snapshot(extension_class=TextSnapshot)


def test_arguments_are_checked():
    assert rows_of(table("a int"), 0) == []
    assert refusal(table("a int"), -1) == "dev.silver.orders: the number of rows is -1; give an int of at least 0"
    assert refusal(table("a int"), True) == "dev.silver.orders: the number of rows is True; give an int of at least 0"
    assert refusal("x") == "rows_of takes a Table, and was given 'x'; give the Table that declares the rows"
    with pytest.raises(InvalidModelError, match="not a column"):
        rows_of(table("a int", ["b > 1"]))


def declared(model):
    """Return whether a model breaks no rule."""
    try:
        rows_of(model, 0)
    except InvalidModelError:
        return False
    return True


def test_memory_takes_the_rows_of_all_scenarios():
    of_scenarios = [
        model
        for scenario in SCENARIOS
        for model in (scenario.before, scenario.after, *(model for model, _ in scenario.other_tables))
        if model is not None and declared(model)
    ]

    assert len(of_scenarios) > 300
    for model in of_scenarios:
        require_taken(model, rows_of(model, 3))
