"""Read CREATE TABLE."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.delta.names.column_path import ColumnPath
from pytest_delta_schema.exchange.column_definitions import read_column
from pytest_delta_schema.exchange.constraint_definitions import is_at_constraint, read_constraint
from pytest_delta_schema.exchange.pair_lists import read_pairs
from pytest_delta_schema.exchange.table_draft import TableDraft
from pytest_delta_schema.exchange.token_reader import REMOVE_OR_REPORT, about, refuse_sql

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_delta_schema.exchange.ddl_reading import DdlReading
    from pytest_delta_schema.exchange.token_reader import TokenReader

_WRITE_COLUMNS = "write its columns, or import the table from its catalog"


def read_creation(reader: TokenReader, reading: DdlReading) -> None:
    """Read what follows the words CREATE TABLE; each column and clause that is not understood is a fault.

    Raises:
        UnreadableError: If the name of the table is not understood, or it is created already.
    """
    reader.has("IF", "NOT", "EXISTS")
    draft = TableDraft(reading.table_name(reader))
    if draft.name in reading.tables:
        reader.refuse(f"{draft.name} is created a second time", "keep one CREATE TABLE")
    reading.tables[draft.name] = draft
    with reading.collecting():
        _read_columns(reader, reading, draft)
    while not reader.at_end:
        with reading.collecting():
            _read_clause(reader, reading, draft)
        # The rest of a clause that was refused.
        _read_to_clause(reader)


def _read_columns(reader: TokenReader, reading: DdlReading, draft: TableDraft) -> None:
    if reader.word() == "(":
        for item in reader.items():
            with reading.collecting():
                _read_item(item, reading, draft)
    elif reader.word() not in _COPIES:
        reader.refuse(f"{draft.name} has no columns", _WRITE_COLUMNS)


def _read_item(item: TokenReader, reading: DdlReading, draft: TableDraft) -> None:
    if is_at_constraint(item):
        read_constraint(item, reading, draft)
    else:
        column = read_column(item, reading, draft)
        draft.columns = (*draft.columns, column)
        if not item.at_end:
            with about(f"column {column.name}"):
                item.end()


def _at_clause(reader: TokenReader) -> bool:
    return reader.word() in _CLAUSES


def _read_to_clause(reader: TokenReader) -> str:
    return "" if reader.at_end or _at_clause(reader) else reader.until(_at_clause)


def _read_clause(reader: TokenReader, reading: DdlReading, draft: TableDraft) -> None:
    if _at_clause(reader):
        word = reader.skip().upper()
        _CLAUSES[word](reader, reading, draft)
    offset = reader.offset
    rest = _read_to_clause(reader)
    if rest:
        refuse_sql(f"{rest!r} is not understood", REMOVE_OR_REPORT, offset)


def _using(reader: TokenReader, _reading: DdlReading, draft: TableDraft) -> None:
    offset = reader.offset
    provider = reader.name("a format")
    if provider.upper() != "DELTA":
        fact = f"{draft.name} is stored as {provider}, and models declare Delta tables"
        refuse_sql(fact, "write USING DELTA, or remove the statement", offset)


def _partitioned(reader: TokenReader, _reading: DdlReading, draft: TableDraft) -> None:
    reader.expect("BY")
    names = []
    for item in reader.items():
        names.append(item.name("the name of a column"))
        if not item.at_end:
            fact = f"PARTITIONED BY ({names[-1]} {item.rest()}) is more than the name of a column"
            item.refuse(fact, "declare a column among the columns, and partition by its name")
    draft.partitioning = tuple(names)


def read_clustering(reader: TokenReader, reading: DdlReading, draft: TableDraft) -> None:
    """Read what follows the word CLUSTER.

    Raises:
        UnreadableError: If it is not understood.
    """
    reader.expect("BY")
    if reader.has("AUTO"):
        reading.remark(draft.name, "CLUSTER BY AUTO is not declared: a model names the columns, or has no clustering")
    elif reader.has("NONE"):
        draft.clustering = ()
    else:
        draft.clustering = tuple(ColumnPath(*item.path("the name of a column")) for item in reader.items())


def _comment(reader: TokenReader, _reading: DdlReading, draft: TableDraft) -> None:
    draft.comment = reader.text("a comment")


def _properties(reader: TokenReader, _reading: DdlReading, draft: TableDraft) -> None:
    draft.properties.update(read_pairs(reader))


def _location(reader: TokenReader, reading: DdlReading, draft: TableDraft) -> None:
    reader.text("a path")
    if reader.word() == "WITH" and reader.word(1) == "(":
        reader.skip()
        reader.group()
    reading.remark(draft.name, "its LOCATION is not declared: a new table is stored where its catalog puts it")


def _options(reader: TokenReader, reading: DdlReading, draft: TableDraft) -> None:
    keys = ", ".join(read_pairs(reader))
    reading.remark(draft.name, f"its OPTIONS {keys} are not declared")


def _default(reader: TokenReader, _reading: DdlReading, _draft: TableDraft) -> None:
    offset = reader.offset
    reader.expect("COLLATION")
    collation = reader.name("a collation")
    if collation.upper() != "UTF8_BINARY":
        refuse_sql(
            f"DEFAULT COLLATION {collation} changes the types of columns", "write COLLATE at the columns", offset
        )


def _with(reader: TokenReader, reading: DdlReading, draft: TableDraft) -> None:
    reader.expect("ROW", "FILTER")
    reading.remark(draft.name, f"its ROW FILTER {reader.until(_at_clause)} is not declared")


def _copy(reader: TokenReader, _reading: DdlReading, draft: TableDraft) -> None:
    offset = reader.offset
    reader.rest()
    refuse_sql(f"{draft.name} gets its columns from a query or another table", _WRITE_COLUMNS, offset)


def _other_layout(reader: TokenReader, _reading: DdlReading, draft: TableDraft) -> None:
    reader.refuse(f"{draft.name} has a layout that Delta does not have {reader.here}", "remove it")


_COPIES = ("AS", "CLONE", "DEEP", "LIKE", "SHALLOW")
_LAYOUTS = ("CLUSTERED", "ROW", "SKEWED", "SORTED", "STORED")

_CLAUSES: dict[str, Callable[[TokenReader, DdlReading, TableDraft], None]] = {
    "USING": _using,
    "PARTITIONED": _partitioned,
    "CLUSTER": read_clustering,
    "COMMENT": _comment,
    "TBLPROPERTIES": _properties,
    "LOCATION": _location,
    "OPTIONS": _options,
    "DEFAULT": _default,
    "WITH": _with,
    **dict.fromkeys(_COPIES, _copy),
    **dict.fromkeys(_LAYOUTS, _other_layout),
}
"""What reads each clause, by its first word."""
