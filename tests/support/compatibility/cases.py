"""Changes of a contract, each with the verdict on every role: the table of verdicts, written out."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any, NamedTuple

from pyspark.sql.types import ArrayType, DecimalType, TimestampNTZType, VarcharType

from pytest_delta_schema import Check, Column, Deprecated, ForeignKey, PrimaryKey, Table, Unique
from pytest_delta_schema.settings.table import ROLES
from pytest_delta_schema.testing.scenario import BOTH, INT, LONG, TEXT, field, struct
from support.tables import table

if TYPE_CHECKING:
    from pytest_delta_schema.compatibility.roles import CompatibilityVerdict
    from pytest_delta_schema.settings.table import Role

LETTERS: dict[str, CompatibilityVerdict] = {"b": "breaking", "d": "dangerous", "-": "safe", "?": "not judged"}
"""The verdicts, as the cases write them."""

FEED = {"delta.enableChangeDataFeed": "true"}
DEFAULTS = {"delta.feature.allowColumnDefaults": "supported"}
CLIENTS = ("trino>=400",)
ID, NOTE, V = Column("id", LONG), Column("note", TEXT), Column("v", INT)
STRICT = Column("id", LONG, is_nullable=False)
X, XY = struct(field("x", INT)), struct(field("x", INT), field("y", TEXT))


class Case(NamedTuple):
    """A released contract, the next one, and the verdicts."""

    row: str
    old: Table | None
    new: Table | None
    letters: str
    """One for each role: readers, by position, by path; streams, tracked, change feed; writers, by position, by
    MERGE; clients."""

    @property
    def verdicts(self) -> dict[Role, CompatibilityVerdict]:
        """The verdict on each role."""
        return dict(zip(ROLES, map(LETTERS.__getitem__, self.letters.replace(" ", "")), strict=True))


def _of(*columns: Column, **options: Any) -> Table:
    """Declare a table with a change data feed, so streams of it are judged as well."""
    properties = {**FEED, **options.pop("properties", {})}
    return table(*columns, table_properties=properties, **options)


def _property(key: str, before: object, after: object) -> tuple[Table, Table]:
    old, new = ({} if value is None else {key: value} for value in (before, after))
    return _of(ID, V, properties=old), _of(ID, V, properties=new)


def _both(*columns: Column, **options: Any) -> Table:
    return _of(*columns, properties=BOTH, **options)


def _filled(*columns: Column) -> Table:
    return _of(*columns, properties=DEFAULTS)


AMOUNT, DEFAULT_V = Column("amount", DecimalType(10, 2)), Column("v", INT, is_nullable=False, default=1)
TIMESTAMP_NTZ = TimestampNTZType()
NAMED_FEATURES = {"delta.minReaderVersion": "3", "delta.minWriterVersion": "7"}
KEYED = _of(STRICT, NOTE, primary_key=PrimaryKey(["id"], name="pk"))
RELIED = _of(STRICT, NOTE, primary_key=PrimaryKey(["id"], name="pk", rely=True))
POSITIVE = [Check("positive", "id > 0")]
PARENT = ForeignKey(["id"], "dev.silver.parents", ["id"])

IN_2029, IN_2030 = (Deprecated(date(2026, 1, 31), sunset=date(year, 1, 1)) for year in (2029, 2030))
SUNSET_2029, SUNSET_2030 = (Column("id", LONG, deprecated=deprecated) for deprecated in (IN_2029, IN_2030))
NO_SUNSET = Column("id", LONG, deprecated=Deprecated(date(2026, 1, 31)))

CASES: tuple[Case, ...] = (
    Case("ColumnRemoved", _both(ID, NOTE, V), _both(ID, NOTE), "bbb bbb bb- -"),
    Case("ColumnRemoved", _both(ID, Column("s", XY)), _both(ID, Column("s", X)), "bbb bbb bbb -"),
    Case("ColumnRemoved", _of(ID, V, evolution="additive"), _of(ID, evolution="additive"), "bbb bbb bb- d"),
    Case("ColumnRenamed", _both(ID, V), _both(ID, Column("w", INT, renamed_from="v")), "b-b bbb b-b -"),
    Case("ColumnRenamed", _of(ID, V), _of(ID, Column("w", INT, renamed_from="v")), "b-b bbb b-b d"),
    Case("TypeChanged", _both(ID, V), _both(ID, Column("v", "boolean")), "bbb bbb b-- -"),
    Case("TypeChanged", _both(ID, Column("v", LONG)), _both(ID, V), "bbb bbb bbb -"),
    Case("TypeChanged", _of(ID, NOTE), _of(ID, Column("note", "timestamp_ntz")), "bbb bbb bbb d"),
    Case("TypeChanged", _of(ID, Column("s", X)), _of(ID, Column("s", ArrayType(INT))), "bbb bbb bbb -"),
    Case("TypeWidened", _both(ID, V), _both(ID, Column("v", LONG)), "ddd dbd b-- -"),
    Case(
        "TypeWidened", _of(ID, AMOUNT, clients=CLIENTS), _of(ID, Column("amount", DecimalType(12, 2))), "ddd dbd b-- b"
    ),
    Case("TypeWidened", _of(ID, Column("v", VarcharType(5))), _of(ID, Column("v", VarcharType(9))), "ddd -d- --- -"),
    Case("NullableColumnAdded", _of(ID, V), _of(ID, V, NOTE), "-b- ddd -bb -"),
    Case("NullableColumnAdded", _of(ID, V), _of(ID, V, Column("at", "timestamp_ntz")), "-b- ddd -bb d"),
    Case("NullableColumnAdded", _of(ID, V), _of(ID, V, Column("next", LONG, generated_as="id + 1")), "-b- ??? -bb d"),
    Case("NullableColumnAdded", _of(ID, V), _of(ID, V, Column("number", LONG, identity=True)), "-b- ??? -bb d"),
    Case("RequiredColumnAdded", _of(ID, V), _of(ID, V, Column("note", TEXT, is_nullable=False)), "-b- bbb bbb -"),
    Case(
        "RequiredColumnAdded", _of(ID, V), _of(ID, V, Column("at", "timestamp_ntz", is_nullable=False)), "-b- bbb bbb d"
    ),
    Case(
        "RequiredColumnAdded",
        _filled(ID, V),
        _filled(ID, V, Column("n", INT, is_nullable=False, default=0)),
        "-b- bbb -bb -",
    ),
    Case("FieldAdded", _of(ID, Column("s", X)), _of(ID, Column("s", XY)), "ddd ddd bbb -"),
    Case(
        "FieldAdded",
        _of(ID, Column("s", X)),
        _of(ID, Column("s", struct(field("x", INT), field("at", TIMESTAMP_NTZ)))),
        "ddd ddd bbb d",
    ),
    Case("NullAllowed", _of(STRICT, V), _of(ID, V), "ddd ddd --- -"),
    Case("NullForbidden", _of(ID, V), _of(STRICT, V), "--- bb- bbb -"),
    Case(
        "NullForbidden",
        _of(ID, V, properties=NAMED_FEATURES),
        _of(STRICT, V, properties=NAMED_FEATURES),
        "--- bb- bbb d",
    ),
    Case("LengthShortened", _of(ID, NOTE), _of(ID, Column("note", VarcharType(5))), "--- bbb bbb -"),
    Case(
        "LengthShortened", _of(ID, Column("v", VarcharType(9))), _of(ID, Column("v", VarcharType(5))), "--- bbb bbb -"
    ),
    Case("CollationChanged", _of(ID, NOTE), _of(ID, Column("note", "string collate UTF8_LCASE")), "ddd bbb b-- d"),
    Case("ColumnRespelled", _of(ID, NOTE), _of(Column("ID", LONG), NOTE), "ddd --- --- -"),
    Case("ColumnMoved", _of(ID, NOTE), _of(NOTE, ID, column_order="manage"), "-b- -d- -b- -"),
    Case("ColumnOrderNotKept", _of(ID, NOTE), _of(NOTE, ID), "-b- --- -b- -"),
    Case("ColumnOrderNotKept", _of(ID, NOTE, column_order="manage"), _of(ID, NOTE), "-b- --- -b- -"),
    Case("DefaultChanged", _filled(ID, V), _filled(ID, Column("v", INT, default=1)), "--- -d- --- -"),
    Case("DefaultChanged", _filled(ID, DEFAULT_V), _filled(ID, Column("v", INT, is_nullable=False)), "--- -d- b-- -"),
    Case("GenerationChanged", _of(ID, V), _of(ID, Column("v", INT, generated_as="cast(id as int)")), "--- ??? --- d"),
    Case("GenerationChanged", _of(ID, V), _of(Column("id", LONG, identity=True), V), "--- ??? bbb d"),
    Case("CheckAdded", _of(ID, V), _of(ID, V, checks=POSITIVE), "--- -d- bbb d"),
    Case("CheckAdded", _of(ID, V, clients=CLIENTS), _of(ID, V, checks=POSITIVE), "--- -d- bbb ?"),
    Case("CheckDropped", _of(ID, V, checks=POSITIVE), _of(ID, V), "ddd -d- --- -"),
    Case("ConstraintKeyAdded", _of(STRICT, NOTE), KEYED, "--- --- ddd -"),
    Case("ConstraintKeyAdded", KEYED, _of(STRICT, NOTE, primary_key=PrimaryKey(["note"], name="pk")), "--- --- ddd -"),
    Case("ConstraintKeyAdded", _of(ID, NOTE), _of(ID, NOTE, unique=[Unique(["id"])]), "--- --- ddd -"),
    Case("ConstraintKeyAdded", _of(ID, NOTE), _of(ID, NOTE, foreign_keys=[PARENT]), "--- --- ddd -"),
    Case("RelyKeyAdded", _of(STRICT, NOTE), RELIED, "ddd --- ddd -"),
    Case("RelyAdded", KEYED, RELIED, "ddd --- --- -"),
    Case("ConstraintKeyDropped", KEYED, _of(STRICT, NOTE), "ddd --- --- -"),
    Case("ConstraintKeyDropped", _of(ID, NOTE, unique=[Unique(["id"])]), _of(ID, NOTE), "ddd --- --- -"),
    Case("ConstraintKeyDropped", _of(ID, NOTE, foreign_keys=[PARENT]), _of(ID, NOTE), "ddd --- --- -"),
    Case("PartitioningChanged", _of(ID, NOTE), _of(ID, NOTE, partitioned_by=["note"]), "--- bdb --- -"),
    Case(
        "PartitioningChanged",
        _of(ID, NOTE, partitioned_by=["note"]),
        _of(ID, NOTE, partitioned_by=["id"]),
        "--- bdb bb- -",
    ),
    Case(
        "PartitioningChanged",
        _of(ID, NOTE, partitioned_by=["note"]),
        _of(ID, NOTE, clustered_by=["id"]),
        "--- bdb bb- d",
    ),
    Case("ClusteringChanged", _of(ID, NOTE), _of(ID, NOTE, clustered_by=["note"]), "--- -d- --- d"),
    Case(
        "ChangeFeedDisabled",
        _of(ID, V),
        _of(ID, V, properties={"delta.enableChangeDataFeed": "false"}),
        "--- -db --- -",
    ),
    Case("ChangeFeedDisabled", _of(ID, V), table(ID, V), "--- --b --- -"),
    Case("AppendOnlyDisabled", *_property("delta.appendOnly", "true", "false"), "ddd ddd --- -"),
    Case("RetentionShortened", *_property("delta.logRetentionDuration", None, "interval 7 days"), "ddd ddd --- -"),
    Case(
        "RetentionShortened", *_property("delta.deletedFileRetentionDuration", "interval 9 days", None), "ddd ddd --- -"
    ),
    Case(
        "PropertyChanged",
        *_property("delta.logRetentionDuration", "interval 7 days", "interval 8 days"),
        "--- -d- --- -",
    ),
    Case("PropertyChanged", *_property("team", None, "sales"), "--- --- --- -"),
    Case("PropertyChanged", *_property("delta.targetFileSize", None, "33554432"), "--- ??? --- -"),
    Case("PropertyChanged", *_property("delta.isolationLevel", None, "Serializable"), "--- -d- --- -"),
    Case("FeatureEnabled", *_property("delta.enableDeletionVectors", None, "true"), "--- -d- --- d"),
    Case("FeatureEnabled", *_property("delta.appendOnly", None, "true"), "--- -d- bbb -"),
    Case("ColumnMappingDropped", *_property("delta.columnMapping.mode", "name", "none"), "--- bbb --- -"),
    Case("CommitsManagedByCatalog", *_property("delta.feature.catalogManaged", None, "supported"), "bbb bbb bbb d"),
    Case("CommentChanged", _of(ID, V), _of(ID, V, comment="Orders"), "--- --- --- -"),
    Case("CommentChanged", _of(ID, V), _of(ID, Column("v", INT, comment="Value")), "--- -d- --- -"),
    Case("TagChanged", _of(ID, V), _of(ID, V, tags={"owner": "sales"}), "--- --- --- -"),
    Case("TableRemoved", _of(ID), None, "bbb bbb bbb -"),
    Case("TableIntroduced", None, _of(ID), "--- --- --- -"),
    Case("AspectNotOwned", _of(ID), _of(ID, owns={"checks": "report"}), "ddd ddd --- -"),
    Case("AspectNotOwned", table(ID), table(ID, read_only=True), "ddd dd- --- -"),
    Case("AdditiveEvolution", _of(ID), _of(ID, evolution="additive"), "ddd ddd --- -"),
    Case("SunsetMovedNearer", _of(SUNSET_2030), _of(SUNSET_2029), "ddd ddd ddd -"),
    Case("SunsetMovedNearer", _of(SUNSET_2030), _of(NO_SUNSET), "ddd ddd ddd -"),
    Case("SunsetMovedNearer", _of(ID, deprecated=IN_2030), _of(ID, deprecated=IN_2029), "ddd ddd ddd -"),
)
