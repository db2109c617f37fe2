"""Finds out what Delta does with a write by writing an empty frame to an empty clone of the table."""

from __future__ import annotations

import json
import time
import uuid
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.backends.local.warehouse.physical_names import table_folder
from pytest_delta_schema.backends.local.write_probe.empty_writes import write
from pytest_delta_schema.backends.spark.compat.delta_compat import protocol_and_metadata
from pytest_delta_schema.backends.spark.session_settings import setting
from pytest_delta_schema.delta.char_varchar import without_lengths
from pytest_delta_schema.delta.names.folded_names import folded
from pytest_delta_schema.diagnostics.errors import DeclarationError, Diagnostic, StatementError, first_line
from pytest_delta_schema.models.names import QualifiedName, parse_name
from pytest_delta_schema.models.table import Table
from pytest_delta_schema.plan.planner import TablePlanner
from pytest_delta_schema.sql.compiler import statements
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.write_check.options import WriteOptions, require_options, takes_frame
from pytest_delta_schema.write_check.prediction import predict_write
from pytest_delta_schema.write_check.verdict import WriteVerdict

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

    from pytest_delta_schema.backends.local.session.catalog_session import CatalogSession
    from pytest_delta_schema.execute.protocols.catalog import ScratchCatalog
    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.write_check.statements.merge_options import Merge

_AUTO_MERGE = "spark.databricks.delta.schema.autoMerge.enabled"
_BY_ROWS = (
    "DELTA_NOT_NULL_CONSTRAINT_VIOLATED",
    "DELTA_CANNOT_MODIFY_APPEND_ONLY",
    "DELTA_CANNOT_WRITE_EMPTY_SCHEMA.STRUCT_ALL_VOID_FIELDS",
)
"""Conditions that Delta raises for rows, by some methods, so an empty frame is accepted."""


def write_to_clone(
    session: CatalogSession,
    catalog: ScratchCatalog,
    table: Table | str,
    frame: DataFrame | StructType | None,
    options: WriteOptions | Merge,
) -> WriteVerdict:
    """Run a write in a catalog; for the arguments see :func:`probe_write`."""
    require_options(options)
    schema = _schema(frame) if takes_frame(options, frame) else None
    auto_merge = isinstance(options, WriteOptions) and options.auto_merge
    with _clone(table, session, catalog) as state:
        expected = predict_write(state, schema, options)
        try:
            with (
                session.translate_errors(),
                setting(session.spark, _AUTO_MERGE, str(auto_merge).lower()),
            ):
                path = table_folder(session.warehouse, state.name)
                write(session.spark, schema, state.name, path, options)
        except StatementError as error:
            findings = _refusal(error, expected)
        else:
            findings = tuple(finding for finding in expected.findings if finding.code in _BY_ROWS)
        after = catalog.read_tables([state.name]).tables[state.name].columns
    name = table.qualified_name if isinstance(table, Table) else folded(table)
    findings = tuple(replace(finding, table=name) for finding in findings)
    replaces = "" if findings else expected.replaces
    columns = state.columns if findings else after
    return WriteVerdict(table=name, accepted=not findings, columns=columns, findings=findings, replaces=replaces)


def _refusal(error: StatementError, expected: WriteVerdict) -> tuple[Diagnostic, ...]:
    """Return the findings for an error of Delta: the predicted ones where they have its condition."""
    predicted = tuple(finding for finding in expected.findings if error.condition.startswith(finding.code))
    if predicted:
        return predicted
    remedy = "see Delta's message, and report that check_write does not predict it"
    return (
        Diagnostic(
            code=error.condition, rule="refused", table=expected.table, message=first_line(error), remedy=remedy
        ),
    )


@contextmanager
def _clone(table: Table | str, session: CatalogSession, catalog: ScratchCatalog) -> Iterator[TableState]:
    """Create an empty table with the metadata of another table, and drop it at the end."""
    source = table.name if isinstance(table, Table) else parse_name(table)
    home = QualifiedName("scratch", f"probe_{uuid.uuid4().hex[:8]}", source.table)
    if not isinstance(table, Table):
        catalog.read_tables([source]).existing(source)
    catalog.create_schema(home.catalog, home.schema)
    try:
        if isinstance(table, Table):
            wanted = replace(desired_state(table), name=home, logical_name=home, foreign_keys=())
            for statement in statements(TablePlanner().creation(wanted, creates_schema=False)):
                catalog.run(statement)
        else:
            _copy_metadata(session, source, table_folder(session.warehouse, home))
        yield catalog.read_tables([home]).tables[home]
    finally:
        catalog.drop_schema(home.catalog, home.schema)


def _copy_metadata(session: CatalogSession, source: QualifiedName, folder: Path) -> None:
    """Write the first commit of a table that has the metadata of another table and no rows."""
    with session.translate_errors():
        actions = protocol_and_metadata(session.bridge.gateway, source)
    now = int(time.time() * 1000)
    info = {"commitInfo": {"timestamp": now, "inCommitTimestamp": now, "operation": "CLONE", "operationParameters": {}}}
    log = folder / "_delta_log"
    log.mkdir(parents=True)
    (log / f"{0:020}.json").write_text("\n".join([json.dumps(info), *actions]) + "\n", encoding="utf-8")


def _schema(frame: Any) -> StructType:
    from pyspark.sql.types import StructField, StructType

    schema = getattr(frame, "schema", frame)
    if not isinstance(schema, StructType):
        msg = f"what is written is {frame!r}; give a DataFrame or its schema, a StructType"
        raise DeclarationError(msg)
    fields = [StructField(f.name, without_lengths(f.dataType), f.nullable, f.metadata) for f in schema.fields]
    return StructType(fields)
