"""Refuse conversions on backends that cannot list files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.execute.protocols.catalog import Refusal
from pytest_delta_schema.sql.statement import StatementKind

if TYPE_CHECKING:
    from pytest_delta_schema.sql.statement import Statement

CONVERSIONS = (StatementKind.CONVERT_TABLE, StatementKind.REGISTER_TABLE)


def without_files(statement: Statement) -> Refusal | None:
    """Refuse statements for which files have to be listed first."""
    if statement.kind in CONVERSIONS:
        return Refusal("it cannot list the files first", "convert with the local backend, or by CONVERT TO DELTA")
    return None
