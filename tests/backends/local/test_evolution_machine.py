"""The random lives of a table on real Delta: three of them, or as many as fit in the minutes that the environment asks for."""

from __future__ import annotations

import os
import time
from typing import Any

import pytest
from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from pytest_delta_schema.sql import dotted
from support.covering import ALL
from support.models import NAME, Evolution

pytestmark = pytest.mark.spark

MINUTES = float(os.environ.get("DELTA_SCHEMA_TEST_MINUTES", "0.5" if ALL else "0"))


def test_a_table_lives_through_random_models(local):
    end = time.monotonic() + 60 * MINUTES

    class EvolutionOnDelta(Evolution):
        def start(self):
            self.catalog = local
            self.seen: tuple[object, list[dict[str, Any]]] = (None, [])
            local.drop_schema(NAME.catalog, NAME.schema)

        def held(self):
            version = local.version(NAME)
            if version != self.seen[0]:
                rows = [row.asDict(recursive=True) for row in local.spark.table(dotted(NAME)).collect()]
                self.seen = (version, sorted(rows, key=lambda row: row["key"]))
            return self.seen[1]

    while True:
        # A few lives at a time, so the slice ends in time; the first one of each is the simplest there is.
        one = settings(max_examples=3, stateful_step_count=20, deadline=None, database=None, phases=[Phase.generate])
        run_state_machine_as_test(EvolutionOnDelta, settings=one)
        if time.monotonic() >= end:
            break
