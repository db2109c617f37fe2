"""Models as Python source, also of tables that exist."""

from __future__ import annotations

from dataclasses import replace

from pytest_delta_schema.models.argument_checks.wrong_kinds import refuse_kind
from pytest_delta_schema.models.table import Table
from pytest_delta_schema.rules.aspects.properties import is_declarable
from pytest_delta_schema.source_code.modules import module_source
from pytest_delta_schema.state.adopting import declared_table
from pytest_delta_schema.state.states import TableState


def model_source(table: Table | TableState) -> str:
    """Return the source of a Python module that declares a table.

    The plan of the declared model against an observed table is empty. It declares everything that a model can manage:
    columns with comments and defaults, keys, checks, layout, tags, and properties that the platform does not write.

    Args:
        table: A model; or a state, such as ``catalog.read_tables([name]).tables[name]``.

    Raises:
        DeclarationError: If it is something else.
    """
    if isinstance(table, Table):
        return module_source([table])
    if not isinstance(table, TableState):
        remedy = "give a model, or catalog.read_tables([name]).tables[name]"
        refuse_kind("model_source", "a Table or a TableState", table, remedy)
    model = declared_table(table)
    properties = {
        key: value for key, value in sorted(table.table_properties.items()) if value is not None and is_declarable(key)
    }
    return module_source([replace(model, table_properties=properties)])
