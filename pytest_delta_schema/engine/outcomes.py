"""Outcomes of the checks of tables, as values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, Literal, get_args

from pytest_delta_schema.diagnostics.errors import Diagnostic, Location, Severity
from pytest_delta_schema.diagnostics.faults import NotShown, Witness, WitnessResult
from pytest_delta_schema.settings.table import RISKS
from pytest_delta_schema.state.json_shapes import (
    FLAG,
    NUMBER,
    TEXT,
    Choice,
    Form,
    Items,
    JsonScalar,
    Key,
    Member,
    Nullable,
    Record,
    open_record,
    required_keys,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class CheckKind(str, Enum):
    """The checks of a table; an apply and a metadata sync are checks, too."""

    RULES = "rules"
    DDL = "ddl"
    DRIFT = "drift"
    APPLY = "apply"
    METADATA = "metadata"
    UNMANAGED = "unmanaged"
    ENFORCES = "enforces"
    COMPAT = "compat"
    ODCS = "odcs"


class Status(str, Enum):
    """The results of a check; with the first six it passes, and with the next two it neither passes nor fails."""

    VALID = "valid"
    ENFORCED = "enforced"
    COMPATIBLE = "compatible"
    IN_SYNC = "in sync"
    APPLIED = "applied"
    SYNCED = "metadata synced"
    UNPROVEN = "not proven"
    UNJUDGED = "not judged"
    DRIFTED = "drifted"
    INCOMPATIBLE = "incompatible"
    BLOCKED = "blocked"
    STALE = "stale metadata"
    UNENFORCED = "not enforced"
    FAILED = "failed"
    UNREADABLE = "unreadable"

    @property
    def passes(self) -> bool:
        """Whether the check passes."""
        return self in {
            Status.VALID,
            Status.ENFORCED,
            Status.COMPATIBLE,
            Status.IN_SYNC,
            Status.APPLIED,
            Status.SYNCED,
        }

    @property
    def fails(self) -> bool:
        """Whether the check fails; one that is not judged, or not proven, is skipped: it neither passes nor fails."""
        return not (self.passes or self in {Status.UNJUDGED, Status.UNPROVEN})


def status_text(status: Status, notes: Iterable[Diagnostic]) -> str:
    """Return a status as texts show it: ``in sync (not compared: defaults)``."""
    hidden = next((note.message.partition(";")[0] for note in notes if note.rule == NotShown.__name__), "")
    return f"{status.value} ({hidden})" if hidden else status.value


class DataChecks(str, Enum):
    """Whether the data checks of a plan ran, and what they ended with."""

    NOT_RUN = "not run"
    PASSED = "passed"
    FAILED = "failed"


Operation = Literal["add", "drop", "change"]
"""What a change does with the thing at its path."""

MARKERS: dict[Operation, str] = {"add": "+", "drop": "-", "change": "~"}
"""How texts show the operations."""

_OPERATIONS = {marker: operation for operation, marker in MARKERS.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class TableChange:
    """One difference between a model and the catalog.

    Args:
        table: Dotted name of the table in the catalog; another table's where its foreign key depends on this one.
        marker: ``+`` is added, ``-`` is dropped, ``~`` changes in place.
        path: Where inside the table, such as ``columns.id.comment``.
        before: What the catalog holds.
        after: What the model wants.
        risk: The risk of the change, such as ``metadata``; ``""`` for none.
        loss: What clients lose if it raises the protocol.
        aspect: The aspect of a difference that no apply changes, because the model does not manage it; else ``""``.
        code: The code of its kind, such as ``DD102``.
        location: The declaration of the table; ``None`` if no model declares it.
    """

    table: str
    marker: str
    path: str
    before: str
    after: str
    risk: str = ""
    loss: str = ""
    aspect: str = ""
    code: str = ""
    location: Location | None = None

    @property
    def operation(self) -> Operation:
        """The operation at the path."""
        return _OPERATIONS[self.marker]


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeStatement:
    """One SQL statement of a plan.

    Args:
        sql: Its text, without a semicolon.
        kind: What it does, such as ``add columns``; ``""`` if that is not known.
        risk: Its risk, such as ``metadata``.
        is_emulated: Whether the backend runs other statements with the same result.
        has_run: Whether it ran.
    """

    sql: str
    kind: str = ""
    risk: str = "metadata"
    is_emulated: bool = False
    has_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TableOutcome:
    """The outcome of one check of one table.

    Args:
        table: Dotted name of the model.
        check: What was checked.
        status: How it ended.
        stored_as: Dotted name of the table that the model maps to; ``""`` if no catalog was needed.
        backend: Name of the backend; ``""`` if no plan was made.
        observed_version: Delta version that was read, before an apply; ``None`` for a new table, and without a catalog.
        changes: Every difference; those of the table itself come first.
        diagnostics: Why the table fails; those of the table itself come first.
        statements: The SQL of the plan, in order.
        notes: Remarks that do not fail the check.
        background: Where the differences come from, such as the commits that added columns.
        data_checks: Whether data checks ran.
        location: The declaration.
        restore_sql: The SQL that restores the version before an apply; ``""`` if there was none, or nothing ran.
        failure: The text of an error of the catalog, SQL included; ``""`` if there was none.
        planned: The plan of the table for a plan file, as JSON values; ``None`` if the run writes none.
    """

    table: str
    check: CheckKind
    status: Status
    stored_as: str = ""
    backend: str = ""
    observed_version: int | None = None
    changes: tuple[TableChange, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    statements: tuple[OutcomeStatement, ...] = ()
    notes: tuple[Diagnostic, ...] = ()
    background: tuple[Diagnostic, ...] = ()
    data_checks: DataChecks = DataChecks.NOT_RUN
    location: Location | None = None
    restore_sql: str = ""
    failure: str = ""
    planned: Mapping[str, Any] | None = None

    @property
    def label(self) -> str:
        """The status as texts show it, with what was not compared."""
        return status_text(self.status, self.notes)

    def to_json(self) -> dict[str, Any]:
        """Return the outcome as values of JSON; :meth:`from_json` turns them back without loss."""
        return OUTCOME_FORM.write(self)

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> TableOutcome:
        """Return the outcome that :meth:`to_json` has written."""
        outcome: TableOutcome = OUTCOME_FORM.read(values, "outcome")
        return outcome


CheckOutcome = Literal["passed", "failed", "error", "skipped"]
"""How pytest reports a check; ``error`` is one in set-up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """What one test item has shown of a table."""

    node_id: str
    table: str
    """Dotted name of the model, or of the schema."""
    check: CheckKind
    """Its last part, such as ``drift``."""
    outcome: CheckOutcome | None = None
    """How it ended; ``None`` while it runs."""
    result: TableOutcome | None = None
    """The outcome of the check; ``None`` for an item that was skipped before it ran."""
    declared: Mapping[str, Any] | None = None
    """The state that the model wants, as JSON values; ``None`` if it is not known."""
    observed: Mapping[str, Any] | None = None
    """The state that the catalog holds, in the same form."""


_STATUSES = list(Status)
"""From the best to the worst."""


def worst(outcomes: Iterable[TableOutcome]) -> TableOutcome:
    """Return the worst outcome of a table; what a catalog shows tells more about it than a snapshot does."""

    def severity(outcome: TableOutcome) -> int:
        return _STATUSES.index(Status.SYNCED if outcome.check is CheckKind.DDL else outcome.status)

    return max(outcomes, key=severity)


LOCATION = open_record(
    Location, Key("file", TEXT), Key("line", NUMBER), *required_keys(Nullable(of=NUMBER), "column", "end_line")
)

_LOCATION = Key("location", Nullable(of=LOCATION))


def _change(operation: Operation, **parts: Any) -> TableChange:
    return TableChange(marker=MARKERS[operation], **parts)


CHANGE = open_record(
    TableChange,
    Key("code", TEXT),
    Key("operation", Choice(words=tuple(MARKERS))),
    *required_keys(TEXT, "table", "path", "before", "after"),
    Key("risk", Choice(words=("", *RISKS))),
    *required_keys(TEXT, "loss", "aspect"),
    _LOCATION,
    build=_change,
)

WITNESS = open_record(
    Witness,
    Key("result", Choice(words=get_args(WitnessResult))),
    *required_keys(TEXT, "file", "script", "before", "after", "reason"),
)

DIAGNOSTIC = open_record(
    Diagnostic,
    *required_keys(TEXT, "code", "rule"),
    Key("severity", Choice(words=get_args(Severity))),
    *required_keys(TEXT, "table", "path", "message", "samples", "remedy"),
    _LOCATION,
    Key("roles", Items(of=TEXT)),
    *required_keys(TEXT, "verdict", "upgrade_first", "consent"),
    Key("witnesses", Items(of=WITNESS)),
)

STATEMENT = open_record(
    OutcomeStatement,
    *required_keys(TEXT, "sql", "kind"),
    Key("risk", Choice(words=RISKS)),
    Key("emulated", FLAG, attribute="is_emulated"),
    Key("ran", FLAG, attribute="has_run"),
)

_DIAGNOSTICS = Items(of=Record(Diagnostic, *DIAGNOSTIC.keys, Key("concerns_run", FLAG, default=False)))

OUTCOME_FORM = Form(
    version=1,
    record=Record(
        TableOutcome,
        Key("table", TEXT),
        Key("check", Member(of=CheckKind)),
        Key("status", Member(of=Status)),
        *required_keys(TEXT, "stored_as", "backend"),
        Key("observed_version", Nullable(of=NUMBER)),
        Key("changes", Items(of=CHANGE)),
        *required_keys(_DIAGNOSTICS, "diagnostics", "notes", "background"),
        Key("statements", Items(of=STATEMENT)),
        Key("data_checks", Member(of=DataChecks)),
        _LOCATION,
        *required_keys(TEXT, "restore_sql", "failure"),
        Key("planned", Nullable(of=JsonScalar(kinds=(dict,), noun="an object")), None),
    ),
)
"""The form in which workers send outcomes, of which reports use the parts."""
