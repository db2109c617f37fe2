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


def is_confirmed(before: ScriptAnswer, after: ScriptAnswer, job_line: int) -> bool:
    """Whether a script works before the change, and fails or answers otherwise after it.

    A table that cannot be made confirms nothing: a failure before ``job_line`` is not one of the role.
    """
    if before.failed or (after.failed and (after.line is None or after.line < job_line)):
        return False
    return (before.text, before.failed) != (after.text, after.failed)
