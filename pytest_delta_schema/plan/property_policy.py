"""The policy of a project for table properties: their modes, by patterns of their keys."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from pytest_delta_schema.delta.names import folded, same_name
from pytest_delta_schema.models.ownership import FORBID, IGNORE, MANAGE, REPORT, REQUIRE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pytest_delta_schema.models.ownership import ContractMode
    from pytest_delta_schema.settings.table import PropertyMode


_CONTRACT_MODES: Mapping[PropertyMode, ContractMode] = {
    MANAGE: MANAGE,
    REQUIRE: MANAGE,
    FORBID: MANAGE,
    REPORT: REPORT,
    IGNORE: IGNORE,
}


@dataclass(frozen=True, slots=True)
class PropertyPolicy:
    """Which table properties the project manages.

    A key that a model declares is set when its table is created, whatever its mode. From then on ``manage`` compares
    and sets it, ``report`` only compares it, ``ignore`` does neither. Besides, ``require`` wants it in every model, and
    ``forbid`` in none: applies remove it from tables.

    Args:
        modes: Glob patterns of keys, each with its mode; the longest one that matches decides.
        keeps_record: Whether a table records the keys that its model has set, so a key which leaves the model is
            removed, and keys that others set are left alone.
    """

    modes: tuple[tuple[str, PropertyMode], ...] = ()
    _: KW_ONLY
    keeps_record: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether there is no policy, so declared keys are managed and others left alone."""
        return not self.modes and not self.keeps_record

    def mode(self, key: str) -> PropertyMode:
        """Return the mode of a key, without regard to case."""
        matching = [(len(pattern), mode) for pattern, mode in self.modes if _matches(pattern, key)]
        return max(matching)[1] if matching else MANAGE

    def contract_mode(self, key: str) -> ContractMode:
        """Return whether the project manages, only reports, or ignores a key that a model declares."""
        return _CONTRACT_MODES[self.mode(key)] if self.modes else MANAGE

    def names(self, key: str) -> bool:
        """Whether the project names a key as a whole, without a pattern, so it knows about it."""
        return any(same_name(pattern, key) for pattern, _ in self.modes)

    def patterns(self, mode: PropertyMode) -> tuple[str, ...]:
        """Return the patterns of one mode."""
        return tuple(pattern for pattern, pattern_mode in self.modes if pattern_mode == mode)

    def is_covered(self, pattern: str, keys: Iterable[str]) -> bool:
        """Whether a pattern matches a key.

        Args:
            pattern: A glob pattern, in any case.
            keys: The keys, in any case.
        """
        return any(_matches(pattern, key) for key in keys)


def _matches(pattern: str, key: str) -> bool:
    return fnmatchcase(folded(key), folded(pattern))
