"""Rules about table properties: which keys a model can own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.delta.features import ONE_WAY
from pytest_delta_schema.rules.rule import violation
from pytest_delta_schema.state.delta_log import CHECK_PREFIX
from pytest_delta_schema.state.states import OWN_PROPERTY_PREFIX

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.errors import Violation
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
    """A model owns properties that it can set, compare and remove; some keys belong to others."""

    def check(self, table: Table) -> Iterator[Violation]:
        """Yield a violation for every property that a model cannot manage."""
        for key, value in table.effective_table_properties.items():
            refusal = _refusal(key.lower(), absent=value is None)
            if refusal is not None:
                message, remedy = refusal
                yield violation(self, "DS108", table.qualified_name, key, f"property {key} {message}", remedy)


class DuplicateProperty:
    """Delta matches its own keys without case, so two of them that differ in case only are one."""

    def check(self, table: Table) -> Iterator[Violation]:
        """Yield a violation for every key of Delta that is declared in two spellings."""
        spellings: dict[str, list[str]] = {}
        for key in table.effective_table_properties:
            if key.lower().startswith("delta."):
                spellings.setdefault(key.lower(), []).append(key)
        for keys in spellings.values():
            if len(keys) > 1:
                message = f"properties {', '.join(sorted(keys))} are one to Delta, which ignores the case of its keys"
                yield violation(self, "DS109", table.qualified_name, keys[0], message, "keep one spelling")


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
