"""The contract that rows have to satisfy, prepared once for all rows of a call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.configuration.settings import current_settings
from pytest_delta_schema.delta.fields import SIZED
from pytest_delta_schema.delta.names import NameMap, folded, proposal
from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.engine.declarations import BoundModel
from pytest_delta_schema.execute.protocols import KeepsVersions, ReadsRows
from pytest_delta_schema.models.names import parse_name
from pytest_delta_schema.models.table import Table
from pytest_delta_schema.state.expressions import ExpressionError, columns_in, evaluate
from pytest_delta_schema.state.expressions.conditions import conjuncts, is_understood, used_columns
from pytest_delta_schema.state.expressions.parsing import condition_of
from pytest_delta_schema.state.types import ArrayState, DataTypeState, MapState, StructState

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.state.expressions.conditions import Condition
    from pytest_delta_schema.state.reader import CatalogReader
    from pytest_delta_schema.state.states import CheckState, TableState
    from pytest_delta_schema.state.types import ColumnGeneration, ColumnState, IdentityState


_NO_COLUMN = "no_column"


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """A part of a CHECK that has to be true."""

    check: CheckState
    condition: Condition
    columns: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract:
    """Everything that rows of a table have to satisfy."""

    state: TableState
    columns: NameMap[ColumnState]
    clauses: tuple[Clause, ...]
    """The parts of its checks that are understood, and that use no generated column."""
    late: tuple[CheckState, ...]
    """The checks that can only be evaluated for whole rows."""
    defaults: dict[str, Any]
    """The values of defaults, by column in lower case, where they are known without Spark."""
    generated: dict[str, str]
    """The expressions of generated columns, by column in lower case."""
    identities: dict[str, IdentityState]
    """The starts and steps of identity columns, by column in lower case."""

    def sources(self, names: Iterable[str]) -> list[str]:
        """Return columns with those that generated ones are made from instead of these, in lower case."""
        direct = [name for name in names if name in self.columns]
        generated = [self.generated[name] for name in direct if name in self.generated]
        inner = [name for expression in generated for name in columns_in(expression)]
        return [name for name in dict.fromkeys((*direct, *inner)) if name not in self.generated]

    def with_table_values(self, row: Mapping[str, Any], number: int) -> dict[str, Any]:
        """Return a row with the defaults and identities that a new table gives it."""
        identities = {name: identity.start + number * identity.step for name, identity in self.identities.items()}
        return {**self.defaults, **identities, **row}

    def generate(self, rows: Sequence[dict[str, Any]], columns: Collection[str]) -> None:
        """Add the values of generated columns, of those that are named, to rows that do not have them."""
        names = [folded(column.name) for column in self.state.columns]
        for name, expression in self.generated.items():
            incomplete = [row for row in rows if name in columns and name not in row]
            for row, value in zip(incomplete, evaluate(expression, incomplete, names), strict=True):
                row[name] = value


def contract_of(state: TableState) -> Contract:
    """Return what rows of a table have to satisfy."""
    values = {folded(column.name): column.value for column in state.columns if column.value is not None}
    generated = {name: value.generated for name, value in values.items() if value.generated is not None}
    clauses: list[Clause] = []
    late = []
    for check in state.checks:
        parts = [
            Clause(check=check, condition=part, columns=used_columns(part))
            for part in conjuncts(condition_of(check.expression))
            if is_understood(part)
        ]
        clauses += [clause for clause in parts if clause.columns.isdisjoint(generated)]
        uses_generated = not generated.keys().isdisjoint(columns_in(check.expression))
        if uses_generated or not is_understood(condition_of(check.expression)):
            late.append(check)
    return Contract(
        state=state,
        columns=NameMap.of(state.columns),
        clauses=tuple(clauses),
        late=tuple(late),
        defaults=dict(_defaults(values)),
        generated=generated,
        identities={name: value.identity for name, value in values.items() if value.identity is not None},
    )


def _defaults(values: Mapping[str, ColumnGeneration]) -> Iterator[tuple[str, Any]]:
    for name, value in values.items():
        if value.default is not None:
            try:
                yield name, default_value(value.default)
            except ExpressionError:
                continue


@lru_cache(maxsize=1024)
def default_value(expression: str) -> Any:
    """Return the value of a default; raise an ``ExpressionError`` if it cannot be evaluated without Spark."""
    (value,) = evaluate(expression, [{_NO_COLUMN: None}], [_NO_COLUMN])
    return value


def known_columns(state: TableState, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return given values by column in lower case; an unknown column is an error with the nearest name."""
    columns = NameMap.of(state.columns)
    unknown = [str(name) for name in values if str(name) not in columns]
    if unknown:
        lines = []
        for name in unknown:
            spellings = [column.name for column in state.columns]
            remedy = proposal(name, spellings, f"columns are {', '.join(columns)}")
            lines.append(f"{state.name}: there is no column {name}; {remedy}")
        raise DeclarationError("\n".join(lines))
    return {folded(str(name)): value for name, value in values.items()}


FIRST_DAY = date(2024, 1, 1)
"""The date of number 1."""

FIRST_HOUR = datetime(2024, 1, 1)  # noqa: DTZ001 - a local time; timestamps get a time zone
"""The time of number 1; in a timestamp it is UTC."""

Make = Callable[[int], Any]
"""Returns the value of a number, which is at least 1."""

_OTHER_NUMBERS = 1000
_BITS = {"tinyint": 8, "smallint": 16, "int": 32, "bigint": 64}
_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def number_of(seed: int, name: str, position: int) -> int:
    """Return the number of a column in a row: the position itself for seed 0, else one between 1 and 1000."""
    if seed == 0:
        return position
    digest = sha256(f"{seed}/{name}/{position}".encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big") % _OTHER_NUMBERS + 1


def integer_limit(data_type: str) -> int:
    """Return the number above the greatest of an integer type."""
    return 1 << (_BITS[data_type] - 1)


def text_value(name: str, number: int, shortest: int, longest: int | None) -> str | None:
    """Return the text of a number, such as ``city_1``; ``None`` if the number does not fit."""
    digits = str(number)
    if longest is not None and len(digits) > longest:
        digits = _in_base_36(number)
        if len(digits) > longest:
            return None
    head = f"{name}_" if name else ""
    digits = digits.rjust(shortest - len(head), "0")
    return head + digits if longest is None else head[: longest - len(digits)] + digits


def maker(data_type: DataTypeState, name: str) -> Make:
    """Return the function that makes plain values of a type."""
    if isinstance(data_type, StructState):
        fields = [(field.name, maker(field.data_type, field.name)) for field in data_type.fields]
        return lambda number: {field: make(number) for field, make in fields}
    if isinstance(data_type, ArrayState):
        element = maker(data_type.element, name)
        return lambda number: [element(number), element(number + 1)]
    if isinstance(data_type, MapState):
        key, value = maker(data_type.key, "key"), maker(data_type.value, name)
        return lambda number: {_as_key(key(number)): value(number)}
    return _atomic(data_type, name)


def _atomic(data_type: str, name: str) -> Make:  # noqa: C901, PLR0911 - one form a type
    if data_type in _BITS:
        limit = integer_limit(data_type)
        return lambda number: (number - 1) % (limit - 1) + 1
    sized = SIZED.fullmatch(data_type)
    if sized is not None:
        kind, first, second = sized.groups()
        if kind == "decimal":
            return _decimal(int(first), int(second))
        length, shortest = int(first), int(first) if kind == "char" else 0
        return lambda number: text_value(name, number, shortest, length) or _cut(number, length)
    match data_type:
        case "string":
            return lambda number: f"{name}_{number}"
        case "boolean":
            return lambda number: number % 2 == 1
        case "double" | "float":
            return lambda number: number + 0.5
        case "date":
            return lambda number: FIRST_DAY + timedelta(days=number - 1)
        case "timestamp":
            first_hour = FIRST_HOUR.replace(tzinfo=timezone.utc)
            return lambda number: first_hour + timedelta(hours=number - 1)
        case "timestamp_ntz":
            return lambda number: FIRST_HOUR + timedelta(hours=number - 1)
        case "binary":
            return lambda number: f"{name}_{number}".encode("utf-8", "replace")
        case "variant":
            return _variant
    return lambda _: None  # void


def _decimal(precision: int, scale: int) -> Make:
    """Return a function that counts in whole numbers, or in the last digit if the type has no whole numbers."""
    step = 10**scale if precision > scale else 1
    steps = (10**precision - 1) // step

    def make(number: int) -> Decimal:
        return Decimal(((number - 1) % steps + 1) * step).scaleb(-scale)

    return make


def _variant(number: int) -> Any:
    from pyspark.sql.types import VariantVal  # noqa: PLC0415 - since Spark 4.0

    return VariantVal.parseJson(f'{{"n": {number}}}')


def _cut(number: int, length: int) -> str:
    return _in_base_36(number)[-length:]


def _in_base_36(number: int) -> str:
    text = ""
    while number:
        number, digit = divmod(number, 36)
        text = _DIGITS[digit] + text
    return text


def _as_key(value: Any) -> Any:
    """Return a value as a key of a dictionary."""
    if isinstance(value, dict):
        return tuple(map(_as_key, value.values()))
    return tuple(map(_as_key, value)) if isinstance(value, list) else value


def name_of(table: Table | str) -> QualifiedName:
    """Return the name of a table in the catalog: that to which a model maps under the settings in force."""
    if isinstance(table, Table):
        return BoundModel.of(table, current_settings()).name
    if not isinstance(table, str):
        msg = f"the table is {table!r}; give a Table, or its name as catalog.schema.table"
        raise DeclarationError(msg)
    return parse_name(table)


def rows_in(catalog: CatalogReader, function: str) -> ReadsRows:
    """Return a catalog that reads rows; raise a ``DeclarationError`` if the catalog cannot."""
    if not isinstance(catalog, ReadsRows):
        raise DeclarationError(_lacks(catalog, function, "the rows of tables", "local, session, unity and memory"))
    return catalog


def versions_in(catalog: CatalogReader, function: str) -> KeepsVersions:
    """Return a catalog that reads commits and older versions; raise a ``DeclarationError`` if the catalog cannot."""
    if not isinstance(catalog, KeepsVersions):
        raise DeclarationError(_lacks(catalog, function, "the commits of tables", "local, session and unity"))
    return catalog


def _lacks(catalog: CatalogReader, function: str, what: str, able: str) -> str:
    name = getattr(catalog, "name", type(catalog).__name__)
    return f"{function} reads {what}, which the {name} backend cannot; the backends that can are {able}"
