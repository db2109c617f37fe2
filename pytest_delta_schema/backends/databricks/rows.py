"""Turn the rows that a workspace returns into typed values; they are checked here, and only here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict, TypeVar

from pytest_delta_schema.diagnostics.errors import StatementError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_T = TypeVar("_T")


class _ProtocolRow(TypedDict):
    minReaderVersion: int
    minWriterVersion: int


class DetailRow(_ProtocolRow, total=False):
    """A row of DESCRIBE DETAIL; properties are a map, or pairs."""

    tableFeatures: list[str] | None
    description: str | None
    properties: dict[str, str] | list[tuple[str, str]] | None
    partitionColumns: list[str] | None
    clusteringColumns: list[str] | None


class CreateRow(TypedDict):
    """A CREATE statement."""

    createtab_stmt: str


class VersionRow(TypedDict):
    """A version in a history."""

    version: int


class RuntimeRow(TypedDict):
    """The version of a runtime; of a SQL warehouse there is none."""

    runtime: str | None


_ROWS = (DetailRow, CreateRow, VersionRow, RuntimeRow)


def prepare_row_types(others: Iterable[type]) -> None:
    """Build the decoders of these rows, and of others, before threads use them."""
    from pytest_delta_schema.backends.kit import build_decoders

    build_decoders((*_ROWS, *others))


def typed(kind: type[_T], rows: Iterable[Mapping[str, Any]]) -> list[_T]:
    """Check rows, whose arrays may be those of numpy.

    Raises:
        StatementError: If one is something else, with the path of the fault.
    """
    import msgspec

    plain = [{key: value.tolist() if hasattr(value, "tolist") else value for key, value in row.items()} for row in rows]
    try:
        return msgspec.convert(plain, list[kind], strict=False)  # type: ignore[valid-type]
    except (msgspec.ValidationError, RecursionError) as error:
        fault = str(error)
    msg = f"the workspace returned rows of another form ({fault})"
    raise StatementError(msg, condition="STRANGE_ROWS")


def first(kind: type[_T], rows: Iterable[Mapping[str, Any]]) -> _T:
    """Check rows of which the first one matters.

    Raises:
        StatementError: If it is something else, or there is none.
    """
    typed_rows = typed(kind, rows)
    if not typed_rows:
        msg = "the workspace returned no row where one was expected"
        raise StatementError(msg, condition="STRANGE_ROWS")
    return typed_rows[0]
