"""The way into the JVM of a classic session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import SparkSession

    from pytest_delta_schema.models.names import QualifiedName


class Gateway:
    """Reaches tables as Delta itself sees them, through py4j.

    Args:
        spark: A classic session; one of Spark Connect has no JVM to reach.
    """

    def __init__(self, spark: SparkSession) -> None:
        self.spark = spark
        self.jvm: Any = spark._jvm

    def load(self, name: QualifiedName) -> Any:
        """Return a table as Delta's own ``DeltaTableV2``."""
        manager = self.spark._jsparkSession.sessionState().catalogManager()
        namespace = self.array(self.jvm.java.lang.String, [name.schema])
        identifier = self.jvm.org.apache.spark.sql.connector.catalog.Identifier.of(namespace, name.table)
        return manager.catalog(name.catalog).loadTable(identifier)

    def array(self, kind: Any, items: Sequence[Any] = ()) -> Any:
        """Build an array of Java's."""
        gateway: Any = self.spark.sparkContext._gateway
        array = gateway.new_array(kind, len(items))
        for index, item in enumerate(items):
            array[index] = item
        return array


def is_remote(spark: SparkSession) -> bool:
    """Whether a session is one of Spark Connect, which has no JVM in reach."""
    return type(spark).__module__.startswith("pyspark.sql.connect")
