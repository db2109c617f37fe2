"""Render the queries of data checks; they are not part of a plan.

All checks of a table query one source: the table, with the columns that the plan adds as NULL, and for each foreign
key a column that is true where the parent has the row. So one scan is enough for all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_delta_schema.diagnostics.text import identifier
from pytest_delta_schema.plan.data_checks import DataCheck, NotNull, PartitionValue
from pytest_delta_schema.sql.quoting import condition, dotted, listed, literal, parquet_files, path_sql, type_sql
from pytest_delta_schema.state.states import NULL_PARTITION, CheckState, ForeignKeyState, KeyState
from pytest_delta_schema.state.types import ArrayState, MapState, StructState, describe_type

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from decimal import Decimal

    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.state.types import ColumnState, DataTypeState


def count_columns(data_checks: Sequence[DataCheck]) -> list[str]:
    """Render the counts, in order: of all rows, and of the rows that fail each data check."""
    return ["count(*)", *map(_count, data_checks)]


def count_rows(source: str, data_checks: Sequence[DataCheck]) -> str:
    """Render the query that counts all rows and the failing ones in one scan."""
    return f"SELECT {_named(count_columns(data_checks))} FROM {source}"  # noqa: S608 - quoted where it is made


def first_broken(source: str, data_checks: Sequence[NotNull | PartitionValue | CheckState | ForeignKeyState]) -> str:
    """Render the query of one row that fails a check, with the result of each check."""
    failures = [_broken(data_check) for data_check in data_checks]
    return f"SELECT {_named(failures)} FROM {source} WHERE {' OR '.join(failures)} LIMIT 1"  # noqa: S608 - as above


def first_repeated(source: str, key: KeyState) -> str:
    """Render the query of one value that a key would have twice."""
    return f"SELECT {_named('1')} FROM {source} {_groups(key.columns)} LIMIT 1"  # noqa: S608 - as above


def samples(source: str, data_check: DataCheck, index: int, *, shown: Sequence[str], number: int) -> str:
    """Render the query of a few rows that fail a check: its index, and some of their columns as text."""
    texts = ", ".join(f"CAST({identifier(column)} AS STRING)" for column in shown)
    which = _groups(shown) if isinstance(data_check, KeyState) else f"WHERE {_broken(data_check)}"
    return f"(SELECT {_named([f'{index:d}', f'array({texts})'])} FROM {source} {which} LIMIT {number:d})"  # noqa: S608 - as above


def select_rows(  # noqa: PLR0913 - the parts of one query
    table: QualifiedName,
    data_checks: Iterable[DataCheck] = (),
    *,
    added: Iterable[ColumnState] = (),
    absent: Collection[ForeignKeyState] = (),
    version: int | None = None,
    files: str | None = None,
) -> str:
    """Render the source that data checks query.

    ``added`` are columns that the plan adds, NULL in every row. ``absent`` are foreign keys among the data checks whose
    parent does not exist yet, so it has no rows. ``files`` is a folder of parquet files to query instead of the table.
    """
    rows = dotted(table) if files is None else parquet_files(files)
    if version is not None:
        rows = f"{rows} VERSION AS OF {version:d}"
    new = [null_column(column) for column in added]
    new += [f"CAST(NULL AS BOOLEAN) AS {_mark(key)}" for key in absent]
    if new:
        rows = f"(SELECT *, {', '.join(new)} FROM {rows})"  # noqa: S608 - quoted right here
    for data_check in data_checks:
        if isinstance(data_check, ForeignKeyState) and data_check not in absent:
            rows = f"(SELECT r.*, p.{_mark(data_check)} FROM {rows} AS r {_parents(data_check)})"  # noqa: S608 - as above
    return rows


def select_violations(table: QualifiedName, data_check: DataCheck, files: str | None = None) -> str:
    """Render the query that lists the rows that fail a check."""
    name = dotted(table) if files is None else parquet_files(files)
    if isinstance(data_check, KeyState):
        names = listed(data_check.columns)
        return f"SELECT {names}, count(*) FROM {name} {_groups(data_check.columns)}"  # noqa: S608 - quoted right here
    if isinstance(data_check, ForeignKeyState):
        pairs = zip(data_check.columns, data_check.parent_columns, strict=True)
        joined = " AND ".join(
            f"c.{identifier(child_column)} = p.{identifier(parent_column)}" for child_column, parent_column in pairs
        )
        whole = " AND ".join(f"c.{identifier(column)} IS NOT NULL" for column in data_check.columns)
        return f"SELECT * FROM {name} AS c ANTI JOIN {dotted(data_check.parent)} AS p ON {joined} WHERE {whole}"  # noqa: S608 - as above
    return f"SELECT * FROM {name} WHERE {_broken(data_check)}"  # noqa: S608 - as above


def exists_violation(columns: Iterable[ColumnState], expression: str) -> str:
    """Render a query that is analysed and never run: it fails unless ``expression`` is a condition over ``columns``."""
    return f"SELECT 1 FROM (SELECT {', '.join(map(null_column, columns))}) WHERE {condition(expression)}"  # noqa: S608 - it is analysed and never run


def analysed_default(column: ColumnState) -> str:
    """Render a query without rows: it fails unless the default of a column is an expression that its type can hold."""
    return f"SELECT {default_columns(column)} WHERE FALSE"


def default_columns(column: ColumnState) -> str:
    """Render a column that a write omits: its default, its identity, or else NULL."""
    value = column.value
    if value is None:
        return null_column(column)
    if value.identity is not None:
        return f"monotonically_increasing_id() AS {identifier(column.name)}"
    return _as_column(value.default or "NULL", column)


def generated_columns(column: ColumnState) -> str:
    """Render a generated column, over the columns that its expression names."""
    return _as_column(column.value.generated if column.value and column.value.generated else "NULL", column)


def _as_column(expression: str, column: ColumnState) -> str:
    return f"CAST({condition(expression)} AS {type_sql(column.data_type)}) AS {identifier(column.name)}"


def null_column(column: ColumnState) -> str:
    """Render a column that is NULL in every row."""
    return f"CAST(NULL AS {type_sql(column.data_type)}) AS {identifier(column.name)}"


def _named(expressions: Iterable[str]) -> str:
    """Render expressions, each under its own name: engines give one name to ``code <> 1`` and ``code <> '1'``."""
    return ", ".join(f"{expression} AS value_{number}" for number, expression in enumerate(expressions))


def _count(data_check: DataCheck) -> str:
    if isinstance(data_check, KeyState):
        return f"count_if({_whole(data_check.columns)}) - count(DISTINCT {listed(data_check.columns)})"
    return f"count_if({_broken(data_check)})"


def _broken(data_check: NotNull | PartitionValue | CheckState | ForeignKeyState) -> str:
    """Render the condition of rows that fail a data check; false and unknown both fail a CHECK, as in Delta."""
    if isinstance(data_check, NotNull):
        return f"{path_sql(data_check.path)} IS NULL"
    if isinstance(data_check, PartitionValue):
        return f"coalesce({_lost(data_check)}, false)"
    if isinstance(data_check, CheckState):
        return f"NOT coalesce({condition(data_check.expression)}, false)"
    return f"({_whole(data_check.columns)} AND {_mark(data_check)} IS NULL)"


def _lost(data_check: PartitionValue) -> str:
    """Render the condition of values that a partition reads back as NULL or as another value (Delta 4.4.0).

    Timestamps are written in UTC with the year of the era, so those before year 1 are read back as later ones.
    """
    value, null = identifier(data_check.column), literal(NULL_PARTITION)
    if data_check.data_type == "timestamp":
        return f"{value} < TIMESTAMP '0001-01-01 00:00:00Z'"
    if data_check.data_type == "binary":
        texts = f"{value} IN (X'', CAST({null} AS BINARY))"
        return f"({texts} OR NOT is_valid_utf8(CAST({value} AS STRING)))"
    # A char column is compared without its trailing blanks, with which a partition stores it.
    text = f"concat({value}, '')" if data_check.data_type.startswith("char(") else value
    return f"{text} IN ('', {null})"


def _parents(key: ForeignKeyState) -> str:
    """Render the join of rows with the distinct values of their parent, so no row occurs twice."""
    names = [identifier(f"parent of {key.name}, {position}") for position in range(len(key.columns))]
    renamed = ", ".join(
        f"{identifier(column)} AS {name}" for column, name in zip(key.parent_columns, names, strict=True)
    )
    joined = " AND ".join(f"r.{identifier(column)} = p.{name}" for column, name in zip(key.columns, names, strict=True))
    values = f"SELECT DISTINCT {renamed}, true AS {_mark(key)} FROM {dotted(key.parent)}"  # noqa: S608 - quoted right here
    return f"LEFT JOIN ({values}) AS p ON {joined}"


def _mark(key: ForeignKeyState) -> str:
    """Render the column that is true where the parent has the row, under a name that no table uses."""
    return identifier(f"parent of {key.name}")


def _groups(columns: Sequence[str]) -> str:
    names = listed(columns)
    return f"WHERE {_whole(columns)} GROUP BY {names} HAVING count(*) > 1"


def _whole(columns: Sequence[str]) -> str:
    return " AND ".join(f"{identifier(column)} IS NOT NULL" for column in columns)


class Fingerprint(NamedTuple):
    """The number of rows of a relation, and the sums of their hashes."""

    rows: int
    columns: tuple[Decimal | None, ...]
    """For each column, in order, the sum of the hashes of its values; ``None`` without rows."""
    whole: Decimal | None
    """The sum of the hashes of whole rows, which shows values that were swapped between rows."""

    @classmethod
    def of(cls, row: Sequence[Any]) -> Fingerprint:
        """Read the one row that :func:`fingerprint_query` returns."""
        count, *columns, whole = row
        return cls(count, tuple(columns), whole)


def fingerprint_query(relation: str, columns: Sequence[ColumnState]) -> str:
    """Return the query, of one scan, whose only row is the fingerprint of a relation."""
    names = [f"h{index}" for index in range(len(columns))]
    hashes = ", ".join(f"{_hash(column, identifier(column.name))} AS {name}" for column, name in zip(columns, names))  # noqa: B905
    sums = [_sum(name) for name in names]
    whole = _sum(f"xxhash64({', '.join(names)})")
    return f"SELECT {', '.join(['count(*)', *sums, whole])} FROM (SELECT {hashes} FROM {relation})"  # noqa: S608 - quoted right here


def difference(columns: Sequence[ColumnState], before: Fingerprint, after: Fingerprint) -> str:
    """Describe how two fingerprints of the same columns differ; ``""`` if they are equal."""
    if before == after:
        return ""
    if before.rows != after.rows:
        return f"there are {after.rows:,} rows instead of {before.rows:,}"
    pairs = zip(columns, before.columns, after.columns, strict=True)
    changed = [f"{column.name} ({describe_type(column.data_type)})" for column, old, new in pairs if old != new]
    if not changed:
        return "values were swapped between rows"
    return f"the values of {'column' if len(changed) == 1 else 'columns'} {', '.join(changed)} differ"


def _sum(hashed: str) -> str:
    return f"sum(CAST({hashed} AS DECIMAL(38,0)))"


def _hash(column: ColumnState, value: str, depth: int = 0) -> str:
    return f"xxhash64({', '.join(_parts(column.data_type, value, depth))})"


def _parts(data_type: DataTypeState, value: str, depth: int) -> Iterator[str]:
    """Yield expressions that differ where two values of a type do: first whether it is NULL, which a hash ignores."""
    yield f"{value} IS NULL"
    if isinstance(data_type, StructState):
        yield from _fields(data_type.fields, value, depth)
    elif isinstance(data_type, ArrayState):
        element = f"e{depth}"
        yield f"transform({value}, {element} -> xxhash64({', '.join(_parts(data_type.element, element, depth + 1))}))"
    elif isinstance(data_type, MapState):
        # The entries of a map have no order.
        entry = f"e{depth}"
        key = _parts(data_type.key, f"{entry}.key", depth + 1)
        inner = _parts(data_type.value, f"{entry}.value", depth + 1)
        yield f"array_sort(transform(map_entries({value}), {entry} -> xxhash64({', '.join((*key, *inner))})))"
    else:
        yield from _atomic(data_type, value)


def _fields(fields: Iterable[ColumnState], value: str, depth: int) -> Iterator[str]:
    for field in fields:
        yield from _parts(field.data_type, f"{value}.{identifier(field.name)}", depth)


def _atomic(data_type: str, value: str) -> Iterator[str]:
    if data_type == "variant":
        yield f"to_json({value})"
    elif data_type.startswith("char("):
        # Trailing blanks are not part of the value: Spark adds them when it reads, and compares without them.
        yield f"rtrim({value})"
    elif data_type != "void":
        yield value
        if data_type in {"double", "float"}:
            yield f"CASE WHEN {value} = 0 THEN CAST({value} AS STRING) END"
