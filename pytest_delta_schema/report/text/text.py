"""Changes as plain text, one line each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.diagnostics.escaping import escaped
from pytest_delta_schema.plan.risk import Risk

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_delta_schema.plan.changes.lines import ChangeLine


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


def counted(number: int, noun: str) -> str:
    """Write a number with its noun: ``1 change``, ``2 changes``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
