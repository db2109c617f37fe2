"""Outcomes, changes and statements as text for a terminal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_delta_schema.diagnostics.text import counted, escaped, escaped_lines, note_on, printed_sql, sql_lines
from pytest_delta_schema.engine.outcomes import CheckKind, Status
from pytest_delta_schema.plan.kinds import ABSENT, ADD, ChangeLine, Risk
from pytest_delta_schema.settings.table import RISKS, ROLE_WORDS, ROLES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.engine.outcomes import OutcomeStatement, TableChange, TableOutcome


TO_ALIGN = "to align the catalog: pytest --delta-apply"
TO_ALIGN_ELSEWHERE = (
    "to align the tables: pytest --delta-apply --delta-backend=session, with a session that knows them by these names"
)
"""The last line of a table that has drifted, and of the summary of such tables."""

TO_ACCEPT = "to accept into the models what it holds: pytest --delta-adopt=diff"
"""The line of a summary with tables that differ from their models."""

_NAMED = 3


def headline(outcome: TableOutcome) -> str:
    """Return in one line how a check ended that did not pass, or that passed with changes."""
    groups = _groups(outcome)
    if outcome.failure:
        return outcome.failure.partition("\n")[0]
    if outcome.status is Status.UNREADABLE:
        return str(outcome.diagnostics[0])
    if outcome.status is Status.UNPROVEN:
        return f"{escaped(outcome.stored_as)}: its statements ran, and the catalog does not show all that they changed"
    if outcome.check in _HEADLINES:
        return _HEADLINES[outcome.check](outcome)
    if not groups.own and not groups.unmanaged:
        return _headline_without_changes(outcome)
    head = _drift_line(outcome.stored_as, groups.own or groups.unmanaged)
    return f"{head}; blocked: {outcome.diagnostics[0].full_message}" if outcome.diagnostics else head


def unmanaged_headline(outcome: TableOutcome) -> str:
    """Return in one line what an apply does not change, because the model does not manage it; ``""`` for nothing."""
    unmanaged = _groups(outcome).unmanaged
    return f"{_drift_line(outcome.stored_as, unmanaged)}, in what the contract only reports" if unmanaged else ""


def _drift_line(table: str, changes: Sequence[TableChange]) -> str:
    if any(map(is_creation, changes)):
        schema = changes[0].path.partition("schema ")[2]
        return escaped(
            f"{table} does not exist in the catalog{f', and neither does its schema {schema}' * bool(schema)}"
        )
    return escaped(f"{table} has drifted, {counted(len(changes), 'change')}: {_first_paths(changes)}")


def _first_paths(parts: Sequence[TableChange | Diagnostic]) -> str:
    """Name the first few paths, and count the other changes as the headline does: a replaced check is two."""
    paths = list(dict.fromkeys(part.path for part in parts))
    more = f" and {len(parts) - _NAMED} more" if len(paths) > _NAMED else ""
    return f"{', '.join(paths[:_NAMED])}{more}"


def _headline_without_changes(outcome: TableOutcome) -> str:
    if _has_several_constraints(outcome):
        number = counted(len(outcome.diagnostics), "constraint")
        return escaped(f"{outcome.stored_as}: {number} did not stop their rows: {_first_paths(outcome.diagnostics)}")
    return str(outcome.diagnostics[0]) if outcome.diagnostics else outcome.table


def _has_several_constraints(outcome: TableOutcome) -> bool:
    return outcome.status is Status.UNENFORCED and len(outcome.diagnostics) > 1


def _unmanaged_findings(outcome: TableOutcome) -> str:
    return " ".join(f"{part.table} {part.message}" for part in (*outcome.diagnostics, *outcome.notes))


def _entry_headline(outcome: TableOutcome) -> str:
    number, paths = counted(len(outcome.changes), "difference"), _first_paths(outcome.changes)
    return escaped(f"{outcome.stored_as}: the catalog entry differs from the Delta log, {number}: {paths}")


_VERBS = {"breaking": "breaks", "dangerous": "is dangerous for", "not judged": "is not judged for"}


def comparison_headline(outcome: TableOutcome) -> str:
    """Return in one line whom the change of a table breaks; that of one that was not compared is its first fault."""
    first, *others = outcome.diagnostics
    if outcome.status is Status.UNJUDGED:
        more = f"; and {counted(len(others), 'more fault')}" if others else ""
        return escaped(f"{outcome.table}: not judged: {first.fact}{more}")
    pairs = {(diagnostic.verdict, role) for diagnostic in outcome.diagnostics for role in diagnostic.roles}
    roles = {verdict: [role for role in ROLES if (verdict, role) in pairs] for verdict in _VERBS}
    parts = [f"{verb} {', '.join(ROLE_WORDS[role] for role in roles[of])}" for of, verb in _VERBS.items() if roles[of]]
    if not parts:
        return str(first)
    paths = list(dict.fromkeys(diagnostic.path or "the table" for diagnostic in outcome.diagnostics))
    return escaped(f"{outcome.table}: {'; '.join(parts)}: {first_few(paths, _NAMED)}")


def _contract_headline(outcome: TableOutcome) -> str:
    first, *others = outcome.diagnostics
    if others and first.path:
        differences = counted(len(outcome.diagnostics), "difference")
        return escaped(f"{outcome.table}: {differences} from its data contract: {_first_paths(outcome.diagnostics)}")
    more = f"; and {counted(len(others), 'more fault')}" if others else ""
    return f"{first}{more}"


_HEADLINES = {
    CheckKind.ODCS: _contract_headline,
    CheckKind.COMPAT: comparison_headline,
    CheckKind.UNMANAGED: _unmanaged_findings,
    CheckKind.METADATA: _entry_headline,
}
"""What says in one line how checks of some kinds ended."""

_ENTRY = "Spark reads the log; clients that only use the catalog see its entry."
_SYNC = f"{_ENTRY} Synchronise it: pytest --delta-sync-metadata"

_RESTORE = (
    f"{_ENTRY} Only the catalog, which commits to this log, may write the entry; a RESTORE through Spark writes both"
)

_UNMANAGED = (
    "Tables of models that this run did not collect count, too. No apply drops a table: declare them, parquet files"
    " with convert_from, exclude them with the setting unmanaged_ignore, or drop them by hand."
)


def body(outcome: TableOutcome, declared_at: str, *, with_sql: bool = True) -> str:
    """Show everything besides the headline of a check that did not pass."""
    declared = f"declared at {escaped(declared_at)}" if declared_at else ""
    groups = _groups(outcome)
    if outcome.failure:
        return outcome.failure.partition("\n")[2]
    if outcome.check in _BODIES:
        return _BODIES[outcome.check](outcome, declared)
    if groups.own:
        return _drift_body(outcome, groups, declared, with_sql=with_sql)
    if groups.unmanaged:
        return _unmanaged_text(groups.unmanaged, [declared], _all_notes(outcome))
    return "\n\n".join([declared, *_body_without_changes(outcome)])


def _drift_body(outcome: TableOutcome, groups: ChangeGroups, declared: str, *, with_sql: bool) -> str:
    parts = [declared, changes_text(groups.own)]
    if _all_notes(outcome):
        parts.append(_notes_text(_all_notes(outcome)))
    for table, changes in groups.others.items():
        parts.append(f"along with it, at {escaped(table)}:\n{changes_text(changes)}")
    if groups.unmanaged:
        parts.append(_unmanaged_text(groups.unmanaged))
    if with_sql:
        heading = sql_heading(outcome.statements, is_blocked=bool(outcome.diagnostics))
        parts.append(f"{heading}:\n\n{sql_text(outcome.statements, is_printed=True)}")
    if outcome.diagnostics:
        parts.append(f"blocked:\n{_blocking_lines(outcome.diagnostics)}")
    return "\n\n".join(parts)


def _contract_body(outcome: TableOutcome, declared: str) -> str:
    several = outcome.diagnostics if outcome.diagnostics[1:] else ()
    lines = "\n".join(f"  {escaped(fault.fact) if fault.path else fault}" for fault in several)
    return "\n\n".join(filter(None, [declared, lines]))


def _entry_body(outcome: TableOutcome, _declared: str) -> str:
    return f"{entry_text(outcome.changes)}\n\n{_RESTORE if outcome.status is Status.BLOCKED else _SYNC}"


def _unmanaged_text(
    changes: Sequence[TableChange], before: Sequence[str] = (), notes: Sequence[Diagnostic] = ()
) -> str:
    aspects = ", ".join(dict.fromkeys(change.aspect for change in changes))
    parts = [*before, changes_text(changes)]
    if notes:
        parts.append(_notes_text(notes))
    fact = f"No apply changes this, because the contract reports {aspects} and does not manage it"
    parts.append(f"{fact}: change it where it is managed, or change the model.")
    return "\n\n".join(parts)


def _body_without_changes(outcome: TableOutcome) -> list[str]:
    if _has_several_constraints(outcome):
        return [_blocking_lines(outcome.diagnostics)]
    others = "\n".join(map(str, outcome.diagnostics[1:]))
    remedy = _remedy(outcome.diagnostics[0]) if len(outcome.diagnostics) == 1 else ""
    return [*filter(None, (others, remedy))]


def _blocking_lines(diagnostics: Iterable[Diagnostic]) -> str:
    return "\n".join(f"  ! {diagnostic}" for diagnostic in diagnostics)


def _remedy(diagnostic: Diagnostic) -> str:
    """Return the last line of a failure with one cause, so its remedy can be copied."""
    return escaped(f"to correct it: {diagnostic.remedy}") if diagnostic.remedy else ""


def _all_notes(outcome: TableOutcome) -> tuple[Diagnostic, ...]:
    return (*outcome.notes, *outcome.background)


def _notes_text(notes: Iterable[Diagnostic]) -> str:
    return "\n".join(f"  note: {escaped(note.message)}" for note in notes)


def changes_text(changes: Iterable[TableChange]) -> str:
    """Show changes with their columns aligned."""
    return aligned(
        ChangeLine(change.marker, change.path, change.before, change.after, Risk[change.risk.upper()], change.loss)
        for change in changes
    )


_CONSENTS = (
    "If it has to pass: the setting roles says whom a change may not break, and pyproject.toml can consent to it:"
)


def comparison_body(outcome: TableOutcome, declared: str) -> str:
    """Show each verdict of a table that does not pass: who has to be upgraded first, and the consent that allows it."""
    lines = [line for part in (*outcome.diagnostics, *outcome.notes) for line in _comparison_lines(part)]
    consents = dict.fromkeys(escaped_lines(part.consent) for part in outcome.diagnostics if part.consent)
    given = [_CONSENTS, *consents] if consents else []
    return "\n\n".join([*([declared] if outcome.location else []), "\n".join(lines), *given])


_BODIES: dict[CheckKind, Callable[[TableOutcome, str], str]] = {
    CheckKind.COMPAT: comparison_body,
    CheckKind.METADATA: _entry_body,
    CheckKind.ODCS: _contract_body,
    CheckKind.UNMANAGED: lambda _outcome, _declared: _UNMANAGED,
}
"""What shows everything else of checks of some kinds."""


def _comparison_lines(diagnostic: Diagnostic) -> Iterator[str]:
    yield f"  {_verdict(diagnostic):<10}  {_fact_with_code(diagnostic)}"
    yield from (f"  {'':<10}  {escaped(witness.fact)}" for witness in diagnostic.witnesses)


def comparison_notes(outcome: TableOutcome) -> Iterator[tuple[str, str]]:
    """Yield what is said of a table besides why it does not pass: a word, and one line."""
    for part in outcome.notes:
        yield _verdict(part), f"{escaped(part.table)}: {_fact_with_code(part)}"


def _verdict(diagnostic: Diagnostic) -> str:
    return diagnostic.verdict or "not judged"


def _fact_with_code(diagnostic: Diagnostic) -> str:
    name = f" [{diagnostic.code} {diagnostic.rule}]" if diagnostic.code else ""
    return escaped(f"{diagnostic.fact}{name}")


def applied_text(outcome: TableOutcome) -> str:
    """Show the SQL that an apply ran, and how to restore the version before it; ``""`` for nothing."""
    if outcome.check is CheckKind.METADATA:
        return f"  -- {headline(outcome)}\n{entry_text(outcome.changes)}\n" if outcome.changes else ""
    parts = [f"  -- to restore: {_restore_text(outcome)}\n"] if outcome.restore_sql else []
    return "\n".join([*parts, *([sql_text(outcome.statements, is_printed=True)] if outcome.statements else [])])


def applied_summary(outcome: TableOutcome, *, with_sql: bool) -> str:
    """List what an apply has changed, below one line with its name and how to restore the version before."""
    groups = _groups(outcome)
    own = groups.own
    if any(map(is_creation, own)):
        own = [change for change in own if is_creation(change) or change.path.startswith("schema ")]
    restore = f"; to restore: {_restore_text(outcome)}" if outcome.restore_sql else ""
    number = counted(len(own) + sum(map(len, groups.others.values())), "change")
    lines = [f"{outcome.stored_as}, {number}{restore}", *([changes_text(own)] if own else [])]
    for table, changes in groups.others.items():
        lines += [f"  along with it, at {escaped(table)}:", changes_text(changes)]
    if with_sql and outcome.statements:
        lines += ["", sql_text(outcome.statements, is_printed=True), ""]
    return "\n".join(lines)


def _restore_text(outcome: TableOutcome) -> str:
    sql, note = printed_sql(outcome.restore_sql)
    return f"{sql} ({note})" if note else sql


def outcomes_text(outcomes: Iterable[TableOutcome]) -> str:
    """Show the drift of several tables whose checks did not pass."""
    return "\n\n".join(
        f"{headline(outcome)}\n\n{body(outcome, outcome.location.file_and_line if outcome.location else '')}"
        for outcome in outcomes
    )


def entry_text(changes: Sequence[TableChange]) -> str:
    """Show the differences between a catalog entry and the Delta log."""
    rows = [(escaped(change.path), escaped(change.before), escaped(change.after)) for change in changes]
    width = max(len(path) for path, _, _ in rows)
    left = max(len(entry) for _, entry, _ in rows)
    return "\n".join(f"  {path:<{width}}  entry {entry:<{left}}  log {log}" for path, entry, log in rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeGroups:
    """The changes of one table."""

    own: Sequence[TableChange]
    others: Mapping[str, Sequence[TableChange]]
    """Those of tables whose foreign keys depend on it, by their dotted names in the catalog."""
    unmanaged: Sequence[TableChange]
    """Those that no apply makes, because the model does not manage them."""


def change_groups(changes: Sequence[TableChange], stored_as: str) -> ChangeGroups:
    """Return changes in groups, in their order."""
    managed = [change for change in changes if not change.aspect]
    others: dict[str, list[TableChange]] = {}
    for change in managed:
        if change.table != stored_as:
            others.setdefault(change.table, []).append(change)
    return ChangeGroups(
        own=[change for change in managed if change.table == stored_as],
        others=others,
        unmanaged=[change for change in changes if change.aspect],
    )


def _groups(outcome: TableOutcome) -> ChangeGroups:
    return change_groups(outcome.changes, outcome.stored_as)


def is_creation(change: TableChange) -> bool:
    """Whether a change creates a table."""
    return (change.marker, change.path, change.before) == (ADD, "table", ABSENT)


def sql_heading(statements: Iterable[OutcomeStatement], *, is_blocked: bool) -> str:
    """Return the heading of the SQL of a plan."""
    if any(statement.has_run for statement in statements):
        return "SQL of the apply"
    return "Blocked SQL" if is_blocked else "SQL that would run"


def remarks_on(statement: OutcomeStatement) -> list[str]:
    """Return the risk of a statement that is more than metadata, and whether the backend emulates it."""
    return [
        *([statement.risk] if statement.risk != RISKS[0] else []),
        *(["emulated by this backend"] if statement.is_emulated else []),
    ]


def sql_text(statements: Iterable[OutcomeStatement], *, is_printed: bool = False) -> str:
    """Show statements, indented, with a remark on those that are more than metadata or that the backend emulates.

    The text of a terminal or a log is escaped; a file has the exact SQL.
    """
    blocks = []
    for statement in statements:
        sql, note = printed_sql(statement.sql) if is_printed else (statement.sql, note_on(statement.sql))
        lines = [f"  {line}" for line in sql_lines(f"{sql};")]
        remarks = remarks_on(statement)
        if note:
            lines.insert(0, f"  -- {note}")
        if remarks:
            lines.insert(0, f"  -- {', '.join(remarks)}")
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def aligned(lines: Iterable[ChangeLine]) -> str:
    """Show change lines with their columns aligned, and the risk of those that are more than metadata."""
    rows = [
        line._replace(path=escaped(line.path), before=escaped(line.before), after=escaped(line.after)) for line in lines
    ]
    width = max(len(line.path) for line in rows)
    left = max(len(line.before) for line in rows)
    return "\n".join(
        f"  {line.marker} {line.path:<{width}}  {line.before:<{left}} -> {line.after}{_remark(line)}" for line in rows
    )


def _remark(line: ChangeLine) -> str:
    if line.risk == Risk.METADATA:
        return ""
    return f"  [{line.risk.label}{f': {line.loss}' if line.loss else ''}]"


def first_few(texts: Sequence[str], most: int) -> str:
    """Write a list, of which the end may be a number: ``a, b and 3 more``."""
    more = f" and {len(texts) - most} more" if len(texts) > most else ""
    return f"{', '.join(texts[:most])}{more}"
