"""The statements and rows of a script, from the models, and the parts of two contracts that a finding needs."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace
from datetime import date, datetime, timezone
from decimal import Decimal
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_delta_schema.compatibility.changes import StatePair
from pytest_delta_schema.compatibility.column_faults import (
    ColumnMoved,
    ColumnOrderNotKept,
    ColumnRemoved,
    ColumnRenamed,
    TypeWidened,
)
from pytest_delta_schema.compatibility.implication import new_promises, violating_row
from pytest_delta_schema.compatibility.judging import judge_change
from pytest_delta_schema.compatibility.roles import GROUPS
from pytest_delta_schema.compatibility.table_faults import ClusteringChanged, CommentChanged, PartitioningChanged
from pytest_delta_schema.delta.char_varchar import text_limit
from pytest_delta_schema.delta.fields import INTEGER_BITS, SIZED, Widening, integer_limit, widening
from pytest_delta_schema.delta.names import folded
from pytest_delta_schema.delta.properties import is_emulated, is_open_source
from pytest_delta_schema.delta.protocol import (
    COLUMN_MAPPING,
    FEATURE_PREFIX,
    MAPPING_PROPERTY,
    TYPE_WIDENING,
    UNIFORM,
    WIDENING_PROPERTY,
    commits_are_in_catalog,
)
from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.diagnostics.text import identifier
from pytest_delta_schema.models.ownership import ALL_MANAGED
from pytest_delta_schema.plan import changes as kinds
from pytest_delta_schema.plan.planner import TablePlanner
from pytest_delta_schema.sql.compiler import rendered, statements
from pytest_delta_schema.sql.quoting import dotted, value_sql
from pytest_delta_schema.state.desired import declared_table
from pytest_delta_schema.state.expressions import ExpressionError, columns_in
from pytest_delta_schema.state.features import unsupported_features
from pytest_delta_schema.state.states import NO_DEPRECATIONS, NO_TAGS, CatalogState
from pytest_delta_schema.state.types import ArrayState, StructState, children, find, is_generated, plain
from pytest_delta_schema.test_kit.breaking import Breaker, lengthened
from pytest_delta_schema.test_kit.constraints import broken_constraints
from pytest_delta_schema.test_kit.contract import contract_of
from pytest_delta_schema.test_kit.rows import made_rows
from pytest_delta_schema.test_kit.values import changed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from pytest_delta_schema.compatibility.judging import CompatibilityFinding
    from pytest_delta_schema.delta.names import ColumnPath
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.plan.kinds import Change
    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.state.types import ColumnState, DataTypeState


FOLDER_OF_TABLE = "\ue000path\ue001"
"""The folder of the table until a script is written; names do not have these characters for private use."""

SCRIPT_TABLE = f"delta.`{FOLDER_OF_TABLE}`"
"""The table as SQL names it."""

_LINES = re.compile(r"(?<=\()\n\s*|\n(?=\))|(\n\s*)")
_NOT_STORED = (
    kinds.ForeignKeyAdd,
    kinds.ForeignKeyDrop,
    kinds.PrimaryKeyAdd,
    kinds.PrimaryKeyDrop,
    kinds.SetTags,
    kinds.UniqueAdd,
    kinds.UniqueDrop,
    kinds.UnsetTags,
)
"""What open-source Delta has no place for."""


def creation(state: TableState) -> str:
    """Return the statement that creates a table, without its keys and tags."""
    created = TablePlanner().creation(state, creates_schema=False)
    return _on_path(statements(created)[0].sql, state.name)


def insertion(columns: Sequence[ColumnState], row: Mapping[str, Any]) -> str:
    """Return the statement that appends a row."""
    given = [column for column in columns if column.name in row]
    names = ", ".join(identifier(column.name) for column in given)
    values = ", ".join(value_sql(row[column.name], column.data_type) for column in given)
    return f"INSERT INTO {SCRIPT_TABLE} ({names}) VALUES ({values})"  # noqa: S608 - quoted


def frame_query(columns: Iterable[ColumnState], row: Mapping[str, Any]) -> str:
    """Return a query with one row in the types of some columns; texts have no length in a frame."""
    return "SELECT " + ", ".join(
        f"{value_sql(row[column.name], column.data_type)} AS {identifier(column.name)}" for column in columns
    )


def changes_in_place(pair: StatePair) -> list[str]:
    """Return the statements that change a table; one that Delta cannot change is replaced by a new one."""
    plan = TablePlanner().plan_states([pair.new], CatalogState.of({pair.old.name: pair.old}))
    changes = [change for action in plan.align_tables for change in action.changes]
    if all(_is_in_place(change, pair.old) for change in changes):
        return _rendered((change for change in changes if not isinstance(change, _NOT_STORED)), pair.old)
    # A table that is replaced keeps its protocol, and some features are only enabled by a property.
    enabling = (change for change in changes if isinstance(change, kinds.SetTableProperties))
    return [*_rendered(enabling, pair.old), f"REPLACE{creation(pair.new).removeprefix('CREATE')}"]


def _rendered(changes: Iterable[Change], table: TableState) -> list[str]:
    return [_on_path(statement.sql, table.name) for change in changes for statement in rendered(table.name, change)]


def _is_in_place(change: Change, old: TableState) -> bool:
    """Whether Delta makes a change of a table as it is declared, without a step in between."""
    if isinstance(change, (kinds.ColumnDrop, kinds.ColumnRename)):
        return not unsupported_features((COLUMN_MAPPING,), old)
    if isinstance(change, kinds.ColumnTypeChange):
        needs = widening(change.before, change.after, is_nested=change.path.is_nested)
        is_enabled = not unsupported_features((TYPE_WIDENING,), old)
        return needs is Widening.ALWAYS or (needs is Widening.BY_FEATURE and is_enabled)
    if isinstance(change, kinds.ColumnAdd):
        return change.column.is_nullable and not is_generated(change.column)
    if isinstance(change, kinds.ColumnNullabilityChange):
        return change.is_nullable
    return not isinstance(change, (kinds.ColumnGenerationChange, kinds.ColumnMappingRemoval))


def _on_path(sql: str, table: QualifiedName) -> str:
    """Return a statement on one line, with the folder of the table instead of its name."""
    # A comment in an expression ends with its line.
    text = sql if "--" in sql else _LINES.sub(lambda match: " " if match[1] else "", sql)
    return text.replace(dotted(table), SCRIPT_TABLE)


if TYPE_CHECKING:
    Row = Mapping[str, Any]


class _Number(NamedTuple):
    """A type of numbers: the first one that is too large for it, and how many digits it has behind the point."""

    limit: Decimal
    decimals: int


_NUMBERS = {
    **{name: _Number(Decimal(integer_limit(name)), 0) for name in INTEGER_BITS},
    "float": _Number(Decimal("1e39"), 38),
    "double": _Number(Decimal("1e309"), 38),
    "timestamp": _Number(Decimal("1e13"), 6),
}
_TEXT = "x"
_UNLIKE_OTHERS = {
    "string": _TEXT,
    "varchar": _TEXT,
    "char": _TEXT,
    "timestamp": datetime(9990, 1, 1, tzinfo=timezone.utc),
    "timestamp_ntz": datetime(2024, 1, 1, 12),  # noqa: DTZ001 - a type without a time zone
}
"""Values of the types without a limit, which no type of another kind can hold."""


class StoredRows(NamedTuple):
    """A row that the table has before the change, and the same one after it."""

    before: Row
    after: Row


def rows_of_sides(pair: StatePair, position: int = 0) -> StoredRows:
    """Return the rows of the tables, with the same values in the columns that both have."""
    after = rows_of_state(pair.new, position)
    before = rows_of_state(pair.old, position, _carried(after, pair.new, pair.old))
    if not _is_allowed(before, pair.old):
        before = rows_of_state(pair.old, position)
        carried = rows_of_state(pair.new, position, _carried(before, pair.old, pair.new))
        after = carried if _is_allowed(carried, pair.new) else after
    # A default may differ from the value that the table has.
    carried = rows_of_state(pair.new, position, _carried(before, pair.old, pair.new))
    return StoredRows(before, carried if _is_allowed(carried, pair.new) else after)


def rows_of_state(state: TableState, position: int = 0, given: Row | None = None) -> Row:
    """Return one row of a contract, with the values that are given."""
    made: list[dict[str, Any]] = [{} for _ in range(position)]
    row = {folded(name): value for name, value in (given or {}).items()}
    return made_rows(declared_table(state), state, [*made, row])[position]


def distinct_row(state: TableState) -> Row:
    """Return a row of a contract with another value in each column and field, so one in the wrong place is seen."""
    count = sum(1 for column in state.columns for _ in _leaves(column.data_type))
    rows = [rows_of_state(state, position) for position in range(1, count + 1)]
    numbers = iter(range(count))
    return {
        column.name: _mixed([row[column.name] for row in rows], column.data_type, numbers)
        for column in state.columns
        if column.name in rows[0]
    }


def _leaves(data_type: DataTypeState) -> Iterator[DataTypeState]:
    if isinstance(data_type, str):
        yield data_type
    for part in children(data_type):
        yield from _leaves(part.data_type)


def _mixed(values: Sequence[Any], data_type: DataTypeState, numbers: Iterator[int]) -> Any:
    """Return a value whose parts are those of different values."""
    if None in values or isinstance(data_type, str):
        return values[next(numbers)]
    if isinstance(data_type, StructState):
        return {
            field.name: _mixed([value[field.name] for value in values], field.data_type, numbers)
            for field in data_type.fields
        }
    if isinstance(data_type, ArrayState):
        return [_mixed([value[0] for value in values], data_type.element, numbers)]
    keys = [next(iter(value)) for value in values]
    inner = [next(iter(value.values())) for value in values]
    return {_mixed(keys, data_type.key, numbers): _mixed(inner, data_type.value, numbers)}


def whole_row(state: TableState, row: Row) -> Row:
    """Return a row with the values of defaults and generated columns, as a writer gives them who leaves nothing out."""
    contract = contract_of(state)
    values = {**contract.defaults, **{folded(name): value for name, value in row.items()}}
    with suppress(ExpressionError):
        contract.generate([values], [folded(column.name) for column in state.columns])
    return {column.name: values[folded(column.name)] for column in state.columns if folded(column.name) in values}


def breaking_row(state: TableState, kind: str, name: str, allowed_by: TableState) -> tuple[Row, ...] | None:
    """Return rows that break a constraint of one contract, and nothing of another; ``None`` if there are none known."""
    table = declared_table(state)
    valid = made_rows(table, state, [{}, {}])
    for broken in Breaker(table, state, {}, valid).broken():
        if broken.constraint.kind == kind and folded(broken.constraint.name) == folded(name):
            rows = tuple(_carried(row, state, allowed_by) for row in broken.rows)
            try:
                completed = [rows_of_state(allowed_by, given=row) for row in rows]
            except DeclarationError:
                return None
            if _are_allowed(completed, allowed_by):
                return tuple(completed)
    return _row_that_violates(state, kind, name, allowed_by)


def _row_that_violates(state: TableState, kind: str, name: str, allowed_by: TableState) -> tuple[Row, ...] | None:
    """Return a row with the values by which a check is known not to be promised by another contract."""
    check = next((check for check in state.checks if kind == "check" and folded(check.name) == folded(name)), None)
    values = None if check is None else violating_row(check.expression, new_promises(allowed_by))
    if values is None or any(isinstance(value, dict) for value in values.values()):
        return None
    types = {folded(column.name): column.data_type for column in allowed_by.columns}
    given = {
        key: _number(str(types[key]), value) if isinstance(value, Decimal) else value for key, value in values.items()
    }
    row = rows_of_state(allowed_by, given=given)
    return (row,) if _is_allowed(row, allowed_by) else None


def unfit_row(of: TableState, to: TableState, path: ColumnPath, position: int = 1) -> Row | None:
    """Return a row of one contract with a value that the type of another cannot hold; ``None`` if none is known."""
    own, other = find(of.columns, path), find(to.columns, path)
    column = find(of.columns, path.parts[:1])
    if own is None or other is None or column is None:
        return None
    value = _unfit(own.data_type, other.data_type)
    if value is None:
        return None
    row = rows_of_state(of, position)
    return {**row, column.name: changed(row.get(column.name), column.data_type, path.fields, lambda _: value)}


def _unfit(of: DataTypeState, to: DataTypeState) -> Any:
    """Return a value of one atomic type that another cannot hold; ``None`` if none is known."""
    if not isinstance(of, str) or not isinstance(to, str):
        return None
    limit = text_limit(to)
    if limit is not None:
        return _long_text(of, limit)
    name = of.partition("(")[0]
    if name in _UNLIKE_OTHERS:
        return _UNLIKE_OTHERS[name]
    own, other = _NUMBERS.get(of) or _decimal(of), _NUMBERS.get(to) or _decimal(to)
    if own is None or other is None:
        return None
    if other.limit < own.limit:
        return _number(of, other.limit)
    return Decimal(1).scaleb(-own.decimals) if other.decimals < own.decimals else None


_LONGEST: Mapping[str, Any] = {
    "boolean": False,
    "date": date(9999, 12, 31),
    "float": -1.17549435e-38,
    "double": -2.2250738585072014e-308,
}
"""Values whose text is as long as that of any value."""


def _long_text(of: str, limit: int) -> Any:
    """Return a value of a type whose text has more characters than a limit; ``None`` if none is known."""
    if plain(of) == "string":
        own = text_limit(of)
        return lengthened("", limit) if own is None or own > limit else None
    number = _NUMBERS.get(of) if of in INTEGER_BITS else _decimal(of)
    return _LONGEST.get(of) if number is None else _number(of, Decimal(1).scaleb(-number.decimals) - number.limit)


def _decimal(data_type: str) -> _Number | None:
    sized = SIZED.fullmatch(data_type)
    return None if sized is None else _Number(Decimal(10) ** (int(sized[2]) - int(sized[3])), int(sized[3]))


def _number(data_type: str, value: Decimal) -> Any:
    """Return a number as a value of a type; one with a fraction, if that is what another type lacks."""
    if data_type in INTEGER_BITS:
        return int(value)
    return float(value) if data_type in {"float", "double"} else value


def _carried(row: Row, of: TableState, to: TableState) -> dict[str, Any]:
    """Return the values of a row that another contract has columns of the same type for, under its names."""
    own = {folded(column.name): column for column in of.columns}
    renamed = {folded(rename.path.root): folded(rename.old) for rename in to.renames if len(rename.path) == 1}
    renamed |= {folded(rename.old): folded(rename.path.root) for rename in of.renames if len(rename.path) == 1}
    values = {folded(name): value for name, value in row.items()}
    given = {}
    for column in to.columns:
        name = folded(column.name)
        source = name if name in own else renamed.get(name, name)
        if not is_generated(column) and source in values and _shape(own[source].data_type) == _shape(column.data_type):
            given[column.name] = values[source]
    return given


def _shape(data_type: DataTypeState) -> object:
    """Return a type without the lengths of texts."""
    sized = SIZED.fullmatch(data_type) if isinstance(data_type, str) else None
    return "string" if sized is not None and sized[1] == "varchar" else data_type


def _is_allowed(row: Row, state: TableState) -> bool:
    return _are_allowed([row], state)


def _are_allowed(rows: Iterable[Row], state: TableState) -> bool:
    try:
        return not broken_constraints(contract_of(state), rows)
    except ExpressionError:
        return False


_NEEDED: Mapping[str, Mapping[str, str]] = {
    ColumnRemoved.__name__: {MAPPING_PROPERTY: "name"},
    ColumnRenamed.__name__: {MAPPING_PROPERTY: "name"},
    TypeWidened.__name__: {WIDENING_PROPERTY: "true"},
}
"""The property without which Delta does not make a change in place, as a stream needs it."""


def narrowed(old: TableState, new: TableState, finding: CompatibilityFinding) -> StatePair:
    """Return the parts of two contracts that have the same finding; all columns if fewer do not have it.

    The released table has all that its contract promises of the columns that are left, and its properties. The next one
    differs in what the finding is about.
    """
    whole = StatePair(_played(old, old, finding), _played(new, old, finding))
    alone = StatePair(whole.old, _alone(whole, finding))
    for pair in (_with_columns(alone, finding), _with_columns(whole, finding)):
        if any(_is_same(other, finding) for other in judge_change(*pair, roles=[finding.role])):
            return pair
    return whole


def _alone(pair: StatePair, finding: CompatibilityFinding) -> TableState:
    """Return the next contract with the columns of the released one, if a finding is not about columns."""
    if finding.path.startswith("columns") or finding.column:
        return pair.new
    properties = dict(pair.new.table_properties)
    part, _, key = finding.path.partition(".")
    if part == "properties" and folded(key).startswith(FEATURE_PREFIX):
        # A change of a column has enabled it.
        properties.setdefault(key, "supported")
    return replace(pair.new, columns=pair.old.columns, renames=(), table_properties=MappingProxyType(properties))


def _is_same(other: CompatibilityFinding, finding: CompatibilityFinding) -> bool:
    return (other.code, other.path, other.verdict) == (finding.code, finding.path, finding.verdict)


def _played(state: TableState, released: TableState, finding: CompatibilityFinding) -> TableState:
    """Return the parts of a contract that a table of open-source Delta has, with those of the released one."""
    is_of_layout = finding.rule in {PartitioningChanged.__name__, ClusteringChanged.__name__}
    layouts = [(table.partitioning, table.clustering) for table in (state, released)]
    keeps_layout = is_of_layout or layouts[0] == layouts[1]
    properties = {key: value for key, value in released.table_properties.items() if not _is_of(finding, key)}
    properties |= {key: value for key, value in state.table_properties.items() if _is_of(finding, key)}
    if GROUPS[finding.role] == "streams":
        properties = {**_NEEDED.get(finding.rule, {}), **properties}
    primary_key = state.primary_key
    return replace(
        state,
        table_comment="",
        table_properties=MappingProxyType(
            {key: value for key, value in properties.items() if _is_playable(key, value)}
        ),
        primary_key=primary_key if primary_key is not None and primary_key.path == finding.path else None,
        unique=tuple(key for key in state.unique if key.path == finding.path),
        checks=tuple(
            check for check in state.checks if check in released.checks or finding.path == f"checks.{check.name}"
        ),
        foreign_keys=(),
        partitioning=state.partitioning if keeps_layout else (),
        clustering=state.clustering if keeps_layout else (),
        tags=NO_TAGS,
        deprecated=NO_DEPRECATIONS,
        ownership=ALL_MANAGED,
    )


def _is_of(finding: CompatibilityFinding, key: str) -> bool:
    return finding.path.endswith(f".{key}")


def _is_playable(key: str, value: str | None) -> bool:
    """Whether a table in a folder can have a property: no catalog commits to it, and it has no metadata of Iceberg."""
    return (
        is_open_source(key)
        and not is_emulated(key, value or "")
        and not commits_are_in_catalog([key])
        and folded(key) != UNIFORM
    )


def _with_columns(pair: StatePair, finding: CompatibilityFinding) -> StatePair:
    """Return two contracts with the columns that a finding is about, and some that are the same in both."""
    if finding.rule == ColumnOrderNotKept.__name__:
        return pair
    kept = {folded(finding.column.root)} if finding.column else set()
    kept |= {folded(name) for state in pair for name in _used(state, finding)}
    kept |= {folded(rename.path.root) for rename in pair.new.renames if folded(rename.old) in kept}
    new = {folded(column.name): column for column in pair.new.columns}
    same = (
        folded(column.name)
        for column in pair.old.columns
        if column.value is None and new.get(folded(column.name)) == column and isinstance(column.data_type, str)
    )
    # Of two columns that change places, none has moved more than the other.
    count = 2 if finding.rule == ColumnMoved.__name__ else 1
    names = _with_sources(pair, kept.union(islice((name for name in same if name not in kept), count)))
    with_comments = finding.rule == CommentChanged.__name__
    return StatePair(*(_of_columns(state, names, with_comments=with_comments) for state in pair))


def _used(state: TableState, finding: CompatibilityFinding) -> Iterator[str]:
    """Yield the columns of the layout, of the keys, and of the check that a finding is about."""
    yield from state.partitioning
    yield from (path.root for path in state.clustering)
    for check in state.checks:
        if finding.path == f"checks.{check.name}":
            yield from columns_in(check.expression)
    for key in state.keys:
        yield from key.columns


def _with_sources(pair: StatePair, names: set[str]) -> set[str]:
    """Return columns with those that their checks and expressions use, and what these use."""
    together = [{folded(name) for name in columns_in(check.expression)} for state in pair for check in state.checks] + [
        {folded(column.name), *map(folded, columns_in(column.value.generated))}
        for state in pair
        for column in state.columns
        if column.value is not None and column.value.generated
    ]
    more = names.union(*(used for used in together if not used.isdisjoint(names)))
    return names if more == names else _with_sources(pair, more)


def _of_columns(state: TableState, names: AbstractSet[str], *, with_comments: bool) -> TableState:
    renames = tuple(rename for rename in state.renames if folded(rename.path.root) in names)
    columns = [column for column in state.columns if folded(column.name) in names]
    if not with_comments:
        columns = [column._replace(comment="") for column in columns]
    checks = tuple(check for check in state.checks if names >= {folded(name) for name in columns_in(check.expression)})
    return replace(state, columns=tuple(columns), renames=renames, checks=checks)
