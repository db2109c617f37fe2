"""Interpret datetimes without a time zone: as one instant, or as an error."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

_OFFSET = re.compile(r"(?:UTC|GMT|UT)?([+-])(\d{1,2})(?::?(\d{2}))?(?::?(\d{2}))?")
_UTC_NAMES = ("UTC", "GMT", "UT", "Z")


class TimeFault(ValueError):  # noqa: N818 - becomes a fault of a row
    """A datetime is not exactly one instant that can be stored; the text says why, and what to give instead."""


@dataclass(frozen=True, slots=True)
class Clock:
    """The time zone in which datetimes without one are read, and how instants are kept."""

    zone: str = ""
    """The name of the session's time zone; ``""`` for that of this process."""
    in_utc: bool = False
    """Whether instants are returned in UTC; otherwise a datetime is returned as it was given."""

    def instant(self, given: datetime) -> datetime:
        """Return the instant that a datetime means.

        Raises:
            TimeFault: If it has no time zone and the local time occurs twice or never in the clock's zone, if this
                process would read the instant back as another time, or if it is out of range.
        """
        try:
            moment = self._moment(given)
        except OverflowError as error:
            msg = "is out of range in UTC; give an instant from year 1 to year 9999"
            raise TimeFault(msg) from error
        return moment if self.in_utc else given

    def happens_once(self, instant: datetime) -> bool:
        """Whether the local time of an instant in the clock's zone occurs only once."""
        zone = _zone(self.zone) if self.zone else None
        shown = instant.astimezone(zone)
        return len({shown.replace(fold=fold).utcoffset() for fold in (0, 1)}) == 1

    def _moment(self, given: datetime) -> datetime:
        if given.utcoffset() is not None:
            return given.astimezone(timezone.utc)
        zone = _zone(self.zone) if self.zone else None
        first, second = (given.replace(tzinfo=zone, fold=fold).astimezone(timezone.utc) for fold in (0, 1))
        if first != second:
            happens = first.astimezone(zone).replace(tzinfo=None, fold=0) == given.replace(fold=0)
            times = "happens twice" if happens else "does not happen"
            msg = f"has no time zone and {times} in {self.zone or 'the zone of this process'}; {_REMEDY}"
            raise TimeFault(msg)
        shown = first.astimezone().replace(tzinfo=None, fold=0)
        if shown != given.replace(fold=0):
            msg = (
                f"has no time zone; in {self.zone} it is an instant that this process reads back as {shown}; {_REMEDY}"
            )
            raise TimeFault(msg)
        return first


_REMEDY = "give it a tzinfo"


def _zone(name: str) -> tzinfo:
    """Return the time zone that a value of ``spark.sql.session.timeZone`` names."""
    if name in _UTC_NAMES:
        return timezone.utc
    match = _OFFSET.fullmatch(name)
    if match is not None:
        sign, hours, minutes, seconds = match.groups()
        offset = timedelta(hours=int(hours), minutes=int(minutes or 0), seconds=int(seconds or 0))
        return timezone(-offset if sign == "-" else offset)
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        msg = f"has no time zone, and Python does not know that of the session, {name}; {_REMEDY}"
        raise TimeFault(msg) from error
