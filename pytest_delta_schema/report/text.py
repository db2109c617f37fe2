"""Plans as plain text: one line a change, then the SQL that says it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_delta_schema.escaping import escaped, note_on, sql_lines
from pytest_delta_schema.plan.actions import AlignTable, CreateTable
from pytest_delta_schema.plan.changes.kind import kind_of
from pytest_delta_schema.plan.describe import change_lines, highest_risk
from pytest_delta_schema.plan.risk import Risk
from pytest_delta_schema.sql.compiler import statements

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_delta_schema.errors import Diagnostic
    from pytest_delta_schema.plan.actions import AlignTable
    from pytest_delta_schema.plan.changes.lines import ChangeLine
    from pytest_delta_schema.plan.table_plan import Note, TablePlan
    from pytest_delta_schema.sql.statement import Statement, StatementKind

_NAMED = 3


def headline(action: CreateTable | AlignTable) -> str:
    """Say in one line what is wrong with a table: how many changes, and the first few paths."""
    if isinstance(action, CreateTable):
        schema = f", and neither does its schema {action.table.catalog}.{action.table.schema}"
        return escaped(f"{action.table} does not exist in the catalog{schema if action.creates_schema else ''}")
    lines = change_lines(action)
    paths = list(dict.fromkeys(line.path for line in lines))
    more = f" and {len(paths) - _NAMED} more" if len(paths) > _NAMED else ""
    return escaped(f"{action.table} has drifted, {counted(len(lines), 'change')}: {', '.join(paths[:_NAMED])}{more}")


def mismatch_text(action: AlignTable, *, declared_at: str, notes: Sequence[Note] = ()) -> str:
    """Show the drift that no apply changes, and say why.

    Args:
        action: The differences.
        declared_at: File and line of the model.
        notes: What else was noticed.
    """
    aspects = ", ".join(dict.fromkeys(kind_of(change).aspect for change in action.changes))
    parts = [f"declared at {escaped(declared_at)}"] if declared_at else []
    parts.append(aligned(change_lines(action)))
    if notes:
        parts.append(_notes(notes))
    fact = f"No apply changes this, because the contract reports {aspects} and does not manage it"
    parts.append(f"{fact}: change it where it is managed, or change the model.")
    return "\n\n".join(parts)


def plan_text(  # noqa: PLR0913 - one argument a paragraph
    action: CreateTable | AlignTable,
    *,
    declared_at: str,
    emulated: frozenset[StatementKind] = frozenset(),
    violations: Sequence[Diagnostic] = (),
    notes: Sequence[Note] = (),
    followers: Sequence[CreateTable | AlignTable] = (),
    mismatches: Sequence[AlignTable] = (),
) -> str:
    """Show one table's plan: every change with before and after, the SQL that would run, and what forbids it.

    Args:
        action: What must change.
        declared_at: File and line of the model.
        emulated: Kinds of statements that the backend does in another way; they are marked.
        violations: Rules that the plan breaks.
        notes: What else was noticed.
        mismatches: What differs and no apply changes.
        followers: What happens to other tables on the way, because their foreign keys point at this one.
    """
    parts = [f"declared at {escaped(declared_at)}", aligned(change_lines(action))]
    if notes:
        parts.append(_notes(notes))
    parts += [f"along with it, at {escaped(each.table)}:\n{aligned(change_lines(each))}" for each in followers]
    parts += [mismatch_text(each, declared_at="") for each in mismatches]
    if violations:
        parts.append("blocked:\n" + "\n".join(f"  ! {violation}" for violation in violations))
    parts.append(
        f"SQL that {'is held back' if violations else 'would run'}:\n\n{sql_text(statements(action), emulated)}"
    )
    return "\n\n".join(parts)


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


def sql_text(said: Iterable[Statement], emulated: frozenset[StatementKind] = frozenset()) -> str:
    """Show statements, indented, with a remark on those that are more than metadata or that the backend emulates."""
    blocks = []
    for statement in said:
        lines = [f"  {line}" for line in sql_lines(f"{statement.sql};")]
        risk, note = highest_risk(statement.changes), note_on(statement.sql)
        remarks = [
            *([risk.label] if risk > Risk.METADATA else []),
            *(["emulated by this backend"] if statement.kind in emulated else []),
        ]
        if note:
            lines.insert(0, f"  -- {note}")
        if remarks:
            lines.insert(0, f"  -- {', '.join(remarks)}")
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def _notes(notes: Iterable[Note]) -> str:
    return "\n".join(f"  note: {escaped(note.message)}" for note in notes)


def _remark(line: ChangeLine) -> str:
    if line.risk == Risk.METADATA:
        return ""
    return f"  [{line.risk.label}{f': {line.loss}' if line.loss else ''}]"


def drift_text(plan: TablePlan, origins: dict[str, str], notes: Sequence[Note] = ()) -> str:
    """Show the drift of several tables.

    Args:
        plan: One that shows drift.
        origins: File and line of each model, by dotted name.
        notes: What else was noticed.
    """

    def about(action: CreateTable | AlignTable) -> dict[str, Any]:
        return {
            "declared_at": origins[str(action.table)],
            "notes": [note for note in notes if note.table == action.table],
        }

    texts = [(action, plan_text(action, **about(action))) for action in plan.actions]
    texts += [(each, mismatch_text(each, **about(each))) for each in plan.mismatches]
    return "\n\n".join(f"{headline(action)}\n\n{text}" for action, text in texts)


def counted(number: int, noun: str) -> str:
    """Write a number with its noun: ``1 change``, ``2 changes``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
