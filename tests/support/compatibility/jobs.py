"""The job of each role, run on a table of real Delta: what it answers, or how it fails."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

from pyspark.errors import PySparkException
from pyspark.sql import types
from pyspark.sql.functions import col, lit, struct

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from pyspark.sql import Column as SqlColumn
    from pyspark.sql import DataFrame, SparkSession

    from pytest_delta_schema import Table
    from pytest_delta_schema.settings.table import Role

    Row = Mapping[str, Any]

STORED: tuple[Row, ...] = (
    {"id": 1, "a": 1, "b": "b1", "c": 10, "v": "v1", "s": {"x": 1, "y": "y1"}, "d": Decimal("1.00"), "e": 1},
    {"id": 2, "a": 2, "b": "b2", "c": 20, "v": "v2", "s": {"x": 2, "y": "y2"}, "d": Decimal("2.00"), "e": 2},
)
"""The rows that a table has: they satisfy every contract."""

WRITTEN: tuple[Row, ...] = (
    {"id": 11, "a": None, "b": None, "c": None, "v": None, "s": None, "d": None, "e": 3},
    {
        "id": 12,
        "a": 5,
        "b": "b" * 20,
        "c": -(2**40),
        "v": "v" * 20,
        "s": {"x": 3, "y": "y3"},
        "d": Decimal("3.00"),
        "e": 4,
    },
    {"id": 1, "a": 6, "b": "c", "c": 30, "v": "w", "s": {"x": None, "y": None}, "d": Decimal("4.00"), "e": 5},
)
"""The rows that jobs write: what the released contracts allow, and the next ones may refuse."""

SOURCE = "rows_of_a_job"


class Answer(NamedTuple):
    """What a job has answered, or why it failed."""

    rows: tuple[Any, ...] = ()
    types: tuple[str, ...] = ()
    failure: str = ""


class Job(NamedTuple):
    """The job of a role, which was written for a released contract."""

    role: Role
    name: str
    run: Callable[[SparkSession, str, Table], Answer]


def answer_of(job: Job, spark: SparkSession, table: str, released: Table) -> Answer:
    """Run a job on a table."""
    try:
        return job.run(spark, table, released)
    except PySparkException as error:
        return Answer(failure=error.getCondition() or str(error).partition("\n")[0])
    except Exception as error:
        # Java's errors are of no class of PySpark, such as that of a violated constraint.
        if not type(error).__module__.startswith("py4j"):
            raise
        return Answer(failure=str(getattr(error, "java_exception", error)).partition("\n")[0])


def frame(spark: SparkSession, released: Table, rows: Iterable[Row]) -> DataFrame:
    """Return rows of a released contract as a frame, in which texts have no limit."""
    schema = types.StructType(
        [
            types.StructField(column.name, types.StringType() if _is_text(column.data_type) else column.data_type)
            for column in released.columns
        ]
    )
    return spark.createDataFrame([tuple(row[column.name] for column in released.columns) for row in rows], schema)


def _is_text(data_type: types.DataType) -> bool:
    return isinstance(data_type, (types.StringType, types.VarcharType, types.CharType))


def _leaves(released: Table) -> list[str]:
    """Return the columns of a contract, and the fields of structs instead of these."""
    return [
        path
        for column in released.columns
        for path in (
            [f"{column.name}.{name}" for name in column.data_type.names]
            if isinstance(column.data_type, types.StructType)
            else [column.name]
        )
    ]


def _answer(shown: DataFrame) -> Answer:
    rows = sorted(map(tuple, shown.collect()), key=repr)
    return Answer(tuple(rows), tuple(kept.dataType.simpleString() for kept in shown.schema))


def _by_name(shown: DataFrame, released: Table) -> Answer:
    return _answer(shown.select([col(path).alias(path.replace(".", "_")) for path in _leaves(released)]))


def _read(spark: SparkSession, table: str, released: Table) -> Answer:
    return _by_name(spark.table(table), released)


def _read_path(spark: SparkSession, table: str, released: Table) -> Answer:
    (location,) = spark.sql(f"DESCRIBE DETAIL {table}").select("location").collect()[0]
    return _by_name(spark.read.format("delta").load(location), released)


def _read_positions(spark: SparkSession, table: str, _released: Table) -> Answer:
    return _answer(spark.table(table))


def _written(write: Callable[[DataFrame, str], object]) -> Callable[[SparkSession, str, Table], Answer]:
    def run(spark: SparkSession, table: str, released: Table) -> Answer:
        write(frame(spark, released, WRITTEN), table)
        return Answer()

    return run


def _statement(text: str) -> Callable[[SparkSession, str, Table], Answer]:
    def run(spark: SparkSession, table: str, released: Table) -> Answer:
        frame(spark, released, WRITTEN).createOrReplaceTempView(SOURCE)
        try:
            spark.sql(text.format(table=table, source=SOURCE))
        finally:
            spark.catalog.dropTempView(SOURCE)
        return Answer()

    return run


def _insert_positions(spark: SparkSession, table: str, released: Table) -> Answer:
    """Write by position; values in other columns than those for which they were written are a failure."""
    _statement("INSERT INTO {table} SELECT * FROM {source}")(spark, table, released)
    for row in spark.table(table).where("id >= 11").collect():
        (written,) = (written for written in WRITTEN if written["id"] == row["id"])
        if any(_plain(row[name]) != _plain(written[name]) for name in row.asDict() if name in written and name != "s"):
            return Answer(failure="values are in other columns")
    return Answer()


def _plain(value: object) -> object:
    """Return a value in a form that casts leave as it is."""
    try:
        return float(str(value))
    except ValueError:
        return str(value)


def _update(spark: SparkSession, table: str, released: Table) -> Answer:
    for row in WRITTEN:
        assignments = ", ".join(f"{column.name} = {_literal(row[column.name])}" for column in released.columns)
        spark.sql(f"UPDATE {table} SET {assignments} WHERE id = 2")  # noqa: S608 - our own names
    return Answer()


def _literal(value: object) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, dict):
        return f"named_struct({', '.join(f'{name!r}, {_literal(part)}' for name, part in value.items())})"
    return repr(value) if isinstance(value, str) else str(value)


JOBS: tuple[Job, ...] = (
    Job("readers", "SELECT by name", _read),
    Job("readers-by-path", "load", _read_path),
    Job("readers-by-position", "SELECT *", _read_positions),
    Job("writers-by-position", "INSERT by position", _insert_positions),
    Job("writers", "writeTo", _written(lambda rows, table: rows.writeTo(table).append())),
    Job("writers", "saveAsTable", _written(lambda rows, table: rows.write.mode("append").saveAsTable(table))),
    Job("writers", "INSERT BY NAME", _statement("INSERT INTO {table} BY NAME SELECT * FROM {source}")),
    Job("writers", "UPDATE", _update),
    Job(
        "writers-by-merge",
        "MERGE",
        _statement(
            "MERGE INTO {table} AS t USING {source} AS s ON t.id = s.id"
            " WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
        ),
    ),
    Job(
        "writers",
        "saveAsTable in mode overwrite",
        _written(lambda rows, table: rows.write.mode("overwrite").saveAsTable(table)),
    ),
)
"""In this order, because those that write change what others would read."""


def copied(spark: SparkSession, table: str, old: Table, new: Table) -> None:
    """Write the stored rows to a table that was created again, in the types that it has now."""
    names = {column.renamed_from or column.name: column for column in new.columns if column.generated_as is None}
    rows = frame(spark, old, STORED)
    fitting = [_fitting(rows, name, column.data_type).alias(column.name) for name, column in names.items()]
    rows.select(fitting).writeTo(table).append()


def _fitting(rows: DataFrame, name: str, data_type: types.DataType) -> SqlColumn:
    """Return a column in another type, with the fields that it has then; one that is new has zeros."""
    if name not in rows.columns:
        return lit(0).cast(data_type)
    if isinstance(data_type, types.StructType):
        known = rows.select(f"{name}.*").columns
        parts = [(col(f"{name}.{part.name}") if part.name in known else lit(None), part) for part in data_type.fields]
        return struct(*(value.cast(part.dataType).alias(part.name) for value, part in parts))
    return col(name).cast(data_type)


def changed(answers: Mapping[str, Answer], released: Mapping[str, Answer]) -> Iterator[str]:
    """Yield how a job fails or answers otherwise than on the released table."""
    for name, answer in answers.items():
        if answer != released[name]:
            yield f"{name}: {answer.failure or f'{answer.rows} {answer.types} instead of {released[name].rows}'}"
