"""The reading half of the suite of all backends: the local backend runs the statements, and every read is of folders."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_delta_schema.backends.locations import LocationsCatalog
from pytest_delta_schema.backends.spark.versions import OPEN_SOURCE_DELTA
from support.covering import played_on
from support.installed import INSTALLED
from support.reviewed import ReviewedSuite

pytestmark = pytest.mark.spark

READS = ("introduced_by", "past_columns", "read_tables", "snapshot", "table_names", "version")


class ReadInFolders:
    """A local catalog whose tables are read as those of a location."""

    def __init__(self, local: Any) -> None:
        folder = local.warehouse / "dev" / "silver"
        folder.mkdir(parents=True, exist_ok=True)
        self._local = local
        self._folders = LocationsCatalog({"dev.silver": str(folder)})

    def __getattr__(self, name: str) -> Any:
        return getattr(self._folders if name in READS else self._local, name)


class TestLocations(ReviewedSuite):
    """Tables that real Spark has made are read from their folders."""

    scenarios = played_on(INSTALLED.limit(OPEN_SOURCE_DELTA))

    @pytest.fixture
    def catalog(self, local):
        return ReadInFolders(local)
