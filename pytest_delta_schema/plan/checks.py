"""Compare CHECK constraints: by name without case, and by their parsed expressions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.plan.changes import Change, CheckAdd, CheckDrop, CheckReplace
from pytest_delta_schema.plan.expression_equality import equal_expressions, is_cosmetic
from pytest_delta_schema.plan.renames import new_names, old_names, with_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.plan.difference import Difference
    from pytest_delta_schema.state.states import CheckState


def check_changes(difference: Difference) -> Iterator[Change]:
    """Yield the checks to drop, to replace and to add."""
    if not (difference.desired.checks or difference.observed.checks):
        return
    from pytest_delta_schema.state.expressions import canonical, columns_in

    touched = _touched(difference)
    for wanted, stored in _pairs(difference):
        aside = not touched.isdisjoint(columns_in(stored.expression))
        if aside or not equal_expressions(wanted.expression, stored.expression):
            yield CheckReplace(before=stored, after=wanted)
    wanted_names = {check.name.lower() for check in difference.desired.checks}
    stored_names = {check.name.lower() for check in difference.observed.checks}
    coming = [check for check in difference.desired.checks if check.name.lower() not in stored_names]
    names = new_names(difference.renames.done)
    for stored in difference.observed.checks:
        if stored.name.lower() in wanted_names:
            continue
        said = canonical(renamed(stored.expression, names))
        twin = next((each for each in coming if canonical(each.expression) == said), None)
        if twin is None:
            yield CheckDrop(name=stored.name, expression=stored.expression)
        else:
            coming.remove(twin)
            yield CheckReplace(before=stored, after=twin)
    for wanted in coming:
        yield CheckAdd(name=wanted.name, expression=wanted.expression)


def cosmetic_differences(difference: Difference) -> Iterator[tuple[CheckState, CheckState]]:
    """Yield wanted and stored checks that are written in different forms and say the same."""
    for wanted, stored in _pairs(difference):
        if is_cosmetic(wanted.expression, stored.expression):
            yield wanted, stored


def _touched(difference: Difference) -> set[str]:
    """Return the columns of which something is retyped, renamed or dropped: no check may stand over them meanwhile."""
    paths = [pair.path for pair in difference.retyped]
    paths += [placed.path for placed in difference.dropped]
    old = [rename.path for rename in difference.renames.done]
    names = old_names(difference.renames.done)
    return {with_names(path, names)[0].lower() for path in paths} | {path[0].lower() for path in old}


def _pairs(difference: Difference) -> list[tuple[CheckState, CheckState]]:
    stored = {check.name.lower(): check for check in difference.observed.checks}
    wanted = difference.desired.checks
    return [(check, stored[check.name.lower()]) for check in wanted if check.name.lower() in stored]


def renamed(expression: str, names: dict[tuple[str, ...], str]) -> str:
    """Return an expression over columns that are called otherwise; without renames it stays to the letter."""
    if not names:
        return expression
    from pytest_delta_schema.state.expressions import with_columns

    return with_columns(expression, names)
