"""The scenarios that every backend runs: what is there, what is wanted, the plan between, and how it ends.

Each is told from the outside: a table as an earlier model left it, rows in it, and the model of today. The plan is
written out line by line; after it the backend holds what the model wants, or, if the plan is refused, what was there.
"""

from __future__ import annotations

from support.scenarios.basics import BASICS
from support.scenarios.changes import CHANGES
from support.scenarios.checks import CHECKS
from support.scenarios.evolution import EVOLUTION
from support.scenarios.foreign_keys import FOREIGN_KEYS
from support.scenarios.keys import KEYS
from support.scenarios.not_null import NOT_NULL
from support.scenarios.scenario import Scenario

SCENARIOS = (*BASICS, *CHANGES, *NOT_NULL, *CHECKS, *KEYS, *FOREIGN_KEYS, *EVOLUTION)

__all__ = ["SCENARIOS", "Scenario"]
