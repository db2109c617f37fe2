"""Rules about table properties: which keys a model can own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.delta.features import ONE_WAY
from pytest_delta_schema.models.modes import FORBID, REQUIRE
from pytest_delta_schema.plan.property_policy import PropertyPolicy
from pytest_delta_schema.rules.rule import violation
from pytest_delta_schema.state.delta_log import CHECK_PREFIX
from pytest_delta_schema.state.states import OWN_PROPERTY_PREFIX

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.errors import Diagnostic
    from pytest_delta_schema.models.table import Table

_RESERVED = {
    "comment": "write comment=... on the Table",
    "external": "leave it out",
    "location": "leave it out",
    "owner": "set the owner in the catalog",
    "provider": "leave it out; every table is Delta",
}
"""Keys that Spark's parser or Delta keep for themselves (run on the released jars)."""

_PLATFORM = frozenset(
    {
        "delta.columnmapping.maxcolumnid",
        "delta.lastupdateversion",
        "delta.lastcommittimestamp",
        "delta.rowtracking.materializedrowidcolumnname",
        "delta.rowtracking.materializedrowcommitversioncolumnname",
    }
)
"""Keys that the platform writes by itself."""


class ReservedProperty:
    """A property is declared that Delta, Spark, the platform or this package manages itself.

    Use the argument of ``Table`` that the message names, or leave the property out.
    """

    code = "DS108"

    def check(self, table: Table) -> Iterator[Diagnostic]:
        """Yield a violation for every property that a model cannot manage."""
        for key, value in table.table_properties.items():
            refusal = _refusal(key.lower(), absent=value is None)
            if refusal is not None:
                message, remedy = refusal
                yield violation(self, table.qualified_name, key, f"property {key} {message}", remedy)


class DuplicateProperty:
    """A property of Delta is declared in two spellings.

    Delta matches its own keys without case. Keep one spelling.
    """

    code = "DS109"

    def check(self, table: Table) -> Iterator[Diagnostic]:
        """Yield a violation for every key of Delta that is declared in two spellings."""
        spellings: dict[str, list[str]] = {}
        for key in table.table_properties:
            if key.lower().startswith("delta."):
                spellings.setdefault(key.lower(), []).append(key)
        for keys in spellings.values():
            if len(keys) > 1:
                message = f"properties {', '.join(sorted(keys))} are one to Delta, which ignores the case of its keys"
                yield violation(self, table.qualified_name, keys[0], message, "keep one spelling")


class PropertyPolicyViolation:
    """A property is missing that the project requires, or declared although the project forbids it.

    Declare the property, or remove it.

    Args:
        policy: What the project says.
    """

    code = "DS120"

    def __init__(self, policy: PropertyPolicy = PropertyPolicy()) -> None:  # noqa: B008 - a frozen value
        self.policy = policy

    def check(self, table: Table) -> Iterator[Diagnostic]:
        """Yield a violation for every key that is missing or has no place in a model."""
        declared = [key for key, value in table.table_properties.items() if value is not None]
        for pattern in self.policy.patterns(REQUIRE):
            if not self.policy.is_covered(pattern, declared):
                message = f"declares no property {pattern}, which the project requires of every table"
                yield violation(self, table.qualified_name, pattern, message, "declare it")
        for key in declared:
            if self.policy.mode(key) == FORBID:
                message = f"declares the property {key}, which the project forbids"
                yield violation(self, table.qualified_name, key, message, "take it out")


def is_declarable(key: str) -> bool:
    """Whether an author would declare a property that a table has: one of theirs, and no part of the protocol."""
    return not key.lower().startswith(ONE_WAY) and _refusal(key.lower(), absent=False) is None


def _refusal(key: str, *, absent: bool) -> tuple[str, str] | None:
    if key in _RESERVED:
        return "is reserved", _RESERVED[key]
    if key.startswith(OWN_PROPERTY_PREFIX):
        return "belongs to this tool", "choose another prefix"
    if key in _PLATFORM:
        return "is written by the platform itself", "leave it out"
    if key.startswith(CHECK_PREFIX):
        return "is how Delta stores a CHECK constraint", "declare it with checks=[Check(name, expression)]"
    if absent and key.startswith(ONE_WAY):
        return "is part of the table's protocol and cannot be removed", "leave it out"
    return None
