"""Comparisons with earlier contracts as plain text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.compatibility.roles import ROLE_WORDS
from pytest_delta_schema.diagnostics.escaping import escaped
from pytest_delta_schema.engine.outcomes.outcome import Status
from pytest_delta_schema.report.text.text import counted
from pytest_delta_schema.settings.compatibility_roles import ROLES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.engine.outcomes.outcome import TableOutcome

_NAMED = 3
_VERBS = {"breaking": "breaks", "dangerous": "is dangerous for", "not judged": "is not judged for"}


def comparison_headline(outcome: TableOutcome) -> str:
    """Return in one line whom the change of a table breaks; that of one that was not compared is its first fault."""
    first, *others = outcome.diagnostics
    if outcome.status is Status.UNJUDGED:
        more = f"; and {counted(len(others), 'more fault')}" if others else ""
        return escaped(f"{outcome.table}: not judged: {first.fact}{more}")
    pairs = {(diagnostic.verdict, diagnostic.role) for diagnostic in outcome.diagnostics}
    roles = {verdict: [role for role in ROLES if (verdict, role) in pairs] for verdict in _VERBS}
    parts = [f"{verb} {', '.join(ROLE_WORDS[role] for role in roles[of])}" for of, verb in _VERBS.items() if roles[of]]
    if not parts:
        return str(first)
    paths = list(dict.fromkeys(diagnostic.path or "the table" for diagnostic in outcome.diagnostics))
    more = f" and {len(paths) - _NAMED} more" if len(paths) > _NAMED else ""
    return escaped(f"{outcome.table}: {'; '.join(parts)}: {', '.join(paths[:_NAMED])}{more}")


def comparison_body(outcome: TableOutcome, declared: str) -> str:
    """Show each verdict of a table that does not pass: who has to be upgraded first, and the consent that allows it."""
    lines = [line for part in (*outcome.diagnostics, *outcome.notes) for line in _lines(part)]
    return "\n\n".join([*([declared] if outcome.location else []), "\n".join(lines)])


def _lines(diagnostic: Diagnostic) -> Iterator[str]:
    yield f"  {_word(diagnostic):<10}  {_fact(diagnostic)}"
    if diagnostic.witness is not None:
        yield f"  {'':<10}  {escaped(diagnostic.witness.fact)}"


def comparison_notes(outcome: TableOutcome) -> Iterator[tuple[str, str]]:
    """Yield what is said of a table besides why it does not pass: a word, and one line."""
    for part in outcome.notes:
        yield _word(part), f"{escaped(part.table)}: {_fact(part)}"


def _word(diagnostic: Diagnostic) -> str:
    return diagnostic.verdict or "not judged"


def _fact(diagnostic: Diagnostic) -> str:
    name = f" [{diagnostic.code} {diagnostic.rule}]" if diagnostic.code else ""
    return escaped(f"{diagnostic.fact}{name}")
