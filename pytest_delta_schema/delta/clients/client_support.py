"""Versions of clients, and which of them support a table feature."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

ClientVersion = tuple[int, ...]
"""The numbers of a version, without zeros at the end; ``()`` for a client without versions."""

SUPPORT_FORMS = "'454', '<=481', '427..454', 'never', 'never <=481', 'yes' or 'unknown'"
"""What may be written for the versions that support a feature."""

_VERSION = r"\d+(?:\.\d+)*"
_SUPPORT = re.compile(
    rf"(?P<since>{_VERSION})|<=\s*(?P<known>{_VERSION})|(?P<last>{_VERSION})\s*\.\.\s*(?P<first>{_VERSION})"
    rf"|never(?:\s*<=\s*(?P<until>{_VERSION}))?|(?P<always>yes)|unknown"
)
_READ_AND_WRITE = re.compile(r"read\s+(?P<reads>[^,]+?)\s*,\s*write\s+(?P<writes>[^,]+)")


@lru_cache(maxsize=512)
def parse_version(text: str) -> ClientVersion:
    """Return the numbers of a version such as ``15.4``; raise a ``ValueError`` if it is none."""
    if re.fullmatch(_VERSION, text) is None:
        msg = f"{text!r} is not a version; write numbers with dots, such as 15.4"
        raise ValueError(msg)
    numbers = [int(part) for part in text.split(".")]
    while numbers and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)


def oldest_version(text: str) -> ClientVersion:
    """Return the numbers of the oldest version that a text names; ``()``, which is below all others, for ``""``.

    Raises:
        ValueError: If it names none.
    """
    return parse_version(text) if text else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    """The versions of a client that support a table feature, where they are known."""

    since: str | None = None
    """The oldest version that is known to support it; ``""`` for every version, ``None`` if none is known to."""
    lacks_until: str | None = None
    """The newest version that is known to lack it; ``None`` if none is."""
    lacks_otherwise: bool = False
    """Whether all versions lack it that are not known to support it."""

    def of(self, version: ClientVersion) -> bool | None:
        """Return whether a version supports the feature; ``None`` if it is not known."""
        if self.since is not None and version >= oldest_version(self.since):
            return True
        if self.lacks_otherwise or (self.lacks_until is not None and version <= parse_version(self.lacks_until)):
            return False
        return None

    @property
    def reason(self) -> str:
        """Why an older version, or every version, lacks the feature."""
        if self.since is not None and self.lacks_until is not None:
            return f"version {self.lacks_until} cannot, version {self.since} can"
        if self.since is not None:
            return f"version {self.since} is the first that can"
        return "no version can" if self.lacks_until is None else f"no version up to {self.lacks_until} can"


def parse_support(text: str) -> Support:
    """Return what a text says about the versions that support a feature.

    ``454`` supports it and older versions do not. ``<=481`` supports it, and older versions are not known. In
    ``427..454`` the second supports it, the first does not, and those between them are not known. ``never`` is not
    a version, ``never <=481`` none up to this one, ``yes`` every version, and ``unknown`` says nothing.

    Raises:
        ValueError: If it has another form.
    """
    match = _SUPPORT.fullmatch(text.strip())
    if match is None:
        msg = f"{text.strip()!r} names no versions; write {SUPPORT_FORMS}"
        raise ValueError(msg)
    if match["always"]:
        return Support(since="")
    if match["last"]:
        return Support(since=match["first"], lacks_until=match["last"])
    is_bare_never = text.strip() == "never"
    return Support(
        since=match["since"] or match["known"],
        lacks_until=match["until"],
        lacks_otherwise=bool(match["since"]) or is_bare_never,
    )


def parse_read_and_write(text: str) -> tuple[Support, Support]:
    """Return the versions that can read, and those that can write a table with a feature.

    One text is for both, or it is such as ``read 450, write never``.

    Raises:
        ValueError: If it has another form.
    """
    match = _READ_AND_WRITE.fullmatch(text.strip())
    if match is None:
        both = parse_support(text)
        return both, both
    return parse_support(match["reads"]), parse_support(match["writes"])
