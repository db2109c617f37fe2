"""Whether a contract promises a condition: NOT NULL, or a check of columns against constants. There is no prover.

The truth of a check of one column only depends on where its value lies among the constants, so a few values decide it:
each constant, its neighbours, and NULL. For other checks, values that violate them may be found.
"""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Context, Decimal
from fractions import Fraction
from itertools import pairwise, product
from math import floor, prod
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from pytest_delta_schema.compatibility.changes import names_after
from pytest_delta_schema.delta.fields import INTEGER_BITS, SIZED, integer_limit
from pytest_delta_schema.delta.names import ColumnPath, NameMap
from pytest_delta_schema.plan.comparison import equal_expressions, renamed_expression
from pytest_delta_schema.state.expressions import ExpressionError, evaluate
from pytest_delta_schema.state.expressions.conditions import (
    Comparison,
    Field,
    InList,
    IsNull,
    Like,
    Value,
    atoms_of,
    conjuncts,
    is_understood,
    paths_of,
    used_columns,
)
from pytest_delta_schema.state.expressions.evaluation import truth
from pytest_delta_schema.state.expressions.parsing import condition_of
from pytest_delta_schema.state.types import ColumnState, find, is_generated, not_null_paths

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pytest_delta_schema.compatibility.changes import StatePair
    from pytest_delta_schema.state.expressions.conditions import Condition
    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.state.types import DataTypeState

Implication = Literal["implied", "violated", "unknown"]
"""All rows of a contract satisfy a condition; one is known that does not; or neither is known."""


class Promises(NamedTuple):
    """What a contract promises of its rows."""

    columns: tuple[ColumnState, ...]
    checks: tuple[str, ...]
    not_null: frozenset[ColumnPath]
    filled: NameMap[ColumnState]
    """The columns that writers do not know, and leave out."""


def released_promises(states: StatePair) -> Promises:
    """Return what the released contract promises of the rows that are written, under the names of the new one."""
    names = names_after(states)
    columns = tuple(
        column._replace(name=names.get(ColumnPath(column.name), column.name)) for column in states.old.columns
    )
    checks = tuple(renamed_expression(check.expression, names) for check in states.old.checks)
    known = NameMap.of(columns)
    filled = NameMap.of(column for column in states.new.columns if column.name not in known)
    return Promises(columns, checks, frozenset(not_null_paths(columns)), filled)


def new_promises(state: TableState) -> Promises:
    """Return what a contract promises of the rows that are read."""
    checks = tuple(check.expression for check in state.checks)
    return Promises(state.columns, checks, frozenset(not_null_paths(state.columns)), NameMap())


def implied_not_null(path: ColumnPath, promises: Promises) -> Implication:
    """Return whether a column, a field or an element is never NULL."""
    return _of_part(IsNull(path, is_negated=True), promises)[0]


def violating_row(expression: str, promises: Promises) -> Mapping[str, Any] | None:
    """Return values of columns with which rows of a contract violate a check, if some are known."""
    answers = (_of_part(part, promises) for part in conjuncts(condition_of(expression)))
    return next((row for answer, row in answers if answer == "violated"), None)


def implied_check(expression: str, promises: Promises) -> Implication:
    """Return whether a check holds for all rows."""
    if any(equal_expressions(expression, check) for check in promises.checks):
        return "implied"
    answers = {_of_part(part, promises)[0] for part in conjuncts(condition_of(expression))}
    return "violated" if "violated" in answers else "unknown" if "unknown" in answers else "implied"


_MOST_ROWS = 100_000


def _of_part(part: Condition, promises: Promises) -> tuple[Implication, Mapping[str, Any]]:
    """Return whether a condition holds for all rows, and the values of one that violates it."""
    facts = [fact for check in promises.checks for fact in conjuncts(condition_of(check))]
    if part in facts:
        return "implied", {}
    if not is_understood(part):
        return "unknown", {}
    roots = used_columns(part)
    opaque = [fact for fact in facts if not is_understood(fact)]
    touching = [fact for fact in facts if not roots.isdisjoint(used_columns(fact))]
    usable = [fact for fact in touching if used_columns(fact) <= roots and fact not in opaque]
    paths = [*dict.fromkeys(path for condition in (part, *usable) for path in paths_of(condition))]
    constants = [value for condition in (part, *usable) for value in _constants(condition)]
    choices = [_values(path, constants, promises) for path in paths]
    if prod(len(choice.values) for choice in choices) > _MOST_ROWS:
        return "unknown", {}
    try:
        rows = [_row(zip(paths, values, strict=True)) for values in product(*(choice.values for choice in choices))]
        allowed = [row for row in rows if all(truth(fact, row) is True for fact in usable)]
        violating = next((row for row in allowed if truth(part, row) is not True), None)
        if violating is not None:
            return "unknown" if opaque or len(usable) < len(touching) else "violated", violating
    except ExpressionError:
        return "unknown", {}
    is_complete = len(paths) <= 1 and all(choice.is_complete for choice in choices)
    return "implied" if is_complete and not any(_is_of_text(one) for one in (part, *usable)) else "unknown", {}


def _constants(condition: Condition) -> Iterator[Any]:
    for atom in atoms_of(condition):
        if isinstance(atom, Comparison):
            yield from (side.value for side in (atom.left, atom.right) if isinstance(side, Value))
        elif isinstance(atom, InList):
            yield from atom.values


def _is_of_text(condition: Condition) -> bool:
    """Whether more than the place of a value among constants counts: its length, or its characters."""
    operands = [
        side
        for atom in atoms_of(condition)
        for side in ((atom.left, atom.right) if isinstance(atom, Comparison) else (getattr(atom, "operand", None),))
    ]
    is_plain = all(side is None or isinstance(side, (Field, Value)) for side in operands)
    return not is_plain or any(isinstance(atom, Like) for atom in atoms_of(condition))


def _row(values: Iterable[tuple[ColumnPath, Any]]) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for path, value in values:
        place = row
        for name in path.folded[:-1]:
            place = place.setdefault(name, {})
        place[path.folded[-1]] = value
    return row


class _Values(NamedTuple):
    values: Sequence[Any]
    is_complete: bool
    """Whether every value of the type compares with the constants as one of these."""


def _values(path: ColumnPath, constants: Sequence[Any], promises: Promises) -> _Values:
    """Return the values that a column or a field may have: one for each way in which they compare with constants."""
    added = promises.filled.get(path.root)
    if added is not None:
        return _filled(added)
    column = find(promises.columns, path)
    if column is None or is_generated(column):
        return _Values((), is_complete=False)
    above = [ColumnPath(*path.parts[:length]) for length in range(1, len(path) + 1)]
    nulls = () if promises.not_null.issuperset(above) else (None,)
    values, is_complete = _among(column.data_type, [value for value in constants if value is not None])
    return _Values((*nulls, *values), is_complete)


def _filled(column: ColumnState) -> _Values:
    """Return the value of a column that is left out."""
    value = column.value
    if value is None:
        return _Values((None,), is_complete=True)
    try:
        return _Values(evaluate(value.default, [{"": None}], [""]) if value.default else (), value.default is not None)
    except ExpressionError:
        return _Values((), is_complete=False)


_DIGITS = Context(prec=100)
"""More digits than any decimal of Spark has."""


def _among(data_type: DataTypeState, constants: Sequence[Any]) -> _Values:
    """Return values of a type on, below, between and above some constants."""
    sized = SIZED.fullmatch(str(data_type))
    if data_type == "boolean":
        return _Values((True, False), is_complete=True)
    if data_type in INTEGER_BITS or (sized is not None and sized[1] == "decimal"):
        limit = (
            Decimal(integer_limit(str(data_type))) if sized is None else Decimal(10) ** (int(sized[2]) - int(sized[3]))
        )
        values: list[Any] = _numbers(_of_kind(constants, int, Decimal), 0 if sized is None else int(sized[3]))
        kinds: tuple[type, ...] = (int, Decimal)
        values = [value for value in values if -limit <= value < limit]
    elif data_type in {"float", "double"}:
        numbers = sorted({float(number) for number in (*_of_kind(constants, int, Decimal), 0)})
        kinds = (int, Decimal)
        middles = ((low + high) / 2 for low, high in pairwise(numbers))
        values = [*numbers, *middles, numbers[0] - 1, numbers[-1] + 1, float("nan")]
    elif data_type == "string":
        kinds = (str,)
        values = ["", *(f"{text}{end}" for text in _of_kind(constants, str) for end in ("", "\0"))]
    elif data_type == "date":
        kinds = (date,)
        days = (date(2000, 1, 1), *_of_kind(constants, date))
        values = [day + timedelta(shift) for day in days for shift in (-1, 0, 1)]
    else:
        return _Values((), is_complete=False)
    return _Values(values, is_complete=len(_of_kind(constants, *kinds)) == len(constants))


def _numbers(constants: Sequence[int | Decimal], scale: int) -> list[Decimal]:
    """Return the numbers with some digits behind the point that are next to some constants, or equal to them."""
    wholes = (floor(Fraction(number) * 10**scale) for number in (*constants, 0))
    return sorted({_DIGITS.scaleb(Decimal(whole + shift), -scale) for whole in wholes for shift in (-1, 0, 1)})


def _of_kind(constants: Iterable[Any], *kinds: type) -> list[Any]:
    """Return the constants of some types, and of none that is derived from them."""
    return [value for value in constants if type(value) in kinds]
