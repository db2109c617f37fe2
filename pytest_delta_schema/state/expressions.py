"""SQL expressions: when two are equal, their columns and their type. The only module that uses sqlglot.

What Delta stores is not what was written: it joins the tokens with single spaces and drops comments (run on the
released jars). So expressions are parsed, and compared by what they say.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.executor.python import PythonExecutor
from sqlglot.executor.table import ensure_tables
from sqlglot.optimizer import optimize
from sqlglot.optimizer.annotate_types import annotate_types
from sqlglot.optimizer.canonicalize import canonicalize
from sqlglot.optimizer.qualify import qualify
from sqlglot.optimizer.qualify_columns import quote_identifiers
from sqlglot.planner import Plan

from pytest_delta_schema.escaping import escaped_literals

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

_DIALECT = "spark"

_RULES = (qualify, quote_identifiers, annotate_types, canonicalize)
"""What the executor of sqlglot needs of its optimizer."""
_CACHED = 4096
_FLIPPED: dict[type[exp.Expr], type[exp.Expr]] = {
    exp.GT: exp.LT,
    exp.GTE: exp.LTE,
    exp.LT: exp.GT,
    exp.LTE: exp.GTE,
    exp.EQ: exp.EQ,
    exp.NEQ: exp.NEQ,
}
_CHANGING = frozenset(
    {
        "input_file_name",
        "localtimestamp",
        "monotonically_increasing_id",
        "now",
        "rand",
        "randn",
        "shuffle",
        "spark_partition_id",
        "user",
        "uuid",
    }
)
"""Functions that answer differently every time, besides all that begin with ``current_``."""

_NUMBERS = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod, exp.Neg, exp.DPipe, exp.Concat)


class ExpressionError(Exception):
    """An expression cannot be evaluated here."""


@lru_cache(maxsize=_CACHED)
def canonical(text: str) -> str:
    """Write an expression so that equal ones are equal texts.

    Case of names, back-quotes, white space, comments and needless parentheses do not count; literals count as typed.
    Text that cannot be parsed is compared with its white space folded.

    Args:
        text: The expression.
    """
    text = escaped_literals(text)
    node = _parse(text)
    return " ".join(text.split()) if node is None else _write(node)


@lru_cache(maxsize=_CACHED)
def simplified(text: str) -> str:
    """Write an expression so that those which differ in form only are equal texts: flipped operands, ``between``.

    Nothing is done that NULL could tell apart, such as taking ``a OR NOT a`` for true.
    """
    node = _parse(escaped_literals(text))
    return canonical(text) if node is None else _write(_plain(node), ordered=False)


@lru_cache(maxsize=_CACHED)
def columns_in(text: str) -> tuple[str, ...]:
    """Return the columns that an expression uses, in lower case; fields of structs count as their column."""
    return tuple(dict.fromkeys(path[0] for path in paths_in(text)))


@lru_cache(maxsize=_CACHED)
def paths_in(text: str) -> tuple[tuple[str, ...], ...]:
    """Return the columns, and the fields of structs, that an expression names, lower-cased."""
    node = _parse(text)
    if node is None:
        return ()
    arguments = {
        argument.name.lower() for scope in node.find_all(exp.Lambda) for argument in scope.expressions if argument.name
    }
    chains = [_chain(column) for column in node.find_all(exp.Column)]
    paths = [tuple(part.name.lower() for part in chain) for chain in chains]
    return tuple(path for path in paths if path[0] not in arguments)


def with_columns(text: str, names: Mapping[tuple[str, ...], str]) -> str:
    """Return an expression over columns, or fields of structs, that are called otherwise.

    Args:
        text: The expression; one that cannot be parsed is returned as it is.
        names: New names by path, in lower case.
    """
    node = _parse(text)
    if node is None:
        return text
    tree = node.copy()
    for column in list(tree.find_all(exp.Column)):
        chain = _chain(column)
        path = tuple(part.name.lower() for part in chain)
        for length, part in enumerate(chain, start=1):
            name = names.get(path[:length])
            if name is not None:
                part.replace(exp.to_identifier(name, quoted=True))
    return tree.sql(dialect=_DIALECT)


def _chain(column: exp.Column) -> list[exp.Expr]:
    """Return the parts of a column's name and of the fields that are taken from it."""
    chain: list[exp.Expr] = list(column.parts)
    last: exp.Expr = column
    while isinstance(last.parent, exp.Dot) and last.parent.this is last:
        last = last.parent
        chain.append(last.expression)
    return chain


def condition_faults(text: str, columns: Mapping[str, str]) -> Iterator[str]:
    """Yield the faults of an expression for a CHECK constraint that can be found without Spark.

    Args:
        text: The expression.
        columns: The types of the table's columns, by name in lower case.
    """
    faults = list(row_faults(text, columns))
    yield from faults
    node = None if faults else _parse(text)
    if node is not None and _is_boolean(node, columns) is False:
        yield "is not a condition: its value is not boolean"


def row_faults(text: str, columns: Collection[str]) -> Iterator[str]:
    """Yield the faults of an expression that is evaluated for one row and its columns.

    Args:
        text: The expression.
        columns: The names of the table's columns in lower case.
    """
    node = _parse(text)
    if node is None:
        yield "cannot be parsed"
        return
    yield from _unsupported_parts(node)
    changing = sorted({_name(part) for part in node.find_all(exp.Func) if _is_changing(part)})
    if changing:
        yield f"calls {', '.join(changing)}, which returns another value every time"
    unknown = [name for name in columns_in(text) if name not in columns]
    if unknown and not node.find(exp.Select):
        yield f"names {', '.join(unknown)}, which is not a column of the table"


def default_faults(text: str) -> Iterator[str]:
    """Yield the faults of an expression for a default, which is evaluated without a row.

    Args:
        text: The expression.
    """
    node = _parse(text)
    if node is None:
        yield "cannot be parsed"
        return
    yield from _unsupported_parts(node)
    named = columns_in(text)
    if named:
        yield f"names {', '.join(named)}, but a default cannot use columns"


def _unsupported_parts(node: exp.Expr) -> Iterator[str]:
    if node.find(exp.Subquery, exp.Select):
        yield "holds a subquery, which would break every write"
        return
    if node.find(exp.AggFunc):
        yield "holds an aggregate, but is evaluated for one row at a time"
    if node.find(exp.Window):
        yield "holds a window function, but is evaluated for one row at a time"


def unmet(text: str, rows: Iterable[Mapping[str, Any]], columns: Iterable[str]) -> list[int]:
    """Return the positions of the rows for which an expression is not true, which includes unknown.

    The arguments and errors are those of :func:`evaluate`.
    """
    return [index for index, answer in enumerate(evaluate(text, rows, columns)) if answer is not True]


def evaluate(text: str, rows: Iterable[Mapping[str, Any]], columns: Iterable[str]) -> list[Any]:
    """Return what an expression gives for each row.

    Args:
        text: The expression.
        rows: Values by column name in lower case; a column that is left out is NULL.
        columns: All columns of the table, in lower case.

    Raises:
        ExpressionError: If it uses something that cannot be evaluated without Spark.
    """
    names = list(columns)
    table = [{name: row.get(name) for name in names} for row in rows]
    if not table:
        return []
    try:
        node = sqlglot.parse_one(text, dialect=_DIALECT)
        # Spark's cast may give NULL where others fail; the executor knows the others only.
        for cast in list(node.find_all(exp.TryCast)):
            plain = exp.Cast(this=cast.this, to=cast.to)
            node = plain if cast is node else node
            cast.replace(plain)
        query = exp.select(exp.alias_(exp.paren(node), "holds", quoted=True)).from_("t")
        answers = _execute(query, table)
    except (SqlglotError, ArithmeticError, AttributeError, TypeError, ValueError) as error:
        raise ExpressionError(str(error)) from error
    return [row[0] for row in answers.rows]


def _execute(query: exp.Select, rows: list[dict[str, Any]]) -> Any:
    """Run a query over the table ``t``, as ``sqlglot.executor.execute`` does, but without its simplifications.

    sqlglot 30.30 simplifies ``a >= 0 OR a > 0`` to ``a > 0``.
    """
    types = {
        name: annotate_types(exp.convert(value), dialect=_DIALECT).type or type(value).__name__
        for name, value in rows[0].items()
    }
    plan = Plan(optimize(query, {"t": types}, dialect=_DIALECT, rules=_RULES, leave_tables_isolated=True))
    executor: Any = PythonExecutor
    return executor(tables=ensure_tables({"t": rows}, dialect=_DIALECT)).execute(plan)


def _parse(text: str) -> exp.Expr | None:
    try:
        return sqlglot.parse_one(text, dialect=_DIALECT)
    except SqlglotError:
        return None


def _write(node: object, *, ordered: bool = True) -> str:  # noqa: PLR0911 - one answer a kind of node
    def write(part: object) -> str:
        return _write(part, ordered=ordered)

    match node:
        case exp.Paren():
            return write(node.this)
        case exp.Connector():
            operands = [write(operand) for operand in _operands(node, type(node))]
            return f"{type(node).__name__}({', '.join(operands if ordered else sorted(operands))})"
        case exp.Identifier():
            return f"`{node.name.lower()}`"
        case exp.Literal():
            return repr(node.name) if node.is_string else node.name.lower()
        case exp.Anonymous():
            return f"{node.name.lower()}({', '.join(map(write, node.expressions))})"
        case exp.Expr():
            parts = [f"{key}={write(value)}" for key, value in sorted(node.args.items()) if value]
            return f"{type(node).__name__}({', '.join(parts)})"
        case list():
            return f"[{', '.join(map(write, node))}]"
    return str(node)


def _operands(node: exp.Expr, kind: type[exp.Expr]) -> Iterator[exp.Expr]:
    """Yield what a chain of AND, or of OR, is made of, wherever its parentheses stand."""
    node = node.unnest()
    if type(node) is kind:
        yield from _operands(node.this, kind)
        yield from _operands(node.expression, kind)
    else:
        yield node


def _plain(node: exp.Expr) -> exp.Expr:
    """Return one tree for all forms: no ``between``, and literals on the right of comparisons."""
    # The root may be replaced as well, so everything happens below an anchor.
    anchor = exp.Paren(this=node.copy())
    for between in list(anchor.find_all(exp.Between)):
        subject = between.this
        low = exp.GTE(this=subject.copy(), expression=between.args["low"])
        high = exp.LTE(this=subject, expression=between.args["high"])
        between.replace(exp.Paren(this=exp.And(this=low, expression=high)))
    for comparison in list(anchor.find_all(*_FLIPPED)):
        left, right = comparison.this.unnest(), comparison.expression.unnest()
        if _rank(left) > _rank(right):
            comparison.replace(_FLIPPED[type(comparison)](this=right, expression=left))
    plain: exp.Expr = anchor.this
    return plain.copy()


def _rank(node: exp.Expr) -> tuple[bool, str]:
    return isinstance(node, (exp.Literal, exp.Neg, exp.Boolean)), _write(node)


def _is_changing(function: exp.Func) -> bool:
    name = _name(function)
    return name in _CHANGING or name.startswith("current_")


def _name(function: exp.Func) -> str:
    return (function.name if isinstance(function, exp.Anonymous) else function.sql_name()).lower()


def _is_boolean(node: exp.Expr, columns: Mapping[str, str]) -> bool | None:
    """Whether an expression gives true or false; ``None`` if only Spark knows."""
    node = node.unnest()
    if isinstance(node, (exp.Predicate, exp.Connector, exp.Not, exp.Boolean)):
        return True
    if isinstance(node, (exp.Literal, exp.Interval, *_NUMBERS)):
        return False
    if isinstance(node, exp.Cast):
        return bool(node.to.is_type("boolean"))
    if isinstance(node, exp.Column) and len(node.parts) == 1:
        return columns.get(node.name.lower()) == "boolean"
    return None
