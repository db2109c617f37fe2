"""Consent: what somebody has agreed to lose, by name."""

from __future__ import annotations

from typing import NamedTuple

from pytest_delta_schema.errors import DeltaSchemaError

DROP_COLUMN = "drop-column"
"""Consent to drop a column; its path is ``catalog.schema.table.column``."""

REWRITE = "rewrite"
"""Consent to write all data of a table anew; its path is ``catalog.schema.table``."""

ACTIONS = {DROP_COLUMN: "catalog.schema.table.column", REWRITE: "catalog.schema.table"}
"""All actions that can be consented to, with the form of their paths."""


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
        ConsentError: If the action is unknown or the path has too few parts.
    """
    action, _, path = text.strip().partition(" ")
    path = path.strip()
    form = ACTIONS.get(action)
    if form is None:
        msg = (
            f"consent {text!r} names no known action; write {' or '.join(map(repr, ACTIONS))} and then what it is about"
        )
        raise ConsentError(msg)
    if path.count(".") < form.count(".") or not all(path.split(".")):
        msg = f"consent {text!r} names no {form.rpartition('.')[2]}; write '{action} {form}'"
        raise ConsentError(msg)
    return Consent(action, path.lower())
