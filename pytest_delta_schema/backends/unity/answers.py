"""Decode the answers of a server into typed values; no other module reads undecoded answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict, TypeVar

import msgspec

from pytest_delta_schema.backends.decoders import build_decoders, decoder_of
from pytest_delta_schema.backends.unity.client import (
    CatalogInfo,
    CatalogPage,
    DeltaConfig,
    DeltaTable,
    Page,
    SchemaInfo,
    SchemaPage,
    TableInfo,
    VendedCredentials,
)
from pytest_delta_schema.backends.unity.schemas import ApiStruct, LogField, require_columns

if TYPE_CHECKING:
    from collections.abc import Callable

_T = TypeVar("_T")


class _Tables(TypedDict):
    tables: list[msgspec.Raw]


class TablePage(_Tables, Page):
    """One page of tables, whose entries are decoded one by one."""


class _ClassicError(msgspec.Struct):
    error_code: str
    message: str | None = None

    def code_and_message(self) -> tuple[str, str]:
        return self.error_code, self.message or ""


class _DeltaCause(msgspec.Struct):
    type: str
    message: str | None = None


class _DeltaError(msgspec.Struct):
    error: _DeltaCause

    def code_and_message(self) -> tuple[str, str]:
        return self.error.type, self.error.message or ""


_FREE = ("comment", "owner")
"""Texts that do not decide anything, in which a secret is redacted."""


_ERRORS: tuple[type[_ClassicError | _DeltaError], ...] = (_ClassicError, _DeltaError)
_ANSWERS = (CatalogInfo, CatalogPage, DeltaConfig, DeltaTable, SchemaInfo, SchemaPage, TableInfo, TablePage)


def prepare_answer_types() -> None:
    """Build the decoders of all answers and of what is inside of them, before threads use them."""
    build_decoders((*_ANSWERS, VendedCredentials, *_ERRORS, ApiStruct, LogField))


def decoded_answer(kind: type[_T], body: bytes | msgspec.Raw) -> _T:
    """Decode an answer; raise a ``ValueError`` with the path of the fault, if it has another form."""
    if not body:
        msg = "it is empty"
        raise ValueError(msg)
    try:
        value: _T = decoder_of(kind).decode(body)
    except RecursionError:
        msg = "it is nested too deeply"
    else:
        if kind is DeltaTable:
            require_columns(value["metadata"]["columns"])  # type: ignore[index]
        return value
    raise ValueError(msg)


def scrubbed(value: _T, scrub: Callable[[str], str], path: str = "$") -> _T:
    """Redact a secret in the texts of an answer."""
    if isinstance(value, str):
        shown = scrub(value)
        if shown != value and path.rpartition(".")[2] not in _FREE:
            msg = f"it repeats the token, at `{scrub(path)}`"
            raise ValueError(msg)
        return shown  # type: ignore[return-value]
    if isinstance(value, dict):
        for key in value:
            scrubbed(key, scrub, f"{path}.(key)")
        return {key: scrubbed(part, scrub, f"{path}.{key}") for key, part in value.items()}  # type: ignore[return-value]
    if isinstance(value, list):
        return [scrubbed(part, scrub, f"{path}[{index}]") for index, part in enumerate(value)]  # type: ignore[return-value]
    return value


def api_error(body: bytes) -> tuple[str, str] | None:
    """Return code and message of an error of one of the server's APIs; ``None`` if it has the form of neither."""
    for form in _ERRORS:
        try:
            return decoded_answer(form, body).code_and_message()
        except ValueError:
            continue
    return None
