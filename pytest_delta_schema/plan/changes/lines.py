"""Lines that show changes: what changes where, from what, to what."""

from __future__ import annotations

from typing import NamedTuple

from pytest_delta_schema.plan.risk import Risk


class ChangeLine(NamedTuple):
    """One thing that changes."""

    marker: str
    """``+`` is added, ``-`` is dropped, ``~`` changes in place."""
    path: str
    """Where inside the table: ``columns.id``, ``columns.id.comment``, ``properties.team``, ``primary_key``."""
    before: str
    after: str
    risk: Risk = Risk.METADATA
    loss: str = ""
    """What clients lose if it raises the protocol."""
    code: str = ""
    """The code of the difference, such as ``DD102``."""

    def __str__(self) -> str:
        return f"{self.marker} {self.path}: {self.before} -> {self.after}"
