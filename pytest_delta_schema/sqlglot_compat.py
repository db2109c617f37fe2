"""Everything that this package uses of sqlglot; no other module imports it.

Importing it takes about 0.1 s. So modules that need it are imported when the first expression, or type given as text,
is parsed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from sqlglot import Token, TokenType, exp
from sqlglot.dialects.spark import Spark
from sqlglot.errors import SqlglotError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = (
    "DIALECT",
    "STATEMENT_WORDS",
    "VERSIONS",
    "SqlglotError",
    "Token",
    "TokenType",
    "as_quoted_identifier",
    "ddl_tokens",
    "exp",
    "parse_tokens",
)

VERSIONS = {"sqlglot": ">=30.23,<31"}
"""The versions with which this module was tested, which are those that the package depends on.

Older ones cannot parse all statements of Databricks. Those before 30.15 read ``START WITH`` as one token, and the first
ones take the patterns ``yyyy`` and ``YYYY`` of dates for equal.
"""


class _AsWritten(Spark):
    """Spark's dialect with patterns of dates as they are written: ``YYYY`` is not ``yyyy``."""

    TIME_MAPPING: dict[str, str] = {}  # noqa: RUF012 - as in sqlglot


DIALECT = _AsWritten()
"""The dialect in which expressions are read and written."""

STATEMENT_WORDS = {*DIALECT.parser_class.STATEMENT_PARSERS, *DIALECT.tokenizer_class.COMMANDS} - {TokenType.SEMICOLON}
"""The kinds of tokens with which a statement begins."""


def parse_tokens(tokens: Sequence[Token], text: str) -> exp.Expr | None:
    """Return the syntax tree of the tokens of one condition; ``None`` if they are not one."""
    try:
        nodes = DIALECT.parser().parse_into(exp.Condition, list(tokens), text)
    except SqlglotError:
        return None
    return nodes[0] if len(nodes) == 1 else None


class _WithoutCommands(_AsWritten):
    """The dialect without statements whose rest is one token, up to a semicolon, such as ``OPTIMIZE``."""

    class Tokenizer(_AsWritten.Tokenizer):
        COMMANDS: ClassVar[set[TokenType]] = set()


_STATEMENTS = _WithoutCommands()


def ddl_tokens(text: str) -> list[Token]:
    """Return the tokens of statements: one for a text with a doubled quote, as in ``'it''s'``, and one a word.

    sqlglot has two tokens for such a text, as Spark 3.5 has in expressions, and one token for ``PRIMARY KEY``.
    """
    tokens: list[Token] = []
    for token in _STATEMENTS.tokenize(text):
        previous = tokens[-1] if tokens else token
        if token.token_type is previous.token_type is TokenType.STRING and previous.end + 1 == token.start:
            whole = f"{previous.text}{text[token.start]}{token.text}"
            position = {"line": token.line, "col": token.col, "start": previous.start, "end": token.end}
            tokens[-1] = Token(TokenType.STRING, whole, **position, comments=token.comments)
        elif " " in token.text and text[token.start : token.end + 1].split() == token.text.split():
            tokens.extend(_words(token, text))
        else:
            tokens.append(token)
    return tokens


def _words(token: Token, text: str) -> Iterator[Token]:
    for word in re.finditer(r"\S+", text[token.start : token.end + 1]):
        position = {"line": token.line, "col": token.col, "start": token.start + word.start()}
        yield Token(TokenType.VAR, word[0], **position, end=token.start + word.end() - 1, comments=token.comments)


def as_quoted_identifier(token: Token) -> Token:
    """Return a token as if it were in back-quotes."""
    position = {"line": token.line, "col": token.col, "start": token.start, "end": token.end}
    return Token(TokenType.IDENTIFIER, token.text, **position, comments=token.comments)
