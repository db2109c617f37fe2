"""Models as Python source, also of tables that exist."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.models.codegen import table_source
from pytest_delta_schema.models.table import Table
from pytest_delta_schema.rules.properties import is_declarable
from pytest_delta_schema.state.adopting import declared_table

if TYPE_CHECKING:
    from pytest_delta_schema.state.states import TableState


def model_source(table: Table | TableState) -> str:
    """Return the source of a Python module that declares a table.

    The plan of the declared model against an observed table is empty. It declares everything that a model can manage:
    columns with comments and defaults, keys, checks, layout, tags, and properties that the platform does not write.

    Args:
        table: A model; or a state, such as ``catalog.read_tables([name]).tables[name]``.
    """
    if isinstance(table, Table):
        return table_source(table)
    model = declared_table(table)
    model.table_properties = {
        key: value for key, value in sorted(table.table_properties.items()) if value is not None and is_declarable(key)
    }
    return table_source(model)
