"""Decode the answers of a server, and the schemas in them, which are checked before any recursion into them.

Delta logs, and the JSON of a column's type, have keys like ``elementType``; the Delta API has ``element-type``.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from pytest_delta_schema.backends.decoders import build_decoders, decoder_of
from pytest_delta_schema.backends.unity.answers import (
    CatalogInfo,
    CatalogPage,
    DeltaConfig,
    DeltaTable,
    Page,
    SchemaInfo,
    SchemaPage,
    TableInfo,
    TaggedTable,
    VendedCredentials,
)
from pytest_delta_schema.delta.names import TABLE
from pytest_delta_schema.state.delta_log import columns_of_schema
from pytest_delta_schema.state.entries import DEEPEST, is_collated
from pytest_delta_schema.state.spark_types import unstorable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_delta_schema.state.types import DataTypeState


_T = TypeVar("_T")


class TablePage(Page):
    """One page of tables, whose entries are decoded one by one."""

    tables: list[msgspec.Raw]


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

_ANSWERS = (
    CatalogInfo,
    CatalogPage,
    DeltaConfig,
    DeltaTable,
    SchemaInfo,
    SchemaPage,
    TableInfo,
    TablePage,
    TaggedTable,
)


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


class TooDeepError(ValueError):
    """A type is nested deeper than entries are read."""

    def __init__(self) -> None:
        super().__init__(f"it is nested deeper than {DEEPEST} levels")


class LogField(msgspec.Struct):
    """A field, or a column."""

    name: str
    type: LogType
    nullable: bool
    metadata: dict[str, Any] | None = None


class _LogStruct(msgspec.Struct, tag_field="type", tag="struct"):
    fields: list[LogField]


class _LogArray(msgspec.Struct, tag_field="type", tag="array", rename="camel"):
    element_type: LogType
    contains_null: bool


class _LogMap(msgspec.Struct, tag_field="type", tag="map", rename="camel"):
    key_type: LogType
    value_type: LogType
    value_contains_null: bool


LogType = str | _LogStruct | _LogArray | _LogMap


class _ApiField(msgspec.Struct):
    name: str
    type: ApiType
    nullable: bool
    metadata: dict[str, Any] | None = None


class ApiStruct(msgspec.Struct, tag_field="type", tag="struct"):
    """The columns of a table."""

    fields: list[_ApiField]


class _ApiArray(msgspec.Struct, tag_field="type", tag="array", rename="kebab"):
    element_type: ApiType
    contains_null: bool


class _ApiMap(msgspec.Struct, tag_field="type", tag="map", rename="kebab"):
    key_type: ApiType
    value_type: ApiType
    value_contains_null: bool


ApiType = str | ApiStruct | _ApiArray | _ApiMap


class PlainField(msgspec.Struct):
    """A field whose type is read by itself."""

    name: str
    type: msgspec.Raw
    nullable: bool
    metadata: dict[str, str | None] | None = None


_PLAIN_FIELD = msgspec.json.Decoder(PlainField)


def field_of(text: str) -> dict[str, Any]:
    """Read the JSON of a field, or of a type alone, as older servers send it."""
    value = read_json(text)
    field = value if isinstance(value, dict) and "name" in value else {"name": "", "type": value, "nullable": True}
    if text.count("{") > DEEPEST:
        _require_shallow(field.get("type"))
    msgspec.convert(field, LogField)
    return field


def plain_type(text: str) -> PlainField | None:
    """Return a field whose metadata is its comment at most; ``None`` if the rest of it may matter, or is malformed."""
    if text.count("{") > DEEPEST:
        return None
    try:
        field = _PLAIN_FIELD.decode(text)
    except ValueError:
        return None
    return field if not field.metadata or field.metadata.keys() == {"comment"} else None


def read_json(text: str | bytes) -> Any:
    """Read JSON; raise a ``ValueError`` with the reason, if it is not JSON or nested too deeply."""
    try:
        return msgspec.json.decode(text)
    except RecursionError:
        raise TooDeepError from None


def require_columns(value: Any) -> None:
    """Require a value to have the form of columns of the Delta API."""
    _require_shallow(value, levels=-1)  # the columns are not a level
    msgspec.convert(value, ApiStruct)


_PARTS = ("elementType", "keyType", "valueType", "element-type", "key-type", "value-type")


def _require_shallow(data_type: Any, levels: int = 0) -> None:
    """Require that not more than :data:`DEEPEST` types are in one another; ``levels`` are around the given one."""
    waiting = [(data_type, levels)]
    while waiting:
        part, depth = waiting.pop()
        if not isinstance(part, dict):
            continue
        if depth >= DEEPEST:
            raise TooDeepError
        fields = part.get("fields")
        inside = [field.get("type") for field in fields if isinstance(field, dict)] if isinstance(fields, list) else []
        waiting += [(kind, depth + 1) for kind in (*inside, *map(part.get, _PARTS))]


def entry_type(text: str) -> tuple[DataTypeState | None, str]:
    """Read type and comment in the JSON of a field, or, as older servers have it, of a type alone.

    The type is ``None`` if it is nested deeper than entries are compared; then its text is.
    """
    plain = plain_type(text)
    if plain is None:
        try:
            field = field_of(text)
        except TooDeepError:
            return None, ""
        return _read(field), str((field.get("metadata") or {}).get("comment") or "")
    return _known_type(bytes(plain.type)), (plain.metadata or {}).get("comment") or ""


@lru_cache(maxsize=1024)
def _known_type(data_type: bytes) -> DataTypeState:
    """Read the JSON of a type for which nothing else of its field matters."""
    return _read(field_of(f'{{"name": "", "type": {data_type.decode()}, "nullable": true}}'))


def _read(field: Mapping[str, Any]) -> DataTypeState:
    (column,) = columns_of_schema({"fields": [field]})
    if not all(is_collated(name) for _, name in unstorable(column.data_type, TABLE)):
        raise ValueError(field["type"])
    return column.data_type
