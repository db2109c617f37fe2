"""Assert that a table holds exactly the rows that were expected."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.assertions.tracebacks import hides_traceback
from pytest_delta_schema.delta.names.folded_names import NameSet
from pytest_delta_schema.diagnostics.errors import DeclarationError, RowsDifferError
from pytest_delta_schema.engine.current import catalog_or_current
from pytest_delta_schema.models.argument_checks.wrong_kinds import refuse_kind
from pytest_delta_schema.test_kit.comparison.row_differences import difference_text
from pytest_delta_schema.test_kit.comparison.row_matching import unmatched_rows
from pytest_delta_schema.test_kit.known_columns import known_columns
from pytest_delta_schema.test_kit.tables import name_of, rows_in

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame

    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.state.catalog_reader import CatalogReader
    from pytest_delta_schema.state.states import TableState


@hides_traceback
def assert_table_equals(
    table: Table | str,
    rows: Iterable[Mapping[str, Any] | tuple[Any, ...]] | DataFrame,
    *,
    rtol: float | None = None,
    ignore: Iterable[str] = (),
    catalog: CatalogReader | None = None,
) -> None:
    """Make sure that a table holds exactly these rows, in any order, each as often as it is given.

    Rows are converted to the types of the columns as :func:`make_delta_table` does. A column that a row leaves out is
    NULL. NaN equals NaN, and maps are equal with the same keys and values.

    Args:
        table: A model, or the dotted name of a table.
        rows: Dictionaries by column name, ``Row`` objects, tuples in the order of the columns, or a frame of Spark or
            pandas.
        rtol: The relative difference up to which ``float`` and ``double`` values are equal, such as ``1e-9``; by
            default values are compared exactly.
        ignore: Names of columns that are not compared, such as ``["loaded_at"]``.
        catalog: Where the table is read; by default the catalog of the pytest run.

    Raises:
        RowsDifferError: An ``AssertionError`` with the counts of missing and unexpected rows, and the first rows that
            differ, side by side.
        StatementError: If a row can never be in the table, because a value does not fit the type of its column.
        CatalogReadError: If the table does not exist, or cannot be read.
        DeclarationError: If an argument has no possible meaning, the table has no column of a name in ``ignore``, or
            the catalog returns no rows.
    """
    if rtol is not None and not 0 <= rtol < 1:
        msg = f"rtol is {rtol!r}; give a relative difference from 0 to less than 1, such as rtol=1e-9"
        raise DeclarationError(msg)
    reader = rows_in(catalog_or_current(catalog, "assert_table_equals"), "assert_table_equals")
    name = name_of(table)
    state = reader.read_tables([name]).existing(name)
    ignored = _ignored_columns(state, ignore)
    optional = [column._replace(is_nullable=True) if column.name in ignored else column for column in state.columns]
    expected, actual = reader.as_stored(replace(state, columns=tuple(optional)), rows), reader.rows(name)
    compared = replace(state, columns=tuple(column for column in state.columns if column.name not in ignored))
    difference = unmatched_rows(compared.columns, expected, actual, rtol)
    if difference.missing or difference.unexpected:
        raise RowsDifferError(difference_text(compared, difference, (len(expected), len(actual)), rtol))


def _ignored_columns(state: TableState, names: Iterable[str]) -> NameSet:
    """Return the columns that are not compared."""
    given: object = names
    if isinstance(given, str) or not isinstance(given, Iterable):
        refuse_kind(
            "assert_table_equals", "a list of columns as ignore", given, 'give names, such as ignore=["loaded_at"]'
        )
    return NameSet(known_columns(state, dict.fromkeys(names)))
