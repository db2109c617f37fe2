"""Give columns values, so rows satisfy the conditions of a contract."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.delta.names.column_path import column_path
from pytest_delta_schema.delta.names.folded_names import folded
from pytest_delta_schema.state.expressions.conditions import FLIPPED
from pytest_delta_schema.state.expressions.row_paths import value_at
from pytest_delta_schema.state.types import StructState
from pytest_delta_schema.test_kit.generation.domains import Choices, Texts, compared, domain_of, stored, tightened
from pytest_delta_schema.test_kit.generation.ranges import DAY, Range, point_of
from pytest_delta_schema.test_kit.plain_values import maker, number_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pytest_delta_schema.delta.names.column_path import ColumnPath
    from pytest_delta_schema.state.expressions.conditions import Comparator
    from pytest_delta_schema.state.types import ColumnState, DataTypeState
    from pytest_delta_schema.test_kit.generation.alternatives import Alternative
    from pytest_delta_schema.test_kit.generation.domains import Domain
    from pytest_delta_schema.test_kit.plain_values import Make

_UNCOUNTED = 100_000
"""Columns with more values never limit a key."""

_ABSENT: Any = object()


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Columns that take their values together: of one column, or of the rows of a parent."""

    columns: frozenset[str]
    cycle: int | None
    """After how many numbers their values begin again; ``None`` if that does not limit a key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class References:
    """A foreign key whose parents have rows."""

    columns: tuple[str, ...]
    values: tuple[tuple[Any, ...], ...]

    def fitting(self, row: Mapping[str, Any]) -> Sequence[tuple[Any, ...]]:
        """Return the values that agree with those which a row has already."""
        if row.keys().isdisjoint(self.columns):
            return self.values
        known = [(index, row[name]) for index, name in enumerate(self.columns) if name in row]
        return [values for values in self.values if all(values[index] == value for index, value in known)]


class Filler:
    """Makes the values of some columns in one way.

    The seed is that of all columns but those of keys. It is plain if it needs no NULL, and no value instead of a
    default.
    """

    def __init__(  # noqa: PLR0913 - the parts of one way
        self,
        columns: Sequence[ColumnState],
        alternative: Alternative,
        references: Sequence[References],
        keys: Iterable[Sequence[str]],
        seed: int,
        *,
        is_plain: bool,
    ) -> None:
        self.is_plain = is_plain
        referring = {name for key in references for name in key.columns}
        self._alternative = alternative
        self._references = references
        self._domains = {
            path: domain for path, domain in alternative.domains.items() if path.folded[0] not in referring
        }
        special = {path.folded[0] for path in (*alternative.domains, *alternative.nulls)}
        self._plain = [
            (folded(column.name), maker(column.data_type, column.name))
            for column in columns
            if folded(column.name) not in special | referring
        ]
        self._special = [column for column in columns if folded(column.name) in special - referring]
        self._makers: dict[ColumnPath, Make] = {}
        self._seed = seed
        keys = [tuple(key) for key in keys]
        self._in_keys = {name for key in keys for name in key}
        self._sources = list(self._all_sources(columns, referring))
        self._divisors: dict[str, int] = {}
        self.capacities = [self._capacity(key) for key in keys]

    def fill(self, row: dict[str, Any], position: int) -> bool:
        """Add values to a row, and return whether there are some for this position, from 1."""
        for key in self._references:
            values = key.fitting(row)
            if not values:
                return False
            number = self._number(key.columns[0], position)
            row.update(zip(key.columns, values[(number - 1) % len(values)], strict=True))
        for name, make in self._plain:
            row[name] = make(self._number(name, position))
        chosen: dict[ColumnPath, Any] = {}
        for path, domain in self._domains.items():
            value = self._choose(path, domain, row, chosen, position)
            if value is None:
                return False
            chosen[path] = value
        chosen.update(dict.fromkeys(self._alternative.nulls))
        for column in self._special:
            name = folded(column.name)
            row[name] = self._composed(column, (name,), chosen, self._number(name, position))
        return True

    def _number(self, name: str, position: int) -> int:
        if name not in self._in_keys:
            return number_of(self._seed, name, position) if self._seed else position
        return (position - 1) // self._divisors.get(name, 1) + 1

    def _choose(
        self,
        path: ColumnPath,
        domain: Domain,
        row: Mapping[str, Any],
        chosen: Mapping[ColumnPath, Any],
        position: int,
    ) -> Any:
        """Return a value that compares with those of other columns; ``None`` if there is none for this position."""
        number = self._number(path.folded[0], position)
        known = [
            (operator, value)
            for operator, other in self._compared_with(path)
            if (value := chosen[other] if other in chosen else value_at(row, other)) is not None
        ]
        if isinstance(domain, Range):
            return _between(domain, known, number, is_key=path.folded[0] in self._in_keys)
        equal = [value for operator, value in known if operator == "="]
        if equal:
            return stored(domain, equal[0])
        if isinstance(domain, Texts):
            return _text_between(domain, known, number)
        value = domain.value(number)
        return domain.value(number + 1) if ("<>", value) in known else value

    def _compared_with(self, path: ColumnPath) -> Iterator[tuple[Comparator, ColumnPath]]:
        for relation in self._alternative.relations:
            if path == relation.left:
                yield relation.operator, relation.right
            elif path == relation.right:
                yield FLIPPED[relation.operator], relation.left

    def _composed(self, column: ColumnState, parts: tuple[str, ...], chosen: Mapping[Any, Any], number: int) -> Any:
        """Return the value of a column, or a field, of which parts are chosen."""
        path = column_path(*parts)
        value = chosen.get(path, _ABSENT)
        if value is not _ABSENT:
            return value
        data_type: DataTypeState = column.data_type
        if isinstance(data_type, StructState) and any(other.starts_with(path) for other in chosen):
            return {
                field.name: self._composed(field, (*parts, folded(field.name)), chosen, number)
                for field in data_type.fields
            }
        make = self._makers.get(path)
        if make is None:
            make = self._makers[path] = maker(data_type, column.name)
        return make(number)

    def _all_sources(self, columns: Sequence[ColumnState], referring: set[str]) -> Iterator[Source]:
        for key in self._references:
            yield Source(columns=frozenset(key.columns), cycle=len(key.values))
        for column in columns:
            name = folded(column.name)
            if name in self._in_keys and name not in referring:
                paths = [path for path in self._domains if path.folded == (name,)]
                domain = self._domains[paths[0]] if paths else domain_of(column.data_type, column.name)
                cycle = None if domain is None or (isinstance(domain, Texts) and not paths) else domain.cycle
                yield Source(columns=frozenset({name}), cycle=cycle if cycle and cycle < _UNCOUNTED else None)

    def _capacity(self, key: Sequence[str]) -> int | None:
        """Return how many rows a key allows, and let its columns count like the digits of a number.

        ``None`` if one of its columns has a new value for each row.
        """
        sources = [source for source in self._sources if source.columns.intersection(key)]
        cycles = [source.cycle for source in sources]
        if None in cycles or not sources:
            return None
        capacity = 1
        for source in reversed(sources):
            for name in source.columns:
                self._divisors.setdefault(name, capacity)
            capacity *= source.cycle or 1
        return capacity


def _between(domain: Range, known: Iterable[tuple[Comparator, Any]], number: int, *, is_key: bool) -> Any:
    """Return the value of a number that compares with known values; ``None`` if there is none."""
    narrowed = domain
    for operator, value in known:
        point = point_of(value, domain.scale.kind)
        if point is not None:
            narrowed = tightened(narrowed, operator, point, margin=_margin(domain, value))
    if narrowed.low > narrowed.high:
        return None
    for candidate in (number, number + 1):
        index = domain.index(candidate, is_key=is_key)
        if index is not None and narrowed.nearest(index) * domain.scale.step not in narrowed.excluded:
            return domain.scale.value(narrowed.nearest(index))
    return None


def _text_between(domain: Texts, known: Iterable[tuple[Comparator, Any]], number: int) -> Any:
    """Return the text of a number that compares with known values; ``None`` if there is none."""
    narrowed: Domain | None = domain
    for operator, value in known:
        narrowed = None if narrowed is None else compared(narrowed, operator, value)
    if not isinstance(narrowed, (Texts, Choices)):
        return None
    value = narrowed.value(number)
    return narrowed.value(number + 1) if value is None else value


def _margin(domain: Range, value: Any) -> Fraction:
    """Return how far a day and a timestamp stay apart: in other time zones days begin at other times."""
    is_instant = isinstance(value, datetime) and value.tzinfo is not None
    return DAY if domain.scale.kind == "time" and is_instant != bool(domain.scale.margin) else Fraction(0)
