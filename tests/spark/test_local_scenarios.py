"""The local catalog plays every scenario of the memory catalog, and ends where that ends."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_delta_schema import MemoryCatalog
from support.play import play
from support.scenarios import SCENARIOS


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_scenarios(scenario, local):
    end = play(scenario, local)

    assert end == replace(play(scenario, MemoryCatalog()))
