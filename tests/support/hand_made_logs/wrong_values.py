"""Put values of other kinds into every key of an action."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

from support.hand_made_logs.writing import ABSENT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

WRONG: dict[str, Any] = {
    "absent": ABSENT,
    "null": None,
    "true": True,
    "5": 5,
    "1.5": 1.5,
    "text": "text",
    "digits": "5",
    "[]": [],
    "{}": {},
}
"""Values by their names."""

SOME = ("absent", "null", "5", "text")
FEW = ("absent", "5", "text")


def with_value(value: Any, path: tuple[str | int, ...], new: Any) -> Any:
    """Return a copy of a value in JSON with another value at a path; :data:`ABSENT` removes a key."""
    copy = deepcopy(value)
    parent = copy
    for key in path[:-1]:
        parent = parent[key]
    if new is ABSENT:
        parent.pop(path[-1], None)
    else:
        parent[path[-1]] = new
    return copy


def wrong(value: Any, *paths: str, wrong_values: Iterable[str] = SOME) -> Iterator[tuple[str, Any]]:
    """Yield copies of a value with wrong values at paths, by names such as ``format.provider 5``.

    Args:
        value: The value, which has what it should have.
        paths: Keys, with dots between them.
        wrong_values: Names in :data:`WRONG`.
    """
    for path in paths:
        keys = tuple(int(key) if key.isdigit() else key.replace("/", ".") for key in path.split("."))
        for name in wrong_values:
            yield f"{path.replace('/', '.')} {name}", with_value(value, keys, WRONG[name])
