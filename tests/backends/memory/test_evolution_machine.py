"""Thousands of steps in the random lives of a table in memory."""

from __future__ import annotations

from hypothesis import settings

from pytest_delta_schema import MemoryCatalog
from support.covering import ALL
from support.models import NAME, Evolution


class EvolutionInMemory(Evolution):
    def start(self):
        self.catalog = MemoryCatalog()

    def held(self):
        return [
            {name: row.get(name) for name in ("key", *self.live.columns)}
            | {"s": {name: row["s"].get(name) for name in self.live.fields}}
            for row in self.catalog._rows.get(NAME, [])
        ]


EvolutionInMemory.TestCase.settings = settings(max_examples=200 if ALL else 50, stateful_step_count=60, deadline=None)
TestEvolution = EvolutionInMemory.TestCase
