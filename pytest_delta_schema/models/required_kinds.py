"""Check that arguments are tables or table names; the error says what to pass."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.models.argument_checks.wrong_kinds import argument_text, refuse_kind
from pytest_delta_schema.models.names import QualifiedName
from pytest_delta_schema.models.table import Table, names_around

if TYPE_CHECKING:
    from typing import Any


def required_table(value: object, subject: str) -> Table:
    """Return a model; raise a ``DeclarationError`` if it is something else."""
    if not isinstance(value, Table):
        refuse_kind(subject, "a Table", value, "give the Table that declares it")
    return value


def required_tables(value: object, subject: str) -> list[Table]:
    """Return models as a list; raise a ``DeclarationError`` if it is or holds something else."""
    if isinstance(value, Mapping):
        refuse_kind(subject, "a list of Tables", value, "give its values, list(tables.values())")
    if isinstance(value, (Table, str)) or not isinstance(value, Iterable):
        refuse_kind(subject, "a list of Tables", value, "write [table, ...]")
    tables = list(value)
    others = [item for item in tables if not isinstance(item, Table)]
    if others:
        values = ", ".join(map(argument_text, others))
        msg = f"{subject} takes a list of Tables, and the list has {values}; give the Tables that declare them"
        raise DeclarationError(msg)
    return tables


def snapshot_names(models: Iterable[Table]) -> tuple[QualifiedName, ...]:
    """Return the names of the tables that a ``snapshot`` reads: of models, and of the parents of their foreign keys.

    Args:
        models: What was given to ``snapshot``.

    Returns:
        The names, each once and sorted.

    Raises:
        DeclarationError: If it is not a list of tables.
    """
    return names_around(required_tables(models, "snapshot"))


def required_table_name(value: Any, subject: str) -> QualifiedName:
    """Return the name of a table; raise a ``DeclarationError`` if it is not a :class:`QualifiedName`."""
    if not isinstance(value, QualifiedName):
        remedy = "write model.name, or QualifiedName(catalog, schema, table)"
        parts = value.split(".") if isinstance(value, str) else ()
        if len(parts) == len(QualifiedName._fields):
            remedy = f"write QualifiedName({', '.join(map(repr, parts))}), or the name of a model, model.name"
        refuse_kind(subject, "the name of a table", value, remedy)
    return value


def required_table_names(value: object, subject: str) -> list[QualifiedName]:
    """Return the names of tables, each once and sorted.

    Args:
        value: What was given for them: any iterable of names.
        subject: The function, for the message.

    Raises:
        DeclarationError: If it is or holds something else.
    """
    if isinstance(value, (QualifiedName, str)) or not isinstance(value, Iterable):
        refuse_kind(subject, "a list of names of tables", value, "write [model.name, ...]")
    return sorted({required_table_name(name, subject) for name in value})
