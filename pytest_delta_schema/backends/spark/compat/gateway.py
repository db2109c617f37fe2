"""Load Delta tables in the JVM of a classic session through py4j."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_delta_schema.backends.spark.compat.pyspark_compat import java_array, java_session, jvm_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import SparkSession

    from pytest_delta_schema.models.names import QualifiedName


class Gateway:
    """Loads tables as Delta represents them, through py4j.

    The session is a classic one; one of Spark Connect has no JVM to reach.
    """

    def __init__(self, spark: SparkSession) -> None:
        self.spark = spark
        self.jvm = jvm_of(spark)

    def load(self, name: QualifiedName) -> Any:
        """Return a table as Delta's own ``DeltaTableV2``."""
        manager = java_session(self.spark).sessionState().catalogManager()
        namespace = self.array(self.jvm.java.lang.String, [name.schema])
        identifier = self.jvm.org.apache.spark.sql.connector.catalog.Identifier.of(namespace, name.table)
        return manager.catalog(name.catalog).loadTable(identifier)

    def array(self, kind: Any, items: Sequence[Any] = ()) -> Any:
        """Build a Java array."""
        return java_array(self.spark, kind, items)
