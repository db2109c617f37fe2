"""Read ALTER TABLE, and COMMENT ON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.delta.names.column_path import TABLE, ColumnPath
from pytest_delta_schema.delta.names.folded_names import same_name
from pytest_delta_schema.exchange.column_definitions import read_column
from pytest_delta_schema.exchange.constraint_definitions import is_at_constraint, read_constraint
from pytest_delta_schema.exchange.pair_lists import read_keys, read_pairs
from pytest_delta_schema.exchange.table_creation import read_clustering
from pytest_delta_schema.exchange.token_reader import CORRECT, about, refuse_sql
from pytest_delta_schema.state.types import ColumnGeneration, edited_columns, find

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_delta_schema.exchange.ddl_reading import DdlReading
    from pytest_delta_schema.exchange.table_draft import TableDraft
    from pytest_delta_schema.exchange.token_reader import TokenReader
    from pytest_delta_schema.state.types import ColumnState

_FINAL = "write the CREATE TABLE of the final table instead"
_QUALIFIED = 4


def read_alteration(reader: TokenReader, reading: DdlReading) -> None:
    """Read what follows the words ALTER TABLE.

    Raises:
        UnreadableError: If it is not understood.
    """
    draft = reading.table(reader)
    if reader.has("ADD"):
        _add(reader, reading, draft)
    elif reader.has("SET", "TBLPROPERTIES"):
        draft.properties.update(read_pairs(reader))
    elif reader.has("UNSET", "TBLPROPERTIES"):
        reader.has("IF", "EXISTS")
        for key in read_keys(reader):
            draft.properties.pop(key, None)
    elif reader.has("CLUSTER"):
        read_clustering(reader, reading, draft)
    elif reader.has("ALTER", "COLUMN") or reader.has("ALTER") or reader.has("CHANGE", "COLUMN"):
        for item in reader.split():
            with reading.collecting():
                _alter_column(item, draft)
                item.end()
    elif not _read_tags(reader, draft, TABLE):
        reader.refuse(f"ALTER TABLE {reader.rest()!r} is not read", _FINAL)
    reader.end()


def read_comment(reader: TokenReader, reading: DdlReading) -> None:
    """Read what follows the words COMMENT ON.

    Raises:
        UnreadableError: If it is not understood.
    """
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
    comment = _comment_text(reader)
    _change(draft, ColumnPath(*parts[depth:]), lambda column: column._replace(comment=comment), offset)


def _comment_text(reader: TokenReader) -> str:
    reader.expect("IS")
    comment = "" if reader.has("NULL") else reader.text("a comment")
    reader.end()
    return comment


def _add(reader: TokenReader, reading: DdlReading, draft: TableDraft) -> None:
    if is_at_constraint(reader):
        read_constraint(reader, reading, draft)
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
        comment = item.text("a comment")
        _change(draft, path, lambda column: column._replace(comment=comment), offset)
    elif item.has("SET", "NOT", "NULL"):
        _change(draft, path, lambda column: column._replace(is_nullable=False), offset)
    elif item.has("DROP", "NOT", "NULL"):
        _change(draft, path, lambda column: column._replace(is_nullable=True), offset)
    elif item.has("SET", "DEFAULT"):
        value = ColumnGeneration(default=item.rest())
        _change(draft, path, lambda column: column._replace(value=value), offset)
    elif item.has("DROP", "DEFAULT"):
        _change(draft, path, lambda column: column._replace(value=None), offset)
    elif item.has("TYPE"):
        data_type = item.data_type()
        _change(draft, path, lambda column: column._replace(data_type=data_type), offset)
    else:
        _change(draft, path, lambda column: column, offset)
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


def _change(draft: TableDraft, path: ColumnPath, change: Callable[[ColumnState], ColumnState], offset: int) -> None:
    """Change a column, or a part of one.

    Raises:
        UnreadableError: If the table has none of this path.
    """
    if find(draft.columns, path) is None:
        refuse_sql(f"{draft.name} has no column {path}", CORRECT, offset)
    draft.columns = edited_columns(draft.columns, path.parts, change)
