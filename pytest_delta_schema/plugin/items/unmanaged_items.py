"""Tables that no model declares: ``shop/models.py::dev.silver::unmanaged``, one item a schema."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_delta_schema.diagnostics.escaping import escaped, printed_line
from pytest_delta_schema.engine.unmanaged_check import check_schema
from pytest_delta_schema.models.modes import FAIL
from pytest_delta_schema.plugin.items.table_items import check
from pytest_delta_schema.plugin.options.option_values import DRIFT
from pytest_delta_schema.plugin.outcomes.check_properties import add_properties
from pytest_delta_schema.plugin.outcomes.failures import ContractFailure, representation
from pytest_delta_schema.plugin.outcomes.outcome_report import report_outcome
from pytest_delta_schema.plugin.run.stash_keys import RUN

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.execute.protocols.catalog import Catalog
    from pytest_delta_schema.models.declared_at import DeclaredAt
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.plugin.compat.pytest_compat import TerminalRepr


class SchemaContract:
    """The check of every schema with ``--delta-drift``, unless the setting ``unmanaged`` is ``ignore``."""

    schema: tuple[str, str]
    origin: DeclaredAt

    @check
    def unmanaged(self, request: pytest.FixtureRequest, delta_catalog: Catalog) -> None:
        """Every table of the schema is declared, or matches a pattern of ``delta_unmanaged_ignore``."""
        run = request.config.stash[RUN]
        outcome = check_schema(
            self.schema,
            run.gate(delta_catalog),
            ignored=run.options.unmanaged_ignore,
            fails=run.options.unmanaged == FAIL,
            origin=self.origin,
        )
        report_outcome(request.node, outcome)


class SchemaItem(pytest.Function):
    """The check of one schema, reported where the first of its tables is declared."""

    def reportinfo(self) -> tuple[str, int, str]:
        """Return the location of that declaration."""
        origin = self.cls.origin
        return origin.path, origin.line - 1, printed_line(f"{'.'.join(self.cls.schema)} {self.name}")

    def repr_failure(  # type: ignore[override]  # Function takes no style
        self, excinfo: pytest.ExceptionInfo[BaseException]
    ) -> str | TerminalRepr:
        """Show findings without a traceback, and everything else with one."""
        if isinstance(excinfo.value, ContractFailure):
            return representation(excinfo.value, self.cls.origin)
        return super().repr_failure(excinfo)


class SchemaNode(pytest.Class):
    """The checks of one schema."""

    @classmethod
    def of(cls, parent: pytest.Module, table: Table, name: str) -> SchemaNode:
        """Build the node of the schema of ``table``."""
        node: SchemaNode = cls.from_parent(parent, name=name)
        members = {"schema": table.name[:2], "origin": table.origin, "__module__": parent.obj.__name__}
        node.obj = type(escaped(name), (SchemaContract,), members)
        return node

    def collect(self) -> Iterator[pytest.Item | pytest.Collector]:
        """Yield the checks."""
        for item in super(pytest.Class, self).collect():
            if isinstance(item, pytest.Function):
                item.__class__ = SchemaItem
                add_properties(item, table=".".join(self.obj.schema), check=DRIFT)
                yield item
