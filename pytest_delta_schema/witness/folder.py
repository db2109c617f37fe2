"""The folder of witnesses: it holds nothing but scripts, and each run writes them again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.diagnostics.errors import ConfigurationError, os_error_text
from pytest_delta_schema.witness.script import FIRST_LINE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_SHOWN = 3


def prepare_folder(folder: Path) -> None:
    """Make a folder for scripts, and remove those of an earlier run.

    Raises:
        ConfigurationError: If it holds anything else, or cannot be written.
    """
    try:
        if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
            msg = f"{folder} is not a folder; name a new one"
            raise ConfigurationError(msg)
        others = sorted(str(path.relative_to(folder)) for path in _others(folder))
        if others:
            more = f" and {len(others) - _SHOWN} more" if len(others) > _SHOWN else ""
            fact = f"{folder} holds files other than witnesses: {', '.join(others[:_SHOWN])}{more}"
            msg = f"{fact}; name a new folder, or an empty one"
            raise ConfigurationError(msg)
        for path in [*folder.glob("*/*.py")]:
            path.unlink()
        for path in [*folder.glob("*")]:
            path.rmdir()
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        msg = f"{folder} cannot be written: {os_error_text(error)}; name another folder"
        raise ConfigurationError(msg) from error


def _others(folder: Path) -> Iterator[Path]:
    """Yield what no run with witnesses has written."""
    for path in folder.glob("*"):
        if path.is_symlink() or not path.is_dir():
            yield path
            continue
        for file in path.glob("*"):
            if file.is_symlink() or not file.is_file() or file.suffix != ".py" or not _is_witness(file):
                yield file


def _is_witness(file: Path) -> bool:
    with file.open(encoding="utf-8", errors="replace") as lines:
        return lines.readline().startswith(FIRST_LINE)
