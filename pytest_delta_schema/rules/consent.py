"""Consent: permission by name for one loss of data, one rewrite, or one change that breaks a contract."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from datetime import date  # noqa: TC003 - the dataclass's annotation
from typing import TYPE_CHECKING

from pytest_delta_schema.delta.names import TABLE, ColumnPath, folded, path_text, quoted
from pytest_delta_schema.diagnostics.errors import DeltaSchemaError
from pytest_delta_schema.models.names import QualifiedName
from pytest_delta_schema.plan.actions import CreateTable
from pytest_delta_schema.plan.changes import ColumnDrop
from pytest_delta_schema.rules.policy import (
    ANY_PARTS,
    PathPart,
    could_name,
    is_part_word,
    matches,
    names_text,
    parse_path,
    part_word,
    parts_text,
    unambiguous,
)
from pytest_delta_schema.settings.table import SECTION
from pytest_delta_schema.state.types import children

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pytest_delta_schema.plan.actions import AlignTable
    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.state.types import ColumnState


DROP_COLUMN = "drop-column"
"""Consent to drop a column; its path is ``catalog.schema.table.column``."""

REWRITE = "rewrite"
"""Consent to rewrite all data of a table; its path is ``catalog.schema.table``."""

BREAK = "break"
"""Consent to break the released contract of a part of a table; only a comparison with it needs this."""

_TABLE_FORM = "catalog.schema.table"
_COLUMN_FORM = f"{_TABLE_FORM}.column"

ACTIONS = {DROP_COLUMN: (_COLUMN_FORM,), REWRITE: (_TABLE_FORM,), BREAK: (_COLUMN_FORM, f"{_TABLE_FORM}.layout")}
"""All actions that need consent, with the forms of their paths, the shortest first."""

PARTS = {
    "checks": "CHECK constraints, by their names",
    "primary_key": "the primary key",
    "keys": "UNIQUE and foreign keys, by their names",
    "layout": "partitioning and clustering",
    "properties": "table properties, by their keys",
    "tags": "tags of the table, by their keys",
    "comment": "the comment of the table",
    "column_order": "the order of columns",
    "owns": "what the contract no longer owns",
    "evolution": "columns that the contract accepts besides its own",
    "format": "the conversion from parquet files",
    "deprecated": "the deprecation of the table",
    "table": "the removal of the table",
}
"""The words that follow a table in a consent to break it, for what is no column; wildcards match none of them."""

_TABLE_PARTS = len(QualifiedName._fields)
_BLANK = " \t\r\n"


class ConsentError(DeltaSchemaError):
    """The text of a consent is invalid."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NeededConsent:
    """A consent that a plan, or a change of a contract, needs."""

    action: str
    """One of :data:`ACTIONS`."""
    table: QualifiedName
    path: ColumnPath = TABLE
    """The column or the field, as it is spelled, or a part word and names; empty for the whole table."""

    @property
    def names(self) -> tuple[str, ...]:
        """The parts of its path, in lower case."""
        return (*map(folded, self.table), *self.path.folded)

    def __str__(self) -> str:
        return f"{self.action} {consent_path(self.action, self.names)}"


@dataclass(frozen=True, slots=True)
class Consent:
    """Permission for one action.

    Args:
        action: One of :data:`ACTIONS`.
        path: Names with dots between them, in back-quotes if they are more than a word.
        is_pattern: Whether ``*`` in the path matches one part, and ``**`` any number of parts.
        reason: Why the action is permitted.
        expires: The last day on which the consent is valid.

    Raises:
        ConsentError: If the action is unknown, or the path names nothing that the action can have.
    """

    action: str
    path: str = field(compare=False)
    _: KW_ONLY
    is_pattern: bool = False
    reason: str = ""
    expires: date | None = None
    parts: tuple[PathPart, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "parts", _parts(self.action, self.path, is_pattern=self.is_pattern))

    def __str__(self) -> str:
        return f"{self.action} {parts_text(self.parts)}"

    @property
    def names(self) -> tuple[str, ...]:
        """The parts of its path without back-quotes, in lower case."""
        return tuple(part.name for part in self.parts)

    @property
    def is_for_contracts(self) -> bool:
        """Whether it concerns a change of contracts, which no plan needs consent for."""
        return self.action == BREAK

    def covers(self, needed: NeededConsent) -> bool:
        """Whether it permits what is needed; a dot always separates two parts."""
        same = matches(self.parts, needed.names) if self.is_pattern else needed.names == self.names
        return same and needed.action == self.action

    def interpretations(self, known: Iterable[tuple[str, ...]]) -> list[tuple[str, ...]]:
        """Return the known paths that it could name, if dots outside of back-quotes could be part of a name.

        A consent with more than one interpretation is ambiguous. A pattern has none.

        Args:
            known: The parts of existing paths, in lower case.
        """
        if any(part.has_wildcards for part in self.parts):
            return []
        return sorted({names for names in known if could_name(self.parts, names)})


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingConsent:
    """A consent that a plan needs and the project does not give."""

    needed: NeededConsent
    ambiguities: tuple[str, ...]
    remedy: str


def needed_consents(action: CreateTable | AlignTable) -> tuple[NeededConsent, ...]:
    """Return the consents that an action needs."""
    if isinstance(action, CreateTable):
        return ()
    # Consents have the names of models, also where a binding maps them to other tables.
    table = action.desired.logical_name or action.table
    # Two changes of a table may need the same rewrite.
    consents = dict.fromkeys(
        NeededConsent(action=change.consent, table=table, path=change.path if isinstance(change, ColumnDrop) else TABLE)
        for change in action.changes
        if change.consent is not None
    )
    return tuple(sorted(consents, key=lambda needed: needed.action))


def missing_consents(
    action: CreateTable | AlignTable, kind: str, consents: Iterable[Consent]
) -> tuple[MissingConsent, ...]:
    """Return the consents of one kind that an action needs and that are not given."""
    required = [needed for needed in needed_consents(action) if needed.action == kind]
    if not required or isinstance(action, CreateTable):
        return ()
    table = required[0].table
    known = [tuple(table), *((*table, *path.folded) for path in all_paths(action.observed.columns))]
    paths = {consent: consent.interpretations(known) for consent in consents if consent.action == kind}
    clear = [consent for consent, possible in paths.items() if len(possible) <= 1]
    ambiguous = {consent: possible for consent, possible in paths.items() if len(possible) > 1}
    return tuple(
        MissingConsent(
            needed=needed,
            ambiguities=tuple(
                ambiguity(consent, possible) for consent, possible in ambiguous.items() if needed.names in possible
            ),
            remedy=f"consent with --delta-allow {quoted_consent(kind, needed.names, known)}",
        )
        for needed in required
        if not any(consent.covers(needed) for consent in clear)
    )


def ambiguity(consent: Consent, interpretations: Sequence[tuple[str, ...]]) -> str:
    """Return the message that a consent is ambiguous, with a consent to copy for each interpretation."""
    listed = " or ".join(quoted_consent(consent.action, names, interpretations) for names in interpretations)
    return f"consent '{consent}' is ambiguous and permits nothing: write {listed}"


def quoted_consent(action: str, names: tuple[str, ...], rivals: Iterable[tuple[str, ...]] = ()) -> str:
    """Return a consent in quotes for a shell that has one interpretation only."""
    others = [other for other in rivals if other != names]
    text = f"{action} {consent_path(action, names, others)}"
    return _in_quotes(text)


def _in_quotes(text: str) -> str:
    """Put a consent, or its path, in quotes of a shell and of TOML; what is more than a word has escapes for them."""
    # In double quotes a shell would run what is in back-quotes.
    return f"'{text}'" if "`" in text else f'"{text}"'


def consent_entry(needed: NeededConsent, expires: date) -> str:
    """Return a consent as an entry of ``pyproject.toml``, of which somebody has to write the reason."""
    path = _in_quotes(consent_path(needed.action, needed.names))
    lines = (f"[[{SECTION}.allow]]", f'action = "{needed.action}"', f"path = {path}", 'reason = ""')
    return "\n".join([*lines, f"expires = {expires}"])


def consent_path(action: str, names: tuple[str, ...], rivals: Sequence[tuple[str, ...]] = ()) -> str:
    """Return the path of a consent that is none of some other paths."""
    table, below = names[:_TABLE_PARTS], names[_TABLE_PARTS:]
    if action == BREAK and below:
        first, *others = below
        if is_part_word(first):
            return names_text(names)
        if first in PARTS:
            return ".".join([path_text(table), quoted(first), *map(quoted, others)])
    return unambiguous(names, rivals, table_parts=_TABLE_PARTS)


def all_paths(columns: Iterable[ColumnState], above: ColumnPath = TABLE) -> Iterator[ColumnPath]:
    """Yield the paths of columns and of all parts below them."""
    for column in columns:
        path = above.child(column.name)
        yield path
        yield from all_paths(children(column.data_type), path)


def breakable_parts(state: TableState) -> Iterator[ColumnPath]:
    """Yield the parts of a contract that a consent can name, but for properties and tags."""
    yield from all_paths(state.columns)
    yield from (ColumnPath(part_word(word)) for word in PARTS)
    yield from (ColumnPath(part_word("checks"), check.name) for check in state.checks)
    yield from (ColumnPath(part_word("keys"), key.name) for key in state.unique)
    yield from (ColumnPath(part_word("keys"), key.name) for key in state.foreign_keys)


def parse_consent(text: str) -> Consent:
    """Read a consent such as ``drop-column dev.silver.orders.legacy``."""
    action, _, path = text.strip(_BLANK).replace("\t", " ", 1).partition(" ")
    return Consent(action, path.strip(_BLANK))


def _parts(action: str, path: str, *, is_pattern: bool) -> tuple[PathPart, ...]:
    given = repr(f"{action} {path}" if path else action)
    forms = ACTIONS.get(action)
    if forms is None:
        *others, last = map(repr, ACTIONS)
        msg = f"consent {given} names no known action; write {', '.join(others)} or {last} and then a path"
        raise ConsentError(msg)
    try:
        parts = parse_path(path)
    except ValueError as error:
        msg = f"consent {given} names no {_NOUNS[action]}: {error}; write {_examples(action, forms)}"
        raise ConsentError(msg) from None
    # A comparison names the parts of a table that a consent to break all of it should have named.
    minimum = _TABLE_PARTS if action == BREAK else forms[0].count(".") + 1
    named = [part for part in parts if not (is_pattern and part.is_any)]
    too_few = len(named) < minimum and len(named) == len(parts)
    if too_few or (action == REWRITE and len(named) > minimum):
        msg = f"consent {given} names no {_NOUNS[action]}; write {_examples(action, forms)}"
        raise ConsentError(msg)
    wild = [part.name for part in parts if part.has_wildcards]
    if wild and not is_pattern:
        exact = ", ".join(map(quoted, wild))
        msg = (
            f"consent {given} is a pattern, and {', '.join(wild)} would match more than one name; put it into"
            f" pyproject.toml, with a reason and a last day, or write {exact} for that exact name"
        )
        raise ConsentError(msg)
    if action == BREAK:
        parts = _with_part_word(parts)
    if len(wild) == sum(not is_part_word(part.name) for part in parts):
        fact = f"consent {given} has wildcards in every part"
        msg = f"{fact} and would permit everything that they match; write one part in full"
        raise ConsentError(msg)
    if any(ANY_PARTS in name and name != ANY_PARTS for name in wild):
        fact = f"consent {given} has {ANY_PARTS} inside of a part"
        msg = f"{fact}; it must be a whole part, and matches any number of parts"
        raise ConsentError(msg)
    return parts


def _with_part_word(parts: tuple[PathPart, ...]) -> tuple[PathPart, ...]:
    """Return a path in which the word for a part of a table is none of a column: that behind the name of a table."""
    anywhere = next((at for at, part in enumerate(parts) if part.is_any), len(parts))
    for at, part in enumerate(parts):
        if (at == _TABLE_PARTS <= anywhere or at > anywhere) and not part.is_quoted and part.name in PARTS:
            return (*parts[:at], PathPart(part_word(part.name), is_quoted=True), *parts[at + 1 :])
    return parts


_NOUNS = {DROP_COLUMN: "column", REWRITE: "table", BREAK: "part of a table"}


def _examples(action: str, forms: tuple[str, ...]) -> str:
    return " or ".join(f"'{action} {form}'" for form in forms)
