"""The jobs of writers: they write rows of the released contract by the method that the new table refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.compatibility.faults.column_faults import (
    ColumnMoved,
    ColumnOrderNotKept,
    LengthShortened,
    NullForbidden,
)
from pytest_delta_schema.compatibility.faults.constraint_faults import CheckAdded
from pytest_delta_schema.compatibility.write_verdicts import REPLACES, UNFIT, WRITES_BY_ROLE, frames_of, refused_writes
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
    from collections.abc import Mapping, Sequence

    from pytest_delta_schema.compatibility.contract_change import StatePair
    from pytest_delta_schema.compatibility.finding import CompatibilityFinding
    from pytest_delta_schema.state.types import ColumnState
    from pytest_delta_schema.witness.rows import Row
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


def writer_job(finding: CompatibilityFinding, pair: StatePair, *, is_gone: bool) -> Job | None:
    """Return what shows the effect of a finding on writers; ``None`` if no row does."""
    rows = rows_of_sides(pair)
    before, after = made(pair.old, rows.before), made(pair.new, rows.after)
    row, columns = rows_of_state(pair.old, 1), frames_of(pair.old)[0]
    accepted = (
        write.options
        for write in WRITES_BY_ROLE[finding.role]
        if predict(columns, pair.old, write.options, NEWEST).accepted
    )
    options = next(accepted, WRITES_BY_ROLE[finding.role][0].options)
    if is_gone:
        # A write to a path would make a new table.
        options, after = WriteOptions(method="write_to"), []
    elif finding.rule in _BROKEN and finding.verdict == "breaking":
        name = finding.path.partition(".")[2] if finding.rule == CheckAdded.__name__ else str(finding.column)
        broken = breaking_row(pair.new, _BROKEN[finding.rule], name, pair.old)
        if broken is None:
            return None
        row = broken[0]
    elif finding.verdict == "breaking":
        refused = next(refused_writes(finding.role, pair, NEWEST), None)
        if refused is not None:
            options, columns = refused.write.options, refused.frame
            if refused.fault == REPLACES and pair.new.partitioning:
                # It belongs to a partition of the released table that has rows, and to a new one of the next table.
                row = {**row, **{name: rows.before[name] for name in pair.old.partitioning if name in rows.before}}
            if refused.fault == UNFIT:
                row = unfit_row(pair.old, pair.new, ColumnPath(refused.path)) or row
    row = whole_row(pair.old, row)
    columns = tuple(column for column in columns if column.name in row)
    lines = [f"rows = {sql_call(frame_query(columns, row))}", *_writing(options, columns, row)]
    overwrites = isinstance(options, WriteOptions) and options.mode == "overwrite"
    if finding.rule in _SHIFTS or overwrites:
        names = ", ".join(identifier(column.name) for column in pair.old.columns)
        shown = sql_call(f"SELECT {names} FROM {SCRIPT_TABLE}")  # noqa: S608 - quoted
        return Job(
            before=before, after=after, lines=[*lines, f"print(sorted(map(str, {shown}.collect())))"], shows=_SEEN
        )
    return Job(before=before, after=after, lines=[*lines, 'print("written")'], shows=_REFUSED)


def _writing(  # noqa: PLR0911 - one for each method
    options: WriteOptions | Merge, columns: Sequence[ColumnState], row: Row
) -> list[str]:
    """Return the Python that writes ``rows`` by a method."""
    if not isinstance(options, WriteOptions):
        clause = "WHEN MATCHED THEN UPDATE SET *" if options.matched else "WHEN NOT MATCHED THEN INSERT *"
        key = identifier(columns[0].name)
        on = f"ON t.{key} = s.{key}" if options.not_matched else "ON true"
        return [_VIEW, sql_call(f"MERGE INTO {SCRIPT_TABLE} AS t USING rows AS s {on} {clause}")]
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
