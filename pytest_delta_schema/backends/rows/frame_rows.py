"""The rows of frames of Spark and pandas, as dictionaries of Python values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark.sql.types import ArrayType, MapType, StructType, TimestampType

from pytest_delta_schema.backends.spark.errors.spark_errors import translate_errors

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pyspark.sql.types import DataType

    from pytest_delta_schema.delta.names.folded_names import NameMap
    from pytest_delta_schema.state.types import ColumnState

_INTEGERS = ("tinyint", "smallint", "int", "bigint")


def rows_of_frame(rows: Any, columns: NameMap[ColumnState]) -> Iterable[object]:
    """Return the rows of a frame of Spark or pandas as dictionaries; anything else as it is.

    Missing values of pandas are NULL.

    Raises:
        StatementError: If Spark cannot compute the rows of a frame.
    """
    kinds = {(kind.__module__.partition(".")[0], kind.__name__) for kind in type(rows).__mro__}
    if ("pyspark", "DataFrame") in kinds:
        with translate_errors():
            return rows_of_spark(rows)
    if ("pandas", "DataFrame") in kinds:
        return _rows_of_pandas(rows, columns)
    return rows  # type: ignore[no-any-return]  # rows of any form, which are checked one by one


def rows_of_spark(frame: Any) -> list[dict[str, Any]]:
    """Return the rows of a Spark frame, by column name; timestamps have a time zone."""
    return [_with_instants(row, frame.schema) for row in frame.collect()]


def _with_instants(value: Any, data_type: DataType) -> Any:
    """Return a value of a frame in which timestamps have a time zone; pyspark shows them in that of this process."""
    if value is None:
        return None
    if isinstance(data_type, TimestampType):
        return value.astimezone()
    if isinstance(data_type, StructType):
        parts = zip(data_type.fields, value, strict=True)
        return {field.name: _with_instants(part, field.dataType) for field, part in parts}
    if isinstance(data_type, ArrayType):
        return [_with_instants(part, data_type.elementType) for part in value]
    if isinstance(data_type, MapType):
        return {
            _key_with_instants(key, data_type.keyType): _with_instants(part, data_type.valueType)
            for key, part in value.items()
        }
    return value


def _key_with_instants(key: Any, data_type: DataType) -> Any:
    """Return a key of a map; a struct stays a row, because dictionaries cannot be keys."""
    return key if isinstance(data_type, StructType) else _with_instants(key, data_type)


def _rows_of_pandas(frame: Any, columns: NameMap[ColumnState]) -> Iterator[dict[str, Any]]:
    names = [str(name) for name in frame.columns]
    values = frame.astype(object).itertuples(index=False, name=None)
    gaps = frame.isna().itertuples(index=False, name=None)
    for row, missing in zip(values, gaps, strict=True):
        yield {
            name: None if is_missing else _whole(value, columns.get(name))
            for name, value, is_missing in zip(names, row, missing, strict=True)
        }


def _whole(value: Any, column: ColumnState | None) -> Any:
    """Return a value for a column of integers, which pandas turns into floats if a value is missing."""
    if column is None or column.data_type not in _INTEGERS:
        return value
    return int(value) if isinstance(value, float) and value.is_integer() else value
