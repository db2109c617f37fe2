"""The groups of roles, how messages name them, and the verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

if TYPE_CHECKING:
    from pytest_delta_schema.settings.table import Role

RoleGroup = Literal["readers", "streams", "writers", "clients"]

GROUPS: dict[Role, RoleGroup] = {
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

ROLE_WORDS: dict[Role, str] = {
    "readers": "readers",
    "readers-by-position": "readers by position",
    "readers-by-path": "readers by path",
    "streams": "streams",
    "tracked-streams": "streams that track schemas",
    "change-feed": "streams of the change data feed",
    "writers": "writers",
    "writers-by-position": "writers by position",
    "writers-by-merge": "writers by MERGE",
    "clients": "clients",
}
"""How messages name the roles."""

CompatibilityVerdict = Literal["safe", "dangerous", "not judged", "breaking"]

VERDICTS: tuple[CompatibilityVerdict, ...] = get_args(CompatibilityVerdict)
"""From the best to the worst."""


def worse(left: CompatibilityVerdict, right: CompatibilityVerdict) -> CompatibilityVerdict:
    """Return the worse of two verdicts."""
    return max(left, right, key=VERDICTS.index)
