"""Runs a stream that reads a Delta table: to its end, or in the background."""

from __future__ import annotations

import re
import shutil
import sys
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.backends.spark.session_settings import setting
from pytest_delta_schema.diagnostics.errors import StatementError
from pytest_delta_schema.write_check.streams.verdict import NEW_CHECKPOINT, TRACKED

if sys.version_info >= (3, 11):
    from typing import assert_never
else:
    from typing_extensions import assert_never

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pyspark.sql import SparkSession

    from pytest_delta_schema.backends.local.session.catalog_session import CatalogSession
    from pytest_delta_schema.write_check.streams.verdict import Remedy, StreamKind

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

    session: CatalogSession
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
        """Return the error with which the stream ends, ``None`` if it reads everything.

        Without a query the stream is started.
        """
        try:
            with self.session.translate_errors(), self.session.stopping():
                if query is None:
                    self.start().awaitTermination()
                else:
                    query.processAllAvailable()
        except StatementError as error:
            return error
        return None

    def until_it_goes_on(self, error: StatementError | None) -> StatementError | None:
        """Start the stream again after an error until it reads everything, or ends for the same reason as before.

        The result is the last error; ``None`` if it has read everything.
        """
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
        return self.session.spark


def _reason(error: StatementError) -> str:
    """Return the message of an error and the offsets of the stream, without what is new in each run."""
    text = str(error)
    return _NEW_IN_EACH_RUN.sub("", text.partition("terminated with exception:")[2] or text)
