"""The backend ``local``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.backends.backend import Backend
from pytest_delta_schema.progress import step

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.backends.backend import BackendContext, BackendSettings
    from pytest_delta_schema.backends.local.catalog import LocalCatalog


def _open(context: BackendContext) -> LocalCatalog:
    from pytest_delta_schema.backends.local.catalog import LocalCatalog
    from pytest_delta_schema.backends.spark.session_check import require_delta, require_jvm
    from pytest_delta_schema.backends.spark.spark_errors import in_users_names

    spark = context.spark()
    require_jvm(spark)
    require_delta(spark)
    with in_users_names(str, spark), step("opening the catalog"):
        return LocalCatalog(spark, context.warehouse())


def _faults(settings: BackendSettings) -> Iterator[str]:
    if settings.mode == "apply" and settings.shares_warehouse:
        yield (
            "--delta-apply changes a catalog, and xdist would change one from several processes; run it without -n, or"
            " give each worker a warehouse of its own: --delta-warehouse .delta-warehouse/{worker}"
        )


def _location(settings: BackendSettings) -> str:
    return f"warehouse {settings.values['warehouse']}"


BACKEND = Backend(open=_open, faults=_faults, location=_location)
"""Delta tables in a warehouse folder, through a Spark session in this process."""
