"""Open the Spark session of a run, and close it at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_delta_schema.backends.local import session as local_session
from pytest_delta_schema.errors import BackendUnavailableError
from pytest_delta_schema.plugin.failures import CatalogUnavailable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from pyspark.sql import SparkSession

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
    try:
        session = local_session.open_session(
            warehouse, {**local_session.catalog_conf(declared, warehouse), **conf}, archive=run.options.jvm_archive
        )
    except BackendUnavailableError as error:
        raise CatalogUnavailable(str(error)) from None
    run.watch("delta_spark", session.spark)
    yield session.spark
    if request.session.exitstatus == pytest.ExitCode.INTERRUPTED:
        session.abort()
    else:
        session.close()
