"""The search for rows: columns take one candidate after the other until checks and keys are met."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import chain, islice, product
from math import prod
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.delta.names import ColumnPath, NameMap, column_path, folded
from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.diagnostics.text import counted
from pytest_delta_schema.state.expressions import ExpressionError, columns_in
from pytest_delta_schema.state.expressions.conditions import Comparison, Field, InList, value_at
from pytest_delta_schema.state.expressions.parsing import literals_in
from pytest_delta_schema.state.types import StructState, find, plain
from pytest_delta_schema.test_kit.contract import Clause
from pytest_delta_schema.test_kit.parents import References, SelfReference
from pytest_delta_schema.test_kit.values import FIRST_HOUR, Values, changed, fitted, maker, nearest, number_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from pytest_delta_schema.state.states import CheckState, KeyState
    from pytest_delta_schema.state.types import ColumnState, DataTypeState
    from pytest_delta_schema.test_kit.contract import Contract, Row
    from pytest_delta_schema.test_kit.judging import Judge
    from pytest_delta_schema.test_kit.parents import ForeignKeys
    from pytest_delta_schema.test_kit.values import Make


_MOST_STEPS = 3000
"""How many values are tried for the columns of one row that checks and keys connect."""

_ROUNDS = ((1, 60), (2, 10), (3, 6), (50, 200))
"""How many columns may have another value than their first candidate, and how many candidates they have then."""

_MOST_TRIED = 10_000
"""After how many values no further position is tried for one row."""

_FEW_STEPS = 300
"""How many are tried to find out which check is not solved."""

_MOST_UNJUDGED = 100
"""After how many rows a check that could not be evaluated for any of them is given up."""

_MOST_POSITIONS = 200
"""How many positions are tried for one row, beyond as many as its keys may have taken."""

_MOST_QUERIES = 5
"""How often Spark judges what was tried for a row."""

_MOST_AHEAD = 10
"""For how many following rows values are tried before Spark judges them with those of a row."""

_FOLLOWING = 3
"""How many plain values are tried for one position."""

_MOST_DIGITS = 300
"""Columns with more values never limit a key."""


@dataclass(slots=True, kw_only=True)
class _Slot:
    """Columns that take their values together: one column or field, or those of a foreign key.

    Attributes:
        columns: The columns, in lower case.
        source: The path of the column or field, or the foreign key.
        single: The clauses that it decides alone.
        related: The other clauses that it has a part in.
        decided: Those of them, and the keys by number, that are known as soon as it has a value.
        values: The values that its single clauses accept, in every time zone or in one.
        divisor: How many positions in turn have the same value, so the columns of a key count like digits.
    """

    columns: tuple[str, ...]
    source: ColumnPath | References | SelfReference
    single: list[Clause] = field(default_factory=list)
    related: list[Clause] = field(default_factory=list)
    decided: list[Clause | int] = field(default_factory=list)
    divisor: int = 1
    values: dict[bool, Values] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """One way to complete rows with the same given columns."""

    left_out: frozenset[str]
    plain: list[tuple[str, Make]]
    fixed: list[Clause]
    """The clauses that no slot decides."""
    groups: list[list[_Slot]]
    """The slots, by the checks and keys that connect them."""
    has_nulls: bool = False
    is_strict: bool = False
    """Whether checks of instants have to be met in every time zone."""


class RowMaker:
    """Makes the rows of one call: columns take one candidate after the other until checks and keys are met."""

    def __init__(
        self,
        contract: Contract,
        foreign_keys: ForeignKeys,
        seed: int,
        made: Sequence[Row] = (),
        judge: Judge | None = None,
    ) -> None:
        self._contract = contract
        self._judge = judge
        self._foreign_keys = foreign_keys
        self._seed = seed
        self._keys = [(key, tuple(map(folded, key.columns))) for key in contract.state.keys]
        self._in_keys = {name for _, columns in self._keys for name in contract.sources(columns)}
        self._taken: list[set[str]] = [set() for _ in self._keys]
        self._plans: dict[Any, list[_Plan]] = {}
        self._judged: set[str] = set()
        self._unjudged: Counter[str] = Counter()
        self._most_steps = _MOST_STEPS
        self._made = [*made]
        self._steps = self._tried = 0
        self._is_refused_by_key = False

    def rows(self, given: Sequence[Row]) -> list[Row]:
        """Return complete rows; given values are by column in lower case."""
        for row in given:
            self._take(row)
        position = 0
        for index, row in enumerate(given):
            first, self._tried = position + 1, 0
            for position in range(first, first + _MOST_POSITIONS + len(given)):
                self._is_refused_by_key = False
                whole = self.complete(row, position)
                for _ in range(_MOST_QUERIES if whole is None else 0):
                    if whole is not None or not self._knows_more(given[index + 1 : index + 1 + _MOST_AHEAD], position):
                        break
                    whole = self.complete(row, position)
                if whole is not None or not self._is_refused_by_key or self._tried > _MOST_TRIED:
                    break
            if whole is None:
                raise DeclarationError(self._failure(row, position, len(given)))
            self._take(whole)
            self._made.append(whole)
        names = [(column.name, folded(column.name)) for column in self._contract.state.columns]
        return [{name: row[key] for name, key in names if key in row} for row in self._made]

    def _knows_more(self, following: Sequence[Row], position: int) -> bool:
        """Let Spark judge what was tried for a row, with what is tried for the following ones."""
        if self._judge is None or not self._judge.is_waiting:
            return False
        self._most_steps = _FEW_STEPS
        for number, row in enumerate(following, start=position + 1):
            self.complete(row, number)
        self._most_steps = _MOST_STEPS
        self._plans.clear()
        self._judge.judge()
        return True

    def complete(self, given: Row, position: int = 1) -> Row | None:
        """Return a row with values for the columns that are not given, in lower case; ``None`` if none is found."""
        nulls = dict.fromkeys(self._foreign_keys.without_rows)
        self._steps = self._most_steps
        for plan in self._plans_for(given):
            if plan.has_nulls and self._is_refused_by_key:
                return None
            filled = self._contract.with_table_values({}, len(self._made))
            base = {name: value for name, value in filled.items() if name in plan.left_out} | nulls | given
            for name, make in plan.plain:
                base[name] = make(number_of(self._seed, name, position) if self._seed else position)
            row = base if all(self._meets(clause, base, plan) for clause in plan.fixed) else None
            for slots in plan.groups:
                row = None if row is None else self._solved(slots, row, position, plan)
            if row is not None:
                for name in plan.left_out - given.keys():
                    row.pop(name, None)
                return row
        return None

    def _plans_for(self, given: Row) -> list[_Plan]:
        """Return the ways to complete a row: those that leave defaults to the table come first, and NULLs last."""
        fitting = [key for key in self._foreign_keys.references if key.fitting(given)]
        signature = frozenset(given), tuple(map(id, fitting))
        if signature not in self._plans:
            self._plans[signature] = [*self._new_plans(given.keys(), fitting)]
        return self._plans[signature]

    def _active(self, given: Collection[str]) -> list[Clause]:
        """Return the clauses that given values do not decide alone."""
        return [
            clause
            for clause in self._contract.clauses
            if not clause.columns
            or not any({*given}.issuperset(names) for names in (clause.columns, columns_in(clause.check.expression)))
        ]

    def _new_plans(self, given: Collection[str], fitting: Sequence[References]) -> Iterator[_Plan]:
        clauses = self._active(given)
        values = {folded(column.name): column.value for column in self._contract.state.columns if column.value}
        defaults = {name for name, value in values.items() if value.default is not None and name not in given}
        filled = values.keys() - defaults
        used = {name for clause in clauses for name in clause.columns}
        referring = {name for key in self._foreign_keys.references for name in key.columns}
        kept = frozenset(defaults) - self._in_keys - referring - self._foreign_keys.without_rows
        has_instants = any(clause.has_instants for clause in clauses)
        for left_out in dict.fromkeys((kept - (used - self._contract.defaults.keys()), kept - used)):
            plan = self._plan(given, left_out | filled, fitting, clauses)
            for has_nulls, is_strict in product((False, True), (True, False) if has_instants else (False,)):
                yield replace(plan, has_nulls=has_nulls, is_strict=is_strict)

    def _plan(
        self,
        given: Collection[str],
        left_out: frozenset[str],
        fitting: Sequence[References],
        clauses: Sequence[Clause],
    ) -> _Plan:
        known = {*given, *left_out, *self._foreign_keys.without_rows}
        columns = NameMap.of(column for column in self._contract.state.columns if folded(column.name) not in known)
        keys: list[References | SelfReference] = [*fitting, *self._foreign_keys.of_table]
        keys = [key for key in keys if any(name in columns for name in key.columns)]
        slots = [_Slot(columns=key.columns, source=key) for key in keys]
        chosen = {
            name for key in keys for name in key.columns if isinstance(key, References) or name not in self._in_keys
        }
        plain: list[tuple[str, Make]] = []
        for name in columns:
            column = columns[name]
            paths = {self._variable(path) for clause in clauses for path in clause.paths if path.folded[0] == name}
            if name in self._in_keys and not paths:
                paths = {column_path(name)}
            if name not in chosen:
                slots += [_Slot(columns=(name,), source=path) for path in sorted(paths)]
                if column_path(name) not in paths:
                    plain.append((name, maker(column.data_type, column.name)))
        fixed = [clause for clause in clauses if not self._decide(clause, slots, given)]
        constrained = {slot.columns[0]: slot for slot in slots if slot.single}
        slots.sort(key=lambda slot: self._rank(slot, constrained.get(slot.columns[0], slot)))
        for clause in clauses:
            for slot in [slot for slot in slots if clause in slot.related][-1:]:
                slot.decided.append(clause)
        for index, (_, names) in enumerate(self._keys):
            parts = [slot for slot in slots if {*slot.columns} & {*self._contract.sources(names)}]
            for slot in parts[-1:]:
                slot.decided.insert(0, index)
            self._count_digits(parts)
        return _Plan(left_out=left_out, plain=plain, fixed=fixed, groups=[*self._grouped(slots)])

    def _decide(self, clause: Clause, slots: Sequence[_Slot], given: Collection[str]) -> bool:
        """Add a clause to the slots that decide it, and return whether there are some."""
        paths = {*map(self._variable, clause.paths)}
        parts = [
            slot
            for slot in slots
            if (slot.source in paths if isinstance(slot.source, ColumnPath) else clause.columns & {*slot.columns})
        ]
        is_alone = len(parts) == len(clause.columns) == 1 and isinstance(parts[0].source, ColumnPath)
        for slot in parts:
            # The values that a column may have alone do not depend on what a row gives.
            is_single = is_alone and not any(path.folded[0] in given for path in paths)
            (slot.single if is_single else slot.related).append(clause)
        return bool(parts)

    def _variable(self, path: ColumnPath) -> ColumnPath:
        """Return the path of the column or field whose value is chosen for an expression that uses a path."""
        data_type: DataTypeState | None = None
        for length, prefix in enumerate(path.prefixes(), start=1):
            column = find(self._contract.state.columns, prefix)
            if column is None or (length > 1 and not isinstance(data_type, StructState)):
                break
            data_type, variable = column.data_type, prefix
        return column_path(*variable.folded)

    def _rank(self, slot: _Slot, constrained: _Slot) -> int:
        """Return when a slot gets its value: the fewer choices there are, the sooner."""
        if not isinstance(slot.source, ColumnPath):
            return 0 if isinstance(slot.source, References) else 4
        if not constrained.single:
            return 3
        return 1 if self._most_values(constrained) is not None else 2

    def _grouped(self, slots: Sequence[_Slot]) -> Iterator[list[_Slot]]:
        """Yield the slots that checks, keys and foreign keys connect."""
        connected = [clause.columns for slot in slots for clause in slot.related]
        connected += [frozenset(self._contract.sources(names)) for _, names in self._keys]
        connected += [frozenset((*key.columns, *key.targets)) for key in self._foreign_keys.of_table]
        waiting = [*slots]
        while waiting:
            names = {*waiting[0].columns}
            for _ in connected:
                names.update(
                    *(columns for columns in (*connected, *map(set, (s.columns for s in waiting))) if names & columns)
                )
            group = [slot for slot in waiting if names & {*slot.columns}]
            yield group
            waiting = [slot for slot in waiting if slot not in group]

    def _count_digits(self, slots: Sequence[_Slot]) -> None:
        """Let the columns of a key count like the digits of a number, if each of them has few values."""
        if len(slots) == 1:
            return
        sizes = [
            len(slot.source.values)
            if isinstance(slot.source, References)
            else self._values_of(slot, is_strict=False).size(_MOST_DIGITS)
            if isinstance(slot.source, ColumnPath)
            else None
            for slot in slots
        ]
        if None not in sizes:
            divisor = 1
            for slot, size in zip(reversed(slots), reversed(sizes), strict=True):
                slot.divisor = divisor
                divisor *= size or 1

    def _solved(self, slots: Sequence[_Slot], row: Row, position: int, plan: _Plan) -> Row | None:
        """Return a row with values for some slots that meet their clauses and keys; ``None`` if none are found.

        Rows in which few columns have another value than their first candidate come first.
        """
        self._steps = max(self._steps, _FEW_STEPS)
        rows = (self._extended(slots, row, position, plan, *limits) for limits in _ROUNDS)
        return next((row for row in rows if row is not None), None)

    def _extended(  # noqa: PLR0913, PLR0917 - one step of a search
        self, slots: Sequence[_Slot], row: Row, position: int, plan: _Plan, others: int, width: int
    ) -> Row | None:
        if not slots:
            return row
        candidates = self._candidates(slots[0], row, position, plan)
        for number, values in enumerate(islice(candidates, width if others else 1)):
            self._steps -= 1
            self._tried += 1
            if self._steps < 0:
                return None
            whole = {**row, **values}
            if all(self._meets(clause, whole, plan) for clause in slots[0].decided):
                solved = self._extended(slots[1:], whole, position, plan, others - (number > 0), width)
                if solved is not None:
                    return solved
        return None

    def _candidates(self, slot: _Slot, row: Row, position: int, plan: _Plan) -> Iterator[Row]:
        number = self._number(slot.columns[0], (position - 1) // slot.divisor + 1)
        if isinstance(slot.source, References):
            values = slot.source.fitting(row)
            for index in range(len(values)):
                yield dict(zip(slot.columns, values[(number - 1 + index) % len(values)], strict=True))
        elif isinstance(slot.source, SelfReference):
            yield from self._self_references(slot.source, row)
        else:
            root, *fields = slot.source.folded
            if fields and value_at(row, column_path(root, *fields[:-1])) is None:
                if all(self._meets(clause, row, plan) for clause in slot.single):
                    yield {}
                return
            for value in self._values_for(slot, row, number, plan):
                yield {root: self._placed(root, row.get(root), fields, value)}

    def _values_for(self, slot: _Slot, row: Row, number: int, plan: _Plan) -> Iterator[Any]:
        values = self._values_of(slot, is_strict=plan.is_strict)
        first = values.at(number - 1)
        if first is not None:
            yield first
        column = self._column(slot)
        others = {path for clause in slot.related for path in clause.paths if self._variable(path) != slot.source}
        known = self._readings(slot, (value_at(row, path) for path in sorted(others)))
        alike = [value for value in known if fitted(value, column.data_type) is not None]
        candidates = chain(
            nearest(column.data_type, column.name, alike) if alike else (),
            () if first is None else map(values.at, range(number, number + _FOLLOWING)),
            values.special(),
            nearest(column.data_type, column.name, (*known, *self._literals(slot))) if known else (),
        )
        seen = {repr(first)}
        for value in filter(values.accepts, candidates) if slot.related else candidates:
            text = repr(value)
            if text not in seen:
                seen.add(text)
                yield value
        is_wanted = plan.has_nulls and bool(slot.single or slot.related)
        if column.is_nullable and (is_wanted or first is None) and values.accepts(None):
            yield None

    def _column(self, slot: _Slot) -> ColumnState:
        assert isinstance(slot.source, ColumnPath)  # noqa: S101 - of a column or a field
        column = find(self._contract.state.columns, slot.source)
        assert column is not None  # noqa: S101 - a check uses it
        return column

    def _placed(self, root: str, whole: Any, fields: Sequence[str], value: Any) -> Any:
        if not fields:
            return value
        return changed(whole, self._contract.columns[root].data_type, fields, lambda _: value)

    def _literals(self, slot: _Slot) -> list[Any]:
        clauses = (*slot.single, *slot.related)
        literals = dict.fromkeys(value for clause in clauses for value in literals_in(clause.check.expression))
        return self._readings(slot, literals if self._judge is None else (*literals, FIRST_HOUR))

    def _readings(self, slot: _Slot, operands: Iterable[Any]) -> list[Any]:
        """Return operands, with what the times among them mean in the time zone of the session."""
        if self._judge is None or not any(clause.has_instants for clause in (*slot.single, *slot.related)):
            return [*operands]
        return self._judge.readings(operands)

    def _values_of(self, slot: _Slot, *, is_strict: bool) -> Values:
        if is_strict not in slot.values:
            assert isinstance(slot.source, ColumnPath)  # noqa: S101 - of a column or a field
            column = self._column(slot)
            root, *fields = slot.source.folded
            whole = maker(self._contract.columns[root].data_type, root)(1) if fields else None

            known: dict[str, bool] = {}

            def accepts(value: Any) -> bool:
                text = repr(value)
                if text not in known:
                    row = {root: self._placed(root, whole, fields, value)}
                    known[text] = all(self._is_met(clause, row, is_strict=is_strict) for clause in slot.single)
                return known[text]

            slot.values[is_strict] = Values(column.data_type, column.name, self._literals(slot), accepts)
        return slot.values[is_strict]

    def _self_references(self, key: SelfReference, row: Row) -> Iterator[Row]:
        """Yield the values of a foreign key to the table itself: of an earlier row, NULL, or of the row itself."""
        earlier = self._made[(len(self._made) - 1) // 2] if self._made else None
        for target in (earlier, None, row):
            if target is None:
                free = [name for name in key.columns if name not in row]
                if all(self._contract.columns[name].is_nullable for name in free):
                    yield dict.fromkeys(free)
            elif all(name in target for name in key.targets):
                values = dict(zip(key.columns, (target[name] for name in key.targets), strict=True))
                if all(row.get(name, value) == value for name, value in values.items()):
                    yield values

    def _meets(self, clause: Clause | int, row: Row, plan: _Plan) -> bool:
        if isinstance(clause, Clause):
            return self._is_met(clause, row, is_strict=plan.is_strict)
        text = self._key_values(clause, row)
        is_free = text is None or text not in self._taken[clause]
        self._is_refused_by_key |= not is_free
        return is_free

    def _is_met(self, clause: Clause, row: Row, *, is_strict: bool) -> bool:
        name, judge = clause.check.name, self._judge
        if judge is not None and clause.has_instants and not is_strict and not judge.is_in_utc:
            return judge.holds(clause.check, row)
        if self._unjudged[name] > _MOST_UNJUDGED and name not in self._judged:
            self._steps = -1
            return False
        try:
            is_met = self._contract.meets(clause, row, is_strict=is_strict)
        except ExpressionError:
            if judge is not None:
                return judge.holds(clause.check, row)
            self._unjudged[name] += 1
            return False
        if is_met or None not in (row.get(name) for name in clause.columns):
            self._judged.add(name)
        return is_met

    def _number(self, name: str, position: int) -> int:
        return position if name in self._in_keys else number_of(self._seed, name, position)

    def _take(self, row: Row) -> None:
        """Record the keys of a row."""
        for index, taken in enumerate(self._taken):
            text = self._key_values(index, row)
            if text is not None:
                taken.add(text)

    def _key_values(self, index: int, row: Row) -> str | None:
        """Return the values of a key as text; ``None`` if one is NULL, or known to the table only."""
        _, columns = self._keys[index]
        if not self._contract.generated.keys().isdisjoint(columns):
            row = dict(row)
            try:
                self._contract.generate([row], columns)
            except ExpressionError:
                return None
        values = [row.get(name) for name in columns]
        return None if None in values else repr(values)

    def _failure(self, given: Row, position: int, rows: int) -> str:
        """Return the message that names the check, or the key, that no row satisfies."""
        state = self._contract.state
        plan = self._plans_for(given)[-1]
        slots = [slot for group in plan.groups for slot in group]
        for key, columns in self._keys:
            sizes = [self._most_values(slot) for slot in slots if {*slot.columns} & {*columns}]
            if sizes and None not in sizes and prod(size or 0 for size in sizes) < rows:
                return too_few_values(
                    self._contract, key, prod(size or 0 for size in sizes), self._contract.clauses, rows
                )
        clauses = self._active(given.keys())
        unsolved = [] if self._has_row(given, clauses, position) else clauses
        for clause in clauses:
            # A clause without which no row is possible, either, is not the reason.
            others = [other for other in unsolved if other is not clause]
            if unsolved and not self._has_row(given, others, position):
                unsolved = others
        checks: dict[CheckState, set[str]] = {}
        for clause in unsolved:
            checks.setdefault(clause.check, set()).update(clause.columns)
        lines = []
        for check, names in checks.items():
            is_whole = any(clause.check == check and clause.condition is None for clause in unsolved)
            is_judged = check.name in self._judged or self._judge is not None
            reason = "" if is_judged or not is_whole else ": it cannot be evaluated without Spark"
            remedy = to_give(self._contract, sorted(names), given)
            lines.append(f"{state.name}: check {check.name} ({check.expression}) is not solved{reason}; {remedy}")
        foreign_keys = [slot.source for slot in slots if not isinstance(slot.source, ColumnPath)]
        return "\n".join(lines) or no_further_row(self._contract, foreign_keys)

    def _has_row(self, given: Row, clauses: Sequence[Clause], position: int) -> bool:
        """Whether a row is found that meets some clauses, whatever keys are taken."""
        contract = replace(self._contract, clauses=tuple(clauses))
        maker = RowMaker(contract, self._foreign_keys, self._seed, self._made, self._judge)
        maker._most_steps = _FEW_STEPS
        return maker.complete(given, position) is not None

    def _most_values(self, slot: _Slot) -> int | None:
        """Return how many values a slot has, if checks, the type or the rows of parents limit them; else ``None``."""
        if isinstance(slot.source, References):
            return len(slot.source.values)
        if isinstance(slot.source, SelfReference):
            return None
        column = self._column(slot)
        is_limited, limits = column.data_type in ("boolean", "tinyint"), set()
        for condition in (clause.condition for clause in slot.single):
            if isinstance(condition, InList) and isinstance(condition.operand, Field):
                is_limited |= not condition.is_negated
            elif isinstance(condition, Comparison) and isinstance(condition.left, Field):
                is_limited |= condition.operator == "="
                limits.add(condition.operator.removesuffix("="))
        is_limited |= limits >= {"<", ">"} and plain(column.data_type) != "string"
        return self._values_of(slot, is_strict=False).size(_MOST_DIGITS) if is_limited else None


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
    names = [contract.sources(map(folded, key.columns)) for key in contract.state.keys]
    columns = dict.fromkeys((*(contract.columns[name].name for inner in names for name in inner), *chain(*foreign)))
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
