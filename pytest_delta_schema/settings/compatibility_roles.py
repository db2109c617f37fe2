"""The roles that a change of a contract may break, and the verdicts at which a project fails it."""

from __future__ import annotations

from typing import Literal, get_args

Role = Literal[
    "readers",
    "readers-by-position",
    "readers-by-path",
    "streams",
    "tracked-streams",
    "change-feed",
    "writers",
    "writers-by-position",
    "writers-by-merge",
    "clients",
]
"""Who uses a table: queries that name its columns, use their positions, or read its path; streams without a tracking
location, with one, and of the change data feed; jobs that write frames by name, by position, and by MERGE; and the
clients that the contract lists."""

ROLES: tuple[Role, ...] = get_args(Role)

DEFAULT_ROLES: tuple[Role, ...] = ("readers", "streams", "writers", "writers-by-merge", "clients")
"""The roles that are judged where nobody chooses."""

FailOn = Literal["breaking", "dangerous", "never"]
"""The least verdict that fails a change of a contract."""

FAIL_ON: tuple[FailOn, ...] = get_args(FailOn)
