"""The lines of a summary about what fails no table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.engine.outcomes.outcome import CheckKind
from pytest_delta_schema.plugin.outcomes.outcome_report import notes_text
from pytest_delta_schema.report.text.comparison_text import comparison_notes

if TYPE_CHECKING:
    from pytest_delta_schema.engine.outcomes.outcome import TableOutcome


def note_lines(outcome: TableOutcome) -> list[str]:
    """Return the notes of an outcome: one line, or one for each verdict of a comparison."""
    if outcome.check is CheckKind.COMPAT:
        return [f"  {word:<10}  {line}" for word, line in comparison_notes(outcome)]
    notes = notes_text(outcome)
    return [f"  {'note':<10}  {notes}"] if notes else []
