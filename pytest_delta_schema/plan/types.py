"""Compare the types of columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.plan.actions import Change, ColumnTypeChange
from pytest_delta_schema.state.types import equal_types

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.plan.difference import Difference


def type_changes(difference: Difference) -> Iterator[Change]:
    """Yield the columns whose type differs, nested types as a whole."""
    for desired, observed in difference.changed:
        before, after = observed.data_type, desired.data_type
        if before is not after and not equal_types(before, after):
            yield ColumnTypeChange(name=observed.name, before=before, after=after)
