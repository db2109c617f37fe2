"""Frames of Spark with rows that satisfy a contract."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from pyspark.sql.types import StructType

from pytest_delta_schema.assertions.tracebacks import hides_traceback
from pytest_delta_schema.delta.names.folded_names import folded
from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.models.argument_checks.wrong_kinds import refuse_kind
from pytest_delta_schema.models.structs import nullable_struct, to_struct_type
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.state.expressions import ExpressionError
from pytest_delta_schema.test_kit.contract import contract_of
from pytest_delta_schema.test_kit.generation.rows import rows_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pyspark.sql import DataFrame, SparkSession

    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.test_kit.contract import Contract
    from pytest_delta_schema.test_kit.generation.rows import Row


@hides_traceback
def frame_of(  # noqa: PLR0913 - how the rows are made
    spark: SparkSession,
    model: Table,
    rows: int | Iterable[Mapping[str, Any]] = 3,
    *,
    seed: int = 0,
    parents: Mapping[Table | str, Iterable[Mapping[str, Any]]] | None = None,
    all_columns: bool = False,
    **columns: Any,
) -> DataFrame:
    """Return a frame with rows that satisfy the contract of a model, as :func:`rows_of` makes them.

    Its columns have the types of the model, and all of them may be NULL, as in a frame that a job has read. Columns
    that the table fills itself, those with a default, a generation expression or an identity, are left out, as in a
    frame that a job writes, unless a row gives a value; then the others get the value of the table.

    Args:
        spark: Any session, also one of Spark Connect.
        model: The contract.
        rows: How many rows, or rows to complete, as in :func:`rows_of`.
        seed: As in :func:`rows_of`.
        parents: As in :func:`rows_of`.
        all_columns: Whether no column is left out, as in a frame that a job has read from the table: the rows have the
            values of a table that was new before one writer appended them.
        **columns: As in :func:`rows_of`.

    Raises:
        DeclarationError: As :func:`rows_of`; or if a row has to have a value that only the table knows, with
            ``all_columns`` or because another row gives one.
        InvalidModelError: If the declaration breaks rules.
    """
    if not hasattr(spark, "createDataFrame"):
        refuse_kind("frame_of", "a Spark session", spark, "give one, such as the fixture delta_spark")
    made = rows_of(model, rows, seed=seed, parents=parents, **columns)
    contract = contract_of(desired_state(model))
    filled = {folded(column.name) for column in contract.state.columns if column.value is not None}
    given = {folded(name) for row in made for name in row}
    fields = [
        field
        for field in nullable_struct(to_struct_type(model))
        if all_columns or folded(field.name) in given or folded(field.name) not in filled
    ]
    names = [folded(field.name) for field in fields]
    values = [_values(contract, row, number, names, all_columns=all_columns) for number, row in enumerate(made)]
    return spark.createDataFrame(values, StructType(fields))


def _values(contract: Contract, row: Row, number: int, names: Sequence[str], *, all_columns: bool) -> tuple[Any, ...]:
    """Return the values of a row; what the table would fill is computed for the columns of the frame.

    The number is the position of the row, from 0, and names are in lower case. If the frame has all columns of the
    table, identities are known, too.

    Raises:
        DeclarationError: If a value is not known.
    """
    given = {folded(name): value for name, value in row.items()}
    whole = contract.with_table_values(given, number) if all_columns else {**contract.defaults, **given}
    with suppress(ExpressionError):
        contract.generate([whole], names)
    unknown = [contract.columns[name].name for name in names if name not in whole]
    if unknown:
        reason = "whose value only Spark knows" if all_columns else "and another row does not"
        remedy = "all rows, or leave out all_columns" if all_columns else "all rows, or in none"
        fact = f"row {number + 1} leaves {', '.join(unknown)} to the table, {reason}"
        msg = f"{contract.state.name}: {fact}; give a value in {remedy}"
        raise DeclarationError(msg)
    return tuple(whole[name] for name in names)
