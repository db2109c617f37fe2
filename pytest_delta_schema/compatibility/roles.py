"""Roles, verdicts, and the base of the changes that are judged, with a verdict for each role."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal, cast, get_args

from pytest_delta_schema.settings.table import ROLES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_delta_schema.settings.table import Role

RoleGroup = Literal["readers", "streams", "writers", "clients"]

GROUPS: Mapping[Role, RoleGroup] = {
    "readers": "readers",
    "readers-by-position": "readers",
    "readers-by-path": "readers",
    "streams": "streams",
    "tracked-streams": "streams",
    "change-feed": "streams",
    "writers": "writers",
    "writers-by-position": "writers",
    "writers-by-merge": "writers",
    "clients": "clients",
}
"""The group of each role."""

CompatibilityVerdict = Literal["safe", "dangerous", "not judged", "breaking"]

VERDICTS: tuple[CompatibilityVerdict, ...] = get_args(CompatibilityVerdict)
"""From the best to the worst."""


def worse(left: CompatibilityVerdict, right: CompatibilityVerdict) -> CompatibilityVerdict:
    """Return the worse of two verdicts."""
    return max(left, right, key=VERDICTS.index)


Cell = Literal["breaking", "dangerous", "safe", "predicted", "computed"]
"""A verdict; or where it is from: a prediction of the stream, or of the write and of the features of clients."""

UpgradeTime = Literal["before", "with", "after"]
"""When a role is upgraded: before, with or after the release."""


class ContractFault:
    """A kind of change of a contract: its code, its verdicts, and what groups meet where these are not ``safe``."""

    code: ClassVar[str]
    cells: ClassVar[Mapping[Role, Cell]]
    to_readers: ClassVar[str] = ""
    to_streams: ClassVar[str] = ""
    to_writers: ClassVar[str] = ""
    to_clients: ClassVar[str] = ""
    readers_upgrade: ClassVar[UpgradeTime] = "before"

    @classmethod
    def reason(cls, role: Role) -> str:
        """Return what a role meets for which the verdict is not ``safe``."""
        reasons = {"readers": cls.to_readers, "streams": cls.to_streams, "writers": cls.to_writers}
        return reasons.get(GROUPS[role], cls.to_clients)


def row(readers: str, streams: str, writers: str, clients: str = "safe") -> Mapping[Role, Cell]:
    """Return the verdict for each role, from one for each group, or from three for its roles in their order."""
    words = [group.split() for group in (readers, streams, writers)]
    cells = [cell for group in words for cell in (group * 3 if len(group) == 1 else group)]
    return {role: cast("Cell", cell) for role, cell in zip(ROLES, [*cells, clients], strict=True)}
