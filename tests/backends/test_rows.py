"""Which constraint stopped a write, and the queries of data checks."""

from __future__ import annotations

import pytest

from pytest_delta_schema import Check, Column, MemoryCatalog, Orchestrator
from pytest_delta_schema.assertions.contracts import raises_constraint
from pytest_delta_schema.backends import ConstraintViolation, constraint_error
from pytest_delta_schema.backends.rows import DataQueries
from pytest_delta_schema.diagnostics.errors import DeclarationError, StatementError
from pytest_delta_schema.execute.preflight import preflight
from pytest_delta_schema.plan import TablePlanner
from support.models import CHECKED as MODEL
from support.models import NAME, column, state, stored, table
from support.models import catalog as catalog_of

STACK = (
    "\n\tat org.apache.spark.sql.delta.schema.X$.apply(InvariantViolationException.scala:78)\n\tat y.z(Unknown Source)"
)


LIMIT_OF_DELTA = "exceeds char/varchar type length limitation. Failed check:"
CAUSES: list[tuple[str, ConstraintViolation | None]] = [
    (
        (
            "An error occurred while calling o63.sql.\n: org.X: [DELTA_VIOLATE_CONSTRAINT_WITH_VALUES] CHECK constraint"
            " it's odd ((id > 0) AND (name = 'x : y')) violated by row with values:\n - id : 0\n - name : a\nb - c"
        )
        + STACK,
        ConstraintViolation(
            kind="check",
            name="it's odd",
            expression="((id > 0) AND (name = 'x : y'))",
            values={"id": "0", "name": "a\nb - c"},
        ),
    ),
    (
        "[DELTA_NOT_NULL_CONSTRAINT_VIOLATED] NOT NULL constraint violated for column: a b." + STACK,
        ConstraintViolation(kind="not null", name="a b"),
    ),
    (
        "[DELTA_MISSING_NOT_NULL_COLUMN_VALUE] Column id, which has a NOT NULL constraint, is missing from the data",
        ConstraintViolation(kind="not null", name="id"),
    ),
    (
        f'Value "xxx" {LIMIT_OF_DELTA} ((v IS NULL) OR (length(v) <= 2)).',
        ConstraintViolation(kind="length", name="", expression="((v IS NULL) OR (length(v) <= 2))"),
    ),
    ("disk full", None),
]


def test_the_constraint_that_an_error_names():
    assert [constraint_error(RuntimeError(text)) for text, _ in CAUSES] == [expected for _, expected in CAUSES]


def test_the_name_of_a_check_ends_where_its_condition_begins():
    for check, names, expected in (
        ("range between(id, 1, 9)", [], ("range", "between(id, 1, 9)")),
        ("in range between(id, 1, 9)", [], ("in range", "between(id, 1, 9)")),
        ("odd name s LIKE a%", [], ("odd", "name s LIKE a%")),
        ("odd name s LIKE a%", ["odd", "Odd name", "even"], ("odd name", "s LIKE a%")),
        ("flag active", [], ("flag", "active")),
    ):
        model = table(column("id"), checks=[Check(name, "id > 0") for name in names])
        error = RuntimeError(f"CHECK constraint {check} violated by row with values:\n - id : 0")

        violation = constraint_error(error, models=[model])

        assert (violation.name, violation.expression) == expected


def test_causes_are_read_as_well():
    wrapped = RuntimeError("the pipeline failed")
    wrapped.__cause__ = ValueError("NOT NULL constraint violated for column: id")

    assert str(constraint_error(wrapped)) == "not null id"


def test_the_model_is_found_if_it_is_the_only_one():
    for models, owner in (([MODEL], MODEL), ([MODEL, table(column())], MODEL), ([MODEL, MODEL], None), ([], None)):
        for text, expected in (
            ("CHECK constraint positive (x) violated by row with values:\n - id : 0", owner),
            ("Column id, which has a NOT NULL constraint, is missing", owner),
            (f'Value "x" {LIMIT_OF_DELTA} (y).', None),
        ):
            assert constraint_error(RuntimeError(text), models=models).model is expected


@pytest.fixture
def catalog():
    made = MemoryCatalog()
    Orchestrator.over(made).sync_tables([MODEL])
    return made


def test_the_expected_constraint_passes(catalog):
    with raises_constraint(MODEL, check="positive"):
        catalog.insert(NAME, [{"id": 1, "b": None}])
    with raises_constraint(MODEL, not_null="ID"):
        catalog.insert(NAME, [{"b": 5}])

    assert catalog.data_checks(NAME).count_rows().rows == 0


def test_the_memory_catalog_names_the_values_as_delta_does(catalog):
    with pytest.raises(
        StatementError, match=r"row 2: CHECK constraint positive \(id > 0 AND b > 1\) violated"
    ) as caught:
        catalog.insert(NAME, [{"id": 1, "b": 2}, {"id": 1, "b": None}])

    violation = constraint_error(caught.value, models=[MODEL])

    assert (violation.name, violation.values, violation.model) == ("positive", {"id": "1", "b": "null"}, MODEL)
    assert caught.value.condition == "DELTA_VIOLATE_CONSTRAINT_WITH_VALUES"
    assert catalog.data_checks(NAME).count_rows().rows == 0


def test_another_constraint_or_none_fails_and_other_errors_pass_through(catalog):
    for options, row, text in (
        ({"check": "positive"}, {"id": None}, "check positive should have stopped the write, and not null id did"),
        ({"not_null": "id"}, {"id": 1, "b": 2}, "not null id should have stopped the write, and nothing did"),
    ):
        with pytest.raises(AssertionError, match=text), raises_constraint(MODEL, **options):
            catalog.insert(NAME, [row])
    with pytest.raises(ZeroDivisionError), raises_constraint(MODEL, check="positive"):
        _ = 1 / 0


def test_a_constraint_that_the_model_has_not_is_refused():
    for options, message in (
        ({}, "name one constraint, check=... or not_null=..."),
        ({"check": "positive", "not_null": "id"}, "name one constraint"),
        ({"check": "other"}, "there is no check other in the model; it has Positive"),
        ({"not_null": "b"}, "there is no not null b in the model; it has id"),
    ):
        with pytest.raises(DeclarationError, match=message), raises_constraint(MODEL, **options):
            pass


class Asked:
    """A catalog whose engine knows one function."""

    name = "local"
    capabilities = MemoryCatalog.capabilities

    def __init__(self):
        self.queries = []

    def data_checks(self, table):
        return DataQueries(table, self.ask, lambda _: {})

    def ask(self, query):
        self.queries.append(query)
        if "nofunc" in query:
            raise StatementError("[UNRESOLVED_ROUTINE] Cannot resolve routine `nofunc`\nline 1")
        return []


def test_the_defaults_that_a_plan_sets_are_analysed_before_its_first_statement():
    there = state(stored("id"), stored("a"), stored("b", "int"), stored("c"))
    model = table(
        column(),
        column("a", default="nofunc(1)"),
        Column("b", "int", default="abs(1)"),
        column("c"),
        column("d", default="nofunc(2)"),
    )
    (action,) = TablePlanner().plan([model], catalog_of(there)).actions
    asked = Asked()

    assert [str(violation) for violation in preflight(action, asked)] == [
        (
            f"dev.silver.orders: column {name} has the default {default}, which Spark refuses: [UNRESOLVED_ROUTINE]"
            " Cannot resolve routine `nofunc`; write an expression that it accepts [DS118 InvalidColumnGeneration]"
        )
        for name, default in (("d", "nofunc(2)"), ("a", "nofunc(1)"))
    ]
    assert asked.queries == [
        "SELECT CAST((nofunc(2)) AS BIGINT) AS `d` WHERE FALSE",
        "SELECT CAST((nofunc(1)) AS BIGINT) AS `a` WHERE FALSE",
        "SELECT CAST((abs(1)) AS INT) AS `b` WHERE FALSE",
    ]
    assert preflight(action, MemoryCatalog()) == ()
