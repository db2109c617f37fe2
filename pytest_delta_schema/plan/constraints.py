"""Compare constraints: primary keys by name and ordered columns, checks by name and by what they say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.plan.changes import Change, CheckAdd, CheckDrop, CheckReplace, PrimaryKeyAdd, PrimaryKeyDrop
from pytest_delta_schema.plan.expression_equality import equal_expressions, is_cosmetic
from pytest_delta_schema.plan.renames import new_names, old_names, with_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.plan.difference import Difference
    from pytest_delta_schema.state.states import CheckState, KeyState


def constraint_changes(difference: Difference) -> Iterator[Change]:
    """Yield the keys and the checks that go, are replaced, and come."""
    yield from _key_changes(difference.desired.primary_key, difference.observed.primary_key)
    if difference.desired.checks or difference.observed.checks:
        yield from _check_changes(difference)


def cosmetic_differences(difference: Difference) -> Iterator[tuple[CheckState, CheckState]]:
    """Yield wanted and stored checks that are written in different forms and say the same."""
    for wanted, stored in _pairs(difference):
        if is_cosmetic(wanted.expression, stored.expression):
            yield wanted, stored


def _key_changes(desired: KeyState | None, observed: KeyState | None) -> Iterator[Change]:
    if desired is observed or _identity(desired) == _identity(observed):
        return
    if observed is not None:
        yield PrimaryKeyDrop(name=observed.name, columns=observed.columns)
    if desired is not None:
        yield PrimaryKeyAdd(name=desired.name, columns=desired.columns)


def _identity(key: KeyState | None) -> tuple[str, ...]:
    return () if key is None else (key.name.lower(), *(column.lower() for column in key.columns))


def _check_changes(difference: Difference) -> Iterator[Change]:
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
