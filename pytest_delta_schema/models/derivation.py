"""Derive a table from a declared one; this module needs no pyspark, as settings with bindings do not."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.models.table import Table


def derived(table: Table, name: QualifiedName | None = None, **changes: object) -> Table:
    """Return a table with another name or other values, which was declared where the given one was.

    The values are valid ones of other fields; they are not checked again.
    """
    made = copy(table)
    if name is not None:
        changes.update(catalog_name=name.catalog, schema_name=name.schema, table_name=name.table)
    for field_name, value in changes.items():
        object.__setattr__(made, field_name, value)
    return made
