"""Check that a schema of the catalog holds no table that no model declares."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from pytest_delta_schema.delta.names.folded_names import folded
from pytest_delta_schema.diagnostics.diagnostic_builders import diagnostic_of, diagnostics_of
from pytest_delta_schema.diagnostics.errors import DeltaSchemaError
from pytest_delta_schema.engine.outcomes.outcome import CheckKind, Status, TableOutcome

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_delta_schema.engine.gate import Gate
    from pytest_delta_schema.models.declared_at import DeclaredAt


class UnmanagedTable:
    """A schema with declared tables holds a table that no model declares.

    The setting ``unmanaged`` decides whether that fails a gate or is a note. Nothing is ever dropped for it.

    Remedy: Declare the table, exclude it with the setting ``unmanaged_ignore``, or drop it by hand.

    Example:
        dev.silver holds 1 table that no model declares: dev.silver.orders_backup
    """

    code = "DD301"


def check_schema(
    schema: tuple[str, str], gate: Gate, *, ignored: Iterable[str], fails: bool, origin: DeclaredAt
) -> TableOutcome:
    """Compare the tables of a schema with all declared tables that map to it.

    Names are those of models. An undeclared table is drift if it ``fails``, and a note otherwise. ``origin`` is the
    declaration of the first table in the schema.
    """
    name = ".".join(schema)
    location = origin.location
    try:
        tables = _undeclared(schema, gate, ignored)
    except DeltaSchemaError as error:
        return TableOutcome(
            table=name,
            check=CheckKind.UNMANAGED,
            status=Status.FAILED,
            diagnostics=diagnostics_of(error, name),
            failure=str(error),
            location=location,
        )
    number = "1 table" if len(tables) == 1 else f"{len(tables)} tables"
    message = f"holds {number} that no model declares: {', '.join(tables)}"
    diagnostic = diagnostic_of(UnmanagedTable, name, message, severity="error" if fails else "note", location=location)
    diagnostics = (diagnostic,) if tables else ()
    return TableOutcome(
        table=name,
        check=CheckKind.UNMANAGED,
        status=Status.DRIFTED if diagnostics and fails else Status.IN_SYNC,
        diagnostics=diagnostics if fails else (),
        notes=() if fails else diagnostics,
        location=location,
    )


def _undeclared(schema: tuple[str, str], gate: Gate, ignored: Iterable[str]) -> list[str]:
    bound, declared = gate.declarations.bound, gate.declarations.tables
    tables = {name: bound(table).name for name, table in declared.items()}
    schemas = {mapped[:2] for name, mapped in tables.items() if name[:2] == schema}
    known = set(tables.values())
    names = [str(name) for mapped in sorted(schemas) for name in gate.catalog.table_names(*mapped) if name not in known]
    patterns = [*map(folded, ignored)]
    return [name for name in names if not any(fnmatchcase(name, pattern) for pattern in patterns)]
