"""The backend ``session``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.backends.backend import Backend

if TYPE_CHECKING:
    from pytest_delta_schema.backends.backend import BackendContext
    from pytest_delta_schema.backends.spark_session.catalog import SessionCatalog


def _open(context: BackendContext) -> SessionCatalog:
    from pytest_delta_schema.backends.spark.sessions import require_delta
    from pytest_delta_schema.backends.spark_session.catalog import SessionCatalog

    spark = context.spark()
    require_delta(spark)
    return SessionCatalog(spark)


BACKEND = Backend(open=_open, scratch_tables="anywhere in tests")
"""Delta tables of any Spark session, such as one of Spark Connect or of a cluster."""
