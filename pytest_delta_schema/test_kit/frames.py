"""Frames of Spark with rows that satisfy a contract."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from pyspark.sql.types import StructType

from pytest_delta_schema.assertions.tracebacks import hides_traceback
from pytest_delta_schema.delta.folded_names import folded
from pytest_delta_schema.errors import DeclarationError
from pytest_delta_schema.models.structs import nullable_struct, to_struct_type
from pytest_delta_schema.models.wrong_kinds import refuse_kind
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.state.expressions import ExpressionError
from pytest_delta_schema.test_kit.contract import contract_of
from pytest_delta_schema.test_kit.rows import rows_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pyspark.sql import DataFrame, SparkSession

    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.test_kit.contract import Contract
    from pytest_delta_schema.test_kit.rows import Row


@hides_traceback
def frame_of(
    spark: SparkSession,
    model: Table,
    n: int | Iterable[Mapping[str, Any]] = 3,
    seed: int = 0,
    parents: Mapping[Table | str, Iterable[Mapping[str, Any]]] | None = None,
    **columns: Any,
) -> DataFrame:
    """Return a frame with rows that satisfy the contract of a model, as :func:`rows_of` makes them.

    Its columns have the types of the model, and all of them may be NULL, as in a frame that a job has read. Columns
    that the table fills itself are left out, unless a row gives a value; then the others get the value of the table.

    Args:
        spark: Any session, also one of Spark Connect.
        model: The contract.
        n: How many rows, or rows to complete, as in :func:`rows_of`.
        seed: As in :func:`rows_of`.
        parents: As in :func:`rows_of`.
        **columns: As in :func:`rows_of`.

    Raises:
        DeclarationError: As :func:`rows_of`; or if some rows leave a column to the table whose value only it knows,
            and others give one.
        InvalidModelError: If the declaration breaks rules.
    """
    if not hasattr(spark, "createDataFrame"):
        refuse_kind("frame_of", "a Spark session", spark, "give one, such as the fixture delta_spark")
    rows = rows_of(model, n, seed, parents, **columns)
    contract = contract_of(desired_state(model))
    filled = {folded(column.name) for column in contract.state.columns if column.value is not None}
    given = {folded(name) for row in rows for name in row}
    fields = [
        field
        for field in nullable_struct(to_struct_type(model))
        if folded(field.name) in given or folded(field.name) not in filled
    ]
    names = [folded(field.name) for field in fields]
    values = [_values(contract, row, number, names) for number, row in enumerate(rows)]
    return spark.createDataFrame(values, StructType(fields))


def _values(contract: Contract, row: Row, number: int, names: Sequence[str]) -> tuple[Any, ...]:
    """Return the values of a row; what the table would fill is computed where other rows give a value.

    Args:
        contract: The contract.
        row: The row.
        number: Its position, from 0.
        names: The columns of the frame, in lower case.

    Raises:
        DeclarationError: If a value is not known.
    """
    given = {folded(name): value for name, value in row.items()}
    whole = {**contract.defaults, **given}
    with suppress(ExpressionError):
        contract.generate([whole], names)
    unknown = [contract.columns[name].name for name in names if name not in whole]
    if unknown:
        fact = f"row {number + 1} leaves {', '.join(unknown)} to the table, and another row does not"
        msg = f"{contract.state.name}: {fact}; give a value in all rows, or in none"
        raise DeclarationError(msg)
    return tuple(whole[name] for name in names)
