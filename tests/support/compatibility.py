"""Changes of contracts: written cases with their verdicts, and witnesses that were played."""

from __future__ import annotations

from datetime import date
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from pyspark.sql.types import ArrayType, CharType, DecimalType, NullType, TimestampNTZType, VarcharType

from pytest_delta_schema import Check, Column, Deprecated, ForeignKey, PrimaryKey, Table, Unique
from pytest_delta_schema.compatibility import judge_change, worst_verdict
from pytest_delta_schema.compatibility.effects import STREAM_KINDS_OF
from pytest_delta_schema.delta.protocol import is_on
from pytest_delta_schema.settings.table import ROLES
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.testing.scenario import BOTH, INT, LONG, TEXT, field, struct
from pytest_delta_schema.witness.script import NoScript, Script, scripts_of, witness_of
from pytest_delta_schema.write_check.values import CHANGE_FEED
from support.models import table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_delta_schema.compatibility import CompatibilityFinding
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
YX = struct(field("y", TEXT), field("x", INT))
XX, WX = struct(field("x", INT), field("w", INT)), struct(field("w", INT), field("x", INT))


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


def _set(key: str, before: object, after: object) -> tuple[Table, Table]:
    old, new = ({} if value is None else {key: value} for value in (before, after))
    return _of(ID, V, properties=old), _of(ID, V, properties=new)


def _both(*columns: Column, **options: Any) -> Table:
    return _of(*columns, properties=BOTH, **options)


def _filled(*columns: Column) -> Table:
    return _of(*columns, properties=DEFAULTS)


AMOUNT, DEFAULT_V = Column("amount", DecimalType(10, 2)), Column("v", INT, is_nullable=False, default=1)
GENERATED, ONE = Column("g", LONG, generated_as="id + 1"), Column("v", INT, default=1)
FILLED_NOTE = Column("note", TEXT, is_nullable=False)
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
    Case("TypeChanged", _both(ID, V), _both(ID, Column("v", "boolean")), "bbb bbb bdd -"),
    Case("TypeChanged", _of(ID, NOTE), _of(ID, Column("note", CharType(5))), "bbb bbb bbb -"),
    Case("TypeChanged", _of(ID, Column("v", VarcharType(9))), _of(ID, Column("v", CharType(9))), "bbb bbb ddd -"),
    Case("TypeChanged", _of(ID, V), _of(ID, Column("v", VarcharType(3))), "bbb bbb bbb -"),
    Case("TypeChanged", _of(ID, Column("v", "boolean")), _of(ID, Column("v", VarcharType(5))), "bbb bbb b-- -"),
    Case("TypeChanged", _of(ID, AMOUNT), _of(ID, Column("amount", VarcharType(11))), "bbb bbb bbb -"),
    Case("TypeChanged", _of(ID, AMOUNT), _of(ID, Column("amount", VarcharType(12))), "bbb bbb b-- -"),
    Case("TypeChanged", _of(ID, Column("v", "double")), _of(ID, Column("v", "float")), "bbb bbb bdd -"),
    Case("TypeChanged", _of(ID, Column("v", "timestamp")), _of(ID, Column("v", "date")), "bbb bbb bdd -"),
    Case("TypeChanged", _of(ID, AMOUNT), _of(ID, Column("amount", DecimalType(10, 1))), "bbb bbb bdd -"),
    Case("TypeChanged", _of(ID, Column("s", X)), _of(ID, Column("s", TEXT)), "bbb bbb bdd -"),
    Case("TypeChanged", _both(ID, Column("v", LONG)), _both(ID, V), "bbb bbb bbb -"),
    Case("TypeChanged", _of(ID, NOTE), _of(ID, Column("note", "timestamp_ntz")), "bbb bbb bbb d"),
    Case("TypeChanged", _of(ID, Column("s", X)), _of(ID, Column("s", ArrayType(INT))), "bbb bbb bbb -"),
    Case("TypeWidened", _both(ID, V), _both(ID, Column("v", LONG)), "ddd dbd b-- -"),
    Case(
        "TypeWidened", _of(ID, AMOUNT, clients=CLIENTS), _of(ID, Column("amount", DecimalType(12, 2))), "ddd dbd b-- b"
    ),
    Case("TypeWidened", _of(ID, Column("v", NullType())), _of(ID, Column("v", TEXT)), "ddd ddd --- -"),
    Case("TypeWidened", _of(ID, Column("v", VarcharType(5))), _of(ID, Column("v", VarcharType(9))), "ddd -d- --- -"),
    Case("NullableColumnAdded", _of(ID, V), _of(ID, V, NOTE), "-b- ddd -bb -"),
    Case("NullableColumnAdded", _of(ID, V), _of(ID, V, Column("at", "timestamp_ntz")), "-bd ddd -bb d"),
    Case("NullableColumnAdded", _of(ID, V), _of(ID, V, Column("next", LONG, generated_as="id + 1")), "-b- ??? -bb d"),
    Case("NullableColumnAdded", _of(ID, V), _of(ID, V, Column("number", LONG, identity=True)), "-b- ??? -bb d"),
    Case("RequiredColumnAdded", _of(ID, V), _of(ID, V, Column("note", TEXT, is_nullable=False)), "-b- bbb bbb -"),
    Case(
        "RequiredColumnAdded", _of(ID, V), _of(ID, V, Column("at", "timestamp_ntz", is_nullable=False)), "-bd bbb bbb d"
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
    Case("FieldOrderChanged", _of(ID, Column("s", XY)), _of(ID, Column("s", YX)), "ddd --- b-- -"),
    Case(
        "FieldOrderChanged", _of(ID, Column("s", ArrayType(XY))), _of(ID, Column("s", ArrayType(YX))), "ddd --- --- -"
    ),
    Case(
        "FieldOrderChanged",
        _both(ID, V, Column("s", XX)),
        _both(ID, Column("v", LONG), Column("s", WX)),
        "ddd --- bb- -",
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
    Case(
        "LengthShortened",
        _of(ID, Column("s", struct(field("x", VarcharType(9))))),
        _of(ID, Column("s", struct(field("x", VarcharType(5))))),
        "--- ??? bbb -",
    ),
    Case(
        "LengthShortened",
        _of(ID, Column("s", ArrayType(VarcharType(9)))),
        _of(ID, Column("s", ArrayType(VarcharType(5)))),
        "--- ??? bbb -",
    ),
    Case("CollationChanged", _of(ID, NOTE), _of(ID, Column("note", "string collate UTF8_LCASE")), "ddd bbb b-- d"),
    Case("ColumnRespelled", _of(ID, NOTE), _of(Column("ID", LONG), NOTE), "ddd --- --- -"),
    Case("ColumnMoved", _of(ID, NOTE), _of(NOTE, ID, column_order="manage"), "-b- -d- -b- -"),
    Case("ColumnOrderNotKept", _of(ID, NOTE), _of(NOTE, ID), "-b- --- -b- -"),
    Case("ColumnOrderNotKept", _of(ID, NOTE, column_order="manage"), _of(ID, NOTE), "-b- --- -b- -"),
    Case("DefaultChanged", _filled(ID, V), _filled(ID, Column("v", INT, default=1)), "--- -d- d-- -"),
    Case("DefaultChanged", _filled(ID, ONE), _filled(ID, Column("v", INT, default=2)), "--- -d- d-- -"),
    Case("DefaultChanged", _filled(ID, ONE), _filled(ID, V), "--- -d- d-- -"),
    Case("DefaultChanged", _filled(ID, DEFAULT_V), _filled(ID, Column("v", INT, is_nullable=False)), "--- -d- b-- -"),
    Case("GenerationChanged", _of(ID, V), _of(ID, Column("v", INT, generated_as="cast(id as int)")), "--- ??? bbb d"),
    Case("GenerationChanged", _of(ID, GENERATED), _of(ID, Column("g", LONG, generated_as="id + 2")), "--- ??? bbb -"),
    Case("GenerationChanged", _of(ID, GENERATED), _of(ID, Column("g", LONG)), "--- ??? d-- -"),
    Case("GenerationChanged", _of(ID, Column("n", LONG, identity=True)), _of(ID, Column("n", LONG)), "--- ??? d-- -"),
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
    Case("PartitioningChanged", _of(ID, NOTE), _of(ID, NOTE, partitioned_by=["note"]), "ddd bdb ddd -"),
    Case("PartitioningChanged", _of(ID, FILLED_NOTE), _of(ID, FILLED_NOTE, partitioned_by=["note"]), "--- bdb bbb -"),
    Case("PartitioningChanged", _of(ID, V), _of(ID, V, partitioned_by=["v"]), "--- bdb --- -"),
    Case(
        "PartitioningChanged",
        _of(ID, NOTE, partitioned_by=["note"]),
        _of(ID, NOTE, partitioned_by=["id"]),
        "--- bdb bbd -",
    ),
    Case(
        "PartitioningChanged",
        _of(ID, NOTE, partitioned_by=["note"]),
        _of(ID, NOTE, clustered_by=["id"]),
        "--- bdb bbd d",
    ),
    Case("ClusteringChanged", _of(ID, NOTE), _of(ID, NOTE, clustered_by=["note"]), "--- -d- --- d"),
    Case(
        "ChangeFeedDisabled",
        _of(ID, V),
        _of(ID, V, properties={"delta.enableChangeDataFeed": "false"}),
        "--- -db --- -",
    ),
    Case("ChangeFeedDisabled", _of(ID, V), table(ID, V), "--- --b --- -"),
    Case("AppendOnlyDisabled", *_set("delta.appendOnly", "true", "false"), "ddd ddd --- -"),
    Case("RetentionShortened", *_set("delta.logRetentionDuration", None, "interval 7 days"), "ddd ddd --- -"),
    Case("RetentionShortened", *_set("delta.deletedFileRetentionDuration", "interval 9 days", None), "ddd ddd --- -"),
    Case("PropertyChanged", *_set("delta.logRetentionDuration", "interval 7 days", "interval 8 days"), "--- -d- --- -"),
    Case("PropertyChanged", *_set("team", None, "sales"), "--- --- --- -"),
    Case("PropertyChanged", *_set("delta.targetFileSize", None, "33554432"), "--- ??? --- -"),
    Case("PropertyChanged", *_set("delta.isolationLevel", None, "Serializable"), "--- -d- --- -"),
    Case("FeatureEnabled", *_set("delta.enableDeletionVectors", None, "true"), "--d -d- --- d"),
    Case("FeatureEnabled", *_set("delta.minReaderVersion", None, "3"), "--d ??? --- d"),
    Case("FeatureEnabled", *_set("delta.minWriterVersion", None, "7"), "--- ??? --- d"),
    Case("FeatureEnabled", *_set("delta.minWriterVersion", "2", "4"), "--- ??? --- d"),
    Case("PropertyChanged", *_set("delta.minWriterVersion", None, "2"), "--- ??? --- -"),
    Case("OtherFormatDisabled", *_set("delta.universalFormat.enabledFormats", "iceberg", None), "ddd --- --- d"),
    Case(
        "OtherFormatDisabled",
        *_set("delta.universalFormat.enabledFormats", "hudi, iceberg", "iceberg"),
        "ddd ??? --- d",
    ),
    Case("OtherFormatDisabled", *_set("delta.enableIcebergCompatV2", "true", "false"), "ddd ??? --- d"),
    Case("PropertyChanged", *_set("delta.universalFormat.enabledFormats", "hudi", "iceberg, Hudi"), "--- ??? --- -"),
    Case("FeatureEnabled", *_set("delta.appendOnly", None, "true"), "--- -d- bbb -"),
    Case("ColumnMappingDropped", *_set("delta.columnMapping.mode", "name", "none"), "--- bbb --- -"),
    Case("CommitsManagedByCatalog", *_set("delta.feature.catalogManaged", None, "supported"), "bbb bbb bbb d"),
    Case("CommentChanged", _of(ID, V), _of(ID, V, comment="Orders"), "--- --- --- -"),
    Case("CommentChanged", _of(ID, V), _of(ID, Column("v", INT, comment="Value")), "--- -d- --- -"),
    Case("TagChanged", _of(ID, V), _of(ID, V, tags={"owner": "sales"}), "--- --- --- -"),
    Case("TableRemoved", _of(ID), None, "bbb bbb bbb -"),
    Case("TableIntroduced", None, _of(ID), "--- --- --- -"),
    Case("AspectNotOwned", _of(ID), _of(ID, owns={"checks": "report"}), "ddd ddd --- -"),
    Case("AspectNotOwned", table(ID), table(ID, read_only=True), "ddd dd- --- -"),
    Case("AdditiveEvolution", _of(ID), _of(ID, evolution="additive"), "ddd ddd --- -"),
    Case("DeprecationBackdated", _of(ID), _of(NO_SUNSET), "ddd ddd ddd -"),
    Case("DeprecationBackdated", _of(ID), _of(ID, deprecated=IN_2030), "ddd ddd ddd -"),
    Case("SunsetMovedNearer", _of(SUNSET_2030), _of(SUNSET_2029), "ddd ddd ddd -"),
    Case("SunsetMovedNearer", _of(SUNSET_2030), _of(NO_SUNSET), "ddd ddd ddd -"),
    Case("SunsetMovedNearer", _of(ID, deprecated=IN_2030), _of(ID, deprecated=IN_2029), "ddd ddd ddd -"),
)


def shown(old: Table, new: Table | None, *roles: Role, **options: Any) -> list[str]:
    """Return the findings that are not safe as text."""
    findings = judge_change(old, new, roles=roles or ROLES, **options)
    return [str(finding) for finding in findings if finding.verdict != "safe"]


def rules(old: Table, new: Table, **options: Any) -> list[str]:
    """Return the names of the changes."""
    return [finding.rule for finding in judge_change(old, new, roles=["readers"], **options)]


NOT_IN_PLACE = ("NullForbidden", "change-feed")
"""Open-source Delta has no statement for SET NOT NULL, so only a new table shows it, which ends the stream."""


class Played(NamedTuple):
    """A finding, and the script that shows it, or why there is none."""

    name: str
    finding: CompatibilityFinding
    script: Script | NoScript


def witnesses_of(name: str, old: Table, new: Table | None) -> Iterator[Played]:
    """Yield the scripts of each finding; of what is safe, if nothing else happens to that role."""
    states = desired_state(old), None if new is None else desired_state(new)
    findings = judge_change(*states, roles=ROLES)
    worst = {role: worst_verdict(finding for finding in findings if finding.role == role) for role in ROLES}
    for finding in findings:
        if finding.role == "change-feed" and not is_on(CHANGE_FEED, states[0].table_properties):
            continue  # nobody reads a feed that is not there
        if finding.verdict != "safe" or worst[finding.role] == "safe":
            first = witness_of(finding, *states)
            made: Iterable[Script | NoScript] = [first] if isinstance(first, NoScript) else scripts_of(finding, *states)
            for number, script in enumerate(made, 1):
                yield Played(f"{name} {finding.rule} {finding.role} {number}", finding, script)


@cache
def all_played() -> list[Played]:
    """Return the witnesses of all cases."""
    return [
        played
        for number, case in enumerate(CASES)
        if case.old is not None
        for played in witnesses_of(str(number), case.old, case.new)
    ]


def scripts() -> list[Played]:
    """Return those that can be run, once each."""
    chosen: dict[tuple[bool, str], Played] = {}
    for one in all_played():
        is_safe = one.finding.verdict == "safe"
        if isinstance(one.script, Script) and not (is_safe and (one.finding.rule, one.finding.role) == NOT_IN_PLACE):
            chosen.setdefault((is_safe, one.script.text.partition("import sys")[2]), one)
    return list(chosen.values())


def sample_witnesses() -> list[Played]:
    """Return one witness for each kind of change, of readers and writers in turn, and one for each role of streams and verdict."""
    chosen: dict[str, Played] = {}
    counts = dict.fromkeys(ROLES, 0)
    for one in scripts():
        rule, role = one.finding.rule, one.finding.role
        if one.finding.verdict == "safe":
            continue
        if role in STREAM_KINDS_OF:
            chosen.setdefault(f"{role} {one.finding.verdict}", one)
            continue
        known = chosen.get(rule)
        if known is None or counts[role] + 1 < counts[known.finding.role]:
            if known is not None:
                counts[known.finding.role] -= 1
            chosen[rule] = one
            counts[role] += 1
    return list(chosen.values())
