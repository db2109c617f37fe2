"""The capabilities of the backend ``session``: it lists no files, and over Spark Connect it cannot reach the JVM."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

from pytest_delta_schema.backends.conversion_refusal import without_files
from pytest_delta_schema.backends.spark.delta_capabilities import OPEN_SOURCE_DELTA
from pytest_delta_schema.backends.spark.statements.emulation import BY_COMMIT, BY_PROPERTY
from pytest_delta_schema.execute.protocols.catalog import Refusal
from pytest_delta_schema.plan.changes import CheckAdd
from pytest_delta_schema.sql.statement import Statement, StatementKind

_STRING = re.compile(r"'(?:[^'\\]|\\.)*'")
_TOKENS = ("::", "->")
_REMEDY = "apply it from a classic session, which is on the driver itself"


def without_transactions(statement: Statement) -> Refusal | None:
    """Refuse statements that only a transaction in the JVM can do."""
    if statement.kind not in BY_COMMIT:
        return without_files(statement)
    if statement.kind is not StatementKind.ADD_CHECK:
        return Refusal("open-source Delta has no SQL for it, and Spark Connect cannot reach a transaction", _REMEDY)
    split = [
        change.name for change in statement.changes if isinstance(change, CheckAdd) and _is_split(change.expression)
    ]
    if not split:
        return None
    reason = f"Delta's ADD CONSTRAINT would split tokens of {', '.join(split)} (a quote in a string literal, :: or ->)"
    return Refusal(reason, f"write the check in another way, or {_REMEDY}")


CLASSIC = replace(OPEN_SOURCE_DELTA, refuses=without_files)
"""The capabilities of a classic session."""

REMOTE = replace(OPEN_SOURCE_DELTA, emulates=BY_PROPERTY, refuses=without_transactions)
"""The capabilities of a session of Spark Connect."""


def _is_split(expression: str) -> bool:
    """Whether joining the tokens with spaces, as Delta 4.4.0 does, changes the meaning of an expression."""
    texts = list(_STRING.finditer(expression))
    touching = any(first.end() == second.start() for first, second in pairwise(texts))
    return touching or any(token in _STRING.sub("", expression) for token in _TOKENS)
