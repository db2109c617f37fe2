"""Read tables by SQL: from information_schema, DESCRIBE DETAIL, and a CREATE statement for what only that shows."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, TypedDict, TypeVar, final

from pytest_delta_schema.backends.kit import (
    PROPERTY_PREFIX,
    NameMap,
    NameSet,
    children,
    folded,
    may_generate_columns,
    parse_databricks_type,
    sql_words,
    state_from_metadata,
    state_keys,
)
from pytest_delta_schema.diagnostics.errors import StatementError
from pytest_delta_schema.models import QualifiedName
from pytest_delta_schema.sql import dotted, identifier, literal
from pytest_delta_schema.state import (
    ColumnGeneration,
    ColumnPath,
    ColumnState,
    ForeignKeyState,
    IdentityState,
    KeyState,
    TableState,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from pytest_delta_schema.backends.kit import SqlWord

    Ask = Callable[[str], Sequence[Mapping[str, Any]]]

_FOREIGN = "FOREIGN KEY"
_KEY_KINDS: dict[str, Literal["primary key", "unique constraint"]] = {
    "PRIMARY KEY": "primary key",
    "UNIQUE": "unique constraint",
}
"""The kind of a key by its ``constraint_type``; foreign keys are apart."""

_SAME_CONSTRAINT = " AND ".join(f"c.constraint_{part} = k.constraint_{part}" for part in ("catalog", "schema", "name"))
_ITS_PARENT = " AND ".join(
    f"c.unique_constraint_{part} = k.constraint_{part}" for part in ("catalog", "schema", "name")
)

RUNTIME = "SELECT current_version().dbr_version AS runtime"
"""The query of the runtime version, such as ``16.4.x-scala2.12``; SQL warehouses have none and are always current."""


class TableRow(TypedDict):
    """A table or view, in ``tables``."""

    table_name: str
    table_type: str
    data_source_format: str | None
    comment: str | None


class ColumnRow(TypedDict):
    """A column of a table, in ``columns``."""

    table_name: str
    column_name: str
    ordinal_position: int
    is_nullable: str
    full_data_type: str
    column_default: str | None
    comment: str | None


class KeyRow(TypedDict):
    """A column of a key."""

    table_name: str
    constraint_name: str
    constraint_type: str
    column_name: str
    ordinal_position: int
    position_in_unique_constraint: int | None


class ParentRow(TypedDict):
    """A column of the key that a foreign key references."""

    constraint_name: str
    table_catalog: str
    table_schema: str
    table_name: str
    column_name: str
    ordinal_position: int


@final
class TableTagRow(TypedDict):
    """A tag of a table, in ``table_tags``."""

    table_name: str
    tag_name: str
    tag_value: str | None


@final
class ColumnTagRow(TypedDict):
    """A tag of a column, in ``column_tags``."""

    table_name: str
    column_name: str
    tag_name: str
    tag_value: str | None


class HiddenParentError(ValueError):
    """The parent of a foreign key is not visible to the principal."""


@dataclass(frozen=True, slots=True)
class SchemaFacts:
    """The rows of six queries about a whole schema."""

    tables: dict[str, TableRow] = field(default_factory=dict)
    columns: dict[str, list[ColumnRow]] = field(default_factory=lambda: defaultdict(list))
    """The columns, by table."""
    keys: dict[str, dict[str, list[KeyRow]]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(list)))
    """The columns of keys, by table and name of the key."""
    parents: dict[str, list[ParentRow]] = field(default_factory=lambda: defaultdict(list))
    """The parent columns of foreign keys, by name of the key."""
    tags: dict[str, list[TableTagRow | ColumnTagRow]] = field(default_factory=lambda: defaultdict(list))
    """The tags of tables and columns, by table."""

    def keys_of(self, table: str, relied: NameSet | None) -> Iterator[KeyState | ForeignKeyState]:
        """Yield the keys of a table."""
        for name, rows in self.keys.get(table, {}).items():
            kind = rows[0]["constraint_type"]
            ordered = sorted(rows, key=lambda row: row["ordinal_position"])
            rely = None if relied is None else name in relied
            if kind == _FOREIGN:
                yield _foreign_key(name, ordered, self.parents.get(name, ()), rely)
            elif kind in _KEY_KINDS:
                yield KeyState(name, tuple(row["column_name"] for row in ordered), rely, _KEY_KINDS[kind])


def read_schema(ask: Ask, catalog: str, schema: str) -> SchemaFacts:
    """Read everything about a schema."""
    facts = SchemaFacts()
    facts.tables.update(
        (folded(row["table_name"]), row) for row in typed(TableRow, ask(select_tables(catalog, schema)))
    )
    for column in typed(ColumnRow, ask(_select(catalog, "columns", ColumnRow, "table_schema", schema))):
        facts.columns[folded(column["table_name"])].append(column)
    for key in typed(KeyRow, ask(_select_keys(catalog, schema))):
        facts.keys[folded(key["table_name"])][key["constraint_name"]].append(key)
    for parent in typed(ParentRow, ask(_select_parents(catalog, schema))):
        facts.parents[parent["constraint_name"]].append(parent)
    for tag in typed(TableTagRow, ask(_select(catalog, "table_tags", TableTagRow, "schema_name", schema))):
        facts.tags[folded(tag["table_name"])].append(tag)
    for column_tag in typed(ColumnTagRow, ask(_select(catalog, "column_tags", ColumnTagRow, "schema_name", schema))):
        facts.tags[folded(column_tag["table_name"])].append(column_tag)
    return facts


def schemata(catalog: str, schema: str) -> str:
    """Return the query whether a schema exists."""
    return f"SELECT schema_name FROM {_relation(catalog, 'schemata')} WHERE schema_name = {literal(schema)}"  # noqa: S608 - quoted


def select_tables(catalog: str, schema: str) -> str:
    """Return the query of the tables and views of a schema."""
    return _select(catalog, "tables", TableRow, "table_schema", schema)


def _select(catalog: str, relation: str, row: type, schema_column: str, schema: str) -> str:
    """Return the query of what one type of rows has."""
    columns = ", ".join(row.__annotations__)
    return f"SELECT {columns} FROM {_relation(catalog, relation)} WHERE {schema_column} = {literal(schema)}"  # noqa: S608 - quoted


def _select_keys(catalog: str, schema: str) -> str:
    """Return the query of key columns: of which key, at which position, and at which in the parent's key."""
    chosen = "k.table_name, k.constraint_name, c.constraint_type, k.column_name, k.ordinal_position"
    return (
        f"SELECT {chosen}, k.position_in_unique_constraint"  # noqa: S608 - quoted where it is made
        f" FROM {_relation(catalog, 'table_constraints')} AS c"
        f" JOIN {_relation(catalog, 'key_column_usage')} AS k ON {_SAME_CONSTRAINT}"
        f" WHERE c.table_schema = {literal(schema)}"
    )


def _select_parents(catalog: str, schema: str) -> str:
    """Return the query of the parents of foreign keys: name of the key; table, column and position of the parent."""
    return (
        "SELECT c.constraint_name, k.table_catalog, k.table_schema, k.table_name, k.column_name, k.ordinal_position"  # noqa: S608 - as above
        f" FROM {_relation(catalog, 'referential_constraints')} AS c"
        f" JOIN {_relation(catalog, 'key_column_usage')} AS k ON {_ITS_PARENT}"
        f" WHERE c.constraint_schema = {literal(schema)}"
    )


def _relation(catalog: str, name: str) -> str:
    return f"{identifier(catalog)}.information_schema.{name}"


def _foreign_key(
    name: str,
    rows: Sequence[KeyRow],
    parents: Iterable[ParentRow],
    rely: bool | None,  # noqa: FBT001 - of the state
) -> ForeignKeyState:
    by_position = {row["ordinal_position"]: row for row in parents}
    positions = [row["position_in_unique_constraint"] or row["ordinal_position"] for row in rows]
    if not by_position or any(position not in by_position for position in positions):
        msg = f"foreign key {name} references a table that the principal cannot see"
        raise HiddenParentError(msg)
    first = by_position[positions[0]]
    parent = QualifiedName(*(folded(first[part]) for part in ("table_catalog", "table_schema", "table_name")))
    columns = tuple(row["column_name"] for row in rows)
    return ForeignKeyState(name, columns, parent, tuple(by_position[at]["column_name"] for at in positions), rely)


def show_create(table: QualifiedName) -> str:
    """Render the query of the statement that would create a table."""
    return f"SHOW CREATE TABLE {dotted(table)}"


def describe_schema(catalog: str, schema: str) -> str:
    """Render DESCRIBE SCHEMA."""
    return f"DESCRIBE SCHEMA {identifier(catalog)}.{identifier(schema)}"


def describe_schema_extended(catalog: str, schema: str) -> str:
    """Render DESCRIBE SCHEMA EXTENDED, which shows the default collation."""
    return f"DESCRIBE SCHEMA EXTENDED {identifier(catalog)}.{identifier(schema)}"


_NO_SCHEMA = '{"type":"struct","fields":[]}'


def protocol_of(detail: DetailRow) -> dict[str, Any]:
    """Return the protocol of DESCRIBE DETAIL in the form of a Delta log."""
    return {
        "minReaderVersion": detail["minReaderVersion"],
        "minWriterVersion": detail["minWriterVersion"],
        "writerFeatures": detail.get("tableFeatures") or (),
    }


def state_of(name: QualifiedName, facts: SchemaFacts, detail: DetailRow, created: str | None) -> TableState:
    """Return the state of one table.

    ``detail`` is the row of DESCRIBE DETAIL. There is a CREATE statement if the table may have keys, generation
    expressions or identities.
    """
    rows = _ordered(facts.columns.get(name.table, ()))
    statement = _statement(created, rows, detail)
    values, relied = statement.generations, statement.relied
    base = state_from_metadata(
        name,
        metadata={
            "schemaString": _NO_SCHEMA,
            "description": detail.get("description"),
            "configuration": _properties(detail),
            "partitionColumns": detail.get("partitionColumns") or (),
        },
        protocol=protocol_of(detail),
    )
    columns = tuple(_column(row, values) for row in rows)
    return replace(
        base,
        columns=columns,
        tags=_tags(facts.tags.get(name.table, ()), columns),
        clustering=tuple(ColumnPath(*_path(text, columns)) for text in detail.get("clusteringColumns") or ()),
        **state_keys(facts.keys_of(name.table, relied)),
    )


def object_state(name: QualifiedName, facts: SchemaFacts, kind: str, comment: str) -> TableState:
    """Return the state of an object that is not a Delta table: its columns and its comment."""
    columns = tuple(_column(row, NameMap()) for row in _ordered(facts.columns.get(name.table, ())))
    return TableState(name=name, columns=columns, table_comment=comment, kind=kind)


def _ordered(rows: Iterable[ColumnRow]) -> list[ColumnRow]:
    return sorted(rows, key=lambda row: row["ordinal_position"])


def _statement(created: str | None, rows: Iterable[ColumnRow], detail: DetailRow) -> CreateStatement:
    """Read a CREATE statement; without one, or if only RELY is lost, nothing is generated and RELY is not known."""
    try:
        if created is not None:
            return read_create(created, [row["column_name"] for row in rows])
    except ValueError:
        if may_generate_columns(protocol_of(detail)):
            raise
    return CreateStatement(generations=NameMap(), relied=None)


def _properties(detail: DetailRow) -> dict[str, str]:
    """Return the properties of a table, without those that emulate keys which Databricks knows itself."""
    properties = dict(detail.get("properties") or {})
    return {key: value for key, value in properties.items() if not key.startswith(PROPERTY_PREFIX)}


def _column(row: ColumnRow, values: NameMap[ColumnGeneration]) -> ColumnState:
    default = row.get("column_default")
    value = values.get(row["column_name"]) or (None if default is None else ColumnGeneration(default))
    data_type, comment = parse_databricks_type(row["full_data_type"]), row.get("comment") or ""
    return ColumnState(row["column_name"], data_type, row["is_nullable"] == "YES", comment, value)


def _tags(
    rows: Iterable[TableTagRow | ColumnTagRow], columns: Iterable[ColumnState]
) -> dict[ColumnPath, dict[str, str | None]]:
    stored = NameMap.of(columns)
    tags: dict[ColumnPath, dict[str, str | None]] = {}
    for row in rows:
        path = ColumnPath()
        if "column_name" in row:
            known = stored.get(row["column_name"])
            path = ColumnPath(row["column_name"] if known is None else known.name)
        tags.setdefault(path, {})[row["tag_name"]] = row["tag_value"] or ""
    return {path: dict(sorted(values.items())) for path, values in sorted(tags.items())}


def _path(text: str, columns: Iterable[ColumnState]) -> tuple[str, ...]:
    """Return the path that a text with dots means; names may contain dots, too."""
    paths = list(_paths(text, tuple(columns)))
    if len(paths) > 1:
        msg = f"the clustering column {text} may be each of {', '.join(str(ColumnPath(*path)) for path in paths)}"
        raise ValueError(msg)
    return paths[0] if paths else (text,)


def _paths(text: str, columns: Sequence[ColumnState]) -> Iterator[tuple[str, ...]]:
    for column in columns:
        if text == column.name:
            yield (column.name,)
        elif text.startswith(f"{column.name}."):
            for path in _paths(text[len(column.name) + 1 :], children(column.data_type)):
                yield (column.name, *path)


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


def prepare_row_types() -> None:
    """Build the decoders of all rows before threads use them."""
    from pytest_delta_schema.backends.kit import build_decoders

    relations = (TableRow, ColumnRow, KeyRow, ParentRow, TableTagRow, ColumnTagRow)
    build_decoders((DetailRow, CreateRow, VersionRow, RuntimeRow, *relations))


def typed(kind: type[_T], rows: Iterable[Mapping[str, Any]]) -> list[_T]:
    """Check rows, whose arrays may be those of numpy."""
    import msgspec

    plain = [{key: value.tolist() if hasattr(value, "tolist") else value for key, value in row.items()} for row in rows]
    try:
        return msgspec.convert(plain, list[kind], strict=False)  # type: ignore[valid-type]
    except (msgspec.ValidationError, RecursionError) as error:
        fault = str(error)
    msg = f"the workspace returned rows of another form ({fault})"
    raise StatementError(msg, condition="STRANGE_ROWS")


def first(kind: type[_T], rows: Iterable[Mapping[str, Any]]) -> _T:
    """Check rows of which the first one matters."""
    typed_rows = typed(kind, rows)
    if not typed_rows:
        msg = "the workspace returned no row where one was expected"
        raise StatementError(msg, condition="STRANGE_ROWS")
    return typed_rows[0]


_DEPTHS = {"(": 1, ")": -1}
_NESTED = {"ARRAY", "MAP", "STRUCT"}


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateStatement:
    """The parts of a CREATE statement that are read."""

    generations: NameMap[ColumnGeneration]
    """Generation expressions as they are written, and identities, by column."""
    relied: NameSet | None
    """The names of the keys with RELY; ``None`` if they are not known."""


def read_create(created: str, columns: Iterable[str]) -> CreateStatement:
    """Read the list of columns and constraints of a CREATE statement, word by word.

    What follows it (``WITH ROW FILTER``, ``DEFAULT COLLATION``) and other parts of a column (``MASK``) may be in a form
    that no parser knows yet.
    """
    generations: NameMap[ColumnGeneration] = NameMap()
    defined: list[str] = []
    relied: list[str] = []
    for item in _items(_words(created)):
        relied += _relied(item)
        if not _is(item, 0, "CONSTRAINT"):
            name = item[0].text
            defined.append(name)
            generation = _generation(item, created)
            if generation is not None:
                generations[name] = generation
    if NameSet(defined) != NameSet(columns):
        raise _not_understood()
    return CreateStatement(generations=generations, relied=NameSet(relied))


def default_collation(created: str) -> str:
    """Return the default collation of a table, in upper case; ``""`` if its CREATE statement has none."""
    words, depth = _words(created), 0
    for index in range(len(words)):
        depth += _DEPTHS.get(_keyword(words, index), 0)
        if not depth and _is(words, index, "DEFAULT") and _is(words, index + 1, "COLLATION"):
            return "".join(word.text.upper() for word in words[index + 2 : index + 3])
    return ""


def _not_understood() -> ValueError:
    msg = "its CREATE statement cannot be understood"
    return ValueError(msg)


def _words(created: str) -> list[SqlWord]:
    try:
        return sql_words(created)
    except ValueError as error:
        raise _not_understood() from error


def _items(words: Sequence[SqlWord]) -> Iterator[list[SqlWord]]:
    """Yield the words of each column and constraint."""
    start = next((index for index in range(len(words)) if _is(words, index, "(")), None)
    if start is None:
        raise _not_understood()
    depth, angles = 1, 0
    item: list[SqlWord] = []
    for index in range(start + 1, len(words)):
        text = _keyword(words, index)
        depth += _DEPTHS.get(text, 0)
        if depth == 1:
            angles += (text == "<" and _keyword(words, index - 1) in _NESTED) - (text == ">" and angles > 0)
        if depth == 0 or (depth == 1 and not angles and text == ","):
            if not item:
                raise _not_understood()
            yield item
            item = []
        else:
            item.append(words[index])
        if depth == 0:
            return
    raise _not_understood()


def _relied(item: Sequence[SqlWord]) -> Iterator[str]:
    """Yield the names of the keys with RELY.

    The information schema does not show it; SHOW CREATE TABLE does (source: SPARK-52142, Spark 4.1).
    """
    name = None
    for index in range(len(item)):
        if _is(item, index, "CONSTRAINT") and index + 1 < len(item):
            name = item[index + 1].text
        elif _is(item, index, "RELY") and name is not None and not _is(item, index - 1, "CONSTRAINT"):
            yield name


def _generation(item: Sequence[SqlWord], created: str) -> ColumnGeneration | None:
    at = next((index for index in range(1, len(item)) if _is(item, index, "GENERATED")), None)
    if at is None or not (_is(item, at + 1, "ALWAYS") or _is(item, at + 2, "DEFAULT")):
        return None
    is_always = _is(item, at + 1, "ALWAYS")
    rest = item[at + (2 if is_always else 3) :]
    if not _is(rest, 0, "AS"):
        raise _not_understood()
    if _is(rest, 1, "IDENTITY"):
        identity = IdentityState(_number(rest, "WITH"), _number(rest, "BY"), is_always)
        return ColumnGeneration(identity=identity)
    if not _is(rest, 1, "("):
        raise _not_understood()
    depth = 0
    for index in range(1, len(rest)):
        depth += _DEPTHS.get(_keyword(rest, index), 0)
        if depth == 0:
            return ColumnGeneration(generated=created[rest[1].end + 1 : rest[index].start].strip())
    raise _not_understood()


def _number(words: Sequence[SqlWord], after: str) -> int:
    """Return the number after a word; 1 without it."""
    at = next((index for index in range(len(words)) if _is(words, index, after)), None)
    if at is None:
        return 1
    is_negative = _is(words, at + 1, "-")
    return int(words[at + 1 + is_negative].text) * (-1 if is_negative else 1)


def _is(words: Sequence[SqlWord], index: int, keyword: str) -> bool:
    return _keyword(words, index) == keyword


def _keyword(words: Sequence[SqlWord], index: int) -> str:
    """Return a word or a sign in upper case; ``""`` for a quoted name or a string, and beyond the end."""
    return words[index].keyword if 0 <= index < len(words) else ""
