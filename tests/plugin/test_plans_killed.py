"""An apply of a plan file is killed by signal 9: nothing runs twice, and a new plan, applied, reaches the same end."""

from __future__ import annotations

import pytest

from support.logs import delta_log, field

pytestmark = [pytest.mark.spark, pytest.mark.own_jvm]

V2 = """
from pytest_delta_schema import Check
orders = table(
    "dev.silver.orders", Column("id", LongType(), is_nullable=False, comment="Key"), Column("n", LongType()),
    Column("note", StringType()), comment="Orders", checks=[Check("positive", "n > 0")], primary_key=["id"],
)
new = table("dev.silver.new", Column("id", LongType()))
"""
CONFTEST = """
import os, signal, threading, time
import pytest
from pytest_delta_schema import LocalCatalog

def kill(jvm):
    jvm.send_signal(signal.SIGKILL)
    os.kill(os.getpid(), signal.SIGKILL)

class Killed(LocalCatalog):
    def run(self, statement):
        when = os.environ["KILL"]
        if when and statement.kind.value == "add check":
            jvm = self.spark.sparkContext._gateway.proc
            if when == "between":
                kill(jvm)
            threading.Thread(target=lambda: (time.sleep(0.1), kill(jvm)), daemon=True).start()
        super().run(statement)

@pytest.fixture(scope="session")
def delta_catalog(delta_spark, delta_warehouse):
    return Killed(delta_spark, warehouse=delta_warehouse)
"""
PLAN = ("--delta-drift", "--delta-plan-out=plan.json")
APPLY = ("--delta-apply", "--delta-plan=plan.json")


def test_a_new_plan_is_the_resume(project, monkeypatch):
    project.ini('addopts = -m "delta_drift or delta_apply"')
    delta_log(project.path / ".delta-warehouse" / "dev" / "silver" / "orders", field("id"), field("n"))
    project.models(V2)
    project.pytester.makeconftest(CONFTEST)
    monkeypatch.setenv("KILL", "between")
    project.run(*PLAN, "--noconftest")
    between = project.run(*APPLY, subprocess=True)
    again = project.run(*APPLY, "--noconftest", subprocess=True)
    project.run(*PLAN, "--noconftest")
    monkeypatch.setenv("KILL", "within")
    within = project.run(*APPLY, subprocess=True)
    monkeypatch.setenv("KILL", "")
    project.run(*PLAN, "--noconftest")

    resumed = project.run(*APPLY, subprocess=True)

    assert (between.ret, within.ret) == (-9, -9)
    again.stdout.fnmatch_lines(["*plan.json is stale: * made already: *", "apply: * blocked, 0 statements run"])
    resumed.assert_outcomes(passed=2)
    project.run("--delta-drift", "--noconftest").assert_outcomes(passed=2)
