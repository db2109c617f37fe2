"""What a table stores of the values that a job wrote for its released shape: the same, others, or none of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pytest_delta_schema.delta.char_varchar import padded_length, text_limit
from pytest_delta_schema.delta.fields import INTEGER_BITS, SIZED
from pytest_delta_schema.delta.names import TABLE, ColumnPath, NameMap, same_name
from pytest_delta_schema.state.types import StructState, children, plain, same_kind
from pytest_delta_schema.write_check.schemas import may_fail

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_delta_schema.state.types import ColumnState, DataTypeState

UNFIT = "values-that-do-not-fit"
"""The fault of a write that fails for some values, which Spark cannot cast or which are too long."""

SWAPPED = "values-in-other-fields"
"""The fault of a write that puts values into other fields of a struct than they were written for."""

ALTERED = "values-are-changed"
"""The fault of a write with which other values are stored than before."""


class Matching(NamedTuple):
    """Which parts a write matches by position, and not by name."""

    columns: bool
    fields: bool
    """The fields of structs, at any depth."""
    inside: bool
    """The fields of structs in arrays and maps."""

    @property
    def below(self) -> Matching:
        """How the fields of a struct are matched."""
        return self._replace(columns=self.fields)


class Loss(NamedTuple):
    """A column, a field or an element that does not store all values as they were written."""

    path: ColumnPath
    fault: str


def misplaced(given: Sequence[ColumnState], wanted: Sequence[ColumnState]) -> Iterator[Loss]:
    """Yield the texts in structs that are too long for the field of their position, which Delta compares (4.4.0)."""
    by_name = NameMap.of(wanted)
    for column in given:
        partner = by_name.get(column.name)
        if partner is not None and partner.data_type != column.data_type:
            yield from _misplaced(column.data_type, partner.data_type, ColumnPath(column.name))


def _misplaced(given: DataTypeState, wanted: DataTypeState, path: ColumnPath) -> Iterator[Loss]:
    if isinstance(given, StructState) and isinstance(wanted, StructState):
        for field, other in zip(given.fields, wanted.fields, strict=False):
            is_text = text_limit(other.data_type) is not None and plain(field.data_type) == "string"
            if is_text and _is_refused(field.data_type, other.data_type):
                yield Loss(path.child(field.name), UNFIT)
        known = NameMap.of(wanted.fields)
        pairs = [(field, known.get(field.name)) for field in given.fields]
    elif same_kind(given, wanted):
        pairs = [*zip(children(given), children(wanted), strict=True)]
    else:
        return
    for left, right in pairs:
        if right is not None:
            yield from _misplaced(left.data_type, right.data_type, path.child(left.name))


def losses(
    given: Sequence[ColumnState], wanted: Sequence[ColumnState], matching: Matching, parent: ColumnPath = TABLE
) -> Iterator[Loss]:
    """Yield what columns lose of the values of others; columns without a partner lose nothing here."""
    by_name = NameMap.of(wanted)
    partners = wanted if matching.columns else [by_name.get(column.name) for column in given]
    for column, partner in zip(given, partners, strict=False):
        if partner is not None and partner.data_type != column.data_type:
            yield from _lost_by_type(column.data_type, partner.data_type, parent.child(column.name), matching)


def _lost_by_type(given: DataTypeState, wanted: DataTypeState, path: ColumnPath, matching: Matching) -> Iterator[Loss]:
    if isinstance(given, StructState) and isinstance(wanted, StructState):
        if matching.fields and _are_moved(given, wanted):
            yield Loss(path, SWAPPED)
        else:
            yield from losses(given.fields, wanted.fields, matching.below, path)
    elif same_kind(given, wanted):
        inside = Matching(columns=True, fields=matching.inside, inside=matching.inside)
        yield from losses(children(given), children(wanted), inside, path)
    elif _is_refused(given, wanted):
        yield Loss(path, UNFIT)
    elif padded_length(given) != padded_length(wanted) or _is_lossy(given, wanted):
        yield Loss(path, ALTERED)


def _are_moved(given: StructState, wanted: StructState) -> bool:
    """Whether a field has the place of another field of both structs."""
    known = NameMap.of(wanted.fields)
    pairs = zip(given.fields, wanted.fields, strict=False)
    return any(not same_name(left.name, right.name) and left.name in known for left, right in pairs)


_LONGEST_TEXTS = {
    "boolean": 5,
    "tinyint": 4,
    "smallint": 6,
    "int": 11,
    "bigint": 20,
    "float": 15,
    "double": 24,
    "date": 10,
}
"""The most characters of a value as text, such as ``-2147483648``; of dates those up to the year 9999."""


def _is_refused(given: DataTypeState, wanted: DataTypeState) -> bool:
    limit = text_limit(wanted)
    if limit is None:
        return may_fail(given, wanted)
    longest = text_limit(given) or _LONGEST_TEXTS.get(str(given))
    sized = SIZED.fullmatch(str(given))
    if longest is None and sized is not None:
        # A sign, a point, and a zero before it.
        longest = int(sized[2]) + 1 + (sized[3] != "0") + (sized[3] == sized[2])
    return longest is None or longest > limit


_FLOATING = {"float": (24, 6), "double": (53, 15)}
"""The bits, and the decimal digits, that a floating-point number holds exactly."""

_MOMENTS = frozenset({"timestamp", "timestamp_ntz"})


def _is_lossy(given: DataTypeState, wanted: DataTypeState) -> bool:
    """Whether a cast keeps less than the value: digits, the time of a day, the names of fields."""
    if not isinstance(given, str) or not isinstance(wanted, str):
        return wanted != "variant"
    source, target = (str(plain(kind)).partition("(")[0].partition(" ")[0] for kind in (given, wanted))
    if source in _MOMENTS:
        return target not in {source, "string", "variant"}
    if target == "boolean":
        return source not in {"boolean", "string", "variant"}
    if target in _FLOATING:
        bits, digits = _FLOATING[target]
        sized = SIZED.fullmatch(given)
        is_longer = sized is not None and int(sized[2]) > digits
        return INTEGER_BITS.get(source, 0) > bits or (source, target) == ("double", "float") or is_longer
    return _scale(given) > (_scale(wanted) if target in {"decimal", *INTEGER_BITS} else _scale(given))


def _scale(number: str) -> int:
    sized = SIZED.fullmatch(number)
    return int(sized[3] or 0) if sized is not None else 0
