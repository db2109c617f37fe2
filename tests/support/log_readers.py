"""The readers of Delta logs that need no JVM, on tables that other writers made, and every way to a protocol."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import pyarrow as pa
from deltalake import write_deltalake

from pytest_delta_schema import Check, Column
from pytest_delta_schema.backends.local.clones import ChangingTableError, clone_folder
from pytest_delta_schema.backends.local.reading import WarehouseLogs
from pytest_delta_schema.backends.local.warehouse import table_folder
from pytest_delta_schema.backends.logs.files import ChangingLog, LocalFiles, LogFault, LostLog, MissingVersion
from pytest_delta_schema.backends.logs.history import history_of
from pytest_delta_schema.backends.logs.log import DeltaLog
from pytest_delta_schema.backends.logs.stored import StoredFiles
from pytest_delta_schema.backends.unity.logs import read_log
from pytest_delta_schema.diagnostics.errors import Diagnostic, StatementError
from pytest_delta_schema.testing.scenario import column, table
from support.damaged_logs import ABSENT, Shown, damage_of
from support.models import NAME

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from pytest_delta_schema import Table
    from pytest_delta_schema.backends.logs.files import LogFiles
    from pytest_delta_schema.state import TableState


OLD = 3
"""The version that the reader of an old state reads."""

_AGAIN = "read it again when "


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a reader returned.

    Args:
        state: What it shows of the newest version.
        version: Its number.
        commits: The marks of all commits, by their numbers.
        old_state: What it shows of an old version; ``ABSENT`` if there is no such version any more.
        cloned: The newest commit of a clone.
        is_left_to_spark: Whether the reader needs Spark to answer.
        is_given_up: Whether it says that the table changes too fast.
    """

    state: Shown | None = None
    version: int = -1
    commits: dict[int, str] | None = None
    old_state: Shown | None = None
    cloned: str | None = None
    is_left_to_spark: bool = False
    is_given_up: bool = False


class FalseVerdictError(AssertionError):
    """A reader reported damage or a lack of permission of a healthy table."""


def _required(condition: object, error: object) -> None:
    """Require an error to be about a table that was dropped, replaced or cleaned up."""
    if not condition:
        raise FalseVerdictError(str(error))


def _shown(state: TableState) -> Shown:
    if not state.exists:
        return ABSENT
    columns = tuple(column.name for column in state.columns)
    clustering = "".join(map(str, state.clustering))
    return Shown(state.table_comment, columns, state.table_properties.get("test.mark") or "", clustering)


def _local(warehouse: Path) -> Reading:
    """Read as the local backend does without a JVM."""
    result = WarehouseLogs(warehouse, (4, 4)).read([NAME]).get(NAME)
    if result is None:
        return Reading(is_left_to_spark=True)
    if isinstance(result, Diagnostic):
        raise FalseVerdictError(str(result))
    return Reading(state=_shown(result), version=-1 if result.version is None else result.version)


def _damage(log: Callable[[str], LogFiles], warehouse: Path) -> Reading:
    """Look for damage, as all backends do."""
    damage = damage_of(log(str(table_folder(warehouse, NAME))))
    _required(damage is None, damage)
    return Reading()


def _unity(how: str, warehouse: Path) -> Reading:
    """Read as the unity backend does: a local log, a remote one, one of which only a checkpoint tells."""
    location = str(table_folder(warehouse, NAME))
    patches: list[Any] = (
        [] if how == "local" else [patch("pytest_delta_schema.backends.unity.logs.local_folder", lambda _: None)]
    )
    if how == "files":
        patches.append(patch("pytest_delta_schema.backends.logs.log._without_checkpoint", lambda _, __: None))
    for one in patches:
        one.start()
    try:
        facts = read_log(location, DeltaLog.facts, {})
    except StatementError as error:
        _required(error.condition == "NO_LOG" or _AGAIN in str(error), error)
        return Reading(state=ABSENT) if error.condition == "NO_LOG" else Reading(is_given_up=True)
    finally:
        for one in patches:
            one.stop()
    return Reading(state=_shown(facts.state(NAME)), version=facts.version)


def _commits(warehouse: Path) -> Reading:
    """Read the history of a table for effects and versions."""
    try:
        commits = DeltaLog(LocalFiles(str(table_folder(warehouse, NAME)))).commits()
    except LogFault as fault:
        _required(isinstance(fault, (LostLog, ChangingLog)), fault)
        return Reading(is_given_up=True) if isinstance(fault, ChangingLog) else Reading(commits={})
    return Reading(commits={commit.version: _mark(commit.added[0].path) for commit in commits if commit.added})


def _mark(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".parquet")


def _old_state(warehouse: Path) -> Reading:
    """Read the state of an older version."""
    try:
        state = DeltaLog(LocalFiles(str(table_folder(warehouse, NAME)))).facts(OLD).state(NAME)
    except LogFault as fault:
        _required(isinstance(fault, (LostLog, ChangingLog, MissingVersion)), fault)
        return Reading(is_given_up=True) if isinstance(fault, ChangingLog) else Reading(old_state=ABSENT)
    return Reading(old_state=_shown(state))


def _columns(warehouse: Path) -> Reading:
    """Read the history of a table for the commits that introduced columns."""
    try:
        history = history_of(LocalFiles(str(table_folder(warehouse, NAME))))
    except OSError:
        history = None
    if history is None:
        return Reading(is_left_to_spark=True)
    marks = {version: history.columns_at(version)[1].name.removeprefix("c") for version in history.commits}
    return Reading(commits=marks)


def _clone(warehouse: Path) -> Reading:
    """Clone the table; a clone has the files of its newest version."""
    target = warehouse / "clone"
    shutil.rmtree(target, ignore_errors=True)
    try:
        clone_folder(table_folder(warehouse, NAME), target, _copied)
    except FileNotFoundError:
        return Reading(cloned="")
    except ChangingTableError:
        return Reading(is_given_up=True)
    live: list[str] = []
    for path in sorted(target.glob("_delta_log/*.json")):
        actions = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        removed = {action["remove"]["path"] for action in actions if "remove" in action}
        live = [path for path in live if path not in removed]
        live += [action["add"]["path"] for action in actions if "add" in action]
    lost = [path for path in live if not (target / path).exists()]
    if lost or not live:
        msg = f"the clone lacks {lost or 'all files'}"
        raise FalseVerdictError(msg)
    return Reading(cloned=_mark(live[-1]))


def _copied(source: Path, target: Path, _: Any) -> None:
    """Copy a checkpoint."""
    target.write_bytes(source.read_bytes())


READERS: dict[str, Callable[[Path], Reading]] = {
    "local": _local,
    "damage of a local log": partial(_damage, LocalFiles),
    "damage of a remote log": partial(_damage, lambda location: StoredFiles(location, {})),
    "unity, local": partial(_unity, "local"),
    "unity, remote": partial(_unity, "remote"),
    "unity, files": partial(_unity, "files"),
    "commits": _commits,
    "an old state": _old_state,
    "columns of versions": _columns,
    "clone": _clone,
}
"""By what they read; each takes the warehouse, and raises :class:`FalseVerdictError`."""


_INT = pa.int32()
_ID = pa.field("id", pa.int64())
_LIST = pa.list_(pa.field("element", _INT, nullable=False))
_MAP = pa.map_(pa.string(), pa.field("value", _INT, nullable=False))
_STRUCT = pa.struct([pa.field("n", _INT, nullable=False), pa.field("o", _INT)])

SHAPES: dict[str, pa.Schema] = {
    "space": pa.schema([_ID, pa.field("order id", pa.int64())]),
    "comma": pa.schema([_ID, pa.field("s", pa.struct([pa.field("x,y", _INT)]))]),
    "element": pa.schema([_ID, pa.field("a", _LIST)]),
    "value": pa.schema([_ID, pa.field("m", _MAP)]),
    "field": pa.schema([_ID, pa.field("r", pa.list_(pa.field("element", _STRUCT)))]),
}
"""The schemas by a name."""


def write(folder: Path, shape: str) -> None:
    """Write a table without rows."""
    write_deltalake(str(folder), pa.Table.from_pylist([], schema=SHAPES[shape]))


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


def _way(enables: str, before: Mapping[str, Any] | None = None, **after: Any) -> Way:
    return Way(enables=tuple(enables.split()), before=before or {}, after=after)


def _setting(enables: str, properties: Mapping[str, str], **before: Any) -> Way:
    stored = before.get("table_properties", {})
    return _way(enables, before, table_properties={**stored, **properties})


def _delta(**properties: str) -> dict[str, Any]:
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
    # Columns and types.
    "variant": _way("variantType", columns=[VARIANT]),
    "nested variant": _way("variantType", columns=[NESTED]),
    "timestamp_ntz": _way("timestampNtz", columns=[Column("t", LOCAL_TIME)]),
    "widened to timestamp_ntz": _way("timestampNtz", before=_delta(enableTypeWidening="true"), d=LOCAL_TIME),
    "default": _way("allowColumnDefaults", columns=[column("c", default=1)]),
    # Constraints and layout.
    "check": _way("checkConstraints", checks=[Check("c", "id > 0")]),
    "not null": _way("", is_nullable=False),
    "clustering": _way("clustering domainMetadata", clustered_by=["id"]),
    # Tables that support the feature already, by name, by version or because they use it.
    "named: variant": _way("", before=_having("variantType"), columns=[VARIANT]),
    "preview: variant": _way("", before=_having("variantType-preview"), columns=[VARIANT]),
    "named: vectors": _setting("", {"delta.enableDeletionVectors": "true"}, **_having("deletionVectors")),
    "preview: widening": _setting("", {"delta.enableTypeWidening": "true"}, **_having("typeWidening-preview")),
    "preview and name": _setting(
        "typeWidening", {"delta.feature.typeWidening": SUPPORTED}, **_having("typeWidening-preview")
    ),
    "stable: shredding": _setting("", {"delta.enableVariantShredding": "true"}, **_having("variantShredding")),
    "version: feed": _setting("", {"delta.enableChangeDataFeed": "true"}, table_properties=VERSION_5),
    "version: mapping": _setting("", MAPPED, table_properties=VERSION_5),
    "version: check": _way("", before={"table_properties": VERSION_5}, checks=[Check("c", "id > 0")]),
    "version: feature": _setting("", {"delta.feature.checkConstraints": SUPPORTED}, table_properties=VERSION_5),
    "version: vectors": _setting(
        "deletionVectors", {"delta.enableDeletionVectors": "true"}, table_properties=VERSION_5
    ),
    "used: check": _way(
        "", before={"checks": [Check("c", "id > 0")]}, checks=[Check("c", "id > 0"), Check("e", "id > 1")]
    ),
    "used: clustering": _way("", before={"clustered_by": ["id"]}, clustered_by=["d"]),
    "clustered: row tracking": _setting("rowTracking", {"delta.enableRowTracking": "true"}, clustered_by=["id"]),
    "used: default": _way(
        "", before={"columns": [column("c", default=1)]}, columns=[column("c", default=1), column("e", default=2)]
    ),
}
"""All ways, by what they do."""
