"""Make models of tables, let models accept the drift of their tables, and prove that both declare what is stored."""

from __future__ import annotations

import importlib
import json
import os
import pickle
import subprocess
import sys
from dataclasses import dataclass, fields, replace
from functools import reduce
from importlib.util import find_spec
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from pyspark.sql import types as spark

from pytest_delta_schema.delta.names import KEY, ColumnPath, NameSet, folded, same_name
from pytest_delta_schema.diagnostics.errors import CatalogReadError, DeltaSchemaError
from pytest_delta_schema.diagnostics.redaction import may_be_secret, without_tokens
from pytest_delta_schema.engine.declarations import (
    BoundModel,
    held_tables,
    planner_of,
    property_policy_of,
    tables_of_file,
)
from pytest_delta_schema.execute.protocols import KeepsVersions
from pytest_delta_schema.models.constraints import Check, ForeignKey, Unique
from pytest_delta_schema.models.ownership import ALL_MANAGED, ASPECTS, IGNORE
from pytest_delta_schema.models.sets import Binding
from pytest_delta_schema.models.table import derived
from pytest_delta_schema.plan import changes as kinds
from pytest_delta_schema.plan.actions import change_lines
from pytest_delta_schema.plan.comparison import stored_key
from pytest_delta_schema.rules.properties import declarable_properties
from pytest_delta_schema.state.desired import declared_table, desired_state
from pytest_delta_schema.state.json_state import state_from_json, state_json
from pytest_delta_schema.state.keys import path_of_key
from pytest_delta_schema.state.spark_types import RENAMED_FROM
from pytest_delta_schema.state.states import ASPECT_PARTS, CatalogState, TableState, by_name
from pytest_delta_schema.state.types import children, columns_below, edited_columns, find, with_children

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from pytest_delta_schema.configuration.settings import Settings
    from pytest_delta_schema.delta.names import Aspect
    from pytest_delta_schema.execute.protocols import Catalog
    from pytest_delta_schema.models.column import Column
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.models.ownership import Ownership
    from pytest_delta_schema.models.table import PropertyValue, Table
    from pytest_delta_schema.plan.kinds import Change
    from pytest_delta_schema.plan.planner import TablePlanner
    from pytest_delta_schema.state.types import ColumnState


@dataclass(frozen=True, slots=True)
class ModelOfTable:
    """A model that was made from a table, or that accepts how its table differs from it."""

    table: Table
    secrets: tuple[str, ...]
    """The keys of properties that it leaves as they were, or out, because they may hold secrets."""


def model_name(name: QualifiedName, settings: Settings) -> QualifiedName:
    """Return the name that the model of a table has: that which the bindings map to the table."""
    return reversed_binding(settings).name(name)


def imported_model(state: TableState, settings: Settings, owns: Sequence[Aspect] | None = None) -> ModelOfTable:
    """Return the model of a table; a partial one declares the aspects that it owns, and ignores the others."""
    modes: Ownership = {aspect: IGNORE for aspect in ASPECTS if aspect not in owns} if owns else ALL_MANAGED
    bare = TableState(name=state.name)
    ignored: dict[str, Any] = {part.field: getattr(bare, part.field) for part in ASPECT_PARTS if part.aspect in modes}
    state = replace(state, columns=tuple(_owned_column(column, modes) for column in state.columns), **ignored)
    model = declared_table(_named_as_models(state, settings))
    if state.kind:
        return ModelOfTable(derived(model, read_only=True), ())
    policy = property_policy_of(settings)
    # A default of the project that the table lacks has to be declared absent.
    properties: dict[str, PropertyValue] = {
        key: None
        for key, _ in settings.default_properties
        if key not in state.table_properties and modes.get("properties") != IGNORE
    }
    secrets = []
    for key, value in declarable_properties(state).items():
        if policy.mode(key) == IGNORE:
            continue
        if may_be_secret(key, value):
            secrets.append(key)
        else:
            properties[key] = value
    declared = replace(model, table_properties=properties, owns=modes or model.owns)
    return ModelOfTable(declared, tuple(secrets))


def _named_as_models(state: TableState, settings: Settings) -> TableState:
    """Return the state of a table under the names that models have."""
    binding = reversed_binding(settings)
    keys = tuple(key._replace(parent=binding.name(key.parent)) for key in state.foreign_keys)
    return replace(state, name=binding.name(state.name), foreign_keys=keys)


def tokens_in(table: Table) -> tuple[str, ...]:
    """Return where a model holds tokens: in its comments, expressions and tags, such as ``columns.id.comment``."""
    state = replace(desired_state(table), table_properties={})
    return tuple(dict.fromkeys(_tokens(state_json(state), "")))


def _tokens(value: object, path: str) -> Iterator[str]:
    if isinstance(value, str):
        if without_tokens(value) != value:
            yield path
    elif isinstance(value, list):
        for item in value:
            name = item.get("name", "") if isinstance(item, dict) else ""
            yield from _tokens(item, f"{path}.{name}" if name else path)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _tokens(item, path if key in _NO_PARTS else f"{path}.{key}".strip("."))


_NO_PARTS = ("type", "fields", "element", "name")
"""The keys of a state in JSON that are no parts of the paths in messages."""


def reversed_binding(settings: Settings) -> Binding:
    """Return the binding that maps names in the catalog to those in models."""
    return Binding(tuple((target, prefix) for prefix, target in settings.bindings))


def accepted_drift(model: Table, stored: TableState, changes: Iterable[Change], settings: Settings) -> ModelOfTable:
    """Return a model with what its table has in each place that the changes of its plan name."""
    changes = tuple(changes)
    there = {key: stored.table_properties.get(key) for change in changes for key in property_keys(change)}
    secrets = frozenset(key for key, value in there.items() if value is not None and may_be_secret(key, value))
    wanted = desired_state(BoundModel.of(model, settings).table)
    before, after = (
        replace(_named_as_models(state, settings), name=model.name)
        for state in (wanted, accepted_state(wanted, stored, changes))
    )
    old, new = declared_table(before), declared_table(after)
    parts: dict[str, Any] = {}
    for name in (part.argument for part in ASPECT_PARTS):
        declared, stale, fresh = (getattr(table, name) for table in (model, old, new))
        if stale != fresh:
            parts[name] = _updated_constraints(model, declared, stale, fresh) if name in _CONSTRAINTS else fresh
    if before.columns != after.columns or before.tags != after.tags:
        parts["columns"] = tuple(_updated_columns(model.columns, old.columns, new.columns))
    properties = _updated_properties(model, before, after, secrets, dict(settings.default_properties))
    if properties != model.table_properties:
        parts["table_properties"] = properties
    return ModelOfTable(derived(model, **parts), tuple(sorted(secrets)))


def renamed_as_stored(
    catalog: Catalog, model: Table, wanted: TableState, stored: TableState, changes: Iterable[Change]
) -> Table:
    """Return a model in which one column has the name that a rename of its table gave it; or the model."""
    if not isinstance(catalog, KeepsVersions):
        return model
    for path in [change.path for change in changes if isinstance(change, kinds.ColumnAdd)]:
        declared = NameSet(column.name for column in columns_below(wanted.columns, path.parent))
        for new in [column.name for column in columns_below(stored.columns, path.parent)]:
            formers = () if new in declared else _former_names(catalog, stored.name, path.parent.child(new))
            if path.name in NameSet(formers):
                return derived(model, columns=tuple(_renamed_columns(model.columns, path.parts, new)))
    return model


def _former_names(catalog: KeepsVersions, table: QualifiedName, path: ColumnPath) -> Iterator[str]:
    """Yield the names of a column in those older versions of its table that its log still has, the newest first."""
    parts = path.parts
    try:
        for commit in reversed(catalog.commits(table)):
            if not commit.table_id or not commit.version:
                continue
            if "REPLACE" in commit.operation or commit.parameters.get("mode") == "Overwrite":
                return  # columns of the same name are other columns
            now, before = catalog.state_at(table, commit.version).columns, catalog.columns_before(table, commit.version)
            parts = tuple(_other_names(now, before, parts))
            if len(parts) < len(path):
                return
            yield parts[-1]
    except CatalogReadError:
        return


def _other_names(columns: Sequence[ColumnState], others: Sequence[ColumnState], parts: Iterable[str]) -> Iterator[str]:
    """Yield the names on a path of columns in other columns of the same shape; fewer if it leads nowhere."""
    for part in parts:
        pair = next((pair for pair in zip(columns, others, strict=True) if same_name(pair[0].name, part)), None)
        if pair is None:
            return
        yield pair[1].name
        columns, others = (children(column.data_type) for column in pair)


def _renamed_columns(columns: Iterable[Column], parts: Sequence[str], name: str) -> Iterator[Column]:
    """Yield columns of which the one, or the field, that a path leads to has a name and its former one."""
    for column in columns:
        if not same_name(column.name, parts[0]):
            yield column
        elif len(parts) == 1:
            yield replace(column, name=name, renamed_from=column.name)
        else:
            yield replace(column, data_type=_renamed_type(column.data_type, parts[1:], name))


def _renamed_type(data_type: spark.DataType, parts: Sequence[str], name: str) -> spark.DataType:
    rest = parts[1:]
    match data_type:
        case spark.StructType():
            return spark.StructType([_renamed_field(field, parts, name) for field in data_type.fields])
        case spark.ArrayType():
            return spark.ArrayType(_renamed_type(data_type.elementType, rest, name), data_type.containsNull)
        case spark.MapType(keyType=key, valueType=value):
            key, value = (
                (_renamed_type(key, rest, name), value) if parts[0] == KEY else (key, _renamed_type(value, rest, name))
            )
            return spark.MapType(key, value, data_type.valueContainsNull)
    return data_type


def _renamed_field(field: spark.StructField, parts: Sequence[str], name: str) -> spark.StructField:
    if not same_name(field.name, parts[0]):
        return field
    if len(parts) > 1:
        return spark.StructField(
            field.name, _renamed_type(field.dataType, parts[1:], name), field.nullable, field.metadata
        )
    return spark.StructField(name, field.dataType, field.nullable, {**(field.metadata or {}), RENAMED_FROM: field.name})


def _updated_columns(declared: Iterable[Column], old: Iterable[Column], new: Iterable[Column]) -> Iterator[Column]:
    """Yield the declared columns with what differs between the old and the new ones; new columns as they are."""
    models, before = ({folded(column.name): column for column in columns} for columns in (declared, old))
    for column in new:
        name = folded(column.name)
        yield _updated_column(models[name], before[name], column) if name in models else column


def _updated_column(declared: Column, old: Column, new: Column) -> Column:
    names = [field.name for field in fields(new) if getattr(old, field.name) != getattr(new, field.name)]
    parts: dict[str, Any] = {name: getattr(new, name) for name in names}
    if "data_type" in parts:
        parts["data_type"] = _updated_type(declared.data_type, old.data_type, new.data_type)
    return replace(declared, **parts) if parts else declared


def _updated_type(declared: spark.DataType, old: spark.DataType, new: spark.DataType) -> spark.DataType:
    """Return a declared type with what differs between the old and the new one."""
    if old == new:
        return declared
    match declared, old, new:
        case spark.StructType(), spark.StructType(), spark.StructType():
            models, before = ({folded(field.name): field for field in part.fields} for part in (declared, old))
            known = models.keys() & before.keys()
            return spark.StructType(
                [
                    _updated_field(models[name], before[name], field) if name in known else field
                    for field, name in ((field, folded(field.name)) for field in new.fields)
                ]
            )
        case spark.ArrayType(), spark.ArrayType(), spark.ArrayType():
            return spark.ArrayType(
                _updated_type(declared.elementType, old.elementType, new.elementType), new.containsNull
            )
        case spark.MapType(), spark.MapType(), spark.MapType():
            return spark.MapType(
                _updated_type(declared.keyType, old.keyType, new.keyType),
                _updated_type(declared.valueType, old.valueType, new.valueType),
                new.valueContainsNull,
            )
    return new


def _updated_field(declared: spark.StructField, old: spark.StructField, new: spark.StructField) -> spark.StructField:
    """Return a declared field with what differs between the old and the new one; its other metadata stays."""
    metadata = dict(declared.metadata or {})
    if old.metadata != new.metadata:
        metadata = {key: value for key, value in metadata.items() if key != "comment"} | new.metadata
    return spark.StructField(
        declared.name, _updated_type(declared.dataType, old.dataType, new.dataType), new.nullable, metadata
    )


_CONSTRAINTS = ("checks", "unique", "foreign_keys")
"""The arguments whose constraints are told from each other by their names."""


def _updated_constraints(
    model: Table, *parts: Sequence[Check | Unique | ForeignKey]
) -> tuple[Check | Unique | ForeignKey, ...]:
    """Return declared constraints with those that differ between old and new ones, which follow; new ones come last."""
    declared, before, after = (
        {folded(part.name if isinstance(part, Check) else path_of_key(model, part)): part for part in constraints}
        for constraints in parts
    )
    kept = {name: part for name, part in declared.items() if name in after}
    return (
        *(part if after[name] == before.get(name) else after[name] for name, part in kept.items()),
        *(part for name, part in after.items() if name not in before),
    )


def _updated_properties(
    model: Table, before: TableState, after: TableState, secrets: Collection[str], defaults: Collection[str]
) -> Mapping[str, PropertyValue]:
    """Return the declared properties with those that differ between two states."""
    properties = dict(model.table_properties)
    for key in {**before.table_properties, **after.table_properties}:
        value = after.table_properties.get(key)
        if key in secrets or value == before.table_properties.get(key):
            continue
        if key in after.table_properties or key in defaults:
            properties[key] = value
        else:
            del properties[key]
    return MappingProxyType(properties)


def accepted_state(wanted: TableState, stored: TableState, changes: Iterable[Change]) -> TableState:
    """Return what a model wants if each part of the table that a change names becomes as it is stored."""
    changes = tuple(changes)
    for change in changes:
        wanted = _accepted(wanted, stored, change)
    in_order = wanted.column_order != IGNORE or any(isinstance(change, kinds.ColumnMove) for change in changes)
    return replace(wanted, columns=_in_order(wanted.columns, stored.columns)) if in_order else wanted


def _in_order(columns: tuple[ColumnState, ...], stored: tuple[ColumnState, ...]) -> tuple[ColumnState, ...]:
    """Return columns in the order in which they are stored; those that are not stored come last."""
    position = {folded(column.name): index for index, column in enumerate(stored)}
    return tuple(sorted(columns, key=lambda column: position.get(folded(column.name), len(position))))


def property_keys(change: Any) -> Sequence[str]:
    """Return the keys of the properties that a change sets or removes; none for one of a different aspect."""
    if change.aspect != "properties":
        return ()
    return tuple(getattr(change, "properties", ())) or tuple(getattr(change, "keys", ())) or (change.key,)


def _accepted(  # noqa: C901, PLR0911, PLR0912 - one answer a kind
    wanted: TableState, stored: TableState, change: Change
) -> TableState:
    """Return a wanted state that has what is stored where a change concerns it; other aspects become so as a whole."""
    match change:
        case kinds.ColumnMove():
            return wanted
        case kinds.ColumnAdd(path=path) | kinds.ColumnDrop(path=path) | kinds.ColumnRename(path=path):
            return _column_as_stored(wanted, stored, path)
        case kinds.ColumnNullabilityChange(path=path):
            return _part_as_stored(wanted, stored, path, "is_nullable")
        case kinds.ColumnTypeChange(path=path):
            return _part_as_stored(wanted, stored, path, "data_type")
        case kinds.ColumnDefaultChange(path=path):
            return _part_as_stored(wanted, stored, path, "value")
        case kinds.ColumnGenerationChange(name=name):
            return _part_as_stored(wanted, stored, ColumnPath(name), "value")
        case kinds.SetColumnComments(comments=comments):
            return reduce(lambda state, path: _part_as_stored(state, stored, path, "comment"), comments, wanted)
        case kinds.SetTableComment():
            return replace(wanted, table_comment=stored.table_comment)
        case kinds.CheckAdd(name=name) | kinds.CheckDrop(name=name):
            return _constraint_as_stored(wanted, stored, "checks", name)
        case kinds.UniqueAdd(key=key) | kinds.UniqueDrop(key=key):
            return _constraint_as_stored(wanted, stored, "unique", key.name)
        case kinds.ForeignKeyAdd(key=foreign_key) | kinds.ForeignKeyDrop(key=foreign_key):
            return _constraint_as_stored(wanted, stored, "foreign_keys", foreign_key.name)
        case kinds.SetTags(path=path, tags=keys) | kinds.UnsetTags(path=path, keys=keys):
            return _tags_as_stored(wanted, stored, path, keys)
    if names := property_keys(change):
        return _properties_as_stored(wanted, stored, names)
    # A model says nothing about files that are not converted.
    parts: dict[str, Any] = {
        part.field: getattr(stored, part.field) for part in ASPECT_PARTS if part.aspect == change.aspect
    }
    return replace(wanted, **parts)


def _column_as_stored(wanted: TableState, stored: TableState, path: ColumnPath) -> TableState:
    there = find(stored.columns, path)
    if there is None:
        return _with_edit(wanted, path, lambda _: None)
    column = _owned_column(there, wanted.ownership)
    if not path.parent:
        return replace(wanted, columns=(*wanted.columns, column))

    def with_field(parent: ColumnState) -> ColumnState:
        return parent._replace(data_type=with_children(parent.data_type, (*children(parent.data_type), column)))

    return _with_edit(wanted, path.parent, with_field)


def _part_as_stored(wanted: TableState, stored: TableState, path: ColumnPath, part: str) -> TableState:
    there = find(stored.columns, path)
    # What the table lacks is removed with all of its parts.
    if there is None:
        return _with_edit(wanted, path, lambda _: None)
    value = getattr(_owned_column(there, wanted.ownership), part)
    return _with_edit(wanted, path, lambda column: column._replace(**{part: value}))


def _owned_column(column: ColumnState, modes: Ownership) -> ColumnState:
    """Return a stored column without what the contract ignores: its comments, or its default."""
    ignores_comments = modes.get("comments") == IGNORE
    value = None if modes.get("defaults") == IGNORE else column.value
    return column._replace(value=value) if not ignores_comments else _without_comments(column)._replace(value=value)


def _without_comments(column: ColumnState) -> ColumnState:
    parts = tuple(map(_without_comments, children(column.data_type)))
    data_type = with_children(column.data_type, parts) if parts else column.data_type
    return column._replace(comment="", data_type=data_type)


def _with_edit(state: TableState, path: ColumnPath, edit: Callable[[ColumnState], ColumnState | None]) -> TableState:
    return replace(state, columns=edited_columns(state.columns, path.parts, edit))


def _constraint_as_stored(wanted: TableState, stored: TableState, field: str, name: str) -> TableState:
    kept = [constraint for constraint in getattr(wanted, field) if by_name(constraint) != folded(name)]
    there = [constraint for constraint in getattr(stored, field) if by_name(constraint) == folded(name)]
    both: Any = {field: tuple(sorted([*kept, *there], key=by_name))}
    return replace(wanted, **both)


def _properties_as_stored(wanted: TableState, stored: TableState, keys: Iterable[str]) -> TableState:
    properties = dict(wanted.table_properties)
    for key in keys:
        declared, there = stored_key(key, properties), stored_key(key, stored.table_properties)
        if there is not None:
            properties[declared or key] = stored.table_properties[there]
        elif declared is not None:
            del properties[declared]
    return replace(wanted, table_properties=MappingProxyType(properties))


def _tags_as_stored(wanted: TableState, stored: TableState, path: ColumnPath, keys: Iterable[str]) -> TableState:
    there = stored.tags.get(path, {})
    tags = {key: value for key, value in wanted.tags.get(path, {}).items() if key not in keys}
    tags |= {key: there[key] for key in keys if key in there}
    others = {other: values for other, values in wanted.tags.items() if other != path}
    return replace(wanted, tags=MappingProxyType({**others, **({path: MappingProxyType(tags)} if tags else {})}))


class Module(NamedTuple):
    """A module whose models are proved."""

    path: str
    dotted: str = ""
    """The name by which the project imports it; a module without one is run as a file."""


class Proofs(NamedTuple):
    """What models of some modules declare, compared with tables."""

    differences: Mapping[QualifiedName, tuple[str, ...]]
    """One line a difference between a model and its table; nothing if its plan is empty."""
    unusable: Mapping[QualifiedName, str] = MappingProxyType({})
    """Why the module of a model cannot be used, or does not declare it."""

    def lines(self, name: QualifiedName) -> tuple[str, ...]:
        """Return the differences of a model, or why its module cannot be used."""
        return (self.unusable[name],) if name in self.unusable else self.differences[name]


def proved(
    modules: Mapping[Module, Sequence[QualifiedName]], states: Iterable[TableState], settings: Settings
) -> Proofs:
    """Return the differences that remain between some models, by their modules, and what was read of their tables."""
    plain = replace(settings, model_rules=(), plan_rules=())
    request = pickle.dumps((modules, [state_json(state) for state in states], plain))
    # What a module prints must not end up in the answer.
    program = f"import sys; sys.path[:] = {sys.path!r}; from {__name__} import answer; answer()"
    command = [sys.executable, "-B", "-c", program]
    done = subprocess.run(command, input=request, capture_output=True, check=False)  # noqa: S603 - the text above
    names = [name for declared in modules.values() for name in declared]
    if done.returncode != 0:
        last = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        return Proofs({}, dict.fromkeys(names, f"the process that plans it has ended with {done.returncode}: {last}"))
    differences, unusable = json.loads(done.stdout)
    return Proofs(
        {name: tuple(differences[str(name)]) for name in names if str(name) in differences},
        {name: unusable[str(name)] for name in names if str(name) in unusable},
    )


def answer() -> None:
    """Read what is to be proved from the standard input, and write the differences to the standard output."""
    with os.fdopen(os.dup(1), "w") as output:
        os.dup2(2, 1)
        request = pickle.load(sys.stdin.buffer)  # noqa: S301 - from the process that has started this one
        json.dump([{str(name): part for name, part in parts.items()} for parts in _proofs(*request)], output)


def _proofs(modules: Mapping[Module, Sequence[QualifiedName]], forms: Iterable[Any], settings: Settings) -> Proofs:
    state = CatalogState.of({state.name: state for state in map(state_from_json, forms)})
    planner = planner_of(settings)
    differences: dict[QualifiedName, tuple[str, ...]] = {}
    unusable: dict[QualifiedName, str] = {}
    for module, names in modules.items():
        try:
            models = {table.name: BoundModel.of(table, settings).table for table in _tables_of_module(module)}
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a module raises is why it cannot be used
            unusable |= dict.fromkeys(names, f"{module.path} cannot be imported: {type(error).__name__}: {error}")
        else:
            unusable |= {name: f"{module.path} does not declare it" for name in names if name not in models}
            differences |= {name: differences_of(models[name], planner, state) for name in names if name in models}
    return Proofs(differences, unusable)


def _tables_of_module(module: Module) -> list[Table]:
    """Run a module by its name, if that is the name of its file, or else as a file, and return its tables."""
    if module.dotted and _path_of_module(module.dotted) == module.path:
        values: Iterable[object] = vars(importlib.import_module(module.dotted)).values()
    else:
        values = tables_of_file(module.path).values()
    return [table for value in values for table in held_tables(value)]


def _path_of_module(dotted: str) -> str | None:
    """Return the path of the module that a name imports; ``None`` if it imports none."""
    try:
        spec = find_spec(dotted)
    except (ImportError, ValueError):
        return None
    return None if spec is None else spec.origin


def differences_of(table: Table, planner: TablePlanner, state: CatalogState) -> tuple[str, ...]:
    """Return the differences between a model, bound to its table, and the table, or why it cannot be planned."""
    try:
        plan = planner.plan([table], state)
    except DeltaSchemaError as error:
        return (str(error),)
    return tuple(str(line) for action in (*plan.actions, *plan.mismatches) for line in change_lines(action))
