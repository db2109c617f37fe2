"""The backend ``local``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.backends.backend import Backend

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

    from pytest_delta_schema.backends.backend import BackendContext, BackendSettings
    from pytest_delta_schema.backends.local.catalog import LocalCatalog


def _open(context: BackendContext) -> LocalCatalog:
    from pytest_delta_schema.backends.local.catalog import LocalCatalog
    from pytest_delta_schema.backends.local.session import has_own_settings
    from pytest_delta_schema.backends.local.warehouse import check_warehouse

    if not (context.starts_own_spark() and has_own_settings()):
        return LocalCatalog(_session(context), warehouse=context.warehouse())
    warehouse = context.warehouse()
    check_warehouse(warehouse)
    return LocalCatalog(lambda: _session(context), warehouse=warehouse)


def _session(context: BackendContext) -> SparkSession:
    from pytest_delta_schema.backends.spark.sessions import require_delta, require_jvm

    spark = context.spark()
    require_jvm(spark)
    require_delta(spark)
    return spark


def _faults(settings: BackendSettings) -> Iterator[str]:
    if settings.mode == "apply" and settings.shares_warehouse:
        yield (
            "--delta-apply changes a catalog, and xdist would change one from several processes; run it without -n, or"
            " give each worker its own warehouse: --delta-warehouse .delta-warehouse/{worker}"
        )


def _location(settings: BackendSettings) -> str:
    return f"warehouse {settings.values['warehouse']}"


BACKEND = Backend(open=_open, faults=_faults, location=_location, scratch_tables="anywhere")
"""Delta tables in a warehouse folder, through a Spark session in this process."""
