"""The answers of a script before a change and after it, and whether they confirm a finding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Side = Literal["before", "after"]

LONGEST = 300
"""Characters of an answer that are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptAnswer:
    """The answer of a script on one side."""

    text: str
    """What it has printed, or the first line of the error."""
    failed: bool = False
    line: int | None = None
    """The line of the script that failed; ``None`` if none did, or if that is not known."""

    def __str__(self) -> str:
        text = self.text if len(self.text) <= LONGEST else f"{self.text[:LONGEST]} ..."
        return f"fails: {text}" if self.failed else text or "prints nothing"


def is_confirmed(script: str, before: ScriptAnswer, after: ScriptAnswer) -> bool:
    """Whether a script works before the change, and fails or answers otherwise after it.

    A table that cannot be made confirms nothing: the lines of ``script`` up to an empty one make it.
    """
    table, end, _ = script.partition("\n\n")
    last = table.count("\n") + 1 if end else 0
    if before.failed or (after.failed and (after.line is None or after.line <= last)):
        return False
    return (before.text, before.failed) != (after.text, after.failed)
