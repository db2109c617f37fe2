"""Predict what Delta does with a write from the schemas of the frame and the table."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.delta import NEWEST
from pytest_delta_schema.delta.names import TABLE, ColumnPath, NameMap, NameSet, same_names
from pytest_delta_schema.delta.protocol import APPEND_ONLY, is_on
from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.models.arguments import refuse_kind
from pytest_delta_schema.models.names import parse_name
from pytest_delta_schema.models.table import Table
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.state.expressions import columns_in
from pytest_delta_schema.state.spark_types import canonical_fields
from pytest_delta_schema.state.states import TableState, require_reader
from pytest_delta_schema.state.types import (
    ArrayState,
    ColumnState,
    MapState,
    StructState,
    children,
    describe_type,
    plain,
)
from pytest_delta_schema.write_check import findings
from pytest_delta_schema.write_check.findings import Collector, lacks_insert_evolution, mismatch_condition
from pytest_delta_schema.write_check.schemas import NO_CAST, NewPart, merge_schemas, nullable
from pytest_delta_schema.write_check.statements import (
    columns_after_merge,
    delete_faults,
    duplicate_paths,
    insert_faults,
    listed_columns,
    update_faults,
)
from pytest_delta_schema.write_check.values import (
    Caster,
    fits_without_cast,
    has_widening,
    note_broken_checks,
    note_lengths,
    note_places,
    require_storable,
    require_unused,
    require_values,
    require_written,
)
from pytest_delta_schema.write_check.verdict import (
    DEFAULT_OPTIONS,
    Merge,
    WriteOptions,
    WriteVerdict,
    require_options,
    require_version,
    takes_frame,
    write_semantics,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.state.states import CatalogReader
    from pytest_delta_schema.state.types import DataTypeState
    from pytest_delta_schema.write_check.schemas import MergedSchema
    from pytest_delta_schema.write_check.verdict import WriteSemantics


Columns = tuple[ColumnState, ...]

IN_ANALYSIS = ("IllegalArgumentException", "_LEGACY_ERROR_TEMP_3060")
"""What ``saveAsTable`` raises for ``partitionBy``, before Delta looks at the table."""

_IN_DATA, _IN_UPDATE, _IN_READING = (
    f"DELTA_DUPLICATE_COLUMNS_FOUND.{part}" for part in ("DATA", "METADATA_UPDATE", "READ_SCHEMA")
)


def predict_write(
    table: Table | TableState | str,
    frame: DataFrame | StructType | None,
    options: WriteOptions | Merge = DEFAULT_OPTIONS,
    *,
    catalog: CatalogReader | None = None,
    version: tuple[int, int] = NEWEST,
) -> WriteVerdict:
    """Predict what Delta does with a write.

    Args:
        table: A model, a state, or a dotted name that ``catalog`` reads.
        frame: A frame, or its schema; ``None`` for a DELETE.
        options: How the frame is written, or a MERGE.
        catalog: Reads the table if only its name is given.
        version: The version of Delta Lake, as major and minor number.

    Returns:
        The verdict; its findings are in the order in which Delta checks them.
    """
    require_options(options)
    state = stored_state(table, catalog)
    require_version(version)
    return predict(_given_columns(frame, options, state), state, options, version)


def predict(frame: Columns, state: TableState, options: WriteOptions | Merge, version: tuple[int, int]) -> WriteVerdict:
    """Predict what Delta does with one write."""
    collector = Collector(table=str(state.name))
    replaces = ""
    if isinstance(options, Merge):
        merged = columns_after_merge(frame, state, options, version, collector)
        if merged.added or merged.retyped:
            collector.findings.extend(require_storable(_changed_parts(merged), state))
            _note_merge(merged, collector)
        columns = merged.columns
    elif options.method in {"update", "delete"}:
        columns = state.columns
        if options.method == "update":
            update_faults(frame, state, collector)
        else:
            delete_faults(state, collector)
    else:
        columns = _columns_written(frame, state, options, version, collector)
        replaces = replaced_rows(state, options)
    accepted = not collector.findings
    return WriteVerdict(
        table=collector.table,
        accepted=accepted,
        columns=columns if accepted else state.columns,
        findings=collector.diagnostics(),
        notes=tuple(collector.notes) if accepted else (),
        replaces=replaces if accepted else "",
    )


def stored_state(table: Table | TableState | str, catalog: CatalogReader | None = None) -> TableState:
    """Return the state of a table."""
    if isinstance(table, TableState):
        return table
    if isinstance(table, Table):
        return desired_state(table)
    if catalog is None:
        msg = f"table is {table!r}; give a Table, a TableState, or the name of a table together with catalog=..."
        raise DeclarationError(msg)
    if not isinstance(table, str):
        refuse_kind("a write", "a Table, a TableState, or the name of a table", table, "give one of them")
    name = parse_name(table)
    require_reader(catalog, "catalog=")
    return catalog.read_tables([name]).existing(name)


def _given_columns(frame: Any, options: WriteOptions | Merge, state: TableState) -> Columns:
    """Return the columns of a frame or of its schema; a DELETE has none."""
    if not takes_frame(options, frame):
        return ()
    fields = getattr(getattr(frame, "schema", frame), "fields", None)
    if fields is None:
        msg = f"{state.name}: what is written is {frame!r}; give a DataFrame or its schema, a StructType"
        raise DeclarationError(msg)
    return frame_columns(canonical_fields(fields))


def frame_columns(columns: Columns) -> Columns:
    """Return columns with string instead of char and varchar, as frames have them."""
    if not any(_has_lengths(column.data_type) for column in columns):
        return columns
    return tuple(column._replace(data_type=_without_lengths(column.data_type)) for column in columns)


@lru_cache(maxsize=1024)
def _has_lengths(data_type: DataTypeState) -> bool:
    if isinstance(data_type, str):
        return plain(data_type) != data_type
    return any(_has_lengths(part.data_type) for part in children(data_type))


def _without_lengths(data_type: DataTypeState) -> DataTypeState:
    if isinstance(data_type, StructState):
        return StructState(frame_columns(data_type.fields))
    if isinstance(data_type, ArrayState):
        return data_type._replace(element=_without_lengths(data_type.element))
    if isinstance(data_type, MapState):
        return data_type._replace(key=_without_lengths(data_type.key), value=_without_lengths(data_type.value))
    return plain(data_type)


def _columns_written(
    frame: Columns, state: TableState, options: WriteOptions, version: tuple[int, int], collector: Collector
) -> Columns:
    """Return the columns of the table after a frame is written to it, and collect the findings and notes."""
    semantics = write_semantics(options, version)
    unknown = lacks_insert_evolution(version) if options.evolves else None
    if unknown is not None:
        collector.findings = [unknown]
        return state.columns
    given: Columns | None = frame
    if options.by not in ("position", "name"):
        given = listed_columns(frame, options.by, state, collector)
    columns = state.columns if given is None else _columns_after(given, state, semantics, collector)
    layout = list(partition_faults(frame, state, options, version))
    removes = options.mode == "overwrite" and is_on(APPEND_ONLY, state.table_properties)
    removal = [findings.append_only()] if removes else []
    rows = list(replace_where_faults(state, options))
    schema = collector.findings
    if options.method in {"write_to", "sql_insert"}:
        collector.findings = [*rows, *schema, *removal]
    elif any(fault.code in IN_ANALYSIS for fault in layout) or semantics.casts:
        collector.findings = [*layout, *schema, *removal, *rows]
    else:
        collector.findings = [*removal, *layout, *schema, *rows]
    return columns


def replaced_rows(state: TableState, options: WriteOptions) -> str:
    """Return which rows of a table a write replaces, in words; ``""`` for a write that only adds rows."""
    if options.mode == "append":
        return ""
    if options.replace_where is not None:
        return f"the rows where {options.replace_where}"
    if options.dynamic_partitions and state.partitioning and not options.overwrite_schema:
        return f"the partitions by {', '.join(state.partitioning)} that the frame has rows for"
    return "all rows"


def replace_where_faults(state: TableState, options: WriteOptions) -> Iterator[Diagnostic]:
    """Yield the findings about the condition of an overwrite."""
    if options.replace_where is None:
        return
    if options.dynamic_partitions and state.partitioning and options.method != "sql_insert":
        yield findings.condition_and_partitions()
    known = NameSet.of(state.columns)
    unknown = [name for name in columns_in(options.replace_where) if name not in known]
    if unknown:
        yield findings.unresolved_condition(options.replace_where, unknown)


def partition_faults(
    frame: tuple[ColumnState, ...], state: TableState, options: WriteOptions, version: tuple[int, int]
) -> Iterator[Diagnostic]:
    """Yield the findings about ``partitionBy``."""
    if not options.partition_by:
        return
    wanted, stored = options.partition_by, state.partitioning
    by_table_name = options.method == "save_as_table"
    given = NameSet.of(frame)
    unknown = [name for name in wanted if name not in given]
    if by_table_name and options.mode == "append":
        if tuple(wanted) != tuple(stored):
            yield findings.other_partitioning(wanted, stored, IN_ANALYSIS[0])
    elif unknown:
        condition = IN_ANALYSIS[1] if by_table_name else "DELTA_PARTITION_COLUMN_NOT_FOUND"
        yield findings.unknown_partition_columns(unknown, condition)
    elif not same_names(wanted, stored) and not (options.overwrite_schema and options.mode == "overwrite"):
        yield findings.other_partitioning(wanted, stored, mismatch_condition(version))


def _columns_after(frame: Columns, state: TableState, semantics: WriteSemantics, collector: Collector) -> Columns:
    """Return the columns of the table after a write, and collect the findings and notes."""
    collector.findings.extend(require_written(frame, semantics))
    received = resolve(frame, state, semantics, collector)
    if received is None:
        return state.columns
    given = NameMap.of(received)
    generated = [column for column in state.columns if column.value is not None]
    for column in generated:
        identity = column.value and column.value.identity
        if identity and identity.is_always and column.name in given:
            collector.findings.append(findings.explicit_identity_insert(column.name))
    if semantics.replaces_schema:
        return _replaced(received, state, collector)
    if generated or state.checks:
        collector.findings.extend(require_unused(state, received))
    return _merged(received, given, state, semantics, collector)


def resolve(frame: Columns, state: TableState, semantics: WriteSemantics, collector: Collector) -> Columns | None:
    """Return the columns of a frame as Delta receives them; ``None`` if the write is refused before."""
    by_position, width = semantics.by_position, len(state.columns)
    names_match = (
        by_position
        and len(frame) >= width
        and all(column.name == other.name for column, other in zip(frame, state.columns, strict=False))
    )
    twice = duplicate_paths(frame)
    nested = all("." in path for path in twice)
    condition = _duplicates_condition(semantics, names_match=names_match, nested=nested) if twice else None
    if condition is not None:
        collector.findings.append(findings.duplicate_column(twice, condition))
        return None
    if not semantics.casts:
        return frame
    matches_names = semantics.method == "sql_insert" and not by_position
    if matches_names and (faults := list(insert_faults(frame, state, semantics))):
        collector.findings.extend(faults)
        return None
    return _cast(frame, state, semantics, collector, names_match=names_match)


def _cast(
    frame: Columns, state: TableState, semantics: WriteSemantics, collector: Collector, *, names_match: bool
) -> Columns | None:
    """Return the columns of a frame with the types of the table; ``None`` if the write is refused before."""
    by_position = semantics.by_position
    may_widen = semantics.merges_schema and has_widening(state)
    fits = False
    if names_match or (semantics.method == "sql_insert" and not by_position):
        given = NameSet.of(frame)
        columns = state.columns if by_position else [column for column in state.columns if column.name in given]
        fits = fits_without_cast(columns, frame, semantics, widens=may_widen)
    if fits and (by_position or semantics.inserts_by_name):
        return frame
    before = len(collector.findings)
    # An INSERT that lists its columns and casts nothing puts the fields of structs in their order, and not those in
    # arrays and maps (Delta 4.4.0).
    caster = Caster(semantics, widens=may_widen, keeps_inside=fits, collector=collector)
    query = caster.cast(frame, state.columns)
    if by_position or semantics.method == "sql_insert":
        # Delta raises for columns that it cannot match while it adds the casts; Spark checks the casts after that.
        refused = collector.findings[before:]
        collector.findings[before:] = sorted(refused, key=lambda finding: finding.code.startswith(NO_CAST))
        if by_position and refused:
            return None
    if by_position and (twice := duplicate_paths(query)):
        collector.findings.append(
            findings.duplicate_column(twice, _IN_UPDATE if semantics.replaces_schema else _IN_DATA)
        )
        return None
    return query


def _duplicates_condition(semantics: WriteSemantics, *, names_match: bool, nested: bool) -> str | None:
    """Return the error condition of duplicate names; ``None`` if columns are matched by position."""
    if semantics.by_position:
        return _IN_READING if names_match and nested else None
    if semantics.method == "write_stream":
        return "COLUMN_ALREADY_EXISTS"
    if semantics.casts:
        return _IN_READING
    if semantics.method == "save_as_table":
        return "COLUMN_ALREADY_EXISTS"
    return _IN_UPDATE if semantics.replaces_schema else _IN_DATA


def _replaced(received: Columns, state: TableState, collector: Collector) -> Columns:
    """Return the columns of a table whose schema is overwritten."""
    if not received:
        collector.findings.append(findings.no_columns("DELTA_CANNOT_WRITE_EMPTY_SCHEMA.TABLE_NO_COLUMNS"))
    collector.findings.extend(require_storable([NewPart(parent=TABLE, column=column) for column in received], state))
    kept = NameSet.of(received)
    dropped = ", ".join(column.name for column in state.columns if column.name not in kept)
    if dropped:
        collector.note("", f"columns are dropped with their data: {dropped}")
    not_null = [column.name for column in state.columns if not column.is_nullable and column.name in kept]
    if not_null:
        collector.note("", f"columns are no longer NOT NULL: {', '.join(not_null)}")
    note_broken_checks(state, kept, collector)
    if state.partitioning or state.clustering:
        collector.note("", "the table loses its layout, unless the writer repeats it (partitionBy, clusterBy)")
    return nullable(received)


def _merged(
    received: Columns,
    given: NameMap[ColumnState],
    state: TableState,
    semantics: WriteSemantics,
    collector: Collector,
) -> Columns:
    """Return the columns of a table merged with those of a frame, which ``given`` has by name."""
    merged = merge_schemas(state.columns, received, widens=has_widening(state), version=semantics.version)
    refused = collector.findings
    refused.extend(findings.type_mismatch(conflict, casts=semantics.casts) for conflict in merged.conflicts)
    if not received and not semantics.fills_missing:
        refused.append(findings.no_columns())
    if semantics.merges_schema:
        refused.extend(require_storable(_changed_parts(merged), state))
        _note_merge(merged, collector)
    else:
        refused.extend(findings.extra_column(part, semantics.version) for part in merged.added)
        refused.extend(findings.wider_type(difference, semantics.version) for difference in merged.retyped)
    missing = [column for column in state.columns if column.name not in given]
    if missing or merged.compares_types:
        refused.extend(require_values(given, merged.columns, state, semantics))
    for column in missing:
        collector.note(column.name, f"{column.name} is not in the frame: {findings.filled_by(column)}")
    note_lengths([column for column in state.columns if column.name in given], TABLE, collector)
    for column in state.columns:
        if column.name in given:
            note_places(given[column.name].data_type, column.data_type, ColumnPath(column.name), collector)
    return merged.columns


def _note_merge(merged: MergedSchema, collector: Collector) -> None:
    for part in merged.added:
        collector.note(
            str(part.path), f"{part.path} ({describe_type(part.column.data_type)}) is added, nullable and last"
        )
    for difference in merged.retyped:
        stored, given = describe_type(difference.stored), describe_type(difference.given)
        collector.note(str(difference.path), f"{difference.path} becomes {given}; it was {stored}")


def _changed_parts(merged: MergedSchema) -> list[NewPart]:
    """Return the columns and fields that a write adds, or stores with another type."""
    retyped = [
        NewPart(
            parent=difference.path.parent,
            column=ColumnState(difference.path.name, difference.given, is_nullable=True, comment=""),
        )
        for difference in merged.retyped
    ]
    return [*merged.added, *retyped]
