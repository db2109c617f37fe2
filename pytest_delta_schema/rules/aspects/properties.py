"""Rules about table properties: reserved keys, duplicate keys, and the policy of the project."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.delta.features import ONE_WAY
from pytest_delta_schema.delta.known_properties import is_known, nearest_key
from pytest_delta_schema.delta.names.folded_names import folded, same_name
from pytest_delta_schema.delta.names.part_path import part_path
from pytest_delta_schema.delta.reserved_properties import CHECK_PREFIX, PLATFORM, RESERVED
from pytest_delta_schema.models.modes import FORBID, REQUIRE
from pytest_delta_schema.plan.property_policy import PropertyPolicy
from pytest_delta_schema.rules.rule import Fault, violation
from pytest_delta_schema.state.states import OWN_PROPERTY_PREFIX

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.models.table import Table


class ReservedProperty:
    """A property is declared that Delta, Spark, the platform or this package manages itself.

    Remedy: Use the argument of ``Table`` that the message names, or leave the property out.

    Example:
        model = Table(
            "dev", "silver", "orders", [Column("id", "bigint")], table_properties={"comment": "Orders"}
        )
    """

    code = "DS108"

    def check(self, table: Table) -> Iterator[Diagnostic]:
        """Yield a violation for every property that a model cannot manage."""
        for key, value in table.table_properties.items():
            fault = _fault(folded(key), is_removed=value is None)
            if fault is not None:
                message = f"property {key} {fault.message}"
                yield violation(self, table.qualified_name, part_path("properties", key), message, fault.remedy)


class DuplicateProperty:
    """A property of Delta is declared in two spellings.

    Delta matches its own keys without case.

    Remedy: Keep one spelling.

    Example:
        properties = {"delta.appendOnly": "true", "DELTA.appendonly": "true"}
        model = Table("dev", "silver", "orders", [Column("id", "bigint")], table_properties=properties)
    """

    code = "DS109"

    def check(self, table: Table) -> Iterator[Diagnostic]:
        """Yield a violation for every key of Delta that is declared in two spellings."""
        spellings: dict[str, list[str]] = {}
        for key in table.table_properties:
            if folded(key).startswith("delta."):
                spellings.setdefault(folded(key), []).append(key)
        for keys in spellings.values():
            if len(keys) > 1:
                message = (
                    f"properties {', '.join(sorted(keys))} are one key, because Delta matches its own keys without case"
                )
                yield violation(
                    self, table.qualified_name, part_path("properties", keys[0]), message, "keep one spelling"
                )


class UnknownProperty:
    """A property begins with ``delta.``, and neither open-source Delta nor Databricks knows it.

    Remedy: Correct the key; the remedy has the nearest one. A key that is newer than this package is accepted once the
    setting ``properties`` has it as a whole, without a pattern.

    Example:
        model = Table(
            "dev",
            "silver",
            "orders",
            [Column("id", "bigint")],
            table_properties={"delta.apendOnly": "true"},
        )
    """

    code = "DS125"

    def __init__(self, policy: PropertyPolicy = PropertyPolicy()) -> None:  # noqa: B008 - a frozen value
        self.policy = policy

    def check(self, table: Table) -> Iterator[Diagnostic]:
        """Yield a violation for every key of Delta that nothing knows."""
        for key in table.table_properties:
            if is_known(key) or _fault(folded(key), is_removed=False) is not None or self._is_named(key):
                continue
            message = f"property {key} is known neither to open-source Delta 4.4 nor to Databricks"
            near = nearest_key(key)
            remedy = (
                f"{'correct it' if near is None else f'write {near}'}; if a newer Delta or Databricks knows it, add"
                f' "{key}" = "manage" under [tool.pytest_delta_schema.properties]'
            )
            yield violation(self, table.qualified_name, part_path("properties", key), message, remedy)

    def _is_named(self, key: str) -> bool:
        return any(same_name(pattern, key) for pattern, _ in self.policy.modes)


class PropertyPolicyViolation:
    """A property is missing that the project requires, or declared although the project forbids it.

    Remedy: Declare the property, or remove it.

    Example:
        settings = Settings(properties=(("owner", "require"),))
        model = Table("dev", "silver", "orders", [Column("id", "bigint")])
    """

    code = "DS120"

    def __init__(self, policy: PropertyPolicy = PropertyPolicy()) -> None:  # noqa: B008 - a frozen value
        self.policy = policy

    def check(self, table: Table) -> Iterator[Diagnostic]:
        """Yield a violation for every required property that is missing and every forbidden one that is declared."""
        declared = [key for key, value in table.table_properties.items() if value is not None]
        for pattern in self.policy.patterns(REQUIRE):
            if not self.policy.is_covered(pattern, declared):
                message = f"declares no property {pattern}, which the project requires of every table"
                yield violation(self, table.qualified_name, part_path("properties", pattern), message, "declare it")
        for key in declared:
            if self.policy.mode(key) == FORBID:
                message = f"declares the property {key}, which the project forbids"
                yield violation(self, table.qualified_name, part_path("properties", key), message, "remove it")


def is_declarable(key: str) -> bool:
    """Whether a model can declare a property that a table has: it is neither reserved nor part of the protocol."""
    return not folded(key).startswith(ONE_WAY) and _fault(folded(key), is_removed=False) is None


def _fault(key: str, *, is_removed: bool) -> Fault | None:
    if key in RESERVED:
        return Fault(message="is reserved", remedy=RESERVED[key])
    if key.startswith(OWN_PROPERTY_PREFIX):
        return Fault(message="is managed by pytest_delta_schema", remedy="choose another prefix")
    if key in PLATFORM:
        return Fault(message="is written by the platform", remedy="leave it out")
    if key.startswith(CHECK_PREFIX):
        message = "is the property in which Delta stores a CHECK constraint"
        return Fault(message=message, remedy="declare it with checks=[Check(name, expression)]")
    if is_removed and key.startswith(ONE_WAY):
        return Fault(message="is part of the table's protocol and cannot be removed", remedy="leave it out")
    return None
