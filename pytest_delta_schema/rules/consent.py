"""Consent: what somebody has agreed to lose, by name."""

from __future__ import annotations

from datetime import date  # noqa: TC003 - the named tuple's annotation
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, NamedTuple

from pytest_delta_schema.errors import DeltaSchemaError
from pytest_delta_schema.plan.actions import CreateTable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_delta_schema.plan.actions import AlignTable

DROP_COLUMN = "drop-column"
"""Consent to drop a column; its path is ``catalog.schema.table.column``."""

REWRITE = "rewrite"
"""Consent to write all data of a table anew; its path is ``catalog.schema.table``."""

ACTIONS = {DROP_COLUMN: "catalog.schema.table.column", REWRITE: "catalog.schema.table"}
"""All actions that can be consented to, with the form of their paths."""


class ConsentError(DeltaSchemaError):
    """A consent was not written in a way that names something."""


class Need(NamedTuple):
    """Something in a plan that somebody has to agree to.

    Args:
        action: One of :data:`ACTIONS`.
        path: What it is about, in lower case.
        name: The part of the table that is meant, as it is spelled; ``""`` for the whole table.
    """

    action: str
    path: str
    name: str = ""

    def __str__(self) -> str:
        return f"{self.action} {self.path}"


class Consent(NamedTuple):
    """One agreed action.

    Args:
        action: One of :data:`ACTIONS`.
        path: What it is about, in lower case.
        is_pattern: Whether the path may match several things, in the manner of file names.
        reason: Why it is agreed to.
        expires: The last day on which it holds.
    """

    action: str
    path: str
    is_pattern: bool = False
    reason: str = ""
    expires: date | None = None

    def __str__(self) -> str:
        return f"{self.action} {self.path}"

    def covers(self, need: Need) -> bool:
        """Whether it agrees to what a plan needs."""
        same = fnmatchcase(need.path, self.path) if self.is_pattern else need.path == self.path
        return same and need.action == self.action


def needs(action: CreateTable | AlignTable) -> tuple[Need, ...]:
    """Return everything in an action that somebody has to agree to."""
    if isinstance(action, CreateTable):
        return ()
    # Consents name what models are called, wherever their tables are.
    table = str(action.desired.logical_name or action.table)
    dropped = (".".join(drop.path) for drop in action.drop_columns)
    drops = (Need(DROP_COLUMN, f"{table}.{name}".lower(), name) for name in dropped)
    rewrites = () if action.rewrite_layout is None else (Need(REWRITE, table),)
    return (*drops, *rewrites)


def missing(action: CreateTable | AlignTable, kind: str, consents: Iterable[Consent]) -> tuple[Need, ...]:
    """Return what an action needs of one kind, and nobody has agreed to."""
    agreed = tuple(consents)
    return tuple(
        need for need in needs(action) if need.action == kind and not any(each.covers(need) for each in agreed)
    )


def parse_consent(text: str) -> Consent:
    """Read a consent such as ``drop-column dev.silver.orders.legacy``.

    Args:
        text: The action, white space, and the dotted path.

    Raises:
        ConsentError: If the action is unknown or the path has too few parts.
    """
    action, _, path = text.strip().partition(" ")
    return consent_to(action, path.strip(), repr(text))


def consent_to(action: str, path: str, said: str) -> Consent:
    """Build a consent to one thing by its name.

    Args:
        action: One of :data:`ACTIONS`.
        path: What it is about, in any case.
        said: How the user wrote it, for the message.

    Raises:
        ConsentError: If the action is unknown or the path has too few parts.
    """
    form = ACTIONS.get(action)
    if form is None:
        known = " or ".join(map(repr, ACTIONS))
        msg = f"consent {said} names no known action; write {known} and then what it is about"
        raise ConsentError(msg)
    if path.count(".") < form.count(".") or not all(path.split(".")):
        msg = f"consent {said} names no {form.rpartition('.')[2]}; write '{action} {form}'"
        raise ConsentError(msg)
    return Consent(action, path.lower())
