"""Read the statements of scripts: CREATE TABLE, ALTER TABLE, COMMENT ON, and those around them."""

from __future__ import annotations

import re
from bisect import bisect
from typing import TYPE_CHECKING

from pytest_delta_schema.delta.fields import PLAIN_COLLATION
from pytest_delta_schema.delta.names import TABLE, ColumnPath, same_name
from pytest_delta_schema.diagnostics.text import COMMENT, LITERAL, NAME, RAW_LITERAL, UNCLOSED
from pytest_delta_schema.exchange.definitions import (
    DdlReading,
    TableDraft,
    is_at_constraint,
    read_column,
    read_constraint,
    read_data_type,
    read_keys,
    read_pairs,
    read_properties,
)
from pytest_delta_schema.models.tokens import CORRECT, REMOVE_OR_REPORT, TokenReader, about, refuse_sql
from pytest_delta_schema.models.types import parse_type
from pytest_delta_schema.sqlglot_compat import SqlglotError, TokenType, ddl_tokens
from pytest_delta_schema.state.spark_types import canonical_type
from pytest_delta_schema.state.types import ColumnGeneration, edited_columns, find

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, NoReturn

    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.state.types import DataTypeState

_TOKENS = f"(?s)(?:{NAME}|{RAW_LITERAL}|{LITERAL}|{COMMENT})|(?P<open>{UNCLOSED}|`)"
_SCHEMA = ("SCHEMA", "DATABASE", "NAMESPACE")
_REMOVE = "remove the statement"
_OBJECTS = {"CATALOG", "CONNECTION", "FUNCTION", "PROCEDURE", "SHARE", "TABLE", "VIEW", "VOLUME"}


def read_statements(source: str, file: str, reading: DdlReading, *, skip_other: bool = False) -> None:
    """Read the statements of a script; each that is not understood is a fault."""
    reading.enter(f"{file}script", source)
    with reading.collecting():
        for number, reader in enumerate(_statements(source), start=1):
            reading.enter(f"{file}statement {number}", source)
            with reading.collecting():
                _read(reader, reading, skip_other=skip_other)


_NOTEBOOK = "-- Databricks notebook source"
_CELL = re.compile(r"(?m)^-- COMMAND -+[ \t\r]*$")
"""The line between two cells of a notebook, which ends a statement."""


def _statements(source: str) -> Iterator[TokenReader]:
    try:
        tokens = ddl_tokens(source)
    except SqlglotError:
        _refuse_words(source)
    cells = [cell.start() for cell in _CELL.finditer(source)] if source.lstrip("\ufeff").startswith(_NOTEBOOK) else []
    first = end = 0
    for index, token in enumerate(tokens):
        # A line inside of a text ends nothing.
        if cells and index > first and bisect(cells, end) < bisect(cells, token.start):
            yield TokenReader(source, tokens[first:index], token.start)
            first = index
        end = token.end
        if token.token_type == TokenType.SEMICOLON:
            if index > first:
                yield TokenReader(source, tokens[first:index], token.start)
            first = index + 1
    if first < len(tokens):
        yield TokenReader(source, tokens[first:], len(source))


def _refuse_words(source: str) -> NoReturn:
    """Raise the error for a script that cannot be split into words."""
    unclosed = next((match for match in re.finditer(_TOKENS, source) if match["open"]), None)
    if unclosed is not None:
        refuse_sql("a quote is not closed", "close it", unclosed.start())
    # Comments may be nested, and x'1F' holds bytes.
    doubtful = re.search(r"/\*|\b[xX]'", source)
    fact = "a comment is not closed, or a literal in quotes is malformed"
    refuse_sql(fact, CORRECT, doubtful.start() if doubtful else 0)


_BEGINNINGS = {
    "CREATE": {"CONNECTION", "EXTERNAL", "FUNCTION", "GLOBAL", "LIVE", "MATERIALIZED", "OR", "STREAMING", "TABLE"}
    | {"TEMP", "TEMPORARY", "VIEW", "VOLUME", "CATALOG", *_SCHEMA},
    "ALTER": {"TABLE", "VIEW", *_SCHEMA},
    "COMMENT": {"ON"},
}
"""How statements begin; the second word is in no other place behind the first one."""


def _read(reader: TokenReader, reading: DdlReading, *, skip_other: bool) -> None:
    second = reader.later(_BEGINNINGS)
    if second is not None:
        words, offset = second
        refuse_sql(f"{words} begins another statement", "end the statement before it with a semicolon", offset)
    if reader.has("ALTER", "TABLE"):
        _read_alteration(reader, reading)
    elif reader.has("COMMENT", "ON"):
        _read_comment(reader, reading)
    elif reader.has("USE") or reader.has("SET", "CATALOG"):
        _use(reader, reading)
    elif reader.word() in {"CREATE", "REPLACE"}:
        _create(reader, reading)
    else:
        _skip(reader, reading, skip_other=skip_other)


_OTHERS = {
    "ANALYZE", "CACHE", "CALL", "CLEAR", "COPY", "DELETE", "DENY", "DESC", "DESCRIBE", "DROP", "EXPLAIN", "FSCK",
    "GRANT", "INSERT", "LIST", "MERGE", "MSCK", "OPTIMIZE", "REFRESH", "RESET", "REVOKE", "SELECT", "SET", "SHOW",
    "SYNC", "TRUNCATE", "UNCACHE", "UPDATE", "VACUUM", "VALUES", "WITH",
}  # fmt: skip
"""The first words of statements that declare nothing."""


def _skip(reader: TokenReader, reading: DdlReading, *, skip_other: bool) -> None:
    """Refuse a statement that declares nothing, or skip it with a note."""
    offset, word = reader.offset, reader.word() or reader.here
    reader.skip()
    if not skip_other or word not in _OTHERS:
        remedy = f"{_REMOVE}, or skip such statements by --skip-other" if word in _OTHERS else _REMOVE
        refuse_sql(f"{word} is not part of a declaration", remedy, offset)
    if word == "DROP":
        _require_unknown(reader, reading)
    reader.rest()
    reading.remark(None, f"{word} declares nothing, and is skipped")


def _require_unknown(reader: TokenReader, reading: DdlReading) -> None:
    """Make sure that a statement drops nothing that an earlier one has created."""
    kind = reader.skip().upper()
    reader.has("IF", "EXISTS")
    if kind == "TABLE":
        offset = reader.offset
        name = reading.table_name(reader)
        if name in reading.tables:
            refuse_sql(f"{name} is created before, and dropped here", "remove both statements", offset)
    elif kind in {"CATALOG", *_SCHEMA} and reading.tables:
        reader.refuse(f"DROP {kind} may drop tables that are created before", _REMOVE)


def _create(reader: TokenReader, reading: DdlReading) -> None:
    offset = reader.offset
    if not reader.has("REPLACE"):
        reader.expect("CREATE")
        reader.has("OR", "REPLACE")
    if reader.has("TABLE") or reader.has("EXTERNAL", "TABLE"):
        _read_creation(reader, reading)
        return
    if reader.word() in _SCHEMA:
        reader.skip()
        reader.has("IF", "NOT", "EXISTS")
        _read_schema(reader, reading)
        return
    reader.has("OR", "REFRESH")
    kind = reader.until(lambda after: after.word(-1) in _OBJECTS).upper()
    reader.has("IF", "NOT", "EXISTS")
    if reader.at_end:
        refuse_sql(f"CREATE {kind} is not part of a declaration", _REMOVE, offset)
    name = ".".join(reader.path("its name"))
    refuse_sql(f"{name} is a {kind}, and models declare Delta tables", _REMOVE, offset)


def _read_schema(reader: TokenReader, reading: DdlReading) -> None:
    """Read the name and the clauses of a schema."""
    name = ".".join(reader.path("the name of a schema"))
    while not reader.at_end:
        if reader.has("COMMENT"):
            clause = f"COMMENT {reader.text('a comment')!r}"
        elif reader.has("LOCATION") or reader.has("MANAGED", "LOCATION"):
            reader.text("a path")
            clause = "LOCATION"
        elif reader.has("DEFAULT", "COLLATION"):
            clause = f"DEFAULT COLLATION {reader.name('a collation')}"
        elif reader.has("WITH", "DBPROPERTIES") or reader.has("WITH", "PROPERTIES"):
            clause = f"property {', '.join(read_properties(reader))}"
        else:
            reader.end()
        reading.remark(None, f"{clause} of the schema {name} is not declared")


def _use(reader: TokenReader, reading: DdlReading) -> None:
    is_catalog = reader.word(-1) == "CATALOG" or reader.has("CATALOG")
    if not is_catalog and reader.word() in _SCHEMA:
        reader.skip()
    *catalog, schema = reader.path("the name of a schema")
    reader.end()
    if is_catalog:
        reading.catalog = schema
    else:
        reading.catalog, reading.schema = (*catalog, reading.catalog)[0], schema


_WRITE_COLUMNS = "write its columns, or import the table from its catalog"


def _read_creation(reader: TokenReader, reading: DdlReading) -> None:
    """Read what follows the words CREATE TABLE; each column and clause that is not understood is a fault."""
    reader.has("IF", "NOT", "EXISTS")
    draft = TableDraft(reading.table_name(reader))
    if draft.name in reading.tables:
        reader.refuse(f"{draft.name} is created a second time", "keep one CREATE TABLE")
    reading.tables[draft.name] = draft
    with reading.collecting():
        _read_columns(reader, reading, draft)
        draft.require_primary_key()
    seen: set[str] = set()
    while not reader.at_end:
        with reading.collecting():
            _read_clause(reader, reading, draft, seen)
        # The rest of a clause that was refused.
        _read_to_clause(reader)


def created_state(created: str, name: QualifiedName) -> TableState:
    """Return the state of the table that a statement of SHOW CREATE TABLE would create.

    Its columns and constraints, its layout, comment and properties have to be understood. All other clauses, such as a
    row filter, may be of any form, because a runtime may write some that nobody knows yet.

    Args:
        created: The statement.
        name: The name of the table, whose catalog and schema a shorter name in the statement has.

    Raises:
        ValueError: If the statement is not understood.
    """
    reading = DdlReading(name.catalog, name.schema)
    reading.enter("its CREATE statement", created)
    draft = TableDraft(name)
    with reading.collecting():
        statement, *_ = [*_statements(created), TokenReader("", (), 0)]
        statement.expect("CREATE", "TABLE")
        reading.table_name(statement)
        _read_columns(statement, reading, draft)
        while not statement.at_end:
            if _at_stored_clause(statement):
                _CLAUSES[statement.skip().upper()](statement, reading, draft)
            else:
                statement.until(_at_stored_clause)
    if reading.faults:
        fault = reading.faults[0]
        msg = f"{fault.table} cannot be understood: {fault.message}"
        raise ValueError(msg)
    return draft.state()


def parse_databricks_type(text: str) -> DataTypeState:
    """Read a type, as Unity Catalog on Databricks shows it.

    Args:
        text: Such as ``struct<a:int,b:array<decimal(10,2)>>``, in any case.

    Raises:
        ValueError: If it cannot be understood.
    """
    try:
        return canonical_type(parse_type(text))
    except (RecursionError, ValueError) as error:
        if "<" not in text:
            return text.lower()
        msg = f"type {text} cannot be understood"
        raise ValueError(msg) from error


_STORED = ("CLUSTER", "COMMENT", "PARTITIONED", "TBLPROPERTIES", "USING")
"""The first words of the clauses of a CREATE statement that are part of a state."""


def _at_stored_clause(reader: TokenReader) -> bool:
    return reader.word() in _STORED


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
        item.end()
    else:
        column = read_column(item, reading, draft)
        draft.columns = (*draft.columns, column)
        if not item.at_end:
            with about(f"column {column.name}"):
                item.end()


def _read_clause(reader: TokenReader, reading: DdlReading, draft: TableDraft, seen: set[str]) -> None:
    if _at_clause(reader):
        offset, word = reader.offset, reader.skip().upper()
        if word in seen:
            refuse_sql(f"{word} is given twice", "keep one", offset)
        seen.add(word)
        _CLAUSES[word](reader, reading, draft)
    offset = reader.offset
    rest = _read_to_clause(reader)
    if rest:
        refuse_sql(f"{rest!r} is not understood", REMOVE_OR_REPORT, offset)


def _at_clause(reader: TokenReader) -> bool:
    return reader.word() in _CLAUSES


def _read_to_clause(reader: TokenReader) -> str:
    return "" if reader.at_end or _at_clause(reader) else reader.until(_at_clause)


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


def _clustering(reader: TokenReader, reading: DdlReading, draft: TableDraft) -> None:
    """Read what follows the word CLUSTER."""
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
    draft.properties.update(read_properties(reader))


def _location(reader: TokenReader, reading: DdlReading, draft: TableDraft) -> None:
    reader.text("a path")
    if reader.word() == "WITH" and reader.word(1) == "(":
        reader.skip()
        reader.group()
    reading.remark(draft.name, "its LOCATION is not declared: a new table is stored where its catalog puts it")


def _options(reader: TokenReader, reading: DdlReading, draft: TableDraft) -> None:
    keys = ", ".join(read_properties(reader))
    reading.remark(draft.name, f"its OPTIONS {keys} are not declared")


def _default(reader: TokenReader, _reading: DdlReading, _draft: TableDraft) -> None:
    offset = reader.offset
    reader.expect("COLLATION")
    collation = reader.name("a collation")
    if collation.upper() != PLAIN_COLLATION:
        refuse_sql(
            f"DEFAULT COLLATION {collation} changes the types of columns", "write COLLATE at the columns", offset
        )


def _with(reader: TokenReader, reading: DdlReading, draft: TableDraft) -> None:
    reader.expect("ROW", "FILTER")
    name = ".".join(reader.path("the name of a function"))
    columns = f" ON ({reader.group().rest()})" if reader.has("ON") else ""
    reading.remark(draft.name, f"its ROW FILTER {name}{columns} is not declared")


def _copy(reader: TokenReader, _reading: DdlReading, draft: TableDraft) -> None:
    offset = reader.offset
    reader.rest()
    refuse_sql(f"{draft.name} gets its columns from a query or another table", _WRITE_COLUMNS, offset)


def _other_layout(reader: TokenReader, _reading: DdlReading, draft: TableDraft) -> None:
    offset, here = reader.offset, reader.here
    # The word AS begins no query here.
    reader.has("AS")
    refuse_sql(f"{draft.name} has a layout that Delta does not have {here}", "remove it", offset)


_COPIES = ("AS", "CLONE", "DEEP", "LIKE", "SHALLOW")
_LAYOUTS = ("CLUSTERED", "ROW", "SKEWED", "SORTED", "STORED")

_CLAUSES: dict[str, Callable[[TokenReader, DdlReading, TableDraft], None]] = {
    "USING": _using,
    "PARTITIONED": _partitioned,
    "CLUSTER": _clustering,
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

_FINAL = "write the CREATE TABLE of the final table instead"
_QUALIFIED = 4


def _read_alteration(reader: TokenReader, reading: DdlReading) -> None:
    """Read what follows the words ALTER TABLE."""
    draft = reading.table(reader)
    if reader.has("ADD"):
        _add(reader, reading, draft)
    elif reader.has("SET", "TBLPROPERTIES"):
        draft.properties.update(read_properties(reader))
    elif reader.has("UNSET", "TBLPROPERTIES"):
        reader.has("IF", "EXISTS")
        for key in read_keys(reader):
            draft.properties.pop(key, None)
    elif reader.has("CLUSTER"):
        _clustering(reader, reading, draft)
    elif reader.has("ALTER", "COLUMN") or reader.has("ALTER") or reader.has("CHANGE", "COLUMN"):
        for item in reader.split():
            with reading.collecting():
                _alter_column(item, draft)
                item.end()
    elif not _read_tags(reader, draft, TABLE):
        reader.refuse(f"ALTER TABLE {reader.rest()!r} is not read", _FINAL)
    reader.end()


def _read_comment(reader: TokenReader, reading: DdlReading) -> None:
    """Read what follows the words COMMENT ON."""
    if reader.word() in {"CATALOG", *_SCHEMA}:
        kind = reader.skip().lower()
        reader.path(f"the name of a {kind}")
        _comment_text(reader)
        reading.remark(None, f"the comment of a {kind} is not declared")
        return
    if reader.has("TABLE"):
        draft = reading.table(reader)
        draft.comment = _comment_text(reader)
        return
    reader.expect("COLUMN")
    offset = reader.offset
    parts = reader.path("the name of a column")
    if len(parts) == 1:
        refuse_sql(f"{parts[0]} lacks the name of its table", "write catalog.schema.table.column", offset)
    depth = min(len(parts), _QUALIFIED) - 1
    draft = reading.created(reading.qualified(parts[:depth], offset), offset)
    _change(draft, ColumnPath(*parts[depth:]), offset, comment=_comment_text(reader))


def _comment_text(reader: TokenReader) -> str:
    reader.expect("IS")
    comment = "" if reader.has("NULL") else reader.text("a comment")
    reader.end()
    return comment


def _add(reader: TokenReader, reading: DdlReading, draft: TableDraft) -> None:
    if is_at_constraint(reader):
        read_constraint(reader, reading, draft)
        reader.end()
        return
    if not (reader.has("COLUMNS") or reader.has("COLUMN")):
        reader.refuse(f"ADD {reader.rest()!r} is not read", _FINAL)
    for item in reader.items() if reader.word() == "(" else reader.split():
        with reading.collecting():
            _add_column(item, reading, draft)


def _add_column(item: TokenReader, reading: DdlReading, draft: TableDraft) -> None:
    column = read_column(item, reading, draft)
    names = [other.name for other in draft.columns]
    position = len(names)
    if item.has("FIRST"):
        position = 0
    elif item.has("AFTER"):
        offset = item.offset
        before = item.name("the name of a column")
        position = next((index for index, name in enumerate(names, 1) if same_name(name, before)), -1)
        if position < 0:
            refuse_sql(f"{draft.name} has no column {before}", CORRECT, offset)
    item.end()
    draft.columns = (*draft.columns[:position], column, *draft.columns[position:])


def _alter_column(item: TokenReader, draft: TableDraft) -> None:
    offset = item.offset
    path = ColumnPath(*item.path("the name of a column"))
    with about(f"column {path}"):
        _change_column(item, draft, path, offset)


def _change_column(item: TokenReader, draft: TableDraft, path: ColumnPath, offset: int) -> None:
    if item.has("COMMENT"):
        _change(draft, path, offset, comment=item.text("a comment"))
    elif item.has("SET", "NOT", "NULL"):
        _change(draft, path, offset, is_nullable=False)
    elif item.has("DROP", "NOT", "NULL"):
        _change(draft, path, offset, is_nullable=True)
    elif item.has("SET", "DEFAULT"):
        _change(draft, path, offset, value=ColumnGeneration(default=item.rest()))
    elif item.has("DROP", "DEFAULT"):
        _change(draft, path, offset, value=None)
    elif item.has("TYPE"):
        _change(draft, path, offset, data_type=read_data_type(item))
    else:
        _change(draft, path, offset)
        if not _read_tags(item, draft, path):
            item.refuse(f"{item.rest()!r} is not read", _FINAL)


def _read_tags(reader: TokenReader, draft: TableDraft, path: ColumnPath) -> bool:
    tags = draft.tags.setdefault(path, {})
    if reader.has("SET", "TAGS"):
        tags.update(read_pairs(reader))
    elif reader.has("UNSET", "TAGS"):
        for key in read_keys(reader):
            tags.pop(key, None)
    else:
        return False
    return True


def _change(draft: TableDraft, path: ColumnPath, offset: int, **parts: Any) -> None:
    """Change a column, or a part of one."""
    if find(draft.columns, path) is None:
        refuse_sql(f"{draft.name} has no column {path}", CORRECT, offset)
    draft.columns = edited_columns(draft.columns, path.parts, lambda column: column._replace(**parts))
