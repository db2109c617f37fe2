"""A stream that reads a new table over a change of it, on real Delta."""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
import uuid
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.backends.local.warehouse import table_folder
from pytest_delta_schema.backends.spark.sessions import setting
from pytest_delta_schema.diagnostics.errors import StatementError
from pytest_delta_schema.execute.runner import ActionRunner
from pytest_delta_schema.models.names import QualifiedName
from pytest_delta_schema.plan.planner import TablePlanner
from pytest_delta_schema.sql.compiler import statements
from pytest_delta_schema.sql.quoting import dotted
from pytest_delta_schema.write_check.streams import NEW_CHECKPOINT, NOTHING_HELPS, TRACKED, StreamVerdict

if sys.version_info >= (3, 11):
    from typing import assert_never
else:
    from typing_extensions import assert_never

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import TracebackType

    from pyspark.sql import SparkSession
    from typing_extensions import Self

    from pytest_delta_schema.backends.local.catalog import LocalCatalog
    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.write_check.streams import Remedy, StreamKind


class StreamStage:
    """A context manager: a new table in a scratch schema, and a stream that has read its first row."""

    def __init__(
        self,
        catalog: LocalCatalog,
        old: TableState,
        kind: StreamKind,
        rows: Sequence[Mapping[str, Any]],
        *,
        count_by: str = "",
    ) -> None:
        self._catalog = catalog
        self._old = old
        self._kind = kind
        self._count_by = count_by
        self._first, self._unread, self._last = rows
        self._home = QualifiedName("scratch", f"stream_{uuid.uuid4().hex[:8]}", old.name.table)
        self._folder = Path(tempfile.mkdtemp())
        self._query: Any = None

    def __enter__(self) -> Self:
        self._catalog.create_schema(self._home.catalog, self._home.schema)
        try:
            self._begin()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _traceback: TracebackType | None
    ) -> None:
        if self._query is not None:
            with self._catalog.bridge.translate_errors():
                self._query.stop()
        self._catalog.drop_schema(self._home.catalog, self._home.schema)
        shutil.rmtree(self._folder, ignore_errors=True)

    def change(self, new: TableState) -> None:
        """Align the table with a state."""
        plan = TablePlanner().plan_states([self._placed(new)], self._catalog.read_tables([self._home]))
        ActionRunner.over(self._catalog).apply(plan)

    def run(self, sql: str) -> None:
        """Run a statement, in which ``{table}`` is the name of the table."""
        with self._catalog.bridge.using(self._home.catalog):
            self._catalog.bridge.sql(sql.format(table=dotted(self._home)))

    def verdict(self) -> StreamVerdict:
        """Append the last row, and let the stream read everything: start it again, and try what may let it continue."""
        self._insert(self._last)
        first = self._run.failure(self._query)
        error = self._run.until_it_goes_on(first)
        verdict = StreamVerdict(table=str(self._old.name), kind=self._kind, answer="continues")
        if first is None:
            return verdict
        if error is None:
            return replace(verdict, answer="restarts", condition=first.condition)
        return replace(verdict, answer="blocked", condition=error.condition, remedy=self._remedy(error))

    def _begin(self) -> None:
        creation = TablePlanner().creation(self._placed(self._old), creates_schema=False)
        for statement in statements(creation):
            self._catalog.run(statement)
        version = self._catalog.version(self._home)
        self._insert(self._first)
        folder = table_folder(self._catalog.warehouse, self._home)
        started_with = version + 1 if isinstance(version, int) else 0
        checkpoint = self._folder / "checkpoint"
        checkpoint.mkdir()
        self._run = StreamRun(
            catalog=self._catalog,
            table=folder,
            checkpoint=checkpoint,
            options=options_of(self._kind, checkpoint, started_with),
            count_by=self._count_by,
        )
        with self._catalog.bridge.translate_errors():
            if self._kind in RUNS_MEANWHILE:
                self._query = self._run.start(ends=False)
                self._query.processAllAvailable()
                return
            if self._kind == "lagging":
                self._run.start().awaitTermination()
        self._insert(self._unread)

    def _insert(self, row: Mapping[str, Any]) -> None:
        self._catalog.insert(self._home, [row])

    def _placed(self, state: TableState) -> TableState:
        """Return a state under the name of the scratch table, without foreign keys to other tables."""
        keys = (key._replace(parent=self._home) for key in state.foreign_keys if key.parent == state.name)
        return replace(state, name=self._home, logical_name=self._home, foreign_keys=tuple(keys))

    def _remedy(self, error: StatementError) -> Remedy:
        """Return the first remedy that lets the stream continue."""
        kept = shutil.copytree(self._run.checkpoint, self._folder / "kept")
        remedies = (self._run.goes_on_with(remedy, kept) for remedy in remedies_for(error))
        return next(filter(None, remedies), NOTHING_HELPS)


_TRACKING = "schemaTrackingLocation"
_ALLOWS = re.compile(r"allowSourceColumn\w+")
"""The options that the message of Delta names, which let a stream with tracked schemas continue."""

_SETTINGS = "spark.databricks.delta.streaming.unsafeReadOn"

_NEW_IN_EACH_RUN = re.compile(r"runId = [\w-]+|\nLogical Plan:.*", re.DOTALL)
"""The id of a run, and its plan, which has ids of expressions (Spark 4.2.0)."""

_MOST_STARTS = 5
"""How often a stream is started again while it ends for another reason each time."""

RUNS_MEANWHILE: tuple[StreamKind, ...] = ("plain", "tracked", "change-feed")
"""The kinds of streams that run while the table changes."""

REMEDIES: Mapping[str, tuple[Remedy, ...]] = {
    "DELTA_SOURCE_TABLE_IGNORE_CHANGES": (("skipChangeCommits=true",),),
    "DELTA_SOURCE_IGNORE_DELETE": (("ignoreDeletes=true",), ("skipChangeCommits=true",)),
    "DELTA_SCHEMA_CHANGED": (
        (TRACKED,),
        (f"{_SETTINGS}NullabilityChange.enabled=true",),
        (f"{_SETTINGS}PartitionColumnChanges.enabled=true",),
        (f"{_SETTINGS}IncompatibleSchemaChangesDuringStreamStart.enabled=true",),
    ),
    "DELTA_STREAMING_INCOMPATIBLE_SCHEMA_CHANGE": (
        (TRACKED,),
        (f"{_SETTINGS}IncompatibleColumnMappingSchemaChanges.enabled=true",),
    ),
}
"""What may let a stream continue, by the beginning of the error condition; the least dangerous first (Delta 4.4.0)."""


def options_of(kind: StreamKind, checkpoint: Path, version: int) -> dict[str, str]:
    """Return the options of a reader; the version is that with which a stream of ``starting-version`` starts."""
    match kind:
        case "plain" | "lagging":
            return {}
        case "starting-version":
            return {"startingVersion": str(version)}
        case "tracked":
            return {_TRACKING: str(checkpoint / "_schema")}
        case "change-feed":
            return {"readChangeFeed": "true"}
    assert_never(kind)


def remedies_for(error: StatementError) -> list[Remedy]:
    """Return what is tried for a stream that ends with an error, in order."""
    remedies = [remedy for start, all_of in REMEDIES.items() if error.condition.startswith(start) for remedy in all_of]
    allowed = allowed_by(error)
    return [*([allowed] if allowed else []), *remedies, NEW_CHECKPOINT]


def allowed_by(error: StatementError) -> Remedy:
    """Return the options that an error names, with which a stream that tracks schemas continues."""
    return tuple(f"{name}=always" for name in dict.fromkeys(_ALLOWS.findall(str(error))))


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamRun:
    """One stream over a table, with its checkpoint and its options."""

    catalog: LocalCatalog
    table: Path
    checkpoint: Path
    options: Mapping[str, str]
    count_by: str
    """The column by which it counts rows, which makes it stateful; ``""`` for a stream without state."""

    def start(self, *, ends: bool = True) -> Any:
        """Start the stream and return its query, which ends when everything is read, or runs on."""
        reader = self._spark.readStream.format("delta").options(**self.options)
        rows = reader.load(str(self.table))
        if self.count_by:
            rows = rows.groupBy(self.count_by).count()
        writer = rows.writeStream.format("noop").outputMode("complete" if self.count_by else "append")
        writer = writer.option("checkpointLocation", str(self.checkpoint))
        return (writer.trigger(availableNow=True) if ends else writer).start()

    def failure(self, query: Any = None) -> StatementError | None:
        """Return the error with which the stream ends, ``None`` if it reads everything."""
        try:
            with self.catalog.bridge.translate_errors(), self.catalog.bridge.stopping():
                if query is None:
                    self.start().awaitTermination()
                else:
                    query.processAllAvailable()
        except StatementError as error:
            return error
        return None

    def until_it_goes_on(self, error: StatementError | None) -> StatementError | None:
        """Start the stream again after an error until it reads everything, or ends for the same reason as before."""
        reasons: list[str] = []
        while error is not None and len(reasons) < _MOST_STARTS and _reason(error) not in reasons:
            reasons.append(_reason(error))
            error = self.failure()
        return error

    def goes_on_with(self, remedy: Remedy, kept: Path) -> Remedy:
        """Return a remedy with which the stream reads everything, with the options that Delta names; none if it fails.

        It begins with a copy of its checkpoint, at the same path: schemas are tracked for one path only.
        """
        if remedy == (TRACKED,) and _TRACKING in self.options:
            return ()
        shutil.rmtree(self.checkpoint)
        options = dict(self.options)
        parts: Remedy = remedy
        if remedy == NEW_CHECKPOINT:
            parts = ()
            options.pop("startingVersion", None)
        else:
            shutil.copytree(kept, self.checkpoint)
        with ExitStack() as settings:
            for key, _, value in (part.partition("=") for part in parts):
                if key.startswith("spark."):
                    settings.enter_context(setting(self._spark, key, value))
                else:
                    options[key] = str(self.checkpoint / "_schema") if key == _TRACKING else value
            run = replace(self, options=options)
            error = run.until_it_goes_on(run.failure())
        if error is None:
            return remedy
        allowed = allowed_by(error)
        return () if set(allowed) <= set(remedy) else self.goes_on_with((*remedy, *allowed), kept)

    @property
    def _spark(self) -> SparkSession:
        return self.catalog.spark


def _reason(error: StatementError) -> str:
    """Return the message of an error and the offsets of the stream, without what is new in each run."""
    text = str(error)
    return _NEW_IN_EACH_RUN.sub("", text.partition("terminated with exception:")[2] or text)
