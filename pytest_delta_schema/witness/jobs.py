"""The job of a role: what it does with a table before the change, and with the same table after it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from pytest_delta_schema.compatibility.column_faults import (
    CollationChanged,
    ColumnMoved,
    ColumnOrderNotKept,
    ColumnRespelled,
    FieldAdded,
    FieldOrderChanged,
    NullableColumnAdded,
    NullAllowed,
    NullForbidden,
    RequiredColumnAdded,
    TypeWidened,
)
from pytest_delta_schema.compatibility.effects import STREAM_KINDS_OF, STREAM_VERDICTS
from pytest_delta_schema.compatibility.stored_values import ALTERED, SWAPPED, UNFIT
from pytest_delta_schema.compatibility.table_faults import (
    AdditiveEvolution,
    AppendOnlyDisabled,
    AspectNotOwned,
    ChangeFeedDisabled,
    CheckAdded,
    CheckDropped,
    CommitsManagedByCatalog,
    ConstraintKeyAdded,
    ConstraintKeyDropped,
    ConvertedToDelta,
    FeatureEnabled,
    OtherFormatDisabled,
    PartitioningChanged,
    RelyAdded,
    RelyKeyAdded,
    RetentionShortened,
    SunsetMovedNearer,
)
from pytest_delta_schema.compatibility.writers import (
    EMPTIED,
    EMPTY,
    GENERATED,
    OTHER_ROWS,
    REPLACES,
    changed_writes,
    frames_of,
    writes_of,
)
from pytest_delta_schema.delta import NEWEST
from pytest_delta_schema.delta.fields import SIZED
from pytest_delta_schema.delta.names import TABLE, ColumnPath, folded
from pytest_delta_schema.delta.properties import is_open_source
from pytest_delta_schema.diagnostics.text import identifier
from pytest_delta_schema.plan.planner import TablePlanner
from pytest_delta_schema.sql.quoting import condition, insert_sql, literal, path_sql, type_sql, value_sql
from pytest_delta_schema.state.states import CatalogState
from pytest_delta_schema.state.types import StructState, find, plain
from pytest_delta_schema.witness.rows import (
    FOLDER_OF_TABLE,
    SCRIPT_TABLE,
    breaking_row,
    changes_in_place,
    creation,
    distinct_row,
    frame_query,
    insertion,
    rows_of_sides,
    rows_of_state,
    unfit_row,
    whole_row,
)
from pytest_delta_schema.write_check.prediction import predict
from pytest_delta_schema.write_check.streams import stream_ends
from pytest_delta_schema.write_check.values import CHANGE_FEED
from pytest_delta_schema.write_check.verdict import WriteOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from pytest_delta_schema.compatibility.changes import StatePair
    from pytest_delta_schema.compatibility.judging import CompatibilityFinding
    from pytest_delta_schema.state.states import KeyState, TableState
    from pytest_delta_schema.state.types import ColumnState
    from pytest_delta_schema.witness.rows import Row, StoredRows
    from pytest_delta_schema.write_check.streams import StreamKind
    from pytest_delta_schema.write_check.verdict import Merge


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """The parts of a script: statements that make a table, and what a role does with it.

    Lines of Python and statements name the folder of the table by :data:`FOLDER_OF_TABLE`.
    """

    before: Sequence[str]
    """The statements that lead to the table before the change."""
    after: Sequence[str]
    """The statements that lead to the table after it."""
    lines: Sequence[str]
    """What the role does with the table."""
    first: Sequence[str] = ()
    """The statements that come first, whatever follows."""
    opening: Sequence[str] = ()
    """What the role does between these and the others."""
    shows: tuple[str, str]
    """What is expected before the change, and after it."""


_PIECE = re.compile(rf"(?:{FOLDER_OF_TABLE}|.){{1,90}}(?=[ ]|$)|(?:{FOLDER_OF_TABLE}|.){{1,90}}", re.DOTALL)
"""A part of a text that stands on one line of a script, up to a blank if there is one."""


def python_text(text: str) -> str:
    """Write text as a string of Python, in which the folder of the table is a variable; a long one on several lines."""
    return "\n    ".join(map(_python_piece, _PIECE.findall(text)))


def _python_piece(text: str) -> str:
    parts = text.split(FOLDER_OF_TABLE)
    if len(parts) == 1:
        return repr(text)
    inner = "\x00".join(part.replace("{", "{{").replace("}", "}}") for part in parts)
    return f"f{inner!r}".replace("\\x00", "{path}")


def sql_call(sql: str) -> str:
    """Return the Python that runs a statement."""
    return f"spark.sql({python_text(sql)})"


UNDECLARED = "added_by_a_job"
"""The name of a column that is in no contract."""

_UNLIKE = ("prints the columns and their values", "fails, or prints something else")
_FORBIDDEN = ("prints 0: the contract allows no such row", "prints how many there are")


def reader_jobs(finding: CompatibilityFinding, pair: StatePair, *, is_gone: bool) -> Iterator[Job]:
    """Yield what shows the effect of a finding on readers; nothing if no row does."""
    job = _reader_job(finding, pair, is_gone=is_gone)
    if job is not None:
        yield job


def _reader_job(  # noqa: PLR0911 - one for each kind of change
    finding: CompatibilityFinding, pair: StatePair, *, is_gone: bool
) -> Job | None:
    rows = rows_of_sides(pair)
    before = made(pair.old, rows.before)
    if is_gone:
        return Job(before=before, after=[], lines=_reading(finding, pair.old), shows=_UNLIKE)
    after = made(pair.new, rows.after)
    if finding.verdict == "safe":
        return Job(before=before, after=after, lines=_reading(finding, pair.old), shows=_UNLIKE)
    if finding.rule in _FORBIDDEN_ROWS:
        return _counting(finding, pair, before, after)
    if finding.rule == PartitioningChanged.__name__:
        moved = {*map(folded, pair.new.partitioning)}.difference(map(folded, pair.old.partitioning))
        moving = [column for column in pair.old.columns if folded(column.name) in moved]
        texts = {column.name: "" for column in moving if plain(column.data_type) == "string"}
        before, after = (made(state, {**rows.before, **texts}) for state in pair)
        return Job(before=before, after=after, lines=_reading(finding, pair.old), shows=_UNLIKE)
    if finding.rule == FieldAdded.__name__:
        return Job(before=before, after=after, lines=_coalescing(finding, pair.old), shows=_UNLIKE)
    if finding.rule == FieldOrderChanged.__name__:
        name = identifier(finding.column.root)
        selected = f"to_json({name}) AS {name}"
        shown = _frame(finding, repr(selected) if finding.role == "readers-by-path" else selected)
        return Job(before=before, after=after, lines=[f"print({shown}.collect())"], shows=_UNLIKE)
    if finding.rule == ColumnRespelled.__name__:
        name = finding.column.root
        lines = [f"print([row.asDict()[{name!r}] for row in {_frame(finding, '*')}.collect()])"]
        return Job(before=before, after=after, lines=lines, shows=("prints its values", "fails with a KeyError"))
    if finding.rule == AdditiveEvolution.__name__:
        added = f"ALTER TABLE {SCRIPT_TABLE} ADD COLUMNS ({UNDECLARED} INT)"
        lines = [f"print({_frame(finding, '*')}.columns)"]
        shows = ("prints the columns of the contract", "prints one more")
        return Job(before=before, after=[*after, added], lines=lines, shows=shows)
    if finding.rule == AppendOnlyDisabled.__name__:
        removed = f"DELETE FROM {SCRIPT_TABLE}"  # noqa: S608 - no name
        lines = [f"print({_frame(finding, '*')}.count())"]
        shows = ("prints 1: the row stays, a DELETE is refused", "prints 0: it was removed")
        return Job(before=before, after=[*after, removed], lines=lines, shows=shows)
    return Job(before=before, after=after, lines=_reading(finding, pair.old), shows=_UNLIKE)


def made(state: TableState, *rows: Row) -> list[str]:
    """Return the statements that create a table with rows."""
    return [creation(state), *(insertion(state.columns, row) for row in rows)]


def leaves(columns: tuple[ColumnState, ...], above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the paths of columns, and of the fields of structs instead of these."""
    for column in columns:
        path = (*above, column.name)
        if isinstance(column.data_type, StructState):
            yield from leaves(column.data_type.fields, path)
        else:
            yield path


def _frame(finding: CompatibilityFinding, selected: str) -> str:
    """Return the Python that reads columns of the table, by its path or as SQL."""
    if finding.role == "readers-by-path":
        loaded = 'spark.read.format("delta").load(path)'
        return loaded if selected == "*" else f"{loaded}.selectExpr({selected})"
    return sql_call(f"SELECT {selected} FROM {SCRIPT_TABLE}")  # noqa: S608 - quoted


def _reading(finding: CompatibilityFinding, old: TableState) -> list[str]:
    if finding.role == "readers-by-position":
        rows = f"rows = {_frame(finding, '*')}"
        return [rows, "print([kind for _, kind in rows.dtypes], [tuple(row) for row in rows.collect()])"]
    names = [
        f"{'.'.join(map(identifier, path))} AS {identifier('_'.join(path))}" if len(path) > 1 else identifier(path[0])
        for path in leaves(old.columns)
    ]
    is_by_path = finding.role == "readers-by-path"
    selected = ", ".join(map(repr, names) if is_by_path else names)
    return [f"rows = {_frame(finding, selected)}", "print(rows.dtypes, [tuple(row) for row in rows.collect()])"]


def _coalescing(finding: CompatibilityFinding, old: TableState) -> list[str]:
    """Return what puts a struct of the released contract into an expression with the one of the table."""
    root = find(old.columns, [finding.column.root])
    assert root is not None  # noqa: S101 - the struct is older than the field
    name = identifier(root.name)
    value = f"coalesce({name}, CAST(NULL AS {type_sql(root.data_type)})) AS {name}"
    return [f"print({_frame(finding, repr(value) if finding.role == 'readers-by-path' else value)}.collect())"]


def _counting(finding: CompatibilityFinding, pair: StatePair, before: list[str], after: list[str]) -> Job | None:
    """Return a job that counts rows which the released contract does not allow, with such rows after the change."""
    rows = _FORBIDDEN_ROWS[finding.rule](finding, pair)
    if rows is None:
        return None
    is_of_key = finding.rule == ConstraintKeyDropped.__name__
    added = [*(after[:1] if is_of_key else after), *(insertion(pair.new.columns, row) for row in rows)]
    counted = _counted(finding, pair.old)
    if counted is None:
        return Job(before=before, after=added, lines=_reading(finding, pair.old), shows=_UNLIKE)
    return Job(before=before, after=added, lines=[f"print({_frame(finding, '*')}{counted})"], shows=_FORBIDDEN)


def _counted(finding: CompatibilityFinding, old: TableState) -> str | None:
    """Return the Python that counts rows which the released contract does not allow; ``None`` if SQL cannot."""
    if finding.rule == ConstraintKeyDropped.__name__:
        names = ", ".join(repr(identifier(name)) for name in key_in(finding, old).columns)
        return f".groupBy({names}).count().where('count > 1').count()"
    if finding.rule == CheckDropped.__name__:
        check = next(check for check in old.checks if finding.path == f"checks.{check.name}")
        return f".where({f'NOT coalesce({condition(check.expression)}, false)'!r}).count()"
    column, path = find(old.columns, finding.column), path_sql(finding.column)
    if column is None or not isinstance(column.data_type, str) or not _is_in_structs(old, finding.column):
        return None
    sized = SIZED.fullmatch(column.data_type)
    if finding.rule == NullAllowed.__name__:
        where = f"{path} IS NULL"
    elif sized is not None and sized[1] != "decimal":
        where = f"length({path}) > {sized[2]}"
    else:
        where = f"NOT (try_cast({path} AS {type_sql(column.data_type)}) <=> {path})"
    return f".where({where!r}).count()"


def key_in(finding: CompatibilityFinding, state: TableState) -> KeyState:
    """Return the key that a finding is about."""
    return next(key for key in state.keys if key.path == finding.path)


def _is_in_structs(state: TableState, path: ColumnPath) -> bool:
    """Whether a path leads through structs only, so SQL can name the column."""
    columns = state.columns
    for name in path.parts[:-1]:
        column = find(columns, [name])
        if column is None or not isinstance(column.data_type, StructState):
            return False
        columns = column.data_type.fields
    return True


def _null(finding: CompatibilityFinding, pair: StatePair) -> tuple[Row, ...] | None:
    return breaking_row(pair.old, "not null", str(finding.column), pair.new)


def _wider(finding: CompatibilityFinding, pair: StatePair) -> tuple[Row, ...] | None:
    row = unfit_row(pair.new, pair.old, finding.column)
    return None if row is None else (row,)


def _unchecked(finding: CompatibilityFinding, pair: StatePair) -> tuple[Row, ...] | None:
    return breaking_row(pair.old, "check", finding.path.partition(".")[2], pair.new)


def _repeated(finding: CompatibilityFinding, pair: StatePair) -> tuple[Row, ...] | None:
    key = key_in(finding, pair.old)
    return breaking_row(pair.old, key.kind, key.name, pair.new)


_FORBIDDEN_ROWS: Mapping[str, Callable[[CompatibilityFinding, StatePair], tuple[Row, ...] | None]] = {
    NullAllowed.__name__: _null,
    TypeWidened.__name__: _wider,
    CheckDropped.__name__: _unchecked,
    ConstraintKeyDropped.__name__: _repeated,
}

_OPTIONS: Mapping[StreamKind, str] = {
    "tracked": '.option("schemaTrackingLocation", folder + "/checkpoint/_schema")',
    "change-feed": '.option("readChangeFeed", "true")',
}
_CAUSE = 'str(error).split("exception: ")[-1][:80]'
_CONTINUES = "prints that it reads on"
_ENDS: Mapping[str, str] = {
    "breaking": "fails, and fails again when it is started again",
    "dangerous": "ends once, and reads on when it is started again",
}


def stream_jobs(finding: CompatibilityFinding, pair: StatePair, *, is_gone: bool) -> Iterator[Job]:
    """Yield what shows the effect of a finding on streams, by each kind of stream that meets it."""
    if finding.rule == AppendOnlyDisabled.__name__ and finding.role == "change-feed":
        yield _feed_job(finding, pair)
        return
    for kind in _kinds(finding, pair):
        yield _stream_job(finding, pair, kind, is_gone=is_gone)


def _feed_job(finding: CompatibilityFinding, pair: StatePair) -> Job:
    """Return a job that reads changes of a kind that the table never had; a stream does not fail over them."""
    first = made(pair.old, rows_of_state(pair.old))
    feed = 'spark.read.format("delta").option("readChangeFeed", "true").option("startingVersion", 0).load(path)'
    lines = [f'print(sorted(row[0] for row in {feed}.select("_change_type").distinct().collect()))']
    shows = ("prints insert", "prints delete, too")
    return Job(before=first, after=[*first, *_changes(finding, pair)], lines=lines, shows=shows)


def _stream_job(finding: CompatibilityFinding, pair: StatePair, kind: StreamKind, *, is_gone: bool) -> Job:
    read = f'spark.readStream.format("delta"){_OPTIONS.get(kind, "")}.load(path).writeStream.format("noop")'
    stream = f'{read}.option("checkpointLocation", folder + "/checkpoint")'
    first = made(pair.old, rows_of_state(pair.old))
    if is_gone:
        lines = [f"{stream}.start().processAllAvailable()", 'print("reads on")']
        return Job(before=first, after=[], lines=lines, shows=(_CONTINUES, "fails"))
    if kind == "lagging":
        # It was stopped with a row that it has not read.
        opening = [f"read = lambda: {stream}.trigger(availableNow=True).start().awaitTermination()", "read()"]
        unread, reads, again = [insertion(pair.old.columns, rows_of_state(pair.old, 1))], "read()", "read()"
    else:
        opening = [f"start = lambda: {stream}.start()", "stream = start(); stream.processAllAvailable()"]
        unread, reads, again = [], "stream.processAllAvailable()", "start().processAllAvailable()"
    last = rows_of_sides(pair, 2)
    is_restarted = finding.rule != AppendOnlyDisabled.__name__
    return Job(
        first=first,
        opening=opening,
        before=[*unread, insertion(pair.old.columns, last.before)],
        after=[*unread, *_changes(finding, pair), insertion(pair.new.columns, last.after)],
        lines=[
            f'try: {reads}; print("reads on")',
            f'except Exception as error: print("ends:", {_CAUSE}); {again}; print("reads on")',
        ],
        shows=(_CONTINUES, _ENDS.get(finding.verdict, _CONTINUES) if is_restarted else _ENDS["breaking"]),
    )


def _kinds(finding: CompatibilityFinding, pair: StatePair) -> Sequence[StreamKind]:
    """Return the kinds of streams of a role on which a change has the effect that was found."""
    kinds = STREAM_KINDS_OF[finding.role]
    if finding.verdict == "safe":
        return kinds
    plan = TablePlanner().plan_states([pair.new], CatalogState.of({pair.old.name: pair.old}))
    ends = {
        kind: {STREAM_VERDICTS[end.answer.answer] for action in plan.align_tables for end in stream_ends(action, kind)}
        for kind in kinds
    }
    return [kind for kind in kinds if finding.verdict in ends[kind]] or kinds[:1]


def _changes(finding: CompatibilityFinding, pair: StatePair) -> list[str]:
    changes = changes_in_place(pair)
    if finding.rule == AdditiveEvolution.__name__:
        return [*changes, f"ALTER TABLE {SCRIPT_TABLE} ADD COLUMNS ({UNDECLARED} INT)"]
    if finding.rule == AppendOnlyDisabled.__name__:
        return [*changes, f"DELETE FROM {SCRIPT_TABLE}"]  # noqa: S608 - no name
    if finding.rule == ChangeFeedDisabled.__name__ and finding.role == "change-feed" and not changes:
        # The contract does not declare it any more, so the next table has none.
        return [f"ALTER TABLE {SCRIPT_TABLE} SET TBLPROPERTIES ({literal(CHANGE_FEED)} = 'false')"]
    return changes


CATALOG_NAME = "witness"
"""The name under which the catalog of a session knows the table, for the methods that need one."""

_NAMED = f"""spark.sql(f"CREATE TABLE {CATALOG_NAME} USING delta LOCATION '{{path}}'")"""
_VIEW = 'rows.createOrReplaceTempView("rows")'
_REFUSED = ("writes the row", "fails")
_SEEN = ("prints the rows", "fails, or prints other rows")
_BROKEN: Mapping[str, str] = {
    NullForbidden.__name__: "not null",
    CheckAdded.__name__: "check",
}
"""The constraint that is new, by the kind of change."""

_SHIFTS = {ColumnMoved.__name__, ColumnOrderNotKept.__name__}


class _RowWrite(NamedTuple):
    """A row of the released contract, and how it is written."""

    options: WriteOptions | Merge
    columns: Sequence[ColumnState]
    row: Row
    shows_rows: bool = False
    """Whether the write succeeds before the change and after it, and the rows of the table differ."""


def writer_jobs(finding: CompatibilityFinding, pair: StatePair, *, is_gone: bool) -> Iterator[Job]:
    """Yield what shows the effect of a finding on writers, by each method that meets it."""
    stored = rows_of_sides(pair)
    before = made(pair.old, stored.before)
    after = [] if is_gone else made(pair.new, stored.after)
    for options, columns, values, shows_rows in _row_writes(finding, pair, stored, is_gone=is_gone):
        row = whole_row(pair.old, values)
        given = [column for column in columns if column.name in row]
        lines = [f"rows = {sql_call(frame_query(given, row))}", *_python_of(options, given, row)]
        if shows_rows:
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
    if finding.verdict != "safe" and finding.rule not in _BROKEN:
        refused = [*_changed_rows(finding, pair, stored, row)]
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
        row = distinct_row(pair.old)
    for write in writes_of(finding.role, pair.old):
        is_of_values = write.name != "DELETE" or finding.verdict == "safe"
        if is_of_values and predict(columns, pair.old, write.of(columns), NEWEST).accepted:
            yield _RowWrite(write.of(columns), columns, row, finding.rule in _SHIFTS)


def _changed_rows(finding: CompatibilityFinding, pair: StatePair, stored: StoredRows, row: Row) -> Iterator[_RowWrite]:
    """Yield the writes that the new table changes as a finding says, once each, with a row that shows it."""
    seen: set[str] = set()
    for write, columns, path, fault, _ in changed_writes(finding.role, pair, NEWEST):
        if write.name in seen or (fault in OTHER_ROWS) != (finding.verdict == "dangerous"):
            continue
        seen.add(write.name)
        given = _row_of_fault(fault, ColumnPath.parse(path) if path else TABLE, pair, stored, row)
        yield _RowWrite(write.of(columns), columns, given, fault in {*OTHER_ROWS, REPLACES, SWAPPED})


def _row_of_fault(fault: str, path: ColumnPath, pair: StatePair, stored: StoredRows, row: Row) -> Row:
    """Return the row with which a write has a fault."""
    if fault == REPLACES and pair.new.partitioning:
        # It belongs to a partition of the released table that has rows, and to a new one of the next table.
        return {**row, **{name: stored.before[name] for name in pair.old.partitioning if name in stored.before}}
    if fault in {UNFIT, ALTERED}:
        return unfit_row(pair.old, pair.new, path) or row
    if fault in {EMPTY, EMPTIED}:
        column = find(pair.old.columns, path)
        return {**row, path.root: b"" if column is not None and column.data_type == "binary" else ""}
    return distinct_row(pair.old) if fault in {SWAPPED, GENERATED} else row


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
        started = 'spark.readStream.format("delta").load(folder + "/source").writeStream.format("delta")'
        run = '.option("checkpointLocation", folder + "/checkpoint").trigger(availableNow=True).start(path)'
        return ['rows.write.format("delta").save(folder + "/source")', f"{started}{run}.awaitTermination()"]
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
    return [_VIEW, sql_call(insert_sql(options, SCRIPT_TABLE, "rows"))]


_ONLY_PROMISED = "the table stays as it is, and only the promise changes"

_NOT_PLAYED: Mapping[str, str] = {
    row.__name__: reason
    for row, reason in {
        AspectNotOwned: _ONLY_PROMISED,
        CollationChanged: "open-source Delta refuses collations (DELTA_UNSUPPORTED_DATA_TYPES, Delta 4.4.0)",
        OtherFormatDisabled: "a script has no reader of Iceberg or Hudi (documentation of Delta Lake: UniForm)",
        CommitsManagedByCatalog: "a table in a folder has no catalog (protocol of Delta: catalogManaged)",
        ConstraintKeyAdded: "Delta enforces no key, so the write succeeds before and after (Delta 4.4.0)",
        ConvertedToDelta: "no contract declares a table of parquet files (guide of the conversion)",
        RelyAdded: "only Databricks relies on keys (documentation of Databricks: RELY)",
        RelyKeyAdded: "only Databricks relies on keys (documentation of Databricks: RELY)",
        RetentionShortened: "nothing is removed before its time has passed (Delta 4.4.0)",
        SunsetMovedNearer: _ONLY_PROMISED,
    }.items()
}
"""The kinds of changes that no table of local Delta shows, with the source of their verdict."""


_OF_FEATURES = {row.__name__ for row in (FeatureEnabled, NullableColumnAdded, RequiredColumnAdded)}


def not_played(finding: CompatibilityFinding) -> str:  # noqa: PLR0911 - one for each reason
    """Return why local Delta cannot play what a finding is about; ``""`` if it can."""
    if finding.verdict == "not judged":
        return "it is not judged"
    if finding.role == "clients":
        return "clients are judged by the features that they know (page Compatibility of clients)"
    if finding.path.startswith("foreign_keys."):
        return "a script has one table, and Delta enforces no key (Delta 4.4.0)"
    if finding.role == "tracked-streams" and finding.rule == PartitioningChanged.__name__:
        return "only --delta-apply rewrites a table in place, and statements make another table of it (Delta 4.4.0)"
    if (finding.role, finding.verdict) == ("readers-by-path", "dangerous") and finding.rule in _OF_FEATURES:
        return "Spark reads the table features that it enables (page Compatibility of clients)"
    part, _, key = finding.path.partition(".")
    if part == "properties" and not is_open_source(key):
        return "open-source Delta refuses such a property (DELTA_UNKNOWN_CONFIGURATION, Delta 4.4.0)"
    return _NOT_PLAYED.get(finding.rule, "")
