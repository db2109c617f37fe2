"""Open the Spark session of a run, and close it at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_delta_schema.backends.local import session as local_session
from pytest_delta_schema.backends.local.kept_jvm import kept_session
from pytest_delta_schema.diagnostics.errors import BackendUnavailableError
from pytest_delta_schema.plugin.failures import CatalogUnavailable
from pytest_delta_schema.plugin.kept_jvm import keep_jvm_seconds

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from pyspark.sql import SparkSession

    from pytest_delta_schema.backends.local.kept_jvm.kept_session import KeptSession
    from pytest_delta_schema.backends.local.session import LocalSession
    from pytest_delta_schema.plugin.run import ContractRun


def opened_session(
    request: pytest.FixtureRequest, run: ContractRun, conf: Mapping[str, str], warehouse: Path
) -> Iterator[SparkSession]:
    """Yield the session, which has a catalog for every declared table.

    Args:
        request: Of the fixture.
        run: The state of the run.
        conf: Settings of the session.
        warehouse: The folder of the tables.

    Raises:
        CatalogUnavailable: If it cannot be opened.
    """
    declared = sorted({run.bound(table).name.catalog for table in run.tables.values()})
    run.has_started_spark = True
    conf = {**local_session.catalog_conf(declared, warehouse), **conf}
    seconds, archive = keep_jvm_seconds(request, run.options), run.options.jvm_archive
    try:
        session: KeptSession | LocalSession | None = local_session.checked_active_session()
        if session is None and seconds is not None:
            session = kept_session.start_kept_session(warehouse, conf, seconds, archive=archive)
        if session is None:
            session = local_session.start_session(warehouse, conf, archive=archive)
    except BackendUnavailableError as error:
        raise CatalogUnavailable(str(error)) from None
    run.watch("delta_spark", session.spark)
    yield session.spark
    if request.session.exitstatus == pytest.ExitCode.INTERRUPTED:
        session.abort()
    else:
        session.close()
