"""An apply of a plan file is killed by signal 9: nothing runs twice, and a new plan, applied, reaches the same end."""

from __future__ import annotations

import shutil

import pytest

pytestmark = [pytest.mark.spark, pytest.mark.own_jvm]

V1 = "orders = table('dev.silver.orders', Column('id', LongType()), Column('n', LongType()))\n"
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
        when = os.environ.get("KILL", "")
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
    project.models(V1)
    project.run("--delta-apply", subprocess=True).assert_outcomes(passed=1)
    project.models(V2)
    project.run(*PLAN, subprocess=True)
    whole = (project.path / "plan.json").read_bytes()
    project.pytester.makeconftest(CONFTEST)
    for when in ("between", "within"):
        shutil.copytree(project.path / ".delta-warehouse", project.path / when)
        (project.path / "plan.json").write_bytes(whole)
        warehouse = f"--delta-warehouse={when}"

        monkeypatch.setenv("KILL", when)
        killed = project.run(*APPLY, warehouse, subprocess=True)
        monkeypatch.delenv("KILL")
        (project.path / "conftest.py").rename(project.path / "conftest.txt")
        again = project.run(*APPLY, warehouse, subprocess=True)
        project.run(*PLAN, warehouse, subprocess=True)
        resumed = project.run(*APPLY, warehouse, subprocess=True)
        end = project.run("--delta-drift", warehouse, subprocess=True)
        (project.path / "conftest.txt").rename(project.path / "conftest.py")

        assert killed.ret == -9
        again.stdout.fnmatch_lines(["*plan.json is stale: * made already: *", "apply: * blocked, 0 statements run"])
        resumed.assert_outcomes(passed=2)
        end.assert_outcomes(passed=2)
