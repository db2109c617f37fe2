"""Render each kind of change as statements, and the other statements and queries that name a table or a schema."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from pytest_delta_schema.delta.names import folded
from pytest_delta_schema.delta.properties import CHECK_PREFIX
from pytest_delta_schema.diagnostics.text import escaped_literals, identifier
from pytest_delta_schema.plan.actions import CreateTable, RestoreTable
from pytest_delta_schema.plan.changes import (
    CheckAdd,
    CheckDrop,
    ClusteringChange,
    ColumnAdd,
    ColumnDefaultChange,
    ColumnDrop,
    ColumnGenerationChange,
    ColumnMappingRemoval,
    ColumnMove,
    ColumnNullabilityChange,
    ColumnRename,
    ColumnTypeChange,
    ConvertTable,
    ForeignKeyAdd,
    ForeignKeyDrop,
    LayoutRewrite,
    PrimaryKeyAdd,
    PrimaryKeyDrop,
    SetColumnComments,
    SetTableComment,
    SetTableProperties,
    SetTags,
    UniqueAdd,
    UniqueDrop,
    UnsetTableProperties,
    UnsetTags,
)
from pytest_delta_schema.sql.quoting import condition, dotted, listed, literal, parquet_files, path_sql, type_sql
from pytest_delta_schema.sql.statement import Renderer, Statement, StatementKind, batched_paths, batches
from pytest_delta_schema.state.states import DELTA

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pytest_delta_schema.delta.names import ColumnPath
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.plan.changes import Change
    from pytest_delta_schema.state.states import CheckState
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


def add_columns(table: QualifiedName, changes: Sequence[ColumnAdd]) -> Iterator[Statement]:
    """Render all new columns as one statement; their comments and defaults follow with those of other columns."""
    lines = ",\n".join(
        [f"  {_column_clause(path_sql(change.path), change.bare)}{_position(change)}" for change in changes]
    )
    yield Statement(
        table=table,
        kind=StatementKind.ADD_COLUMNS,
        sql=f"ALTER TABLE {dotted(table)} ADD COLUMNS (\n{lines}\n)",
        changes=tuple(changes),
    )


def _position(change: ColumnAdd) -> str:
    if change.after is None:
        return ""
    return f" AFTER {identifier(change.after)}" if change.after else " FIRST"


def drop_columns(table: QualifiedName, changes: Sequence[ColumnDrop]) -> Iterator[Statement]:
    """Render all dropped columns as one statement."""
    names = ", ".join(path_sql(change.path) for change in changes)
    yield Statement(
        table=table,
        kind=StatementKind.DROP_COLUMNS,
        sql=f"ALTER TABLE {dotted(table)} DROP COLUMNS ({names})",
        changes=tuple(changes),
    )


def rename_columns(table: QualifiedName, changes: Sequence[ColumnRename]) -> Iterator[Statement]:
    """Render each rename; Spark renames one column in a statement."""
    for change in changes:
        yield Statement(
            table=table,
            kind=StatementKind.RENAME_COLUMN,
            sql=f"ALTER TABLE {dotted(table)} RENAME COLUMN {path_sql(change.path)} TO {identifier(change.to)}",
            changes=(change,),
        )


def move_columns(table: QualifiedName, changes: Sequence[ColumnMove]) -> Iterator[Statement]:
    """Render each move as one statement; Delta applies several in one statement in another order (Delta 4.4.0)."""
    for change in changes:
        position = "FIRST" if change.after is None else f"AFTER {identifier(change.after)}"
        sql = f"ALTER TABLE {dotted(table)} ALTER COLUMN {identifier(change.name)} {position}"
        yield Statement(table=table, kind=StatementKind.MOVE_COLUMN, sql=sql, changes=(change,))


def _alter_columns(table: QualifiedName, lines: list[str]) -> str:
    return f"ALTER TABLE {dotted(table)} ALTER COLUMN\n" + ",\n".join(lines)


def change_types(table: QualifiedName, changes: Sequence[ColumnTypeChange]) -> Iterator[Statement]:
    """Render the new types of columns as one statement, or as few as Spark allows."""
    for group in batches(changes):
        sql = _alter_columns(table, [f"  {path_sql(change.path)} TYPE {type_sql(change.after)}" for change in group])
        yield Statement(table=table, kind=StatementKind.CHANGE_TYPES, sql=sql, changes=group)


def change_nullability(table: QualifiedName, changes: Sequence[ColumnNullabilityChange]) -> Iterator[Statement]:
    """Render DROP NOT NULL and SET NOT NULL, each as one statement if Spark allows it."""
    for kind, is_nullable, clause in (
        (StatementKind.LOOSEN_COLUMNS, True, "DROP NOT NULL"),
        (StatementKind.TIGHTEN_COLUMNS, False, "SET NOT NULL"),
    ):
        for group in batches([change for change in changes if change.is_nullable is is_nullable]):
            sql = _alter_columns(table, [f"  {path_sql(change.path)} {clause}" for change in group])
            yield Statement(table=table, kind=kind, sql=sql, changes=group)


def change_defaults(table: QualifiedName, changes: Sequence[ColumnDefaultChange]) -> Iterator[Statement]:
    """Render all changes of defaults as one statement, or as few as Spark allows."""
    for group in batches(changes):
        sql = _alter_columns(table, [f"  {path_sql(change.path)} {_default_clause(change)}" for change in group])
        yield Statement(table=table, kind=StatementKind.CHANGE_DEFAULTS, sql=sql, changes=group)


def _default_clause(change: ColumnDefaultChange) -> str:
    return "DROP DEFAULT" if change.after is None else f"SET DEFAULT {_default_expression(change.after)}"


def change_generation(_table: QualifiedName, _changes: Sequence[ColumnGenerationChange]) -> Iterator[Statement]:
    """Render nothing: Delta has no statement for it, and a rule refuses the plan."""
    yield from ()


def add_constraint(table: QualifiedName, kind: StatementKind, change: Change, name: str, clause: str) -> Statement:
    """Render ADD CONSTRAINT."""
    sql = f"ALTER TABLE {dotted(table)} ADD CONSTRAINT {identifier(name)} {clause}"
    return Statement(table=table, kind=kind, sql=sql, changes=(change,))


def drop_constraint(table: QualifiedName, kind: StatementKind, change: Change, name: str) -> Statement:
    """Render DROP CONSTRAINT."""
    sql = f"ALTER TABLE {dotted(table)} DROP CONSTRAINT {identifier(name)}"
    return Statement(table=table, kind=kind, sql=sql, changes=(change,))


def add_check(table: QualifiedName, changes: Sequence[CheckAdd]) -> Iterator[Statement]:
    """Render each new check; its expression is written as declared."""
    for change in changes:
        clause = f"CHECK {condition(change.expression)}"
        yield add_constraint(table, StatementKind.ADD_CHECK, change, folded(change.name), clause)


def drop_check(table: QualifiedName, changes: Sequence[CheckDrop]) -> Iterator[Statement]:
    """Render the removal of each check."""
    for change in changes:
        yield drop_constraint(table, StatementKind.DROP_CHECK, change, change.name)


def check_properties(checks: Iterable[CheckState]) -> dict[str, str]:
    """Return the properties with which a new table gets its checks in the one commit of its creation.

    Delta finds a constraint by its name in lower case only (Delta 4.4.0).
    """
    return {f"{CHECK_PREFIX}{folded(check.name)}": escaped_literals(check.expression) for check in checks}


def add_primary_key(table: QualifiedName, changes: Sequence[PrimaryKeyAdd]) -> Iterator[Statement]:
    """Render the new primary key."""
    for change in changes:
        clause = f"PRIMARY KEY ({listed(change.columns)}){' RELY' if change.rely else ''}"
        yield add_constraint(table, StatementKind.ADD_PRIMARY_KEY, change, change.name, clause)


def drop_primary_key(table: QualifiedName, changes: Sequence[PrimaryKeyDrop]) -> Iterator[Statement]:
    """Render the removal of the primary key."""
    for change in changes:
        yield drop_constraint(table, StatementKind.DROP_PRIMARY_KEY, change, change.name)


def add_unique(table: QualifiedName, changes: Sequence[UniqueAdd]) -> Iterator[Statement]:
    """Render each new UNIQUE constraint."""
    for change in changes:
        clause = f"UNIQUE ({listed(change.key.columns)})"
        yield add_constraint(table, StatementKind.ADD_UNIQUE, change, change.key.name, clause)


def drop_unique(table: QualifiedName, changes: Sequence[UniqueDrop]) -> Iterator[Statement]:
    """Render the removal of each UNIQUE constraint."""
    for change in changes:
        yield drop_constraint(table, StatementKind.DROP_UNIQUE, change, change.key.name)


def add_foreign_key(table: QualifiedName, changes: Sequence[ForeignKeyAdd]) -> Iterator[Statement]:
    """Render each new foreign key; without parent columns it references the parent's primary key."""
    for change in changes:
        key = change.key
        parent_columns = f" ({listed(key.parent_columns)})" if key.parent_columns else ""
        rely = " RELY" if key.rely else ""
        clause = f"FOREIGN KEY ({listed(key.columns)}) REFERENCES {dotted(key.parent)}{parent_columns}{rely}"
        yield add_constraint(table, StatementKind.ADD_FOREIGN_KEY, change, key.name, clause)


def drop_foreign_key(table: QualifiedName, changes: Sequence[ForeignKeyDrop]) -> Iterator[Statement]:
    """Render the removal of each foreign key."""
    for change in changes:
        yield drop_constraint(table, StatementKind.DROP_FOREIGN_KEY, change, change.key.name)


def set_column_comments(table: QualifiedName, changes: Sequence[SetColumnComments]) -> Iterator[Statement]:
    """Render the comments of columns and fields as one statement, or as few as Spark allows."""
    for change in changes:
        for part in _comment_parts(change):
            comments = part.comments.items()
            lines = [f"  {path_sql(path)} COMMENT {literal(comment)}" for path, comment in comments]
            yield Statement(
                table=table,
                kind=StatementKind.COMMENT_COLUMNS,
                sql=_alter_columns(table, lines),
                changes=(part,),
            )


def _comment_parts(change: SetColumnComments) -> list[SetColumnComments]:
    """Divide a change so that no part has a column together with something below it."""
    comments = change.comments
    groups = batched_paths(comments)
    if len(groups) == 1:
        return [change]
    return [SetColumnComments(comments=MappingProxyType({path: comments[path] for path in group})) for group in groups]


def set_table_comment(table: QualifiedName, changes: Sequence[SetTableComment]) -> Iterator[Statement]:
    """Render the comment of the table."""
    for change in changes:
        yield Statement(
            table=table,
            kind=StatementKind.COMMENT_TABLE,
            sql=f"COMMENT ON TABLE {dotted(table)} IS {literal(change.comment)}",
            changes=(change,),
        )


def set_properties(table: QualifiedName, changes: Sequence[SetTableProperties]) -> Iterator[Statement]:
    """Render all properties to set as one statement."""
    for change in changes:
        yield Statement(
            table=table,
            kind=StatementKind.SET_PROPERTIES,
            sql=_set_tblproperties(table, change.properties),
            changes=(change,),
        )


def unset_properties(table: QualifiedName, changes: Sequence[UnsetTableProperties]) -> Iterator[Statement]:
    """Render all properties to remove as one statement."""
    for change in changes:
        yield Statement(
            table=table,
            kind=StatementKind.UNSET_PROPERTIES,
            sql=unset_tblproperties(table, change.keys),
            changes=(change,),
        )


def remove_column_mapping(table: QualifiedName, changes: Sequence[ColumnMappingRemoval]) -> Iterator[Statement]:
    """Render the removal of column mapping as a separate statement, because Delta rewrites the table for it."""
    for change in changes:
        if change.after is None:
            kind, sql = StatementKind.UNSET_PROPERTIES, unset_tblproperties(table, (change.key,))
        else:
            kind, sql = StatementKind.SET_PROPERTIES, _set_tblproperties(table, {change.key: change.after})
        yield Statement(table=table, kind=kind, sql=sql, changes=(change,))


def property_lines(properties: Mapping[str, str]) -> str:
    """Render properties, one on each line, without the parentheses."""
    return ",\n".join([f"  {literal(key)} = {literal(value)}" for key, value in properties.items()])


def _set_tblproperties(table: QualifiedName, properties: Mapping[str, str]) -> str:
    return f"ALTER TABLE {dotted(table)} SET TBLPROPERTIES (\n{property_lines(properties)}\n)"


def unset_tblproperties(table: QualifiedName, keys: Iterable[str]) -> str:
    """Return the statement that removes properties."""
    return f"ALTER TABLE {dotted(table)} UNSET TBLPROPERTIES IF EXISTS ({', '.join(map(literal, keys))})"


def set_values(statement: Statement) -> Iterator[tuple[str, str]]:
    """Yield the properties that a statement sets, with those of a table that it creates."""
    for change in statement.changes:
        match change:
            case SetTableProperties():
                yield from change.properties.items()
            case CreateTable():
                yield from change.table_properties.items()


def unset_keys(statement: Statement) -> Iterator[str]:
    """Yield the keys of the properties that a statement removes."""
    for change in statement.changes:
        if isinstance(change, UnsetTableProperties):
            yield from change.keys


def set_tags(table: QualifiedName, changes: Sequence[SetTags]) -> Iterator[Statement]:
    """Render all tags to set: a statement for the table and one for each column."""
    for change in changes:
        sql = f"{_tagged(table, change.path)} SET TAGS (\n{property_lines(change.tags)}\n)"
        yield Statement(table=table, kind=StatementKind.SET_TAGS, sql=sql, changes=(change,))


def unset_tags(table: QualifiedName, changes: Sequence[UnsetTags]) -> Iterator[Statement]:
    """Render all tags to remove: a statement for the table and one for each column."""
    for change in changes:
        sql = f"{_tagged(table, change.path)} UNSET TAGS ({', '.join(map(literal, change.keys))})"
        yield Statement(table=table, kind=StatementKind.UNSET_TAGS, sql=sql, changes=(change,))


def _tagged(table: QualifiedName, path: ColumnPath) -> str:
    column = f" ALTER COLUMN {path_sql(path)}" if path else ""
    return f"ALTER TABLE {dotted(table)}{column}"


def layout_clauses(partitioning: Sequence[str], clustering: Iterable[ColumnPath]) -> list[str]:
    """Render the layout clauses of a new table."""
    if partitioning:
        return [f"PARTITIONED BY ({listed(partitioning)})"]
    return [f"CLUSTER BY ({_paths(clustering)})"] if clustering else []


def change_clustering(table: QualifiedName, changes: Sequence[ClusteringChange]) -> Iterator[Statement]:
    """Render CLUSTER BY, or CLUSTER BY NONE."""
    for change in changes:
        clause = f"({_paths(change.after)})" if change.after else "NONE"
        sql = f"ALTER TABLE {dotted(table)} CLUSTER BY {clause}"
        yield Statement(table=table, kind=StatementKind.CLUSTER, sql=sql, changes=(change,))


def rewrite_layout(table: QualifiedName, changes: Sequence[LayoutRewrite]) -> Iterator[Statement]:
    """Render the replacement of the table by its own rows in another layout."""
    for change in changes:
        name = dotted(table)
        lines = [
            f"CREATE OR REPLACE TABLE {name}",
            "USING DELTA",
            *layout_clauses(change.partitioning, change.clustering),
            f"AS SELECT * FROM {name}",  # noqa: S608 - quoted right here
        ]
        yield Statement(table=table, kind=StatementKind.REWRITE_LAYOUT, sql="\n".join(lines), changes=(change,))


def _paths(paths: Iterable[ColumnPath]) -> str:
    return ", ".join(map(path_sql, paths))


def texts_without_zone(columns: Iterable[str]) -> str:
    """Return an expression over the files of a log: whether a partition value is a timestamp without a time zone."""
    texts = [f"partitionValues[{literal(name)}] NOT RLIKE '(Z|[+-][0-9][0-9]:?[0-9][0-9])$'" for name in columns]
    return f"coalesce(bool_or({' OR '.join(texts)}), false)"


def convert_table(table: QualifiedName, changes: Sequence[ConvertTable]) -> Iterator[Statement]:
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


def conversion(target: str, change: ConvertTable) -> str:
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
    ConvertTable: convert_table,
    ColumnAdd: add_columns,
    ColumnDrop: drop_columns,
    ColumnRename: rename_columns,
    ColumnMove: move_columns,
    ColumnTypeChange: change_types,
    ColumnNullabilityChange: change_nullability,
    ColumnDefaultChange: change_defaults,
    ColumnGenerationChange: change_generation,
    CheckAdd: add_check,
    CheckDrop: drop_check,
    PrimaryKeyAdd: add_primary_key,
    PrimaryKeyDrop: drop_primary_key,
    UniqueAdd: add_unique,
    UniqueDrop: drop_unique,
    ForeignKeyAdd: add_foreign_key,
    ForeignKeyDrop: drop_foreign_key,
    SetColumnComments: set_column_comments,
    SetTableComment: set_table_comment,
    SetTableProperties: set_properties,
    UnsetTableProperties: unset_properties,
    ColumnMappingRemoval: remove_column_mapping,
    SetTags: set_tags,
    UnsetTags: unset_tags,
    ClusteringChange: change_clustering,
    LayoutRewrite: rewrite_layout,
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


def select_text(path: str) -> str:
    """Render the query of a text file, with a row for each line."""
    return select_all(f"text.{identifier(path)}")


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
