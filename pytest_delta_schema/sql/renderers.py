"""Render each kind of change as statements, and the other statements and queries that name a table or a schema."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.delta.names import folded
from pytest_delta_schema.delta.properties import CHECK_PREFIX
from pytest_delta_schema.diagnostics.text import escaped_literals, identifier
from pytest_delta_schema.plan import changes as kinds
from pytest_delta_schema.plan.actions import RestoreTable
from pytest_delta_schema.sql.quoting import condition, dotted, listed, literal, parquet_files, path_sql, type_sql
from pytest_delta_schema.sql.statement import Renderer, Statement, StatementKind, batched_paths, batches
from pytest_delta_schema.state.states import DELTA, ForeignKeyState

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from pytest_delta_schema.delta.names import ColumnPath
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.plan.actions import CreateTable
    from pytest_delta_schema.plan.kinds import KeyAdd, KeyDrop
    from pytest_delta_schema.state.states import CheckState, TableState
    from pytest_delta_schema.state.types import ColumnGeneration, ColumnState, DataTypeState


def column_definition(column: ColumnState) -> str:
    """Render the definition of a column of a new table on one line."""
    return _column_clause(identifier(column.name), column)


def _column_clause(name: str, column: ColumnState) -> str:
    not_null = "" if column.is_nullable else " NOT NULL"
    comment = f" COMMENT {literal(column.comment)}" if column.comment else ""
    return f"{name} {type_sql(column.data_type)}{not_null}{value_clause(column.value)}{comment}"


def value_clause(value: ColumnGeneration | None) -> str:
    """Render the clause of a column definition, with a space before it."""
    if value is None:
        return ""
    if value.generated is not None:
        return f" GENERATED ALWAYS AS {condition(value.generated)}"
    if value.identity is not None:
        start, step, is_always = value.identity
        mode = "ALWAYS" if is_always else "BY DEFAULT"
        return f" GENERATED {mode} AS IDENTITY (START WITH {start:d} INCREMENT BY {step:d})"
    return "" if value.default is None else f" DEFAULT {_default_expression(value.default)}"


def _default_expression(text: str) -> str:
    """Add a line feed after a comment, so the comment does not hide what follows."""
    legible = escaped_literals(text)
    return f"{legible}\n" if "--" in legible else legible


def _together(kind: StatementKind, clause: Callable[[Sequence[Any]], str], *, split: bool = False) -> Renderer:
    """Render all changes of a kind as one statement; as several, if Spark refuses nested ones next to outer ones."""

    def render(table: QualifiedName, changes: Sequence[Any]) -> Iterator[Statement]:
        for group in batches(changes) if split else [tuple(changes)]:
            yield Statement(table=table, kind=kind, sql=_alter(table, clause(group)), changes=group)

    return render


def _each(kind: StatementKind, clause: Callable[[Any], str]) -> Renderer:
    """Render each change as ALTER TABLE with a clause."""
    return _as_statements(kind, lambda table, change: _alter(table, clause(change)))


def _as_statements(kind: StatementKind, sql: Callable[[QualifiedName, Any], str]) -> Renderer:
    """Render each change as a statement."""

    def render(table: QualifiedName, changes: Sequence[Any]) -> Iterator[Statement]:
        for change in changes:
            yield Statement(table=table, kind=kind, sql=sql(table, change), changes=(change,))

    return render


def _alter(table: QualifiedName, clause: str) -> str:
    return f"ALTER TABLE {dotted(table)} {clause}"


def _add_columns(changes: Sequence[kinds.ColumnAdd]) -> str:
    """Render new columns; their comments and defaults follow with those of other columns."""
    lines = ",\n".join([f"  {_column_clause(path_sql(new.path), new.bare)}{_position(new)}" for new in changes])
    return f"ADD COLUMNS (\n{lines}\n)"


def _position(change: kinds.ColumnAdd) -> str:
    if change.after is None:
        return ""
    return f" AFTER {identifier(change.after)}" if change.after else " FIRST"


def _move_column(change: kinds.ColumnMove) -> str:
    """Render one move; Delta applies several in one statement in another order (Delta 4.4.0)."""
    position = "FIRST" if change.after is None else f"AFTER {identifier(change.after)}"
    return f"ALTER COLUMN {identifier(change.name)} {position}"


def _alter_columns(clauses: Iterable[tuple[ColumnPath, str]]) -> str:
    return "ALTER COLUMN\n" + ",\n".join([f"  {path_sql(path)} {clause}" for path, clause in clauses])


def _change_types(changes: Sequence[kinds.ColumnTypeChange]) -> str:
    return _alter_columns((change.path, f"TYPE {type_sql(change.after)}") for change in changes)


def _change_nullability(table: QualifiedName, changes: Sequence[kinds.ColumnNullabilityChange]) -> Iterator[Statement]:
    """Render DROP NOT NULL and SET NOT NULL, each as one statement if Spark allows it."""
    for kind, is_nullable, clause in (
        (StatementKind.LOOSEN_COLUMNS, True, "DROP NOT NULL"),
        (StatementKind.TIGHTEN_COLUMNS, False, "SET NOT NULL"),
    ):
        for group in batches([change for change in changes if change.is_nullable is is_nullable]):
            sql = _alter(table, _alter_columns((change.path, clause) for change in group))
            yield Statement(table=table, kind=kind, sql=sql, changes=group)


def _change_defaults(changes: Sequence[kinds.ColumnDefaultChange]) -> str:
    return _alter_columns((change.path, _default_clause(change)) for change in changes)


def _default_clause(change: kinds.ColumnDefaultChange) -> str:
    return "DROP DEFAULT" if change.after is None else f"SET DEFAULT {_default_expression(change.after)}"


def _drop_key(change: KeyDrop) -> str:
    return f"DROP CONSTRAINT {identifier(change.key.name)}"


def _add_key(change: KeyAdd) -> str:
    """Render a new key; a foreign key without parent columns references the parent's primary key."""
    key = change.key
    noun, parent = ("PRIMARY KEY" if isinstance(change, kinds.PrimaryKeyAdd) else "UNIQUE"), ""
    if isinstance(key, ForeignKeyState):
        parent_columns = f" ({listed(key.parent_columns)})" if key.parent_columns else ""
        noun, parent = "FOREIGN KEY", f" REFERENCES {dotted(key.parent)}{parent_columns}"
    rely = " RELY" if key.rely else ""
    return f"ADD CONSTRAINT {identifier(key.name)} {noun} ({listed(key.columns)}){parent}{rely}"


def check_properties(checks: Iterable[CheckState]) -> dict[str, str]:
    """Return the properties that hold the checks of a new table, by names in lower case (Delta 4.4.0)."""
    return {f"{CHECK_PREFIX}{folded(check.name)}": escaped_literals(check.expression) for check in checks}


def _set_column_comments(table: QualifiedName, changes: Sequence[kinds.SetColumnComments]) -> Iterator[Statement]:
    """Render the comments of columns and fields as one statement, or as few as Spark allows."""
    for change in changes:
        groups = batched_paths(change.comments)
        for group in groups:
            comments = {path: change.comments[path] for path in group}
            part = change if len(groups) == 1 else kinds.SetColumnComments(comments=MappingProxyType(comments))
            sql = _alter(table, _alter_columns((path, f"COMMENT {literal(text)}") for path, text in comments.items()))
            yield Statement(table=table, kind=StatementKind.COMMENT_COLUMNS, sql=sql, changes=(part,))


def _remove_column_mapping(table: QualifiedName, changes: Sequence[kinds.ColumnMappingRemoval]) -> Iterator[Statement]:
    """Render the removal of column mapping as a separate statement, because Delta rewrites the table for it."""
    for change in changes:
        if change.after is None:
            kind, sql = StatementKind.UNSET_PROPERTIES, unset_tblproperties(table, (change.key,))
        else:
            kind, sql = StatementKind.SET_PROPERTIES, _alter(table, _set_properties({change.key: change.after}))
        yield Statement(table=table, kind=kind, sql=sql, changes=(change,))


def property_lines(properties: Mapping[str, str]) -> str:
    """Render properties, one on each line, without the parentheses."""
    return ",\n".join([f"  {literal(key)} = {literal(value)}" for key, value in properties.items()])


def _set_properties(properties: Mapping[str, str]) -> str:
    return f"SET TBLPROPERTIES (\n{property_lines(properties)}\n)"


def unset_tblproperties(table: QualifiedName, keys: Iterable[str]) -> str:
    """Return the statement that removes properties."""
    return f"ALTER TABLE {dotted(table)} UNSET TBLPROPERTIES IF EXISTS ({', '.join(map(literal, keys))})"


def _of_column(path: ColumnPath) -> str:
    return f"ALTER COLUMN {path_sql(path)} " if path else ""


def _set_tags(change: kinds.SetTags) -> str:
    return f"{_of_column(change.path)}SET TAGS (\n{property_lines(change.tags)}\n)"


def _unset_tags(change: kinds.UnsetTags) -> str:
    return f"{_of_column(change.path)}UNSET TAGS ({', '.join(map(literal, change.keys))})"


def create_table(
    name: str, lines: Iterable[str], table: CreateTable | TableState, properties: Mapping[str, str]
) -> str:
    """Render CREATE TABLE of a quoted name, with lines for its columns."""
    columns = ",\n".join(f"  {line}" for line in lines)
    clauses = [f"CREATE TABLE {name} (\n{columns}\n)", "USING DELTA"]
    clauses += _layout_clauses(table.partitioning, table.clustering)
    if table.table_comment:
        clauses.append(f"COMMENT {literal(table.table_comment)}")
    if properties:
        clauses.append(f"TBLPROPERTIES (\n{property_lines(properties)}\n)")
    return "\n".join(clauses)


def _layout_clauses(partitioning: Sequence[str], clustering: Iterable[ColumnPath]) -> list[str]:
    """Render the layout clauses of a new table."""
    if partitioning:
        return [f"PARTITIONED BY ({listed(partitioning)})"]
    return [f"CLUSTER BY ({_paths(clustering)})"] if clustering else []


def _rewrite_layout(table: QualifiedName, change: kinds.LayoutRewrite) -> str:
    """Render the replacement of the table by its own rows in another layout."""
    name = dotted(table)
    clauses = _layout_clauses(change.partitioning, change.clustering)
    return "\n".join([f"CREATE OR REPLACE TABLE {name}", "USING DELTA", *clauses, f"AS {select_all(name)}"])


def _paths(paths: Iterable[ColumnPath]) -> str:
    return ", ".join(map(path_sql, paths))


def texts_without_zone(columns: Iterable[str]) -> str:
    """Return an expression over the files of a log: whether a partition value is a timestamp without a time zone."""
    texts = [f"partitionValues[{literal(name)}] NOT RLIKE '(Z|[+-][0-9][0-9]:?[0-9][0-9])$'" for name in columns]
    return f"coalesce(bool_or({' OR '.join(texts)}), false)"


def _convert_table(table: QualifiedName, changes: Sequence[kinds.ConvertTable]) -> Iterator[Statement]:
    """Render CONVERT TO DELTA, and for files that are not registered in the catalog, the table over them."""
    for change in changes:
        source = change.source
        if change.creates_schema:
            sql = create_schema(*table.written[:2])
            yield Statement(table=table, kind=StatementKind.CREATE_SCHEMA, sql=sql)
        if source.provider != DELTA:
            target = dotted(table) if source.is_registered else parquet_files(source.path)
            sql = conversion(target, change)
            yield Statement(table=table, kind=StatementKind.CONVERT_TABLE, sql=sql, changes=(change,))
        if not source.is_registered and not source.is_in_place:
            sql = register_table(table, source.path)
            yield Statement(table=table, kind=StatementKind.REGISTER_TABLE, sql=sql)


def conversion(target: str, change: kinds.ConvertTable) -> str:
    """Render CONVERT TO DELTA."""
    clauses = [f"CONVERT TO DELTA {target}"]
    if not change.statistics:
        clauses.append("NO STATISTICS")
    if change.partitions and not change.source.is_registered:
        columns = ", ".join(f"{identifier(name)} {_partition_type(data_type)}" for name, data_type in change.partitions)
        clauses.append(f"PARTITIONED BY ({columns})")
    return " ".join(clauses)


def _partition_type(data_type: DataTypeState) -> str:
    """Render a type; Delta's parser takes an unquoted TIMESTAMP for a keyword (Delta 4.4.0)."""
    return identifier("TIMESTAMP") if data_type == "timestamp" else type_sql(data_type)


RENDERERS: Mapping[type, Renderer] = {
    kinds.ConvertTable: _convert_table,
    kinds.ColumnAdd: _together(StatementKind.ADD_COLUMNS, _add_columns),
    kinds.ColumnDrop: _together(
        StatementKind.DROP_COLUMNS, lambda changes: f"DROP COLUMNS ({_paths(change.path for change in changes)})"
    ),
    kinds.ColumnRename: _each(
        StatementKind.RENAME_COLUMN,
        lambda change: f"RENAME COLUMN {path_sql(change.path)} TO {identifier(change.to)}",
    ),
    kinds.ColumnMove: _each(StatementKind.MOVE_COLUMN, _move_column),
    kinds.ColumnTypeChange: _together(StatementKind.CHANGE_TYPES, _change_types, split=True),
    kinds.ColumnNullabilityChange: _change_nullability,
    kinds.ColumnDefaultChange: _together(StatementKind.CHANGE_DEFAULTS, _change_defaults, split=True),
    # Delta has no statement for it, and a rule refuses the plan.
    kinds.ColumnGenerationChange: lambda _table, _changes: iter(()),
    kinds.CheckAdd: _each(
        StatementKind.ADD_CHECK,
        lambda change: f"ADD CONSTRAINT {identifier(folded(change.name))} CHECK {condition(change.expression)}",
    ),
    kinds.CheckDrop: _each(StatementKind.DROP_CHECK, lambda change: f"DROP CONSTRAINT {identifier(change.name)}"),
    kinds.PrimaryKeyAdd: _each(StatementKind.ADD_PRIMARY_KEY, _add_key),
    kinds.PrimaryKeyDrop: _each(StatementKind.DROP_PRIMARY_KEY, _drop_key),
    kinds.UniqueAdd: _each(StatementKind.ADD_UNIQUE, _add_key),
    kinds.UniqueDrop: _each(StatementKind.DROP_UNIQUE, _drop_key),
    kinds.ForeignKeyAdd: _each(StatementKind.ADD_FOREIGN_KEY, _add_key),
    kinds.ForeignKeyDrop: _each(StatementKind.DROP_FOREIGN_KEY, _drop_key),
    kinds.SetColumnComments: _set_column_comments,
    kinds.SetTableComment: _as_statements(
        StatementKind.COMMENT_TABLE,
        lambda table, change: f"COMMENT ON TABLE {dotted(table)} IS {literal(change.comment)}",
    ),
    kinds.SetTableProperties: _each(StatementKind.SET_PROPERTIES, lambda change: _set_properties(change.properties)),
    kinds.UnsetTableProperties: _as_statements(
        StatementKind.UNSET_PROPERTIES, lambda table, change: unset_tblproperties(table, change.keys)
    ),
    kinds.ColumnMappingRemoval: _remove_column_mapping,
    kinds.SetTags: _each(StatementKind.SET_TAGS, _set_tags),
    kinds.UnsetTags: _each(StatementKind.UNSET_TAGS, _unset_tags),
    kinds.ClusteringChange: _each(
        StatementKind.CLUSTER, lambda change: f"CLUSTER BY {f'({_paths(change.after)})' if change.after else 'NONE'}"
    ),
    kinds.LayoutRewrite: _as_statements(StatementKind.REWRITE_LAYOUT, _rewrite_layout),
}
"""The renderer of every kind of change."""


def restore_table(table: QualifiedName, version: int) -> str:
    """Render RESTORE TABLE."""
    return f"RESTORE TABLE {dotted(table)} TO VERSION AS OF {version:d}"


def restoring(table: QualifiedName, version: int) -> Statement:
    """Return the statement that restores an older version of a table."""
    return Statement(
        table=table,
        kind=StatementKind.RESTORE_TABLE,
        sql=restore_table(table, version),
        changes=(RestoreTable(version=version),),
    )


def select_all(source: str) -> str:
    """Render the query of all rows of a source, see :func:`~pytest_delta_schema.sql.data_check_queries.select_rows`."""
    return f"SELECT * FROM {source}"  # noqa: S608 - quoted where it is made


def select_files(path: str, columns: str) -> str:
    """Render the query of a file, or of the files of a folder; ``columns`` are those of the ``binaryFile`` source."""
    return f"SELECT {columns} FROM binaryFile.{identifier(path)}"  # noqa: S608 - quoted


def describe_history(table: QualifiedName, limit: int | None = None) -> str:
    """Render the query of the commits of a table, the newest first.

    Args:
        table: The table.
        limit: How many commits at most; ``None`` for all.
    """
    return f"DESCRIBE HISTORY {dotted(table)}{'' if limit is None else f' LIMIT {limit:d}'}"


def describe_extended(table: QualifiedName) -> str:
    """Render the query of the columns, partitions, comment, format and location of a table."""
    return f"DESCRIBE TABLE EXTENDED {dotted(table)}"


def describe_detail(table: QualifiedName) -> str:
    """Render the query of the properties, layout and protocol of a table."""
    return f"DESCRIBE DETAIL {dotted(table)}"


def show_properties(table: QualifiedName) -> str:
    """Render the query of the properties and the protocol of a table."""
    return f"SHOW TBLPROPERTIES {dotted(table)}"


def show_schemas(catalog: str) -> str:
    """Render the query of the schemas of a catalog."""
    return f"SHOW SCHEMAS IN {identifier(catalog)}"


def show_tables(catalog: str, schema: str) -> str:
    """Render the query of the tables of a schema."""
    return f"SHOW TABLES IN {identifier(catalog)}.{identifier(schema)}"


def show_views(catalog: str, schema: str) -> str:
    """Render the query of the views of a schema."""
    return f"SHOW VIEWS IN {identifier(catalog)}.{identifier(schema)}"


def drop_table(table: QualifiedName) -> str:
    """Render DROP TABLE."""
    return f"DROP TABLE IF EXISTS {dotted(table)}"


def register_table(table: QualifiedName, location: str) -> str:
    """Render the registration of an existing Delta table in a catalog."""
    return f"CREATE TABLE {dotted(table)} USING DELTA LOCATION {literal(location)}"


def shallow_clone(source: QualifiedName, target: QualifiedName) -> str:
    """Render the creation of a table that has the metadata of another table, and reads its files."""
    return f"CREATE TABLE {dotted(target)} SHALLOW CLONE {dotted(source)}"


def create_schema(catalog: str, schema: str) -> str:
    """Render CREATE SCHEMA."""
    return f"CREATE SCHEMA IF NOT EXISTS {identifier(catalog)}.{identifier(schema)}"


def drop_schema(catalog: str, schema: str) -> str:
    """Render DROP SCHEMA with everything in it."""
    return f"DROP SCHEMA IF EXISTS {identifier(catalog)}.{identifier(schema)} CASCADE"
