"""What the versions of Spark and Delta in a session can run, and which tables they certainly open."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pytest_delta_schema.backends.logs.checks import CheckedLog
from pytest_delta_schema.backends.logs.files import DoubtfulLog
from pytest_delta_schema.backends.problems import problem
from pytest_delta_schema.backends.spark.compat import Gateway, delta_version, known_properties, spark_version
from pytest_delta_schema.delta import NEWEST, PAIRS
from pytest_delta_schema.delta.fields import widening
from pytest_delta_schema.delta.names import ColumnPath, NameMap, NameSet, folded
from pytest_delta_schema.delta.properties import REGISTRY, is_emulated, is_known, is_open_source
from pytest_delta_schema.delta.protocol import (
    COLUMN_MAPPING,
    FEATURES,
    TYPE_WIDENING,
    V2_CHECKPOINT,
    base_feature,
    is_read_by_clients,
    supported_features,
)
from pytest_delta_schema.delta.well_formed import faults_of_struct
from pytest_delta_schema.diagnostics.faults import UnsupportedTable
from pytest_delta_schema.execute.protocols import Capabilities, Refusal
from pytest_delta_schema.plan.actions import CreateTable
from pytest_delta_schema.plan.changes import ColumnTypeChange
from pytest_delta_schema.sql.statement import CATALOG_ONLY, TOGETHER, StatementKind, set_values
from pytest_delta_schema.state.features import required_features
from pytest_delta_schema.state.spark_types import unknown_parts, unstorable
from pytest_delta_schema.state.types import describe_type, is_generated

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from collections.abc import Set as AbstractSet
    from typing import Any

    from pyspark.sql import SparkSession

    from pytest_delta_schema.backends.logs.files import LogFault
    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.sql.statement import Statement
    from pytest_delta_schema.state.delta_log import LogFacts
    from pytest_delta_schema.state.states import TableState

BY_COMMIT = frozenset({StatementKind.TIGHTEN_COLUMNS, StatementKind.REWRITE_LAYOUT, StatementKind.ADD_CHECK})
"""Statements that open-source Delta 4.4.0 lacks, or does not run exactly; a metadata transaction does them."""

BY_PROPERTY = CATALOG_ONLY
"""Statements for features that open-source Delta lacks; ``pytest_delta_schema.*`` table properties store it."""


def refused_on_tables(
    emulates_property: Callable[[str, str | None], bool],
) -> Callable[[Statement, TableState | None], Refusal | None]:
    """Return a function that refuses statements on properties and types which only other clients know."""

    def refuses_for_table(statement: Statement, observed: TableState | None) -> Refusal | None:
        if observed is None:
            return None
        return _stored_keys(statement, observed, emulates_property) or _unknown_types(observed)

    return refuses_for_table


def _stored_keys(
    statement: Statement, observed: TableState, emulates_property: Callable[[str, str | None], bool]
) -> Refusal | None:
    """Refuse to set stored properties that this Delta does not know; its SQL only removes them (Delta 4.4.0)."""
    stored = NameMap(observed.table_properties.items())
    emulated = NameSet(observed.emulated_properties)
    keys = [
        key
        for key, value in set_values(statement)
        if key in stored
        and key not in emulated
        and emulates_property(key, stored[key])
        and emulates_property(key, value)
    ]
    if not keys:
        return None
    reason = f"the table holds {', '.join(keys)} as Databricks has written it, and open-source Delta cannot set it"
    return Refusal(reason, "set it on Databricks, or declare the value that the table holds")


def _unknown_types(observed: TableState) -> Refusal | None:
    """Refuse every statement on a table with a type that Delta does not store; it checks all columns (4.4.0)."""
    unknown = [
        f"{path} {name}"
        for column in observed.columns
        for path, name in unstorable(column.data_type, ColumnPath(column.name))
    ]
    if not unknown:
        return None
    reason = f"Delta refuses to change a table with columns of types that it does not know ({', '.join(unknown)})"
    return Refusal(reason, "change the table with a client that knows them")


OPEN_SOURCE_DELTA = Capabilities(
    emulates=BY_COMMIT | BY_PROPERTY,
    emulates_property=is_emulated,
    refuses_for_table=refused_on_tables(is_emulated),
)
"""The capabilities of a classic session with the newest Spark and Delta."""

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
        """Return the versions of a session; one of Spark Connect, which has no gateway, does not show that of Delta."""
        delta = None if gateway is None else delta_version(gateway)
        if gateway is None or delta is None:
            return cls(spark=spark_version(spark))
        return cls(spark=spark_version(spark), delta=delta, properties=known_properties(gateway))

    def emulates_property(self, key: str, value: str | None) -> bool:
        """Whether Databricks takes a property, and this Delta does not know its key, or the value."""
        return is_emulated(key, value, self.properties)

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
        unknown = [key for key, value in set_values(statement) if not self._stores(key, value)]
        if unknown:
            remedy = _NEWER if all(map(is_known, unknown)) else "leave out what only another catalog knows"
            return Refusal(f"Delta {version} does not know the properties {', '.join(unknown)}", remedy)
        return None

    def _stores(self, key: str, value: str) -> bool:
        return is_open_source(key, self.properties) or self.emulates_property(key, value)


def _generated(statement: Statement) -> list[str]:
    """Return the generated and identity columns of a table that a statement creates."""
    created = [change for change in statement.changes if isinstance(change, CreateTable)]
    return [column.name for change in created for column in change.columns if is_generated(column)]


_READ_BY_ALL = frozenset({COLUMN_MAPPING, "deletionVectors", "timestampNtz", V2_CHECKPOINT, "vacuumProtocolCheck"})
"""The features for readers that every supported Delta knows (Delta 3.3.3 to 4.4.0)."""

_READ_SINCE = {(4, 4): frozenset({TYPE_WIDENING, "variantType"})}
"""Further ones, by the first Delta with which they were tried."""

_NEWEST_READER, _NEWEST_WRITER = 3, 7
"""The versions of a protocol with named features."""

_ELSEWHERE = ("delta.coordinatedcommits.", "delta.redirect")
"""Beginnings of properties, in lower case, of tables whose newest version is not, or not only, in their folder."""

_COLLATED = "string collate"

_UNCHECKED = frozenset({"invariants"})
"""Features that Delta does not require for what this package says needs them: NOT NULL needs none (Delta 4.4.0)."""


def is_openable(facts: LogFacts, state: TableState, delta: tuple[int, int]) -> bool:
    """Whether Spark certainly opens a table.

    Spark refuses features and types that it does not know, and metadata that needs a feature which the protocol lacks
    (Delta 4.4.0).
    """
    return (
        _is_known(facts.protocol, state, delta)
        and not any(folded(key).startswith(_ELSEWHERE) for key in facts.configuration)
        and not any(unknown_parts(state.columns))
    )


def may_lack_rows(checked: CheckedLog | LogFault | None, protocol: Mapping[str, Any]) -> bool:
    """Whether Spark may open a table and then refuse to list its files, because something in its log is odd.

    That is not known of a checkpoint of the second version in parquet, whose sidecars only its reader knows.
    """
    if not isinstance(checked, CheckedLog):
        return isinstance(checked, DoubtfulLog)
    features = {*(protocol.get("readerFeatures") or ()), *(protocol.get("writerFeatures") or ())}
    is_classic = V2_CHECKPOINT not in map(base_feature, features)
    listing, second = checked.listing, checked.listing.second_checkpoints
    if checked.reads_checkpoint and (checked.checksum is not None or listing.newest not in listing.commits):
        return True
    return checked.contradicts_checksum or any(is_classic or name.endswith(".parquet") for name in second)


def may_be_refused(facts: LogFacts) -> bool:
    """Whether Spark may refuse to open a table by its location that it opens by its name (Spark 4.2.0)."""
    unknown = (atom for _, atom in unknown_parts(facts.columns))
    return (
        not all(atom.startswith(_COLLATED) for atom in unknown)
        or any(faults_of_struct(facts.schema))
        or len(NameSet(facts.partitioning)) < len(facts.partitioning)
    )


def _is_known(protocol: Mapping[str, Any], state: TableState, delta: tuple[int, int]) -> bool:
    """Whether Delta knows a protocol, and the protocol has the features that the table needs."""
    reader, writer = protocol["minReaderVersion"], protocol["minWriterVersion"]
    if not (1 <= reader <= _NEWEST_READER and 1 <= writer <= _NEWEST_WRITER):
        return False
    features = {*(protocol.get("readerFeatures") or ()), *(protocol.get("writerFeatures") or ())}
    newer = (known for first, known in _READ_SINCE.items() if delta >= first)
    readable = _READ_BY_ALL.union(*newer)
    if not all(feature in FEATURES for feature in features):
        return False
    if not all(map(is_read_by_clients, protocol.get("readerFeatures", ()))):
        return False
    if not all(feature in readable for feature in features if is_read_by_clients(feature)):
        return False
    needs = {need.name for need in required_features(state)}
    return needs - _UNCHECKED <= supported_features(state.table_properties)


_REFUSALS = (
    "DELTA_GEOSPATIAL_NOT_SUPPORTED",
    "DELTA_INVALID_PROTOCOL_VERSION",
    "DELTA_UNSUPPORTED_FEATURES_FOR_READ",
    "EXPRESSION_DECODING_FAILED",
    "INVALID_JSON_DATA_TYPE",
    "UNSUPPORTED_TIME_TYPE",
)
"""The conditions of Delta 4.4.0 and Spark 4.2.0 for types, features and protocol versions that they do not know."""


def refused_by_spark(name: QualifiedName, cause: str) -> Diagnostic | None:
    """Return the problem of a table that needs a newer Spark or Delta; ``None`` for other problems."""
    if not any(f"[{condition}" in cause for condition in _REFUSALS):
        return None
    remedy = "read it with a newer pair of pyspark and delta-spark, or with the unity backend, which reads the log"
    return problem(UnsupportedTable, name, f"is unreadable, because Spark refuses to open it ({cause})", remedy)
