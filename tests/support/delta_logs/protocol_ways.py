"""Every way to enable a table feature in an existing table, and changes that enable none."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_delta_schema import Check, Column
from pytest_delta_schema.testing.scenario import column, table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_delta_schema import Table

SUPPORTED = "supported"
MAPPED = {"delta.columnMapping.mode": "name"}
VERSION_5 = {"delta.minReaderVersion": "2", "delta.minWriterVersion": "5"}
NAMING = {"delta.minReaderVersion": "3", "delta.minWriterVersion": "7"}
VARIANT, NESTED, LOCAL_TIME = Column("v", "variant"), Column("v", "array<map<string,variant>>"), "timestamp_ntz"


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """A table before and after a change.

    Args:
        before: The arguments of the table besides its columns ``id``, ``d`` and ``s``.
        after: Those that differ after the change.
        enables: What the plan enables: the features that Delta 4.4.0 then adds to the protocol, or a version.
    """

    enables: tuple[str, ...]
    after: Mapping[str, Any]
    before: Mapping[str, Any] = field(default_factory=dict)

    def tables(self, name: str) -> tuple[Table, Table]:
        """Return the table before the change and after it."""
        return _table(name, **self.before), _table(name, **{**self.before, **self.after})


def _table(name: str, *columns: Column, **options: Any) -> Table:
    more = options.pop("columns", ())
    own = (column("id", is_nullable=options.pop("is_nullable", True)), column("d", options.pop("d", "date")))
    struct = Column("s", options.pop("s", "struct<a:int>"))
    return table(*own, struct, *columns, *more, name=name, **options)


def _setting(enables: str, properties: Mapping[str, str], **before: Any) -> Way:
    stored = before.get("table_properties", {})
    return Way(enables=tuple(enables.split()), before=before, after={"table_properties": {**stored, **properties}})


def _with(**properties: str) -> dict[str, Any]:
    return {"table_properties": {f"delta.{key}": value for key, value in properties.items()}}


def _having(feature: str) -> dict[str, Any]:
    return {"table_properties": {f"delta.feature.{feature}": SUPPORTED}}


FLAGS = {
    "appendOnly": "",
    "checkpoint.writeStatsAsStruct": "",
    "enableChangeDataFeed": "changeDataFeed",
    "enableDeletionVectors": "deletionVectors",
    "enableExpiredLogCleanup": "",
    "enableInCommitTimestamps": "inCommitTimestamp",
    "enableMaterializePartitionColumnsFeature": "materializePartitionColumns",
    "enableRowTracking": "domainMetadata rowTracking",
    "enableTypeWidening": "typeWidening",
    "enableVariantShredding": "variantShredding-preview",
}
"""Properties with the value ``true``."""

FEATURES_BY_NAME = {
    "allowColumnDefaults": "allowColumnDefaults",
    "appendOnly": "",
    "changeDataFeed": "changeDataFeed",
    "checkConstraints": "checkConstraints",
    "checkpointProtection": "checkpointProtection",
    "columnMapping": "columnMapping",
    "deletionVectors": "deletionVectors",
    "domainMetadata": "domainMetadata",
    "generatedColumns": "generatedColumns",
    "icebergCompatV1": "columnMapping icebergCompatV1",
    "icebergCompatV2": "columnMapping icebergCompatV2",
    "icebergCompatV3": "columnMapping domainMetadata icebergCompatV3 rowTracking",
    "identityColumns": "identityColumns",
    "inCommitTimestamp": "inCommitTimestamp",
    "invariants": "",
    "materializePartitionColumns": "materializePartitionColumns",
    "rowTracking": "domainMetadata rowTracking",
    "timestampNtz": "timestampNtz",
    "typeWidening": "typeWidening",
    "v2Checkpoint": "v2Checkpoint",
    "vacuumProtocolCheck": "vacuumProtocolCheck",
    "variantShredding": "variantShredding variantType",
    "variantType": "variantType",
}
"""Features that a property of their name enables."""

NOT_BY_NAME = {
    "catalogManaged": "only in a new table",
    "clustering": "by CLUSTER BY only",
    "collations": "unknown to Delta 4.4.0",
}
"""Features that no property enables in an existing table."""

WAYS: dict[str, Way] = {
    **{flag: _setting(enables, {f"delta.{flag}": "true"}) for flag, enables in FLAGS.items()},
    **{
        f"feature {name}": _setting(enables, {f"delta.feature.{name}": SUPPORTED})
        for name, enables in FEATURES_BY_NAME.items()
    },
    # Properties with other values, and more than one of them.
    "column mapping": _setting("columnMapping", {"delta.columnMapping.mode": "NAME"}),
    "no column mapping": _setting("", {"delta.columnMapping.mode": "none"}),
    "v2 checkpoints": _setting("v2Checkpoint", {"delta.checkpointPolicy": "v2"}),
    "classic checkpoints": _setting("", {"delta.checkpointPolicy": "classic"}),
    "Iceberg 1": _setting("columnMapping icebergCompatV1", {**MAPPED, "delta.enableIcebergCompatV1": "true"}),
    "Iceberg 2": _setting("icebergCompatV2", {"delta.enableIcebergCompatV2": "true"}, table_properties=MAPPED),
    "Iceberg 3": _setting(
        "domainMetadata icebergCompatV3 rowTracking",
        {"delta.enableIcebergCompatV3": "true", "delta.enableRowTracking": "true"},
        table_properties=MAPPED,
    ),
    "a version": _setting("delta.minwriterversion", {"delta.minWriterVersion": "3"}),
    "created with versions that name features": _setting("", {"team": "true"}, table_properties=NAMING),
    "own property": _setting("", {"team": "true"}),
    # Columns and types.
    "variant": Way(enables=("variantType",), after={"columns": [VARIANT]}),
    "nested variant": Way(enables=("variantType",), after={"columns": [NESTED]}),
    "variant field": Way(enables=("variantType",), after={"s": "struct<a:int,b:struct<v:variant>>"}),
    "timestamp_ntz": Way(enables=("timestampNtz",), after={"columns": [Column("t", LOCAL_TIME)]}),
    "timestamp_ntz field": Way(enables=("timestampNtz",), after={"s": "struct<a:int,t:timestamp_ntz>"}),
    "widened to timestamp_ntz": Way(
        enables=("timestampNtz",), before=_with(enableTypeWidening="true"), after={"d": LOCAL_TIME}
    ),
    "plain column": Way(enables=(), after={"columns": [Column("c", "array<varchar(3)>")]}),
    "default": Way(enables=("allowColumnDefaults",), after={"columns": [column("c", default=1)]}),
    # Constraints and layout.
    "check": Way(enables=("checkConstraints",), after={"checks": [Check("c", "id > 0")]}),
    "not null": Way(enables=(), after={"is_nullable": False}),
    "clustering": Way(enables=("clustering", "domainMetadata"), after={"clustered_by": ["id"]}),
    "comment": Way(enables=(), after={"comment": "x"}),
    # Tables that support the feature already, by name, by version or because they use it.
    "named: variant": Way(enables=(), before=_having("variantType"), after={"columns": [VARIANT]}),
    "preview: variant": Way(enables=(), before=_having("variantType-preview"), after={"columns": [VARIANT]}),
    "used: variant": Way(
        enables=(), before={"columns": [VARIANT]}, after={"columns": [VARIANT, Column("w", "variant")]}
    ),
    "named: vectors": _setting("", {"delta.enableDeletionVectors": "true"}, **_having("deletionVectors")),
    "preview: widening": _setting("", {"delta.enableTypeWidening": "true"}, **_having("typeWidening-preview")),
    "preview and name": _setting(
        "typeWidening", {"delta.feature.typeWidening": SUPPORTED}, **_having("typeWidening-preview")
    ),
    "stable: shredding": _setting("", {"delta.enableVariantShredding": "true"}, **_having("variantShredding")),
    "version: feed": _setting("", {"delta.enableChangeDataFeed": "true"}, table_properties=VERSION_5),
    "version: mapping": _setting("", MAPPED, table_properties=VERSION_5),
    "version: check": Way(enables=(), before={"table_properties": VERSION_5}, after={"checks": [Check("c", "id > 0")]}),
    "version: feature": _setting("", {"delta.feature.checkConstraints": SUPPORTED}, table_properties=VERSION_5),
    "version: vectors": _setting(
        "deletionVectors", {"delta.enableDeletionVectors": "true"}, table_properties=VERSION_5
    ),
    "used: check": Way(
        enables=(),
        before={"checks": [Check("c", "id > 0")]},
        after={"checks": [Check("c", "id > 0"), Check("e", "id > 1")]},
    ),
    "used: clustering": Way(enables=(), before={"clustered_by": ["id"]}, after={"clustered_by": ["d"]}),
    "clustered: row tracking": _setting("rowTracking", {"delta.enableRowTracking": "true"}, clustered_by=["id"]),
    "used: default": Way(
        enables=(),
        before={"columns": [column("c", default=1)]},
        after={"columns": [column("c", default=1), column("e", default=2)]},
    ),
}
"""All ways, by what they do."""
