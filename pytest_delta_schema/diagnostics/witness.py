"""A script that shows a diagnostic, and what it has answered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

WitnessResult = Literal["confirmed", "not confirmed", "not run", "no witness"]
"""The results of a witness."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Witness:
    """A script that shows the effect of a changed contract, and its answers before and after the change.

    Args:
        result: ``confirmed``, ``not confirmed``, ``not run``, or ``no witness`` if there is no script.
        file: The script, below the folder of the run; ``""`` if there is none.
        script: Its text.
        before: Its answer before the change; ``""`` if it was not run.
        after: Its answer after the change.
        reason: Why there is none, why it was not run, or why a script that is not confirmed may be right; ``""`` for
            nothing.
    """

    result: WitnessResult
    file: str = ""
    script: str = ""
    before: str = ""
    after: str = ""
    reason: str = ""

    @property
    def fact(self) -> str:
        """The result in one line, with both answers unless it is confirmed."""
        if self.result == "no witness":
            return f"no witness: {self.reason}"
        if self.result == "not confirmed":
            reason = self.reason or "a defect of pytest-delta-schema that can be reported"
            return f"witness {self.file}: not confirmed, {reason}: before: {self.before}; after: {self.after}"
        return f"witness {self.file}: {self.result}{f': {self.reason}' if self.reason else ''}"
