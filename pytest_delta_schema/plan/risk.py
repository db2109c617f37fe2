"""Risk: what a change may cost, in five classes."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple


class Risk(IntEnum):
    """Classes of risk, the lower ones first."""

    METADATA = 1
    """A commit that readers and writers hardly notice."""

    FEATURE = 2
    """Raises the protocol of the table, so old clients may no longer read it; this is permanent."""

    SCAN = 3
    """Reads all data, and is refused if the data does not allow it."""

    REWRITE = 4
    """Writes all data again."""

    DESTRUCTIVE = 5
    """Loses data."""

    @property
    def label(self) -> str:
        """The class as users write it."""
        return self.name.lower()


ADD, DROP, CHANGE = "+", "-", "~"
ABSENT, NOT_IN_MODEL = "(absent)", "(not in the model)"


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
