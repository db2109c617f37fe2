"""The policy of a project for changes of contracts: for whom they are judged, and what fails."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING

from pytest_delta_schema.delta.names.folded_names import folded
from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.models.names import QualifiedName
from pytest_delta_schema.rules.consent_paths import ANY_PARTS, PathPart, matches, parse_path
from pytest_delta_schema.settings.compatibility_roles import DEFAULT_ROLES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_delta_schema.settings.compatibility_roles import FailOn, Role

_TABLE_PARTS = len(QualifiedName._fields)


@dataclass(frozen=True, slots=True, kw_only=True)
class CompatibilityPolicy:
    """For whom a change of a contract is judged, which verdict fails it, and how long a drop is announced before."""

    roles: tuple[Role, ...] = DEFAULT_ROLES
    """Whom a change may not break; findings for others are shown and fail nothing."""
    fail_on: FailOn = "breaking"
    """The least verdict that fails a change: ``breaking``, ``dangerous``, or ``never`` for none."""
    min_notice: int = 0
    """How many days a column or a table has to be deprecated before it may be dropped."""


@dataclass(frozen=True, slots=True)
class CompatibilityEntry:
    """The policy of the tables that a path matches.

    Raises:
        DeclarationError: If the path can match no table.
    """

    path: str
    """The dotted name of a table in models, in any case: ``*`` matches one part or a piece of it, ``**`` any number of
    parts; a part in back-quotes has no wildcards."""
    _: KW_ONLY
    policy: CompatibilityPolicy = CompatibilityPolicy()
    parts: tuple[PathPart, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "parts", _table_parts(self.path))

    def matches(self, name: QualifiedName) -> bool:
        """Whether the path matches a table, without regard to case."""
        return matches(self.parts, [folded(part) for part in name])


def compatibility_of(entries: Iterable[CompatibilityEntry], name: QualifiedName) -> CompatibilityPolicy:
    """Return the policy of a table: that of the longest path that matches its name, and of two equally long the first.

    The name is that of the model, not the one that a binding maps it to.
    """
    longest = max((entry for entry in entries if entry.matches(name)), key=lambda entry: len(entry.path), default=None)
    return CompatibilityPolicy() if longest is None else longest.policy


def _table_parts(path: str) -> tuple[PathPart, ...]:
    given = f"path {path!r}"
    form = "write catalog.schema.table, where * is one part and ** any number of parts"
    try:
        parts = parse_path(path)
    except ValueError as error:
        msg = f"{given} names no table: {error}; {form}"
        raise DeclarationError(msg) from None
    if any(ANY_PARTS in part.name and part.has_wildcards and not part.is_any for part in parts):
        msg = f"{given} has {ANY_PARTS} inside of a part; {form}"
        raise DeclarationError(msg)
    named = [part for part in parts if not part.is_any]
    if len(named) > _TABLE_PARTS or (len(named) == len(parts) and len(named) < _TABLE_PARTS):
        msg = f"{given} matches no table, because the name of a table has {_TABLE_PARTS} parts; {form}"
        raise DeclarationError(msg)
    return parts
