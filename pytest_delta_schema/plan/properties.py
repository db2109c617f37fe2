"""Compare table properties: only the declared keys, by value and not by spelling."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING

from pytest_delta_schema.plan.changes import Change, SetTableProperties, UnsetTableProperties
from pytest_delta_schema.plan.features import PROTOCOL_VERSIONS, is_on, raises_protocol
from pytest_delta_schema.plan.types import needed_features

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from pytest_delta_schema.plan.difference import Difference

_UNITS = {
    "week": 7 * 24 * 3600.0,
    "day": 24 * 3600.0,
    "hour": 3600.0,
    "minute": 60.0,
    "second": 1.0,
    "millisecond": 0.001,
    "microsecond": 0.000001,
}
_INTERVAL = re.compile(r"(?:interval\s+)?((?:\d+\s+[a-z]+\s*)+)", re.IGNORECASE)


def property_changes(
    difference: Difference, enable: Collection[str] = (), *, declared: bool = True, needed: bool = True
) -> Iterator[Change]:
    """Yield the properties to set, declared ones and those that other changes need, and those declared absent.

    Args:
        difference: Both states.
        enable: Features that may be raised without being declared.
        declared: Whether to look at the declared ones.
        needed: Whether to look at those that other changes need.
    """
    wanted = difference.desired.table_properties if declared else {}
    structural = difference.added or difference.dropped or difference.changed or difference.renames.done
    features = needed_features(difference, enable) if structural and needed else {}
    if not wanted and not features:
        return
    stored = difference.observed.table_properties
    to_set: dict[str, str] = {
        key: value for key, value in features.items() if key not in stored and not is_on(key, stored)
    }
    to_unset: list[str] = []
    for key, value in wanted.items():
        actual = stored_key(key, stored)
        if value is None:
            if actual is not None:
                to_unset.append(actual)
        elif actual is None or not equal_values(key, value, stored[actual]):
            to_set[actual or key] = value
    if to_set:
        yield SetTableProperties(properties=MappingProxyType(dict(sorted(to_set.items()))))
    if to_unset:
        yield UnsetTableProperties(keys=tuple(sorted(to_unset)))


def enables(change: SetTableProperties) -> bool:
    """Whether ``change`` sets something without which Delta refuses to add, widen, rename or drop columns."""
    return any(raises_protocol(key, value) for key, value in change.properties.items())


def stored_key(key: str, stored: Mapping[str, str | None]) -> str | None:
    """Find how ``key`` is spelled among the stored ones.

    Delta writes its own keys in one spelling whatever the case they were given in; other keys keep theirs, and two
    that differ in case only may live side by side (run on the released jars).

    Args:
        key: The declared key.
        stored: The stored properties.
    """
    if key in stored:
        return key
    if not _ignores_case(key):
        return None
    folded = key.lower()
    return next((other for other in stored if other.lower() == folded), None)


def equal_values(key: str, wanted: str, stored: str | None) -> bool:
    """Whether two values of a property mean the same.

    Values of Delta's own keys are compared as booleans and as intervals where both sides can be read so; a protocol
    version is reached when it is exceeded, because Delta never lowers one. All other values are compared as text.
    """
    if wanted == stored:
        return True
    if stored is None or not _ignores_case(key):
        return False
    if key.lower() in PROTOCOL_VERSIONS and wanted.isdigit() and stored.isdigit():
        return int(stored) >= int(wanted)
    if wanted.lower() in ("true", "false"):
        return wanted.lower() == stored.lower()
    seconds = _seconds(wanted)
    return seconds is not None and seconds == _seconds(stored)


def _ignores_case(key: str) -> bool:
    return key[:6].lower() == "delta."


def _seconds(text: str) -> float | None:
    match = _INTERVAL.fullmatch(text.strip())
    if match is None:
        return None
    total = 0.0
    words = match.group(1).split()
    for amount, unit in zip(words[::2], words[1::2], strict=True):
        size = _UNITS.get(unit.lower().removesuffix("s"))
        if size is None:
            return None
        total += int(amount) * size
    return round(total, 6)
