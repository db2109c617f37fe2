"""Data checks and a layout rewrite on a Spark standalone cluster: both workers run tasks, and the plan is the same."""

from __future__ import annotations

import tempfile
from typing import TYPE_CHECKING

from measure import ROUNDS, Row
from processes import program
from standalone import standalone_cluster

from pytest_delta_schema.backends.local.launch import delta_jars

if TYPE_CHECKING:
    from collections.abc import Iterator

    from standalone import Cluster

ROWS = 20_000_000
WORKERS = 2
FEW = 1_000
"""The rows of the table on one machine, whose plan is compared."""

COPY = "a copy without comparison on both"


def run(rows: int = ROWS) -> Iterator[Row]:
    """Yield the cost of data checks and of a layout rewrite, and how their tasks are shared.

    Another plan than on one machine is an error, and so is a step of which one worker has run no task.

    Args:
        rows: The rows of the table.
    """
    jars = ",".join(map(str, delta_jars()))
    with tempfile.TemporaryDirectory() as folder:
        on_one_machine = program("apply_on_cluster", "local[1]", 1, folder, jars, FEW, 1)["plans"]
    with standalone_cluster(WORKERS) as cluster, tempfile.TemporaryDirectory() as folder:
        arguments = (cluster.master, WORKERS, folder, jars, rows, ROUNDS)
        measured = program("apply_on_cluster", *arguments, variables=cluster.environment())
        plans, rounds = measured["plans"], measured["rounds"]
        assert plans == on_one_machine, f"{plans} is not the plan on one machine, {on_one_machine}"
        shares = [_shared(cluster, step["tasks"]) for steps in rounds for step in (steps["checks"], steps["rewrite"])]

    def seconds(step: str) -> list[tuple[float, float]]:
        return [(steps[step]["seconds"], steps["copy"]["seconds"]) for steps in rounds]

    million = f"{rows / 1e6:g} million rows, {WORKERS} workers"
    name = f"data checks of ten constraints, NOT NULL and a key, {million}"
    yield Row(name=name, reference_name=COPY, pairs=seconds("checks"), limit=3.0)
    yield Row(name=f"a layout rewrite, {million}", reference_name=COPY, pairs=seconds("rewrite"), limit=3.5)
    name = "tasks of the busier worker, in the round that shares them worst"
    worst = max(shares, key=lambda share: share[0] / share[1])
    yield Row(name=name, reference_name="all of them", pairs=[worst], limit=0.75, unit="tasks")


def _shared(cluster: Cluster, tasks: dict[str, int]) -> tuple[int, int]:
    """Return the number of tasks that the busiest worker has run, and that of all."""
    by_worker = dict.fromkeys(range(len(cluster.work)), 0)
    for executor, count in tasks.items():
        worker = cluster.worker_of(executor)
        assert worker is not None, f"executor {executor} is on no worker"
        by_worker[worker] += count
    assert all(by_worker.values()), f"a worker has run no task: {by_worker}"
    return max(by_worker.values()), sum(by_worker.values())
