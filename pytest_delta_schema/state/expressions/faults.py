"""Find the faults of expressions that need no Spark session to be found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.delta.names import folded, nearest_name
from pytest_delta_schema.sqlglot_compat import exp
from pytest_delta_schema.state.expressions.defaults import literal_fault
from pytest_delta_schema.state.expressions.parsing import is_too_deep, keywords_in, parse, parse_quoting, paths_in

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from pytest_delta_schema.state.types import DataTypeState

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
"""Functions that return another value every time, besides all that begin with ``current_``."""

_UNREPEATABLE = _CHANGING - {"localtimestamp", "now", "user"}
"""Functions that Delta refuses in defaults (Delta 4.4.0)."""

_GENERATORS = frozenset(
    {"explode", "explode_outer", "inline", "inline_outer", "json_tuple", "posexplode", "posexplode_outer", "stack"}
)
"""Functions that return rows."""

_NUMBERS = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod, exp.Neg, exp.DPipe, exp.Concat)


def condition_faults(text: str, columns: Mapping[str, str]) -> Iterator[str]:
    """Yield the faults of an expression for a CHECK constraint that can be found without Spark."""
    faults = list(row_faults(text, columns))
    yield from faults
    node = None if faults else parse(text)
    if node is not None and _is_boolean(node, columns) is False:
        yield "is not a condition: its value is not boolean"


def row_faults(text: str, columns: Collection[str]) -> Iterator[str]:
    """Yield the faults of an expression that is evaluated for one row and its columns."""
    node = parse(text)
    if node is None and is_too_deep(text):
        return
    if node is None:
        words = keywords_in(text, columns)
        is_unquoted = words and parse_quoting(text, columns) is not None
        yield f"cannot be parsed; put {', '.join(words)} in back-quotes" if is_unquoted else "cannot be parsed"
        return
    yield from _unsupported_parts(node)
    changing = sorted({_name(part) for part in node.find_all(exp.Func) if _is_changing(part)})
    if changing:
        yield f"calls {', '.join(changing)}, which returns another value every time"
    unknown = [name for name in _columns_in(text) if name not in columns]
    if unknown and not node.find(exp.Select):
        near = {name: nearest_name(name, columns) for name in unknown}
        names = (f"{name} (did you mean {meant}?)" if meant else name for name, meant in near.items())
        yield f"names {', '.join(names)}, which is not a column of the table"


def default_faults(text: str, data_type: DataTypeState) -> Iterator[str]:
    """Yield the faults of an expression for a default, which is evaluated without a row."""
    node = parse(text)
    if node is None:
        if not is_too_deep(text):
            yield "cannot be parsed"
        return
    yield from _unsupported_parts(node)
    called = {_name(part) for part in node.find_all(exp.Func)}
    changing = sorted(called & _UNREPEATABLE)
    if changing:
        yield f"calls {', '.join(changing)}, which returns another value for every row"
    generators = sorted(called & _GENERATORS)
    if generators:
        yield f"calls {', '.join(generators)}, which returns rows"
    fault = literal_fault(node, data_type)
    if fault:
        yield fault
    named = _columns_in(text)
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


def _is_changing(function: exp.Func) -> bool:
    name = _name(function)
    return name in _CHANGING or name.startswith("current_")


def _name(function: exp.Func) -> str:
    return (function.name if isinstance(function, exp.Anonymous) else function.sql_name()).lower()


def _is_boolean(node: exp.Expr, columns: Mapping[str, str]) -> bool | None:
    """Whether the value of an expression is boolean; ``None`` if only Spark can tell."""
    node = node.unnest()
    if isinstance(node, (exp.Predicate, exp.Connector, exp.Not, exp.Boolean)):
        return True
    if isinstance(node, (exp.Literal, exp.Interval, *_NUMBERS)):
        return False
    if isinstance(node, exp.Cast):
        return bool(node.to.is_type("boolean"))
    if isinstance(node, exp.Column) and len(node.parts) == 1:
        return columns.get(folded(node.name)) == "boolean"
    return None


def _columns_in(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(path.root for path in paths_in(text)))
