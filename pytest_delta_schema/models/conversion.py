"""Consent to turn parquet into Delta, in place."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.models.argument_checks.arguments import refuses_wrong_arguments
from pytest_delta_schema.models.names import require_name

PARQUET = "parquet"


@refuses_wrong_arguments
@dataclass(frozen=True, slots=True)
class Parquet:
    """Declare the parquet files that a conversion turns into a Delta table, and how.

    Args:
        path: The folder; left out, it is the parquet table that the catalog holds under the name of the model.
        statistics: Whether the conversion collects statistics of all files, by which queries skip files later; without
            them a big table converts faster.

    Raises:
        DeclarationError: If the path is empty.
    """

    path: str | None = None
    _: KW_ONLY
    statistics: bool = True

    def __post_init__(self) -> None:
        if self.path is not None:
            require_name(self.path, "path of Parquet", "name a folder, or leave it out")


def declared_conversion(value: object, subject: str) -> Parquet | None:
    """Return the value of ``convert_from`` as a :class:`Parquet`.

    Raises:
        DeclarationError: If it is neither ``"parquet"`` nor a :class:`Parquet`.
    """
    if value is None or isinstance(value, Parquet):
        return value
    if value == PARQUET:
        return Parquet()
    msg = f"{subject}convert_from is {value!r}; only parquet is converted in place: write 'parquet', or Parquet(path)"
    raise DeclarationError(msg)
