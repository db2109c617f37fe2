"""Rows that satisfy the contract of a model: values for its columns, keys and foreign keys."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.assertions.tracebacks import hides_traceback
from pytest_delta_schema.configuration.settings import current_settings
from pytest_delta_schema.delta.names import NameMap, column_path, folded
from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.diagnostics.text import counted
from pytest_delta_schema.engine.declarations import declared, validator_of
from pytest_delta_schema.models.arguments import refuse_kind
from pytest_delta_schema.models.names import QualifiedName, parse_name
from pytest_delta_schema.models.table import Table
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.state.expressions import ExpressionError, columns_in, failing_rows
from pytest_delta_schema.state.expressions.conditions import FLIPPED, value_at
from pytest_delta_schema.state.expressions.evaluation import truth
from pytest_delta_schema.state.types import StructState, find, not_null_paths
from pytest_delta_schema.test_kit.constraints import alternatives, count_repeated
from pytest_delta_schema.test_kit.contract import contract_of, known_columns
from pytest_delta_schema.test_kit.values import (
    DAY,
    Choices,
    Range,
    Texts,
    compared,
    domain_of,
    maker,
    number_of,
    point_of,
    stored,
    tightened,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from pytest_delta_schema.delta.names import ColumnPath
    from pytest_delta_schema.models.constraints import ForeignKey
    from pytest_delta_schema.state.expressions.conditions import Comparator
    from pytest_delta_schema.state.states import CheckState, KeyState, TableState
    from pytest_delta_schema.state.types import ColumnState, DataTypeState
    from pytest_delta_schema.test_kit.constraints import Alternative
    from pytest_delta_schema.test_kit.contract import Clause, Contract
    from pytest_delta_schema.test_kit.values import Domain, Make


Row = dict[str, Any]
"""One row: values by column name, as the model spells it."""


@hides_traceback
def rows_of(
    model: Table,
    rows: int | Iterable[Mapping[str, Any]] = 3,
    *,
    seed: int = 0,
    parents: Mapping[Table | str, Iterable[Mapping[str, Any]]] | None = None,
    **columns: Any,
) -> list[Row]:
    """Return rows that satisfy the contract of a model: types, NOT NULL, lengths, checks and keys.

    Values are plain: numbers and keys count up from 1, texts are the column's name with a number, days follow
    2024-01-01. Nothing is NULL unless a check demands it. Columns that the table fills itself, by a default, an
    identity or an expression, are left out, unless a key or a check needs another value than the default. Foreign keys
    take the rows of ``parents`` in turn, and of these the ones that agree with given values; those to the table itself
    point at an earlier row, or are NULL; those to a parent that references the table are NULL if they may be; all
    others have plain values.

    Args:
        model: The contract.
        rows: How many rows; or rows to complete, as dictionaries by column name that leave columns out.
        seed: The same seed gives the same rows on every machine and version of Python; a different seed gives other
            values in columns that are in no key.
        parents: Rows of the tables that foreign keys reference, by their model or its dotted name.
        **columns: Values of columns that a row does not give: one value for all rows, or a function that returns the
            value for a position, counted from 0. A list is one value. They are not changed, even if a check refuses
            them. Names are compared without case, so a column ``rows`` is given as ``ROWS=``.

    Raises:
        DeclarationError: If a column does not exist, an argument cannot be used, or a check or a key cannot be
            satisfied; the text names it, and the columns to give.
        InvalidModelError: If the declaration breaks rules.
    """
    state = valid_state(model, "rows_of")
    for_all = known_columns(state, columns)
    given = [
        {**{name: value(position) if callable(value) else value for name, value in for_all.items()}, **row}
        for position, row in enumerate(_given_rows(state, rows))
    ]
    return made_rows(model, state, given, seed=seed, parents=parents)


def valid_state(model: Table, function: str) -> TableState:
    """Return what a model declares."""
    if not isinstance(model, Table):
        refuse_kind(function, "a Table", model, "give the Table that declares the rows")
    settings = current_settings()
    contract = declared(model, settings)
    validator_of(settings).validate_models([contract])
    return desired_state(contract)


def made_rows(
    model: Table,
    state: TableState,
    given: list[Row],
    *,
    seed: int = 0,
    parents: Mapping[Table | str, Iterable[Mapping[str, Any]]] | None = None,
) -> list[Row]:
    """Return rows with values for all columns that the table does not fill."""
    lines = [
        f"{state.name}: column {path} is of type void and NOT NULL, so there are no rows; let it be NULL"
        for path in not_null_paths(state.columns)
        if (column := find(state.columns, path)) is not None and column.data_type == "void"
    ]
    if lines and given:
        raise DeclarationError("\n".join(lines))
    maker = RowMaker(contract_of(state), parent_rows(model, state, parents or {}, given), seed)
    return maker.rows(given)


def _given_rows(state: TableState, rows: object) -> Iterator[Row]:
    """Yield the values that each row is given, by column in lower case: none, if ``rows`` is their number."""
    if isinstance(rows, int):
        if isinstance(rows, bool) or rows < 0:
            msg = f"{state.name}: the number of rows is {rows!r}; give an int of at least 0"
            raise DeclarationError(msg)
        yield from ({} for _ in range(rows))
        return
    if isinstance(rows, (str, Mapping)) or not isinstance(rows, Iterable):
        refuse_kind("rows_of", "a number of rows, or rows to complete", rows, "give an int, or a list of dicts")
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, Mapping):
            msg = f"{state.name}: row {number} is {row!r}; give a dict of values by column"
            raise DeclarationError(msg)
        yield known_columns(state, row)


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
        name = _parent_name(state, parent)
        if not isinstance(rows, Iterable):
            msg = f"{state.name}: parents has {rows!r} for {name}; give its rows, such as rows_of(parent, 3)"
            raise DeclarationError(msg)
        listed[name] = list(rows)
    return listed


def _parent_name(state: TableState, parent: object) -> QualifiedName:
    if isinstance(parent, Table):
        return parent.name
    if isinstance(parent, str):
        return parse_name(parent)
    msg = f"{state.name}: parents has the key {parent!r}; give the Table of the parent, or its dotted name"
    raise DeclarationError(msg)


def _parent_values(
    state: TableState, key: ForeignKey, targets: tuple[str, ...], rows: list[Mapping[str, Any]]
) -> tuple[tuple[Any, ...], ...]:
    """Return the values of the parent's key, each once; rows with NULL in it do not count."""
    columns = ", ".join(key.columns)
    if not targets:
        msg = f"{state.name}: foreign key ({columns}) does not name the columns of {key.parent}; add parent_columns=..."
        raise DeclarationError(msg)
    values: dict[str, tuple[Any, ...]] = {}
    for row in rows:
        by_name = NameMap((str(name), value) for name, value in _as_dict(state, key, row).items())
        missing = [name for name in targets if name not in by_name]
        if missing:
            fact = f"the rows of {key.parent} have no {', '.join(missing)}, which foreign key ({columns}) references"
            msg = f"{state.name}: {fact}; give rows that have it"
            raise DeclarationError(msg)
        value = tuple(by_name[name] for name in targets)
        if None not in value:
            values.setdefault(repr(value), value)
    return tuple(values.values())


def _as_dict(state: TableState, key: ForeignKey, row: Any) -> Mapping[str, Any]:
    if isinstance(row, Mapping):
        return row
    if hasattr(row, "asDict"):
        return row.asDict()  # type: ignore[no-any-return]  # a Row of Spark
    msg = f"{state.name}: a row of {key.parent} is {row!r}; give dicts of values by column"
    raise DeclarationError(msg)


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


_MOST_TRIES = 2000
"""How many positions are tried for one row, beyond what a key allows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Given:
    """The columns of a row that have values before it is completed."""

    columns: frozenset[str]
    references: frozenset[int]


class RowMaker:
    """Makes the rows of one call."""

    def __init__(self, contract: Contract, foreign_keys: ForeignKeys, seed: int) -> None:
        self._contract = contract
        self._foreign_keys = foreign_keys
        self._seed = seed
        self._keys = [(key, tuple(map(folded, key.columns))) for key in contract.state.keys]
        self._taken: list[set[str]] = [set() for _ in self._keys]
        self._ways: dict[_Given, list[Filler]] = {}
        self._made: list[dict[str, Any]] = []
        referring = {name for key in foreign_keys.references for name in key.columns}
        in_keys = {*contract.sources(self._key_columns()), *referring}
        self._left_out = frozenset(
            folded(column.name)
            for column in contract.state.columns
            if column.value is not None and not (column.value.default is not None and folded(column.name) in in_keys)
        )

    def rows(self, given: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return complete rows; given values are by column in lower case."""
        for row in given:
            self._take(row)
        position = 0
        for number, row in enumerate(given):
            position = self._complete(row, position + 1, number, len(given))
        self._require_late_checks(given)
        self._require_late_keys(given)
        names = [(column.name, folded(column.name)) for column in self._contract.state.columns]
        return [{name: row[key] for name, key in names if key in row} for row in self._made]

    def _complete(self, given: dict[str, Any], first: int, number: int, rows: int) -> int:
        """Add a complete row, and return its position."""
        known = self._known(given)
        clauses = [
            clause for clause in self._contract.clauses if not clause.columns or not clause.columns <= known.columns
        ]
        ways = self._ways_for(known, clauses)
        # The ways without NULLs take turns, so rows differ.
        plain = sum(way.is_plain for way in ways)
        capacity = max((size or 0 for way in ways for size in way.capacities), default=0)
        is_met = False
        for position in range(first, first + _MOST_TRIES + 2 * capacity):
            turn = position // 2 % max(1, plain)
            for way in (*ways[turn:plain], *ways[:turn], *ways[plain:]):
                row = dict(given)
                if not way.fill(row, position):
                    continue
                for whole in self._with_self_references(row, number):
                    if not self._is_met(whole, clauses, number):
                        continue
                    if self._take(whole, given):
                        self._made.append(whole)
                        return position
                    is_met = True
        # A row that only a key refuses shows that the checks are solved.
        raise DeclarationError(self._failure(clauses, known, ways, rows, is_solved=is_met))

    def _known(self, given: dict[str, Any]) -> _Given:
        references = [number for number, key in enumerate(self._foreign_keys.references) if key.fitting(given)]
        return _Given(columns=frozenset(given), references=frozenset(references))

    def _ways_for(self, given: _Given, clauses: Sequence[Clause]) -> list[Filler]:
        """Return the ways to complete a row: those that leave defaults to the table come first."""
        if given not in self._ways:
            left_out = self._left_out - given.columns
            filled = {name for name in left_out if self._has_default(name)}
            unknown = {
                name
                for name in filled - self._contract.defaults.keys()
                if any(name in clause.columns for clause in clauses)
            }
            choices = [left_out - unknown] + ([left_out - filled] if filled != unknown else [])
            self._ways[given] = [
                way
                for number, chosen in enumerate(choices)
                for way in self._fillers(given, chosen, clauses, is_first=number == 0)
            ]
        return self._ways[given]

    def _fillers(
        self, given: _Given, left_out: frozenset[str], clauses: Sequence[Clause], *, is_first: bool = True
    ) -> Iterator[Filler]:
        skipped = given.columns | left_out
        nulls = self._foreign_keys.without_rows
        of_table = {name for key in self._foreign_keys.of_table for name in key.columns} - self._key_columns()
        columns = [
            column for column in self._contract.state.columns if folded(column.name) not in skipped | nulls | of_table
        ]
        names = {folded(column.name) for column in columns}
        references = [
            key
            for number, key in enumerate(self._foreign_keys.references)
            if number in given.references
            and not names.isdisjoint(key.columns)
            and names >= {*key.columns} - given.columns
        ]
        keys = [columns for _, columns in self._keys]
        referring = {name for key in references for name in key.columns}
        free = [column for column in columns if folded(column.name) not in referring]
        for alternative in alternatives((clause.condition for clause in clauses), free):
            is_plain = is_first and not alternative.nulls
            yield Filler(columns, alternative, references, keys, self._seed, is_plain=is_plain)

    def _with_self_references(self, row: dict[str, Any], number: int) -> Iterator[dict[str, Any]]:
        """Yield a row with its references to the table itself: to an earlier row, NULL, or to the row itself."""
        keys = [key for key in self._foreign_keys.of_table if not row.keys() >= set(key.columns)]
        nulls = dict.fromkeys(name for name in self._foreign_keys.without_rows if name not in row)
        row.update(nulls)
        if not keys:
            yield row
            return
        earlier = self._made[(number - 1) // 2] if number else None
        for target in (earlier, None, row):
            whole = dict(row)
            if all(self._points(whole, key, target) for key in keys):
                yield whole

    def _points(self, row: dict[str, Any], key: SelfReference, target: dict[str, Any] | None) -> bool:
        """Point a foreign key at a row of the same table, and return whether it can."""
        for name, other in zip(key.columns, key.targets, strict=True):
            if target is None:
                if name not in row and not self._contract.columns[name].is_nullable:
                    return False
                row.setdefault(name, None)
            elif other not in target or row.setdefault(name, target[other]) != target[other]:
                return False
        return True

    def _is_met(self, row: dict[str, Any], clauses: Iterable[Clause], number: int) -> bool:
        whole = self._contract.with_table_values(row, number)
        try:
            return all(truth(clause.condition, whole) is True for clause in clauses)
        except ExpressionError:
            return False

    def _take(self, row: dict[str, Any], given: Collection[str] | None = None) -> bool:
        """Record the keys of a row, and return whether they were free."""
        taken = []
        for (_, columns), seen in zip(self._keys, self._taken, strict=True):
            values = [row.get(name) for name in columns]
            if None in values:
                continue
            text = repr(values)
            if text in seen and given is not None and not all(name in given for name in columns):
                return False
            taken.append((seen, text))
        for seen, text in taken:
            seen.add(text)
        return True

    def _require_late_checks(self, given: Sequence[dict[str, Any]]) -> None:
        """Make sure that rows meet the checks that could not be solved."""
        state = self._contract.state
        names = [folded(column.name) for column in state.columns]
        lines = []
        for check in self._contract.late:
            used = [name for name in columns_in(check.expression) if name in self._contract.columns]
            sources = self._contract.sources(used)
            rows = [
                self._contract.with_table_values(row, number)
                for number, row in enumerate(self._made)
                if not any(given[number].keys() >= {*columns} for columns in (used, sources))
            ]
            columns = to_give(self._contract, sources, given[0] if given else {})
            try:
                self._contract.generate(rows, used)
                broken = failing_rows(check.expression, rows, names)
                reason = f"the plain values do not meet it in {counted(len(broken), 'row')}"
            except ExpressionError:
                broken, reason = [0], "it cannot be evaluated without Spark"
            if broken:
                lines.append(
                    f"{state.name}: check {check.name} ({check.expression}) is not solved: {reason}; {columns}"
                )
        if lines:
            raise DeclarationError("\n".join(lines))

    def _require_late_keys(self, given: Sequence[dict[str, Any]]) -> None:
        """Make sure that rows differ in keys with generated columns, where these are known without Spark."""
        lines = []
        for key, columns in self._keys:
            sources = self._contract.sources(columns)
            rows = [
                self._contract.with_table_values(row, number)
                for number, row in enumerate(self._made)
                if not self._contract.generated.keys().isdisjoint(columns) and not given[number].keys() >= {*sources}
            ]
            with suppress(ExpressionError):
                self._contract.generate(rows, columns)
            number = count_repeated(columns, rows)
            if number:
                fact = f"the plain values repeat it in {counted(number, 'row')}"
                remedy = to_give(self._contract, sources, given[0])
                names = ", ".join(key.columns)
                lines.append(f"{self._contract.state.name}: {key.kind} ({names}) is not solved: {fact}; {remedy}")
        if lines:
            raise DeclarationError("\n".join(lines))

    def _failure(
        self, clauses: Sequence[Clause], given: _Given, ways: Sequence[Filler], rows: int, *, is_solved: bool
    ) -> str:
        """Return the message that names the check, or the key, that no row satisfies."""
        state = self._contract.state
        for (key, _), sizes in zip(self._keys, zip(*(way.capacities for way in ways), strict=True), strict=False):
            known = [size for size in sizes if size is not None]
            if len(known) == len(sizes) and sum(known) < rows:
                return too_few_values(self._contract, key, max(known), clauses, rows)
        unsolved = [] if is_solved else list(clauses)
        for clause in clauses if not ways else ():
            # A clause without which no row is possible, either, is not the reason.
            others = [other for other in unsolved if other is not clause]
            if not list(self._fillers(given, frozenset(), others)):
                unsolved = others
        columns: dict[CheckState, set[str]] = {}
        for clause in unsolved:
            columns.setdefault(clause.check, set()).update(clause.columns)
        lines = []
        for check, names in columns.items():
            remedy = to_give(self._contract, sorted(names), given.columns)
            lines.append(f"{state.name}: check {check.name} ({check.expression}) is not solved; {remedy}")
        references = [key for number, key in enumerate(self._foreign_keys.references) if number in given.references]
        return "\n".join(lines) or no_further_row(self._contract, [*references, *self._foreign_keys.of_table])

    def _has_default(self, name: str) -> bool:
        column: ColumnState = self._contract.columns[name]
        return column.value is not None and column.value.default is not None

    def _key_columns(self) -> set[str]:
        return {name for _, columns in self._keys for name in columns}


_UNCOUNTED = 100_000
"""Columns with more values never limit a key."""

_ABSENT: Any = object()


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Columns that take their values together: of one column, or of the rows of a parent."""

    columns: frozenset[str]
    cycle: int | None
    """After how many numbers their values begin again; ``None`` if that does not limit a key."""


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
        """Return how many rows a key allows, and let its columns count like the digits of a number."""
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


def too_few_values(contract: Contract, key: KeyState, size: int, clauses: Iterable[Clause], rows: int) -> str:
    """Return the message about a key that allows fewer rows than are asked for."""
    columns = {folded(name) for name in key.columns}
    checks = {clause.check.name for clause in clauses if clause.columns & columns}
    reason = f" under check {', '.join(sorted(checks))}" if checks else ""
    values = f"{_key_text(key)} has at most {counted(size, 'value')}{reason}"
    fact = f"{values}, but {counted(rows, 'row')} were requested"
    return f"{contract.state.name}: {fact}; ask for fewer rows, or give {', '.join(key.columns)}"


def no_further_row(contract: Contract, foreign_keys: Iterable[References | SelfReference]) -> str:
    """Return the message about keys that no further row satisfies together."""
    foreign = [[contract.columns[name].name for name in key.columns] for key in foreign_keys]
    keys = [*map(_key_text, contract.state.keys), *(f"foreign key ({', '.join(names)})" for names in foreign)]
    columns = dict.fromkeys(
        name for names in (*(key.columns for key in contract.state.keys), *foreign) for name in names
    )
    together = " together" if len(keys) > 1 else ""
    parents = ", or other rows of the parents" if foreign else ""
    fact = f"no further row is found that satisfies {' and '.join(keys)}{together}"
    return f"{contract.state.name}: {fact}; ask for fewer rows, or give {', '.join(columns)}{parents}"


def to_give(contract: Contract, columns: Sequence[str], given: Iterable[str]) -> str:
    """Return the remedy for a check, or a key, that some columns decide."""
    if not columns:
        return "no row meets it, so change the check"
    known = set(given)
    names = [contract.columns[name].name for name in columns if name not in known]
    others = [contract.columns[name].name for name in columns if name in known]
    another = f", or a different value for {' or '.join(others)}" if others else ""
    return f"give a value for {' or '.join(names)}{another}"


def _key_text(key: KeyState) -> str:
    return f"{key.kind} ({', '.join(key.columns)})"
