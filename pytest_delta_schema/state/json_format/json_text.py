r"""The JSON form of a state as the text of a file: the same for equal declarations, and made for reviews.

Keys have the order of :data:`STATE`; properties, tags and ownership are sorted. Each column has a line, and so has each
check, key, rename and property. The text is UTF-8 with ``\n`` at the end of each line. What cannot be seen, such as
control characters and halves of surrogate pairs, is written as an escape like ``\u202e``.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.diagnostics.errors import Diagnostic, JsonFormError
from pytest_delta_schema.diagnostics.escaping import escaped
from pytest_delta_schema.state.json_format.json_form import STATE, state_from_json, state_json
from pytest_delta_schema.state.json_format.json_records import Record
from pytest_delta_schema.state.json_format.json_shapes import Entries, Items, json_preview

if TYPE_CHECKING:
    from pytest_delta_schema.state.states import TableState

_OBJECTS = frozenset(key.name for key in STATE.keys if isinstance(key.shape, Entries))
_ARRAYS = frozenset(key.name for key in STATE.keys if isinstance(key.shape, Items) and isinstance(key.shape.of, Record))
"""The keys whose entries have a line each."""

_encode = json.JSONEncoder(ensure_ascii=False).encode
_encode_sorted = json.JSONEncoder(ensure_ascii=False, sort_keys=True).encode

_SUBJECT = "state of a table"
_CONFLICT_MARKS = ("<<<<<<< ", ">>>>>>> ")
_REMEDY = "restore it"


def state_json_text(state: TableState) -> str:
    """Return the JSON form of a state as text; :func:`state_from_json_text` turns it back."""
    lines = [f'  "{key}": {_part(key, value)}' for key, value in state_json(state).items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def state_from_json_text(text: str | bytes) -> TableState:
    """Return the state of a text of any layout that has the JSON form of a state.

    Raises:
        JsonFormError: If the text is not JSON, or its values are of a higher version, or not of this form.
    """
    try:
        content = text.decode() if isinstance(text, bytes) else text
        values = json.loads(content, object_pairs_hook=_object)
    except UnicodeDecodeError:
        fact = "is not UTF-8"
    except ValueError as error:
        fact = _fault_of(content, error)
    except RecursionError:
        fact = "is nested too deeply"
    else:
        return state_from_json(values)
    raise JsonFormError([Diagnostic(table=_SUBJECT, message=fact, remedy=_REMEDY)])


def _part(key: str, value: Any) -> str:
    """Return the value of a key, with a line for each entry if it has entries."""
    if key in _ARRAYS:
        return "[\n    " + ",\n    ".join([escaped(_encode(item)) for item in value]) + "\n  ]"
    if key in _OBJECTS:
        entries = [escaped(f"{_encode(name)}: {_encode_sorted(item)}") for name, item in sorted(value.items())]
        return "{\n    " + ",\n    ".join(entries) + "\n  }"
    return escaped(_encode(value))


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object; of a key that is written twice, as after a merge, one value would be lost."""
    values = dict(pairs)
    if len(values) < len(pairs):
        keys = [key for key, _ in pairs]
        msg = f"the key {json_preview(next(key for key in keys if keys.count(key) > 1))} is written twice"
        raise ValueError(msg)
    return values


def _fault_of(text: str, error: ValueError) -> str:
    """Return why a text is not JSON."""
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith(_CONFLICT_MARKS):
            return f"has a conflict of a merge in line {number}"
    return f"is not valid JSON: {error}"
