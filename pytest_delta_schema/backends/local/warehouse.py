"""Folders and names of the warehouse."""

from __future__ import annotations

import os
import re
import shlex
from contextlib import contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING

from pytest_delta_schema.delta.names import folded
from pytest_delta_schema.diagnostics.errors import BackendUnavailableError, os_error_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from pytest_delta_schema.models.names import QualifiedName


SEPARATOR = "__"
ESCAPED = "hex_"
SESSION_CATALOG = "spark_catalog"
_SPARK_SCHEMA = ".db"
"""The end of the folder that Spark's session catalog gives to a schema."""

MARKER = "_location"
"""The file with the location of a table that is not in its folder of the warehouse; ``Warehouse.java`` reads it."""

LONGEST_FOLDER = 255
"""The longest name of a folder on Linux, macOS and Windows, in characters; physical names are ASCII."""

_PLAIN = re.compile(r"[a-z0-9_]+")


def encode(part: str) -> str:
    """Return the physical form of a schema or a table, which the session catalog accepts."""
    name = folded(part)
    return name if _is_plain(name) else ESCAPED + name.encode().hex()


def encode_catalog(part: str) -> str:
    """Return the physical form of a catalog, which never contains the separator."""
    name = folded(part)
    splits = SEPARATOR in name or name.endswith("_")
    return name if _is_plain(name) and not splits else ESCAPED + name.encode().hex()


def decode(physical: str) -> str:
    """Return the name part of a physical form."""
    return bytes.fromhex(physical[len(ESCAPED) :]).decode() if physical.startswith(ESCAPED) else physical


def physical_schema(catalog: str, schema: str) -> str:
    """Return the schema of the session catalog to which ``catalog.schema`` maps."""
    if catalog == SESSION_CATALOG:
        return schema
    return f"{encode_catalog(catalog)}{SEPARATOR}{encode(schema)}"


def usual_folder(warehouse: Path, name: QualifiedName) -> Path:
    """Return the folder that this package gives to a table."""
    return usual_schema_folder(warehouse, name.catalog, name.schema) / encode(name.table)


def usual_schema_folder(warehouse: Path, catalog: str, schema: str) -> Path:
    """Return the folder that this package gives to a schema."""
    return warehouse / encode_catalog(catalog) / encode(schema)


def catalog_folder(warehouse: Path, catalog: str) -> Path:
    """Return the folder of a catalog."""
    return _entry(warehouse, encode_catalog(catalog), encode_catalog)


def schema_folder(warehouse: Path, catalog: str, schema: str) -> Path:
    """Return the folder of a schema."""
    return _entry(catalog_folder(warehouse, catalog), encode(schema))


def table_folder(warehouse: Path, name: QualifiedName) -> Path:
    """Return the folder of a table, which another program may have called otherwise, as in ``Order Items``."""
    return _entry(schema_folder(warehouse, name.catalog, name.schema), encode(name.table))


def _entry(parent: Path, physical: str, encoded: Callable[[str], str] = encode) -> Path:
    """Return the folder of a physical name, or one whose name is another form of it."""
    folder = parent / physical
    if not folder.exists():
        with suppress(OSError):
            others = (name for name in sorted(os.listdir(parent)) if encoded(decode(name)) == physical)  # noqa: PTH208 - paths cost time
            return parent / next(others, physical)
    return folder


def remove_if_empty(folder: Path) -> None:
    """Remove a folder that a failed statement has left, and those in it, the deepest first, if it holds no file."""
    paths = sorted(folder.rglob("*"), reverse=True) if folder.is_dir() else []
    if all(path.is_dir() for path in paths):
        with suppress(OSError):
            for path in (*paths, folder):
                path.rmdir()


def is_ambiguous(name: QualifiedName) -> bool:
    """Whether the name of a schema looks like the physical name of another schema of its catalog."""
    return name.schema.startswith(encode_catalog(name.catalog) + SEPARATOR)


def overlong_folder(name: QualifiedName) -> str:
    """Return the first folder of a table whose name is too long for file systems; ``""`` if there is none."""
    folders = (encode_catalog(name.catalog), encode(name.schema), encode(name.table))
    return next((folder for folder in folders if len(folder) > LONGEST_FOLDER), "")


def translate(text: str, catalogs: Iterable[str]) -> str:
    """Replace physical names in a message of Spark by the names that users write."""
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


def prepare_warehouse(warehouse: Path) -> None:
    """Create the warehouse folder with a ``.gitignore``; an existing one may be read-only."""
    with _usable(warehouse):
        is_new = not warehouse.exists()
        warehouse.mkdir(parents=True, exist_ok=True)
        known_catalogs(warehouse)
        with nullcontext() if is_new else suppress(OSError):
            ignore = warehouse / ".gitignore"
            if not ignore.exists():
                ignore.write_text("*\n", "utf-8")


def check_warehouse(warehouse: Path) -> None:
    """List an existing warehouse folder, and create none: to a gate, a warehouse that is not there is empty."""
    with _usable(warehouse), suppress(FileNotFoundError):
        known_catalogs(warehouse)


@contextmanager
def _usable(warehouse: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        msg = (
            f"the warehouse {warehouse} cannot be used: {os_error_text(error)};"
            " name a folder that can be written: --delta-warehouse=FOLDER, or the setting warehouse"
        )
        raise BackendUnavailableError(msg) from error


def why_empty(warehouse: Path, catalog: str, schema: str) -> str:
    """Return why a warehouse holds no table of a schema; ``""`` if its folders do not show it."""
    spark_folder = _folder_of_spark(warehouse, schema)
    if spark_folder is not None:
        target = usual_schema_folder(warehouse, "dev" if catalog == SESSION_CATALOG else catalog, schema)
        source = shlex.quote(str(spark_folder.absolute()))
        return (
            f"{spark_folder} holds tables of Spark's session catalog, and the local backend looks for tables in"
            f" WAREHOUSE/catalog/schema/table; let it find them there: mkdir -p {shlex.quote(str(target.parent))} &&"
            f" ln -s {source} {shlex.quote(str(target))}, and import {decode(target.parent.name)}.{schema};"
            ' the guide "My tables are in spark-warehouse" has more'
        )
    if not warehouse.is_dir():
        return f"there is no warehouse folder {warehouse}; name the one that holds the tables: --delta-warehouse=FOLDER"
    if catalog == SESSION_CATALOG or catalog_folder(warehouse, catalog).is_dir():
        return ""
    catalogs = known_catalogs(warehouse)
    return f"the warehouse {warehouse} has no catalog {catalog}; its catalogs: {', '.join(catalogs) or 'none'}"


def _folder_of_spark(warehouse: Path, schema: str) -> Path | None:
    """Return the folder of a schema in a warehouse of Spark's session catalog, if it holds Delta tables."""
    parents = (warehouse, warehouse / SESSION_CATALOG, warehouse.parent / "spark-warehouse")
    folders = [parent / (schema + _SPARK_SCHEMA) for parent in parents]
    if schema == "default":
        folders += parents  # Spark gives the schema default no folder
    return next((folder for folder in folders if any(folder.glob("*/_delta_log"))), None)


def known_catalogs(warehouse: Path) -> list[str]:
    """Return the catalogs that the warehouse folder holds."""
    folders = sorted(path.name for path in warehouse.iterdir() if path.is_dir())
    return [folded(decode(name)) for name in folders if name != SESSION_CATALOG and not name.endswith(_SPARK_SCHEMA)]


def is_hidden(name: str) -> bool:
    """Whether Spark skips a file or a folder where it lists files (Spark 4.2.0); ``FileLister.java`` does the same."""
    return name.startswith(".") or (name.startswith("_") and "=" not in name)
