"""Declared tables, also as Spark's structs and frames."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import KW_ONLY, dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar, cast

from pyspark.sql.types import StructField, StructType

from pytest_delta_schema.delta.char_varchar import without_lengths
from pytest_delta_schema.delta.fields import CHAR_VARCHAR
from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.diagnostics.text import identifier
from pytest_delta_schema.models.arguments import (
    argument_text,
    kind_fault,
    refuse,
    refuse_kind,
    refuse_lists,
    refuses_wrong_arguments,
    session_fault,
)
from pytest_delta_schema.models.clients import require_clients
from pytest_delta_schema.models.column import NO_DECLARED_TAGS, Column, columns_of, require_deprecated, require_tags
from pytest_delta_schema.models.constraints import Check, ForeignKey, Parquet, PrimaryKey, Unique, declared_conversion
from pytest_delta_schema.models.declared_at import DeclaredAt, declared_here, note_declaration
from pytest_delta_schema.models.names import (
    are_names,
    folded_name,
    plain_texts,
    require_comment,
    require_name,
    require_names,
)
from pytest_delta_schema.models.ownership import (
    ASPECTS,
    CONTRACT_MODES,
    EVOLUTIONS,
    IGNORE,
    STRICT,
    ownership,
    read_only_modes,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame, SparkSession

    from pytest_delta_schema.delta.names import Aspect
    from pytest_delta_schema.models.column import Deprecated
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.models.ownership import ContractMode, Evolution, Ownership

_T = TypeVar("_T")

_set = object.__setattr__

PropertyValue = str | bool | int | float | None
"""What an author may write for a table property; ``None`` declares it absent."""

_NOT_READ_ONLY = (
    "table_properties", "primary_key", "checks", "foreign_keys", "partitioned_by", "clustered_by", "convert_from",
    "tags", "unique",
)  # fmt: skip
"""The arguments that a contract for an object that no plan changes cannot have."""


@refuses_wrong_arguments
@dataclass(frozen=True, slots=True)
class Table:
    """Declare one Delta table.

    A table is a frozen value; ``dataclasses.replace`` declares a changed one. The constructor refuses arguments of the
    wrong type; other faults, such as a duplicate column or a nullable key, are reported together by the model rules.

    Args:
        catalog_name: First part of the name.
        schema_name: Second part.
        table_name: Third part. All three are stored in lower case.
        columns: At least one :class:`Column`, in the order in which a new table should have them.
        comment: Shown by catalogs; ``""`` means none.
        table_properties: Only these keys are compared; a value ``None`` declares the key absent.
        primary_key: Names of the key's columns, in order, or a :class:`PrimaryKey`.
        checks: Conditions that every row meets, each a :class:`Check`.
        foreign_keys: References to the keys of other tables, each a :class:`ForeignKey`.
        partitioned_by: Names of the columns by which the files are partitioned, in order.
        clustered_by: Names of the columns, or dotted paths of fields of structs, by which the table is clustered, in
            order; at most four. In a path, a name with dots needs back-quotes: ``"address.`zip.code`"``. A table is
            partitioned or clustered, never both.
        column_order: What happens if the stored columns have another order than the model's: ``ignore`` it, ``report``
            it as drift that no apply changes, or ``manage`` it, so applies move columns.
        owns: The aspects that the contract manages, all by default; a difference in the others is drift that no apply
            changes. As a mapping it gives modes to aspects, the others being managed:
            ``{"comments": "report", "properties": "ignore"}``. Aspects are ``columns``, ``types``, ``defaults``,
            ``primary_keys``, ``unique``, ``foreign_keys``, ``checks``, ``comments``, ``properties``, ``layout`` and
            ``tags``.
        evolution: Whether a column that the model lacks is drift, ``strict``, or accepted with a note, ``additive``, if
            it may be NULL and comes after all declared ones, where writes with ``mergeSchema`` put it; the same for
            fields of structs.
        convert_from: ``"parquet"`` consents to the conversion of a parquet table of this name into this Delta table, in
            place; :class:`Parquet` also takes the path of a folder, or converts without statistics.
        tags: Tags of the table in the catalog; ``""`` is a tag without a value. Only these keys are compared, with
            regard to case; a value ``None`` declares the key absent.
        unique: Columns, or combinations of columns, whose values no two rows share, each a :class:`Unique`.
        read_only: Whether the object belongs to somebody else, or is not a Delta table, such as a view: its columns,
            types and comments are compared, and no plan creates or changes it. Keys, checks, layout, properties and
            tags cannot be declared then.
        clients: The clients that read and write the table, such as ``"trino>=470"``, or ``"trino>=470 (read)"`` for one
            that only reads. They replace those of the project; without them, those of the project hold. A table feature
            that one of them lacks is refused.
        deprecated: That it will be dropped, since when and until when, as a :class:`Deprecated`.

    Raises:
        DeclarationError: If a part can never be valid, such as a bare string for ``columns``; for arguments that do not
            exist, or are missing, a ``TypeError`` as well, which proposes the right ones.
    """

    catalog_name: str
    schema_name: str
    table_name: str
    columns: Sequence[Column]
    _: KW_ONLY
    comment: str = ""
    table_properties: Mapping[str, PropertyValue] = field(default_factory=dict)
    primary_key: Sequence[str] | PrimaryKey = ()
    checks: Sequence[Check] = ()
    foreign_keys: Sequence[ForeignKey] = ()
    partitioned_by: Sequence[str] = ()
    clustered_by: Sequence[str] = ()
    column_order: ContractMode = IGNORE
    owns: Sequence[Aspect] | Mapping[Aspect, ContractMode] = ASPECTS
    evolution: Evolution = STRICT
    convert_from: str | Parquet | None = None
    tags: Mapping[str, str | None] = field(default_factory=lambda: NO_DECLARED_TAGS)
    unique: Sequence[Unique] = ()
    clients: Sequence[str] = ()
    read_only: bool = False
    deprecated: Deprecated | None = None
    origin: DeclaredAt = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        parts = (self.catalog_name, self.schema_name, self.table_name)
        if not are_names(parts):
            refuse_lists(parts)
            for part in ("catalog_name", "schema_name", "table_name"):
                _set(self, part, require_name(getattr(self, part), f"{part} of a table"))
        name = self.name
        _set(self, "origin", declared_here(name))
        subject = f"{name}: "
        _set(self, "columns", _listed(self.columns, Column, f"{subject}columns", "Column(name, data_type)"))
        if type(self.comment) is not str:  # texts of messages are built for faults, and for arguments that are given
            _set(self, "comment", require_comment(self.comment, f"{subject}comment"))
        if not isinstance(self.primary_key, PrimaryKey):
            _set(self, "primary_key", require_names(self.primary_key, f"{subject}primary_key"))
        for argument, (omitted, checked) in _OPTIONAL.items():
            value = getattr(self, argument)
            if value is not omitted:
                _set(self, argument, checked(value, subject))
        if self.read_only:
            self._require_read_only(subject)
        note_declaration(name, self.origin)

    @classmethod
    def from_struct_type(
        cls, catalog_name: str, schema_name: str, table_name: str, struct: StructType, **options: Any
    ) -> Table:
        """Declare a table by a schema of Spark's, such as that of a frame, or one from Delta's log.

        Comments, lengths of char and varchar, defaults, generation expressions and identities are taken from the
        metadata of the fields; Spark hides the last two.

        Args:
            catalog_name: As in :class:`Table`.
            schema_name: As in :class:`Table`.
            table_name: As in :class:`Table`.
            struct: The schema.
            **options: Everything else that a table takes, from ``comment`` on.

        Raises:
            DeclarationError: If a part can never be valid.
        """
        return cls(catalog_name, schema_name, table_name, columns_of(struct), **options)

    @property
    def name(self) -> QualifiedName:
        """The three parts of the name, lower-cased."""
        return folded_name(self.catalog_name, self.schema_name, self.table_name)

    @property
    def qualified_name(self) -> str:
        """The dotted name, unescaped and lower-cased like every catalog stores it: ``dev.silver.orders``."""
        return str(self.name)

    @property
    def sql_name(self) -> str:
        """The dotted name with each part in back-quotes, for SQL and for Spark's ``saveAsTable``."""
        return ".".join(map(identifier, self.name.written))

    def _require_read_only(self, subject: str) -> None:
        """Refuse what is not compared of an object that no plan changes."""
        given = [name for name in _NOT_READ_ONLY if getattr(self, name)]
        if given:
            fact = f"{subject}read_only=True compares columns, types and comments, and not {', '.join(given)}"
            msg = f"{fact}; leave out one of the two"
            raise DeclarationError(msg)

    def __hash__(self) -> int:
        return hash((self.catalog_name, self.schema_name, self.table_name))

    @property
    def named_keys(self) -> Sequence[PrimaryKey | ForeignKey | Unique]:
        """The keys that may have a chosen name."""
        primary = (self.primary_key,) if isinstance(self.primary_key, PrimaryKey) else ()
        return (*primary, *self.foreign_keys, *self.unique)

    @property
    def ownership(self) -> Ownership:
        """The mode of every aspect that the contract does not manage: ``report`` or ``ignore``."""
        modes = ownership(self.owns, f"{self.qualified_name}: ")
        return read_only_modes(modes) if self.read_only else modes


def _owned(value: Any, subject: str) -> Sequence[Aspect] | Mapping[Aspect, ContractMode]:
    ownership(value, subject)
    return MappingProxyType(dict(value)) if isinstance(value, Mapping) else tuple(value)


def _require_word(value: str, subject: str, words: Iterable[str]) -> str:
    if value not in words:
        msg = f"{subject} is {value!r}; write one of {', '.join(words)}"
        raise DeclarationError(msg)
    return value


def _listed(value: object, kind: type[_T], subject: str, example: str) -> tuple[_T, ...]:
    name = kind.__name__
    if isinstance(value, (str, bytes, kind)) or not isinstance(value, Iterable):
        msg = f"{subject} must be a list of {name}, got {value!r}; write [{name}(...), ...]"
        raise DeclarationError(msg)
    items = tuple(value)
    is_usual = {kind}.issuperset(map(type, items))  # in C
    wrong = [] if is_usual else [index for index, item in enumerate(items) if not isinstance(item, kind)]
    if wrong:
        part = subject.rpartition(" ")[2]
        listed = ", ".join(f"{part}[{index}] is {items[index]!r}" for index in wrong)
        table = subject.removesuffix(part)
        msg = f"{table}{listed}, not a {name}; write {example}"
        raise DeclarationError(msg)
    return items


def _properties(value: object, subject: str) -> Mapping[str, PropertyValue]:
    if not isinstance(value, Mapping):
        msg = f"{subject}table_properties must be a mapping, got {value!r}; write {{'key': 'value'}}"
        raise DeclarationError(msg)
    for key, item in value.items():
        if type(key) is not str or not key.strip():
            require_name(key, f"{subject}a key of table_properties")
        if item is not None and not isinstance(item, (str, bool, int, float)):
            msg = f"{subject}property {key} has the value {item!r}; write a string, a number, a boolean or None"
            raise DeclarationError(msg)
    return MappingProxyType(plain_texts(value))


_OPTIONAL: Mapping[str, tuple[object, Callable[[Any, str], object]]] = {
    "partitioned_by": ((), lambda value, subject: require_names(value, f"{subject}partitioned_by")),
    "clustered_by": ((), lambda value, subject: require_names(value, f"{subject}clustered_by")),
    "column_order": (IGNORE, lambda value, subject: _require_word(value, f"{subject}column_order", CONTRACT_MODES)),
    "evolution": (STRICT, lambda value, subject: _require_word(value, f"{subject}evolution", EVOLUTIONS)),
    "convert_from": (None, declared_conversion),
    "owns": (ASPECTS, _owned),
    "tags": (NO_DECLARED_TAGS, lambda value, subject: require_tags(value, "", subject.removesuffix(": "))),
    "table_properties": (None, _properties),
    "checks": ((), lambda value, subject: _listed(value, Check, f"{subject}checks", "Check(name, expression)")),
    "foreign_keys": (
        (),
        lambda value, subject: _listed(value, ForeignKey, f"{subject}foreign_keys", "ForeignKey(columns, references)"),
    ),
    "unique": ((), lambda value, subject: _listed(value, Unique, f"{subject}unique", "Unique(columns)")),
    "clients": ((), require_clients),
    "deprecated": (None, require_deprecated),
}
"""The arguments that most tables omit: what each is then, and the function that checks it if it is given."""


def declared_name(table: Table) -> QualifiedName:
    """Return the name in the declaration of a table, after which its keys are named, whatever it is bound to."""
    return table.origin.name or table.name


def derived(table: Table, name: QualifiedName | None = None, **changes: object) -> Table:
    """Return a table with another name or other values, which was declared where the given one was."""
    made = copy(table)
    if name is not None:
        changes.update(catalog_name=name.catalog, schema_name=name.schema, table_name=name.table)
    for field_name, value in changes.items():
        _set(made, field_name, value)
    return made


def conversions(models: Iterable[Table]) -> dict[QualifiedName, Parquet]:
    """Return how tables are converted from files, for the models that consent to it."""
    wishes = ((model.name, declared_conversion(model.convert_from, "")) for model in models)
    return {name: wish for name, wish in wishes if wish is not None}


def required_table(value: object, subject: str) -> Table:
    """Return a model; raise a ``DeclarationError`` if it is something else."""
    refuse(_table_fault(value, subject))
    return cast("Table", value)


def _table_fault(value: object, subject: str) -> str:
    remedy = "give the Table that declares it"
    return "" if isinstance(value, Table) else kind_fault(subject, "a Table", value, remedy)


def required_tables(value: object, subject: str) -> list[Table]:
    """Return models as a list; raise a ``DeclarationError`` if it is or holds something else."""
    if isinstance(value, Mapping):
        refuse_kind(subject, "a list of Tables", value, "give its values, list(tables.values())")
    if isinstance(value, (Table, str)) or not isinstance(value, Iterable):
        refuse_kind(subject, "a list of Tables", value, "write [table, ...]")
    tables = list(value)
    others = [item for item in tables if not isinstance(item, Table)]
    if others:
        values = ", ".join(map(argument_text, others))
        msg = f"{subject} takes a list of Tables, and the list has {values}; give the Tables that declare them"
        raise DeclarationError(msg)
    return tables


def to_struct_type(table: Table) -> StructType:
    """Return the Spark schema of a declared table.

    ``spark.createDataFrame(rows, to_struct_type(orders))`` makes one. Names, types, nullability and comments are those
    of the model. Char and varchar are strings that keep their length in the metadata, as in every frame of Spark; so
    the struct can be given to any reader, and back to :meth:`Table.from_struct_type`.

    Raises:
        DeclarationError: If ``table`` is not a model.
    """
    return StructType([_struct_field(column) for column in required_table(table, "to_struct_type").columns])


def _struct_field(column: Column) -> StructField:
    plain = without_lengths(column.data_type)
    metadata: dict[str, Any] = {"comment": column.comment} if column.comment else {}
    if plain != column.data_type:
        metadata[CHAR_VARCHAR] = column.data_type.simpleString()
    return StructField(column.name, plain, column.is_nullable, metadata)


def empty_frame(spark: SparkSession, table: Table) -> DataFrame:
    """Return a frame without rows that has the schema of a declared table.

    Args:
        spark: Any session, also one of Spark Connect.
        table: The model.

    Raises:
        DeclarationError: If one of them is something else.
    """
    refuse(_table_fault(table, "empty_frame"), session_fault(spark, "empty_frame"))
    return spark.createDataFrame([], to_struct_type(table))
