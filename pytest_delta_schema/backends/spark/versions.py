"""The statements that older versions of Spark and Delta lack: they are split for them, or refused."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pytest_delta_schema.backends.spark.compat.delta_compat import delta_version, known_properties
from pytest_delta_schema.backends.spark.compat.pyspark_compat import spark_version
from pytest_delta_schema.backends.spark.newer_tables import refused_on_tables
from pytest_delta_schema.delta.known_properties import REGISTRY, is_databricks_only, is_known, is_open_source
from pytest_delta_schema.delta.spark_pairs import NEWEST, PAIRS
from pytest_delta_schema.delta.type_widening import widening
from pytest_delta_schema.execute.protocols.catalog import Capabilities, Refusal
from pytest_delta_schema.plan.actions import CreateTable
from pytest_delta_schema.plan.changes import ColumnTypeChange
from pytest_delta_schema.sql.aspects.properties import set_keys
from pytest_delta_schema.sql.split_per_column import TOGETHER
from pytest_delta_schema.sql.statement import StatementKind
from pytest_delta_schema.state.types import describe_type, is_generated

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from pyspark.sql import SparkSession

    from pytest_delta_schema.backends.spark.compat.gateway import Gateway
    from pytest_delta_schema.sql.statement import Statement

SPARK_WITH_SEVERAL_COLUMNS = (4, 0)
"""The first Spark whose ALTER TABLE changes several columns at once (Spark 3.5.9: PARSE_SYNTAX_ERROR)."""

GENERATED_COLUMNS = (4, 4)
"""The first Delta that creates generated and identity columns by SQL (Delta 4.3.1: UNSUPPORTED_FEATURE)."""

UNCOMMITTED_ROWS = (4, 4)
"""The first Delta with which files were read before they are committed.

The snapshot that it needs takes no protocol in Delta 3.3.3 and 4.0.1; 4.1 to 4.3 were not tried.
"""

_NEWER = f"install delta-spark {PAIRS[-1].delta_spark} and a pyspark that it is built for, such as {PAIRS[-1].pyspark}"


@dataclass(frozen=True, slots=True, kw_only=True)
class SparkVersions:
    """The versions of Spark and Delta in a session, each major and minor."""

    spark: tuple[int, int]
    delta: tuple[int, int] = NEWEST
    """Delta's version; the newest one where a session does not show it."""
    properties: AbstractSet[str] = field(default=REGISTRY, repr=False)
    """The keys of the table properties that Delta knows, in lower case; those of the newest Delta where a session does
    not show them."""

    @classmethod
    def of(cls, spark: SparkSession, gateway: Gateway | None) -> SparkVersions:
        """Return the versions of a session.

        A session of Spark Connect does not show the version of Delta, and statements that it lacks fail there.

        There is no gateway over Spark Connect.
        """
        delta = None if gateway is None else delta_version(gateway)
        if gateway is None or delta is None:
            return cls(spark=spark_version(spark))
        return cls(spark=spark_version(spark), delta=delta, properties=known_properties(gateway))

    def emulates_property(self, key: str) -> bool:
        """Whether Databricks knows a property, and this Delta does not."""
        return is_databricks_only(key, self.properties)

    def limit(self, capabilities: Capabilities) -> Capabilities:
        """Return the capabilities of a backend on these versions."""

        def refuses(statement: Statement) -> Refusal | None:
            return capabilities.refuses(statement) or self.refuses(statement)

        splits = frozenset() if self.spark >= SPARK_WITH_SEVERAL_COLUMNS else TOGETHER - capabilities.emulates
        return replace(
            capabilities,
            emulates_property=self.emulates_property,
            splits=splits,
            refuses=refuses,
            refuses_for_table=refused_on_tables(self.emulates_property),
        )

    def refuses(self, statement: Statement) -> Refusal | None:
        """Return why this Delta cannot run a statement that newer ones can, or ``None``."""
        version = ".".join(map(str, self.delta))
        generated = ", ".join(_generated(statement))
        if generated and self.delta < GENERATED_COLUMNS:
            return Refusal(f"Delta {version} has no SQL for generated and identity columns ({generated})", _NEWER)
        if self.delta < UNCOMMITTED_ROWS and statement.kind is StatementKind.REWRITE_LAYOUT:
            reason = (
                f"Delta {version} cannot read rows back before they are committed, which shows that none has changed"
            )
            return Refusal(reason, f"create the table again under another name and copy the rows, or {_NEWER}")
        changes = [change for change in statement.changes if isinstance(change, ColumnTypeChange)]
        # What no Delta widens is refused by the rule UnsupportedTypeChange, which has the right remedy.
        known = [change for change in changes if widening(change.before, change.after) is not None]
        narrow = [change for change in known if widening(change.before, change.after, self.delta) is None]
        if narrow:
            types = ", ".join(f"{describe_type(change.before)} to {describe_type(change.after)}" for change in narrow)
            return Refusal(f"Delta {version} does not widen {types}", f"add a column of the new type, or {_NEWER}")
        unknown = [key for key in set_keys(statement) if not self._stores(key)]
        if unknown:
            remedy = _NEWER if all(map(is_known, unknown)) else "leave out what only another catalog knows"
            return Refusal(f"Delta {version} does not know the properties {', '.join(unknown)}", remedy)
        return None

    def _stores(self, key: str) -> bool:
        return is_open_source(key, self.properties) or self.emulates_property(key)


def _generated(statement: Statement) -> list[str]:
    """Return the generated and identity columns of a table that a statement creates."""
    created = [change for change in statement.changes if isinstance(change, CreateTable)]
    return [column.name for change in created for column in change.columns if is_generated(column)]
