"""Make the rows of a call one by one, until each satisfies the contract."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.delta.names.folded_names import folded
from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.report.text.text import counted
from pytest_delta_schema.state.expressions import ExpressionError, columns_in, failing_rows
from pytest_delta_schema.state.expressions.truth import truth
from pytest_delta_schema.test_kit.generation.alternatives import alternatives
from pytest_delta_schema.test_kit.generation.constraint_checks import count_repeated
from pytest_delta_schema.test_kit.generation.row_filler import Filler
from pytest_delta_schema.test_kit.generation.unsatisfiable import no_further_row, to_give, too_few_values

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from pytest_delta_schema.state.states import CheckState
    from pytest_delta_schema.state.types import ColumnState
    from pytest_delta_schema.test_kit.contract import Clause, Contract
    from pytest_delta_schema.test_kit.generation.parent_rows import ForeignKeys, SelfReference

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
        """Return complete rows; given values are by column in lower case.

        Raises:
            DeclarationError: If a check or a key cannot be satisfied.
        """
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
        """Record the keys of a row, and return whether they were free.

        A key of given columns alone may be repeated; ``None`` means that all are given.
        """
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
