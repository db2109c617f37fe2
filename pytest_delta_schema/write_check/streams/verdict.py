"""The verdict on a stream over a change: whether it continues, Delta's error condition, and what lets it continue."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from pytest_delta_schema.diagnostics.errors import DeclarationError

if TYPE_CHECKING:
    from pytest_delta_schema.diagnostics.errors import Diagnostic

StreamKind = Literal["plain", "lagging", "starting-version", "tracked", "change-feed"]
"""How a stream reads the table: it runs and has read everything; it was stopped with unread commits before the change;
it is started after the change with ``startingVersion`` before it; it runs with ``schemaTrackingLocation``; it runs with
``readChangeFeed``."""

StreamAnswer = Literal["continues", "restarts", "blocked", "not judged"]

STREAM_KINDS: tuple[StreamKind, ...] = get_args(StreamKind)
ANSWERS: tuple[StreamAnswer, ...] = ("continues", "restarts", "not judged", "blocked")
"""From the best to the worst: of several changes the worst answer counts."""

Remedy = tuple[str, ...]
"""Options of the reader and settings of the session with their values; settings begin with ``spark.``."""

NEW_CHECKPOINT: Remedy = ("a new checkpoint",)
"""The remedy for a stream with which no option and no setting helps."""

NOTHING_HELPS: Remedy = ("nothing",)
"""The remedy of a stream that fails whatever is tried, a new checkpoint included."""

TRACKED = "schemaTrackingLocation=<folder>"
"""The part of a remedy that lets a stream track schemas, in a folder below its checkpoint."""

MEANINGS: dict[StreamAnswer, str] = {
    "continues": "continues",
    "restarts": "ends once, and continues when it is started again",
    "blocked": "fails again after every start",
    "not judged": "is not judged",
}
"""What the answers say of a stream."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamVerdict:
    """The behaviour of a stream that reads a table, after a change of the table.

    Args:
        table: Dotted name of the table.
        kind: How the stream reads it: ``plain``, ``lagging``, ``starting-version``, ``tracked`` or ``change-feed``.
        answer: ``continues``; ``restarts``, if it ends once and continues when it is started again; ``blocked``, if it
            fails again after every start; or ``not judged``.
        condition: The error condition of Delta with which it ends, such as ``DELTA_SCHEMA_CHANGED_WITH_VERSION``;
            ``""`` for none.
        remedy: What lets a blocked stream continue, all of it together: options of the reader such as
            ``skipChangeCommits=true``, settings of the session, which begin with ``spark.``, ``a new checkpoint``, or
            ``nothing``.
        findings: Why, one for each change that ends the stream or is not judged; in each, ``rule`` is the name of the
            change in the table of stream rules.
    """

    table: str
    kind: StreamKind
    answer: StreamAnswer
    condition: str = ""
    remedy: Remedy = ()
    findings: tuple[Diagnostic, ...] = ()

    def __str__(self) -> str:
        head = f"{self.table}: a {self.kind} stream {MEANINGS[self.answer]}"
        if self.condition:
            head = f"{head} [{self.condition}]"
        if self.remedy:
            head = f"{head}; {remedy_text(self.remedy)}"
        return "\n".join([head, *(f"  ! {_reason(finding)}" for finding in self.findings)])


def _reason(finding: Diagnostic) -> str:
    return f"{finding.fact} [{' '.join(part for part in (finding.code, finding.rule) if part)}]"


def remedy_text(remedy: Remedy) -> str:
    """Return a remedy as an instruction; without one the stream is started again."""
    if not remedy:
        return "start it again"
    if remedy == NEW_CHECKPOINT:
        return "start it with a new checkpoint"
    if remedy == NOTHING_HELPS:
        return "nothing that was tried lets it continue"
    parts = (part.partition("=") for part in remedy)
    named = [f"the {'setting' if key.startswith('spark.') else 'option'} {key} to {value}" for key, _, value in parts]
    return f"set {' and '.join(named)}"


def require_kind(kind: object) -> None:
    """Raise unless an argument is a kind of stream.

    Raises:
        DeclarationError: If it is something else.
    """
    if kind not in STREAM_KINDS:
        msg = f"kind is {kind!r}; write one of {', '.join(STREAM_KINDS)}"
        raise DeclarationError(msg)
