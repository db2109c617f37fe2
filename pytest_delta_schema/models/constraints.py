"""Declared constraints and conversions: checks, keys, and the parquet files that become a table."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, ClassVar, Protocol, runtime_checkable

from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.models.arguments import refuses_wrong_arguments
from pytest_delta_schema.models.names import QualifiedName, parse_name, require_name, require_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


_set = object.__setattr__


@refuses_wrong_arguments
@dataclass(frozen=True, slots=True)
class Check:
    """Declare a CHECK constraint: ``expression`` is true for every row; false and unknown violate it.

    Args:
        name: Compared without regard to case, and stored in lower case, as Delta does.
        expression: SQL over the table's columns, such as ``amount >= 0``.

    Raises:
        DeclarationError: If the name or the expression is empty or not a string.
    """

    name: str
    expression: str

    def __post_init__(self) -> None:
        _set(self, "name", require_name(self.name, "the name of a check"))
        given: object = self.expression
        if not isinstance(given, str) or not given.strip():
            msg = f"check {self.name}: expression is {given!r}; write a SQL condition, such as 'amount >= 0'"
            raise DeclarationError(msg)
        _set(self, "expression", str.__str__(given))


def _require_key(key: PrimaryKey | Unique | ForeignKey) -> None:
    _set(key, "columns", require_names(key.columns, f"columns of a {key.kind}"))
    if not key.columns:
        msg = f"a {key.kind} has no columns; name at least one"
        raise DeclarationError(msg)
    if key.name is not None:
        _set(key, "name", require_name(key.name, f"the name of a {key.kind}"))


@refuses_wrong_arguments
@dataclass(frozen=True, slots=True)
class PrimaryKey:
    """Declare a primary key with a name or with ``RELY``; a list of column names declares one without.

    Args:
        columns: Names of the key's columns, in order; at least one.
        name: Left out, it is derived from the names of the table and the columns.
        rely: Whether Databricks may optimise queries on the assumption that the key holds (``RELY``). If rows violate
            the key then, query results are wrong. Elsewhere it is only stored.

    Raises:
        DeclarationError: If ``columns`` is not a list of names, or empty.
    """

    kind: ClassVar[str] = "primary key"

    columns: Sequence[str]
    _: KW_ONLY
    name: str | None = None
    rely: bool = False

    def __post_init__(self) -> None:
        _require_key(self)

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)


@refuses_wrong_arguments
@dataclass(frozen=True, slots=True)
class Unique:
    """Declare that no two rows have the same values in some columns; rows with NULL in one of them do not count.

    As on Databricks the constraint is informational: writes do not enforce it. A data check runs when it is added.

    Args:
        columns: Names of the columns, in order; at least one. They may be nullable.
        name: Left out, it is derived from the names of the table and the columns.

    Raises:
        DeclarationError: If ``columns`` is not a list of names, or empty.
    """

    kind: ClassVar[str] = "unique constraint"

    columns: Sequence[str]
    _: KW_ONLY
    name: str | None = None

    def __post_init__(self) -> None:
        _require_key(self)


@runtime_checkable
class ParentTable(Protocol):
    """A ``Table``, whose module imports this one."""

    @property
    def name(self) -> QualifiedName:
        """The name."""
        ...

    @property
    def qualified_name(self) -> str:
        """The name with dots."""
        ...

    @property
    def primary_key(self) -> Iterable[str]:
        """The columns of the key."""
        ...


@refuses_wrong_arguments
@dataclass(frozen=True, slots=True, eq=False)
class ForeignKey:
    """Declare that every row whose ``columns`` are not NULL has a row in a parent table.

    As on Unity Catalog the key is informational: writes do not enforce it. A data check runs when it is added.

    Args:
        columns: Names of the key's columns in the declaring table, in order; at least one.
        references: The parent, as a :class:`Table` or by its dotted name; it may be outside of the run, and it may be
            the declaring table itself (by name).
        parent_columns: The parent's columns, in the same order; left out, they are the parent's primary key.
        name: Left out, it is derived from the names of the table and the columns.
        rely: As in :class:`PrimaryKey`.

    Raises:
        DeclarationError: If a part can never be valid, such as a bare string for ``columns``.
    """

    kind: ClassVar[str] = "foreign key"

    columns: Sequence[str]
    references: ParentTable | str
    parent_columns: Sequence[str] = ()
    _: KW_ONLY
    name: str | None = None
    rely: bool = False

    def __post_init__(self) -> None:
        _require_key(self)
        _set(self, "parent_columns", require_names(self.parent_columns, "parent_columns of a foreign key"))
        given: object = self.references
        if isinstance(given, str):
            parse_name(given)
        elif not isinstance(given, ParentTable):
            shown = ", ".join(self.columns)
            msg = f"foreign key ({shown}): references is {given!r}; give a Table or its dotted name"
            raise DeclarationError(msg)

    # The parent counts by its name, so that keys of tables which reference each other can be compared.
    def __eq__(self, other: object) -> bool:
        return isinstance(other, ForeignKey) and self._parts() == other._parts()

    def __hash__(self) -> int:
        return hash(self._parts())

    def _parts(self) -> tuple[object, ...]:
        return tuple(self.columns), self.parent, self.parent_key, self.name, self.rely

    @property
    def parent(self) -> QualifiedName:
        """The parent's name."""
        return parse_name(self.references) if isinstance(self.references, str) else self.references.name

    @property
    def parent_key(self) -> tuple[str, ...]:
        """The parent's columns; empty if that is the primary key of a parent that is only known by name."""
        if self.parent_columns or isinstance(self.references, str):
            return tuple(self.parent_columns)
        return tuple(self.references.primary_key)


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
    """Return the value of ``convert_from`` as a :class:`Parquet`."""
    if value is None or isinstance(value, Parquet):
        return value
    if value == PARQUET:
        return Parquet()
    msg = f"{subject}convert_from is {value!r}; only parquet is converted in place: write 'parquet', or Parquet(path)"
    raise DeclarationError(msg)
