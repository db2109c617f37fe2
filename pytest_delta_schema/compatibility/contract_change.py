"""One change of a contract: what differs between two states of a table, and the row of the table that judges it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from pytest_delta_schema.delta.names.column_path import TABLE, ColumnPath
from pytest_delta_schema.delta.names.part_path import WHOLE_TABLE, PartPath
from pytest_delta_schema.models.modes import IGNORE, MANAGE, STRICT
from pytest_delta_schema.models.ownership import ALL_MANAGED
from pytest_delta_schema.plan.aspects.types import as_created
from pytest_delta_schema.state.states import NO_TAGS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_delta_schema.delta.names.part_path import Aspect
    from pytest_delta_schema.diagnostics.faults import HasCode
    from pytest_delta_schema.plan.changes import Change
    from pytest_delta_schema.state.states import TableState


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractChange:
    """One change of a contract."""

    row: type[HasCode]
    """The kind of change, which is a row of the table of verdicts."""
    path: PartPath = WHOLE_TABLE
    """The part of the table."""
    subject: str
    """What messages call the part."""
    before: str
    after: str
    aspect: Aspect | None = None
    """The aspect to which it belongs; ``None`` for the contract itself."""
    columns: tuple[ColumnPath, ...] = ()
    """The columns or fields that it concerns, under their names before and after."""
    change: Change | None = None
    """The change of the plan; ``None`` if no apply changes an existing table."""
    features: tuple[str, ...] = ()
    """The table features that it enables."""
    remark: str = ""
    """What is to be known besides."""

    @property
    def column(self) -> ColumnPath:
        """The column or field under its released name; empty for the table."""
        return self.columns[0] if self.columns else TABLE

    @property
    def names(self) -> tuple[str, ...]:
        """The columns as faults of writes name them: with dots, in lower case."""
        return tuple(".".join(column.folded) for column in self.columns)


class StatePair(NamedTuple):
    """A table as it is released, and as it will be."""

    old: TableState
    new: TableState


def comparable_states(old: TableState, new: TableState) -> StatePair:
    """Return two states so that a plan shows all in which they differ, whatever the contracts own and accept."""
    properties: Mapping[str, str | None] = as_created(old).table_properties
    if None in properties.values():
        properties = MappingProxyType({key: value for key, value in properties.items() if value is not None})
    tags = old.tags
    if any(None in values.values() for values in tags.values()):
        tags = MappingProxyType(
            {path: {key: value for key, value in values.items() if value is not None} for path, values in tags.items()}
        )
    return StatePair(
        replace(old, table_properties=properties, tags=tags or NO_TAGS, exists=True),
        replace(
            new,
            ownership=ALL_MANAGED,
            evolution=STRICT,
            read_only=False,
            column_order=MANAGE if new.column_order == MANAGE else IGNORE,
        ),
    )
