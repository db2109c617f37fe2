"""Parse SQL expressions of Spark's dialect."""

from __future__ import annotations

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

DIALECT = "spark"


def parse(text: str) -> exp.Expr | None:
    """Return the syntax tree of an expression; ``None`` if it cannot be parsed."""
    try:
        return sqlglot.parse_one(text, dialect=DIALECT)
    except SqlglotError:
        return None
