"""Compare two states of a table aspect by aspect, and return the changes between them."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

from pytest_delta_schema.delta.fields import Widening, widening
from pytest_delta_schema.delta.names import TABLE, ColumnPath, NameMap, NameSet, folded, same_name, same_names
from pytest_delta_schema.delta.properties import RETENTIONS, equal_values
from pytest_delta_schema.delta.protocol import (
    COLUMN_MAPPING,
    FEATURE_PREFIX,
    MAPPING_PROPERTY,
    ONE_WAY,
    PROTOCOL_VERSIONS,
    TYPE_WIDENING,
    WIDENING_PROPERTY,
    is_on,
    maps_by_version,
    supported_features,
    written_version,
)
from pytest_delta_schema.models.column import NO_DECLARED_TAGS
from pytest_delta_schema.models.ownership import FORBID, IGNORE, MANAGE, REPORT
from pytest_delta_schema.plan import changes as kinds
from pytest_delta_schema.plan.actions import AlignTable, CreateTable
from pytest_delta_schema.plan.difference import new_names, old_names, place_of, with_names
from pytest_delta_schema.state.delta_log import encode_owned
from pytest_delta_schema.state.expressions import canonical, columns_in, simplified, with_columns
from pytest_delta_schema.state.states import DELTA, OWNED_PROPERTIES, same_rely
from pytest_delta_schema.state.types import ColumnGeneration, ColumnState, atoms, find

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.models.ownership import ContractMode
    from pytest_delta_schema.plan.difference import Difference
    from pytest_delta_schema.plan.kinds import Change
    from pytest_delta_schema.plan.property_policy import PropertyPolicy
    from pytest_delta_schema.state.states import CheckState, ForeignKeyState, KeyState, TableState


def column_changes(difference: Difference) -> Iterator[Change]:
    """Yield the columns and fields to rename, to add and to drop, and those whose nullability changes."""
    yield from difference.renames.done
    for placed in difference.added:
        after = place_of(placed, difference) if difference.extras else None
        yield kinds.ColumnAdd(column=placed.column, above=placed.above, after=after)
    for placed in difference.dropped:
        yield kinds.ColumnDrop(column=placed.column, above=placed.above)
    for pair in difference.changed:
        if pair.desired.is_nullable != pair.observed.is_nullable:
            yield kinds.ColumnNullabilityChange(path=pair.path, is_nullable=pair.desired.is_nullable)


def type_changes(difference: Difference) -> Sequence[Change]:
    """Return the columns and the parts of columns whose own type differs."""
    return [
        kinds.ColumnTypeChange(path=pair.path, before=pair.observed.data_type, after=pair.desired.data_type)
        for pair in difference.retyped
    ]


_NO_VALUE = ColumnGeneration()


def value_changes(difference: Difference) -> Iterator[Change]:
    """Yield the defaults to set and to drop, those of new columns included, and the changes of generated columns."""
    for placed in difference.added:
        value = placed.column.value
        if value is not None and value.default is not None:
            yield kinds.ColumnDefaultChange(path=placed.path, before=None, after=value.default)
    for pair in difference.changed:
        if pair.desired.value == pair.observed.value:
            continue
        after, before = pair.desired.value or _NO_VALUE, pair.observed.value or _NO_VALUE
        if not equal_expressions(before.default, after.default):
            yield kinds.ColumnDefaultChange(path=pair.path, before=before.default, after=after.default)
        before, after = before._replace(default=None), after._replace(default=None)
        if not equal_expressions(before.generated, after.generated) or before.identity != after.identity:
            yield kinds.ColumnGenerationChange(name=pair.path.root, before=before, after=after)


def cosmetic_values(difference: Difference) -> Iterator[tuple[ColumnPath, str, str]]:
    """Yield the path, the wanted and the stored expression where they are equal and written in different forms."""
    for pair in difference.changed:
        if pair.desired.value == pair.observed.value:
            continue
        for wanted, stored in zip(
            (pair.desired.value or _NO_VALUE)[:2], (pair.observed.value or _NO_VALUE)[:2], strict=True
        ):
            if wanted is not None and stored is not None and is_cosmetic(wanted, stored):
                yield pair.path, wanted, stored


def equal_expressions(left: str | None, right: str | None) -> bool:
    """Whether two expressions are equal, in any form."""
    if left is None or right is None:
        return left is right
    return left == right or canonical(left) == canonical(right) or simplified(left) == simplified(right)


def is_cosmetic(left: str, right: str) -> bool:
    """Whether two expressions are equal and written in different forms."""
    return left != right and canonical(left) != canonical(right) and simplified(left) == simplified(right)


def check_changes(difference: Difference) -> Iterator[Change]:
    """Yield the checks to drop and to add: both for one that is replaced or names a column that changes."""
    if not (difference.desired.checks or difference.observed.checks):
        return
    changed_columns, names = _changed_columns(difference), new_names(difference.renames.done)
    wanted_names, stored_names = NameSet.of(difference.desired.checks), NameSet.of(difference.observed.checks)
    added = [check for check in difference.desired.checks if check.name not in stored_names]
    replaced = [
        (stored, wanted)
        for wanted, stored in _check_pairs(difference)
        if not changed_columns.isdisjoint(columns_in(stored.expression))
        or not equal_expressions(wanted.expression, stored.expression)
    ]
    for stored in difference.observed.checks:
        if stored.name in wanted_names:
            continue
        expression = canonical(renamed_expression(stored.expression, names))
        under_new_name = next((wanted for wanted in added if canonical(wanted.expression) == expression), None)
        if under_new_name is None:
            yield kinds.CheckDrop(**stored._asdict())
        else:
            added.remove(under_new_name)
            replaced.append((stored, under_new_name))
    for stored, wanted in replaced:
        yield kinds.CheckDrop(**stored._asdict(), replaced_by=wanted)
        yield kinds.CheckAdd(**wanted._asdict(), replaces=stored)
    yield from (kinds.CheckAdd(**wanted._asdict()) for wanted in added)


def cosmetic_differences(difference: Difference) -> Iterator[tuple[CheckState, CheckState]]:
    """Yield wanted and stored checks that are equal and written in different forms."""
    for wanted, stored in _check_pairs(difference):
        if is_cosmetic(wanted.expression, stored.expression):
            yield wanted, stored


def _changed_columns(difference: Difference) -> NameSet:
    """Return the columns that are retyped, renamed or dropped, or have a part that is."""
    paths = [pair.path for pair in difference.retyped]
    paths += [placed.path for placed in difference.dropped]
    old = [rename.path for rename in difference.renames.done]
    names = old_names(difference.renames.done)
    return NameSet(path.root for path in (*(with_names(path, names) for path in paths), *old))


def _check_pairs(difference: Difference) -> list[tuple[CheckState, CheckState]]:
    if not difference.observed.checks:
        return []
    stored, wanted = NameMap.of(difference.observed.checks), difference.desired.checks
    return [(check, stored[check.name]) for check in wanted if check.name in stored]


def renamed_expression(expression: str, names: Mapping[ColumnPath, str]) -> str:
    """Return an expression over the stored names with renamed columns; unchanged if nothing is renamed."""
    return with_columns(expression, names) if names else expression


def primary_key_changes(wanted: TableState, stored: TableState) -> Iterator[Change]:
    """Yield the drop of the stored primary key and the addition of the wanted one, if they differ."""
    desired, observed = wanted.primary_key, stored.primary_key
    if desired is observed:
        return
    if desired and observed and _key_identity(desired) == _key_identity(observed) and same_rely(desired, observed):
        return
    if observed is not None:
        yield kinds.PrimaryKeyDrop(key=observed)
    if desired is not None:
        yield kinds.PrimaryKeyAdd(key=desired)


def unique_changes(wanted: TableState, stored: TableState) -> Iterator[Change]:
    """Yield the UNIQUE constraints to drop and to add; one that differs in anything is dropped and added."""
    if wanted.unique == stored.unique:
        return
    kept = {_key_identity(key) for key in wanted.unique} & {_key_identity(key) for key in stored.unique}
    yield from (kinds.UniqueDrop(key=key) for key in stored.unique if _key_identity(key) not in kept)
    yield from (kinds.UniqueAdd(key=key) for key in wanted.unique if _key_identity(key) not in kept)


def _key_identity(key: KeyState) -> tuple[str, ...]:
    return (folded(key.name), *map(folded, key.columns))


def foreign_key_changes(wanted: TableState, stored: TableState) -> Iterator[Change]:
    """Yield the foreign keys to drop and to add; one that differs in anything is dropped and added."""
    by_name = NameMap.of(stored.foreign_keys)
    kept = NameSet.of(
        key for key in wanted.foreign_keys if key.name in by_name and _equal_foreign_keys(key, by_name[key.name])
    )
    yield from (kinds.ForeignKeyDrop(key=key) for key in stored.foreign_keys if key.name not in kept)
    yield from (kinds.ForeignKeyAdd(key=key) for key in wanted.foreign_keys if key.name not in kept)


def dependent_foreign_keys(
    wanted: Iterable[ForeignKeyState], stored: Iterable[ForeignKeyState], changed_keys: Iterable[QualifiedName]
) -> Iterator[Change]:
    """Yield the changes of foreign keys that reference a primary key that is dropped."""
    parents = set(changed_keys)
    wanted_by_name = NameMap.of(wanted)
    for key in stored:
        if key.parent in parents:
            yield kinds.ForeignKeyDrop(key=key)
            match = wanted_by_name.get(key.name)
            if match is not None and _equal_foreign_keys(match, key):
                yield kinds.ForeignKeyAdd(key=match)


def _equal_foreign_keys(wanted: ForeignKeyState, stored: ForeignKeyState) -> bool:
    """Whether two foreign keys of one name are equal; no parent columns are those of the parent's primary key."""
    left, right = wanted.parent_columns, stored.parent_columns
    return (
        wanted.parent == stored.parent
        and same_rely(wanted, stored)
        and same_names(wanted.columns, stored.columns)
        and (not left or not right or same_names(left, right))
    )


_Action = TypeVar("_Action", CreateTable, AlignTable)


def with_parents(
    action: _Action, parents: Mapping[QualifiedName, TableState], stored: Mapping[QualifiedName, TableState]
) -> _Action:
    """Add the parents of new foreign keys to an action."""
    if not action.foreign_keys:
        return action
    names = sorted({change.key.parent for change in action.foreign_keys} & parents.keys())
    parent_states = MappingProxyType({name: parents[name] for name in names})
    if isinstance(action, CreateTable):
        return replace(
            action,
            parents=parent_states,
            foreign_keys=tuple(_with_stored_parent(change, stored) for change in action.foreign_keys),
        )
    changes = tuple(
        _with_stored_parent(change, stored) if isinstance(change, kinds.ForeignKeyAdd) else change
        for change in action.changes
    )
    return replace(action, parents=parent_states, changes=changes)


def _with_stored_parent(change: kinds.ForeignKeyAdd, stored: Mapping[QualifiedName, TableState]) -> kinds.ForeignKeyAdd:
    """Return a foreign key that references its parent under the name that the catalog stores."""
    parent = stored.get(change.key.parent)
    return change if parent is None else replace(change, key=change.key._replace(parent=parent.name))


def comment_changes(difference: Difference) -> Iterator[Change]:
    """Yield the comments of columns and fields to set, new ones included, and the table's comment."""
    comments = [
        (pair.path, pair.desired.comment)
        for pair in difference.changed
        if pair.desired.comment != pair.observed.comment
    ]
    comments += [(placed.path, placed.column.comment) for placed in difference.added if placed.column.comment]
    if comments:
        comments.sort(key=lambda item: (item[0].is_nested, item[0].folded))
        yield kinds.SetColumnComments(comments=MappingProxyType(dict(comments)))
    if difference.desired.table_comment != difference.observed.table_comment:
        yield kinds.SetTableComment(comment=difference.desired.table_comment)


def tag_changes(difference: Difference) -> Sequence[Change]:
    """Return the tags to set and to remove."""
    if not difference.desired.tags:
        return ()
    changes: list[Change] = []
    olds = old_names(difference.renames.done)
    columns = (
        *difference.observed.columns,
        *(placed.column for placed in difference.added if not placed.path.is_nested),
    )
    for path, wanted in difference.desired.tags.items():
        if difference.observed.tags.get(path) == wanted and path not in olds:
            continue
        paths = _paths_of_tags(path, olds, columns)
        if paths is None:
            continue  # a column that the contract does not add
        here, before = paths
        there = difference.observed.tags.get(before, NO_DECLARED_TAGS)
        absent = tuple(key for key, value in wanted.items() if value is None and key in there)
        if absent:
            changes.append(kinds.UnsetTags(path=before, keys=absent))
        known = there if here == before else NO_DECLARED_TAGS
        values = {key: value for key, value in wanted.items() if value is not None and known.get(key) != value}
        if values:
            changes.append(kinds.SetTags(path=here, tags=MappingProxyType(values)))
    return changes


def has_tags(desired: TableState, observed: TableState) -> bool:
    """Whether all wanted tags are stored exactly."""
    return all(holds(observed.tags.get(path, NO_DECLARED_TAGS), tags) for path, tags in desired.tags.items())


_MISSING = object()


def holds(stored: Mapping[str, str | None], declared: Mapping[str, str | None]) -> bool:
    """Whether all declared keys are stored exactly; one that is declared absent may be stored in another spelling."""
    for key, value in declared.items():  # noqa: SIM110 - a generator would cost as much as all the rest
        if stored.get(key, _MISSING) != value:
            return False
    return True


def _paths_of_tags(
    path: ColumnPath, olds: Mapping[ColumnPath, str], columns: tuple[ColumnState, ...]
) -> tuple[ColumnPath, ColumnPath] | None:
    """Return the paths of a column after and before the plan; ``None`` if there will be no such column."""
    if not path:
        return TABLE, TABLE
    old = olds.get(path)
    if old is not None:
        return path, ColumnPath(old)
    column = find(columns, path)
    return None if column is None else (ColumnPath(column.name), ColumnPath(column.name))


def property_changes(
    difference: Difference,
    changes: Iterable[Change],
    enable: Collection[str],
    policy: PropertyPolicy,
    *,
    declared: bool = True,
) -> Iterator[Change]:
    """Yield the properties to set, declared ones and those that other changes need, and those to unset."""
    wanted = difference.desired.table_properties if declared else {}
    features = needed_features(difference, changes, enable)
    if not wanted and not features and policy.is_plain:
        return
    stored = difference.observed.table_properties
    to_set, to_unset = _compared_properties(
        {key: value for key, value in wanted.items() if policy.contract_mode(key) == MANAGE}
        if policy.modes
        else wanted,
        stored,
    )
    for key, value in features.items():
        if key not in stored and not is_on(key, stored):
            to_set.setdefault(key, value)
    if declared and not policy.is_plain:
        if owned_keys(difference.desired, policy) != (difference.observed.owned_properties or ()):
            to_set.update(record_of(difference.desired, policy))
        to_unset.update(_unwanted_properties(difference, policy))
    yield from _changes_of_properties(to_set, to_unset, stored)


def reported_property_changes(difference: Difference, policy: PropertyPolicy, aspect: ContractMode) -> Iterator[Change]:
    """Yield the differences of properties that are drift, and that no apply changes."""
    if aspect == IGNORE:
        return
    reported = {REPORT} if aspect == MANAGE else {REPORT, MANAGE}
    wanted = difference.desired.table_properties.items()
    to_set, to_unset = _compared_properties(
        {key: value for key, value in wanted if policy.contract_mode(key) in reported},
        difference.observed.table_properties,
    )
    if aspect == REPORT:
        to_unset.update(_forbidden_properties(difference, policy))
    yield from _changes_of_properties(to_set, to_unset, difference.observed.table_properties)


def _compared_properties(
    wanted: Mapping[str, str | None], stored: Mapping[str, str | None]
) -> tuple[dict[str, str], set[str]]:
    """Return the properties to set and the keys to unset."""
    to_set: dict[str, str] = {}
    to_unset: set[str] = set()
    for key, value in wanted.items():
        if value is not None and stored.get(key) == value:
            continue
        actual = stored_key(key, stored)
        if value is None:
            to_unset.update([] if actual is None else [actual])
        elif actual is not None:
            written = written_version(key, value, wanted)
            if written is not None and not equal_values(key, written, stored[actual]):
                to_set[actual] = value
        elif not folded(key).startswith(FEATURE_PREFIX) or key[len(FEATURE_PREFIX) :] not in NameSet(
            supported_features(stored)
        ):
            # The version of the protocol has some features without naming them.
            to_set[key] = value
    if not NameSet(to_set).isdisjoint(RETENTIONS):
        # Delta compares the two in each statement that sets one, whatever the table has for the other.
        declared = NameSet(key for key, value in wanted.items() if value is not None)
        to_set = {
            **{key: value for key, value in stored.items() if value and folded(key) in declared & RETENTIONS.keys()},
            **to_set,
        }
    if not NameSet(to_set).isdisjoint(PROTOCOL_VERSIONS) and maps_by_version(wanted):
        versions = {key: value for key, value in wanted.items() if value and folded(key) in PROTOCOL_VERSIONS}
        to_set |= {stored_key(key, stored) or key: value for key, value in versions.items()}
    return to_set, to_unset


def _changes_of_properties(
    to_set: dict[str, str], to_unset: set[str], stored: Mapping[str, str | None]
) -> Iterator[Change]:
    for key in [key for key in (*to_set, *to_unset) if same_name(key, MAPPING_PROPERTY)]:
        value = to_set.get(key)
        if is_on(MAPPING_PROPERTY, stored) and not is_on(MAPPING_PROPERTY, {key: value}):
            to_set.pop(key, None)
            to_unset.discard(key)
            yield kinds.ColumnMappingRemoval(key=key, after=value)
    if to_set:
        yield kinds.SetTableProperties(properties=MappingProxyType(dict(sorted(to_set.items()))))
    if to_unset:
        yield kinds.UnsetTableProperties(keys=tuple(sorted(to_unset)))


def owned_keys(desired: TableState, policy: PropertyPolicy) -> tuple[str, ...]:
    """Return the keys that a model sets, as the ownership record of its table lists them."""
    wanted = desired.table_properties.items()
    return tuple(sorted(key for key, value in wanted if value is not None and policy.contract_mode(key) == MANAGE))


def record_of(desired: TableState, policy: PropertyPolicy) -> dict[str, str]:
    """Return the property that holds the ownership record of a table; nothing if the policy keeps none."""
    keys = owned_keys(desired, policy) if policy.keeps_record else ()
    return {OWNED_PROPERTIES: encode_owned(keys)} if keys else {}


def _unwanted_properties(difference: Difference, policy: PropertyPolicy) -> Iterator[str]:
    """Yield the stored keys that are forbidden, or that the model has set once and does not declare any more."""
    stored, declared = difference.observed.table_properties, difference.desired.table_properties
    yield from _forbidden_properties(difference, policy)
    if policy.keeps_record and difference.observed.owned_properties:
        if not owned_keys(difference.desired, policy):
            yield OWNED_PROPERTIES
        for key in difference.observed.owned_properties:
            actual = stored_key(key, stored)
            is_managed = policy.contract_mode(key) == MANAGE
            if actual is not None and stored_key(key, declared) is None and is_managed:
                yield actual


def _forbidden_properties(difference: Difference, policy: PropertyPolicy) -> Iterator[str]:
    for key in difference.observed.table_properties:
        if policy.mode(key) == FORBID and not folded(key).startswith(ONE_WAY):
            yield key


def stored_key(key: str, stored: Mapping[str, str | None]) -> str | None:
    """Find how ``key`` is stored: Delta's own in one spelling, others in that of their statement (Delta 4.4.0)."""
    if key in stored:
        return key
    if not folded(key).startswith("delta."):
        return None
    return next((other for other in stored if same_name(other, key)), None)


NEEDED_FEATURES = {"timestamp_ntz": {f"{FEATURE_PREFIX}timestampNtz": "supported"}}
"""Types that Delta accepts in a new table, and refuses in an existing one until a property enables their feature
(``DELTA_FEATURES_REQUIRE_MANUAL_ENABLEMENT``, Delta 4.4.0; variant enables its feature by itself)."""

DEFAULTS_FEATURE = "delta.feature.allowColumnDefaults"
"""Without it Delta refuses every default; a refused creation leaves a folder behind (Delta 4.4.0)."""


def features_to_enable(change: Change) -> tuple[str, ...]:
    """Return the table features that a project has to enable before Delta makes a change."""
    match change:
        case kinds.ColumnDrop() | kinds.ColumnRename():
            return (COLUMN_MAPPING,)
        case kinds.ColumnTypeChange(before=before, after=after):
            return (TYPE_WIDENING,) if widening(before, after) is Widening.BY_FEATURE else ()
        case kinds.ColumnAdd(column=ColumnState(value=value)) | kinds.ColumnGenerationChange(after=value):
            if value is not None and value.identity is not None:
                return ("identityColumns",)
            return ("generatedColumns",) if value is not None and value.generated is not None else ()
    return ()


_ENABLING = {TYPE_WIDENING: {WIDENING_PROPERTY: "true"}, COLUMN_MAPPING: {MAPPING_PROPERTY: "name"}}


def needed_features(difference: Difference, changes: Iterable[Change], enable: Collection[str]) -> dict[str, str]:
    """Return the properties that must be set before the columns and types can change."""
    needed: dict[str, str] = {}
    added = [placed.column for placed in difference.added]
    retyped = [pair.desired for pair in difference.retyped]
    new = atoms([column.data_type for column in added + retyped]).intersection(NEEDED_FEATURES)
    if new:
        new -= atoms(column.data_type for column in difference.observed.columns)
        for atom in sorted(new):
            needed.update(NEEDED_FEATURES[atom])
    if any(map(_has_default, added + [pair.desired for pair in difference.changed])):
        needed[DEFAULTS_FEATURE] = "supported"
    for feature in {feature for change in changes for feature in features_to_enable(change)}.intersection(enable):
        needed.update(_ENABLING.get(feature, {}))
    return needed


def features_of_new_table(desired: TableState) -> dict[str, str]:
    """Return the properties that a new table needs besides the declared ones."""
    if not any(map(_has_default, desired.columns)):
        return {}
    return {} if DEFAULTS_FEATURE in NameSet(desired.table_properties) else {DEFAULTS_FEATURE: "supported"}


def as_created(desired: TableState) -> TableState:
    """Return a desired state with the properties that a table has which is created from it."""
    features = features_of_new_table(desired)
    if not features:
        return desired
    return replace(desired, table_properties=MappingProxyType({**features, **desired.table_properties}))


def _has_default(column: ColumnState) -> bool:
    return column.value is not None and column.value.default is not None


def layout_changes(difference: Difference) -> Sequence[Change]:
    """Return the changes of partitioning and clustering, and the columns to move."""
    changes: list[Change] = []
    desired, observed = difference.desired, difference.observed
    if desired.partitioning or desired.clustering or observed.partitioning or observed.clustering:
        names = new_names(difference.renames.done)
        partitioning = tuple(names.get(ColumnPath(name), name) for name in observed.partitioning)
        clustering = tuple(with_names(path, names) for path in observed.clustering)
        if not same_names(desired.partitioning, partitioning):
            changes.append(kinds.LayoutRewrite(partitioning=desired.partitioning, clustering=desired.clustering))
        elif desired.clustering != clustering:
            changes.append(kinds.ClusteringChange(before=clustering, after=desired.clustering))
    if desired.column_order != IGNORE:
        changes += _moves(difference)
    return changes


def _moves(difference: Difference) -> Iterator[Change]:
    """Yield the fewest moves after which all declared columns are in order."""
    wanted = [column.name for column in difference.desired.columns]
    positions = NameMap((name, position) for position, name in enumerate(wanted))
    columns = (
        *difference.renames.columns,
        *(placed.column for placed in difference.added if not placed.path.is_nested),
    )
    stored = NameMap.of(columns)
    final = [column.name for column in columns if column.name in positions]
    staying = _longest_increasing([positions[name] for name in final])
    for position, name in enumerate(wanted):
        if position not in staying:
            above = wanted[position - 1] if position else None
            yield kinds.ColumnMove(name=stored[name].name, after=above and stored[above].name)


def _longest_increasing(numbers: Sequence[int]) -> set[int]:
    """Return the members of a longest increasing subsequence."""
    ends: list[int] = []
    at: list[int] = []
    before: dict[int, int | None] = {}
    for index, number in enumerate(numbers):
        length = bisect_left(ends, number)
        before[index] = at[length - 1] if length else None
        ends[length : length + 1] = [number]
        at[length : length + 1] = [index]
    members: set[int] = set()
    here: int | None = at[-1] if at else None
    while here is not None:
        members.add(numbers[here])
        here = before[here]
    return members


def as_converted(desired: TableState, observed: TableState) -> TableState:
    """Return the state of files after their conversion."""
    source = observed.source
    if source is None or source.is_registered or source.provider == DELTA:
        return observed
    partitioned = NameSet(observed.partitioning)
    typed = []
    for column in observed.columns:
        wanted = find(desired.columns, (column.name,)) if column.name in partitioned else None
        typed.append(column if wanted is None else column._replace(name=wanted.name, data_type=wanted.data_type))
    names = NameMap((column.name, column.name) for column in typed)
    partitioning = tuple(names.get(name) or name for name in observed.partitioning)
    return replace(observed, columns=tuple(typed), partitioning=partitioning)


def conversion_changes(difference: Difference) -> Sequence[Change]:
    """Return the conversion, if the table is not a Delta table yet."""
    observed = difference.observed
    source = observed.source
    if source is None:
        return ()
    wish = difference.desired.convert_from
    columns = [find(observed.columns, (name,)) for name in observed.partitioning]
    conversion = kinds.ConvertTable(
        source=source,
        partitions=tuple((column.name, column.data_type) for column in columns if column is not None),
        statistics=wish is None or wish.statistics,
        creates_schema=not observed.schema_exists,
    )
    return (conversion,)


FOLLOWING: tuple[Callable[[Difference], Iterable[Change]], ...] = (tag_changes,)
"""The comparisons of aspects that a new table gets by changes after its creation, except keys."""

CHANGE_FINDERS = (
    conversion_changes,
    column_changes,
    type_changes,
    check_changes,
    value_changes,
    comment_changes,
    layout_changes,
    *FOLLOWING,
)
"""The comparisons of all aspects, except keys, and properties, which depend on the others."""

KEY_FINDERS = (primary_key_changes, unique_changes, foreign_key_changes)
"""The comparisons of the keys of two states."""
