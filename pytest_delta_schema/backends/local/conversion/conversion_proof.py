"""Verify that a conversion has changed no value, and undo it if it has."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.backends.local.warehouse.physical_names import SESSION_CATALOG, encode, physical_schema
from pytest_delta_schema.backends.spark.compat.delta_compat import clear_cache
from pytest_delta_schema.backends.spark.compat.pyspark_compat import java_frame, java_session
from pytest_delta_schema.backends.spark.fingerprints import TIME_ZONE, relation_of, table_fingerprint
from pytest_delta_schema.diagnostics.errors import StatementError
from pytest_delta_schema.diagnostics.escaping import escaped
from pytest_delta_schema.progress import step
from pytest_delta_schema.sql.fingerprint import difference
from pytest_delta_schema.sql.quoting import delta_files
from pytest_delta_schema.state.spark_types import canonical_fields

if TYPE_CHECKING:
    from pytest_delta_schema.backends.local.session.bridge import Bridge
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.sql.fingerprint import Fingerprint
    from pytest_delta_schema.state.conversion import SourceState


class Verified:
    """Compares the rows of a new Delta table with those of its source.

    The source of a registered table is read before the conversion. The files of a folder are read after it, with the
    schema of the new table, so files which were added in the meantime show as a difference.

    ``target`` is the quoted physical name of the table, or the quoted path of the files.
    """

    def __init__(self, bridge: Bridge, table: QualifiedName, source: SourceState, target: str) -> None:
        self._bridge = bridge
        self._table = table
        self._source = source
        self._entry: Any = None
        self._before: Fingerprint | None = None
        if source.is_registered:
            self._entry = self._session_catalog().getTableMetadata(self._identifier())
            self._before = self._fingerprint(target, bridge.spark.table(target).schema)

    def require_same_rows(self) -> None:
        """Compare the rows of the table with those of its source.

        Raises:
            StatementError: If they differ; the conversion is undone, unless somebody else has committed since.
        """
        converted = delta_files(self._source.path)
        schema = self._bridge.spark.sql(f"TABLE {converted}").schema
        changed = difference(
            canonical_fields(schema.fields),
            self._before or self._of_files(schema),
            self._fingerprint(converted, schema),
        )
        if changed:
            msg = f"{self._table}: the conversion would change data: {changed}; {self._undo()}"
            raise StatementError(msg)

    def _of_files(self, schema: Any) -> Fingerprint:
        frame = self._bridge.spark.read.schema(schema).parquet(self._source.path)
        with relation_of(self._bridge.spark, java_frame(frame)) as relation:
            return self._fingerprint(relation, schema)

    def _fingerprint(self, relation: str, schema: Any) -> Fingerprint:
        """Compute the fingerprint in the session's time zone, in which timestamps in names of folders are read."""
        spark = self._bridge.spark
        with step(escaped(f"{self._table}: reading all rows, to compare them with those of its files")):
            return table_fingerprint(spark, relation, canonical_fields(schema.fields), str(spark.conf.get(TIME_ZONE)))

    def _undo(self) -> str:
        """Undo the conversion, and return a message about the result."""
        log = Path(self._source.path) / "_delta_log"
        commits = sorted(path.name for path in log.glob("*.json"))
        if commits != [f"{0:020d}.json"]:
            return (
                f"it is not undone, because somebody else has committed since (version {len(commits) - 1}); compare"
                f" {log.parent} with its version 0"
            )
        shutil.rmtree(log)
        clear_cache(self._bridge.gateway)
        if self._entry is not None:
            self._session_catalog().externalCatalog().alterTable(self._entry)
            self._session_catalog().refreshTable(self._identifier())
        return "it was undone, and the files are as they were; apply again when nobody writes to them"

    def _session_catalog(self) -> Any:
        return java_session(self._bridge.spark).sessionState().catalog()

    def _identifier(self) -> Any:
        name, jvm = self._table, self._bridge.jvm
        is_physical = self._bridge.is_warehouse(name.catalog)
        schema = physical_schema(name.catalog, name.schema) if is_physical else name.schema
        table = encode(name.table) if is_physical else name.table
        option = jvm.scala.Option.apply
        return jvm.org.apache.spark.sql.catalyst.TableIdentifier(table, option(schema), option(SESSION_CATALOG))
