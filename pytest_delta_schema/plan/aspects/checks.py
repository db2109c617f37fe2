"""Compare CHECK constraints: by name without case, and by their parsed expressions."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pytest_delta_schema.delta.names.folded_names import NameMap, NameSet
from pytest_delta_schema.plan.aspects.expression_equality import equal_expressions, is_cosmetic
from pytest_delta_schema.plan.changes import Change, CheckAdd, CheckDrop
from pytest_delta_schema.plan.renames import new_names, old_names, with_names
from pytest_delta_schema.state.expressions import canonical, columns_in, with_columns

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pytest_delta_schema.delta.names.column_path import ColumnPath
    from pytest_delta_schema.plan.difference import Difference
    from pytest_delta_schema.state.states import CheckState


def check_changes(difference: Difference) -> Sequence[Change]:
    """Return the checks to drop and to add; a replaced one is a drop and an add.

    No check may name a column while it is retyped, renamed or dropped, so such a check is dropped and added again.
    """
    if not (difference.desired.checks or difference.observed.checks):
        return ()
    dropped, replaced, added = _compare(difference)
    changes: list[Change] = [CheckDrop(name=stored.name, expression=stored.expression) for stored in dropped]
    for stored, wanted in replaced:
        changes.append(CheckDrop(name=stored.name, expression=stored.expression, replaced_by=wanted))
        changes.append(CheckAdd(name=wanted.name, expression=wanted.expression, replaces=stored))
    changes += [CheckAdd(name=wanted.name, expression=wanted.expression) for wanted in added]
    return changes


class _Compared(NamedTuple):
    dropped: list[CheckState]
    replaced: list[tuple[CheckState, CheckState]]
    added: list[CheckState]


def _compare(difference: Difference) -> _Compared:
    changed_columns = _changed_columns(difference)
    replaced = [
        (stored, wanted)
        for wanted, stored in _pairs(difference)
        if not changed_columns.isdisjoint(columns_in(stored.expression))
        or not equal_expressions(wanted.expression, stored.expression)
    ]
    wanted_names = NameSet.of(difference.desired.checks)
    stored_names = NameSet.of(difference.observed.checks)
    added = [check for check in difference.desired.checks if check.name not in stored_names]
    names = new_names(difference.renames.done)
    dropped: list[CheckState] = []
    for stored in difference.observed.checks:
        if stored.name in wanted_names:
            continue
        expression = canonical(renamed_expression(stored.expression, names))
        under_new_name = next((wanted for wanted in added if canonical(wanted.expression) == expression), None)
        if under_new_name is None:
            dropped.append(stored)
        else:
            added.remove(under_new_name)
            replaced.append((stored, under_new_name))
    return _Compared(dropped, replaced, added)


def cosmetic_differences(difference: Difference) -> Iterator[tuple[CheckState, CheckState]]:
    """Yield wanted and stored checks that are equal and written in different forms."""
    for wanted, stored in _pairs(difference):
        if is_cosmetic(wanted.expression, stored.expression):
            yield wanted, stored


def _changed_columns(difference: Difference) -> NameSet:
    """Return the columns that are retyped, renamed or dropped, or have a part that is."""
    paths = [pair.path for pair in difference.retyped]
    paths += [placed.path for placed in difference.dropped]
    old = [rename.path for rename in difference.renames.done]
    names = old_names(difference.renames.done)
    return NameSet(path.root for path in (*(with_names(path, names) for path in paths), *old))


def _pairs(difference: Difference) -> list[tuple[CheckState, CheckState]]:
    if not difference.observed.checks:
        return []
    stored, wanted = NameMap.of(difference.observed.checks), difference.desired.checks
    return [(check, stored[check.name]) for check in wanted if check.name in stored]


def renamed_expression(expression: str, names: Mapping[ColumnPath, str]) -> str:
    """Return an expression over the stored names with renamed columns; unchanged if nothing is renamed."""
    if not names:
        return expression
    return with_columns(expression, names)
