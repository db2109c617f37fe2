"""Declared columns, with their tags, deprecations, defaults and identities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from datetime import date, datetime
from decimal import Decimal
from types import MappingProxyType
from typing import TYPE_CHECKING, Union

from pyspark.sql.types import DataType, StructType

from pytest_delta_schema.delta.char_varchar import with_lengths
from pytest_delta_schema.delta.fields import (
    CHAR_VARCHAR,
    DEFAULT,
    GENERATION_EXPRESSION,
    IDENTITY_EXPLICIT,
    IDENTITY_START,
    IDENTITY_STEP,
    metadata_of,
)
from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.diagnostics.text import shortened
from pytest_delta_schema.models.arguments import refuse_kind, refuses_wrong_arguments
from pytest_delta_schema.models.names import plain_texts, require_comment, require_name

if TYPE_CHECKING:
    from pyspark.sql.types import StructField

NO_DECLARED_TAGS: Mapping[str, str | None] = MappingProxyType({})
"""One empty mapping for all, because most tables and columns have no tags."""


def require_tags(value: object, kind: str, name: str) -> Mapping[str, str | None]:
    """Return declared tags as a copy; raise a ``DeclarationError`` if it is not a mapping of keys to texts."""
    if not isinstance(value, (dict, Mapping)):  # a dict first, which is known without a look-up
        msg = f"{kind}{name}: tags must be a mapping, got {value!r}; write {{'key': 'value'}}, or {{'key': ''}}"
        raise DeclarationError(msg)
    if not value:
        return NO_DECLARED_TAGS
    wrong = []
    for key, item in value.items():
        if type(key) is not str or key.isspace() or not key:  # texts of messages are built for faults only
            require_name(key, f"{kind}{name}: a key of tags")
        if item is not None and not isinstance(item, str):
            wrong.append(f"{key} has the value {item!r}")
    if wrong:
        texts, remedy = ", ".join(wrong), "write a text, '' for a tag without a value, or None for its absence"
        msg = f"{kind}{name}: tag {texts}; {remedy}"
        raise DeclarationError(msg)
    return MappingProxyType(plain_texts(value))


_LONGEST_TYPE = 200
_EXAMPLE = "date(2026, 1, 31)"


@refuses_wrong_arguments
@dataclass(frozen=True, slots=True)
class Deprecated:
    """Announce that a column or a table will be dropped.

    No catalog stores it, so it is never drift; the JSON form of the desired state has it, and reports show it. A
    deprecation of a column holds for its fields, and one of a table for its columns.

    Args:
        since: The day of the announcement, from which the notice counts.
        use: What to read instead: of a column the name of another column, or the dotted path of a field; of a table
            the dotted name of another table. ``""`` if nothing replaces it.
        sunset: The first day on which it may be gone.

    Raises:
        DeclarationError: If a day is not a ``datetime.date``, or the sunset is not after ``since``.
    """

    since: date
    _: KW_ONLY
    use: str = ""
    sunset: date | None = None

    def __post_init__(self) -> None:
        _require_day(self.since, "since")
        given: object = self.use
        if not isinstance(given, str):
            msg = f"use of Deprecated must be a string, got {given!r}; write the name of what replaces it in quotes"
            raise DeclarationError(msg)
        if self.sunset is None:
            return
        _require_day(self.sunset, "sunset")
        if self.sunset <= self.since:
            msg = f"sunset of Deprecated is {self.sunset}, which is not after since, {self.since}; write a later day"
            raise DeclarationError(msg)


def require_deprecated(value: object, subject: str) -> Deprecated:
    """Return a value that is a :class:`Deprecated`; raise a ``DeclarationError`` for everything else."""
    if not isinstance(value, Deprecated):
        msg = f"{subject}deprecated is {value!r}; write Deprecated({_EXAMPLE})"
        raise DeclarationError(msg)
    return value


def _require_day(value: object, name: str) -> None:
    """Raise a ``DeclarationError`` if a value is not a day; a moment is none."""
    if not isinstance(value, date) or isinstance(value, datetime):
        msg = f"{name} of Deprecated is {value!r}, which is not a datetime.date; write {_EXAMPLE}"
        raise DeclarationError(msg)


@refuses_wrong_arguments
@dataclass(frozen=True, slots=True)
class Identity:
    """Declare the start and step of an identity column.

    Args:
        start: The first value.
        step: What is added for the next one; negative counts down.
        always: Whether writers may never give a value of their own: ``GENERATED ALWAYS``, else ``BY DEFAULT``.

    Raises:
        DeclarationError: If the start or the step is not an integer.
    """

    start: int = 1
    step: int = 1
    _: KW_ONLY
    always: bool = True

    def __post_init__(self) -> None:
        for name in ("start", "step"):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool):
                msg = f"{name} of Identity must be an integer, got {value!r}; write Identity(start=1, step=1)"
                raise DeclarationError(msg)


DefaultValue = Union[str, bool, int, float, Decimal]  # noqa: UP007 - used at run time, on every supported Python
"""A default: a number, a boolean, or the text of an SQL expression."""

_set = object.__setattr__


@refuses_wrong_arguments
@dataclass(frozen=True, slots=True)
class Column:
    """Declare one column of a table.

    Args:
        name: As it should be stored; compared without regard to case.
        data_type: A type of ``pyspark.sql.types``, as an object: ``LongType()``; or its text, as ``CREATE TABLE`` has
            it: ``"decimal(18,2)"``, ``"struct<a: int not null comment 'x'>"``.
        is_nullable: Whether rows may leave it NULL; they may by default.
        comment: Shown by catalogs; ``""`` means none.
        default: The value that a write stores which leaves the column out: a number, a boolean, or an SQL expression
            without columns, in which a string literal needs its quotes: ``"'open'"``.
        generated_as: The SQL expression over other columns from which the value is generated.
        identity: Start and step of an identity column; ``True`` for ``Identity()``. Its type is ``LongType()``.
        renamed_from: The former name of the column; ignored once it is renamed. A field of a struct has it in the
            metadata of its ``StructField``: ``metadata={"renamed_from": "old"}``.
        tags: As those of a :class:`Table`.
        deprecated: That it will be dropped, since when and until when, as a :class:`Deprecated`. Fields of structs have
            none of their own.

    Raises:
        DeclarationError: If the name is empty, the type is not one of Spark, or something else can
            never be valid; for arguments that do not exist, or are missing, a ``TypeError`` as well, which proposes the
            right ones.
    """

    name: str
    data_type: DataType
    is_nullable: bool = True
    _: KW_ONLY
    comment: str = ""
    default: DefaultValue | None = None
    generated_as: str | None = None
    identity: Identity | bool | None = None
    renamed_from: str | None = None
    tags: Mapping[str, str | None] = field(default_factory=lambda: NO_DECLARED_TAGS)
    deprecated: Deprecated | None = None

    if TYPE_CHECKING:
        # A type may be given as text; the field always is an object.
        def __init__(  # noqa: PLR0913 - the fields
            self,
            name: str,
            data_type: DataType | str,
            is_nullable: bool = True,  # noqa: FBT001, FBT002 - as in SQL
            *,
            comment: str = "",
            default: DefaultValue | None = None,
            generated_as: str | None = None,
            identity: Identity | bool | None = None,
            renamed_from: str | None = None,
            tags: Mapping[str, str | None] = ...,
            deprecated: Deprecated | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        name = self.name
        if type(name) is not str or not name or name.isspace():  # texts of messages are built for faults only
            name = require_name(name, "the name of a column")
            _set(self, "name", name)
        if type(self.comment) is not str:
            _set(self, "comment", require_comment(self.comment, f"column {name}: comment"))
        if self.renamed_from is not None:
            _set(self, "renamed_from", require_name(self.renamed_from, f"column {name}: renamed_from"))
        if self.tags is not NO_DECLARED_TAGS:
            _set(self, "tags", require_tags(self.tags, "column ", name))
        if self.deprecated is not None:
            require_deprecated(self.deprecated, f"column {name}: ")
        if self.default is not None or self.generated_as is not None or self.identity is not None:
            self._require_values()
        if not isinstance(self.data_type, DataType):
            _set(self, "data_type", _spark_type(self.data_type, name))

    def _require_values(self) -> None:
        if self.default is not None and not isinstance(self.default, (str, bool, int, float, Decimal)):
            remedy = "write a number, a boolean or the text of an expression"
            msg = f"column {self.name}: default is {self.default!r}; {remedy}"
            raise DeclarationError(msg)
        if isinstance(self.default, str):
            _set(self, "default", require_name(self.default, f"column {self.name}: default", "write an expression"))
        if self.generated_as is not None:
            expression = require_name(self.generated_as, f"column {self.name}: generated_as", "write an expression")
            _set(self, "generated_as", expression)
        if self.identity is not None and not isinstance(self.identity, (bool, Identity)):
            msg = f"column {self.name}: identity is {self.identity!r}; write Identity(start, step), or True"
            raise DeclarationError(msg)


def _spark_type(given: object, column: str) -> DataType:
    """Return the type that a text names; raise a ``DeclarationError`` for everything else."""
    if isinstance(given, str):
        from pytest_delta_schema.models.types import parse_type

        try:
            return parse_type(given)
        except ValueError as error:
            msg = f"column {column}: data_type {shortened(repr(given), _LONGEST_TYPE)} is not a Spark type: {error}"
            raise DeclarationError(msg) from None
    fact, remedy = f"{given!r}, which is not a Spark type", "use one of pyspark.sql.types, such as LongType()"
    if isinstance(given, type) and issubclass(given, DataType):
        fact, remedy = f"the class {given.__name__}, not a type", f"write {given.__name__}()"
    msg = f"column {column}: data_type is {fact}; {remedy}"
    raise DeclarationError(msg)


def columns_of(struct: StructType) -> list[Column]:
    """Return the columns that a schema of Spark or of Delta declares, with what the metadata of its fields holds."""
    if not isinstance(struct, StructType):
        remedy = "give the schema of a frame, df.schema" if hasattr(struct, "schema") else "give a StructType"
        refuse_kind("Table.from_struct_type", "a StructType", struct, remedy)
    return [_column(field) for field in struct.fields]


def _column(field: StructField) -> Column:
    known = metadata_of({"metadata": field.metadata})
    data_type = with_lengths(field.dataType, known[CHAR_VARCHAR]) if CHAR_VARCHAR in known else field.dataType
    identity = None
    if IDENTITY_START in known:
        always = not known.get(IDENTITY_EXPLICIT, False)
        identity = Identity(known[IDENTITY_START], known.get(IDENTITY_STEP, 0), always=always)
    return Column(
        field.name,
        data_type,
        is_nullable=field.nullable,
        comment=known.get("comment", ""),
        default=known.get(DEFAULT),
        generated_as=known.get(GENERATION_EXPRESSION),
        identity=identity,
    )
