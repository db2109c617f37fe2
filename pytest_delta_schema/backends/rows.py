"""The constraint that stopped a write of rows, and data checks on the rows of a table by SQL."""

from __future__ import annotations

import re
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.delta.names import NameSet, same_name
from pytest_delta_schema.diagnostics.text import escaped
from pytest_delta_schema.execute.protocols import RowCounts
from pytest_delta_schema.progress import step
from pytest_delta_schema.sql.data_check_queries import (
    analysed_default,
    count_rows,
    first_broken,
    first_repeated,
    samples,
    select_rows,
)
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.state.states import ForeignKeyState, KeyState
from pytest_delta_schema.state.types import not_null_paths

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from pytest_delta_schema.execute.protocols import Samples
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.plan.data_checks import DataCheck
    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.state.types import ColumnState


CHECK, NOT_NULL, LENGTH = "check", "not null", "length"

_CHECK = ("CHECK constraint ", " violated by row with values:")
_NAME_AND_EXPRESSION = re.compile(r"(?P<name>.+?) (?P<expression>\w*\(.*\))", re.DOTALL)
_VALUE = re.compile(r"\n - (.+?) : ")
_NULL = re.compile(r"NOT NULL constraint violated for column: (?P<name>.+)")
_MISSING = ("Column ", ", which has a NOT NULL constraint, is missing")
_LENGTH = re.compile(r'" exceeds char/varchar type length limitation\. Failed check: (?P<check>.*)\.')
_COLUMN = (", column ", ": ")
_TOO_LONG = re.compile(r" does not fit (?P<check>(?:var)?char\(\d+\)): it has")
"""How this package refuses a text before a table does, and in the memory catalog."""
_STACK = re.compile(r"(?:\n[ \t]+at [\w.$<>]+\(|\nJVM stacktrace:\n).*", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConstraintViolation:
    """The constraint that stopped a write.

    Args:
        kind: ``check``, ``not null``, or ``length`` for char and varchar.
        name: The name of the check or of the column; ``""`` for a length that Delta enforces, because it does not name
            the column.
        expression: The condition, as Spark writes it, or the type of the column; ``""`` for NOT NULL.
        values: The values of the rejected row as text, by column, for the columns that the constraint uses.
        model: The declared table that has this constraint, if exactly one has.
    """

    kind: str
    name: str
    expression: str = ""
    values: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    model: Table | None = field(default=None, compare=False)

    def __str__(self) -> str:
        return f"{self.kind} {self.name}".strip()


def constraint_error(error: BaseException, *, models: Iterable[Table] = ()) -> ConstraintViolation | None:
    """Return the constraint that stopped a write.

    Args:
        error: The exception that the write raised; its causes are searched, too.
        models: Declared tables, to find the one that has the constraint.

    Returns:
        The violation; ``None`` if the error has another reason.
    """
    models = list(models)
    names = [check.name for model in models for check in model.checks]
    for text in _texts(error):
        violation = _read(_STACK.sub("", text).rstrip("\n"), names)
        if violation is not None:
            return _with_model(violation, models)
    return None


def _read(text: str, names: Iterable[str]) -> ConstraintViolation | None:
    check = _between(text, _CHECK)
    if check:
        parts = _VALUE.split(text.partition(_CHECK[0])[2].partition(_CHECK[1])[2])
        values = dict(zip(parts[1::2], parts[2::2], strict=True))
        name, expression = _name_and_expression(check, names)
        return ConstraintViolation(kind=CHECK, name=name, expression=expression, values=MappingProxyType(values))
    match = _NULL.search(text)
    column = (
        match["name"].rstrip().removesuffix(".")
        if match
        else next(filter(None, (_between(line, _MISSING) for line in text.split("\n"))), "")
    )
    if column:
        return ConstraintViolation(kind=NOT_NULL, name=column)
    match = _TOO_LONG.search(text)
    column = "" if match is None else _between(text[: match.start()], _COLUMN)
    if match and column:
        return ConstraintViolation(kind=LENGTH, name=column, expression=match["check"])
    match = _LENGTH.search(text)
    return None if match is None else ConstraintViolation(kind=LENGTH, name="", expression=match["check"])


def _between(text: str, marks: tuple[str, str]) -> str:
    """Return what is between the first of two marks and the second one; ``""`` if they are not there."""
    inner, end, _ = text.partition(marks[0])[2].partition(marks[1])
    return inner if end else ""


def _name_and_expression(text: str, names: Iterable[str]) -> tuple[str, str]:
    """Return the name of a check and its condition, which only a space parts."""
    known = [name for name in names if same_name(text[: len(name) + 1], f"{name} ")]
    if known:
        length = max(map(len, known))
        return text[:length], text[length + 1 :]
    match = _NAME_AND_EXPRESSION.fullmatch(text) if text.endswith(")") else None
    if match:
        return match["name"], match["expression"]
    name, _, expression = text.partition(" ")
    return name, expression


def _texts(error: BaseException) -> Iterator[str]:
    seen: set[int] = set()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in seen:
        seen.add(id(cause))
        yield str(cause)
        cause = cause.__cause__ or cause.__context__


def _with_model(violation: ConstraintViolation, models: Iterable[Table]) -> ConstraintViolation:
    owners = [model for model in models if violation.name in _constrained_names(model, violation.kind)]
    return replace(violation, model=owners[0]) if len(owners) == 1 else violation


def _constrained_names(model: Table, kind: str) -> NameSet:
    if kind == CHECK:
        return NameSet.of(model.checks)
    if kind == NOT_NULL:
        return NameSet(map(str, not_null_paths(desired_state(model).columns)))
    return NameSet()


class DataQueries:
    """Runs data checks on the rows of one table, by SQL.

    Args:
        table: The table.
        ask: Runs a query, and returns its rows, each a sequence of values.
        read: Returns the states of the tables that exist, of those with the given names.
    """

    def __init__(
        self,
        table: QualifiedName,
        ask: Callable[[str], Sequence[Any]],
        read: Callable[[Sequence[QualifiedName]], Mapping[QualifiedName, TableState]],
    ) -> None:
        self._table = table
        self._ask = ask
        self._read = read

    def count_rows(
        self,
        data_checks: Sequence[DataCheck] = (),
        *,
        added: Sequence[ColumnState] = (),
        stop_early: bool = False,
        files: str | None = None,
    ) -> RowCounts:
        """Count the rows that violate each data check, in one scan."""
        rows = select_rows(self._table, data_checks, added=added, absent=self._parentless(data_checks), files=files)
        # Data checks are a step of their own.
        with nullcontext() if data_checks else step(escaped(f"{self._table}: counting rows")):
            return self._first(rows, data_checks) if stop_early else self._count(rows, data_checks)

    def sample_rows(
        self,
        data_checks: Sequence[DataCheck],
        shown: Sequence[Sequence[str]],
        *,
        number: int,
        added: Sequence[ColumnState] = (),
        files: str | None = None,
    ) -> Samples:
        """Return a few rows that violate each data check, as texts."""
        rows = select_rows(self._table, data_checks, added=added, absent=self._parentless(data_checks), files=files)
        queries = [
            samples(rows, data_check, index, shown=columns, number=number)
            for index, (data_check, columns) in enumerate(zip(data_checks, shown, strict=True))
            if columns
        ]
        answers = self._ask(" UNION ALL ".join(queries))
        texts = [
            dict.fromkeys(tuple(row[1]) for row in answers if row[0] == index) for index in range(len(data_checks))
        ]
        return tuple(map(tuple, texts))

    def analyse_default(self, column: ColumnState) -> None:
        """Let Spark analyse the default of a column, which it does not compute for any row."""
        self._ask(analysed_default(column))

    def count_at(self, data_checks: Sequence[DataCheck], version: int) -> RowCounts:
        """Count the rows that violate each data check in one version of the table.

        Args:
            data_checks: What the rows must satisfy.
            version: The version.
        """
        return self._count(select_rows(self._table, version=version), data_checks)

    def _count(self, rows: str, data_checks: Sequence[DataCheck]) -> RowCounts:
        (counts,) = self._ask(count_rows(rows, data_checks))
        return RowCounts(rows=counts[0], broken=tuple(counts[1:]))

    def _first(self, rows: str, data_checks: Sequence[DataCheck]) -> RowCounts:
        """Stop at the first row that violates a check; look for repeated keys only if there is none."""
        of_one_row = [data_check for data_check in data_checks if not isinstance(data_check, KeyState)]
        first = self._ask(first_broken(rows, of_one_row)) if of_one_row else []
        answers = iter(first[0] if first else [False] * len(of_one_row))
        broken = []
        for data_check in data_checks:
            if isinstance(data_check, KeyState):
                broken.append(not first and bool(self._ask(first_repeated(rows, data_check))))
            else:
                broken.append(next(answers))
        return RowCounts(rows=None, broken=tuple(map(int, broken)))

    def _parentless(self, data_checks: Sequence[DataCheck]) -> list[ForeignKeyState]:
        """Return the foreign keys whose parent table, or a column of it, does not exist yet."""
        keys = [data_check for data_check in data_checks if isinstance(data_check, ForeignKeyState)]
        tables = self._read([key.parent for key in keys]) if keys else {}
        columns = {name: NameSet.of(table.columns) for name, table in tables.items()}
        return [key for key in keys if not NameSet(key.parent_columns) <= columns.get(key.parent, NameSet())]
