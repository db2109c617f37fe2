"""Jobs of every role, written for a released contract and apart from the predictions, and what they come to on Delta.

Each job that writes numbers its rows from another hundred, so one look at the table shows what all of them have stored.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import partial
from itertools import count
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

from deltalake import DeltaTable
from deltalake.exceptions import DeltaError
from pyspark.errors import PySparkException
from pyspark.sql import types
from pyspark.sql.functions import col, expr, lit, transform, transform_values
from pyspark.sql.functions import max as max_of
from pyspark.sql.functions import struct as struct_of

from pytest_delta_schema import QualifiedName
from pytest_delta_schema.backends.local.warehouse import table_folder
from pytest_delta_schema.backends.spark.sessions import setting
from pytest_delta_schema.delta.char_varchar import without_lengths
from pytest_delta_schema.diagnostics.errors import StatementError
from pytest_delta_schema.plan import TablePlanner
from pytest_delta_schema.sql import dotted, statements
from pytest_delta_schema.state.desired import desired_state
from support.pairs import BASES, row

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from pyspark.sql import Column as SqlColumn
    from pyspark.sql import DataFrame, SparkSession

    from pytest_delta_schema import LocalCatalog, Table
    from pytest_delta_schema.settings.table import Role
    from support.pairs import Pair, Row

SCHEMA = "pairs"
_ALONE = Lock()
"""Held by overwrites, because a setting of the session says which rows they replace."""

STORED = 9
"""How many rows a table has before the jobs: one or two for each job that changes or removes rows."""

GIVEN = ("missing", "extreme", "empty")
"""The rows that a job writes."""


@dataclass(frozen=True)
class Stage:
    """A table, and the contract for which its jobs were written."""

    spark: SparkSession
    table: str
    folder: Path
    released: Table
    base: str
    streams: Path
    """The folder of what streams read."""

    def written(self, first: int, *, omits: bool = False, target: int = 0) -> DataFrame:
        """Return the rows of a job, one of which has the number of a ``target`` if that is given.

        They are without the columns that the released table fills if the job ``omits`` them.
        """
        numbers = (first, target or first + 1, first + 2)
        rows = [row(self.base, number, kind) for number, kind in zip(numbers, GIVEN, strict=True)]
        return frame(self.spark, self.released, rows, omits=omits)

    def fill(self, model: Table, numbered: Iterable[tuple[int, str]]) -> None:
        """Append rows of the released contract to the table of the next contract, in the types that it has then."""
        rows = frame(self.spark, self.released, [row(self.base, number, kind) for number, kind in numbered])
        names = {column.renamed_from or column.name: column for column in model.columns}
        fitting = [
            _fitting(rows, name, column.data_type).alias(column.name)
            for name, column in names.items()
            if column.generated_as is None and column.identity is not True
        ]
        rows.select(fitting).writeTo(self.table).append()


def is_filled(column: Any) -> bool:
    """Whether a table gives a column its values where a write does not."""
    return any(value is not None for value in (column.default, column.generated_as, column.identity))


def frame(spark: SparkSession, released: Table, rows: Sequence[Row], *, omits: bool = False) -> DataFrame:
    """Return rows of a released contract as a frame, in which texts have no lengths."""
    columns = [column for column in released.columns if not (omits and is_filled(column))]
    schema = types.StructType([types.StructField(c.name, without_lengths(c.data_type)) for c in columns])
    return frame_of([{column.name: one[column.name] for column in columns} for one in rows], schema, spark)


def frame_of(rows: Sequence[Row], schema: types.StructType, spark: SparkSession) -> DataFrame:
    """Return rows as a frame without a Python worker, whose start takes longer than a job; all of it may be NULL."""
    text = json.dumps(rows, default=str).replace("\\", "\\\\").replace("'", "\\'")
    shape = f"array<{schema.simpleString()}>"
    return spark.sql(f"SELECT inline(from_json('{text}', '{shape}'))")


class Read(NamedTuple):
    """A job that reads."""

    role: Role
    name: str
    run: Callable[[Stage], object]
    is_for: Callable[[Table], bool] = lambda _: True


def _collected(shown: DataFrame) -> object:
    rows = sorted(map(tuple, shown.collect()), key=repr)
    return rows, [kept.dataType.simpleString() for kept in shown.schema]


def _leaves(released: Table) -> list[SqlColumn]:
    """Return the columns of a contract, and the fields of structs instead of these."""
    paths = [
        path
        for column in released.columns
        for path in (
            [f"{column.name}.{name}" for name in column.data_type.names]
            if isinstance(column.data_type, types.StructType)
            else [column.name]
        )
    ]
    return [col(path).alias(path.replace(".", "_")) for path in paths]


def _named(released: Table) -> list[str]:
    return [column.name for column in released.columns]


def _with_released_rows(stage: Stage) -> object:
    """Put the rows below those of a file that was written before: UNION ALL matches fields of structs by position."""
    before = frame(stage.spark, stage.released, [row(stage.base, 1000, "first")])
    return _collected(before.unionAll(stage.spark.table(stage.table).select(_named(stage.released))))


def _structs(released: Table) -> list[str]:
    return [column.name for column in released.columns if isinstance(column.data_type, types.StructType)]


def _compared(stage: Stage) -> object:
    """Compare structs with constants of the released type and with each other, and cast them to text."""
    rows = stage.spark.table(stage.table)
    parts = []
    for name in _structs(stage.released):
        constant = literal(row(stage.base, 1, "first")[name], _type_of(stage.released, name))
        parts += [max_of(rows[name] == expr(constant)), max_of(rows[name]), max_of(rows[name].cast("string"))]
    return _collected(rows.agg(*parts))


def _type_of(released: Table, name: str) -> types.DataType:
    return next(column.data_type for column in released.columns if column.name == name)


def _by_path(stage: Stage) -> object:
    return _collected(stage.spark.read.format("delta").load(str(stage.folder)).select(_leaves(stage.released)))


def _by_delta_rs(stage: Stage) -> object:
    rows = DeltaTable(str(stage.folder)).to_pyarrow_table(columns=_named(stage.released))
    return sorted(map(repr, rows.to_pylist())), [str(kind) for kind in rows.schema.types]


READS: tuple[Read, ...] = (
    Read("readers", "SELECT by name", lambda s: _collected(s.spark.table(s.table).select(_leaves(s.released)))),
    Read("readers", "UNION ALL", _with_released_rows),
    Read("readers", "structs compared", _compared, lambda released: bool(_structs(released))),
    Read("readers-by-path", "load", _by_path),
    Read("readers-by-path", "delta-rs", _by_delta_rs),
    Read("readers-by-position", "SELECT *", lambda s: _collected(s.spark.table(s.table))),
)


class Write(NamedTuple):
    """A job that writes."""

    role: Role
    name: str
    run: Callable[[Stage, int], object]
    """Given the number of its first row."""
    is_for: Callable[[Table], bool] = lambda _: True
    omits: bool = False
    overwrites: bool = False
    target: int = 0
    """The number of the stored row that it changes or removes."""


def _statement(text: str, *, omits: bool = False, target: int = 0) -> Callable[[Stage, int], None]:
    def run(stage: Stage, first: int) -> None:
        rows = stage.written(first, omits=omits, target=target)
        source = f"rows_for_{stage.folder.name}"
        rows.createOrReplaceTempView(source)
        try:
            stage.spark.sql(text.format(table=stage.table, source=source, columns=", ".join(rows.columns)))
        finally:
            stage.spark.catalog.dropTempView(source)

    return run


def _frame(write: Callable[[DataFrame, Stage], object], *, omits: bool = False) -> Callable[[Stage, int], object]:
    return lambda stage, first: write(stage.written(first, omits=omits), stage)


def _saved(rows: DataFrame, stage: Stage, mode: str = "append", **options: str) -> None:
    writer = rows.write.format("delta").mode(mode).options(**options)
    if stage.released.partitioned_by:
        writer = writer.partitionBy(*stage.released.partitioned_by)
    writer.save(str(stage.folder))


def _saved_as_table(rows: DataFrame, stage: Stage, mode: str = "append") -> None:
    writer = rows.write.format("delta").mode(mode)
    if stage.released.partitioned_by:
        writer = writer.partitionBy(*stage.released.partitioned_by)
    writer.saveAsTable(stage.table)


def _update(stage: Stage, _first: int) -> None:
    first, second = row(stage.base, 1, "extreme"), row(stage.base, 2, "missing")
    assignments = ", ".join(
        f"{c.name} = IF(id = 1, {literal(first[c.name], c.data_type)}, {literal(second[c.name], c.data_type)})"
        for c in stage.released.columns
        if c.name != "id" and c.identity is None
    )
    stage.spark.sql(f"UPDATE {stage.table} SET {assignments} WHERE id < 3")  # noqa: S608 - our own names


def literal(value: Any, data_type: types.DataType) -> str:
    """Write a value as SQL."""
    kind = without_lengths(data_type)
    if value is None:
        return f"CAST(NULL AS {kind.simpleString()})"
    if isinstance(kind, types.StructType):
        parts = (f"{part.name!r}, {literal(value[part.name], part.dataType)}" for part in kind.fields)
        return f"named_struct({', '.join(parts)})"
    if isinstance(kind, types.ArrayType):
        return f"array({', '.join(literal(part, kind.elementType) for part in value)})"
    if isinstance(kind, types.MapType):
        parts = (f"{literal(k, kind.keyType)}, {literal(v, kind.valueType)}" for k, v in value.items())
        return f"map({', '.join(parts)})"
    text = str(value).replace("'", "''")
    return f"CAST('{text}' AS {kind.simpleString()})"


def _stream(stage: Stage, first: int) -> None:
    source, progress = (str(stage.streams / f"{stage.folder.name}-{part}") for part in ("source", "progress"))
    rows = stage.written(first)
    rows.write.format("parquet").save(source)
    stream = stage.spark.readStream.schema(rows.schema).parquet(source).writeStream.format("delta")
    stream.option("checkpointLocation", progress).trigger(availableNow=True).start(str(stage.folder)).awaitTermination()


def _in_partitions(write: Callable[[DataFrame, Stage], object]) -> Callable[[DataFrame, Stage], None]:
    def run(rows: DataFrame, stage: Stage) -> None:
        with setting(stage.spark, "spark.sql.sources.partitionOverwriteMode", "dynamic"):
            write(rows, stage)

    return run


def _fills(released: Table) -> bool:
    return any(map(is_filled, released.columns))


def _has_partitions(released: Table) -> bool:
    return bool(released.partitioned_by)


_MERGE = (
    "MERGE INTO {table} AS t USING {source} AS s ON t.id = s.id"
    " WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
)

WRITES: tuple[Write, ...] = (
    Write(
        "writers",
        "DELETE",
        lambda stage, _first: stage.spark.sql(f"DELETE FROM {stage.table} WHERE id = 3"),  # noqa: S608
        target=3,
    ),
    Write("writers", "UPDATE", _update, target=1),
    Write("writers-by-merge", "MERGE", _statement(_MERGE, target=4), target=4),
    Write("writers-by-merge", "MERGE without", _statement(_MERGE, omits=True, target=5), _fills, omits=True, target=5),
    Write("writers", "save", _frame(_saved)),
    Write("writers", "saveAsTable", _frame(_saved_as_table)),
    Write("writers", "writeTo", _frame(lambda rows, stage: rows.writeTo(stage.table).append())),
    Write("writers", "writeStream", _stream),
    Write("writers", "INSERT BY NAME", _statement("INSERT INTO {table} BY NAME SELECT * FROM {source}")),
    Write("writers", "INSERT of columns", _statement("INSERT INTO {table} ({columns}) SELECT * FROM {source}")),
    Write("writers", "save without", _frame(_saved, omits=True), _fills, omits=True),
    Write(
        "writers",
        "writeTo without",
        _frame(lambda rows, stage: rows.writeTo(stage.table).append(), omits=True),
        _fills,
        omits=True,
    ),
    Write(
        "writers",
        "INSERT BY NAME without",
        _statement("INSERT INTO {table} BY NAME SELECT * FROM {source}", omits=True),
        _fills,
        omits=True,
    ),
    Write("writers-by-position", "insertInto", _frame(lambda rows, stage: rows.write.insertInto(stage.table))),
    Write("writers-by-position", "INSERT", _statement("INSERT INTO {table} SELECT * FROM {source}")),
    Write(
        "writers",
        "partitions by save",
        _frame(lambda rows, stage: _saved(rows, stage, "overwrite", partitionOverwriteMode="dynamic")),
        _has_partitions,
        overwrites=True,
    ),
    Write(
        "writers-by-position",
        "partitions by insertInto",
        _frame(_in_partitions(lambda rows, stage: rows.write.insertInto(stage.table, overwrite=True))),
        _has_partitions,
        overwrites=True,
    ),
    Write("writers", "save in mode overwrite", _frame(lambda r, s: _saved(r, s, "overwrite")), overwrites=True),
    Write(
        "writers",
        "saveAsTable in mode overwrite",
        _frame(lambda rows, stage: _saved_as_table(rows, stage, "overwrite")),
        overwrites=True,
    ),
    Write(
        "writers",
        "INSERT OVERWRITE BY NAME",
        _statement("INSERT OVERWRITE {table} BY NAME SELECT * FROM {source}"),
        overwrites=True,
    ),
    Write(
        "writers-by-position",
        "INSERT OVERWRITE",
        _statement("INSERT OVERWRITE {table} SELECT * FROM {source}"),
        overwrites=True,
    ),
)
"""In this order, because those that overwrite leave nothing of the others."""

JOBS: tuple[Read | Write, ...] = (*READS, *WRITES)
ROLES: tuple[Role, ...] = tuple(dict.fromkeys(job.role for job in JOBS))
_IN_TURN: tuple[tuple[str, ...], ...] = (
    ("saveAsTable", "writeTo", "writeStream"),
    ("INSERT BY NAME", "DELETE"),
    ("insertInto", "INSERT"),
    ("save in mode overwrite", "saveAsTable in mode overwrite", "INSERT OVERWRITE BY NAME", "INSERT OVERWRITE"),
)
"""Jobs that Delta treats alike, so each pair has one of them."""


_IN_TURN_TOGETHER: tuple[tuple[str, ...], ...] = (
    ("SELECT by name", "load", "SELECT *"),
    (*_IN_TURN[0], *_IN_TURN[1], *_IN_TURN[3], "save", "UPDATE"),
    ("save without", "writeTo without", "INSERT BY NAME without", "MERGE without"),
)
"""The same for edits that come together: each of them has come alone to all jobs."""


_APART = "append only"
"""An edit with which Delta does not treat them alike."""


def jobs_of(pair: Pair) -> frozenset[str]:
    """Return the jobs of a pair; each way to read and to write is that of many pairs."""
    if pair.edits == (_APART,):
        return frozenset(job.name for job in JOBS if job.is_for(pair.old))
    number = int(pair.digest, 16)
    turns = (*_IN_TURN_TOGETHER, _IN_TURN[2]) if len(pair.edits) > 1 else _IN_TURN
    chosen = {jobs[number % len(jobs)] for jobs in turns}
    alike = {name for jobs in turns for name in jobs}
    return frozenset(job.name for job in JOBS if job.is_for(pair.old) and (job.name not in alike or job.name in chosen))


ROLE_OF: Mapping[str, Role] = {job.name: job.role for job in JOBS}


class Answer(NamedTuple):
    """What a job has come to, or why it failed."""

    result: object = None
    failure: str = ""


CONDITION = re.compile(r"\[([A-Z][A-Z0-9_]+(?:\.[A-Z0-9_]+)*)\]")


def failure_of(error: Exception) -> str:
    """Return the condition of an error, of a stream that of its cause; of others the name of the class."""
    own = getattr(error, "condition", "") or (error.getCondition() if isinstance(error, PySparkException) else "")
    if own and own != "STREAM_FAILED":
        return str(own)
    conditions = [found for found in CONDITION.findall(str(error)) if found != "STREAM_FAILED"]
    return conditions[0] if conditions else type(error).__name__


def _tried(run: Callable[[], object]) -> Answer:
    try:
        return Answer(result=run())
    except PySparkException as error:
        return Answer(failure=failure_of(error))
    except DeltaError as error:
        return Answer(failure=f"delta-rs: {type(error).__name__}")
    except Exception as error:
        from py4j.protocol import Py4JNetworkError  # noqa: PLC0415 - a client of Spark has none

        if isinstance(error, Py4JNetworkError) or not type(error).__module__.startswith(("py4j", "pyarrow")):
            raise
        return Answer(failure=failure_of(error))


def plain(value: Any, data_type: types.DataType) -> Any:  # noqa: PLR0911 - one for each kind of value
    """Return a value in a form that casts without loss leave as it is, with the fields of its released type."""
    if value is None:
        return None
    if isinstance(data_type, types.StructType) and isinstance(value, types.Row):
        parts = value.asDict()
        return {f.name: plain(parts[f.name], f.dataType) for f in data_type.fields if f.name in parts}
    if isinstance(data_type, types.ArrayType) and isinstance(value, list):
        return [plain(part, data_type.elementType) for part in value]
    if isinstance(data_type, types.MapType) and isinstance(value, dict):
        return sorted((str(plain(k, data_type.keyType)), plain(v, data_type.valueType)) for k, v in value.items())
    if isinstance(data_type, types.BooleanType):
        return str(value).lower() in {"true", "1"}
    if isinstance(value, bool) or (isinstance(value, date) and not isinstance(value, datetime)):
        return str(value)
    if isinstance(value, (bytes, bytearray)):
        return bytes(value).decode()
    try:
        return float(str(value))
    except ValueError:
        return str(value).removesuffix(" 00:00:00")


class Players:
    """Plays the jobs of contracts on tables of real Delta."""

    def __init__(self, catalog: LocalCatalog) -> None:
        self._catalog = catalog
        self._streams = Path(tempfile.mkdtemp(dir=catalog.warehouse.parent))
        self._released: dict[str, dict[str, Answer]] = {}
        self._numbers = count(1)
        self._locks = {base: Lock() for base in BASES}
        self.creating = Lock()
        catalog.create_schema("dev", SCHEMA)

    def close(self) -> None:
        """Drop everything."""
        self._catalog.drop_schema("dev", SCHEMA)
        shutil.rmtree(self._streams)

    def released(self, base: str) -> dict[str, Answer]:
        """Return the answers on the table of a released contract."""
        with self._locks[base]:
            if base not in self._released:
                self._released[base] = self._answers(base, BASES[base])
            return self._released[base]

    def differences(self, pair: Pair) -> dict[str, str]:
        """Return what each job of a pair meets on the next table that it does not meet on the released one."""
        from py4j.protocol import Py4JJavaError  # noqa: PLC0415 - a client of Spark has none

        before = self.released(pair.base)
        try:
            after = self._answers(pair.base, pair.new, jobs_of(pair))
        except (StatementError, PySparkException, Py4JJavaError) as error:
            return {"CREATE": failure_of(error)}
        met = {job: answer.failure or difference(before[job].result, answer.result) for job, answer in after.items()}
        return {job: what for job, what in met.items() if what and not before[job].failure}

    def failures(self, base: str) -> dict[str, str]:
        """Return the jobs that fail on the table of a released contract, so that they are none of its jobs."""
        return {job: answer.failure for job, answer in self.released(base).items() if answer.failure}

    def _answers(self, base: str, model: Table, jobs: Collection[str] = ()) -> dict[str, Answer]:
        stage = self.stage(base, model)
        released = stage.released
        answers = {
            job.name: _tried(partial(job.run, stage))
            for job in READS
            if job.is_for(released) and (job.name in jobs or not jobs)
        }
        firsts = {
            job.name: 100 * number
            for number, job in enumerate(WRITES, 1)
            if job.is_for(released) and (job.name in jobs or not jobs)
        }
        shared = [job for job in WRITES if job.name in firsts and not job.overwrites]
        failures = {job.name: _tried(partial(job.run, stage, firsts[job.name])) for job in shared}
        rows = self._rows(stage)
        for job in shared:
            own = {number: one for number, one in rows.items() if _is_of(number, job, firsts[job.name])}
            answers[job.name] = (
                failures[job.name] if failures[job.name].failure else Answer(result=_shown(own, job, released))
            )
        for job in WRITES:
            if job.name in firsts and job.overwrites:
                # Which rows are left is a question of partitions only, and of the rows that no other job has written.
                sees_rows = _has_partitions(released)
                fresh = self.stage(base, model) if sees_rows else stage
                with _ALONE:
                    failure = _tried(partial(job.run, fresh, firsts[job.name]))
                is_seen = sees_rows and not failure.failure
                answers[job.name] = Answer(result=self._rows(fresh)) if is_seen else failure
                if sees_rows:
                    self._catalog.spark.sql(f"DROP TABLE {fresh.table}")
        self._catalog.spark.sql(f"DROP TABLE {stage.table}")
        return answers

    def stage(self, base: str, model: Table) -> Stage:
        """Make the table of a contract, with rows of the released one."""
        name = QualifiedName("dev", SCHEMA, f"t{next(self._numbers)}")
        wanted = replace(desired_state(model), name=name, logical_name=name)
        with self.creating:
            for statement in statements(TablePlanner().creation(wanted, creates_schema=False)):
                self._catalog.run(statement)
        folder = table_folder(self._catalog.warehouse, name)
        stage = Stage(self._catalog.spark, dotted(name), folder, BASES[base], base, self._streams)
        stage.fill(model, enumerate(["first"] * (STORED - 1) + ["second"], 1))
        return stage

    def _rows(self, stage: Stage) -> dict[int, Row]:
        """Return the rows of a table by their numbers, with the columns of the released contract that it has."""
        collected = self._catalog.spark.table(stage.table).collect()
        by_name = {c.name: c.data_type for c in stage.released.columns}
        return {
            one["id"]: {name: plain(value, by_name[name]) for name, value in one.asDict().items() if name in by_name}
            for one in collected
        }


def _is_of(number: int, job: Write, first: int) -> bool:
    targets = {1: (1, 2)}.get(job.target, (job.target,))
    return first <= number < first + len(GIVEN) or (job.target > 0 and number in targets)


def _shown(rows: Mapping[int, Row], job: Write, released: Table) -> dict[int, Row]:
    """Return rows with a word instead of numbers that a table has counted."""
    counted = {c.name for c in released.columns if c.identity is not None} if job.omits else set()
    return {
        number: {name: "counted" if name in counted and value is not None else value for name, value in one.items()}
        for number, one in rows.items()
    }


def difference(before: object, after: object) -> str:
    """Return in what a result differs, in the columns that both tables have; ``""`` if it does not."""
    if isinstance(before, tuple) and isinstance(after, tuple):
        return "" if before == after else "other types" if before[1] != after[1] else "other rows"
    if not isinstance(before, dict) or not isinstance(after, dict):
        return ""
    if before.keys() != after.keys():
        return "other rows"
    others = {
        name
        for number, one in before.items()
        for name, value in one.items()
        if name in after[number] and not _same_value(value, after[number][name])
    }
    return f"other rows: {' '.join(sorted(others))}" if others else ""


def _same_value(before: object, after: object) -> bool:
    if isinstance(before, dict) and isinstance(after, dict):
        return all(_same_value(value, after[name]) for name, value in before.items() if name in after)
    if isinstance(before, (list, tuple)) and isinstance(after, (list, tuple)):
        return len(before) == len(after) and all(map(_same_value, before, after))
    return before == after


def _fitting(rows: DataFrame, name: str, data_type: types.DataType) -> SqlColumn:
    """Return a column in another type, with the fields that it has then; one that is new has zeros."""
    if name not in rows.columns:
        return lit(None).cast(data_type) if isinstance(data_type, types.StructType) else lit(0).cast(data_type)
    return _cast(rows[name], rows.schema[name].dataType, without_lengths(data_type))


def _cast(value: SqlColumn, given: types.DataType, wanted: types.DataType) -> SqlColumn:
    """Cast a value with the fields of structs matched by name; what does not fit becomes NULL."""
    if given == wanted:
        return value
    if isinstance(given, types.StructType) and isinstance(wanted, types.StructType):
        known = {part.name: part.dataType for part in given.fields}
        parts = [
            (_cast(value[p.name], known[p.name], p.dataType) if p.name in known else lit(None).cast(p.dataType)).alias(
                p.name
            )
            for p in wanted.fields
        ]
        return struct_of(*parts)
    if isinstance(given, types.ArrayType) and isinstance(wanted, types.ArrayType):
        return transform(value, lambda part: _cast(part, given.elementType, wanted.elementType))
    if isinstance(given, types.MapType) and isinstance(wanted, types.MapType):
        return transform_values(value, lambda _, part: _cast(part, given.valueType, wanted.valueType))
    # Spark has no cast from numbers to days.
    known_to_all = value.cast("string") if isinstance(wanted, types.DateType) else value
    return known_to_all.try_cast(wanted)
