"""Which constraints of a contract rows break, and which values of columns meet its conditions."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice, product
from typing import TYPE_CHECKING, Any, Literal

from pytest_delta_schema.delta.fields import SIZED
from pytest_delta_schema.delta.names import KEY, ColumnPath, NameSet, folded
from pytest_delta_schema.state.expressions import ExpressionError, failing_rows
from pytest_delta_schema.state.expressions.conditions import (
    FLIPPED,
    AllOf,
    AnyOf,
    Comparison,
    Constant,
    Field,
    InList,
    IsNull,
    Length,
    Like,
    Value,
    used_columns,
    value_at,
)
from pytest_delta_schema.state.expressions.evaluation import like, truth
from pytest_delta_schema.state.types import ArrayState, MapState, StructState, atoms_with_paths, find, not_null_paths
from pytest_delta_schema.test_kit.values import Choices, Domain, Range, Texts, chosen, compared, domain_of, limited

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pytest_delta_schema.state.expressions.conditions import Atom, Comparator, Condition
    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.state.types import ColumnState, DataTypeState
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
        *_nulls(state, whole),
        *_lengths(state, whole),
        *(Constraint(kind="check", name=check.name) for check in checks),
        *(Constraint(kind=key.kind, name=key.name) for key in keys),
    )


def texts_with_length(columns: Iterable[ColumnState]) -> Iterator[tuple[ColumnPath, int]]:
    """Yield the path and length of each ``char`` and ``varchar``, at any depth."""
    for column in columns:
        for path, atom in atoms_with_paths(column.data_type, ColumnPath(column.name)):
            sized = SIZED.fullmatch(atom)
            if sized is not None and sized[1] != "decimal":
                yield path, int(sized[2])


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
        fields = [folded(field.name) for field in data_type.fields]
        index = fields.index(folded(parts[0]))
        # A struct that is the key of a map is a tuple.
        item = value[index] if isinstance(value, tuple) else value.get(data_type.fields[index].name)
        yield from values_at(item, data_type.fields[index].data_type, parts[1:])


def _nulls(state: TableState, rows: Sequence[Mapping[str, Any]]) -> Iterator[Constraint]:
    for path in not_null_paths(state.columns):
        if any(value_at(row, path) is None for row in rows):
            yield Constraint(kind="not null", name=str(path))


def _lengths(state: TableState, rows: Sequence[Mapping[str, Any]]) -> Iterator[Constraint]:
    for column in state.columns:
        for path, length in texts_with_length([column]):
            texts = [
                text
                for row in rows
                for text in values_at(row.get(folded(column.name)), column.data_type, path.fields)
                if isinstance(text, str)
            ]
            if any(len(text) > length for text in texts):
                yield Constraint(kind="length", name=str(path))


def count_repeated(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> int:
    """Return how many rows have the values of an earlier row in a key; NULL equals nothing."""
    keys = [[row.get(name) for name in columns] for row in rows]
    counts = Counter(repr(key) for key in keys if None not in key)
    return sum(counts.values()) - len(counts)


_MOST_ALTERNATIVES = 200
"""How many alternatives are tried."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """A comparison between two columns."""

    left: ColumnPath
    operator: Comparator
    right: ColumnPath


@dataclass(slots=True, kw_only=True)
class Alternative:
    """One way to meet conditions."""

    domains: dict[ColumnPath, Domain] = field(default_factory=dict)
    """The domains of the columns and fields that it constrains, in the order in which they get values."""
    nulls: list[ColumnPath] = field(default_factory=list)
    filled: list[ColumnPath] = field(default_factory=list)
    relations: list[Relation] = field(default_factory=list)


class _NoValueError(Exception):
    """No value meets the conditions, or one is not understood."""


def alternatives(conditions: Iterable[Condition], columns: Sequence[ColumnState]) -> list[Alternative]:
    """Return the ways to meet all of some conditions, those with the fewest NULLs first; a few at most."""
    made = []
    free = NameSet.of(columns)
    for atoms in islice(_expanded(AllOf(tuple(conditions))), _MOST_ALTERNATIVES):
        try:
            made.append(_alternative([atom for atom in atoms if _is_free(atom, free)], columns))
        except (_NoValueError, ExpressionError):
            continue
    return sorted(made, key=lambda alternative: len(alternative.nulls))


def _expanded(condition: Condition) -> Iterator[tuple[Atom, ...]]:
    """Yield the comparisons of each alternative."""
    match condition:
        case AllOf():
            # Parts that have alternatives are expanded one by one, so the first alternatives cost nothing.
            for combination in product(
                *(list(islice(_expanded(part), _MOST_ALTERNATIVES)) for part in condition.parts)
            ):
                yield tuple(atom for atoms in combination for atom in atoms)
        case AnyOf():
            for part in condition.parts:
                yield from _expanded(part)
        case InList(operand=Length(), is_negated=False):
            for value in condition.values:
                yield (Comparison(condition.operand, "=", Value(value)),)
        case _:
            yield (condition,)


def _is_free(atom: Atom, free: NameSet) -> bool:
    """Whether an atom is about columns whose values are chosen."""
    used = used_columns(atom)
    return not used or any(name in free for name in used)


def _alternative(atoms: Iterable[Atom], columns: Sequence[ColumnState]) -> Alternative:
    made = Alternative()
    for atom in atoms:
        _add_atom(atom, made, columns)
    free = NameSet.of(columns)
    for path in [path for relation in made.relations for path in (relation.left, relation.right)]:
        if path not in made.domains and path.root in free:
            made.domains[path] = _whole_domain(path, columns)
    values = (*made.domains, *made.filled)
    if any(value.starts_with(null) for value in values for null in made.nulls):
        raise _NoValueError
    if any(not _may_be_null(path, columns) for path in made.nulls):
        raise _NoValueError
    _propagate(made)
    made.domains = {path: made.domains[path] for path in _in_order(made)}
    return made


def _add_atom(atom: Atom, made: Alternative, columns: Sequence[ColumnState]) -> None:  # noqa: C901 - one form a kind
    match atom:
        case Constant() | Comparison(left=Value()):
            if truth(atom, {}) is not True:
                raise _NoValueError
        case IsNull():
            (made.filled if atom.is_negated else made.nulls).append(atom.path)
        case Comparison(left=Field(path), right=Value(value)):
            _narrow(made, path, columns, lambda domain: compared(domain, atom.operator, value))
        case Comparison(left=Field(left), right=Field(right)):
            made.relations.append(Relation(left=left, operator=atom.operator, right=right))
        case Comparison(left=Length(path), right=Value(value)):
            _narrow(made, path, columns, lambda domain: _of_length(domain, atom.operator, value))
        case InList(operand=Field(path)):
            _narrow(made, path, columns, lambda domain: _among(domain, atom))
        case InList(operand=Length(path)):
            for value in atom.values:
                _add_atom(Comparison(Length(path), "<>", Value(value)), made, columns)
        case Like():
            _narrow(made, atom.path, columns, lambda domain: _matching(domain, atom))


def _narrow(made: Alternative, path: ColumnPath, columns: Sequence[ColumnState], change: Any) -> None:
    domain = change(made.domains.get(path) or _whole_domain(path, columns))
    if domain is None:
        raise _NoValueError
    made.domains[path] = domain


def _whole_domain(path: ColumnPath, columns: Sequence[ColumnState]) -> Domain:
    column = find(columns, path)
    domain = None if column is None else domain_of(column.data_type, column.name)
    if domain is None:
        raise _NoValueError
    return domain


def _may_be_null(path: ColumnPath, columns: Sequence[ColumnState]) -> bool:
    column = find(columns, path)
    return column is not None and column.is_nullable


def _among(domain: Domain, atom: InList) -> Domain | None:
    if not atom.is_negated:
        return chosen(domain, atom.values, [])
    left: Domain | None = domain
    for value in atom.values:
        left = None if left is None or value is None else compared(left, "<>", value)
    return left


def _matching(domain: Domain, atom: Like) -> Domain | None:
    if isinstance(domain, Choices):
        kept = tuple(value for value in domain.values if like(atom.pattern, value) is not atom.is_negated)
        return Choices(values=kept) if kept else None
    if isinstance(domain, Range):
        return None
    if atom.is_negated:
        return replace(domain, others=(*domain.others, atom.pattern))
    # The first pattern makes the texts, so the longest one comes first.
    patterns = sorted((*domain.patterns, atom.pattern), key=len, reverse=True)
    return replace(domain, patterns=tuple(patterns))


def _of_length(domain: Domain, operator: Comparator, value: Any) -> Domain | None:
    if isinstance(domain, Choices):
        kept = [text for text in domain.values if isinstance(text, str)]
        lengths = chosen(Choices(values=tuple(map(len, kept))), tuple(map(len, kept)), [(operator, value)])
        inside = tuple(text for text in kept if lengths is not None and len(text) in lengths.values)
        return Choices(values=inside) if inside else None
    if isinstance(domain, Range):
        return None
    lengths_left = compared(domain.lengths, operator, value)
    return replace(domain, lengths=lengths_left) if isinstance(lengths_left, Range) else None


def _propagate(made: Alternative) -> None:
    """Narrow ranges by their comparisons with other ranges."""
    for _ in range(len(made.relations) + 1):
        for relation in made.relations:
            pairs = [
                (relation.left, relation.operator, relation.right),
                (relation.right, FLIPPED[relation.operator], relation.left),
            ]
            for path, operator, other in pairs:
                domain, limit = made.domains.get(path), made.domains.get(other)
                if isinstance(domain, Texts) and limit is not None:
                    _narrow(made, path, (), partial(limited, operator=operator, other=limit))
                if isinstance(domain, Range) and isinstance(limit, Range) and domain.scale.kind == limit.scale.kind:
                    step = limit.scale.step
                    narrowed = domain
                    if operator in ("<", "<=", "="):
                        narrowed = narrowed.at_most(limit.high * step, is_strict=operator == "<")
                    if operator in (">", ">=", "="):
                        narrowed = narrowed.at_least(limit.low * step, is_strict=operator == ">")
                    if narrowed.low > narrowed.high:
                        raise _NoValueError
                    made.domains[path] = narrowed


def _in_order(made: Alternative) -> list[ColumnPath]:
    """Return paths so that lesser columns come before greater ones, and those with few choices before all."""
    greater: dict[ColumnPath, set[ColumnPath]] = {path: set() for path in made.domains}
    for relation in made.relations:
        if relation.left in greater and relation.right in greater:
            if relation.operator in ("<", "<="):
                greater[relation.right].add(relation.left)
            elif relation.operator in (">", ">="):
                greater[relation.left].add(relation.right)
    ordered: dict[ColumnPath, None] = {}

    def visit(path: ColumnPath, above: frozenset[ColumnPath]) -> None:
        for lesser in sorted(greater[path] - above):
            visit(lesser, above | {path})
        ordered[path] = None

    for path in sorted(made.domains, key=lambda path: not isinstance(made.domains[path], Choices)):
        visit(path, frozenset({path}))
    return list(ordered)
