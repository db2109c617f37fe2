"""Which clients support which table features: the table ``clients.json``, and what a project corrects in it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_delta_schema.delta.protocol import base_feature, feature_named

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


ClientVersion = tuple[int, ...]
"""The numbers of a version, without zeros at the end; ``()`` for a client without versions."""

_VERSION = r"\d+(?:\.\d+)*"
_SUPPORT = re.compile(
    rf"(?P<since>{_VERSION})|<=\s*(?P<known>{_VERSION})|(?P<last>{_VERSION})\s*\.\.\s*(?P<first>{_VERSION})"
    rf"|never\s*<=\s*(?P<until>{_VERSION})|(?P<never>never)|(?P<always>yes)|unknown"
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
    """Return the numbers of the oldest version that a text names; ``()``, which is below all others, for ``""``."""
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
    """
    match = _SUPPORT.fullmatch(text.strip())
    if match is None:
        forms = "'454', '<=481', '427..454', 'never', 'never <=481', 'yes' or 'unknown'"
        msg = f"{text.strip()!r} names no versions; write {forms}"
        raise ValueError(msg)
    return Support(
        since="" if match["always"] else match["since"] or match["known"] or match["first"],
        lacks_until=match["until"] or match["last"],
        lacks_otherwise=bool(match["since"] or match["never"]),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureSupport:
    """One client and one feature, where they are known."""

    reads: Support
    writes: Support
    source: str
    text: str


def parse_read_and_write(text: str, source: str) -> FeatureSupport:
    """Return what a text such as ``read 450, write never`` says; one without the two words is for both."""
    match = _READ_AND_WRITE.fullmatch(text.strip())
    reads, writes = (text, text) if match is None else match.groups()
    return FeatureSupport(reads=parse_support(reads), writes=parse_support(writes), source=source, text=text)


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownClient:
    """A client in the table."""

    title: str
    example: str
    """How an entry of ``clients`` names it; services have no version that users choose."""
    features: Mapping[str, tuple[str, str]]
    """The versions that support a feature, and the key of the source that says so."""
    only_reads: bool = False
    """Whether it never writes Delta tables, or not those of other clients."""
    synonyms: tuple[str, ...] = ()
    """What users may call it besides."""

    @property
    def has_versions(self) -> bool:
        """Whether users choose its version."""
        return ">=" in self.example


_TABLE = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))

LOOKED_UP: str = _TABLE["looked_up"]
"""The day on which all sources were looked up."""

KNOWN_CLIENTS: Mapping[str, KnownClient] = {name: KnownClient(**entry) for name, entry in _TABLE["clients"].items()}
"""The clients of the table by the names that ``clients`` uses."""


@lru_cache(maxsize=len(KNOWN_CLIENTS))
def cells_of_package(client: str) -> Mapping[str, FeatureSupport]:
    """Return what this package knows about a client, by the names of the features."""
    return {
        feature: parse_read_and_write(text, f"{_TABLE['sources'][source]}, {LOOKED_UP}")
        for feature, (text, source) in KNOWN_CLIENTS[client].features.items()
    }


_UNKNOWN = parse_read_and_write("unknown", "")


class ClientFeatures:
    """The table of this package, with the entries that a project corrects."""

    def __init__(self, corrections: Iterable[tuple[str, str]] = ()) -> None:
        self._corrections = dict(parse_correction(key, text) for key, text in corrections)

    def cell(self, client: str, feature: str) -> FeatureSupport:
        """Return what is known about a client and a feature."""
        name = base_feature(feature)
        return self._corrections.get((client, name)) or cells_of_package(client).get(name, _UNKNOWN)


def parse_correction(key: str, text: str) -> tuple[tuple[str, str], FeatureSupport]:
    """Return an entry of the setting ``client_features``."""
    client, _, feature = key.partition(".")
    if client not in KNOWN_CLIENTS:
        msg = f"{key!r} begins with no client; clients are {', '.join(KNOWN_CLIENTS)}"
        raise ValueError(msg)
    name = feature_named(feature)
    try:
        return (client, name), parse_read_and_write(text, "setting client_features of the project")
    except ValueError as error:
        msg = f"{key}: {error}, or 'read ..., write ...'"
        raise ValueError(msg) from None
