"""Values of JSON as the text of a file: large ones are written fast, and each record has its own line."""

from __future__ import annotations

import json
from typing import Any


def json_text(values: Any, depth: int) -> str:
    """Return values as JSON in ASCII, with a line end; values below ``depth`` levels are on one line."""
    return f"{_text(values, depth, chr(10))}\n"


def _text(value: Any, depth: int, margin: str) -> str:
    # The indentation of json.dumps takes several times as long, because only Python code can do it (Python 3.13).
    if not depth or not value or not isinstance(value, (dict, list)):
        return json.dumps(value)
    inner = f"{margin} "
    if isinstance(value, list):
        return f"[{inner}{f',{inner}'.join([_text(item, depth - 1, inner) for item in value])}{margin}]"
    items = [f"{json.dumps(key)}: {_text(item, depth - 1, inner)}" for key, item in value.items()]
    return f"{{{inner}{f',{inner}'.join(items)}{margin}}}"
