"""Translate files between models, DDL and data contracts."""

from __future__ import annotations

import runpy
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_delta_schema.diagnostics.errors import DeclarationError, first_line, os_error_text
from pytest_delta_schema.diagnostics.redaction import may_be_secret
from pytest_delta_schema.engine.adoption import tokens_in
from pytest_delta_schema.engine.declarations import held_tables
from pytest_delta_schema.exchange.ddl import read_scripts, to_ddl
from pytest_delta_schema.exchange.odcs import read_tables
from pytest_delta_schema.source_code.modules import module_source

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.models.table import Table

_PYTHON = ".py"
_CONTRACTS = (".odcs.yaml", ".odcs.yml")


def translated(  # noqa: PLR0913 - the options of the command
    files: Sequence[str], to: str, catalog: str, schema: str, *, skip_other: bool, server: str | None = None
) -> tuple[str, tuple[Diagnostic, ...]]:
    """Return the tables of all files as text, and notes on what models do not declare.

    Files are scripts of statements, data contracts and Python files; ``to`` is ``models`` or ``ddl``. Catalog and
    schema are those of tables whose names have none; ``server`` is that of contracts with several.
    """
    tables, remarks = _read(files, catalog, schema, server, skip_other=skip_other)
    return (_models(tables, remarks) if tables and to == "models" else to_ddl(tables)), remarks


def _read(
    files: Sequence[str], catalog: str, schema: str, server: str | None, *, skip_other: bool
) -> tuple[list[Table], tuple[Diagnostic, ...]]:
    modules = [file for file in files if file.endswith(_PYTHON)]
    scripts = {file: _text(file) for file in files if not file.endswith((_PYTHON, *_CONTRACTS))}
    scripted, remarks = read_scripts(scripts, catalog, schema, skip_other=skip_other)
    # Files that import each other hold the same tables.
    tables = list({id(table): table for file in modules for table in _tables(file)}.values()) + scripted
    for file in files:
        if file.endswith(_CONTRACTS):
            contracted, notes = read_tables(file, server, catalog, schema)
            tables, remarks = tables + contracted, remarks + notes
    repeated = sorted(name for name, number in Counter(table.qualified_name for table in tables).items() if number > 1)
    if repeated:
        msg = f"{', '.join(repeated)}: declared more than once; name one file for each table"
        raise DeclarationError(msg)
    return tables, remarks


def _text(file: str) -> str:
    try:
        return Path(file).read_text("utf-8-sig")
    except OSError as error:
        msg = f"{file} cannot be read: {error.strerror or os_error_text(error)}; name a script of DDL statements"
    except UnicodeDecodeError as error:
        msg = f"{file} is not UTF-8: {error.reason} at byte {error.start}; convert it"
    raise DeclarationError(msg)


def _tables(file: str) -> list[Table]:
    """Run a Python file, and return the tables in its variables, lists and dictionaries."""
    try:
        values = runpy.run_path(file)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever the file raises is why it cannot be used
        msg = f"{file} cannot be run: {type(error).__name__}: {first_line(error)}; correct it"
        raise DeclarationError(msg) from None
    tables = held_tables(list(values.values()))
    if not tables:
        msg = f"{file} declares no table; name a file that does"
        raise DeclarationError(msg)
    return tables


def _models(tables: Iterable[Table], remarks: Iterable[Diagnostic]) -> str:
    """Write the models; what they do not declare is a comment above each."""
    comments: dict[QualifiedName, list[str]] = {}
    models = []
    for table in tables:
        tokens = tokens_in(table)
        if tokens:
            fact = f"its model would hold what has the form of a token: {', '.join(tokens)}"
            msg = f"{table.qualified_name}: {fact}; remove it from the script"
            raise DeclarationError(msg)
        properties = table.table_properties
        secrets = sorted(key for key, value in properties.items() if may_be_secret(key, str(value)))
        shown = {key: value for key, value in properties.items() if key not in secrets}
        models.append(replace(table, table_properties=shown) if secrets else table)
        comments[table.name] = [
            *(remark.message for remark in remarks if remark.table == table.qualified_name),
            *(f"its property {key} is not declared, because it may be a secret" for key in secrets),
        ]
    return module_source(models, remarks=comments)
