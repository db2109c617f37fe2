"""Streams over changes of a table: the cases, the values of properties, and the rules of their answers."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from pyspark.errors import PySparkException
from pyspark.sql import types as spark

from pytest_delta_schema import Check, Column, ForeignKey, QualifiedName, Table, Unique, rows_of
from pytest_delta_schema.diagnostics.errors import ApplyError, UnsafePlanError
from pytest_delta_schema.execute.runner import ActionRunner
from pytest_delta_schema.plan import TablePlanner
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.testing.scenario import INT, LONG, MAPPED, TEXT, WIDENS, field, struct
from pytest_delta_schema.write_check.streams import NEW_CHECKPOINT, NOTHING_HELPS, STREAM_KINDS, answers
from support.jobs import STORED, Players, failure_of
from support.models import table
from support.pages import markdown_table
from support.stream_stage import StreamStage

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql.streaming.query import StreamingQuery

    from pytest_delta_schema import LocalCatalog
    from pytest_delta_schema.plan.actions import TablePlan
    from pytest_delta_schema.settings.table import Role
    from pytest_delta_schema.state import TableState
    from pytest_delta_schema.write_check import StreamVerdict
    from pytest_delta_schema.write_check.streams import Answer, Remedy, StreamKind
    from support.jobs import Stage
    from support.pairs import Pair as ContractPair


CHECKPOINTS = "delta.checkpointPolicy"
SWITCHES = (
    *("delta.appendOnly", "delta.enableChangeDataFeed", "delta.enableDeletionVectors"),
    *("delta.enableInCommitTimestamps", "delta.enableRowTracking", "delta.enableTypeWidening"),
    *("delta.autoOptimize.autoCompact", "delta.autoOptimize.optimizeWrite"),
)
"""Properties that are on or off."""

VALUES = {
    "delta.logRetentionDuration": "interval 60 days",
    "delta.deletedFileRetentionDuration": "interval 14 days",
    "delta.setTransactionRetentionDuration": "interval 14 days",
    "delta.checkpointInterval": "20",
    "delta.dataSkippingNumIndexedCols": "8",
    "delta.dataSkippingStatsColumns": "id",
    "delta.isolationLevel": "Serializable",
}
"""Other properties, each with a value."""

ENABLED = (
    *("allowColumnDefaults", "appendOnly", "changeDataFeed", "checkConstraints", "checkpointProtection"),
    *("columnMapping", "deletionVectors", "domainMetadata", "generatedColumns", "identityColumns"),
    *("inCommitTimestamp", "invariants", "materializePartitionColumns", "rowTracking", "timestampNtz"),
    *("typeWidening", "v2Checkpoint", "vacuumProtocolCheck", "variantShredding", "variantType"),
)
"""Table features that a property enables."""


ID, NOTE, V = Column("id", LONG), Column("note", TEXT), Column("v", INT)
KEY = Column("id", LONG, is_nullable=False)
BASE = (ID, NOTE, V)
DEFAULTS = {"delta.feature.allowColumnDefaults": "supported"}
FEED = {"delta.enableChangeDataFeed": "true"}
X, XY = struct(field("x", INT)), struct(field("x", INT), field("y", TEXT))
YX = struct(field("y", TEXT), field("x", INT))
LONG_X, STRICT_X = struct(field("x", LONG)), struct(field("x", INT, nullable=False))
RENAMED_X = spark.StructType([spark.StructField("z", INT, metadata={"renamed_from": "x"})])


class Case(NamedTuple):
    """A table, and the models and statements that change it, in order."""

    text: str
    old: Table
    steps: tuple[Table | str, ...]
    count_by: str = ""

    @property
    def new(self) -> Table:
        """The last model."""
        return [step for step in self.steps if isinstance(step, Table)][-1]


def _case(text: str, old: Table, *steps: Table | str) -> Case:
    return Case(text, old, steps)


def _columns(text: str, before: Sequence[Column], after: Sequence[Column], **options: Any) -> Case:
    return _case(text, table(*before, **options), table(*after, **options))


def _options(text: str, before: Mapping[str, Any], after: Mapping[str, Any], columns: Sequence[Column] = BASE) -> Case:
    return _case(text, table(*columns, **before), table(*columns, **after))


def _property(text: str, key: str, value: str | None, before: str | None = None) -> Case:
    old = {} if before is None else {key: before}
    return _options(text, {"table_properties": old}, {"table_properties": {key: value}})


def _v(kind: spark.DataType = INT, **options: Any) -> tuple[Column, ...]:
    return (ID, NOTE, Column("v", kind, **options))


def _s(kind: spark.DataType) -> tuple[Column, ...]:
    return (ID, Column("s", kind))


_MAPPED: dict[str, Any] = {"table_properties": MAPPED}
_WIDENS: dict[str, Any] = {"table_properties": WIDENS}
_DEFAULTS: dict[str, Any] = {"table_properties": DEFAULTS}
_SHORT, _VOID = spark.VarcharType(5), spark.NullType()
_POSITIVE = {"checks": [Check("positive", "id > 0")]}
_BY_NOTE, _BY_V = {"partitioned_by": ["note"]}, {"partitioned_by": ["v"]}
_BY_ID, _CLUSTERED_BY_V = {"clustered_by": ["id"]}, {"clustered_by": ["v"]}
_KEYED: dict[str, Any] = {"primary_key": ["id"]}
_REFERENCE: dict[str, Any] = {**_KEYED, "foreign_keys": [ForeignKey(["id"], "dev.silver.orders")]}

CASES: dict[str, Case] = {
    "column-added": _columns("a column is added", BASE, (*BASE, Column("c", TEXT))),
    "field-added": _columns("a field of a struct is added", _s(X), _s(XY)),
    "column-dropped": _columns("a column is dropped", BASE, (ID, NOTE), **_MAPPED),
    "field-dropped": _columns("a field of a struct is dropped", _s(XY), _s(X), **_MAPPED),
    "column-renamed": _columns("a column is renamed", BASE, (ID, NOTE, Column("w", INT, renamed_from="v")), **_MAPPED),
    "field-renamed": _columns("a field of a struct is renamed", _s(X), _s(RENAMED_X), **_MAPPED),
    "null-allowed": _columns("NOT NULL is dropped", _v(is_nullable=False), BASE),
    "null-forbidden": _columns("a column becomes NOT NULL", BASE, _v(is_nullable=False)),
    "field-null-allowed": _columns("NOT NULL of a field is dropped", _s(STRICT_X), _s(X)),
    "field-null-forbidden": _columns("a field of a struct becomes NOT NULL", _s(X), _s(STRICT_X)),
    "type-widened": _columns("a type is widened", BASE, _v(LONG), **_WIDENS),
    "field-type-widened": _columns("the type of a field of a struct is widened", _s(X), _s(LONG_X), **_WIDENS),
    "text-lengthened": _columns("a varchar becomes longer", _v(_SHORT), _v(spark.VarcharType(9))),
    "text-retyped": _columns("a varchar becomes a string", _v(_SHORT), _v(TEXT)),
    "column-typed": _columns("a void column gets its type", _v(_VOID), _v(TEXT)),
    "field-typed": _columns(
        "a void field of a struct gets its type", _s(struct(field("x", INT), field("y", _VOID))), _s(XY)
    ),
    "column-commented": _columns("the comment of a column changes", BASE, _v(comment="New")),
    "table-commented": _options("the comment of the table changes", {}, {"comment": "New"}),
    "check-added": _options("a check is added", {}, _POSITIVE),
    "check-dropped": _options("a check is dropped", _POSITIVE, {}),
    "partitioning-added": _options("the table is partitioned", {}, _BY_NOTE),
    "partitioning-dropped": _options("partitioning is dropped", _BY_NOTE, {}),
    "partitioning-changed": _options("the table is partitioned by another column", _BY_NOTE, _BY_V),
    "partitioning-to-clustering": _options("partitioning becomes clustering", _BY_NOTE, _BY_ID),
    "column-mapping-removed": _options(
        "column mapping is removed", _MAPPED, {"table_properties": {"delta.columnMapping.mode": "none"}}
    ),
    "type-swapped": _case(
        "a type changes to one that Delta does not widen it to, by the steps of `UnsupportedTypeChange`",
        table(*BASE, **_MAPPED),
        table(*BASE, Column("v_new", TEXT), **_MAPPED),
        "UPDATE {table} SET v_new = CAST(v AS STRING)",
        table(ID, NOTE, Column("v_new", TEXT), **_MAPPED),
        table(ID, NOTE, Column("v", TEXT, renamed_from="v_new"), **_MAPPED),
    ),
    "not-null-column-added": _case(
        "a NOT NULL column is added, by the steps of `NotNullColumnAdded`",
        table(*BASE),
        table(*BASE, Column("c", TEXT)),
        "UPDATE {table} SET c = 'x'",
        table(*BASE, Column("c", TEXT, is_nullable=False)),
    ),
    "clustering-added": _options("the table is clustered", {}, _BY_ID),
    "clustering-changed": _options("the table is clustered by another column", _BY_ID, _CLUSTERED_BY_V),
    "clustering-dropped": _options("clustering is dropped", _BY_ID, {}),
    "column-moved": _case("a column is moved", table(*BASE), table(V, ID, NOTE, column_order="manage")),
    "field-moved": _case(
        "a field of a struct is moved", table(*_s(XY)), "ALTER TABLE {table} ALTER COLUMN s.y FIRST", table(*_s(YX))
    ),
    "default-set": _columns("a column gets a default", BASE, _v(default="1"), **_DEFAULTS),
    "default-changed": _columns("a default changes", _v(default="2"), _v(default="1"), **_DEFAULTS),
    "default-dropped": _columns("a default is dropped", _v(default="2"), BASE, **_DEFAULTS),
    "property-set": _property("a property without `delta.` is set or changed", "team", "sales"),
    "property-unset": _property("a property without `delta.` is removed", "team", None, "sales"),
    **{f"{key} on": _property(f"`{key}` is switched on", key, "true") for key in SWITCHES},
    **{f"{key} off": _property(f"`{key}` is switched off", key, "false", "true") for key in SWITCHES},
    **{f"{key} unset": _property(f"`{key}` is removed", key, None, "true") for key in SWITCHES},
    **{f"{key} set": _property(f"`{key}` is set or changed", key, value) for key, value in VALUES.items()},
    **{f"{key} unset": _property(f"`{key}` is removed", key, None, value) for key, value in VALUES.items()},
    **{
        f"{key} on": _options(f"`{key}` is switched on", _MAPPED, {"table_properties": {**MAPPED, key: "true"}})
        for key in ("delta.enableIcebergCompatV1", "delta.enableIcebergCompatV2")
    },
    "delta.checkpointPolicy on": _property("checkpoints become those of version 2", CHECKPOINTS, "v2"),
    "delta.checkpointPolicy set": _property("checkpoints become classic ones", CHECKPOINTS, "classic", "v2"),
    "delta.checkpointPolicy unset": _property("`delta.checkpointPolicy` is removed", CHECKPOINTS, None, "v2"),
    "delta.columnMapping.mode on": _property("column mapping is enabled", "delta.columnMapping.mode", "name"),
    **{
        f"feature {name}": _property(f"the table feature `{name}` is enabled", f"delta.feature.{name}", "supported")
        for name in ENABLED
    },
    "primary-key-added": _options("a primary key is added", {}, _KEYED, (KEY, NOTE)),
    "primary-key-dropped": _options("a primary key is dropped", _KEYED, {}, (KEY, NOTE)),
    "foreign-key-added": _options("a foreign key is added", _KEYED, _REFERENCE, (KEY, V)),
    "foreign-key-dropped": _options("a foreign key is dropped", _REFERENCE, _KEYED, (KEY, V)),
    "unique-added": _options("a UNIQUE constraint is added", {}, {"unique": [Unique(["id"])]}, (KEY, V)),
    "unique-dropped": _options("a UNIQUE constraint is dropped", {"unique": [Unique(["id"])]}, {}, (KEY, V)),
    "tags-set": _options("tags are set", {}, {"tags": {"team": "sales"}}),
    "tags-unset": _options("tags are removed", {"tags": {"team": "sales"}}, {"tags": {"team": None}}),
}
"""A case for each name of a change that can be made, and one stream with state, which nothing is predicted for."""

CASES["aggregation"] = CASES["type-widened"]._replace(
    text="a type is widened, and the stream counts rows by that column", count_by="v"
)


SAMPLE: tuple[tuple[str, StreamKind], ...] = (
    ("column-added", "plain"),
    ("column-added", "lagging"),
    ("column-added", "tracked"),
    ("partitioning-added", "starting-version"),
    ("type-widened", "tracked"),
    ("not-null-column-added", "tracked"),
    ("column-dropped", "change-feed"),
    ("delta.enableChangeDataFeed off", "change-feed"),
    ("aggregation", "lagging"),
)
"""Streams of every kind, with every answer and every way in which streams end, that take few starts."""


def states(case: Case, kind: StreamKind) -> tuple[TableState, TableState]:
    """Return the states of the table before and after the changes, as a stream of a kind needs them."""
    return _placed(case.old, kind), _placed(case.new, kind)


def play(catalog: LocalCatalog, case: Case, kind: StreamKind) -> StreamVerdict:
    """Return what a stream does over the changes of a case, on real Delta."""
    rows = [*rows_of(case.old, 2), rows_of(case.new, 3)[-1]]
    with StreamStage(catalog, _placed(case.old, kind), kind, rows, count_by=case.count_by) as stage:
        for step in case.steps:
            if isinstance(step, str):
                stage.run(step)
            else:
                stage.change(_placed(step, kind))
        return stage.verdict()


def _placed(model: Table, kind: StreamKind) -> TableState:
    """Return the state of a model; for a stream of changes with a change data feed, unless it declares one."""
    state = desired_state(model)
    feed = FEED if kind == "change-feed" else {}
    return replace(state, table_properties={**feed, **state.table_properties})


NO_PLAN = {
    "no-plan": (
        "a generated column or an identity is added; the generation of a column changes; the type of a field changes to"
        " one that Delta does not widen it to; a NOT NULL field is added; a table is converted to Delta"
    )
}
"""Changes that no plan makes, and for which no rule prints steps that a stream could live through."""


def answers_table() -> str:
    """Write the table of answers."""
    numbers = {ending: number for number, ending in enumerate(_endings(), 1)}
    rows = [
        [f"`{name}`", case.text, *(_cell(answers()[name.lower(), kind], numbers) for kind in STREAM_KINDS)]
        for name, case in CASES.items()
    ]
    rows += [[f"`{name}`", text, *["no plan" for _ in STREAM_KINDS]] for name, text in NO_PLAN.items()]
    return markdown_table(["change", "the table", *(f"`{kind}`" for kind in STREAM_KINDS)], rows)


def endings() -> str:
    """Write the table of the ways in which a stream ends."""
    rows = (
        [str(number), f"`{condition}`", _remedy(remedy)] for number, (condition, remedy) in enumerate(_endings(), 1)
    )
    return markdown_table(("number", "the stream ends with", "it continues with"), rows)


def _endings() -> list[tuple[str, Remedy]]:
    """Return the conditions with which streams end, each with what lets them continue, without repetition."""
    recorded = (answers()[name.lower(), kind] for name in CASES for kind in STREAM_KINDS)
    return list(dict.fromkeys((answer.condition, answer.remedy) for answer in recorded if answer.condition))


def _cell(answer: Answer, numbers: dict[tuple[str, Remedy], int]) -> str:
    if not answer.condition:
        return answer.answer
    text = f"**{answer.answer}**" if answer.answer == "blocked" else answer.answer
    return f"{text} ({numbers[answer.condition, answer.remedy]})"


def _remedy(remedy: Remedy) -> str:
    if not remedy:
        return "a new start"
    if remedy == NOTHING_HELPS:
        return "nothing that was tried"
    return remedy[0] if remedy == NEW_CHECKPOINT else ", ".join(f"`{part}`" for part in remedy)


class StreamJob(NamedTuple):
    """A stream that reads a released table, written apart from the predictions."""

    role: Role
    options: Mapping[str, str] = {}
    runs: bool = True
    """Whether it runs while the table changes; else it was stopped with a row to read."""


STREAM_JOBS: dict[str, StreamJob] = {
    "running": StreamJob("streams"),
    "stopped": StreamJob("streams", runs=False),
    "tracked": StreamJob("tracked-streams", {"schemaTrackingLocation": "{checkpoint}/_schema"}),
    "of changes": StreamJob("change-feed", {"readChangeFeed": "true"}),
}
_MOST_STARTS = 6
"""How often a stream is started again: one that tracks schemas ends once for each commit that changes metadata."""


class _Reading:
    """A stream that reads the table of a stage, with its checkpoint."""

    def __init__(self, job: StreamJob, stage: Stage) -> None:
        checkpoint = tempfile.mkdtemp(dir=stage.streams)
        options = {key: value.format(checkpoint=checkpoint) for key, value in job.options.items()}
        rows = partial(stage.spark.readStream.format("delta").options(**options).load, str(stage.folder))
        self._start = lambda: rows().writeStream.format("noop").option("checkpointLocation", checkpoint)
        self._query: StreamingQuery | None = None

    def run(self) -> None:
        """Start it to run on, and let it read what is there."""
        self._query = self._start().start()  # type: ignore[no-untyped-call]
        self._query.processAllAvailable()

    def failure(self) -> str:
        """Let it read everything, and return the condition with which it ends; ``""`` for none."""
        query, self._query = self._query, None
        try:
            if query is None:
                self._start().trigger(availableNow=True).start().awaitTermination()  # type: ignore[no-untyped-call]
            else:
                query.processAllAvailable()
        except PySparkException as error:
            return failure_of(error)
        finally:
            if query is not None:
                query.stop()
        return ""

    def stop(self) -> None:
        """End it if it runs."""
        if self._query is not None:
            self._query.stop()

    def answer(self) -> str:
        """Let it read everything after a change, and return what it does: it continues, restarts or is blocked."""
        ends = [self.failure()]
        while ends[-1] and len(ends) < _MOST_STARTS:
            ends.append(self.failure())
        return f"blocked {ends[-1]}" if ends[-1] else f"restarts {ends[0]}" if len(ends) > 1 else "continues"


class StreamPlayers:
    """Plays streams over changes of contracts on tables of real Delta, and shows the features that the tables gain."""

    def __init__(self, catalog: LocalCatalog) -> None:
        self._catalog = catalog
        self._players = Players(catalog)

    def close(self) -> None:
        """Drop everything."""
        self._players.close()

    def meet(self, pair: ContractPair) -> dict[str, Any]:
        """Return what the streams of a pair do, and the features that the change enables; or why it is refused."""
        old, new = streamed(pair)
        stage = self._players.stage(pair.base, old)
        jobs = {name: _Reading(job, stage) for name, job in STREAM_JOBS.items() if job.role in roles_of_streams(old)}
        for name, reading in jobs.items():
            if not STREAM_JOBS[name].runs:
                reading.failure()
        stage.fill(old, [(STORED + 1, "first")])
        for name, reading in jobs.items():
            if STREAM_JOBS[name].runs:
                reading.run()
        before = self._features(stage.table)
        try:
            refused = self._change(stage.table, new)
            if refused:
                return {"refused": refused}
            stage.fill(new, [(STORED + 2, "first")])
            answers = {name: reading.answer() for name, reading in jobs.items()}
            return {"streams": answers, "enables": sorted(self._features(stage.table) - before)}
        finally:
            for reading in jobs.values():
                reading.stop()
            self._catalog.spark.sql(f"DROP TABLE {stage.table}")

    def _change(self, name: str, model: Table) -> str:
        """Change a table in place, and return why that is refused; ``""`` if it is not."""
        bare = QualifiedName(*name.replace("`", "").split("."))
        wanted = replace(desired_state(model), name=bare, logical_name=bare)
        with self._players.creating:
            try:
                ActionRunner.over(self._catalog).apply(self._plan(wanted))
            except (ApplyError, UnsafePlanError) as error:
                return failure_of(error)
            return "no statement" if self._plan(wanted).align_tables else ""

    def _plan(self, wanted: TableState) -> TablePlan:
        return TablePlanner().plan_states([wanted], self._catalog.read_tables([wanted.name]))

    def _features(self, name: str) -> set[str]:
        """Return the features that a client of a table has to know, and the versions of its protocol."""
        (shown,) = self._catalog.spark.sql(f"DESCRIBE DETAIL {name}").collect()
        versions = (f"{key} {shown[key]}" for key in ("minReaderVersion", "minWriterVersion"))
        return {*shown["tableFeatures"], *versions}


def roles_of_streams(model: Table) -> set[Role]:
    """Return the roles of streams that can read a table; a change data feed has to be there."""
    has_feed = model.table_properties.get("delta.enableChangeDataFeed") == "true"
    return {job.role for job in STREAM_JOBS.values() if has_feed or job.role != "change-feed"}


def streamed(pair: ContractPair) -> tuple[Table, Table]:
    """Return the contracts of a pair, every second time with a change data feed."""
    feed = FEED if int(pair.digest, 16) % 2 else {}
    old, new = (replace(model, table_properties={**feed, **model.table_properties}) for model in (pair.old, pair.new))
    return old, new
