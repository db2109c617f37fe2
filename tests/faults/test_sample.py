"""A sample of the fault-injection suite that needs no JVM; all of it is ``make test-faults``."""

from __future__ import annotations

import pytest

from faults.areas import AREAS
from faults.bench import SECRET, SECRET_VARIABLE, Bench
from faults.cases import SURVIVED, run_case, selection

SEED = 1
SAMPLED = [(area, case) for area in AREAS if not area.needs_jvm for case in selection(area, SEED)]


@pytest.mark.parametrize(("area", "case"), SAMPLED, ids=[f"{area.name}-{case.name}" for area, case in SAMPLED])
def test_survives(area, case, tmp_path, monkeypatch):
    monkeypatch.setenv(SECRET_VARIABLE, SECRET)

    outcome = run_case(area, case, Bench(tmp_path, SEED))

    assert (outcome.status, outcome.reason) == (SURVIVED, "")
