"""Create the folder that holds all catalogs, and list those that it holds."""

from __future__ import annotations

from contextlib import contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING

from pytest_delta_schema.backends.local.warehouse.physical_names import decode
from pytest_delta_schema.diagnostics.errors import BackendUnavailableError, os_error_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def prepare_warehouse(warehouse: Path) -> None:
    """Create the warehouse folder with a ``.gitignore``; an existing one may be read-only.

    Raises:
        BackendUnavailableError: If it cannot be created or listed.
    """
    with _usable(warehouse):
        is_new = not warehouse.exists()
        warehouse.mkdir(parents=True, exist_ok=True)
        known_catalogs(warehouse)
        with nullcontext() if is_new else suppress(OSError):
            _ignore(warehouse)


def check_warehouse(warehouse: Path) -> None:
    """List an existing warehouse folder, and create none: a gate reads a warehouse that is not there as an empty one.

    Raises:
        BackendUnavailableError: If it cannot be listed.
    """
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


def _ignore(warehouse: Path) -> None:
    ignore = warehouse / ".gitignore"
    if not ignore.exists():
        ignore.write_text("*\n", "utf-8")


def known_catalogs(warehouse: Path) -> list[str]:
    """Return the catalogs that the warehouse folder holds."""
    folders = sorted(path.name for path in warehouse.iterdir() if path.is_dir())
    return [decode(name) for name in folders if name != "spark_catalog"]
