"""Consent: what somebody has agreed to lose, by name."""

from __future__ import annotations

from typing import NamedTuple

from pytest_delta_schema.errors import DeltaSchemaError

DROP_COLUMN = "drop-column"
"""Consent to drop a column; its path is ``catalog.schema.table.column``."""

ACTIONS = (DROP_COLUMN,)
"""All actions that can be consented to."""

_PARTS_OF_A_COLUMN = 4


class ConsentError(DeltaSchemaError):
    """A consent was not written in a way that names something."""


class Consent(NamedTuple):
    """One agreed action on one object, both in lower case."""

    action: str
    path: str

    def __str__(self) -> str:
        return f"{self.action} {self.path}"


def parse_consent(text: str) -> Consent:
    """Read a consent such as ``drop-column dev.silver.orders.legacy``.

    Args:
        text: The action, white space, and the dotted path.

    Raises:
        ConsentError: If the action is unknown or the path does not name a column.
    """
    action, _, path = text.strip().partition(" ")
    path = path.strip()
    if action not in ACTIONS:
        msg = f"consent {text!r} names no known action; write {ACTIONS[0]!r} and then what it may drop"
        raise ConsentError(msg)
    if path.count(".") < _PARTS_OF_A_COLUMN - 1 or not all(path.split(".")):
        msg = f"consent {text!r} names no column; write '{action} catalog.schema.table.column'"
        raise ConsentError(msg)
    return Consent(action, path.lower())
