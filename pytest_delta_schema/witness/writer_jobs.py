"""The jobs of writers: they write rows of the released contract by the method that the new table refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pytest_delta_schema.compatibility.faults.column_faults import (
    ColumnMoved,
    ColumnOrderNotKept,
    LengthShortened,
    NullForbidden,
)
from pytest_delta_schema.compatibility.faults.constraint_faults import CheckAdded
from pytest_delta_schema.compatibility.write_verdicts import REPLACES, UNFIT, frames_of, refused_writes, writes_of
from pytest_delta_schema.delta.names.column_path import ColumnPath
from pytest_delta_schema.delta.spark_pairs import NEWEST
from pytest_delta_schema.diagnostics.escaping import identifier
from pytest_delta_schema.sql.values import value_sql
from pytest_delta_schema.witness.job import Job, python_text, sql_call
from pytest_delta_schema.witness.reader_jobs import made
from pytest_delta_schema.witness.rows import breaking_row, rows_of_sides, rows_of_state, unfit_row, whole_row
from pytest_delta_schema.witness.table_sql import SCRIPT_TABLE, frame_query
from pytest_delta_schema.write_check.options import WriteOptions
from pytest_delta_schema.write_check.prediction import predict

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pytest_delta_schema.compatibility.contract_change import StatePair
    from pytest_delta_schema.compatibility.finding import CompatibilityFinding
    from pytest_delta_schema.state.types import ColumnState
    from pytest_delta_schema.witness.rows import Row, StoredRows
    from pytest_delta_schema.write_check.statements.merge_options import Merge

CATALOG_NAME = "witness"
"""The name under which the catalog of a session knows the table, for the methods that need one."""

_NAMED = f"""spark.sql(f"CREATE TABLE {CATALOG_NAME} USING delta LOCATION '{{path}}'")"""
_VIEW = 'rows.createOrReplaceTempView("rows")'
_REFUSED = ("writes the row", "fails")
_SEEN = ("prints the rows", "fails, or prints other rows")
_BROKEN: Mapping[str, str] = {
    NullForbidden.__name__: "not null",
    LengthShortened.__name__: "length",
    CheckAdded.__name__: "check",
}
"""The constraint that is new, by the kind of change."""

_SHIFTS = {ColumnMoved.__name__, ColumnOrderNotKept.__name__}


class _RowWrite(NamedTuple):
    """A row of the released contract, and how it is written."""

    options: WriteOptions | Merge
    columns: Sequence[ColumnState]
    row: Row


def writer_jobs(finding: CompatibilityFinding, pair: StatePair, *, is_gone: bool) -> Iterator[Job]:
    """Yield what shows the effect of a finding on writers, by each method that meets it."""
    stored = rows_of_sides(pair)
    before = made(pair.old, stored.before)
    after = [] if is_gone else made(pair.new, stored.after)
    for options, columns, values in _row_writes(finding, pair, stored, is_gone=is_gone):
        row = whole_row(pair.old, values)
        given = [column for column in columns if column.name in row]
        lines = [f"rows = {sql_call(frame_query(given, row))}", *_python_of(options, given, row)]
        if finding.rule in _SHIFTS or (isinstance(options, WriteOptions) and options.dynamic_partitions):
            names = ", ".join(identifier(column.name) for column in pair.old.columns)
            shown = sql_call(f"SELECT {names} FROM {SCRIPT_TABLE}")  # noqa: S608 - quoted
            shows = _SEEN
            lines.append(f"print(sorted(map(str, {shown}.collect())))")
        else:
            shows = _REFUSED
            lines.append('print("written")')
        yield Job(before=before, after=after, lines=lines, shows=shows)


def _row_writes(
    finding: CompatibilityFinding, pair: StatePair, stored: StoredRows, *, is_gone: bool
) -> Iterator[_RowWrite]:
    row, columns = rows_of_state(pair.old, 1), frames_of(pair.old)[0]
    if is_gone:
        # A write to the path would make a new table.
        yield _RowWrite(WriteOptions(method="write_to"), columns, row)
        return
    if finding.verdict == "breaking" and finding.rule not in _BROKEN:
        refused = [*_refused_rows(finding, pair, stored, row)]
        if refused:
            yield from refused
            return
    if finding.verdict == "breaking" and finding.rule in _BROKEN:
        name = finding.path.partition(".")[2] if finding.rule == CheckAdded.__name__ else str(finding.column)
        broken = breaking_row(pair.new, _BROKEN[finding.rule], name, pair.old)
        if broken is None:
            return
        row = broken[0]
    if finding.rule in _SHIFTS:
        # Each column has another value, so one in the wrong column is seen.
        rows = (rows_of_state(pair.old, position) for position in range(1, len(columns) + 1))
        row = {column.name: values[column.name] for column, values in zip(columns, rows, strict=True)}
    for write in writes_of(finding.role, pair.old):
        is_of_values = write.name != "DELETE" or finding.verdict == "safe"
        if is_of_values and predict(columns, pair.old, write.options, NEWEST).accepted:
            yield _RowWrite(write.options, columns, row)


def _refused_rows(finding: CompatibilityFinding, pair: StatePair, stored: StoredRows, row: Row) -> Iterator[_RowWrite]:
    """Yield the writes that the new table refuses, once each, with a row that it refuses."""
    seen: set[str] = set()
    for write, columns, path, fault, _ in refused_writes(finding.role, pair, NEWEST):
        if write.name in seen:
            continue
        seen.add(write.name)
        given = row
        if fault == REPLACES and pair.new.partitioning:
            # It belongs to a partition of the released table that has rows, and to a new one of the next table.
            given = {**row, **{name: stored.before[name] for name in pair.old.partitioning if name in stored.before}}
        if fault == UNFIT:
            given = unfit_row(pair.old, pair.new, ColumnPath(path)) or row
        yield _RowWrite(write.options, columns, given)


def _python_of(  # noqa: PLR0911 - one for each method
    options: WriteOptions | Merge, columns: Sequence[ColumnState], row: Row
) -> list[str]:
    """Return the Python that writes ``rows`` by a method."""
    if not isinstance(options, WriteOptions):
        clause = "true WHEN MATCHED THEN UPDATE SET *" if options.matched else "false WHEN NOT MATCHED THEN INSERT *"
        return [_VIEW, sql_call(f"MERGE INTO {SCRIPT_TABLE} AS t USING rows AS s ON {clause}")]
    if options.method in {"update", "delete", "sql_insert"}:
        return _statement(options, columns, row)
    overwrites = options.mode == "overwrite"
    if options.method == "write_to":
        return [f"rows.writeTo({python_text(SCRIPT_TABLE)}).append()"]
    if options.method == "write_stream":
        started = 'spark.readStream.format("delta").load(f"{path}-source").writeStream.format("delta")'
        run = '.option("checkpointLocation", f"{path}-checkpoint").trigger(availableNow=True).start(path)'
        return ['rows.write.format("delta").save(f"{path}-source")', f"{started}{run}.awaitTermination()"]
    dynamic = ['option("partitionOverwriteMode", "dynamic")'] if options.dynamic_partitions else []
    if options.method == "insert_into":
        return [_NAMED, ".".join(["rows.write", *dynamic, f'insertInto("{CATALOG_NAME}", overwrite={overwrites})'])]
    parts = [f'rows.write.format("delta").mode({options.mode!r})', *dynamic]
    if options.partition_by:
        parts.append(f"partitionBy({', '.join(map(repr, options.partition_by))})")
    if options.method == "save":
        return [".".join([*parts, "save(path)"])]
    return [_NAMED, ".".join([*parts, f'saveAsTable("{CATALOG_NAME}")'])]


def _statement(options: WriteOptions, columns: Sequence[ColumnState], row: Row) -> list[str]:
    """Return the Python that runs an UPDATE, a DELETE, or an INSERT of ``rows``."""
    if options.method == "update":
        values = ", ".join(
            f"{identifier(column.name)} = {value_sql(row[column.name], column.data_type)}" for column in columns
        )
        return [sql_call(f"UPDATE {SCRIPT_TABLE} SET {values}")]  # noqa: S608 - quoted
    if options.method == "delete":
        return [sql_call(f"DELETE FROM {SCRIPT_TABLE}")]  # noqa: S608 - quoted
    verb, by = (
        "OVERWRITE" if options.mode == "overwrite" else "INTO",
        " BY NAME" if options.by == "name" else "",
    )
    return [_VIEW, sql_call(f"INSERT {verb} {SCRIPT_TABLE}{by} SELECT * FROM rows")]  # noqa: S608 - quoted
