"""The findings of the checks of a Delta log: damage, doubts, or a log without either."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_delta_schema.backends.logs.log_lines import CutOffError, UncertainError, actions_in
from pytest_delta_schema.backends.problems import problem
from pytest_delta_schema.diagnostics.faults import DamagedTable, UnreadableTable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_delta_schema.backends.logs.log_files import LogReader
    from pytest_delta_schema.delta.logs.log_listing import LogListing
    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.models.names import QualifiedName

BACKUP = "restore it from a backup"
"""What to do about a file that cannot be had otherwise."""


class Damage(NamedTuple):
    """Damage of a log."""

    fact: str
    """The file, and what is wrong with it."""
    remedy: str
    is_seen: bool = True
    """Whether the files were read and are damaged; otherwise they could not be read."""

    def of(self, table: QualifiedName) -> Diagnostic:
        """Return the problem of the table that has this log."""
        fault = DamagedTable if self.is_seen else UnreadableTable
        return problem(fault, table, self.message, self.remedy)

    @property
    def message(self) -> str:
        """The message for the table that has this log."""
        return f"its Delta log {'is damaged' if self.is_seen else 'cannot be read'} ({self.fact})"


class CheckedLog(NamedTuple):
    """A log without damage, with the files that were read to check it."""

    listing: LogListing
    commits: Mapping[str, Sequence[Mapping[str, Any]]]
    """The actions of the commits that a reader opens, by the names of their files."""
    checksum: Mapping[str, Any] | None
    """The checksum of the newest version, or what it would hold by an older one and the commits after that; ``None`` if
    there is neither."""


class Doubt(NamedTuple):
    """A part of a log of which only Spark can tell whether it reads it."""

    fact: str
    remedy: str

    @classmethod
    def of_name(cls, name: str) -> Doubt:
        """Return what is odd in the name of a file."""
        fact = f"the number in the name of {name} does not have 20 digits or is too large, and Spark may read that file"
        return cls(fact, "remove it, or give it its name back")


class DoubtFound(Exception):  # noqa: N818 - carries the answer out of the checks
    """Ends the checks of a log with a doubt."""

    def __init__(self, doubt: Doubt) -> None:
        self.doubt = doubt
        super().__init__(doubt.fact)


class DamageFound(Exception):  # noqa: N818 - carries the answer out of the checks
    """Ends the checks of a log with damage."""

    def __init__(self, damage: Damage) -> None:
        self.damage = damage
        super().__init__(damage.fact)


def read_actions(log: LogReader, name: str, remedy: str) -> list[dict[str, Any]]:
    """Return the actions in a commit, or in a checkpoint in JSON.

    Raises:
        DamageFound: If no reader reads it.
        DoubtFound: If only Spark can tell whether it reads it.
    """
    return parsed_actions(log.read(name), f"{log.path}/{name}", remedy)


def parsed_actions(content: bytes, path: str, remedy: str) -> list[dict[str, Any]]:
    """Return the actions in a file that has been read; see :func:`read_actions`."""
    try:
        return actions_in(content)
    except UncertainError as error:
        raise DoubtFound(Doubt(f"{path} {error.fact}", remedy)) from None
    except CutOffError as error:
        raise DamageFound(Damage(f"{path} {error.fact}", remedy)) from None
