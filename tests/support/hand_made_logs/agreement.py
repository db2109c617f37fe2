"""What Spark answered for the logs that are written by hand, and in what other readers differ, with the reasons.

``python -m support.hand_made_logs.agreement`` in ``tests/`` asks Spark again and writes its answers.
"""

from __future__ import annotations

import json
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

from pytest_delta_schema import SessionCatalog
from pytest_delta_schema.backends.local.bridge import Bridge
from pytest_delta_schema.backends.local.reading import WarehouseLogs, read_tables
from pytest_delta_schema.backends.logs.log import DeltaLog
from pytest_delta_schema.backends.spark.compat import Gateway, clear_cache
from pytest_delta_schema.backends.unity.logs import read_log
from pytest_delta_schema.delta.char_varchar import SHORT_NAMES
from pytest_delta_schema.delta.protocol import FEATURE_PREFIX
from pytest_delta_schema.diagnostics.errors import StatementError
from pytest_delta_schema.state import ArrayState, MapState, StructState, TableState
from support.hand_made_logs.cases import CASES, SCHEMAS_ONLY
from support.models import NAME

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Mapping

    from pyspark.sql import SparkSession

    from pytest_delta_schema import QualifiedName
    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.state import CatalogState, ColumnState
    from pytest_delta_schema.state.types import DataTypeState


REFUSED = "refused: "
"""The beginning of the answer for a table that Spark does not read; the error follows."""

VERSIONS = ("delta.minReaderVersion", "delta.minWriterVersion")
_TRUTH_AT_ONCE, _THREADS = 40, 4
_CHAR = "__CHAR_VARCHAR_TYPE_STRING"


def answers_of_spark(spark: SparkSession, folders: Mapping[str, Path], schemas_only: Container[str]) -> dict[str, str]:
    """Return what Spark shows of tables, by their names.

    Args:
        spark: A classic session.
        folders: The folders of the tables.
        schemas_only: The names of tables of which only the metadata is read, and not the list of files.
    """
    delta = _delta(spark)
    names = list(folders)
    answers: dict[str, str] = {}
    # Each thread has a thread of the JVM, in which Delta looks for an active session when it reads sidecars.
    jvm: Any = spark._jvm
    activate = jvm.org.apache.spark.sql.SparkSession.setActiveSession
    with ThreadPoolExecutor(_THREADS, initializer=activate, initargs=(spark._jsparkSession,)) as pool:
        for start in range(0, len(names), _TRUTH_AT_ONCE):
            # Delta keeps the files of each table in memory.
            delta.clearCache()
            batch = names[start : start + _TRUTH_AT_ONCE]
            answers |= zip(
                batch, pool.map(lambda name: _answer(spark, folders[name], name in schemas_only), batch), strict=True
            )
    return answers


def _answer(spark: SparkSession, folder: Path, is_schema_only: bool) -> str:
    """Return the schema and the metadata of a table, or the error."""
    try:
        schema = json.loads(spark.read.format("delta").load(str(folder)).schema.json())
        snapshot = _delta(spark).forTable(spark._jsparkSession, str(folder)).unsafeVolatileSnapshot()
        if not is_schema_only:
            snapshot.numOfFiles()
        metadata = json.loads(snapshot.metadata().json())["metaData"]
        protocol = json.loads(snapshot.protocol().json())["protocol"]
    except PySparkException as error:
        return f"{REFUSED}{error.getCondition() or _first_line(error)}"
    except Py4JJavaError as error:
        return f"{REFUSED}{error.java_exception.getClass().getName()}"
    return shown(
        columns=_Schema(spark).fields(schema["fields"]),
        partitions=metadata.get("partitionColumns", ()),
        comment=metadata.get("description"),
        # Spark shows the versions of the protocol under these keys.
        properties={key: value for key, value in metadata.get("configuration", {}).items() if key not in VERSIONS},
        protocol=(protocol["minReaderVersion"], protocol["minWriterVersion"]),
        features={*protocol.get("readerFeatures", ()), *protocol.get("writerFeatures", ())},
    )


def _delta(spark: SparkSession) -> Any:
    jvm: Any = spark._jvm
    return jvm.org.apache.spark.sql.delta.DeltaLog


def shown(
    *,
    columns: Iterable[str],
    partitions: Iterable[str],
    comment: str | None,
    properties: Mapping[str, str | None],
    protocol: tuple[int, int],
    features: Iterable[str],
) -> str:
    """Return the parts of a table as one text."""
    named = sorted(features) if protocol[1] == 7 else []
    parts = {
        "columns": list(columns),
        **({"partitions": list(partitions)} if partitions else {}),
        **({"comment": comment} if comment else {}),
        **({"properties": dict(sorted(properties.items()))} if properties else {}),
        "protocol": [*protocol, *named],
    }
    return json.dumps(parts)


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0][:80] if str(error) else type(error).__name__


class _Schema:
    """Shows schemas in JSON.

    Args:
        spark: A classic session.
    """

    def __init__(self, spark: SparkSession) -> None:
        self._jvm: Any = spark._jvm

    def fields(self, fields: Iterable[Mapping[str, Any]]) -> list[str]:
        """Return columns, or the fields of a struct."""
        return [self._field(field) for field in fields]

    def _field(self, field: Mapping[str, Any]) -> str:
        name = field["name"]
        metadata = {key: value for key, value in field["metadata"].items() if value is not None}
        kind = self._type(field["type"], name, metadata.get("__COLLATIONS", {}))
        kind = self._parsed(metadata[_CHAR]) if _CHAR in metadata and kind == "string" else metadata.get(_CHAR) or kind
        comment = metadata.get("comment")
        return f"{name} {kind}{'' if field['nullable'] else ' NOT NULL'}{f' COMMENT {comment}' if comment else ''}"

    def _parsed(self, text: str) -> str:
        """Return the type that Spark's parser reads in a text."""
        package = self._jvm.org.apache.spark.sql.catalyst.parser
        parser = getattr(getattr(package, "CatalystSqlParser$"), "MODULE$")
        return str(parser.parseDataType(text).sql()).lower()

    def _type(self, kind: Any, path: str, collations: Mapping[str, str]) -> str:
        if kind == "string" and path in collations:
            return f"string collate {collations[path].partition('.')[2]}"
        if isinstance(kind, str):
            return kind
        if kind["type"] == "struct":
            return f"struct<{', '.join(self.fields(kind['fields']))}>"
        if kind["type"] == "array":
            element = self._type(kind["elementType"], f"{path}.element", collations)
            return f"array<{element}{'' if kind['containsNull'] else ' NOT NULL'}>"
        if kind["type"] == "map":
            key = self._type(kind["keyType"], f"{path}.key", collations)
            value = self._type(kind["valueType"], f"{path}.value", collations)
            return f"map<{key}, {value}{'' if kind['valueContainsNull'] else ' NOT NULL'}>"
        return json.dumps(kind)


LEFT_TO_SPARK = "left to Spark"
DELTA = (4, 4)
_READINGS_AT_ONCE = 40

_LOG_NAMES = {short: name for name, short in SHORT_NAMES.items()}


def by_local_files(warehouse: Path) -> str:
    """Return what the local backend shows without a JVM of the table ``NAME``."""
    result = WarehouseLogs(warehouse, DELTA).read([NAME]).get(NAME)
    return LEFT_TO_SPARK if result is None else reading(result)


def by_unity_files(folder: Path) -> str:
    """Return what the unity backend shows of an external table."""
    try:
        return reading(read_log(str(folder), DeltaLog.facts, {}).state(NAME))
    except StatementError as error:
        return f"{REFUSED}{error}"


def by_local_session(spark: SparkSession, warehouse: Path, names: Mapping[str, QualifiedName]) -> dict[str, str]:
    """Return what the local backend shows with a JVM of tables in its warehouse, by the names of their logs."""
    bridge = Bridge(spark, warehouse)
    return _by_spark(bridge.gateway, lambda batch: read_tables(bridge, batch), names)


def by_session(spark: SparkSession, names: Mapping[str, QualifiedName]) -> dict[str, str]:
    """Return what the session backend shows of tables, by the names of their logs."""
    catalog = SessionCatalog(spark)
    return _by_spark(Gateway(spark), catalog.read_tables, names)


def _by_spark(
    gateway: Gateway, read: Callable[[Iterable[QualifiedName]], CatalogState], names: Mapping[str, QualifiedName]
) -> dict[str, str]:
    results: dict[QualifiedName, TableState | Diagnostic] = {}
    tables = list(names.values())
    for start in range(0, len(tables), _READINGS_AT_ONCE):
        # Delta keeps the files of each table in memory.
        clear_cache(gateway)
        state = read(tables[start : start + _READINGS_AT_ONCE])
        results |= {**state.tables, **state.problems}
    return {log: reading(results[name]) for log, name in names.items()}


def reading(result: TableState | Diagnostic) -> str:
    """Return the result of a reader as Spark's answer has it."""
    if not isinstance(result, TableState):
        return f"{REFUSED}{result}"
    if not result.exists:
        return f"{REFUSED}absent"
    properties = dict(result.table_properties)
    checks: dict[str, str | None] = {f"delta.constraints.{check.name}": check.expression for check in result.checks}
    reader, writer = (int(properties.pop(key) or 0) for key in VERSIONS)
    features = {key: value for key, value in properties.items() if key.startswith(FEATURE_PREFIX)}
    named = [key.removeprefix(FEATURE_PREFIX) for key in features] if writer == 7 else []
    stored = {key: value for key, value in properties.items() if key not in features or not named}
    return shown(
        columns=_fields(result.columns),
        partitions=result.partitioning,
        comment=result.table_comment,
        properties={**stored, **checks},
        protocol=(reader, writer),
        features=named,
    )


def _fields(columns: Iterable[ColumnState]) -> list[str]:
    return [
        f"{column.name} {_type(column.data_type)}{'' if column.is_nullable else ' NOT NULL'}"
        f"{f' COMMENT {column.comment}' if column.comment else ''}"
        for column in columns
    ]


def _type(kind: DataTypeState) -> str:
    if isinstance(kind, StructState):
        return f"struct<{', '.join(_fields(kind.fields))}>"
    if isinstance(kind, ArrayState):
        return f"array<{_type(kind.element)}{'' if kind.contains_null else ' NOT NULL'}>"
    if isinstance(kind, MapState):
        return f"map<{_type(kind.key)}, {_type(kind.value)}{'' if kind.value_contains_null else ' NOT NULL'}>"
    return json.loads(kind)["type"] if kind.startswith("{") else _LOG_NAMES.get(kind, kind)


_ANSWERS = Path(__file__).with_name("spark_answers.json")
_AGREED = Path(__file__).with_name("agreed_differences.json")

SHOWN, REFUSES, OTHER = "shows what Spark refuses", "refuses what Spark shows", "shows something else"


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreed:
    """Differences with one reason.

    Args:
        readers: The readers that differ from Spark.
        kind: What they do.
        reason: Why.
        cases: The names of the logs.
    """

    readers: tuple[str, ...]
    kind: str
    reason: str
    cases: tuple[str, ...]


def _read_answers() -> dict[str, str]:
    groups = json.loads(_ANSWERS.read_text("utf-8"))
    answers = {name: group["answer"] for group in groups for name in group["cases"]}
    return {name: answers[name] for name in CASES if name in answers}


SPARK = _read_answers()
"""The answers of Delta 4.4.0 and Spark 4.2.0, by the names of the logs."""

AGREED = tuple(
    Agreed(**{**entry, "readers": tuple(entry["readers"]), "cases": tuple(entry["cases"])})
    for entry in json.loads(_AGREED.read_text("utf-8"))
)
"""The differences that are agreed."""


def agreed_for(reader: str) -> dict[str, str]:
    """Return what is agreed for a reader: the kinds of difference by the names of the logs."""
    return {name: entry.kind for entry in AGREED if reader in entry.readers for name in entry.cases}


def differences(readings: Mapping[str, str]) -> dict[str, str]:
    """Return how readings differ from the answers of Spark, by the names of the logs; those that agree are left out."""
    kinds = {name: difference(SPARK[name], reading) for name, reading in readings.items()}
    return {name: kind for name, kind in kinds.items() if kind}


def difference(spark: str, reading: str) -> str:
    """Return how a reading differs from the answer of Spark; ``""`` if it does not."""
    if reading == LEFT_TO_SPARK:
        return ""
    if spark.startswith(REFUSED):
        return "" if reading.startswith(REFUSED) else SHOWN
    if reading.startswith(REFUSED):
        return REFUSES
    return "" if reading == spark else OTHER


def row(agreed: Agreed) -> str:
    """Return the row of differences in the table of the page."""
    return f"| {', '.join(agreed.readers)} | {agreed.kind} | {len(agreed.cases)} | {agreed.reason} |"


def record(answers: dict[str, str]) -> None:
    """Write the answers of Spark, grouped by the answer."""
    groups: dict[str, list[str]] = {}
    for name, answer in answers.items():
        groups.setdefault(answer, []).append(name)
    content = [{"answer": answer, "cases": cases} for answer, cases in groups.items()]
    _ANSWERS.write_text(json.dumps(content, indent=1) + "\n", "utf-8")


def current_answers(spark: SparkSession, root: Path) -> dict[str, str]:
    """Return what Spark answers now.

    Args:
        spark: A classic session.
        root: A folder for the tables.
    """
    folders = {}
    for number, (name, write) in enumerate(CASES.items()):
        folders[name] = root / f"t{number}"
        write(folders[name])
    return answers_of_spark(spark, folders, SCHEMAS_ONLY)


def main() -> None:
    """Ask Spark, and write its answers."""
    from pytest_delta_schema.backends.local import session_conf  # noqa: PLC0415
    from pytest_delta_schema.backends.local.start import start_session  # noqa: PLC0415

    with tempfile.TemporaryDirectory() as folder:
        session = start_session(Path(folder), session_conf(Path(folder)), archive=False)
        record(current_answers(session.spark, Path(folder)))
        session.close()


if __name__ == "__main__":
    main()
