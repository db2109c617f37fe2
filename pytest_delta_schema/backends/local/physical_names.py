"""Physical names: how three-part names are kept apart in the one session catalog of Spark, and where tables lie.

The Java class ``PhysicalNames`` says the same; a test holds the two together.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from pytest_delta_schema.models.names import QualifiedName

SEPARATOR = "__"
ESCAPED = "hex_"
SESSION_CATALOG = "spark_catalog"
LONGEST_FOLDER = 255
"""Characters of the name of a folder on Linux, macOS and Windows; physical names are ASCII."""

_PLAIN = re.compile(r"[a-z0-9_]+")


def encode(part: str) -> str:
    """Return the physical form of a schema or a table, which the session catalog accepts."""
    folded = part.lower()
    return folded if _is_plain(folded) else ESCAPED + folded.encode().hex()


def encode_catalog(part: str) -> str:
    """Return the physical form of a catalog, in which the separator cannot be found."""
    folded = part.lower()
    splits = SEPARATOR in folded or folded.endswith("_")
    return folded if _is_plain(folded) and not splits else ESCAPED + folded.encode().hex()


def decode(physical: str) -> str:
    """Return the part that ``physical`` is the form of."""
    return bytes.fromhex(physical[len(ESCAPED) :]).decode() if physical.startswith(ESCAPED) else physical


def physical_schema(catalog: str, schema: str) -> str:
    """Return the schema of the session catalog that stands for ``catalog.schema``."""
    if catalog == SESSION_CATALOG:
        return schema
    return f"{encode_catalog(catalog)}{SEPARATOR}{encode(schema)}"


def schema_folder(warehouse: Path, catalog: str, schema: str) -> Path:
    """Return the folder of a schema."""
    return warehouse / encode_catalog(catalog) / encode(schema)


def table_folder(warehouse: Path, name: QualifiedName) -> Path:
    """Return the folder of a table."""
    return schema_folder(warehouse, name.catalog, name.schema) / encode(name.table)


def remove_if_empty(folder: Path) -> None:
    """Remove what a failed statement has left behind: a folder in which no file is.

    Folder by folder, the lowest first: a file that somebody else writes meanwhile keeps its folder.
    """
    paths = sorted(folder.rglob("*"), reverse=True) if folder.is_dir() else []
    if all(path.is_dir() for path in paths):
        with suppress(OSError):
            for path in (*paths, folder):
                path.rmdir()


def is_confusing(name: QualifiedName) -> bool:
    """Whether a schema's name looks like the physical form of another one in its catalog."""
    return name.schema.startswith(encode_catalog(name.catalog) + SEPARATOR)


def overlong_folder(name: QualifiedName) -> str:
    """Return the first folder of a table that file systems do not take for its length, or ``""``."""
    folders = (encode_catalog(name.catalog), encode(name.schema), encode(name.table))
    return next((folder for folder in folders if len(folder) > LONGEST_FOLDER), "")


def translate(text: str, catalogs: Iterable[str]) -> str:
    """Turn physical names in a message of Spark back to those that users write.

    Args:
        text: The message.
        catalogs: The catalogs that have physical names.
    """
    for catalog in catalogs:
        prefix = re.escape(encode_catalog(catalog) + SEPARATOR)
        pattern = rf"(?<!\w)(?:`?{SESSION_CATALOG}`?\.)?(`?){prefix}(\w+)`?(?:\.(`?)(\w+)`?)?"
        text = re.sub(pattern, lambda match, catalog=catalog: _logical(match, catalog), text)  # type: ignore[misc]
    return text


def _logical(match: re.Match[str], catalog: str) -> str:
    quote, schema, table = match.group(1), match.group(2), match.group(4)
    parts = [catalog, decode(schema), *([decode(table)] if table else [])]
    return ".".join(f"{quote}{part}{quote}" for part in parts)


def _is_plain(part: str) -> bool:
    return _PLAIN.fullmatch(part) is not None and not part.startswith(ESCAPED)
