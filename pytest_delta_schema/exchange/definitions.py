"""What scripts declare: tables, columns, constraints, properties and tags, and the faults and remarks about them."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pyspark.sql.types import StringType

from pytest_delta_schema.delta.names import NameMap, NameSet, folded, same_name
from pytest_delta_schema.delta.properties import CHECK_PREFIX
from pytest_delta_schema.delta.protocol import ONE_WAY, PROTOCOL_VERSIONS
from pytest_delta_schema.diagnostics.errors import Diagnostic
from pytest_delta_schema.diagnostics.text import shortened
from pytest_delta_schema.models.names import QualifiedName, folded_name, key_name
from pytest_delta_schema.models.tokens import CORRECT, UnreadableError, about, refuse_sql
from pytest_delta_schema.models.types import parse_type, read_type
from pytest_delta_schema.plan.comparison import DEFAULTS_FEATURE
from pytest_delta_schema.rules.properties import is_declarable
from pytest_delta_schema.state.delta_log import decode_owned
from pytest_delta_schema.state.desired import declared_table
from pytest_delta_schema.state.keys import state_keys
from pytest_delta_schema.state.spark_types import canonical_type
from pytest_delta_schema.state.states import (
    OWNED_PROPERTIES,
    PRIMARY_KEY,
    UNIQUE,
    CheckState,
    ForeignKeyState,
    KeyState,
    TableState,
    by_name,
)
from pytest_delta_schema.state.types import ColumnGeneration, ColumnState, IdentityState

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.delta.names import ColumnPath
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.models.tokens import TokenReader
    from pytest_delta_schema.state.types import DataTypeState

_LONGEST = 300
_NAME_PARTS = 3


class DdlReading:
    """The tables that the statements of some texts declare."""

    def __init__(self, catalog: str, schema: str) -> None:
        self.catalog = catalog
        self.schema = schema
        self.tables: dict[QualifiedName, TableDraft] = {}
        self.faults: list[Diagnostic] = []
        self.remarks: list[Diagnostic] = []
        self._statement = ""
        self._source = ""

    def enter(self, statement: str, source: str) -> None:
        """Begin a statement of the source, which messages call such as ``shop.sql: statement 2``."""
        self._statement, self._source = statement, source

    @contextmanager
    def collecting(self) -> Iterator[None]:
        """Collect the fault that is raised inside, so what follows is read, too."""
        try:
            yield
        except UnreadableError as error:
            self.add_fault(error)

    def add_fault(self, error: UnreadableError) -> None:
        """Collect a fault of the statement."""
        line = self._source.count("\n", 0, error.offset) + 1
        subject = f"{self._statement}, line {line}"
        message, remedy = shortened(error.fact, _LONGEST), error.remedy
        self.faults.append(Diagnostic(table=subject, message=message, remedy=remedy))

    def remark(self, table: QualifiedName | None, message: str) -> None:
        """Collect something that a model does not declare; without a table it is about the statement."""
        subject = str(table or self._statement)
        self.remarks.append(Diagnostic(severity="note", table=subject, message=shortened(message, _LONGEST)))

    def table_name(self, reader: TokenReader) -> QualifiedName:
        """Read the name of a table."""
        offset = reader.offset
        return self.qualified(reader.path("the name of a table"), offset)

    def qualified(self, parts: tuple[str, ...], offset: int) -> QualifiedName:
        """Return the whole name of a table."""
        name = ".".join(parts)
        if same_name(parts[0], "delta") and "/" in parts[-1]:
            refuse_sql(f"{name} is a path, and a model has a name", "write the name of the table", offset)
        if len(parts) > _NAME_PARTS:
            refuse_sql(f"{name} has more than three parts", "write catalog.schema.table", offset)
        whole = (*(self.catalog, self.schema)[: _NAME_PARTS - len(parts)], *parts)
        if not all(whole):
            missing = "its catalog" if whole[1] else "its catalog and schema" if not whole[0] else "its schema"
            remedy = "write catalog.schema.table, or give the catalog and the schema of such names"
            refuse_sql(f"the name {name} lacks {missing}", remedy, offset)
        return folded_name(*whole)

    def table(self, reader: TokenReader) -> TableDraft:
        """Read the name of a table that an earlier statement creates."""
        offset = reader.offset
        return self.created(self.table_name(reader), offset)

    def created(self, name: QualifiedName, offset: int) -> TableDraft:
        """Return a table that an earlier statement creates."""
        draft = self.tables.get(name)
        if draft is None:
            remedy = "put its CREATE TABLE before this statement"
            refuse_sql(f"no statement before this one creates {name}", remedy, offset)
        return draft


@dataclass(slots=True)
class TableDraft:
    """A table, as declared by the statements so far."""

    name: QualifiedName
    columns: tuple[ColumnState, ...] = ()
    comment: str = ""
    properties: dict[str, str] = field(default_factory=dict)
    """Its properties, checks included."""
    keys: list[KeyState | ForeignKeyState] = field(default_factory=list)
    """Its keys; one without a name has the name ``""``."""
    checks: list[CheckState] = field(default_factory=list)
    """Its checks that are constraints."""
    partitioning: tuple[str, ...] = ()
    clustering: tuple[ColumnPath, ...] = ()
    tags: dict[ColumnPath, dict[str, str]] = field(default_factory=dict)
    """Its tags, by the empty path, and those of its columns."""

    def require_primary_key(self) -> None:
        """Make the columns of the primary key NOT NULL, as CREATE TABLE does (Databricks' reference of constraints)."""
        keys = NameSet(name for key in self.keys if _is_primary(key) for name in key.columns)
        self.columns = tuple(
            column._replace(is_nullable=False) if column.name in keys else column for column in self.columns
        )

    def model(self) -> Table:
        """Return the model."""
        model = declared_table(replace(self.state(), table_properties={}))
        return replace(model, table_properties={key: self.properties[key] for key in self._declared()})

    def state(self) -> TableState:
        """Return the state, with all properties."""
        stored = {key[len(CHECK_PREFIX) :]: value for key, value in self.properties.items() if _is_check(key)}
        checks = NameMap.of(self.checks)
        for name, expression in stored.items():
            checks[name] = CheckState(name, expression)
        return TableState(
            name=self.name,
            columns=self.columns,
            table_comment=self.comment,
            table_properties={key: value for key, value in self.properties.items() if not _is_check(key)},
            checks=tuple(sorted(checks.values(), key=by_name)),
            partitioning=self.partitioning,
            clustering=self.clustering,
            tags={path: tags for path, tags in self.tags.items() if tags},
            **state_keys(map(self._named, self.keys)),
        )

    def remarks(self) -> Iterator[str]:
        """Yield what the model does not declare."""
        declared = self._declared()
        others = [key for key in self.properties if key not in declared and not _is_check(key)]
        left = sorted(key for key in others if key != OWNED_PROPERTIES and not same_name(key, DEFAULTS_FEATURE))
        if left:
            yield f"its properties {', '.join(left)} are not declared: the platform writes them"

    def _declared(self) -> list[str]:
        """Return the keys of the properties that the model declares."""
        owned = self._owned()
        return [key for key in self.properties if (self._is_declared(key) if owned is None else key in owned)]

    def _is_declared(self, key: str) -> bool:
        name = folded(key)
        if name.startswith(ONE_WAY):
            # Only SHOW CREATE TABLE shows both versions of the protocol, with all features of the table.
            is_shown = NameSet(PROTOCOL_VERSIONS) <= NameSet(self.properties)
            return not is_shown and not (name == folded(DEFAULTS_FEATURE) and self._has_default())
        return is_declarable(key) and name not in _OF_CATALOGS

    def _has_default(self) -> bool:
        return any(column.value is not None and column.value.default is not None for column in self.columns)

    def _owned(self) -> frozenset[str] | None:
        """Return the keys that the model had from which this package has made the statement, if it has."""
        record = decode_owned(self.properties.get(OWNED_PROPERTIES))
        return None if record is None else frozenset(record)

    def _named(self, key: KeyState | ForeignKeyState) -> KeyState | ForeignKeyState:
        """Return a key with its name, which is derived if none is written."""
        prefix = "fk" if isinstance(key, ForeignKeyState) else "pk" if _is_primary(key) else "uq"
        columns = [column.name for column in self.columns]
        return key._replace(name=key.name or key_name(prefix, self.name, key.columns, columns))


def _is_primary(key: KeyState | ForeignKeyState) -> bool:
    return isinstance(key, KeyState) and key.kind == PRIMARY_KEY


_OF_CATALOGS = ("transient_lastddltime", "type")
"""Keys of properties, in lower case, that Spark and its catalogs show in CREATE statements (Spark 4.2.0)."""


def _is_check(key: str) -> bool:
    return folded(key).startswith(CHECK_PREFIX)


def read_column(reader: TokenReader, reading: DdlReading, draft: TableDraft) -> ColumnState:
    """Read a column, and add the constraints that follow its type to its table."""
    name = reader.name("the name of a column")
    if reader.word() == ".":
        reader.refuse(f"{name} is followed by a field of it", "declare the field in the type of the column")
    with about(f"column {name}"):
        return _read_clauses(name, reader, reading, draft)


def _read_clauses(name: str, reader: TokenReader, reading: DdlReading, draft: TableDraft) -> ColumnState:
    reader.has(":")
    column = ColumnState(name, read_data_type(reader), is_nullable=True, comment="")
    seen: set[str] = set()
    while not reader.at_end:
        clause = "NOT NULL" if reader.word() == "NOT" else reader.word()
        if clause in seen:
            reader.refuse(f"{clause} is given twice", "keep one")
        if clause in _GIVEN_ONCE:
            seen.add(clause)
        changed = _with_clause(column, reader)
        if changed is not None:
            column = changed
        elif reader.word() == "MASK":
            reading.remark(draft.name, f"{reader.until(_starts_clause)} of {name} is not declared")
        elif not read_constraint(reader, reading, draft, (name,)):
            break
    return column


def read_data_type(reader: TokenReader) -> DataTypeState:
    """Read a type."""
    offset = reader.offset
    try:
        return canonical_type(read_type(reader))
    except ValueError as error:
        fact, _, remedy = str(error).partition("; ")
        refuse_sql(f"its type is not understood: {fact}", remedy or CORRECT, offset)


_GIVEN_ONCE = {"NOT NULL", "COMMENT", "COLLATE", "DEFAULT", "GENERATED", "MASK"}


def _with_clause(column: ColumnState, reader: TokenReader) -> ColumnState | None:
    """Return a column with the clause that comes next; ``None`` if it is a constraint or something else."""
    if reader.has("NOT", "NULL"):
        return column._replace(is_nullable=False)
    if reader.has("NULL"):
        return column
    if reader.has("COMMENT"):
        return column._replace(comment=reader.text("a comment"))
    if reader.has("COLLATE"):
        return _collated(column, reader)
    if reader.has("DEFAULT"):
        return column._replace(value=ColumnGeneration(default=reader.until(_starts_clause, with_comments=True)))
    return column._replace(value=_generation(reader)) if reader.has("GENERATED") else None


_CLAUSE_STARTS = {
    ("GENERATED", "ALWAYS"), ("GENERATED", "BY"), ("PRIMARY", "KEY"), ("FOREIGN", "KEY"), ("CHECK", "("),
}  # fmt: skip
_CLAUSE_WORDS = {"CONSTRAINT", "DEFAULT", "MASK", "REFERENCES", "UNIQUE"}


def _starts_clause(reader: TokenReader) -> bool:
    words = (reader.word(), reader.word(1))
    if words == ("NOT", "NULL"):
        return reader.word(-1) != "IS"
    if words[0] == "COMMENT":
        return not words[1]
    return words in _CLAUSE_STARTS or words[0] in _CLAUSE_WORDS


def _collated(column: ColumnState, reader: TokenReader) -> ColumnState:
    collation = reader.name("a collation")
    if column.data_type != canonical_type(StringType()):
        reader.refuse(f"{column.name} has a collation and is not a string", "remove it")
    return column._replace(data_type=canonical_type(parse_type(f"string collate {collation}")))


def _generation(reader: TokenReader) -> ColumnGeneration:
    is_always = reader.has("ALWAYS")
    if not is_always:
        reader.expect("BY", "DEFAULT")
    reader.expect("AS")
    if is_always and reader.word() == "(":
        return ColumnGeneration(generated=reader.expression())
    reader.expect("IDENTITY")
    start = step = 1
    if reader.word() == "(":
        options = reader.group()
        while not options.at_end:
            if options.has("START", "WITH"):
                start = options.number()
            elif options.has("INCREMENT", "BY"):
                step = options.number()
            elif not options.has(","):
                options.refuse(f"{options.rest()!r} is not an option of an identity", "remove it")
    return ColumnGeneration(identity=IdentityState(start, step, is_always))


def is_at_constraint(reader: TokenReader) -> bool:
    """Whether a constraint of a table comes next, and not a column."""
    at = 2 if reader.word() == "CONSTRAINT" else 0
    return (reader.word(at), reader.word(at + 1)) in _CONSTRAINT_STARTS


_CONSTRAINT_STARTS = {("PRIMARY", "KEY"), ("FOREIGN", "KEY"), ("UNIQUE", "("), ("CHECK", "(")}


def read_constraint(reader: TokenReader, reading: DdlReading, draft: TableDraft, columns: tuple[str, ...] = ()) -> bool:
    """Read a constraint, and return whether there is one; it follows the type of a column if ``columns`` are given."""
    name = reader.name("the name of a constraint") if reader.has("CONSTRAINT") else ""
    if reader.has("CHECK"):
        _read_check(reader, reading, draft, name)
    elif reader.has("PRIMARY", "KEY"):
        columns = columns or _primary_columns(reader, reading, draft)
        _add_key(draft, KeyState(name, columns, _rely(reader)), reader)
    elif reader.has("UNIQUE"):
        columns = columns or _column_names(reader)
        if _rely(reader):
            reading.remark(draft.name, f"RELY of its unique constraint ({', '.join(columns)}) is not declared")
        _add_key(draft, KeyState(name, columns, kind=UNIQUE), reader)
    elif not columns:
        reader.expect("FOREIGN", "KEY")
        columns = _column_names(reader)
        reader.expect("REFERENCES")
        _add_reference(reader, reading, draft, name, columns)
    elif reader.has("FOREIGN", "KEY", "REFERENCES") or reader.has("REFERENCES"):
        _add_reference(reader, reading, draft, name, columns)
    elif name:
        reader.refuse(f"the kind of the constraint {name} is expected {reader.here}")
    else:
        return False
    return True


def _primary_columns(reader: TokenReader, reading: DdlReading, draft: TableDraft) -> tuple[str, ...]:
    columns = []
    for item in reader.items():
        columns.append(item.name("the name of a column"))
        if item.has("TIMESERIES"):
            reading.remark(draft.name, f"TIMESERIES of {columns[-1]} in its primary key is not declared")
        item.end()
    return tuple(columns)


def _read_check(reader: TokenReader, reading: DdlReading, draft: TableDraft, name: str) -> None:
    """Read the condition of a check."""
    if not name:
        reader.refuse("a check has no name", "write CONSTRAINT name CHECK (...)")
    check = CheckState(name, reader.expression())
    if reader.has("NOT", "ENFORCED"):
        reading.remark(draft.name, f"its check {name} is NOT ENFORCED, and not declared")
    else:
        draft.checks.append(check)
    while any(reader.has(*words) for words in _HARMLESS):
        pass


def _add_reference(
    reader: TokenReader, reading: DdlReading, draft: TableDraft, name: str, columns: tuple[str, ...]
) -> None:
    parent = reading.table_name(reader)
    parents = _column_names(reader) if reader.word() == "(" else ()
    draft.keys.append(ForeignKeyState(name, columns, parent, parents, _rely(reader)))


def _add_key(draft: TableDraft, key: KeyState, reader: TokenReader) -> None:
    if _is_primary(key) and any(map(_is_primary, draft.keys)):
        reader.refuse(f"{draft.name} has a second primary key", "keep one")
    draft.keys.append(key)


def _column_names(reader: TokenReader) -> tuple[str, ...]:
    names = []
    for item in reader.items():
        names.append(item.name("the name of a column"))
        item.end()
    return tuple(names)


_HARMLESS = (
    ("NOT", "ENFORCED"), ("ENFORCED",), ("NOT", "DEFERRABLE"), ("DEFERRABLE",), ("INITIALLY", "DEFERRED"),
    ("INITIALLY", "IMMEDIATE"), ("NORELY",), ("MATCH", "FULL"), ("ON", "UPDATE", "NO", "ACTION"),
    ("ON", "DELETE", "NO", "ACTION"),
)  # fmt: skip
"""What may follow a key, and is what every key of a model has (source: Databricks' reference of constraints)."""


def _rely(reader: TokenReader) -> bool:
    """Read what follows a key, and return whether it has RELY."""
    relies = False
    while True:
        if reader.has("RELY"):
            relies = True
        elif not any(reader.has(*words) for words in _HARMLESS):
            return relies


def read_properties(reader: TokenReader) -> dict[str, str]:
    """Read keys and values in parentheses; each key has a value."""
    return read_pairs(reader, with_values=True)


def read_pairs(reader: TokenReader, *, with_values: bool = False) -> dict[str, str]:
    """Read keys and values in parentheses; a key alone, as tags may be, has the value ``""``."""
    pairs: dict[str, str] = {}
    for item in reader.items():
        offset = item.offset
        key = _key(item)
        if key in pairs:
            refuse_sql(f"{key} is given twice", "keep one", offset)
        if not item.has("=") and item.at_end and with_values:
            refuse_sql(f"{key} has no value", "write one", offset)
        pairs[key] = "" if item.at_end else _value(item)
        item.end()
    return pairs


def read_keys(reader: TokenReader) -> list[str]:
    """Read keys in parentheses."""
    keys = []
    for item in reader.items():
        keys.append(_key(item))
        item.end()
    return keys


def _key(reader: TokenReader) -> str:
    return reader.text("a key") if reader.is_at_text else ".".join(reader.path("a key"))


def _value(reader: TokenReader) -> str:
    if reader.is_at_text:
        return reader.text("a value")
    value = reader.rest()
    if value.lower() in {"true", "false"}:
        return value.lower()
    if not value.lstrip("-").replace(".", "", 1).isdecimal():
        reader.refuse(f"the value {value} is not a text, a number or a boolean", "write it in quotes")
    return value
