"""Which constraints of a contract rows break."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from pytest_delta_schema.delta.fields import SIZED
from pytest_delta_schema.delta.names import KEY, ColumnPath, folded
from pytest_delta_schema.state.expressions import failing_rows
from pytest_delta_schema.state.types import ArrayState, MapState, StructState, atoms_with_paths, not_null_paths
from pytest_delta_schema.test_kit.values import struct_fields

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.state.types import DataTypeState
    from pytest_delta_schema.test_kit.contract import Contract


ConstraintKind = Literal["not null", "length", "check", "primary key", "unique constraint"]
"""The kinds of constraints that rows can break by themselves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraint:
    """A constraint of a table.

    Args:
        kind: Its kind; ``length`` is that of a ``char`` or ``varchar``.
        name: The path of the column, or the name of the check or of the key.
    """

    kind: ConstraintKind
    name: str

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


def broken_constraints(contract: Contract, rows: Iterable[Mapping[str, Any]]) -> tuple[Constraint, ...]:
    """Return the constraints that rows break together, in the order of the model."""
    state = contract.state
    names = [folded(column.name) for column in state.columns]
    whole = [
        contract.with_table_values({folded(name): value for name, value in row.items()}, number)
        for number, row in enumerate(rows)
    ]
    for row in whole:
        contract.generate([row], names)
    checks = [check for check in state.checks if failing_rows(check.expression, whole, names)]
    keys = [key for key in state.keys if count_repeated([folded(name) for name in key.columns], whole)]
    return (
        *(
            constraint
            for constraint, path, length in column_constraints(state)
            if _is_broken(contract, path, length, whole)
        ),
        *(Constraint(kind="check", name=check.name) for check in checks),
        *(Constraint(kind=key.kind, name=key.name) for key in keys),
    )


def column_constraints(state: TableState) -> Iterator[tuple[Constraint, ColumnPath, int | None]]:
    """Yield each NOT NULL, and then each ``char`` and ``varchar``, at any depth, with its path and length."""
    for path in not_null_paths(state.columns):
        yield Constraint(kind="not null", name=str(path)), path, None
    for column in state.columns:
        for path, atom in atoms_with_paths(column.data_type, ColumnPath(column.name)):
            sized = SIZED.fullmatch(atom)
            if sized is not None and sized[1] != "decimal":
                yield Constraint(kind="length", name=str(path)), path, int(sized[2])


def values_at(value: Any, data_type: DataTypeState, parts: Sequence[str]) -> Iterator[Any]:
    """Yield the values at a path below a value; there are several in arrays and maps."""
    if value is None or not parts:
        yield value
    elif isinstance(data_type, ArrayState):
        for item in value:
            yield from values_at(item, data_type.element, parts[1:])
    elif isinstance(data_type, MapState):
        is_key = parts[0] == KEY
        for item in value if is_key else value.values():
            yield from values_at(item, data_type.key if is_key else data_type.value, parts[1:])
    elif isinstance(data_type, StructState):
        index = [folded(field.name) for field in data_type.fields].index(folded(parts[0]))
        item = struct_fields(value, data_type)[index]
        yield from values_at(item, data_type.fields[index].data_type, parts[1:])


def _is_broken(contract: Contract, path: ColumnPath, length: int | None, rows: Iterable[Mapping[str, Any]]) -> bool:
    """Whether a value of some rows is NULL, or longer than a length."""
    data_type = contract.columns[path.root].data_type
    values = [value for row in rows for value in values_at(row.get(path.folded[0]), data_type, path.fields)]
    if length is None:
        return None in values
    return any(isinstance(value, str) and len(value) > length for value in values)


def count_repeated(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> int:
    """Return how many rows have the values of an earlier row in a key; NULL equals nothing."""
    keys = [[row.get(name) for name in columns] for row in rows]
    counts = Counter(repr(key) for key in keys if None not in key)
    return sum(counts.values()) - len(counts)
