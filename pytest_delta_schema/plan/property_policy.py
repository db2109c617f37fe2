"""The policy of a project for table properties: whose they are, by patterns of their keys."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

MANAGED, IGNORED, REQUIRED, FORBIDDEN = MODES = ("managed", "ignored", "required", "forbidden")
"""Managed keys are compared and set where a model declares them; ignored ones are set when a table is made, and left to
others from then on; required ones every model declares; forbidden ones no model declares, and tables lose them."""


class PropertyPolicy(NamedTuple):
    """What becomes of which keys.

    Args:
        modes: Patterns, in the manner of file names, each with its mode; the longest one that matches decides.
        keeps_record: Whether a table remembers the keys that its model has set, so that a key which leaves the model is
            removed, while those that others set are left alone.
    """

    modes: tuple[tuple[str, str], ...] = ()
    keeps_record: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether nothing was said, so that declared keys are managed and others left alone."""
        return not self.modes and not self.keeps_record

    def mode(self, key: str) -> str:
        """Say whose a key is; case does not count."""
        matching = [(len(pattern), mode) for pattern, mode in self.modes if _matches(pattern, key)]
        return max(matching)[1] if matching else MANAGED

    def patterns(self, mode: str) -> tuple[str, ...]:
        """Return the patterns of one mode."""
        return tuple(pattern for pattern, each in self.modes if each == mode)

    def is_covered(self, pattern: str, keys: Iterable[str]) -> bool:
        """Whether a pattern matches one of some keys."""
        return any(_matches(pattern, key) for key in keys)


def _matches(pattern: str, key: str) -> bool:
    return fnmatchcase(key.lower(), pattern.lower())
