"""The undocumented names of deltalake that this package uses; nothing else in the package uses one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

VERSIONS = {"deltalake": ">=1.6,<1.7"}
"""The versions with which these names were tested."""


def is_panic(error: BaseException) -> bool:
    """Whether an error is a panic of deltalake's Rust code: no ``Exception``, of a class that cannot be imported."""
    return type(error).__name__ == "PanicException"


def file_system(location: str, options: Mapping[str, str]) -> Any:
    """Return the pyarrow file system through which deltalake opens a table.

    Raises:
        FileNotFoundError: If it is a local folder that does not exist.
    """
    from deltalake.exceptions import TableNotFoundError
    from deltalake.fs import DeltaStorageHandler
    from pyarrow.fs import PyFileSystem

    try:
        return PyFileSystem(DeltaStorageHandler(location, dict(options) or None))
    except TableNotFoundError as error:
        raise FileNotFoundError(str(error)) from error
