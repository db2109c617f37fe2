"""The values that foreign keys may take: those of rows of their parents, or of earlier rows of the table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.delta.names import NameMap, folded
from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.models.names import QualifiedName, parse_name
from pytest_delta_schema.models.table import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_delta_schema.models.constraints import ForeignKey
    from pytest_delta_schema.state.states import TableState


def parent_rows(
    model: Table,
    state: TableState,
    parents: Mapping[Table | str, Iterable[Mapping[str, Any]]],
    given: Sequence[Mapping[str, Any]] = (),
) -> ForeignKeys:
    """Return how the foreign keys of a model get their values."""
    rows_by_name = listed_parents(state, parents)
    references: list[References] = []
    of_table: list[SelfReference] = []
    without_rows: set[str] = set()
    for key in model.foreign_keys:
        columns = tuple(map(folded, key.columns))
        targets = tuple(map(folded, key.parent_key or (model.primary_key if key.parent == model.name else ())))
        if key.parent in rows_by_name:
            values = _parent_values(state, key, targets, rows_by_name[key.parent])
            if values:
                references.append(References(columns=columns, values=values))
            elif not given or not all(row.keys() >= {*columns} for row in given):
                without_rows.update(_nullable(state, key, columns))
        elif key.parent == model.name and len(targets) == len(columns):
            of_table.append(SelfReference(columns=columns, targets=targets))
        elif _leads_back(key, model.name):
            without_rows.update(name for name in columns if NameMap.of(state.columns)[name].is_nullable)
    return ForeignKeys(references=tuple(references), of_table=tuple(of_table), without_rows=frozenset(without_rows))


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignKeys:
    """How the foreign keys of a table get their values."""

    references: tuple[References, ...] = ()
    of_table: tuple[SelfReference, ...] = ()
    without_rows: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class SelfReference:
    """A foreign key to the table itself."""

    columns: tuple[str, ...]
    targets: tuple[str, ...]


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


def listed_parents(
    state: TableState, parents: Mapping[Table | str, Iterable[Mapping[str, Any]]]
) -> dict[QualifiedName, list[Any]]:
    """Return the rows of parents, given by their model or its dotted name, as lists by the names of the parents."""
    given: object = parents
    if not isinstance(given, Mapping):
        msg = f"{state.name}: parents is {given!r}; give the rows of each parent: parents={{customers: rows}}"
        raise DeclarationError(msg)
    listed = {}
    for parent, rows in given.items():
        if not isinstance(parent, (Table, str)):
            msg = f"{state.name}: parents has the key {parent!r}; give the Table of the parent, or its dotted name"
            raise DeclarationError(msg)
        name = parent.name if isinstance(parent, Table) else parse_name(parent)
        if not isinstance(rows, Iterable):
            msg = f"{state.name}: parents has {rows!r} for {name}; give its rows, such as rows_of(parent, 3)"
            raise DeclarationError(msg)
        listed[name] = list(rows)
    return listed


def _parent_values(
    state: TableState, key: ForeignKey, targets: tuple[str, ...], rows: list[Any]
) -> tuple[tuple[Any, ...], ...]:
    """Return the values of the parent's key, each once; rows with NULL in it do not count."""
    columns = ", ".join(key.columns)
    if not targets:
        msg = f"{state.name}: foreign key ({columns}) does not name the columns of {key.parent}; add parent_columns=..."
        raise DeclarationError(msg)
    values: dict[str, tuple[Any, ...]] = {}
    for row in rows:
        given = row.asDict() if hasattr(row, "asDict") else row  # a Row of Spark, or a dict
        if not isinstance(given, Mapping):
            msg = f"{state.name}: a row of {key.parent} is {row!r}; give dicts of values by column"
            raise DeclarationError(msg)
        by_name = NameMap((str(name), value) for name, value in given.items())
        missing = [name for name in targets if name not in by_name]
        if missing:
            fact = f"the rows of {key.parent} have no {', '.join(missing)}, which foreign key ({columns}) references"
            msg = f"{state.name}: {fact}; give rows that have it"
            raise DeclarationError(msg)
        value = tuple(by_name[name] for name in targets)
        if None not in value:
            values.setdefault(repr(value), value)
    return tuple(values.values())


def _nullable(state: TableState, key: ForeignKey, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the columns of a foreign key without parents that may be NULL; there has to be one."""
    columns = NameMap.of(state.columns)
    nullable = tuple(name for name in names if columns[name].is_nullable)
    if not nullable:
        fact = f"there are no rows of {key.parent}, and foreign key ({', '.join(key.columns)}) is NOT NULL"
        msg = f"{state.name}: {fact}; give rows of the parent"
        raise DeclarationError(msg)
    return nullable


def _leads_back(key: ForeignKey, name: QualifiedName) -> bool:
    """Whether the foreign keys of a parent lead back to a table."""
    waiting, seen = [key], set()
    while waiting:
        key = waiting.pop()
        if key.parent == name:
            return True
        if isinstance(key.references, Table) and key.parent not in seen:
            seen.add(key.parent)
            waiting.extend(key.references.foreign_keys)
    return False
