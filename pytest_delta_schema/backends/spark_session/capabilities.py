"""What a Spark session can do that is not ours: files are out of its sight, and over Spark Connect the JVM is, too."""

from __future__ import annotations

import re
from itertools import pairwise

from pytest_delta_schema.backends.spark.emulation import BY_COMMIT, BY_PROPERTY
from pytest_delta_schema.execute.protocols import Capabilities, Refusal
from pytest_delta_schema.plan.changes import CheckAdd
from pytest_delta_schema.sql.statement import Statement, StatementKind

CONVERSIONS = (StatementKind.CONVERT_TABLE, StatementKind.REGISTER_TABLE)

_STRING = re.compile(r"'(?:[^'\\]|\\.)*'")
_TOKENS = ("::", "->")
_REMEDY = "apply it from a classic session, which is on the driver itself"


def without_files(statement: Statement) -> Refusal | None:
    """Refuse what needs a look at files first."""
    if statement.kind in CONVERSIONS:
        return Refusal("it cannot look at the files first", "convert with the local backend, or by CONVERT TO DELTA")
    return None


def without_transactions(statement: Statement) -> Refusal | None:
    """Refuse what only a transaction in the JVM can do."""
    if statement.kind not in BY_COMMIT:
        return without_files(statement)
    if statement.kind is not StatementKind.ADD_CHECK:
        return Refusal("open-source Delta has no SQL for it, and Spark Connect no way to a transaction", _REMEDY)
    odd = [each.name for each in statement.changes if isinstance(each, CheckAdd) and _is_torn(each.expression)]
    if not odd:
        return None
    reason = f"Delta's own command would tear the tokens of {', '.join(odd)} apart (a quote in a text, :: or ->)"
    return Refusal(reason, f"write the check in another way, or {_REMEDY}")


CLASSIC = Capabilities(emulates=BY_COMMIT | BY_PROPERTY, refuses=without_files)
"""Of a session in a JVM that can be reached."""

REMOTE = Capabilities(emulates=BY_PROPERTY, refuses=without_transactions)
"""Of a session of Spark Connect."""


def _is_torn(expression: str) -> bool:
    """Whether joining its tokens by spaces, as Delta's command does, makes another expression of it."""
    texts = list(_STRING.finditer(expression))
    touching = any(first.end() == second.start() for first, second in pairwise(texts))
    return touching or any(token in _STRING.sub("", expression) for token in _TOKENS)
