"""Compare table properties: only the declared keys, by value and not by spelling."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from pytest_delta_schema.delta.features import MAPPING_PROPERTY, ONE_WAY, is_on
from pytest_delta_schema.delta.names.folded_names import NameSet, folded, same_name
from pytest_delta_schema.delta.property_values import equal_values
from pytest_delta_schema.delta.protocol import FEATURE_PREFIX, supported_features
from pytest_delta_schema.models.modes import FORBID, IGNORE, MANAGE, REPORT
from pytest_delta_schema.plan.aspects.types import needed_features
from pytest_delta_schema.plan.changes import Change, ColumnMappingRemoval, SetTableProperties, UnsetTableProperties
from pytest_delta_schema.plan.property_policy import PropertyPolicy
from pytest_delta_schema.state.delta_log import encode_owned
from pytest_delta_schema.state.states import OWNED_PROPERTIES

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from pytest_delta_schema.models.modes import ContractMode
    from pytest_delta_schema.plan.difference import Difference
    from pytest_delta_schema.state.states import TableState


def property_changes(
    difference: Difference,
    enable: Collection[str] = (),
    policy: PropertyPolicy = PropertyPolicy(),  # noqa: B008 - a frozen value
    *,
    declared: bool = True,
) -> Iterator[Change]:
    """Yield the properties to set, declared ones and those that other changes need, and those to unset.

    ``enable`` are features that may be raised without being declared, and the policy says which keys the project
    manages. The declared ones are compared if the contract manages properties.
    """
    wanted = difference.desired.table_properties if declared else {}
    structural = difference.added or difference.dropped or difference.changed or difference.renames.done
    features = needed_features(difference, enable) if structural else {}
    if not wanted and not features and policy.is_plain:
        return
    stored = difference.observed.table_properties
    to_set, to_unset = _compared(
        {key: value for key, value in wanted.items() if policy.contract_mode(key) == MANAGE}
        if policy.modes
        else wanted,
        stored,
    )
    for key, value in features.items():
        if key not in stored and not is_on(key, stored):
            to_set.setdefault(key, value)
    if declared and not policy.is_plain:
        to_set.update(_record(difference, policy))
        to_unset.update(_unwanted(difference, policy))
    yield from _changes(to_set, to_unset, stored)


def reported_property_changes(difference: Difference, policy: PropertyPolicy, aspect: ContractMode) -> Iterator[Change]:
    """Yield the differences of properties that are drift, and that no apply changes.

    The aspect is the contract's mode for properties.
    """
    if aspect == IGNORE:
        return
    reported = {REPORT} if aspect == MANAGE else {REPORT, MANAGE}
    wanted = difference.desired.table_properties.items()
    to_set, to_unset = _compared(
        {key: value for key, value in wanted if policy.contract_mode(key) in reported},
        difference.observed.table_properties,
    )
    if aspect == REPORT:
        to_unset.update(_forbidden(difference, policy))
    yield from _changes(to_set, to_unset, difference.observed.table_properties)


def _compared(wanted: Mapping[str, str | None], stored: Mapping[str, str | None]) -> tuple[dict[str, str], set[str]]:
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
            if not equal_values(key, value, stored[actual]):
                to_set[actual] = value
        elif not _is_implied(key, stored):
            to_set[key] = value
    return to_set, to_unset


def _is_implied(key: str, stored: Mapping[str, str | None]) -> bool:
    """Whether a property enables a feature that the version of the protocol has without naming it."""
    return folded(key).startswith(FEATURE_PREFIX) and key[len(FEATURE_PREFIX) :] in NameSet(supported_features(stored))


def _changes(to_set: dict[str, str], to_unset: set[str], stored: Mapping[str, str | None]) -> Iterator[Change]:
    for key in [key for key in (*to_set, *to_unset) if same_name(key, MAPPING_PROPERTY)]:
        value = to_set.get(key)
        if is_on(MAPPING_PROPERTY, stored) and not is_on(MAPPING_PROPERTY, {key: value}):
            to_set.pop(key, None)
            to_unset.discard(key)
            yield ColumnMappingRemoval(key=key, after=value)
    if to_set:
        yield SetTableProperties(properties=MappingProxyType(dict(sorted(to_set.items()))))
    if to_unset:
        yield UnsetTableProperties(keys=tuple(sorted(to_unset)))


def owned_keys(desired: TableState, policy: PropertyPolicy) -> tuple[str, ...]:
    """Return the keys that a model sets, as the ownership record of its table lists them."""
    wanted = desired.table_properties.items()
    return tuple(sorted(key for key, value in wanted if value is not None and policy.contract_mode(key) == MANAGE))


def record_of(desired: TableState, policy: PropertyPolicy) -> dict[str, str]:
    """Return the property that holds the ownership record of a table; nothing if the policy keeps none."""
    keys = owned_keys(desired, policy) if policy.keeps_record else ()
    return {OWNED_PROPERTIES: encode_owned(keys)} if keys else {}


def _record(difference: Difference, policy: PropertyPolicy) -> dict[str, str]:
    same = owned_keys(difference.desired, policy) == (difference.observed.owned_properties or ())
    return {} if same else record_of(difference.desired, policy)


def _unwanted(difference: Difference, policy: PropertyPolicy) -> Iterator[str]:
    """Yield the stored keys that are forbidden, or that the model has set once and does not declare any more."""
    stored, declared = difference.observed.table_properties, difference.desired.table_properties
    yield from _forbidden(difference, policy)
    if policy.keeps_record and difference.observed.owned_properties:
        if not owned_keys(difference.desired, policy):
            yield OWNED_PROPERTIES
        for key in difference.observed.owned_properties:
            actual = stored_key(key, stored)
            is_managed = policy.contract_mode(key) == MANAGE
            if actual is not None and stored_key(key, declared) is None and is_managed:
                yield actual


def _forbidden(difference: Difference, policy: PropertyPolicy) -> Iterator[str]:
    for key in difference.observed.table_properties:
        if policy.mode(key) == FORBID and not folded(key).startswith(ONE_WAY):
            yield key


def stored_key(key: str, stored: Mapping[str, str | None]) -> str | None:
    """Find how ``key`` is spelled among the stored ones.

    Delta writes its own keys in one spelling whatever the case in the statement. Other keys keep their case, and two
    that differ in case only may exist at once (Delta 4.4.0).
    """
    if key in stored:
        return key
    if not _ignores_case(key):
        return None
    return next((other for other in stored if same_name(other, key)), None)


def _ignores_case(key: str) -> bool:
    return folded(key).startswith("delta.")
