"""Frames of Spark with rows that satisfy a contract."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark.sql.types import StructType

from pytest_delta_schema.assertions.tracebacks import hides_traceback
from pytest_delta_schema.delta.folded_names import folded
from pytest_delta_schema.models.structs import nullable_struct, to_struct_type
from pytest_delta_schema.models.wrong_kinds import refuse_kind
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.test_kit.contract import contract_of
from pytest_delta_schema.test_kit.rows import rows_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pyspark.sql import DataFrame, SparkSession

    from pytest_delta_schema.models.table import Table


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
    that the table fills itself are left out.

    Args:
        spark: Any session, also one of Spark Connect.
        model: The contract.
        n: How many rows, or rows to complete, as in :func:`rows_of`.
        seed: As in :func:`rows_of`.
        parents: As in :func:`rows_of`.
        **columns: As in :func:`rows_of`.

    Raises:
        DeclarationError: As :func:`rows_of`.
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
    # Where only some rows need a value in place of the default, the others get the default.
    values = [tuple(row.get(field.name, contract.defaults.get(folded(field.name))) for field in fields) for row in rows]
    return spark.createDataFrame(values, StructType(fields))
