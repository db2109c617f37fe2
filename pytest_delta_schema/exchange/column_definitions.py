"""Read the columns of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql.types import StringType

from pytest_delta_schema.exchange.constraint_definitions import read_column_constraint
from pytest_delta_schema.exchange.token_reader import about
from pytest_delta_schema.models.types.type_text import parse_type
from pytest_delta_schema.state.spark_types import canonical_type
from pytest_delta_schema.state.types import ColumnGeneration, ColumnState, IdentityState

if TYPE_CHECKING:
    from pytest_delta_schema.exchange.ddl_reading import DdlReading
    from pytest_delta_schema.exchange.table_draft import TableDraft
    from pytest_delta_schema.exchange.token_reader import TokenReader

_STARTS = {
    ("GENERATED", "ALWAYS"), ("GENERATED", "BY"), ("PRIMARY", "KEY"), ("FOREIGN", "KEY"), ("CHECK", "("),
}  # fmt: skip
_WORDS = {"CONSTRAINT", "DEFAULT", "MASK", "REFERENCES", "UNIQUE"}


def read_column(reader: TokenReader, reading: DdlReading, draft: TableDraft) -> ColumnState:
    """Read a column, and add the constraints that follow its type to its table.

    Raises:
        UnreadableError: If it is not understood.
    """
    name = reader.name("the name of a column")
    if reader.word() == ".":
        reader.refuse(f"{name} is followed by a field of it", "declare the field in the type of the column")
    with about(f"column {name}"):
        return _read_clauses(name, reader, reading, draft)


def _read_clauses(name: str, reader: TokenReader, reading: DdlReading, draft: TableDraft) -> ColumnState:
    reader.has(":")
    column = ColumnState(name, reader.data_type(), is_nullable=True, comment="")
    while not reader.at_end:
        changed = _with_clause(column, reader)
        if changed is not None:
            column = changed
        elif reader.word() == "MASK":
            reading.remark(draft.name, f"{reader.until(_starts_clause)} of {name} is not declared")
        elif not read_column_constraint(reader, reading, draft, name):
            break
    return column


def _with_clause(column: ColumnState, reader: TokenReader) -> ColumnState | None:
    """Return a column with the clause that comes next; ``None`` if it is a constraint or something else."""
    if reader.has("NOT", "NULL"):
        return column._replace(is_nullable=False)
    if reader.has("NULL"):
        return column
    if reader.has("COMMENT"):
        return column._replace(comment=reader.text("a comment"))
    if reader.has("COLLATE"):
        return _collated(column, reader)
    if reader.has("DEFAULT"):
        return column._replace(value=ColumnGeneration(default=reader.until(_starts_clause, with_comments=True)))
    return column._replace(value=_generation(reader)) if reader.has("GENERATED") else None


def _starts_clause(reader: TokenReader) -> bool:
    words = (reader.word(), reader.word(1))
    if words == ("NOT", "NULL"):
        return reader.word(-1) != "IS"
    if words[0] == "COMMENT":
        return not words[1]
    return words in _STARTS or words[0] in _WORDS


def _collated(column: ColumnState, reader: TokenReader) -> ColumnState:
    collation = reader.name("a collation")
    if column.data_type != canonical_type(StringType()):
        reader.refuse(f"{column.name} has a collation and is not a string", "remove it")
    return column._replace(data_type=canonical_type(parse_type(f"string collate {collation}")))


def _generation(reader: TokenReader) -> ColumnGeneration:
    is_always = reader.has("ALWAYS")
    if not is_always:
        reader.expect("BY", "DEFAULT")
    reader.expect("AS")
    if is_always and reader.word() == "(":
        return ColumnGeneration(generated=reader.expression())
    reader.expect("IDENTITY")
    start = step = 1
    if reader.word() == "(":
        options = reader.group()
        while not options.at_end:
            if options.has("START", "WITH"):
                start = options.number()
            elif options.has("INCREMENT", "BY"):
                step = options.number()
            elif not options.has(","):
                options.refuse(f"{options.rest()!r} is not an option of an identity", "remove it")
    return ColumnGeneration(identity=IdentityState(start, step, is_always))
