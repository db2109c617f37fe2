"""Risk: what a change may cost, in five classes."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

from pytest_delta_schema.plan import changes
from pytest_delta_schema.plan.actions import CreateTable, RestoreTable
from pytest_delta_schema.plan.properties import enables

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class Risk(IntEnum):
    """Classes of risk, the lower ones first."""

    METADATA = 1
    """A commit that readers and writers hardly notice."""

    FEATURE = 2
    """Raises the protocol of the table, so that old readers may lose it; nothing takes that back."""

    SCAN = 3
    """Reads all data, and is refused if the data does not allow it."""

    REWRITE = 4
    """Writes all data anew."""

    DESTRUCTIVE = 5
    """Loses data."""

    @property
    def label(self) -> str:
        """The class as users write it."""
        return self.name.lower()


_BY_KIND: Mapping[type[changes.Change], Risk] = {
    changes.CheckAdd: Risk.SCAN,
    changes.CheckReplace: Risk.SCAN,
    changes.ColumnDrop: Risk.DESTRUCTIVE,
    changes.ConvertTable: Risk.FEATURE,
    changes.ColumnGenerationChange: Risk.REWRITE,
    changes.ForeignKeyAdd: Risk.SCAN,
    changes.LayoutRewrite: Risk.REWRITE,
    changes.PrimaryKeyAdd: Risk.SCAN,
}


def risk_of(change: changes.Change) -> Risk:
    """Classify one change of an existing table."""
    if isinstance(change, changes.ColumnNullabilityChange):
        return Risk.METADATA if change.is_nullable else Risk.SCAN
    if isinstance(change, changes.ClusteringChange):
        return Risk.FEATURE if change.raises_protocol else Risk.METADATA
    if isinstance(change, changes.SetTableProperties):
        return Risk.FEATURE if enables(change) else Risk.METADATA
    return _BY_KIND.get(type(change), Risk.METADATA)


def highest_risk(some: Iterable[changes.Change | CreateTable | RestoreTable]) -> Risk:
    """Return the highest class in a plan or a statement; a table that is created has nothing to lose yet."""
    classes = [risk_of(each) for each in some if not isinstance(each, (CreateTable, RestoreTable))]
    return max(classes, default=Risk.METADATA)
