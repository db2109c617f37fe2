"""Risk: what a change may cost, in five classes."""

from __future__ import annotations

from enum import IntEnum


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
