"""Problems of reading a table, worded the same way by every backend."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.errors import Diagnostic
from pytest_delta_schema.state.conversion import CONVERT, RESTORE_LOG

if TYPE_CHECKING:
    from pytest_delta_schema.models.names import QualifiedName


def problem(name: QualifiedName, message: str, remedy: str) -> Diagnostic:
    """Build the problem of one table.

    Args:
        name: The table.
        message: What the table is instead, or what is wrong with it.
        remedy: What to do about it.
    """
    return Diagnostic(table=str(name), message=message, remedy=remedy)


def is_a_view(name: QualifiedName) -> Diagnostic:
    """Return the problem of a view where a table is expected."""
    return problem(name, "is a view, not a table", "drop the view, or declare the table under another name")


def is_not_delta(name: QualifiedName, provider: str) -> Diagnostic:
    """Return the problem of a table of another format.

    Args:
        name: The table.
        provider: The format, such as ``csv``.
    """
    return problem(name, f"is a {provider.lower()} table, not a Delta table", CONVERT)


def is_damaged(name: QualifiedName, error: Exception) -> Diagnostic:
    """Return the problem of a log, or of catalog metadata, that cannot be understood.

    Args:
        name: The table.
        error: What was raised when it was parsed.
    """
    return problem(name, f"its metadata is damaged ({error!r})", "restore an older version of the table")


def has_lost_its_log(name: QualifiedName, path: str, sign: str) -> Diagnostic:
    """Return the problem of a folder with files of a Delta table and without its log.

    Args:
        name: The table.
        path: The folder.
        sign: The file that shows that it was a Delta table.
    """
    return problem(name, f"{path} holds the files of a Delta table whose log is gone (see {sign})", RESTORE_LOG)


def cannot_convert(name: QualifiedName, backend: str, path: str) -> Diagnostic:
    """Return the problem of a model that converts files on a backend that cannot list them.

    Args:
        name: The table.
        backend: The name of the backend.
        path: The folder of the files.
    """
    fact = f"its model converts {path}, whose files the {backend} backend cannot list"
    return problem(name, fact, "convert it with the local backend or by CONVERT TO DELTA, or remove convert_from")
