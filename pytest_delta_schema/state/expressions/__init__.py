"""SQL expressions: whether two are equal, which columns they use, their faults and their values.

Delta does not store an expression as it was written: it joins the tokens with single spaces and drops comments (Delta
4.4.0). So expressions are parsed and compared as syntax trees. Importing sqlglot takes about 0.1 s, so each function
imports its module when it is called: a run without expressions does not pay for it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.state.expressions.conditions import ExpressionError as ExpressionError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from pytest_delta_schema.delta.names import ColumnPath
    from pytest_delta_schema.state.types import DataTypeState

_CACHED = 4096


@lru_cache(maxsize=_CACHED)
def canonical(text: str) -> str:
    """Write an expression so that equal expressions are equal texts.

    Case of names, back-quotes, white space, comments and redundant parentheses are ignored; literals are kept as
    written, patterns of dates included. Of a text that cannot be parsed the words are compared.
    """
    from pytest_delta_schema.state.expressions import parsing

    return parsing.canonical(text)


@lru_cache(maxsize=_CACHED)
def simplified(text: str) -> str:
    """Write an expression so that those which differ in form only are equal texts: flipped operands, ``between``."""
    from pytest_delta_schema.state.expressions import parsing

    return parsing.simplified(text)


@lru_cache(maxsize=_CACHED)
def columns_in(text: str) -> tuple[str, ...]:
    """Return the columns that an expression uses, in lower case; a field of a struct counts as its column."""
    return tuple(dict.fromkeys(path.root for path in paths_in(text)))


@lru_cache(maxsize=_CACHED)
def paths_in(text: str) -> tuple[ColumnPath, ...]:
    """Return the paths of the columns, and of the fields of structs, that an expression uses, in lower case."""
    from pytest_delta_schema.state.expressions import parsing

    return parsing.paths_in(text)


def with_columns(text: str, names: Mapping[ColumnPath, str]) -> str:
    """Return an expression with renamed columns or fields, by their paths in lower case; one not parsed stays."""
    from pytest_delta_schema.state.expressions import parsing

    return parsing.with_columns(text, names)


def condition_faults(text: str, columns: Mapping[str, str]) -> Iterator[str]:
    """Yield the faults of an expression for a CHECK constraint that can be found without Spark."""
    from pytest_delta_schema.state.expressions import faults

    return faults.condition_faults(text, columns)


def row_faults(text: str, columns: Collection[str]) -> Iterator[str]:
    """Yield the faults of an expression that is evaluated for one row."""
    from pytest_delta_schema.state.expressions import faults

    return faults.row_faults(text, columns)


def default_faults(text: str, data_type: DataTypeState) -> Iterator[str]:
    """Yield the faults of an expression for the default of a type, which is evaluated without a row."""
    from pytest_delta_schema.state.expressions import faults

    return faults.default_faults(text, data_type)


def evaluate(text: str, rows: Iterable[Mapping[str, Any]], columns: Iterable[str]) -> list[Any]:
    """Return the value of an expression for each row."""
    from pytest_delta_schema.state.expressions import evaluation

    return evaluation.evaluate(text, rows, columns)


def require_wide(text: str, types: Mapping[str, object]) -> None:
    """Make sure that no part of an expression is computed as a ``tinyint``, ``smallint`` or ``float``."""
    from pytest_delta_schema.state.expressions import parsing

    parsing.require_wide(text, types)


def failing_rows(text: str, rows: Iterable[Mapping[str, Any]], columns: Iterable[str]) -> list[int]:
    """Return the indexes of the rows for which a condition is false or unknown."""
    from pytest_delta_schema.state.expressions import evaluation

    return evaluation.failing_rows(text, rows, columns)
