"""Consent: what somebody has agreed to lose, by name."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date  # noqa: TC003 - the dataclass's annotation
from typing import TYPE_CHECKING, NamedTuple

from pytest_delta_schema.errors import DeltaSchemaError
from pytest_delta_schema.models.names import QualifiedName
from pytest_delta_schema.plan.actions import CreateTable
from pytest_delta_schema.plan.changes import ColumnDrop
from pytest_delta_schema.plan.changes.kind import kind_of
from pytest_delta_schema.rules.consent_paths import (
    ANY_PARTS,
    Part,
    could_mean,
    matches,
    parse_path,
    path_text,
    quoted,
    shown,
    unmistakable,
)
from pytest_delta_schema.state.types import below

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pytest_delta_schema.plan.actions import AlignTable
    from pytest_delta_schema.plan.changes import Change
    from pytest_delta_schema.state.types import ColumnState

DROP_COLUMN = "drop-column"
"""Consent to drop a column; its path is ``catalog.schema.table.column``."""

REWRITE = "rewrite"
"""Consent to write all data of a table anew; its path is ``catalog.schema.table``."""

ACTIONS = {DROP_COLUMN: "catalog.schema.table.column", REWRITE: "catalog.schema.table"}
"""All actions that can be consented to, with the form of their paths."""

_BLANK = " \t\r\n"


class ConsentError(DeltaSchemaError):
    """A consent was not written in a way that names something."""


class Need(NamedTuple):
    """Something in a plan that somebody has to agree to.

    Args:
        action: One of :data:`ACTIONS`.
        table: The table that it is about, as models call it.
        path: The column, and the fields below it, as they are spelled; nothing for the whole table.
    """

    action: str
    table: QualifiedName
    path: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The parts of its path, in lower case."""
        return tuple(name.lower() for name in (*self.table, *self.path))

    def __str__(self) -> str:
        return f"{self.action} {path_text(self.names)}"


@dataclass(frozen=True, slots=True)
class Consent:
    """One agreed action.

    Args:
        action: One of :data:`ACTIONS`.
        path: What it is about: names with dots between them, those that are more than a word in back-quotes.
        is_pattern: Whether ``*`` in the path stands for one part, and ``**`` for any number of them.
        reason: Why it is agreed to.
        expires: The last day on which it holds.

    Raises:
        ConsentError: If it names nothing that can be agreed to.
    """

    action: str
    path: str = field(compare=False)
    is_pattern: bool = False
    reason: str = ""
    expires: date | None = None
    parts: tuple[Part, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "parts", _parts(self.action, self.path, is_pattern=self.is_pattern))

    def __str__(self) -> str:
        return f"{self.action} {shown(self.parts)}"

    @property
    def names(self) -> tuple[str, ...]:
        """The parts of its path without back-quotes, in lower case."""
        return tuple(part.name for part in self.parts)

    def covers(self, need: Need) -> bool:
        """Whether it agrees to what a plan needs: a dot is between two parts, and never inside of one."""
        same = matches(self.parts, need.names) if self.is_pattern else need.names == self.names
        return same and need.action == self.action

    def readings(self, known: Iterable[tuple[str, ...]]) -> list[tuple[str, ...]]:
        """Return what its path would mean among names, if dots outside of back-quotes could belong to a name.

        More than one reading makes it ambiguous. A pattern has none but the one that it says.

        Args:
            known: The parts of what is there, in lower case.
        """
        if any(part.has_wildcards for part in self.parts):
            return []
        return sorted({names for names in known if could_mean(self.parts, names)})


class Missing(NamedTuple):
    """Something in a plan that nobody has clearly agreed to.

    Args:
        need: What.
        doubts: Of each consent that could mean it, and something else as well, that it is refused.
        remedy: How to agree to it, in the imperative.
    """

    need: Need
    doubts: tuple[str, ...]
    remedy: str


def needs(action: CreateTable | AlignTable) -> tuple[Need, ...]:
    """Return everything in an action that somebody has to agree to."""
    if isinstance(action, CreateTable):
        return ()
    # Consents name what models are called, wherever their tables are.
    table = action.desired.logical_name or action.table
    actions = ((change, kind_of(change).consent) for change in action.changes)
    needed = [_need(change, consent, table) for change, consent in actions if consent is not None]
    return tuple(sorted(needed, key=lambda need: need.action))


def _need(change: Change, action: str, table: QualifiedName) -> Need:
    return Need(action, table, change.path if isinstance(change, ColumnDrop) else ())


def missing(action: CreateTable | AlignTable, kind: str, consents: Iterable[Consent]) -> tuple[Missing, ...]:
    """Return what an action needs of one kind, and nobody has clearly agreed to.

    A consent that could mean several columns of the table agrees to none of them.
    """
    wanted = [need for need in needs(action) if need.action == kind]
    if not wanted or isinstance(action, CreateTable):
        return ()
    table = wanted[0].table
    known = [tuple(table), *((*table, *path) for path in lower_paths(action.observed.columns))]
    readings = {consent: consent.readings(known) for consent in consents if consent.action == kind}
    clear = [consent for consent, meant in readings.items() if len(meant) <= 1]
    ambiguous = {consent: meant for consent, meant in readings.items() if len(meant) > 1}
    return tuple(
        Missing(
            need=need,
            doubts=tuple(is_ambiguous(consent, meant) for consent, meant in ambiguous.items() if need.names in meant),
            remedy=f"consent with --delta-allow {pasted(kind, need.names, known)}",
        )
        for need in wanted
        if not any(consent.covers(need) for consent in clear)
    )


def is_ambiguous(consent: Consent, readings: Sequence[tuple[str, ...]]) -> str:
    """Say that a consent is refused, and what it could mean, ready to be pasted."""
    listed = " or ".join(pasted(consent.action, names, readings) for names in readings)
    return f"consent '{consent}' is ambiguous and agrees to nothing: write {listed}"


def pasted(action: str, names: tuple[str, ...], rivals: Iterable[tuple[str, ...]] = ()) -> str:
    """Write a consent in quotes for a shell, so that it means one thing only.

    Args:
        action: One of :data:`ACTIONS`.
        names: The parts of its path, in lower case.
        rivals: Other paths that it must not be taken for.
    """
    others = [other for other in rivals if other != names]
    text = f"{action} {unmistakable(names, others, table_parts=len(QualifiedName._fields))}"
    # Between double quotes a shell would run what stands in back-quotes.
    return f"'{text}'" if "`" in text else f'"{text}"'


def lower_paths(columns: Iterable[ColumnState], above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the paths of columns and of everything below them, in lower case."""
    for column in columns:
        path = (*above, column.name.lower())
        yield path
        yield from lower_paths(below(column.data_type), path)


def parse_consent(text: str) -> Consent:
    """Read a consent such as ``drop-column dev.silver.orders.legacy``.

    Args:
        text: The action, white space, and the path.

    Raises:
        ConsentError: If the action is unknown, or the path is none.
    """
    action, _, path = text.strip(_BLANK).replace("\t", " ", 1).partition(" ")
    return Consent(action, path.strip(_BLANK))


def _parts(action: str, path: str, *, is_pattern: bool) -> tuple[Part, ...]:
    said = repr(f"{action} {path}" if path else action)
    form = ACTIONS.get(action)
    if form is None:
        known = " or ".join(map(repr, ACTIONS))
        msg = f"consent {said} names no known action; write {known} and then what it is about"
        raise ConsentError(msg)
    try:
        parts = parse_path(path)
    except ValueError as error:
        msg = f"consent {said} names no {form.rpartition('.')[2]}: {error}; write '{action} {form}'"
        raise ConsentError(msg) from None
    least = form.count(".") + 1
    named = [part for part in parts if not (is_pattern and part.is_any)]
    too_few = len(named) < least and len(named) == len(parts)
    if too_few or (action == REWRITE and len(named) > least):
        msg = f"consent {said} names no {form.rpartition('.')[2]}; write '{action} {form}'"
        raise ConsentError(msg)
    wild = [part.name for part in parts if part.has_wildcards]
    if wild and not is_pattern:
        msg = (
            f"consent {said} is a pattern, and {', '.join(wild)} would agree to more than one thing; put it into"
            f" pyproject.toml, with a reason and a last day, or write {', '.join(map(quoted, wild))} for that very name"
        )
        raise ConsentError(msg)
    if len(wild) == len(parts) and all(set(name) == {"*"} for name in wild):
        msg = f"consent {said} names nothing, so that it would agree to everything; write one part out"
        raise ConsentError(msg)
    if any(ANY_PARTS in name and name != ANY_PARTS for name in wild):
        msg = f"consent {said} has {ANY_PARTS} inside of a part; it stands alone between dots, for any number of parts"
        raise ConsentError(msg)
    return parts
