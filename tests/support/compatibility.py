"""Changes of contracts: written cases, random pairs, jobs of roles, verdicts, and witnesses that were played."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal
from functools import cache
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from pyspark.errors import PySparkException
from pyspark.sql import types
from pyspark.sql.functions import col, lit
from pyspark.sql.functions import struct as functions_struct
from pyspark.sql.types import ArrayType, CharType, DecimalType, TimestampNTZType, VarcharType

from pytest_delta_schema import Check, Column, Deprecated, ForeignKey, PrimaryKey, Table, Unique
from pytest_delta_schema.compatibility import judge_change, worst_verdict
from pytest_delta_schema.compatibility.writers import WRITES_BY_ROLE
from pytest_delta_schema.delta.protocol import is_on
from pytest_delta_schema.settings.table import ROLES
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.testing.scenario import BOTH, INT, LONG, TEXT, field, struct
from pytest_delta_schema.witness.script import NoScript, Script, scripts_of, witness_of
from pytest_delta_schema.write_check.values import CHANGE_FEED
from support.models import table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from pyspark.sql import Column as SqlColumn
    from pyspark.sql import DataFrame, SparkSession

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


def _cases_property(key: str, before: object, after: object) -> tuple[Table, Table]:
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
        "TypeWidened",
        _of(ID, AMOUNT, clients=CLIENTS),
        _of(ID, Column("amount", DecimalType(12, 2))),
        "ddd dbd b-- b",
    ),
    Case("TypeWidened", _of(ID, Column("v", VarcharType(5))), _of(ID, Column("v", VarcharType(9))), "ddd -d- --- -"),
    Case("NullableColumnAdded", _of(ID, V), _of(ID, V, NOTE), "-b- ddd -bb -"),
    Case("NullableColumnAdded", _of(ID, V), _of(ID, V, Column("at", "timestamp_ntz")), "-bd ddd -bb d"),
    Case("NullableColumnAdded", _of(ID, V), _of(ID, V, Column("next", LONG, generated_as="id + 1")), "-b- ??? -bb d"),
    Case("NullableColumnAdded", _of(ID, V), _of(ID, V, Column("number", LONG, identity=True)), "-b- ??? -bb d"),
    Case("RequiredColumnAdded", _of(ID, V), _of(ID, V, Column("note", TEXT, is_nullable=False)), "-b- bbb bbb -"),
    Case(
        "RequiredColumnAdded",
        _of(ID, V),
        _of(ID, V, Column("at", "timestamp_ntz", is_nullable=False)),
        "-bd bbb bbb d",
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
    Case("FieldOrderChanged", _of(ID, Column("s", XY)), _of(ID, Column("s", YX)), "ddd --- --- -"),
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
        "LengthShortened",
        _of(ID, Column("v", VarcharType(9))),
        _of(ID, Column("v", VarcharType(5))),
        "--- bbb bbb -",
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
    Case("AppendOnlyDisabled", *_cases_property("delta.appendOnly", "true", "false"), "ddd ddd --- -"),
    Case(
        "RetentionShortened",
        *_cases_property("delta.logRetentionDuration", None, "interval 7 days"),
        "ddd ddd --- -",
    ),
    Case(
        "RetentionShortened",
        *_cases_property("delta.deletedFileRetentionDuration", "interval 9 days", None),
        "ddd ddd --- -",
    ),
    Case(
        "PropertyChanged",
        *_cases_property("delta.logRetentionDuration", "interval 7 days", "interval 8 days"),
        "--- -d- --- -",
    ),
    Case("PropertyChanged", *_cases_property("team", None, "sales"), "--- --- --- -"),
    Case("PropertyChanged", *_cases_property("delta.targetFileSize", None, "33554432"), "--- ??? --- -"),
    Case("PropertyChanged", *_cases_property("delta.isolationLevel", None, "Serializable"), "--- -d- --- -"),
    Case("FeatureEnabled", *_cases_property("delta.enableDeletionVectors", None, "true"), "--d -d- --- d"),
    Case("FeatureEnabled", *_cases_property("delta.minReaderVersion", None, "3"), "--d ??? --- d"),
    Case("FeatureEnabled", *_cases_property("delta.minReaderVersion", "1", "2"), "--d ??? --- d"),
    Case("FeatureEnabled", *_cases_property("delta.minWriterVersion", None, "7"), "--- ??? --- d"),
    Case("FeatureEnabled", *_cases_property("delta.minWriterVersion", "2", "4"), "--- ??? --- d"),
    Case("PropertyChanged", *_cases_property("delta.minWriterVersion", None, "2"), "--- ??? --- -"),
    Case(
        "OtherFormatDisabled",
        *_cases_property("delta.universalFormat.enabledFormats", "iceberg", None),
        "ddd --- --- d",
    ),
    Case(
        "OtherFormatDisabled",
        *_cases_property("delta.universalFormat.enabledFormats", "hudi, iceberg", "iceberg"),
        "ddd ??? --- d",
    ),
    Case("OtherFormatDisabled", *_cases_property("delta.enableIcebergCompatV2", "true", "false"), "ddd ??? --- d"),
    Case(
        "PropertyChanged",
        *_cases_property("delta.universalFormat.enabledFormats", "hudi", "iceberg, Hudi"),
        "--- ??? --- -",
    ),
    Case("FeatureEnabled", *_cases_property("delta.appendOnly", None, "true"), "--- -d- bbb -"),
    Case("ColumnMappingDropped", *_cases_property("delta.columnMapping.mode", "name", "none"), "--- bbb --- -"),
    Case(
        "CommitsManagedByCatalog",
        *_cases_property("delta.feature.catalogManaged", None, "supported"),
        "bbb bbb bbb d",
    ),
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


if TYPE_CHECKING:
    Row = Mapping[str, Any]

STORED: tuple[Row, ...] = (
    {"id": 1, "a": 1, "b": "b1", "c": 10, "v": "v1", "s": {"x": 1, "y": "y1"}, "d": Decimal("1.00"), "e": 1},
    {"id": 2, "a": 2, "b": "b2", "c": 20, "v": "v2", "s": {"x": 2, "y": "y2"}, "d": Decimal("2.00"), "e": 2},
)
"""The rows that a table has: they satisfy every contract."""

WRITTEN: tuple[Row, ...] = (
    {"id": 11, "a": None, "b": None, "c": None, "v": None, "s": None, "d": None, "e": 3},
    {
        "id": 12,
        "a": 5,
        "b": "b" * 20,
        "c": -(2**40),
        "v": "v" * 20,
        "s": {"x": 3, "y": "y3"},
        "d": Decimal("3.00"),
        "e": 4,
    },
    {"id": 1, "a": 6, "b": "c", "c": 30, "v": "w", "s": {"x": None, "y": None}, "d": Decimal("4.00"), "e": 5},
)
"""The rows that jobs write: what the released contracts allow, and the next ones may refuse."""

SOURCE = "rows_of_a_job"


class Answer(NamedTuple):
    """What a job has answered, or why it failed."""

    rows: tuple[Any, ...] = ()
    types: tuple[str, ...] = ()
    failure: str = ""


class Job(NamedTuple):
    """The job of a role, which was written for a released contract."""

    role: Role
    name: str
    run: Callable[[SparkSession, str, Table], Answer]


def answer_of(job: Job, spark: SparkSession, table: str, released: Table) -> Answer:
    """Run a job on a table."""
    try:
        return job.run(spark, table, released)
    except PySparkException as error:
        return Answer(failure=error.getCondition() or str(error).partition("\n")[0])
    except Exception as error:
        # Java's errors are of no class of PySpark, such as that of a violated constraint.
        if not type(error).__module__.startswith("py4j"):
            raise
        return Answer(failure=str(getattr(error, "java_exception", error)).partition("\n")[0])


def frame(spark: SparkSession, released: Table, rows: Iterable[Row]) -> DataFrame:
    """Return rows of a released contract as a frame, in which texts have no limit."""
    schema = types.StructType(
        [
            types.StructField(column.name, types.StringType() if _is_text(column.data_type) else column.data_type)
            for column in released.columns
        ],
    )
    return spark.createDataFrame([tuple(row[column.name] for column in released.columns) for row in rows], schema)


def _is_text(data_type: types.DataType) -> bool:
    return isinstance(data_type, (types.StringType, types.VarcharType, types.CharType))


def _leaves(released: Table) -> list[str]:
    """Return the columns of a contract, and the fields of structs instead of these."""
    return [
        path
        for column in released.columns
        for path in (
            [f"{column.name}.{name}" for name in column.data_type.names]
            if isinstance(column.data_type, types.StructType)
            else [column.name]
        )
    ]


def _answer(shown: DataFrame) -> Answer:
    rows = sorted(map(tuple, shown.collect()), key=repr)
    return Answer(tuple(rows), tuple(kept.dataType.simpleString() for kept in shown.schema))


def _by_name(shown: DataFrame, released: Table) -> Answer:
    return _answer(shown.select([col(path).alias(path.replace(".", "_")) for path in _leaves(released)]))


def _read(spark: SparkSession, table: str, released: Table) -> Answer:
    return _by_name(spark.table(table), released)


def _read_path(spark: SparkSession, table: str, released: Table) -> Answer:
    (location,) = spark.sql(f"DESCRIBE DETAIL {table}").select("location").collect()[0]
    return _by_name(spark.read.format("delta").load(location), released)


def _read_positions(spark: SparkSession, table: str, _released: Table) -> Answer:
    return _answer(spark.table(table))


def _written(write: Callable[[DataFrame, str], object]) -> Callable[[SparkSession, str, Table], Answer]:
    def run(spark: SparkSession, table: str, released: Table) -> Answer:
        write(frame(spark, released, WRITTEN), table)
        return Answer()

    return run


def _statement(text: str) -> Callable[[SparkSession, str, Table], Answer]:
    def run(spark: SparkSession, table: str, released: Table) -> Answer:
        frame(spark, released, WRITTEN).createOrReplaceTempView(SOURCE)
        try:
            spark.sql(text.format(table=table, source=SOURCE))
        finally:
            spark.catalog.dropTempView(SOURCE)
        return Answer()

    return run


def _insert_positions(spark: SparkSession, table: str, released: Table) -> Answer:
    """Write by position; values in other columns than those for which they were written are a failure."""
    _statement("INSERT INTO {table} SELECT * FROM {source}")(spark, table, released)
    for row in spark.table(table).where("id >= 11").collect():
        (written,) = (written for written in WRITTEN if written["id"] == row["id"])
        if any(_plain(row[name]) != _plain(written[name]) for name in row.asDict() if name in written and name != "s"):
            return Answer(failure="values are in other columns")
    return Answer()


def _plain(value: object) -> object:
    """Return a value in a form that casts leave as it is."""
    try:
        return float(str(value))
    except ValueError:
        return str(value)


def _update(spark: SparkSession, table: str, released: Table) -> Answer:
    for row in WRITTEN:
        assignments = ", ".join(f"{column.name} = {_literal(row[column.name])}" for column in released.columns)
        spark.sql(f"UPDATE {table} SET {assignments} WHERE id = 2")  # noqa: S608 - our own names
    return Answer()


def _literal(value: object) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, dict):
        return f"named_struct({', '.join(f'{name!r}, {_literal(part)}' for name, part in value.items())})"
    return repr(value) if isinstance(value, str) else str(value)


JOBS: tuple[Job, ...] = (
    Job("readers", "SELECT by name", _read),
    Job("readers-by-path", "load", _read_path),
    Job("readers-by-position", "SELECT *", _read_positions),
    Job("writers-by-position", "INSERT by position", _insert_positions),
    Job("writers", "writeTo", _written(lambda rows, table: rows.writeTo(table).append())),
    Job("writers", "saveAsTable", _written(lambda rows, table: rows.write.mode("append").saveAsTable(table))),
    Job("writers", "INSERT BY NAME", _statement("INSERT INTO {table} BY NAME SELECT * FROM {source}")),
    Job("writers", "UPDATE", _update),
    Job(
        "writers-by-merge",
        "MERGE",
        _statement(
            "MERGE INTO {table} AS t USING {source} AS s ON t.id = s.id"
            " WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
        ),
    ),
    Job(
        "writers",
        "saveAsTable in mode overwrite",
        _written(lambda rows, table: rows.write.mode("overwrite").saveAsTable(table)),
    ),
)
"""In this order, because those that write change what others would read."""


def copied(spark: SparkSession, table: str, old: Table, new: Table) -> None:
    """Write the stored rows to a table that was created again, in the types that it has now."""
    names = {column.renamed_from or column.name: column for column in new.columns if column.generated_as is None}
    rows = frame(spark, old, STORED)
    fitting = [_fitting(rows, name, column.data_type).alias(column.name) for name, column in names.items()]
    rows.select(fitting).writeTo(table).append()


def _fitting(rows: DataFrame, name: str, data_type: types.DataType) -> SqlColumn:
    """Return a column in another type, with the fields that it has then; one that is new has zeros."""
    if name not in rows.columns:
        return lit(0).cast(data_type)
    if isinstance(data_type, types.StructType):
        known = rows.select(f"{name}.*").columns
        parts = [(col(f"{name}.{part.name}") if part.name in known else lit(None), part) for part in data_type.fields]
        return functions_struct(*(value.cast(part.dataType).alias(part.name) for value, part in parts))
    return col(name).cast(data_type)


def changed(answers: Mapping[str, Answer], released: Mapping[str, Answer]) -> Iterator[str]:
    """Yield how a job fails or answers otherwise than on the released table."""
    for name, answer in answers.items():
        if answer != released[name]:
            yield f"{name}: {answer.failure or f'{answer.rows} {answer.types} instead of {released[name].rows}'}"


def shown(old: Table, new: Table | None, *roles: Role, **options: Any) -> list[str]:
    """Return the findings that are not safe as text."""
    findings = judge_change(old, new, roles=roles or ROLES, **options)
    return [str(finding) for finding in findings if finding.verdict != "safe"]


def rules(old: Table, new: Table, **options: Any) -> list[str]:
    """Return the names of the changes."""
    return [finding.rule for finding in judge_change(old, new, roles=["readers"], **options)]


if TYPE_CHECKING:
    Edit = Callable[[Table], Table]

COUNT = 300
FEATURES = {**BOTH, "delta.feature.allowColumnDefaults": "supported"}
COLUMNS = (
    Column("id", LONG, is_nullable=False),
    Column("a", INT),
    Column("b", TEXT),
    Column("c", LONG),
    Column("v", "varchar(20)"),
    Column("s", struct(field("x", INT), field("y", TEXT))),
    Column("d", "decimal(10,2)"),
    Column("e", INT, is_nullable=False),
)
BASES: dict[str, Table] = {
    "plain": table(*COLUMNS, table_properties=FEATURES),
    "ordered": table(*COLUMNS, table_properties=FEATURES, column_order="manage"),
    "checked": table(
        *COLUMNS,
        table_properties={**FEATURES, "delta.appendOnly": "false"},
        checks=[Check("c_small", "c IS NULL OR c < 1000")],
        primary_key=PrimaryKey(["id"], name="pk"),
        unique=[Unique(["e"], name="e_once")],
    ),
}
"""The released contracts."""


class Pair(NamedTuple):
    """A released contract and the next one."""

    base: str
    edits: tuple[str, ...]

    @property
    def name(self) -> str:
        """The name of the pair in messages."""
        return f"{self.base}: {', '.join(self.edits)}"

    @property
    def old(self) -> Table:
        """The released contract."""
        return BASES[self.base]

    @property
    def new(self) -> Table:
        """The next contract."""
        model = self.old
        for edit in self.edits:
            model = EDITS[edit](model)
        return model


def _column(name: str, new: Column | None) -> Edit:
    def edit(model: Table) -> Table:
        columns = [new if column.name == name else column for column in model.columns]
        return replace(model, columns=[column for column in columns if column is not None])

    return edit


def _added(column: Column) -> Edit:
    return lambda model: replace(model, columns=[*model.columns, column])


def _pairs_property(key: str, value: str) -> Edit:
    return lambda model: replace(model, table_properties={**model.table_properties, key: value})


def _with(**parts: Any) -> Edit:
    return lambda model: replace(model, **parts)


def _last_first(model: Table) -> Table:
    *others, last = model.columns
    return replace(model, columns=[last, *others], column_order="manage")


EDITS: Mapping[str, Edit] = {
    "a gone": _column("a", None),
    "a widened": _column("a", Column("a", LONG)),
    "a is text": _column("a", Column("a", TEXT)),
    "a NOT NULL": _column("a", Column("a", INT, is_nullable=False)),
    "a has a default": _column("a", Column("a", INT, default=7)),
    "a described": _column("a", Column("a", INT, comment="How many")),
    "b renamed": _column("b", Column("b2", TEXT, renamed_from="b")),
    "b gone": _column("b", None),
    "b short": _column("b", Column("b", "varchar(5)")),
    "c narrower": _column("c", Column("c", INT)),
    "c checked": lambda model: replace(model, checks=[*model.checks, Check("c_positive", "c > 0")]),
    "c unchecked": lambda model: replace(model, checks=[check for check in model.checks if check.name != "c_small"]),
    "v shorter": _column("v", Column("v", "varchar(5)")),
    "v longer": _column("v", Column("v", "varchar(40)")),
    "v is string": _column("v", Column("v", TEXT)),
    "s.z added": _column("s", Column("s", struct(field("x", INT), field("y", TEXT), field("z", INT)))),
    "s.y gone": _column("s", Column("s", struct(field("x", INT)))),
    "d wider": _column("d", Column("d", "decimal(12,2)")),
    "d double": _column("d", Column("d", "double")),
    "e may be NULL": _column("e", Column("e", INT)),
    "n added": _added(Column("n", TEXT)),
    "m NOT NULL added": _added(Column("m", INT, is_nullable=False)),
    "g generated": _added(Column("g", LONG, generated_as="id + 1")),
    "last first": _last_first,
    "by b": _with(partitioned_by=["b"]),
    "clustered by c": _with(clustered_by=["c"]),
    "described": _with(comment="All of them"),
    "another key": _with(primary_key=PrimaryKey(["id", "e"], name="pk")),
    "no key": _with(primary_key=()),
    "unique": _with(unique=[Unique(["c"], name="c_once")]),
    "feed": _pairs_property("delta.enableChangeDataFeed", "true"),
    "deletion vectors": _pairs_property("delta.enableDeletionVectors", "true"),
    "short log": _pairs_property("delta.logRetentionDuration", "interval 10 days"),
    "tuned": _pairs_property("delta.targetFileSize", "33554432"),
}
"""The changes of a contract, each of one part."""

_TOGETHER: tuple[frozenset[str], ...] = (
    frozenset({"by b", "clustered by c"}),
    frozenset({"by b", "b gone"}),
    frozenset({"by b", "b renamed"}),
    frozenset({"clustered by c", "c narrower"}),
    frozenset({"another key", "e may be NULL"}),
    frozenset({"another key", "no key"}),
)
"""Edits that are no declaration together."""


def _part(edit: str) -> str:
    return edit.split(maxsplit=1)[0].partition(".")[0]


def _fit(edits: tuple[str, ...]) -> bool:
    """Whether edits touch different parts, and together are a declaration."""
    columns = [_part(edit) for edit in edits if len(_part(edit)) == 1]
    return len(columns) == len({*columns}) and not any(together <= {*edits} for together in _TOGETHER)


def all_pairs() -> list[Pair]:
    """Return the same 300 pairs in every run: each edit of each base alone, and random ones of two or three edits."""
    random = Random(2026)  # noqa: S311 - the same pairs in every run
    pairs = [Pair(base, (edit,)) for base in BASES for edit in EDITS if BASES[base] != EDITS[edit](BASES[base])]
    chosen = {frozenset((pair.base, *pair.edits)) for pair in pairs}
    while len(pairs) < COUNT:
        pair = Pair(random.choice([*BASES]), tuple(random.sample([*EDITS], random.choice((2, 3)))))
        key = frozenset((pair.base, *pair.edits))
        if key not in chosen and _fit(pair.edits) and all(EDITS[edit](pair.old) != pair.old for edit in pair.edits):
            chosen.add(key)
            pairs.append(pair)
    return pairs


def sample_pairs() -> list[Pair]:
    """Return few pairs that have every edit."""
    pairs: list[Pair] = []
    left = {*EDITS}
    for pair in sorted(all_pairs(), key=lambda pair: -len(pair.edits)):
        if left and len(left & {*pair.edits}) >= min(2, len(left)):
            pairs.append(pair)
            left -= {*pair.edits}
    return pairs


NOT_IN_PLACE = ("NullForbidden", "change-feed")
"""Open-source Delta has no statement for SET NOT NULL, so only a new table shows it, which ends the stream."""

EVERY_METHOD = "RequiredColumnAdded"
"""A change that writers meet by every method with which they add rows."""


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
    return _once(all_played())


def scripts_of_pairs() -> list[Played]:
    """Return those of the random pairs of contracts, once each: many pairs have the same script."""
    return _once(played for pair in all_pairs() for played in witnesses_of(pair.name, pair.old, pair.new))


def _once(played: Iterable[Played]) -> list[Played]:
    chosen: dict[tuple[bool, str], Played] = {}
    for one in played:
        is_safe = one.finding.verdict == "safe"
        if isinstance(one.script, Script) and not (is_safe and (one.finding.rule, one.finding.role) == NOT_IN_PLACE):
            chosen.setdefault((is_safe, one.script.text.partition("import sys")[2]), one)
    return list(chosen.values())


def sample_witnesses() -> list[Played]:
    """Return one witness for each kind of change, of roles in turn, and for one of them those of every method."""
    chosen: dict[str, Played] = {}
    counts = dict.fromkeys(ROLES, 0)
    for one in scripts():
        rule, role = one.finding.rule, one.finding.role
        if one.finding.verdict == "safe":
            continue
        known = chosen.get(rule)
        if known is None or counts[role] + 1 < counts[known.finding.role]:
            if known is not None:
                counts[known.finding.role] -= 1
            chosen[rule] = one
            counts[role] += 1
    of_writers = [one for one in scripts() if one.finding.rule == EVERY_METHOD and one.finding.role in WRITES_BY_ROLE]
    case = of_writers[0].name.partition(" ")[0]
    every = [one for one in of_writers if one.name.partition(" ")[0] == case and one not in chosen.values()]
    return [*chosen.values(), *every]
