"""Models from DDL, and DDL from models."""

from __future__ import annotations

import gc
import logging
from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pytest_delta_schema.diagnostics.errors import DdlError, DeclarationError, Diagnostic
from pytest_delta_schema.exchange.definitions import DdlReading
from pytest_delta_schema.exchange.statements import read_statements
from pytest_delta_schema.models.arguments import kind_fault, refuse
from pytest_delta_schema.models.sets import dependency_groups
from pytest_delta_schema.models.table import required_tables
from pytest_delta_schema.plan.planner import TablePlanner
from pytest_delta_schema.progress import LOGGER
from pytest_delta_schema.sql.compiler import script, statements
from pytest_delta_schema.sql.statement import StatementKind
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.state.states import MalformedPropertyError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.sql.statement import Statement

_LOG = logging.getLogger(LOGGER)


def from_ddl(text: str, *, catalog_name: str = "", schema_name: str = "", skip_other: bool = False) -> list[Table]:
    """Return the models of the tables that the statements of a script declare.

    Read are ``CREATE TABLE``, ``ALTER TABLE ... ADD``, ``SET`` and ``ALTER COLUMN``, and ``COMMENT ON``: the SQL of
    snapshots, what Databricks' ``SHOW CREATE TABLE`` shows, and what people write. Whatever has no meaning in a model,
    such as a location or a row filter, is logged as a warning. Expressions are kept as they are written. A
    table without ``USING`` is a Delta table, as on Databricks.

    Args:
        text: Statements with semicolons between them, or the source of a Databricks notebook in SQL.
        catalog_name: The catalog of tables whose names have no such part; without it they are refused.
        schema_name: The schema of tables whose names have no such part.
        skip_other: Whether statements that declare nothing, such as ``INSERT`` or ``GRANT``, are logged and skipped.

    Returns:
        The models, in the order of their statements.

    Raises:
        DdlError: If something is not understood, or is not part of a declaration, such as ``INSERT``: with a
            diagnostic for each, by the number and line of its statement.
        DeclarationError: If an argument is not a string.
    """
    given: dict[str, object] = {"text": text, "catalog_name": catalog_name, "schema_name": schema_name}
    remedy = "give the statements, or a name, as text"
    refuse(
        *(
            kind_fault(f"from_ddl: {name}", "a string", value, remedy)
            for name, value in given.items()
            if not isinstance(value, str)
        )
    )
    tables, remarks = read_scripts({"": text}, catalog_name, schema_name, skip_other=skip_other)
    for remark in remarks:
        _LOG.warning("%s", remark)
    return tables


def read_scripts(
    texts: Mapping[str, str], catalog_name: str, schema_name: str, *, skip_other: bool = False
) -> tuple[list[Table], tuple[Diagnostic, ...]]:
    """Return the models that scripts declare, by what messages call these, and notes; see :func:`from_ddl`."""
    reading = DdlReading(catalog_name, schema_name)
    with _collector_paused():
        for file, text in texts.items():
            read_statements(text, f"{file}: " if file else "", reading, skip_other=skip_other)
    models = []
    for draft in reading.tables.values() if not reading.faults else ():
        try:
            models.append(draft.model())
            for remark in draft.remarks():
                reading.remark(draft.name, remark)
        except DeclarationError as error:
            message = str(error).removeprefix(f"{draft.name}: ")
            reading.faults.append(Diagnostic(table=str(draft.name), message=message))
        except MalformedPropertyError as error:
            reading.faults.append(Diagnostic(table=str(draft.name), message=str(error), remedy="remove it"))
    if reading.faults:
        raise DdlError(reading.faults)
    return models, tuple(reading.remarks)


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Keep the garbage collector from visiting all tokens again and again, which is a quarter of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def to_ddl(tables: Iterable[Table]) -> str:
    """Return the statements that create tables, as one script: those of their SQL snapshots.

    Tables that others reference come first; apart from that, they are sorted by name. What a model wants of a contract
    and not of a table, such as ``owns``, ``evolution`` or ``renamed_from``, has no statement.

    Args:
        tables: The models, each name once.

    Raises:
        DeclarationError: If something else is given, or a name twice.
    """
    models = required_tables(tables, "to_ddl")
    repeated = [str(name) for name, number in Counter(model.name for model in models).items() if number > 1]
    if repeated:
        msg = f"to_ddl: {', '.join(sorted(repeated))} is declared more than once; give each table once"
        raise DeclarationError(msg)
    text = script(_creations(models))
    return f"{text}\n" if text else ""


def _creations(models: Iterable[Table]) -> Iterator[Statement]:
    """Yield the statements that create tables; each schema is created once, and parents before foreign keys."""
    planner = TablePlanner()
    schemas: set[tuple[str, str]] = set()
    for group in dependency_groups(models):
        foreign_keys = []
        for table in group:
            schema = table.name[:2]
            creation = planner.creation(desired_state(table), creates_schema=schema not in schemas)
            schemas.add(schema)
            for statement in statements(creation):
                if statement.kind is StatementKind.ADD_FOREIGN_KEY:
                    foreign_keys.append(statement)
                else:
                    yield statement
        yield from foreign_keys
