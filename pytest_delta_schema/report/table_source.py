"""Declarations to begin with: what a model of a table that is there would say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.models.codegen import table_source
from pytest_delta_schema.models.table import Table
from pytest_delta_schema.rules.properties import is_declarable
from pytest_delta_schema.state.adopting import declared_table

if TYPE_CHECKING:
    from pytest_delta_schema.state.states import TableState


def model_source(table: Table | TableState) -> str:
    """Return a Python module that declares a table: a model, or one that was observed.

    Run, it gives a model whose plan against that table is empty. Of an observed table everything is declared that a
    model can own: columns with comments and values, key, checks, foreign keys, layout and properties, less those that
    the platform writes by itself.

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
