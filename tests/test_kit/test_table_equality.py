"""assert_table_equals, on the memory catalog; the other catalogs have their own test."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_delta_schema import CatalogReadError, MemoryCatalog, assert_table_equals
from pytest_delta_schema.diagnostics.errors import DeclarationError, RowsDifferError, StatementError
from pytest_delta_schema.testing.scenario import orders
from support.tables import NAME, state, stored

STATE = state(stored("id", is_nullable=False), stored("x", "double"))
ROWS: list[dict[str, Any]] = [{"id": 1, "x": 0.5}, {"id": 2}]


@pytest.fixture
def catalog():
    return MemoryCatalog([STATE], rows={NAME: ROWS})


@pytest.mark.parametrize("rows", [ROWS, [(2, None), (1, 0.5)], iter(ROWS)], ids=["dictionaries", "tuples", "iterator"])
def test_the_expected_rows_pass(catalog, rows):
    assert_table_equals("dev.silver.orders", rows, catalog=catalog)


def test_a_frame_of_pandas_passes(catalog):
    pandas = pytest.importorskip("pandas")

    assert_table_equals("dev.silver.orders", pandas.DataFrame({"x": [None, 0.5], "id": [2, 1]}), catalog=catalog)


def test_a_model_names_its_table(catalog):
    assert_table_equals(orders(), ROWS, catalog=catalog)


def test_other_rows_fail_with_both_sides(catalog):
    with pytest.raises(RowsDifferError) as caught:
        assert_table_equals("dev.silver.orders", [{"id": 1, "x": 0.4}, {"id": 2}], catalog=catalog)

    assert isinstance(caught.value, AssertionError)
    assert str(caught.value) == (
        "dev.silver.orders: 2 rows expected, 2 in the table; 1 missing, 1 unexpected\n"
        "\n"
        "  column     expected  in the table\n"
        "  id bigint  1         1\n"
        "~ x double   0.4       0.5"
    )
    assert_table_equals("dev.silver.orders", [{"id": 1, "x": 0.4}, {"id": 2}], rtol=0.2, catalog=catalog)


@pytest.mark.parametrize(
    "rows",
    [[{"x": 0.5}, {}], [{"id": 7, "x": 0.5}, {"id": 8}], [(None, 0.5), (7, None)]],
    ids=["without the column", "with other values", "tuples"],
)
def test_ignored_columns_are_not_compared(catalog, rows):
    assert_table_equals("dev.silver.orders", rows, ignore=["ID"], catalog=catalog)


def test_a_failure_leaves_ignored_columns_out(catalog):
    with pytest.raises(RowsDifferError) as caught:
        assert_table_equals("dev.silver.orders", [{"x": 0.4}], ignore=["id"], catalog=catalog)

    assert str(caught.value) == (
        "dev.silver.orders: 1 row expected, 2 in the table; 1 missing, 2 unexpected\n"
        "\n"
        "  column    expected  in the table\n"
        "- x double  0.4       -\n"
        "\n"
        "  column    expected  in the table\n"
        "+ x double  -         0.5\n"
        "\n"
        "  column    expected  in the table\n"
        "+ x double  -         NULL"
    )


class Reader:
    """A catalog that returns no rows."""

    name = "custom"

    def snapshot(self, models):
        raise NotImplementedError

    read_tables = introduced_by = past_columns = snapshot


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (
            {"rows": [{"id": "1"}]},
            StatementError,
            "dev.silver.orders: row 1, column id: '1' does not fit bigint: it is of Python's type str; give an int",
        ),
        (
            {"rows": [{"ID": 1, "y": 1}]},
            StatementError,
            "dev.silver.orders: row 1: there is no column y; columns are id, x",
        ),
        (
            {"table": "dev.silver.nothing"},
            CatalogReadError,
            "dev.silver.nothing: is not in the catalog; create it first [DS507 AbsentTable]",
        ),
        (
            {"rtol": 1},
            DeclarationError,
            "rtol is 1; give a relative difference from 0 to less than 1, such as rtol=1e-9",
        ),
        (
            {"rtol": -0.1},
            DeclarationError,
            "rtol is -0.1; give a relative difference from 0 to less than 1, such as rtol=1e-9",
        ),
        (
            {"ignore": ["x", "idd", "loaded"]},
            DeclarationError,
            (
                "dev.silver.orders: there is no column idd; did you mean id?\n"
                "dev.silver.orders: there is no column loaded; columns are id, x"
            ),
        ),
        (
            {"ignore": "id"},
            DeclarationError,
            "assert_table_equals takes a list of columns as ignore, and was given 'id'; give names, such as ignore=[\"loaded_at\"]",
        ),
        (
            {"catalog": Reader()},
            DeclarationError,
            "assert_table_equals reads the rows of tables, which the custom backend cannot; the backends that can are local, session, unity and memory",
        ),
    ],
    ids=["type", "column", "table", "large rtol", "negative rtol", "ignored column", "ignored text", "backend"],
)
def test_wrong_arguments_have_a_remedy(catalog, arguments, error, message):
    with pytest.raises(error) as caught:
        assert_table_equals(**{"table": "dev.silver.orders", "rows": ROWS, "catalog": catalog, **arguments})

    assert str(caught.value) == message
