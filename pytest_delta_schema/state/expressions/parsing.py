"""Parse SQL expressions of Spark's dialect, and only what is understood whole.

sqlglot falls back where it does not understand: a text that begins like a statement is a ``Command``, which names no
columns, and what follows a semicolon is a separate statement. Such a text is not parsed at all, so its callers
keep it as it was written.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from pytest_delta_schema.delta.names.folded_names import folded
from pytest_delta_schema.sqlglot_compat import (
    DIALECT,
    STATEMENT_WORDS,
    SqlglotError,
    Token,
    TokenType,
    as_quoted_identifier,
    exp,
    parse_tokens,
)
from pytest_delta_schema.state.expressions.grouping import is_grouped_as_in_spark

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


_STATEMENT_WORDS = {
    *STATEMENT_WORDS,
    TokenType.ALL,
    TokenType.ANY,
    TokenType.FOR,
    TokenType.SOME,
    TokenType.VALUES,
    TokenType.WITH,
}
_TEXTS = {TokenType.STRING, TokenType.RAW_STRING, TokenType.HEX_STRING, TokenType.IDENTIFIER}


def parse(text: str) -> exp.Expr | None:
    """Return the syntax tree of one expression; ``None`` if a part of the text is not understood."""
    return _parsed(text, _is_column)


def parse_exactly(text: str) -> exp.Expr | None:
    """Return the syntax tree of one expression; ``None`` also if Spark may read it differently than sqlglot.

    Versions of Spark differ in what ``'it''s'`` is.
    """
    node = parse(text)
    tokens = tokens_of(text) or []
    if node is None or any(_are_one_text(*pair) for pair in pairwise(tokens)):
        return None
    return node if is_grouped_as_in_spark(node) else None


def parse_quoting(text: str, names: Iterable[str]) -> exp.Expr | None:
    """Return the syntax tree of an expression in which every word that is one of some names is in back-quotes."""
    folded_names = set(names)
    return _parsed(text, lambda token, _following: folded(token.text) in folded_names)


def tokens_of(text: str) -> list[Token] | None:
    """Return the tokens of an expression; ``None`` if it has none.

    Their offsets count from 1: sqlglot reads the rest of a text as one token if it begins with the word of a command.
    """
    try:
        return DIALECT.tokenize(f"({text}")[1:]
    except SqlglotError:
        return None


def folded_tokens(text: str) -> str:
    """Return a text that is not understood, without its white space, its comments and the case of words."""
    tokens = tokens_of(text)
    if tokens is None:
        return text
    written = ""
    for token, previous in zip(tokens, [None, *tokens], strict=False):
        separator = "" if previous is None or _are_one_text(previous, token) else " "
        written += separator + (repr(token.text) if token.token_type in _TEXTS else folded(token.text))
    return written


def keywords_in(text: str, names: Iterable[str]) -> list[str]:
    """Return the keywords of a text that are one of some names in lower case and not in back-quotes."""
    known = set(names)
    words = (token.text for token in tokens_of(text) or () if token.token_type not in {*_TEXTS, TokenType.VAR})
    return [word for word in dict.fromkeys(words) if folded(word) in known]


def _are_one_text(left: Token, right: Token) -> bool:
    """Whether two literals have nothing between them, such as those of ``'it''s'``."""
    return left.token_type is right.token_type is TokenType.STRING and left.end + 1 == right.start


def _parsed(text: str, is_column: Callable[[Token, Token | None], bool]) -> exp.Expr | None:
    tokens = tokens_of(text)
    if not tokens or any(token.token_type is TokenType.SEMICOLON for token in tokens):
        return None
    next_tokens = [*tokens[1:], None]
    read = [
        as_quoted_identifier(token) if token.token_type not in _TEXTS and is_column(token, following) else token
        for token, following in zip(tokens, next_tokens, strict=True)
    ]
    node = parse_tokens(read, f"({text}")
    return None if node is None or node.find(exp.Command) else node


def _is_column(token: Token, following: Token | None) -> bool:
    """Whether a word that begins a statement elsewhere is a column: Spark has no other use for it in expressions."""
    is_word = token.token_type in _STATEMENT_WORDS or (token.token_type is TokenType.VAR and token.text.upper() == "IF")
    return is_word and (following is None or following.token_type is not TokenType.L_PAREN)
