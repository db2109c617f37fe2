"""The local catalog plays every scenario of the memory catalog, and ends where that ends."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_delta_schema import MemoryCatalog
from support.play import play
from support.scenarios import SCENARIOS

PLAYED = [scenario for scenario in SCENARIOS if not scenario.is_refused_unseen]


@pytest.mark.parametrize("scenario", PLAYED, ids=lambda scenario: scenario.name)
def test_scenarios(scenario, local):
    end = play(scenario, local)

    assert end == replace(play(scenario, MemoryCatalog()))
