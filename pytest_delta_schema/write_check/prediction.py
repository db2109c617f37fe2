"""The oracle: what Delta would answer to a write, from the two schemas alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_delta_schema.delta.features import is_on
from pytest_delta_schema.delta.type_widening import NEWEST
from pytest_delta_schema.errors import DeclarationError
from pytest_delta_schema.models.names import parse_name
from pytest_delta_schema.models.table import Table
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.state.states import TableState
from pytest_delta_schema.state.types import ColumnState, canonical_fields, describe_type
from pytest_delta_schema.write_check import findings
from pytest_delta_schema.write_check.dependencies import require_unused, stranded
from pytest_delta_schema.write_check.findings import Findings
from pytest_delta_schema.write_check.frames import reaching, widens, without_lengths
from pytest_delta_schema.write_check.method import APPEND, write_call
from pytest_delta_schema.write_check.schema_merge import merge, nullable
from pytest_delta_schema.write_check.storable_types import require_storable, require_values, require_written
from pytest_delta_schema.write_check.verdict import WriteVerdict

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

    from pytest_delta_schema.state.states import CatalogReader
    from pytest_delta_schema.write_check.method import WriteCall
    from pytest_delta_schema.write_check.schema_merge import Merge, Retyping

Columns = tuple[ColumnState, ...]

_APPEND_ONLY = "delta.appendOnly"


def check_write(  # noqa: PLR0913, PLR0917 - the settings of a writer
    df_or_schema: DataFrame | StructType,
    table: Table | TableState | str,
    via: str = "save",
    mode: str = "append",
    merge_schema: bool = False,  # noqa: FBT001, FBT002 - named as the option
    overwrite_schema: bool = False,  # noqa: FBT001, FBT002 - likewise
    auto_merge: bool = False,  # noqa: FBT001, FBT002 - likewise
    *,
    catalog: CatalogReader | None = None,
    version: tuple[int, int] = NEWEST,
) -> WriteVerdict:
    """Say what Delta would make of a write, without a JVM: accept it, change the table by it, or refuse it, and why.

    It answers as Delta does to the schemas, under default settings; whether values can be cast, are NULL or break a
    check, is seen by writing. Held against Delta 4.4.0 with Spark 4.2.0 in every combination below; answers for older
    versions follow their sources.

    Args:
        df_or_schema: What is written: a DataFrame, streaming ones included, or its schema.
        table: What it is written to: a model, as if its table were just made; a state that was observed; or the name of
            a table in ``catalog``.
        via: The call that writes: ``save`` (to a path), ``save_as_table``, ``insert_into``, ``write_to`` or
            ``write_stream``.
        mode: ``append`` or ``overwrite``.
        merge_schema: The writer's option ``mergeSchema``.
        overwrite_schema: The writer's option ``overwriteSchema``; without ``overwrite`` it has no effect on schemas.
        auto_merge: The session's setting ``spark.databricks.delta.schema.autoMerge.enabled``.
        catalog: Where a table that is given by its name is read.
        version: Delta's version, major and minor.

    Returns:
        The verdict; its findings come in the order in which Delta would meet them.

    Raises:
        DeclarationError: If an argument can never be meant.
        CatalogReadError: If the live table cannot be read, or is not there.
    """
    state = stored_state(table, catalog)
    call = write_call(
        via,
        mode,
        merge_schema=merge_schema,
        overwrite_schema=overwrite_schema,
        auto_merge=auto_merge,
        version=version,
    )
    schema: Any = getattr(df_or_schema, "schema", df_or_schema)
    fields = getattr(schema, "fields", None)
    if fields is None:
        msg = f"{state.name}: what is written is {df_or_schema!r}; give a DataFrame or its schema, a StructType"
        raise DeclarationError(msg)
    return judge(without_lengths(canonical_fields(fields)), state, call, overwrites=mode != APPEND)


def judge(frame: Columns, state: TableState, call: WriteCall, *, overwrites: bool) -> WriteVerdict:
    """Judge one write.

    Args:
        frame: The columns that are written.
        state: The table.
        call: The way they take.
        overwrites: Whether the rows that are there go.
    """
    found = Findings()
    columns = _after(frame, state, call, found)
    if overwrites and is_on(_APPEND_ONLY, state.table_properties):
        found.append(findings.append_only())
    accepted = not found
    return WriteVerdict(
        table=str(state.name),
        accepted=accepted,
        columns=columns if accepted else state.columns,
        findings=tuple(found),
        notes=tuple(found.notes) if accepted else (),
    )


def _after(frame: Columns, state: TableState, call: WriteCall, found: Findings) -> Columns:
    """Return the columns of the table after a write, and note why there is none."""
    found.extend(require_written(frame, call))
    query = reaching(frame, state, call, found)
    if query is None:
        return state.columns
    given = {column[0].lower(): column for column in query}
    valued = [column for column in state.columns if column[4] is not None]
    for column in valued:
        identity = column.value and column.value.identity
        if identity and identity.is_always and column.name.lower() in given:
            found.append(findings.given_identity(column.name))
    if call.replaces:
        return _replaced(query, state, found)
    if valued or state.checks:
        found.extend(require_unused(state, query))
    return _merged(query, given, state, call, found)


def _replaced(query: Columns, state: TableState, found: Findings) -> Columns:
    """Return the columns of a table whose schema is overwritten."""
    if not query:
        found.append(findings.nothing_to_store(()))
    found.extend(require_storable([((), column) for column in query], state))
    kept = {column.name.lower() for column in query}
    gone = ", ".join(column.name for column in state.columns if column.name.lower() not in kept)
    if gone:
        found.notes.append(f"columns go with all that they held: {gone}")
    loose = ", ".join(column.name for column in state.columns if not column.is_nullable and column.name.lower() in kept)
    if loose:
        found.notes.append(f"columns are no longer NOT NULL: {loose}")
    found.notes.extend(stranded(state, kept))
    if state.partitioning or state.clustering:
        found.notes.append("the layout of the table goes, unless the writer says it again (partitionBy, clusterBy)")
    return nullable(query)


def _merged(
    query: Columns, given: dict[str, ColumnState], state: TableState, call: WriteCall, found: Findings
) -> Columns:
    """Return the columns of a table into whose schema that of a frame is merged; ``given`` has the latter's by name."""
    merged = merge(state.columns, query, widens=widens(state), version=call.version)
    found.extend(findings.other_type(*each, casts=call.casts) for each in merged.conflicts)
    if not query and not call.fills:
        found.append(findings.no_columns())
    if call.merges:
        found.extend(require_storable([*merged.added, *map(_part, merged.retyped)], state))
        _note_changes(merged, found)
    else:
        found.extend(findings.extra_column(above, column, call.version) for above, column in merged.added)
        found.extend(findings.wider(*each, call.version) for each in merged.retyped)
    missing = [column for column in state.columns if column[0].lower() not in given]
    if missing or merged.has_nested:
        found.extend(require_values(given, merged.columns, state, call))
    found.notes.extend(f"{column.name} is not in the frame: {_filling(column)}" for column in missing)
    return merged.columns


def _note_changes(merged: Merge, found: Findings) -> None:
    for above, column in merged.added:
        name, kind = ".".join((*above, column.name)), describe_type(column.data_type)
        found.notes.append(f"{name} ({kind}) is added, nullable and last")
    for path, stored, given in merged.retyped:
        found.notes.append(f"{'.'.join(path)} becomes {describe_type(given)}; it was {describe_type(stored)}")


def _part(change: Retyping) -> tuple[tuple[str, ...], ColumnState]:
    """Return a retyped part as one that comes, with the path above it."""
    *above, name = change.path
    return tuple(above), ColumnState(name, change.given, is_nullable=True, comment="")


def _filling(column: ColumnState) -> str:
    default, generated, identity = column.value or (None, None, None)
    if generated is not None:
        return f"the table generates it as {generated}"
    if identity is not None:
        return "the table counts it"
    return f"it takes its default, {default}" if default is not None else "it is NULL"


def stored_state(table: Table | TableState | str, catalog: CatalogReader | None = None) -> TableState:
    """Return the state that is written to; see :func:`check_write`."""
    if isinstance(table, TableState):
        return table
    if isinstance(table, Table):
        return desired_state(table)
    if catalog is None:
        msg = f"table is {table!r}; give a Table, a TableState, or the name of a table together with catalog=..."
        raise DeclarationError(msg)
    name = parse_name(table)
    return catalog.read_tables([name]).existing(name)
