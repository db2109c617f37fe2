"""Read the folders of schemas and tables: which name has which folder, and what cannot be one."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.request import url2pathname

from pytest_delta_schema.configuration.section import SettingError, setting_text
from pytest_delta_schema.delta.names import folded, split_path

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_delta_schema.models.names import Prefix


SCHEMES = ("s3", "s3a", "abfss", "abfs", "az", "gs", "file")
"""The schemes of folders that can be read; a folder without one is on this machine."""

_SCHEMA_PARTS, _TABLE_PARTS = 2, 3
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):")
_OF_AZURE = re.compile(r"https?://[^/]*\.(?:dfs|blob)\.", re.IGNORECASE)
_AZURE_FORM = "abfss://CONTAINER@ACCOUNT.dfs.core.windows.net/FOLDER"


def parse_locations(
    pairs: Iterable[tuple[str, str]], folder: Path, label: str = "locations"
) -> tuple[tuple[Prefix, str], ...]:
    """Return the folder of each schema and table, by the parts of its name in lower case.

    Args:
        pairs: Names of two or three parts, each with its folder: a URI, or a path.
        folder: Where relative paths begin.
        label: The setting, for messages.

    Raises:
        SettingError: With what is wrong with each of them, without secrets.
    """
    locations: dict[Prefix, str] = {}
    faults: list[str] = []
    for name, text in pairs:
        parts = tuple(part.name.strip() for part in split_path(folded(name)))
        if len(parts) not in {_SCHEMA_PARTS, _TABLE_PARTS} or not all(parts):
            faults.append(f"{label}: {name!r} names no schema and no table; write 'dev.silver' or 'dev.silver.orders'")
        elif parts in locations:
            faults.append(f"{label}: {name} is given twice, because names match without case; keep one of them")
        problems = [f"{label}: {name} is {setting_text(text)}, which {fault}" for fault in _faults(text)]
        faults += problems
        if not problems:
            locations[parts] = _location(text, folder)
    if faults:
        raise SettingError(*faults)
    return tuple(locations.items())


def _location(text: str, folder: Path) -> str:
    """Return a folder without a slash at its end: of this machine as an absolute path, of S3 with its one scheme."""
    scheme, mark, rest = text.partition("://")
    scheme = scheme.lower()
    if mark and scheme != "file":
        return f"{'s3' if scheme == 's3a' else scheme}://{rest}".rstrip("/")
    return os.path.normpath(folder / (Path(url2pathname(rest)) if mark else Path(text).expanduser()))


def _faults(text: str) -> Iterator[str]:
    scheme = _SCHEME.match(text)
    if not text.strip():
        yield "names no folder; write 's3://bucket/folder', or the path of a folder"
    if scheme is None:
        return
    if scheme[1].lower() not in SCHEMES or "://" not in text:
        form = _AZURE_FORM if _OF_AZURE.match(text) else f"one of {', '.join(f'{known}://' for known in SCHEMES)}"
        yield f"begins with {scheme[0]}, and is not read; begin it with {form}"
        return
    rest = text.partition("://")[2]
    host, _, path = rest.partition("/")
    user = host.rpartition("@")[0]
    if "?" in rest or "#" in rest:
        yield "has a part behind ? or #, and may show a key; leave it out, and give keys as environment variables"
    elif ":" in user or (user and not scheme[1].lower().startswith("abfs")):
        yield "holds a user or a password; leave it out, and give keys as environment variables"
    if not host and scheme[1].lower() != "file":
        yield f"names no bucket; write {scheme[1]}://BUCKET/FOLDER"
    if {".", ".."} & {*path.split("/")}:
        yield "has a part . or .., which stores take for a name; write the folder that is meant"
    if host and scheme[1].lower() == "file":
        yield "names a folder of another machine; write file:///FOLDER, or the path alone"
