"""The job of a role: what it does with a table before the change, and with the same table after it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from string import Template
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
    from collections.abc import Iterator, Mapping, Sequence

    from pytest_delta_schema.compatibility.changes import StatePair
    from pytest_delta_schema.compatibility.judging import CompatibilityFinding
    from pytest_delta_schema.state.states import KeyState, TableState
    from pytest_delta_schema.state.types import ColumnState
    from pytest_delta_schema.witness.rows import Row, StoredRows
    from pytest_delta_schema.write_check.streams import StreamKind
    from pytest_delta_schema.write_check.verdict import Merge


class JobText(NamedTuple):
    """What a role does with the table: lines of Python, with a dollar before the names of values, and what it shows."""

    lines: str
    before: str
    """What is expected before the change."""
    after: str

    def filled(self, **values: str) -> JobText:
        """Return the text with its values, each of which is a piece of Python."""
        return self._replace(lines=Template(self.lines).substitute(values))


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """The parts of a script: statements that make a table, and what a role does with it.

    Lines of Python and statements name the folder of the table by :data:`FOLDER_OF_TABLE`.
    """

    before: Sequence[str]
    """The statements that lead to the table before the change."""
    after: Sequence[str]
    """The statements that lead to the table after it."""
    text: JobText
    first: Sequence[str] = ()
    """The statements that come first, whatever follows."""
    opening: str = ""
    """What the role does between these and the others."""


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


_UNLIKE = ("prints the columns and their values", "fails, or prints something else")
_READS = JobText("rows = $rows\nprint(rows.dtypes, [tuple(row) for row in rows.collect()])", *_UNLIKE)
_READS_BY_POSITION = JobText(
    "rows = $rows\nprint([kind for _, kind in rows.dtypes], [tuple(row) for row in rows.collect()])", *_UNLIKE
)
_COLLECTS = JobText("print($rows.collect())", *_UNLIKE)
_NAMES = JobText(
    "print([row.asDict()[$name] for row in $rows.collect()])", "prints its values", "fails with a KeyError"
)
_COUNTS = JobText(
    "print($rows$forbidden.count())", "prints 0: the contract allows no such row", "prints how many there are"
)
_LOOSENED = {row.__name__ for row in (NullAllowed, TypeWidened, CheckDropped, ConstraintKeyDropped)}
_ADDED, _REMOVED = AdditiveEvolution.__name__, AppendOnlyDisabled.__name__
_ALLOWED: Mapping[str, JobText] = {
    _ADDED: JobText("print($rows.columns)", "prints the columns of the contract", "prints one more"),
    _REMOVED: JobText(
        "print($rows.count())", "prints 1: the row stays, a DELETE is refused", "prints 0: it was removed"
    ),
}
"""What readers see of a statement that the next contract allows, by the kind of change."""

_ALLOWED_STATEMENTS: Mapping[str, str] = {
    _ADDED: f"ALTER TABLE {SCRIPT_TABLE} ADD COLUMNS (added_by_a_job INT)",
    _REMOVED: f"DELETE FROM {SCRIPT_TABLE}",  # noqa: S608 - no name
}


def reader_jobs(finding: CompatibilityFinding, pair: StatePair, *, is_gone: bool) -> Iterator[Job]:
    """Yield what shows the effect of a finding on readers; nothing if no row does."""
    rows, rule = rows_of_sides(pair), "" if is_gone or finding.verdict == "safe" else finding.rule
    if rule == PartitioningChanged.__name__:
        moved = {*map(folded, pair.new.partitioning)}.difference(map(folded, pair.old.partitioning))
        moving = [column for column in pair.old.columns if folded(column.name) in moved]
        texts = {column.name: "" for column in moving if plain(column.data_type) == "string"}
        before, after = (made(state, {**rows.before, **texts}) for state in pair)
    else:
        before = made(pair.old, rows.before)
        after = [] if is_gone else made(pair.new, rows.after)
    if rule in _LOOSENED:
        forbidden = _forbidden_rows(rule, finding, pair)
        if forbidden is None:
            return
        kept = after[:1] if rule == ConstraintKeyDropped.__name__ else after
        after = [*kept, *(insertion(pair.new.columns, row) for row in forbidden)]
    elif rule in _ALLOWED:
        after.append(_ALLOWED_STATEMENTS[rule])
    yield Job(before=before, after=after, text=_reading(rule, finding, pair.old))


def _reading(  # noqa: PLR0911 - one for each kind of change
    rule: str, finding: CompatibilityFinding, old: TableState
) -> JobText:
    """Return how readers meet a kind of change, or how they read all columns."""
    if rule == FieldAdded.__name__:
        # A struct of the released contract in an expression with the one of the table.
        root = find(old.columns, [finding.column.root])
        assert root is not None  # noqa: S101 - the struct is older than the field
        name = identifier(root.name)
        value = f"coalesce({name}, CAST(NULL AS {type_sql(root.data_type)})) AS {name}"
        return _COLLECTS.filled(rows=_frame(finding, value))
    if rule == FieldOrderChanged.__name__:
        name = identifier(finding.column.root)
        return _COLLECTS.filled(rows=_frame(finding, f"to_json({name}) AS {name}"))
    if rule == ColumnRespelled.__name__:
        return _NAMES.filled(name=repr(finding.column.root), rows=_frame(finding))
    if rule in _ALLOWED:
        return _ALLOWED[rule].filled(rows=_frame(finding))
    forbidden = _forbidden(rule, finding, old) if rule in _LOOSENED else None
    if forbidden is not None:
        return _COUNTS.filled(rows=_frame(finding), forbidden=forbidden)
    if finding.role == "readers-by-position":
        return _READS_BY_POSITION.filled(rows=_frame(finding))
    names = [
        f"{'.'.join(map(identifier, path))} AS {identifier('_'.join(path))}" if len(path) > 1 else identifier(path[0])
        for path in leaves(old.columns)
    ]
    return _READS.filled(rows=_frame(finding, *names))


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


def _frame(finding: CompatibilityFinding, *selected: str) -> str:
    """Return the Python that reads expressions of the table, or all columns, by its path or as SQL."""
    if finding.role == "readers-by-path":
        loaded = 'spark.read.format("delta").load(path)'
        return f"{loaded}.selectExpr({', '.join(map(repr, selected))})" if selected else loaded
    return sql_call(f"SELECT {', '.join(selected) or '*'} FROM {SCRIPT_TABLE}")  # noqa: S608 - quoted


def _forbidden(rule: str, finding: CompatibilityFinding, old: TableState) -> str | None:
    """Return the Python that keeps rows which the released contract does not allow; ``None`` if SQL cannot."""
    if rule == ConstraintKeyDropped.__name__:
        names = ", ".join(repr(identifier(name)) for name in key_in(finding, old).columns)
        return f".groupBy({names}).count().where('count > 1')"
    if rule == CheckDropped.__name__:
        check = next(check for check in old.checks if finding.path == f"checks.{check.name}")
        return f".where({f'NOT coalesce({condition(check.expression)}, false)'!r})"
    column, path = find(old.columns, finding.column), path_sql(finding.column)
    # SQL names no column in a collection.
    is_named = any(ColumnPath(*leaf) == finding.column for leaf in leaves(old.columns))
    if column is None or not isinstance(column.data_type, str) or not is_named:
        return None
    sized = SIZED.fullmatch(column.data_type)
    if rule == NullAllowed.__name__:
        where = f"{path} IS NULL"
    elif sized is not None and sized[1] != "decimal":
        where = f"length({path}) > {sized[2]}"
    else:
        where = f"NOT (try_cast({path} AS {type_sql(column.data_type)}) <=> {path})"
    return f".where({where!r})"


def key_in(finding: CompatibilityFinding, state: TableState) -> KeyState:
    """Return the key that a finding is about."""
    return next(key for key in state.keys if key.path == finding.path)


def _forbidden_rows(rule: str, finding: CompatibilityFinding, pair: StatePair) -> tuple[Row, ...] | None:
    """Return rows that the released contract does not allow, and the next one does; ``None`` if none are known."""
    if rule == TypeWidened.__name__:
        row = unfit_row(pair.new, pair.old, finding.column)
        return None if row is None else (row,)
    kind, name = "check", finding.path.partition(".")[2]
    if rule == NullAllowed.__name__:
        kind, name = "not null", str(finding.column)
    elif rule == ConstraintKeyDropped.__name__:
        key = key_in(finding, pair.old)
        kind, name = key.kind, key.name
    return breaking_row(pair.old, kind, name, pair.new)


_OPTIONS: Mapping[StreamKind, str] = {
    "tracked": '.option("schemaTrackingLocation", folder + "/checkpoint/_schema")',
    "change-feed": '.option("readChangeFeed", "true")',
}
_STREAM = (
    'spark.readStream.format("delta")$options.load(path).writeStream.format("noop")'
    '.option("checkpointLocation", folder + "/checkpoint")'
)
_OPENS = f"start = lambda: {_STREAM}.start()\nstream = start(); stream.processAllAvailable()"
_OPENS_LAGGING = f"read = lambda: {_STREAM}.trigger(availableNow=True).start().awaitTermination()\nread()"
_CONTINUES = "prints that it reads on"
_READS_ON = """\
try: $reads; print("reads on")
except Exception as error: print("ends:", str(error).split("exception: ")[-1][:80]); $again; print("reads on")"""
_READS_GONE = JobText(f'{_STREAM}.start().processAllAvailable()\nprint("reads on")', _CONTINUES, "fails")
_READS_FEED = JobText(
    'print(sorted(row[0] for row in spark.read.format("delta").option("readChangeFeed", "true")'
    '.option("startingVersion", 0).load(path).select("_change_type").distinct().collect()))',
    "prints insert",
    "prints delete, too",
)
_ENDS: Mapping[str, str] = {
    "breaking": "fails, and fails again when it is started again",
    "dangerous": "ends once, and reads on when it is started again",
}


def stream_jobs(finding: CompatibilityFinding, pair: StatePair, *, is_gone: bool) -> Iterator[Job]:
    """Yield what shows the effect of a finding on streams, by each kind of stream that meets it."""
    first = made(pair.old, rows_of_state(pair.old))
    if finding.rule == _REMOVED and finding.role == "change-feed":
        # The feed has changes of a kind that the table never had; a stream does not fail over them.
        yield Job(before=first, after=[*first, *_changes(finding, pair)], text=_READS_FEED)
        return
    for kind in _kinds(finding, pair):
        options = _OPTIONS.get(kind, "")
        if is_gone:
            yield Job(before=first, after=[], text=_READS_GONE.filled(options=options))
            continue
        # A stream that lags was stopped with a row that it has not read.
        lags = kind == "lagging"
        unread = [insertion(pair.old.columns, rows_of_state(pair.old, 1))] if lags else []
        last = rows_of_sides(pair, 2)
        ends = _ENDS["breaking"] if finding.rule == _REMOVED else _ENDS.get(finding.verdict, _CONTINUES)
        reads, again = "stream.processAllAvailable()", "start().processAllAvailable()"
        yield Job(
            first=first,
            opening=Template(_OPENS_LAGGING if lags else _OPENS).substitute(options=options),
            before=[*unread, insertion(pair.old.columns, last.before)],
            after=[*unread, *_changes(finding, pair), insertion(pair.new.columns, last.after)],
            text=JobText(_READS_ON, _CONTINUES, ends).filled(
                reads="read()" if lags else reads, again="read()" if lags else again
            ),
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
    if finding.rule in _ALLOWED:
        return [*changes, _ALLOWED_STATEMENTS[finding.rule]]
    if finding.rule == ChangeFeedDisabled.__name__ and finding.role == "change-feed" and not changes:
        # The contract does not declare it any more, so the next table has none.
        return [f"ALTER TABLE {SCRIPT_TABLE} SET TBLPROPERTIES ({literal(CHANGE_FEED)} = 'false')"]
    return changes


CATALOG_NAME = "witness"
"""The name under which the catalog of a session knows the table, for the methods that need one."""

_NAMED = f"""spark.sql(f"CREATE TABLE {CATALOG_NAME} USING delta LOCATION '{{path}}'")\n"""
_VIEW = 'rows.createOrReplaceTempView("rows")\n'
_WRITES: Mapping[str, str] = {
    "insert_into": f'{_NAMED}rows.write$dynamic.insertInto("{CATALOG_NAME}", overwrite=$overwrites)',
    "merge": f"{_VIEW}$statement",
    "delete": "$statement",
    "save": 'rows.write.format("delta").mode($mode)$dynamic$partitions.save(path)',
    "save_as_table": (
        f'{_NAMED}rows.write.format("delta").mode($mode)$dynamic$partitions.saveAsTable("{CATALOG_NAME}")'
    ),
    "sql_insert": f"{_VIEW}$statement",
    "update": "$statement",
    "write_stream": (
        'rows.write.format("delta").save(folder + "/source")\n'
        'spark.readStream.format("delta").load(folder + "/source").writeStream.format("delta")'
        '.option("checkpointLocation", folder + "/checkpoint").trigger(availableNow=True).start(path)'
        ".awaitTermination()"
    ),
    "write_to": "rows.writeTo($table).append()",
}
"""How ``rows`` are written, by method."""

_REFUSED = JobText('rows = $rows\n$write\nprint("written")', "writes the row", "fails")
_SEEN = JobText(
    "rows = $rows\n$write\nprint(sorted(map(str, $read.collect())))", "prints the rows", "fails, or prints other rows"
)
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
        names = ", ".join(identifier(column.name) for column in pair.old.columns)
        text = (_SEEN if shows_rows else _REFUSED).filled(
            rows=sql_call(frame_query(given, row)),
            write=_python_of(options, given, row),
            read=sql_call(f"SELECT {names} FROM {SCRIPT_TABLE}"),  # noqa: S608 - quoted
        )
        yield Job(before=before, after=after, text=text)


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


def _python_of(options: WriteOptions | Merge, columns: Sequence[ColumnState], row: Row) -> str:
    """Return the Python that writes ``rows`` by a method."""
    if not isinstance(options, WriteOptions):
        return Template(_WRITES["merge"]).substitute(statement=_statement(options, columns, row))
    partitions = ", ".join(map(repr, options.partition_by))
    return Template(_WRITES[options.method]).substitute(
        dynamic='.option("partitionOverwriteMode", "dynamic")' if options.dynamic_partitions else "",
        mode=repr(options.mode),
        overwrites=options.mode == "overwrite",
        partitions=f".partitionBy({partitions})" if partitions else "",
        statement=_statement(options, columns, row),
        table=python_text(SCRIPT_TABLE),
    )


def _statement(options: WriteOptions | Merge, columns: Sequence[ColumnState], row: Row) -> str:
    """Return the Python that runs a statement of a method that is SQL."""
    if not isinstance(options, WriteOptions):
        clause = "true WHEN MATCHED THEN UPDATE SET *" if options.matched else "false WHEN NOT MATCHED THEN INSERT *"
        return sql_call(f"MERGE INTO {SCRIPT_TABLE} AS t USING rows AS s ON {clause}")
    if options.method == "update":
        values = ", ".join(
            f"{identifier(column.name)} = {value_sql(row[column.name], column.data_type)}" for column in columns
        )
        return sql_call(f"UPDATE {SCRIPT_TABLE} SET {values}")  # noqa: S608 - quoted
    if options.method == "delete":
        return sql_call(_ALLOWED_STATEMENTS[_REMOVED])
    return sql_call(insert_sql(options, SCRIPT_TABLE, "rows"))


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
