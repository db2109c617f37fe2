"""Consent to turn parquet into Delta, in place."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_delta_schema.errors import DeclarationError
from pytest_delta_schema.models.names import require_name

PARQUET = "parquet"


@dataclass(frozen=True, slots=True)
class Parquet:
    """Say where the parquet is, and how it is converted.

    Args:
        path: The folder; left out, it is the parquet table that the catalog holds under the name of the model.
        statistics: Whether statistics of all files are read, by which queries skip files later; a big table converts
            faster without.

    Raises:
        DeclarationError: If the path is empty.
    """

    path: str | None = None
    statistics: bool = True

    def __post_init__(self) -> None:
        if self.path is not None:
            require_name(self.path, "path of Parquet", "name a folder, or leave it out")


def conversion(value: object, subject: str) -> Parquet | None:
    """Return what ``convert_from`` says.

    Args:
        value: What the author wrote.
        subject: Whose it is, for the message.

    Raises:
        DeclarationError: If it is neither ``"parquet"`` nor a :class:`Parquet`.
    """
    if value is None or isinstance(value, Parquet):
        return value
    if value == PARQUET:
        return Parquet()
    msg = f"{subject}convert_from is {value!r}; only parquet is converted in place: write 'parquet', or Parquet(path)"
    raise DeclarationError(msg)
