"""Compare tables and frames with contracts, and rows with each other; show how they differ."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_delta_schema.assertions.contracts import assert_no_drift
from pytest_delta_schema.assertions.tracebacks import hides_traceback
from pytest_delta_schema.configuration.settings import current_settings
from pytest_delta_schema.delta.fields import SIZED
from pytest_delta_schema.delta.names import TABLE, NameMap, NameSet, first_part, folded
from pytest_delta_schema.diagnostics.errors import DeclarationError, DriftError, RowsDifferError, WriteError
from pytest_delta_schema.diagnostics.text import counted, identifier, note_on, shortened
from pytest_delta_schema.engine.declarations import BoundModel, model_of_copy
from pytest_delta_schema.engine.orchestrator import catalog_or_current
from pytest_delta_schema.engine.write_checks import check_write, written_table
from pytest_delta_schema.execute.protocols import KeepsVersions, ReadsRows
from pytest_delta_schema.models.arguments import refuse_kind
from pytest_delta_schema.models.names import parse_name
from pytest_delta_schema.models.ownership import IGNORE
from pytest_delta_schema.models.table import Table
from pytest_delta_schema.plan.planner import TablePlanner
from pytest_delta_schema.report.schema_comparison import ComparedRow, schema_diff, side_by_side
from pytest_delta_schema.rules.properties import declarable_properties
from pytest_delta_schema.sql.compiler import statements
from pytest_delta_schema.sql.quoting import condition, dotted, listed
from pytest_delta_schema.sql.renderers import column_definition, create_table
from pytest_delta_schema.sql.statement import StatementKind
from pytest_delta_schema.state.spark_types import canonical_fields
from pytest_delta_schema.state.types import ArrayState, MapState, StructState, describe_type, is_assignable
from pytest_delta_schema.test_kit.contract import known_columns
from pytest_delta_schema.test_kit.values import struct_fields
from pytest_delta_schema.write_check.prediction import stored_state
from pytest_delta_schema.write_check.verdict import WriteOptions, reason_of

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence

    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.execute.protocols import Catalog
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.state.states import CatalogReader, TableState
    from pytest_delta_schema.state.types import ColumnState, DataTypeState
    from pytest_delta_schema.write_check.verdict import WriteVerdict


@hides_traceback
def assert_table_equals(
    table: Table | str,
    rows: Iterable[Mapping[str, Any] | tuple[Any, ...]] | DataFrame,
    *,
    rtol: float | None = None,
    ignore: Iterable[str] = (),
    catalog: CatalogReader | None = None,
) -> None:
    """Make sure that a table holds exactly these rows, in any order, each as often as it is given.

    Rows are converted to the types of the columns as :func:`make_delta_table` does. A column that a row leaves out is
    NULL. NaN equals NaN, and maps are equal with the same keys and values.

    Args:
        table: A model, or the dotted name of a table.
        rows: Dictionaries by column name, ``Row`` objects, tuples in the order of the columns, or a frame of Spark or
            pandas.
        rtol: The relative difference up to which ``float`` and ``double`` values are equal, such as ``1e-9``; by
            default values are compared exactly.
        ignore: Names of columns that are not compared, such as ``["loaded_at"]``.
        catalog: Where the table is read; by default the catalog of the pytest run.

    Raises:
        RowsDifferError: An ``AssertionError`` with the counts of missing and unexpected rows, and the first rows that
            differ, side by side.
        StatementError: If a row can never be in the table, because a value does not fit the type of its column.
        CatalogReadError: If the table does not exist, or cannot be read.
        DeclarationError: If an argument has no possible meaning, the table has no column of a name in ``ignore``, or
            the catalog returns no rows.
    """
    if rtol is not None and not 0 <= rtol < 1:
        msg = f"rtol is {rtol!r}; give a relative difference from 0 to less than 1, such as rtol=1e-9"
        raise DeclarationError(msg)
    reader = rows_in(catalog_or_current(catalog, "assert_table_equals"), "assert_table_equals")
    name = name_of(table)
    state = reader.read_tables([name]).existing(name)
    ignored = _ignored_columns(state, ignore)
    optional = [column._replace(is_nullable=True) if column.name in ignored else column for column in state.columns]
    expected, actual = reader.as_stored(replace(state, columns=tuple(optional)), rows), reader.rows(name)
    compared = replace(state, columns=tuple(column for column in state.columns if column.name not in ignored))
    difference = unmatched_rows(compared.columns, expected, actual, rtol)
    if difference.missing or difference.unexpected:
        raise RowsDifferError(difference_text(compared, difference, (len(expected), len(actual)), rtol))


def _ignored_columns(state: TableState, names: Iterable[str]) -> NameSet:
    """Return the columns that are not compared."""
    given: object = names
    if isinstance(given, str) or not isinstance(given, Iterable):
        refuse_kind(
            "assert_table_equals", "a list of columns as ignore", given, 'give names, such as ignore=["loaded_at"]'
        )
    return NameSet(known_columns(state, dict.fromkeys(names)))


@hides_traceback
def assert_frame_fits(model: Table, frame: DataFrame | StructType) -> WriteVerdict:
    """Make sure, before a write, that an append of ``frame`` stores every column as it is; no JVM is needed.

    Delta also accepts frames of which it casts columns, and fills those that are missing with NULL. Here each column
    of the frame is declared with its type, and each declared column is in the frame, unless the table gives it a
    default, generated or identity value. Rows are not computed: :func:`assert_rows_satisfy` checks them.

    Args:
        model: The contract.
        frame: A DataFrame, or its schema.

    Returns:
        The prediction of the write; its notes are the columns that the table fills.

    Raises:
        WriteError: An ``AssertionError`` with every column that does not fit, and both schemas side by side.
        DeclarationError: If ``frame`` has no schema, or ``model`` is not a model.
    """
    if not isinstance(model, Table):
        msg = f"assert_frame_fits takes a model and a frame, and was given {model!r} as model; give a Table"
        raise DeclarationError(msg)
    verdict = check_write(model, frame, WriteOptions(method="save_as_table"))
    state = stored_state(written_table(model))
    schema: Any = getattr(frame, "schema", frame)
    faults = dict(_misfits(canonical_fields(schema.fields), state))
    if not verdict.accepted or faults:
        head = f"{state.name}: the frame does not fit the model"
        others = [finding for finding in verdict.findings if folded(_column_of_finding(finding)) not in faults]
        reasons = [f"  ! {reason}" for reason in (*faults.values(), *map(reason_of, others))]
        difference = schema_diff(state, frame, names=("model", "frame"), nullability=False)
        msg = "\n".join([head, *reasons, *([f"\n{difference}"] if difference else [])])
        raise WriteError(msg)
    return verdict


def _column_of_finding(finding: Diagnostic) -> str:
    """Return the column that a finding is about; ``""`` if it is about the table."""
    return first_part(finding.path)[0].name if finding.path else ""


def _misfits(fields: tuple[ColumnState, ...], state: TableState) -> Iterator[tuple[str, str]]:
    """Yield each column that does not fit, by its name in lower case, with the reason."""
    given, declared = NameMap.of(fields), NameMap.of(state.columns)
    for field in fields:
        column = declared.get(field.name)
        if column is None:
            reason = f"column {field.name} is not in the model; declare it, or leave it out of the frame"
            yield folded(field.name), reason
        elif not is_assignable(field.data_type, column.data_type):
            stored = describe_type(column.data_type)
            fact = f"column {field.name} is {describe_type(field.data_type)} in the frame and {stored} in the model"
            yield folded(field.name), f"{fact}; cast it to {stored}"
    for column in state.columns:
        if column.name not in given and column.value is None:
            yield folded(column.name), f"column {column.name} is not in the frame, and would be NULL; add it"


@hides_traceback
def state_text(table: Table | str, *, version: int | None = None, catalog: CatalogReader | None = None) -> str:
    """Describe an existing table as SQL, which a test compares with ``delta_snapshot``.

    The text has the columns, keys, checks, layout, comment, tags, and the properties that the platform does not write.
    Names of schemas, and names of keys, which are made from them, are left out: a scratch copy has the text of its
    original.

    Args:
        table: A model, or the dotted name of a table.
        version: An older version of the table; by default the newest.
        catalog: Where the table is read; by default the catalog of the pytest run.

    Raises:
        CatalogReadError: If the table does not exist, or cannot be read in that version.
        DeclarationError: If there is no catalog, or it cannot read older versions.
    """
    reader, name = catalog_or_current(catalog, "state_text"), name_of(table)
    if version is None:
        return table_text(reader.read_tables([name]).existing(name))
    return table_text(versions_in(reader, "state_text").state_at(name, version))


_IN_THE_FIRST = frozenset(
    {
        StatementKind.CREATE_SCHEMA,
        StatementKind.CREATE_TABLE,
        StatementKind.ADD_PRIMARY_KEY,
        StatementKind.ADD_UNIQUE,
        StatementKind.ADD_FOREIGN_KEY,
    }
)
"""The statements of a creation that are written as one, without the names of keys."""


def table_text(state: TableState) -> str:
    """Return a state as SQL; see :func:`state_text`."""
    lines = (*map(column_definition, state.columns), *_constraints(state))
    name = identifier(state.name.written.table)
    texts = [create_table(name, lines, state, declarable_properties(state)), *_after_creation(state)]
    note = note_on("\n".join(texts))
    return "\n\n".join([*([f"-- {note}"] if note else ()), *(f"{text};" for text in texts)])


def _constraints(state: TableState) -> Iterator[str]:
    for key in state.keys:
        yield f"{key.kind.upper().removesuffix(' CONSTRAINT')} ({listed(key.columns)}){' RELY' if key.rely else ''}"
    for foreign_key in state.foreign_keys:
        parent_columns = f" ({listed(foreign_key.parent_columns)})" if foreign_key.parent_columns else ""
        parent = f"{identifier(foreign_key.parent.written.table)}{parent_columns}"
        rely = " RELY" if foreign_key.rely else ""
        yield f"FOREIGN KEY ({listed(foreign_key.columns)}) REFERENCES {parent}{rely}"
    for check in state.checks:
        yield f"CONSTRAINT {identifier(check.name)} CHECK {condition(check.expression)}"


def _after_creation(state: TableState) -> Iterator[str]:
    """Yield the statements that follow CREATE TABLE, with the last part of the table's name only."""
    tags = sorted(state.tags.items(), key=lambda item: (item[0] != TABLE, item[0].folded))
    ordered = replace(state, tags={path: dict(sorted(values.items())) for path, values in tags})
    for statement in statements(TablePlanner().creation(ordered)):
        if statement.kind not in _IN_THE_FIRST:
            yield statement.sql.replace(dotted(state.name), identifier(state.name.written.table), 1)


def contract_drift(model: Table, table: QualifiedName, catalog: Catalog) -> str:
    """Return how a table differs from a model, as the gate shows it; ``""`` if it does not."""
    named = BoundModel.of(model, current_settings()).table
    try:
        assert_no_drift(named if named.name == table else _model_under(model, table), catalog=catalog)
    except DriftError as error:
        return str(error)
    return ""


def _model_under(model: Table, name: QualifiedName) -> Table:
    names = dict(zip(("catalog_name", "schema_name", "table_name"), name, strict=True))
    owns = {**model.ownership, "foreign_keys": IGNORE}
    return model_of_copy(model, current_settings(), **names, owns=owns)


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


LowerCaseRow = dict[str, Any]
"""The values of a row, by the names of columns in lower case."""

_NAN = ("NaN",)
_NUMBER = ("a number",)
_FRACTIONS = ("double", "float")


@dataclass(frozen=True, slots=True, kw_only=True)
class RowDifference:
    """The rows that only one of two tables has."""

    missing: tuple[LowerCaseRow, ...]
    unexpected: tuple[LowerCaseRow, ...]


class _Frozen(NamedTuple):
    """A row that can be hashed."""

    values: Hashable
    """Its values; without the numbers that are compared with a tolerance."""
    numbers: tuple[float, ...]


def unmatched_rows(
    columns: Sequence[ColumnState],
    expected: Iterable[Mapping[str, Any]],
    actual: Iterable[Mapping[str, Any]],
    rtol: float | None = None,
    *,
    names_of_expected: Sequence[ColumnState] | None = None,
) -> RowDifference:
    """Return the rows that have no equal row on the other side."""
    sides = [[_by_name(row) for row in rows] for rows in (expected, actual)]
    columns_of = (columns if names_of_expected is None else names_of_expected, columns)
    buckets: dict[Hashable, tuple[list[tuple[tuple[float, ...], int]], ...]] = defaultdict(lambda: ([], []))
    for side, rows in enumerate(sides):
        for index, row in enumerate(rows):
            frozen = _frozen_row(row, columns_of[side], is_exact=rtol is None)
            buckets[frozen.values][side].append((frozen.numbers, index))
    left: tuple[list[int], list[int]] = ([], [])
    for first, second in buckets.values():
        rest = (first[len(second) :], second[len(first) :]) if rtol is None else _far_apart(first, second, rtol)
        for side, entries in enumerate(rest):
            left[side].extend(index for _, index in entries)
    missing, unexpected = ([sides[side][index] for index in sorted(left[side])] for side in (0, 1))
    return RowDifference(missing=tuple(missing), unexpected=tuple(unexpected))


def values_match(one: Any, other: Any, data_type: DataTypeState, rtol: float | None = None) -> bool:
    """Whether two values of a column are equal; see :func:`unmatched_rows`."""
    numbers: tuple[list[float], list[float]] = ([], [])
    is_exact = rtol is None
    frozen = [_frozen(value, data_type, None if is_exact else numbers[i]) for i, value in enumerate((one, other))]
    return frozen[0] == frozen[1] and _are_close(numbers[0], numbers[1], rtol or 0.0)


def _by_name(row: Mapping[str, Any]) -> LowerCaseRow:
    return {folded(name): value for name, value in row.items()}


def _frozen_row(row: LowerCaseRow, columns: Iterable[ColumnState], *, is_exact: bool) -> _Frozen:
    numbers: list[float] = []
    values = tuple(
        _frozen(row.get(folded(column.name)), column.data_type, None if is_exact else numbers) for column in columns
    )
    return _Frozen(values, tuple(numbers))


def _frozen(value: Any, data_type: DataTypeState, numbers: list[float] | None) -> Hashable:
    """Return a value that can be hashed, and equals that of another value if the two are equal.

    ``numbers`` receives finite ``float`` and ``double`` values, instead of the result; ``None`` keeps them.
    """
    if value is None:
        return None
    if isinstance(data_type, StructState):
        parts = struct_fields(value, data_type)
        return tuple(
            _frozen(part, field.data_type, numbers) for part, field in zip(parts, data_type.fields, strict=True)
        )
    if isinstance(data_type, ArrayState):
        return tuple(_frozen(part, data_type.element, numbers) for part in value)
    if isinstance(data_type, MapState):
        # The keys are compared exactly, and give the order in which numbers are collected.
        by_key = {_frozen(key, data_type.key, None): part for key, part in value.items()}
        keys = sorted(by_key, key=repr)
        return tuple((key, _frozen(by_key[key], data_type.value, numbers)) for key in keys)
    return _frozen_atom(value, data_type, numbers)


def _frozen_atom(value: Any, data_type: str, numbers: list[float] | None) -> Hashable:
    if data_type in _FRACTIONS:
        if math.isnan(value):
            return _NAN
        if numbers is not None and math.isfinite(value):
            numbers.append(value)
            return _NUMBER
        return float(value)
    sized = SIZED.fullmatch(data_type)
    if sized is not None and sized[1] == "char":
        return str(value).ljust(int(sized[2]))
    if isinstance(value, bytearray):
        return bytes(value)
    return str(value) if data_type == "variant" else value


_Entry = tuple[tuple[float, ...], int]


def _far_apart(first: list[_Entry], second: list[_Entry], rtol: float) -> tuple[list[_Entry], list[_Entry]]:
    """Return the entries of both sides that remain when as many as possible are paired with a close one."""
    second = sorted(second)
    starts = [numbers[:1] for numbers, _ in second]
    partners: dict[int, int] = {}

    def close(number: int) -> list[int]:
        return _close_entries(first[number][0], second, starts, rtol)

    rest = [entry for number, entry in enumerate(first) if not _pair(number, partners, close)]
    return rest, [entry for position, entry in enumerate(second) if position not in partners]


def _close_entries(
    numbers: tuple[float, ...], others: list[_Entry], starts: list[tuple[float, ...]], rtol: float
) -> list[int]:
    """Return the positions of the entries whose numbers are all close to some numbers."""
    if not numbers:
        return list(range(len(others)))
    margin = abs(numbers[0]) * rtol / (1 - rtol) * (1 + 1e-9)
    window = range(bisect_left(starts, (numbers[0] - margin,)), bisect_right(starts, (numbers[0] + margin,)))
    return [position for position in window if _are_close(numbers, others[position][0], rtol)]


def _are_close(first: Sequence[float], second: Sequence[float], rtol: float) -> bool:
    return all(math.isclose(one, other, rel_tol=rtol) for one, other in zip(first, second, strict=True))


def _pair(entry: int, partners: dict[int, int], close: Callable[[int], list[int]]) -> bool:
    """Pair one more entry, and other entries again with other partners if that is needed; whether it was possible."""
    reached_from: dict[int, int] = {}
    todo = [entry]
    for current in todo:
        for position in close(current):
            if position in reached_from:
                continue
            reached_from[position] = current
            if position in partners:
                todo.append(partners[position])
                continue
            # Pair along the path that was found, from its end to the new entry.
            positions: dict[int, int | None] = {owner: at for at, owner in partners.items()}
            end: int | None = position
            while end is not None:
                partners[end] = reached_from[end]
                end = positions.get(reached_from[end])
            return True
    return False


_SHOWN_ROWS = 3
_SEARCHED_ROWS = 1000
_ALL_COLUMNS = 8
_LONGEST_TEXT = 40
_CONTEXT = 15
_NOTHING = "-"


def difference_text(state: TableState, difference: RowDifference, sizes: tuple[int, int], rtol: float | None) -> str:
    """Return the text of a failure: the counts, and the first rows that differ."""
    missing, unexpected = difference.missing, difference.unexpected
    counts = f"{counted(sizes[0], 'row')} expected, {sizes[1]} in the table"
    head = f"{state.name}: {counts}; {len(missing)} missing, {len(unexpected)} unexpected"
    pairs = list(_pairs_of_rows(state, difference, rtol))
    blocks = [_row_text(state, expected, actual, rtol) for expected, actual in pairs[:_SHOWN_ROWS]]
    if len(pairs) > _SHOWN_ROWS:
        blocks.append(f"and {counted(len(pairs) - _SHOWN_ROWS, 'more difference')}")
    return "\n\n".join([head, *blocks])


def _pairs_of_rows(
    state: TableState, difference: RowDifference, rtol: float | None
) -> Iterator[tuple[LowerCaseRow | None, LowerCaseRow | None]]:
    """Yield each missing row with the unexpected row that is most like it, and then all others alone."""
    rest = list(difference.unexpected)
    alone = []
    for row in difference.missing[:_SHOWN_ROWS]:
        scores = [_likeness(state, row, other, rtol) for other in rest[:_SEARCHED_ROWS]]
        best = max(scores, default=0.0)
        if best > 0:
            yield row, rest.pop(scores.index(best))
        else:
            alone.append(row)
    yield from zip_longest([*alone, *difference.missing[_SHOWN_ROWS:]], ())
    yield from ((None, row) for row in rest)


def _likeness(state: TableState, one: LowerCaseRow, other: LowerCaseRow, rtol: float | None) -> float:
    """Return how much alike two rows are: those with one primary key most, those with few equal values not at all."""
    same = [column for column in state.columns if _is_same(column, one, other, rtol)]
    if state.primary_key is not None and NameSet(state.primary_key.columns) <= NameSet.of(same):
        return 1.0 + len(same)
    share = len(same) / len(state.columns)
    return share if 2 * share >= 1 else 0.0


def _is_same(column: ColumnState, one: LowerCaseRow, other: LowerCaseRow, rtol: float | None) -> bool:
    name = folded(column.name)
    return values_match(one.get(name), other.get(name), column.data_type, rtol)


def _row_text(state: TableState, expected: LowerCaseRow | None, actual: LowerCaseRow | None, rtol: float | None) -> str:
    """Show one row of each side, or one that only one side has."""
    lines = [ComparedRow("", "column", "expected", "in the table")]
    keys = NameSet(state.primary_key.columns if state.primary_key is not None else ())
    shows_all = len(state.columns) <= _ALL_COLUMNS
    hidden = 0
    for column in state.columns:
        title, name = f"{column.name} {describe_type(column.data_type)}", folded(column.name)
        if expected is None or actual is None:
            texts = [_NOTHING if row is None else _short_text(row, name) for row in (expected, actual)]
            lines.append(ComparedRow("+" if expected is None else "-", title, *texts))
        elif not _is_same(column, expected, actual, rtol):
            lines.append(
                ComparedRow("~", title, *_differing(value_text(expected.get(name)), value_text(actual.get(name))))
            )
        elif shows_all or column.name in keys:
            text = _short_text(expected, name)
            lines.append(ComparedRow("", title, text, text))
        else:
            hidden += 1
    more = f"\n  {counted(hidden, 'column')} with equal values" if hidden else ""
    return side_by_side(lines) + more


def value_text(value: Any) -> str:
    """Write a value for a failure; numbers and times without the names of their types."""
    if value is None:
        return "NULL"
    return str(value) if isinstance(value, (Decimal, date)) else repr(value)


def _short_text(row: LowerCaseRow, name: str) -> str:
    return shortened(value_text(row.get(name)), _LONGEST_TEXT)


def _differing(one: str, other: str) -> tuple[str, str]:
    """Cut two texts so that the first character in which they differ is shown."""
    if max(len(one), len(other)) <= _LONGEST_TEXT:
        return one, other
    first = next((index for index, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), 0)
    if first < _LONGEST_TEXT - _CONTEXT:
        return shortened(one, _LONGEST_TEXT), shortened(other, _LONGEST_TEXT)
    start = first - _CONTEXT
    return shortened(f"...{one[start:]}", _LONGEST_TEXT), shortened(f"...{other[start:]}", _LONGEST_TEXT)
