"""What Spark shows of tables that have logs written by hand, in a form that states can be compared with."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping
    from pathlib import Path

    from pyspark.sql import SparkSession

REFUSED = "refused: "
"""The beginning of the answer for a table that Spark does not read; the error follows."""

VERSIONS = ("delta.minReaderVersion", "delta.minWriterVersion")
_AT_ONCE, _THREADS = 40, 4
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
        for start in range(0, len(names), _AT_ONCE):
            # Delta keeps the files of each table in memory.
            delta.clearCache()
            batch = names[start : start + _AT_ONCE]
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
        name, metadata = field["name"], field["metadata"]
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
