"""Read the statements of a script, each by its first words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_delta_schema.diagnostics.escaping import COMMENT, LITERAL, NAME, RAW_LITERAL
from pytest_delta_schema.exchange.table_alteration import read_alteration, read_comment
from pytest_delta_schema.exchange.table_creation import read_creation
from pytest_delta_schema.exchange.token_reader import CORRECT, TokenReader, refuse_sql
from pytest_delta_schema.sqlglot_compat import SqlglotError, TokenType, ddl_tokens

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import NoReturn

    from pytest_delta_schema.exchange.ddl_reading import DdlReading

_TOKENS = f"(?s)(?:{NAME}|{RAW_LITERAL}|{LITERAL}|{COMMENT})|(?P<open>['\"`]|/\\*)"
_SCHEMA = ("SCHEMA", "DATABASE", "NAMESPACE")
_REMOVE = "remove the statement"
_OBJECTS = {"CATALOG", "CONNECTION", "FUNCTION", "PROCEDURE", "SHARE", "TABLE", "VIEW", "VOLUME"}


def read_statements(source: str, file: str, reading: DdlReading) -> None:
    """Read the statements of a script; each that is not understood is a fault.

    Messages begin with the file: ``"shop.sql: "``. The reading is what is known so far.
    """
    reading.enter(f"{file}script", source)
    with reading.collecting():
        for number, reader in enumerate(_statements(source), start=1):
            reading.enter(f"{file}statement {number}", source)
            with reading.collecting():
                _read(reader, reading)


def _statements(source: str) -> Iterator[TokenReader]:
    try:
        tokens = ddl_tokens(source)
    except SqlglotError:
        _refuse_words(source)
    first = 0
    for index, token in enumerate(tokens):
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


def _read(reader: TokenReader, reading: DdlReading) -> None:
    if reader.has("ALTER", "TABLE"):
        read_alteration(reader, reading)
    elif reader.has("COMMENT", "ON"):
        if reader.word() in _SCHEMA:
            reading.remark(None, "the comment of a schema is not declared")
        else:
            read_comment(reader, reading)
    elif reader.has("USE") or reader.has("SET", "CATALOG"):
        _use(reader, reading)
    elif reader.word() in {"CREATE", "REPLACE"}:
        _create(reader, reading)
    else:
        reader.refuse(f"{reader.skip().upper()} is not part of a declaration", _REMOVE)


def _create(reader: TokenReader, reading: DdlReading) -> None:
    offset = reader.offset
    if not reader.has("REPLACE"):
        reader.expect("CREATE")
        reader.has("OR", "REPLACE")
    if reader.has("TABLE") or reader.has("EXTERNAL", "TABLE"):
        read_creation(reader, reading)
        return
    if reader.word() in _SCHEMA:
        reader.skip()
        reader.has("IF", "NOT", "EXISTS")
        name = ".".join(reader.path("the name of a schema"))
        if not reader.at_end:
            reading.remark(None, f"{reader.rest()} of the schema {name} is not declared")
        return
    kind = reader.until(lambda after: after.word(-1) in _OBJECTS).upper()
    reader.has("IF", "NOT", "EXISTS")
    if reader.at_end:
        refuse_sql(f"CREATE {kind} is not part of a declaration", _REMOVE, offset)
    name = ".".join(reader.path("its name"))
    refuse_sql(f"{name} is a {kind}, and models declare Delta tables", _REMOVE, offset)


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
