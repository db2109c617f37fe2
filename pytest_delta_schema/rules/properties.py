"""Rules about table properties, tags, texts that cannot be encoded, and the replacements of deprecated parts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from pytest_delta_schema.delta.names import WHOLE_TABLE, NameSet, folded, part_path, proposal, same_name
from pytest_delta_schema.delta.properties import (
    CHECK_PREFIX,
    DELTA,
    FILE_RETENTION,
    IMPOSED,
    LOG_RETENTION,
    RESERVED,
    RETENTIONS,
    STATISTICS,
    expected_value,
    is_known,
    is_written_by_platform,
    named_columns,
    nearest_key,
    removes_files_after_their_log,
)
from pytest_delta_schema.delta.protocol import ONE_WAY, commits_are_in_catalog
from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.diagnostics.redaction import shown_value
from pytest_delta_schema.models.names import parse_name
from pytest_delta_schema.models.ownership import FORBID, REQUIRE, STRICT
from pytest_delta_schema.models.table import Table, declared_name
from pytest_delta_schema.plan.property_policy import PropertyPolicy
from pytest_delta_schema.rules.columns import repeated
from pytest_delta_schema.rules.rule import BuiltInModelRule, Fault
from pytest_delta_schema.state.desired import clustering_path, desired_state, property_text
from pytest_delta_schema.state.spark_types import nested_types
from pytest_delta_schema.state.states import OWN_PROPERTY_PREFIX
from pytest_delta_schema.state.types import ArrayState, MapState, describe_type, find, parts_below

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_delta_schema.delta.names import ColumnPath, Part
    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.state.types import DataTypeState


class ReservedProperty(BuiltInModelRule):
    """A property is declared that Delta, Spark, the platform or this package manages itself.

    Remedy: Use the argument of ``Table`` that the message names, or leave the property out.

    Example:
        columns = [Column("id", "bigint")]
        model = Table("dev", "silver", "orders", columns, table_properties={"comment": "Orders"})
    """

    code = "DS108"

    def _faults(self, table: Table) -> Iterator[Fault]:
        for key, value in table.table_properties.items():
            fault = _reserved_fault(folded(key), is_removed=value is None)
            if fault is not None:
                message = f"property {key} {fault.message}"
                yield Fault(message, fault.remedy, part_path("properties", key))


class DuplicateProperty(BuiltInModelRule):
    """A property of Delta is declared in two spellings.

    Delta matches its own keys without case.

    Remedy: Keep one spelling.

    Example:
        properties = {"delta.appendOnly": "true", "DELTA.appendonly": "true"}
        model = Table("dev", "silver", "orders", [Column("id", "bigint")], table_properties=properties)
    """

    code = "DS109"

    def _faults(self, table: Table) -> Iterator[Fault]:
        own = [key for key in table.table_properties if folded(key).startswith(DELTA)]
        for keys in repeated(own, folded):
            fact = f"properties {', '.join(sorted(keys))} are one key"
            message = f"{fact}, because Delta matches its own keys without case"
            yield Fault(message, "keep one spelling", part_path("properties", keys[0]))


class _PolicyRule(BuiltInModelRule):
    def __init__(self, policy: PropertyPolicy = PropertyPolicy()) -> None:  # noqa: B008 - a frozen value
        self.policy = policy


class UnknownProperty(_PolicyRule):
    """A property begins with ``delta.``, and neither open-source Delta nor Databricks knows it.

    Remedy: Correct the key; the remedy has the nearest one. A key that is newer than this package is accepted once the
    setting ``properties`` has it as a whole, without a pattern.

    Example:
        columns = [Column("id", "bigint")]
        model = Table("dev", "silver", "orders", columns, table_properties={"delta.apendOnly": "true"})
    """

    code = "DS125"

    def _faults(self, table: Table) -> Iterator[Fault]:
        for key in table.table_properties:
            if is_known(key) or _reserved_fault(folded(key), is_removed=False) is not None or self.policy.names(key):
                continue
            message = f"property {key} is known neither to open-source Delta 4.4 nor to Databricks"
            near = nearest_key(key)
            remedy = (
                f"{'correct it' if near is None else f'write {near}'}; if a newer Delta or Databricks knows it, add"
                f' "{key}" = "manage" under [tool.pytest_delta_schema.properties]'
            )
            yield Fault(message, remedy, part_path("properties", key))


_WITHOUT_STATISTICS = ("binary", "boolean", "void")


class InvalidPropertyValue(_PolicyRule):
    """A property of Delta has a value that open-source Delta and Databricks refuse.

    Intervals have no months and years. A column with statistics is a column of the table that is no partition, and has
    no array, map, boolean or binary type. Removed files are not kept longer than the log; Delta compares both in each
    statement that sets one of them (Delta 4.4.0).

    Remedy: Write a value that the message names. One that is newer than this package is accepted once the setting
    ``properties`` has its key as a whole, without a pattern.

    Example:
        properties = {"delta.logRetentionDuration": "1 month"}
        model = Table("dev", "silver", "orders", [Column("id", "bigint")], table_properties=properties)
    """

    code = "DS129"

    def _faults(self, table: Table) -> Iterator[Fault]:
        values = {
            key: str(property_text(value))
            for key, value in table.table_properties.items()
            if value is not None and folded(key).startswith(DELTA) and not self.policy.names(key)
        }
        for key, value in values.items():
            for fault in _value_faults(key, value, table):
                message = f"property {key} {fault.message}"
                yield Fault(message, fault.remedy, part_path("properties", key))
        if removes_files_after_their_log(values):
            key = next(key for key in values if folded(key) in RETENTIONS)
            message = f"property {FILE_RETENTION} is longer than {LOG_RETENTION}, by default 7 and 30 days"
            remedy = "declare both, and keep the log at least as long as the removed files"
            yield Fault(message, remedy, part_path("properties", key))


def _value_faults(key: str, value: str, table: Table) -> Iterator[Fault]:
    expected = expected_value(key, value)
    if expected is not None:
        message = f"is {shown_value(value)!r}, which neither open-source Delta 4.4 nor Databricks accepts"
        remedy = (
            f"write {expected}; if a newer Delta or Databricks accepts it, add"
            f' "{key}" = "manage" under [tool.pytest_delta_schema.properties]'
        )
        yield Fault(message, remedy)
    elif same_name(key, STATISTICS) and table.evolution == STRICT and "columns" not in table.ownership:
        for path, fault in _statistics_faults(named_columns(value), table):
            yield Fault(f"names {path}, {fault}", "leave it out")


def _statistics_faults(paths: Sequence[ColumnPath], table: Table) -> Iterator[tuple[ColumnPath, str]]:
    """Yield the columns of a list for which Delta keeps no statistics, and why."""
    columns = desired_state(table).columns
    for at, path in enumerate(paths):
        column = find(columns, path)
        if column is None:
            yield path, "which the table does not have"
        elif any(path.parts[: len(other)] == other.parts for other in (*paths[:at], *paths[at + 1 :])):
            yield path, "which it names twice"
        elif len(path) > 1:
            continue
        elif column.name in NameSet(table.partitioned_by):
            yield path, "which is a partition column"
        elif isinstance(column.data_type, (ArrayState, MapState)) or column.data_type in _WITHOUT_STATISTICS:
            yield path, f"and files have no statistics of {describe_type(column.data_type)}"


class PropertyPolicyViolation(_PolicyRule):
    """A property is missing that the project requires, or declared although the project forbids it.

    Remedy: Declare the property, or remove it.

    Example:
        settings = Settings(properties=(("owner", "require"),))
        model = Table("dev", "silver", "orders", [Column("id", "bigint")])
    """

    code = "DS120"

    def _faults(self, table: Table) -> Iterator[Fault]:
        declared = [key for key, value in table.table_properties.items() if value is not None]
        for pattern in self.policy.patterns(REQUIRE):
            if not self.policy.is_covered(pattern, declared):
                message = f"declares no property {pattern}, which the project requires of every table"
                yield Fault(message, "declare it", part_path("properties", pattern))
        for key in declared:
            if self.policy.mode(key) == FORBID:
                message = f"declares the property {key}, which the project forbids"
                yield Fault(message, "remove it", part_path("properties", key))


def is_declarable(key: str) -> bool:
    """Whether a model can declare a property that a table has: it is neither reserved nor part of the protocol."""
    return not folded(key).startswith(ONE_WAY) and _reserved_fault(folded(key), is_removed=False) is None


def declarable_properties(table: TableState) -> dict[str, str]:
    """Return the properties of a table that a model of it declares: those that no platform has written by itself."""
    imposed = IMPOSED if commits_are_in_catalog(table.table_properties) else {}
    return {
        key: value
        for key, value in sorted(table.table_properties.items())
        if value is not None and is_declarable(key) and imposed.get(key) != value
    }


def _reserved_fault(key: str, *, is_removed: bool) -> Fault | None:
    if key in RESERVED:
        return Fault("is reserved", RESERVED[key])
    if key.startswith(OWN_PROPERTY_PREFIX):
        return Fault("is managed by pytest_delta_schema", "choose another prefix")
    if is_written_by_platform(key):
        return Fault("is written by the platform", "leave it out")
    if key.startswith(CHECK_PREFIX):
        message = "is the property in which Delta stores a CHECK constraint"
        return Fault(message, "declare it with checks=[Check(name, expression)]")
    if is_removed and key.startswith(ONE_WAY):
        return Fault("is part of the table's protocol and cannot be removed", "leave it out")
    return None


MOST_TAGS = 50
"""The maximum for one table, and for one column."""

LONGEST_KEY, LONGEST_VALUE = 255, 1000

_FORBIDDEN_IN_KEYS = ".,-=/:"


class InvalidTag(BuiltInModelRule):
    """A tag has a key or a value that Unity Catalog on Databricks refuses, or there are too many tags.

    The limits hold on every backend, so a contract can move between them.

    Remedy: Shorten, rename or remove the tag.

    Example:
        model = Table("dev", "silver", "orders", [Column("id", "bigint")], tags={"owner": "x" * 1001})
    """

    code = "DS121"

    def _faults(self, table: Table) -> Iterator[Fault]:
        for fault in _tag_faults("the table", table.tags):
            yield Fault(fault.message, fault.remedy)
        for column in table.columns:
            if column.tags:
                for fault in _tag_faults(f"column {column.name}", column.tags):
                    path = part_path("columns", column.name)
                    yield Fault(fault.message, fault.remedy, path)


def _tag_faults(subject: str, tags: Mapping[str, str | None]) -> Iterator[Fault]:
    for key, value in tags.items():
        tag = f"tag {key!r} of {subject}"
        invalid = "".join(sorted(set(key) & set(_FORBIDDEN_IN_KEYS)))
        if invalid:
            yield Fault(f"{tag} has {invalid} in its key, which cannot hold any of {_FORBIDDEN_IN_KEYS}", "use a _")
        if len(key) > LONGEST_KEY:
            message = f"{tag} has a key of {len(key)} characters; the maximum is {LONGEST_KEY}"
            yield Fault(message, "shorten it")
        if key != key.strip() or (value or "") != (value or "").strip():
            message = f"{tag} begins or ends with a space, in its key or its value"
            yield Fault(message, "remove the space")
        if len(value or "") > LONGEST_VALUE:
            message = f"{tag} has a value of {len(value or '')} characters; the maximum is {LONGEST_VALUE}"
            yield Fault(message, "shorten it")
    number = sum(value is not None for value in tags.values())
    if number > MOST_TAGS:
        yield Fault(f"{subject} has {number} tags; the maximum is {MOST_TAGS}", "declare fewer")


_READ_BY_NAME = (
    *("catalog_name", "schema_name", "table_name", "comment", "table_properties", "tags"),
    *("columns", "checks", "foreign_keys", "unique"),
)
"""The arguments of a table whose texts messages name in their own words."""

_WITHOUT_TEXTS = ("primary_key", "partitioned_by", "clustered_by", "column_order", "owns", "evolution", "origin")
"""The arguments of a table that are names of its columns, or words to choose from."""

_OTHER_ARGUMENTS = tuple(
    argument.name for argument in fields(Table) if argument.name not in {*_READ_BY_NAME, *_WITHOUT_TEXTS}
)


class UnencodableText(BuiltInModelRule):
    r"""A name, comment, property, tag or expression holds a lone surrogate (U+D800 to U+DFFF).

    It is half of a character, which UTF-8 cannot encode.

    Remedy: Write the whole character.

    Example:
        model = Table("dev", "silver", "orders", [Column("id", "bigint")], comment="\ud83d")
    """

    code = "DS122"

    def _faults(self, table: Table) -> Iterator[Fault]:
        kinds = list(_texts(table))
        # One test for all of them, because nearly all texts can be encoded.
        if _is_encodable("".join(chain.from_iterable(kind.values for kind in kinds))):
            return
        for kind in kinds:
            for name, value in zip(kind.names, kind.values, strict=True):
                if not _is_encodable(value):
                    subject = kind.subject.format(column=ascii(name))
                    fact = f"{subject} {value!a} holds half a character (a lone surrogate)"
                    message = f"{fact}, which UTF-8 cannot encode"
                    path = WHOLE_TABLE if kind.part is None else part_path(kind.part, name)
                    yield Fault(message, "write the whole character", path)


def _is_encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


class _Texts(NamedTuple):
    """Texts of one kind."""

    subject: str
    """The words that messages use for one of them; ``{column}`` is replaced by the name."""
    part: Part | None
    """The part of the table to which they belong; ``None`` for the table itself."""
    names: Sequence[str]
    """The column or the check of each."""
    values: Sequence[str]


def _texts(table: Table) -> Iterator[_Texts]:
    """Yield every text of a model."""
    yield _texts_of_part(None, "", "the name", [table.qualified_name])
    yield _texts_of_part(None, "", "the comment", [table.comment or ""])
    yield _texts_of_part(None, "", "property", _keys_and_values(table.table_properties))
    yield _texts_of_part(None, "", "tag", _keys_and_values(table.tags))
    for check in table.checks:
        yield _texts_of_part("checks", check.name, "the name of check", [check.name])
        yield _texts_of_part("checks", check.name, "the expression of a check", [check.expression])
    for named_key in table.named_keys:
        yield _texts_of_part(None, "", f"the name of a {named_key.kind}", [named_key.name or ""])
    for key in table.foreign_keys:
        yield _texts_of_part(None, "", "the parent of a foreign key", [str(key.parent)])
    for argument in _OTHER_ARGUMENTS:
        value = getattr(table, argument)
        if value:
            yield _texts_of_part(None, "", f"the argument {argument}", _texts_in(value))
    columns, names = table.columns, [column.name for column in table.columns]
    yield _Texts("the name of column", "columns", names, names)
    yield _Texts("the comment of a column", "columns", names, [column.comment or "" for column in columns])
    defaults = ["" if column.default is None else str(column.default) for column in columns]
    yield _Texts("the default of a column", "columns", names, defaults)
    yield _Texts("the expression of a column", "columns", names, [column.generated_as or "" for column in columns])
    for column in columns:
        if column.tags:
            yield _texts_of_part("columns", column.name, "tag", _keys_and_values(column.tags))
        if column.deprecated is not None:
            yield _texts_of_part("columns", column.name, "the replacement of a column", [column.deprecated.use])
    for name, data_type in nested_types(columns):
        fields, comments = _texts_below(data_type)
        column_names = (name,) * len(fields)
        yield _Texts("a field of column {column}", "columns", column_names, fields)
        yield _Texts("the comment of a field of column {column}", "columns", column_names, comments)


@lru_cache(maxsize=1024)
def _texts_below(data_type: DataTypeState) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of all fields in a type, and their comments."""
    fields = parts_below(data_type)
    return tuple(field.name for field in fields), tuple(field.comment for field in fields)


def _texts_of_part(part: Part | None, name: str, subject: str, values: Iterable[str]) -> _Texts:
    """Return texts that all belong to one part of the table."""
    texts = list(values)
    return _Texts(subject, part, [name] * len(texts), texts)


def _texts_in(value: object) -> Iterator[str]:
    """Yield every text in the value of an argument."""
    if isinstance(value, str):
        yield value
    elif is_dataclass(value):
        for part in fields(value):
            yield from _texts_in(getattr(value, part.name))
    elif isinstance(value, Iterable):
        for item in value:
            yield from _texts_in(item)


def _keys_and_values(values: Mapping[str, object]) -> Iterator[str]:
    for key, value in values.items():
        yield key
        yield str(value)


class UnknownReplacement(BuiltInModelRule):
    """A deprecation names a replacement that readers cannot use.

    ``use`` of a column names neither another column of the table nor a field of one; or ``use`` of a table is not the
    dotted name of another table.

    Remedy: Declare the replacement, or leave ``use`` out if there is none.

    Example:
        from datetime import date

        columns = [Column("amount", "int", deprecated=Deprecated(date(2026, 1, 31), use="amount_eur"))]
        model = Table("dev", "silver", "orders", columns)
    """

    code = "DS128"

    def _faults(self, table: Table) -> Iterator[Fault]:
        yield from (*_table_replacement_faults(table), *_column_replacement_faults(table))


def _table_replacement_faults(table: Table) -> Iterator[Fault]:
    if table.deprecated is None or not table.deprecated.use:
        return
    use = table.deprecated.use
    try:
        is_itself = parse_name(use) in {table.name, declared_name(table)}
    except DeclarationError:
        message = f"its deprecation names {use!r} as its replacement, which is not the name of a table"
        yield Fault(message, "write catalog.schema.table", part_path("deprecated"))
    else:
        if is_itself:
            message = "its deprecation names the table itself as its replacement"
            yield Fault(message, "name another table", part_path("deprecated"))


def _column_replacement_faults(table: Table) -> Iterator[Fault]:
    uses = [(column.name, column.deprecated.use) for column in table.columns if column.deprecated is not None]
    columns = desired_state(table).columns if uses else ()
    for name, use in uses:
        if not use:
            continue
        path = clustering_path(columns, use)
        if find(columns, path) is None:
            fact, remedy = "which is not a column", proposal(use, [column.name for column in columns], "declare it")
        elif same_name(path.root, name):
            fact, remedy = "which is dropped with it", "name another column"
        else:
            continue
        message = f"the deprecation of column {name} names {use} as its replacement, {fact}"
        yield Fault(message, remedy, part_path("columns", name, "deprecated"))
