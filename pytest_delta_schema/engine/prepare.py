"""Fill the cache of the local backend before the first run: jars, compiled classes, and the archive of the JVM."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from pyspark.sql.types import DecimalType, LongType, StringType

from pytest_delta_schema.backends.local.catalog import LocalCatalog
from pytest_delta_schema.backends.local.launch import cache_folder, resources_for_start
from pytest_delta_schema.backends.local.start import session_conf, start_session
from pytest_delta_schema.diagnostics.errors import BackendUnavailableError
from pytest_delta_schema.engine.orchestrator import Orchestrator
from pytest_delta_schema.models.column import Column
from pytest_delta_schema.models.constraints import Check
from pytest_delta_schema.models.table import Table
from pytest_delta_schema.progress import step


def prepare() -> Path:
    """Download the jars of Delta Lake, compile the classes of this package, and write the archive of the JVM."""
    with TemporaryDirectory() as name:
        warehouse = Path(name)
        conf = session_conf(warehouse)
        if resources_for_start(conf).archive_is_kept:
            return cache_folder()
        with start_session(warehouse, conf) as session, step("running two applies on an example"):
            orchestrator = Orchestrator.over(LocalCatalog(session.spark, warehouse=warehouse))
            for model in _examples():
                orchestrator.sync_tables([model])
    if not resources_for_start(conf).archive_is_kept:
        msg = f"no archive of the JVM's classes was written to {cache_folder()}; the warning above says why"
        raise BackendUnavailableError(msg)
    return cache_folder()


def _examples() -> list[Table]:
    """Return two versions of a model."""
    columns = [
        Column("id", LongType(), is_nullable=False, comment="Order ID"),
        Column("amount", DecimalType(18, 2), comment="Order total"),
    ]
    added = Column("note", StringType(), comment="Of the customer")
    name = ("scratch", "prepare", "orders")
    return [
        Table(*name, columns, comment="Orders", primary_key=["id"]),
        Table(*name, [*columns, added], comment="All orders", primary_key=["id"], checks=[Check("c", "amount >= 0")]),
    ]
