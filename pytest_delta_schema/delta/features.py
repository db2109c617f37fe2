"""Table features: how properties raise the protocol of a table, and which clients can then no longer use it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.delta.folded_names import NameMap, folded

if TYPE_CHECKING:
    from collections.abc import Mapping

TYPE_WIDENING, COLUMN_MAPPING = "typeWidening", "columnMapping"
"""Features that a project may let the plan raise, with the setting ``enable_features``."""

WIDENING_PROPERTY = "delta.enableTypeWidening"
"""The property without which Delta widens char and varchar only."""

MAPPING_PROPERTY = "delta.columnMapping.mode"
"""The property without which Delta neither drops nor renames columns, nor stores special characters in names."""

SPECIAL_CHARACTERS = frozenset(" ,;{}()\n\t=")
"""Characters that Delta stores in column names under column mapping only (Delta 4.4.0)."""

CLUSTERING_FEATURE = "delta.feature.clustering"
"""The feature that the first clustering of a table enables, by itself."""

PROTOCOL_VERSIONS = ("delta.minreaderversion", "delta.minwriterversion")
"""Properties, in lower case, that set a protocol version; Delta never lowers one."""

ONE_WAY = ("delta.feature.", *PROTOCOL_VERSIONS)
"""Prefixes of properties, in lower case, that become part of the protocol and stay in it."""


_OF_PROPERTIES = {
    folded(WIDENING_PROPERTY): TYPE_WIDENING,
    folded(MAPPING_PROPERTY): COLUMN_MAPPING,
}
_READ_BY = frozenset(
    {
        COLUMN_MAPPING,
        "deletionVectors",
        "timestampNtz",
        TYPE_WIDENING,
        "v2Checkpoint",
        "vacuumProtocolCheck",
        "variantShredding",
        "variantType",
    }
)
"""Features that readers have to know as well; the others concern writers only (source: Delta's protocol)."""


def loss(key: str) -> str:
    """Return what clients lose when a property raises the protocol of a table.

    Args:
        key: The property.
    """
    if folded(key) in PROTOCOL_VERSIONS:
        return "clients of older protocols lose the table"
    feature = _OF_PROPERTIES.get(folded(key), key.rpartition(".")[2])
    what = "neither read nor write" if feature in _READ_BY else "no longer write"
    return f"clients that do not know {feature} can {what} the table"


def is_on(key: str, properties: Mapping[str, object]) -> bool:
    """Whether a table with these properties has the feature that ``key`` raises.

    Args:
        key: One of the properties above.
        properties: Of the table, in any case.
    """
    value = NameMap(properties.items()).get(key)
    return str(value).lower() in (("name", "id") if key == MAPPING_PROPERTY else ("true",))


def raises_protocol(key: str, value: str) -> bool:
    """Whether setting a property raises the protocol of the table; no statement of a plan lowers it again."""
    if not folded(key).startswith("delta."):
        return False
    if folded(key).startswith(ONE_WAY):
        return True
    return is_on(WIDENING_PROPERTY, {key: value}) or is_on(MAPPING_PROPERTY, {key: value})
