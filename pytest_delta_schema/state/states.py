"""The states of tables and catalogs, and the protocol by which they are read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field, fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, Protocol, TypeVar

from pytest_delta_schema.delta.names import ColumnPath, PartPath, folded, part_path
from pytest_delta_schema.diagnostics.errors import CatalogReadError, Diagnostic, diagnostic_of
from pytest_delta_schema.diagnostics.faults import AbsentTable, NotDeltaTable, TableNotRead, ViewInPlaceOfTable
from pytest_delta_schema.models.arguments import refuse_kind
from pytest_delta_schema.models.ownership import ALL_MANAGED, IGNORE, STRICT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pytest_delta_schema.delta.names import Aspect
    from pytest_delta_schema.models.column import Deprecated
    from pytest_delta_schema.models.constraints import Parquet
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.models.ownership import ContractMode, Evolution, Ownership
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.state.delta_log import LogFacts
    from pytest_delta_schema.state.entries import EntryState
    from pytest_delta_schema.state.types import ColumnState

__all__ = ["CatalogState", "CheckState", "ForeignKeyState", "KeyState", "RenameState", "TableState"]

OWNED_PROPERTIES = "pytest_delta_schema.ownedProperties"
"""The ``pytest_delta_schema.*`` property that records the keys which a model has set: sorted, as JSON."""

OWN_PROPERTY_PREFIX = "pytest_delta_schema."
"""Properties with this prefix are written by this package: never compared, and refused in models."""

Tags = Mapping[ColumnPath, Mapping[str, str | None]]
"""The tags of a table, by the empty path, and of its columns, by their paths."""

NO_TAGS: Tags = MappingProxyType({})

Deprecations = Mapping[ColumnPath, "Deprecated"]
"""The deprecations of a table, by the empty path, and of its columns, by their paths."""

NO_DEPRECATIONS: Deprecations = MappingProxyType({})

KeyKind = Literal["primary key", "unique constraint"]
"""The kinds of primary and unique keys, as messages name them."""

HiddenPart = Literal["defaults", "generated columns", "NOT NULL in structs", "comments in structs"]
"""Parts of columns that a catalog may not show, as messages name them."""

DEFAULTS: Final = "defaults"
GENERATED_COLUMNS: Final = "generated columns"
NESTED_NOT_NULL: Final = "NOT NULL in structs"
NESTED_COMMENTS: Final = "comments in structs"

PRIMARY_KEY: Final = "primary key"
UNIQUE: Final = "unique constraint"


class KeyState(NamedTuple):
    """A primary or unique key.

    Args:
        name: Its name.
        columns: Its columns, in order.
        rely: Whether queries may rely on it; ``None`` if the catalog does not show it.
        kind: Its kind.
    """

    name: str
    columns: tuple[str, ...]
    rely: bool | None = False
    kind: KeyKind = PRIMARY_KEY

    @property
    def path(self) -> PartPath:
        """The path of the key inside the table."""
        return part_path("primary_key") if self.kind == PRIMARY_KEY else part_path("unique", self.name)


class CheckState(NamedTuple):
    """A CHECK constraint.

    Args:
        name: Its name.
        expression: Its condition, as declared or stored.
    """

    name: str
    expression: str


class ForeignKeyState(NamedTuple):
    """A foreign key.

    Args:
        name: Its name.
        columns: Its columns, in order.
        parent: The table that it references.
        parent_columns: The columns that it references, in order; none for the primary key of the parent.
        rely: Whether queries may rely on it; ``None`` if the catalog does not show it.
    """

    name: str
    columns: tuple[str, ...]
    parent: QualifiedName
    parent_columns: tuple[str, ...]
    rely: bool | None = False

    @property
    def path(self) -> PartPath:
        """The path of the key inside the table."""
        return part_path("foreign_keys", self.name)


def same_rely(wanted: KeyState | ForeignKeyState, stored: KeyState | ForeignKeyState) -> bool:
    """Whether two keys agree on RELY; what the catalog does not show is not a difference."""
    return stored.rely is None or wanted.rely == stored.rely


def by_name(constraint: CheckState | KeyState | ForeignKeyState) -> str:
    """Return the key by which constraints of one kind are sorted: their name without case."""
    return folded(constraint.name)


class RenameState(NamedTuple):
    """The former name of a column, or a field.

    Args:
        path: Its path, with its new name.
        old: Its former name.
    """

    path: ColumnPath
    old: str


DELTA, PARQUET, NOTHING = "delta", "parquet", "nothing"

NULL_PARTITION = "__HIVE_DEFAULT_PARTITION__"
"""The text that partition folders use for NULL, so no value can have it."""


@dataclass(frozen=True, slots=True)
class SourceState:
    """Files that a conversion would turn into a Delta table.

    Args:
        provider: Their format: ``parquet``; ``delta``, if the table exists and only the catalog does not know it;
            ``nothing``, if there is no file; or a format that cannot be converted, such as ``csv``.
        path: The folder.
        is_registered: Whether the catalog has a table over them under the declared name.
        is_in_place: Whether they are in the folder in which the catalog looks for that table.
        folders: The folders that hold files, below the path, each as its parts; ``()`` is the path itself.
        files: How many files there are.
        conflict: Why the schemas of the files cannot be merged, with the first file that does not fit; ``""`` if they
            can.
        sign: The file which shows that they belong to a Delta table whose log is lost; ``""`` if there is none.
    """

    provider: str
    path: str
    _: KW_ONLY
    is_registered: bool = False
    is_in_place: bool = False
    folders: tuple[tuple[str, ...], ...] = ()
    files: int = 0
    conflict: str = ""
    sign: str = ""


CONVERT = (
    'consent to its conversion with convert_from="parquet" if it is parquet, or declare the table under another name'
)
"""The remedy for files where a model declares a Delta table."""

RESTORE_LOG = "restore _delta_log from a backup, because without it rows that were deleted or replaced come back"
"""The remedy for files of a Delta table whose log is lost. A conversion would bring deleted rows back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableState:
    """Everything that is compared about one table, desired or observed.

    Args:
        name: The table's name.
        exists: Whether the table exists; always true in a desired state.
        schema_exists: Whether its schema exists.
        columns: Its columns, in stored order.
        table_comment: Its comment; ``""`` if there is none.
        table_properties: Its properties. ``None`` as a value occurs only in desired states and means *absent*.
        owned_properties: The keys that a model has set, if the table records them. Not compared as such.
        emulated_properties: The keys in ``table_properties`` that the table holds under ``pytest_delta_schema.*``
            properties, because open-source Delta does not know them. Not compared.
        primary_key: Its primary key; ``None`` if there is none.
        unique: Its UNIQUE constraints, sorted by name without case.
        checks: Its CHECK constraints, sorted by name without case.
        foreign_keys: Its foreign keys, sorted by name without case.
        partitioning: The columns by which files are partitioned, in order.
        clustering: The paths of the clustering columns, in order.
        tags: Tags by the path of their column; those of the table by the empty path. ``None`` as a value occurs only in
            desired states and means *absent*.
        source: The files at the location of the table; ``None`` if it is a Delta table, or absent.
        convert_from: How the model consents to their conversion. Not compared.
        logical_name: The name of the model, if a binding maps it to another name. Not compared.
        renames: Former names of columns and fields, in a desired state. Not compared.
        column_order: Whether the model manages, reports or ignores the order of columns. Not compared.
        ownership: The mode of every aspect that the model does not manage. Not compared.
        evolution: Whether the model accepts undeclared columns. Not compared.
        clients: The clients that the model lists. Not compared.
        read_only: Whether no plan creates or changes it. Not compared.
        deprecated: Deprecations by the path of their column, in a desired state; that of the table by the empty path.
            Not compared.
        kind: What it is instead of a Delta table, such as ``view`` or ``csv table``; ``""`` for a Delta table. Not
            compared.
        not_shown: What its catalog does not show of its columns, such as ``defaults``: it is neither equal to a model
            nor a drift. Not compared.
        version: Delta version that was read; ``None`` if unknown. Not compared.
        table_id: The id of the table in its log, which a table that is created again does not keep; ``""`` if unknown.
            Not compared.
    """

    name: QualifiedName
    exists: bool = True
    schema_exists: bool = True
    columns: tuple[ColumnState, ...] = ()
    table_comment: str = ""
    table_properties: Mapping[str, str | None] = field(default_factory=lambda: MappingProxyType({}))
    primary_key: KeyState | None = None
    unique: tuple[KeyState, ...] = ()
    checks: tuple[CheckState, ...] = ()
    foreign_keys: tuple[ForeignKeyState, ...] = ()
    partitioning: tuple[str, ...] = ()
    clustering: tuple[ColumnPath, ...] = ()
    tags: Tags = field(default_factory=lambda: NO_TAGS)
    source: SourceState | None = None
    convert_from: Parquet | None = field(default=None, compare=False)
    logical_name: QualifiedName | None = field(default=None, compare=False)
    owned_properties: tuple[str, ...] | None = field(default=None, compare=False)
    emulated_properties: tuple[str, ...] = field(default=(), compare=False)
    renames: tuple[RenameState, ...] = field(default=(), compare=False)
    column_order: ContractMode = field(default=IGNORE, compare=False)
    ownership: Ownership = field(default_factory=lambda: ALL_MANAGED, compare=False)
    evolution: Evolution = field(default=STRICT, compare=False)
    clients: tuple[str, ...] = field(default=(), compare=False)
    read_only: bool = field(default=False, compare=False)
    deprecated: Deprecations = field(default_factory=lambda: NO_DEPRECATIONS, compare=False)
    kind: str = field(default="", compare=False)
    not_shown: tuple[HiddenPart, ...] = field(default=(), compare=False)
    version: int | None = field(default=None, compare=False)
    table_id: str = field(default="", compare=False)

    @property
    def keys(self) -> tuple[KeyState, ...]:
        """The primary and unique keys."""
        return self.unique if self.primary_key is None else (self.primary_key, *self.unique)


class AspectPart(NamedTuple):
    """A part of a table, apart from its columns, and its names.

    Args:
        aspect: The aspect to which it belongs.
        field: The field of a :class:`TableState` that holds it.
        argument: The argument of a ``Table`` that declares it.
    """

    aspect: Aspect
    field: str
    argument: str


ASPECT_PARTS = (
    AspectPart("comments", "table_comment", "comment"),
    AspectPart("properties", "table_properties", "table_properties"),
    AspectPart("primary_keys", "primary_key", "primary_key"),
    AspectPart("unique", "unique", "unique"),
    AspectPart("checks", "checks", "checks"),
    AspectPart("foreign_keys", "foreign_keys", "foreign_keys"),
    AspectPart("layout", "partitioning", "partitioned_by"),
    AspectPart("layout", "clustering", "clustered_by"),
    AspectPart("tags", "tags", "tags"),
)
"""All parts of tables that contracts can manage, except what belongs to columns."""

TEXT_PARTS = tuple(
    part for part in ASPECT_PARTS if any(item.name == part.field and item.default == "" for item in fields(TableState))
)
"""The parts that are one text, the same in a declaration, a state and its JSON form; ``""`` is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogState:
    """The tables that were read from a catalog, and the problems with those that could not be read.

    Args:
        tables: Read tables, those that do not exist included.
        problems: Tables that could not be read.
        entries: The catalog entries of tables, on backends that have them; or why an entry could not be understood.
        logs: What the Delta logs of these tables hold, to be compared with the entries.
        others: Views, and tables of other formats, whose columns were read; each is a problem, too, except for a model
            that declares it as ``read_only``.
    """

    tables: Mapping[QualifiedName, TableState]
    problems: Mapping[QualifiedName, Diagnostic] = field(default_factory=lambda: MappingProxyType({}))
    entries: Mapping[QualifiedName, EntryState | Diagnostic] = field(default_factory=lambda: MappingProxyType({}))
    logs: Mapping[QualifiedName, LogFacts] = field(default_factory=lambda: MappingProxyType({}))
    others: Mapping[QualifiedName, TableState] = field(default_factory=lambda: MappingProxyType({}))

    @classmethod
    def of(cls, results: Mapping[QualifiedName, TableState | Diagnostic], **parts: Any) -> CatalogState:
        """Return the state of a catalog from what reading each table gave.

        Args:
            results: The state of each table, or why it could not be read.
            **parts: The other arguments of the class.
        """
        states = {name: result for name, result in results.items() if isinstance(result, TableState)}
        objects = {name: state for name, state in states.items() if state.kind}
        problems = {name: result for name, result in results.items() if isinstance(result, Diagnostic)}
        return cls(
            **parts,
            tables={name: state for name, state in states.items() if not state.kind},
            problems={**problems, **{name: _not_a_delta_table(name, state.kind) for name, state in objects.items()}},
            others=objects,
        )

    def observed(self, name: QualifiedName, *, read_only: bool) -> TableState | None:
        """Return what was read of a model's table; ``None`` if it could not be read, or is not a Delta table.

        Args:
            name: The table.
            read_only: Whether the model may also be one of ``others``.
        """
        return (self.others.get(name) if read_only else None) or self.tables.get(name)

    def require(self, names: Iterable[QualifiedName]) -> None:
        """Make sure that every named table was read.

        Raises:
            CatalogReadError: With a problem for each that was not.
        """
        problems = [self.problem(name) for name in names if name not in self.tables]
        if problems:
            raise CatalogReadError(problems)

    def require_all(self, models: Iterable[Table | TableState]) -> None:
        """Make sure that the table of every model was read; that of a read-only one may be no Delta table.

        Raises:
            CatalogReadError: With a problem for each that was not.
        """
        self.require(
            sorted(model.name for model in models if self.observed(model.name, read_only=model.read_only) is None)
        )

    def existing(self, name: QualifiedName) -> TableState:
        """Return a table that was read and is there.

        Raises:
            CatalogReadError: If it was not read, or is not there.
        """
        self.require([name])
        state = self.tables[name]
        if not state.exists:
            raise CatalogReadError(
                [diagnostic_of(AbsentTable, name, "is not in the catalog", remedy="create it first")]
            )
        return state

    def problem(self, name: QualifiedName) -> Diagnostic:
        """Return why a table is not in ``tables``."""
        return self.problems.get(name) or diagnostic_of(
            TableNotRead,
            name,
            "is not part of the catalog state it is planned against",
            remedy="take the snapshot with the same models",
        )


def _not_a_delta_table(name: QualifiedName, kind: str) -> Diagnostic:
    """Return the problem of an object that is not a Delta table, for all models but a read-only one."""
    if kind.endswith("view"):
        remedy = "drop it, declare the table under another name, or declare it with read_only=True"
        return diagnostic_of(ViewInPlaceOfTable, name, f"is a {kind}, not a table", remedy=remedy)
    remedy = "declare the table under another name, or declare it with read_only=True"
    if kind != "streaming table":
        remedy = f"convert it by CONVERT TO DELTA if it is parquet, {remedy}"
    return diagnostic_of(NotDeltaTable, name, f"is a {kind}, not a Delta table", remedy=remedy)


@dataclass(frozen=True, slots=True, kw_only=True)
class IntroducedBy:
    """The commit that introduced a column, or a field, if the history of its table reaches that far.

    Args:
        path: Of the column.
        version: Of the commit.
        operation: Its name in the history, such as ``WRITE`` or ``ADD COLUMNS``.
        time: In UTC, to the second.
        user_metadata: The text that the writer gave to the commit; ``""`` for none.
    """

    path: ColumnPath
    version: int
    operation: str
    time: str
    user_metadata: str = ""


class CatalogReader(Protocol):
    """The port through which a catalog is observed."""

    def snapshot(self, models: Iterable[Table]) -> CatalogState:
        """Read the tables of models and the parents of their foreign keys, without a cache, and change nothing.

        A table that exists but cannot be read, or is not a Delta table, becomes a problem and never an absent table.

        Raises:
            CatalogReadError: If nothing at all could be read.
        """
        ...

    def read_tables(self, names: Iterable[QualifiedName]) -> CatalogState:
        """Read tables by their names, without a cache, and change nothing.

        Tables that these ones reference are not read, and files that a table could be converted from are a problem.

        Raises:
            CatalogReadError: If nothing at all could be read.
        """
        ...

    def introduced_by(self, table: QualifiedName, paths: Iterable[ColumnPath]) -> tuple[IntroducedBy, ...]:
        """Return the commits in its history that introduced columns of an existing table; read no rows.

        Args:
            table: The table.
            paths: Of columns that it has, in lower case.

        Raises:
            DeltaSchemaError: If the history cannot be read.
        """
        ...

    def past_columns(self, table: QualifiedName, paths: Iterable[ColumnPath]) -> frozenset[ColumnPath]:
        """Return those paths that an older version of an existing table has, if its log reaches that far.

        Args:
            table: The table.
            paths: Of columns that the newest version lacks.

        Raises:
            DeltaSchemaError: If older versions cannot be read.
        """
        ...


def require_reader(value: object, subject: str) -> None:
    """Raise unless a value can read tables, as catalogs do."""
    if isinstance(value, type) or not hasattr(value, "snapshot") or not hasattr(value, "read_tables"):
        remedy = "give one, such as the fixture delta_catalog, or MemoryCatalog()"
        refuse_kind(subject, "a catalog", value, remedy)


_T = TypeVar("_T")


class MalformedPropertyError(ValueError):
    """A ``pytest_delta_schema.*`` property holds something that this package has not written."""

    def __init__(self, key: str) -> None:
        super().__init__(f"the property {key} is malformed")
        self.key = key


def decoded(key: str, text: str, read: Callable[[Any], _T]) -> _T:
    """Return what a property holds; raise a ``MalformedPropertyError`` if it is not what this package writes."""
    try:
        return read(json.loads(text))
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError):
        raise MalformedPropertyError(key) from None
