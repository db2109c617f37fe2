"""Compare column generation: defaults, generation expressions, identities."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.plan.aspects.expression_equality import equal_expressions, is_cosmetic
from pytest_delta_schema.plan.changes import Change, ColumnDefaultChange, ColumnGenerationChange
from pytest_delta_schema.state.types import ColumnGeneration

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.delta.names.column_path import ColumnPath
    from pytest_delta_schema.plan.difference import Difference

_NONE = ColumnGeneration()


def value_changes(difference: Difference) -> Iterator[Change]:
    """Yield the defaults to set and to drop, those of new columns included, and the changes of generated columns."""
    for placed in difference.added:
        value = placed.column.value
        if value is not None and value.default is not None:
            yield ColumnDefaultChange(path=placed.path, before=None, after=value.default)
    for pair in difference.changed:
        if pair.desired.value == pair.observed.value:
            continue
        after, before = pair.desired.value or _NONE, pair.observed.value or _NONE
        if not _equal(before.default, after.default):
            yield ColumnDefaultChange(path=pair.path, before=before.default, after=after.default)
        before, after = before._replace(default=None), after._replace(default=None)
        if not _equal(before.generated, after.generated) or before.identity != after.identity:
            yield ColumnGenerationChange(name=pair.path.root, before=before, after=after)


def cosmetic_values(difference: Difference) -> Iterator[tuple[ColumnPath, str, str]]:
    """Yield the path, the wanted and the stored expression where they are equal and written in different forms."""
    for pair in difference.changed:
        if pair.desired.value == pair.observed.value:
            continue
        for wanted, stored in zip((pair.desired.value or _NONE)[:2], (pair.observed.value or _NONE)[:2], strict=True):
            if wanted is not None and stored is not None and is_cosmetic(wanted, stored):
                yield pair.path, wanted, stored


def _equal(left: str | None, right: str | None) -> bool:
    return left == right or (left is not None and right is not None and equal_expressions(left, right))
