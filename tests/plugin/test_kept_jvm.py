"""``--delta-keep-jvm``: which runs keep their JVM, and what the next run finds in it."""

from __future__ import annotations

import re
import shutil
import time
from pathlib import Path

import pytest

from pytest_delta_schema.backends.local.kept_jvm import record_paths
from pytest_delta_schema.commands.cli import main
from pytest_delta_schema.plugin.spark import why_jvm_is_not_reused
from support.installed import shared_cache

STARTED = """
from types import SimpleNamespace
import pytest
from pytest_delta_schema.backends.local import start
from pytest_delta_schema.backends.local import kept_session

def started(warehouse, conf, seconds=None, *, archive):
    print("KEPT FOR", seconds)
    return start.LocalSession(SimpleNamespace(), owned=False)

@pytest.fixture(scope="session", autouse=True)
def starts_nothing():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(start, "start_session", started)
        patch.setattr(kept_session, "start_kept_session", started)
        yield
"""
TEST = "def test_it(delta_spark): assert delta_spark"
OWN_CONF = """
@pytest.fixture(scope="session")
def delta_spark_conf(delta_spark_conf):
    return {**delta_spark_conf, "spark.ui.enabled": "true"}
"""
OWN_SPARK = """
@pytest.fixture(scope="session")
def delta_spark(delta_spark):
    return delta_spark
"""
ELSEWHERE = """
@pytest.fixture(scope="session")
def delta_warehouse(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("elsewhere"))
        yield tmp_path_factory.mktemp("warehouse")
"""
NO_EFFECT = "delta schema: --delta-keep-jvm has no effect: "


@pytest.mark.parametrize(
    ("arguments", "conftest", "ci", "shown"),
    [
        ([], "", "", ["KEPT FOR None"]),
        (["--delta-keep-jvm"], "", "", ["KEPT FOR 900.0"]),
        (["--delta-keep-jvm=2.5"], "", "", ["KEPT FOR 2.5"]),
        (
            ["--delta-keep-jvm"],
            "",
            "true",
            [f"{NO_EFFECT}the variable CI is set, and a machine of CI must not keep processes", "KEPT FOR None"],
        ),
        (
            ["--delta-keep-jvm"],
            OWN_CONF,
            "",
            [f"{NO_EFFECT}the project overrides delta_spark_conf", "KEPT FOR None"],
        ),
        (
            ["--delta-keep-jvm"],
            ELSEWHERE,
            "",
            [f"{NO_EFFECT}the working folder was changed before the session was started", "KEPT FOR None"],
        ),
        (["--delta-keep-jvm"], OWN_SPARK, "", [f"{NO_EFFECT}the project overrides delta_spark", "KEPT FOR None"]),
        (["--delta-keep-jvm", "-n1"], "", "", ["KEPT FOR None"]),
    ],
    ids=["not asked", "asked", "seconds", "CI", "settings", "folder", "session", "xdist"],
)
def test_which_runs_keep_their_jvm(project, monkeypatch, arguments, conftest, ci, shown):
    monkeypatch.setenv("CI", ci)
    project.ini("delta_read_threads = 8")
    project.pytester.makeconftest(STARTED + conftest)
    project.pytester.makepyfile(test_it=TEST)

    result = project.run("-rP", *arguments)

    result.assert_outcomes(passed=1)
    lines = [line for line in result.outlines if line.startswith(("KEPT FOR", NO_EFFECT))]
    assert sorted(lines) == sorted(shown) or "-n1" in arguments
    assert "KEPT FOR None" in lines or not conftest


def test_xdist_and_other_systems_are_named(pytestconfig, monkeypatch):
    assert why_jvm_is_not_reused(pytestconfig, {"CI": ""}, "posix") == "" or hasattr(pytestconfig, "workerinput")
    assert why_jvm_is_not_reused(pytestconfig, {}, "nt") == "it needs Linux or macOS"
    monkeypatch.setattr(pytestconfig, "workerinput", {}, raising=False)
    assert why_jvm_is_not_reused(pytestconfig, {}, "posix") == (
        "xdist runs the tests in several processes, each with its own JVM"
    )


@pytest.mark.parametrize(
    ("arguments", "value"),
    [(["--delta-keep-jvm=0"], "0.0"), (["--delta-keep-jvm=nan"], "nan"), (["--delta-keep-jvm", "test_it.py"], "'test_it.py'")],
)  # fmt: skip
def test_a_value_that_is_no_number_of_seconds_is_a_usage_error(project, arguments, value):
    project.ini("delta_read_threads = 8")
    project.pytester.makepyfile(test_it=TEST)

    result = project.run(*arguments)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    form = "a number of seconds above 0 after an equals sign, or no value and the paths before the option"
    result.stderr.fnmatch_lines([f"ERROR: --delta-keep-jvm is {value}; write {form}"])


FIRST = """
import os

def test_leaves_much(delta_spark, delta_warehouse, delta_catalog):
    spark, jvm = delta_spark, delta_spark._jvm
    delta_catalog.create_schema("dev", "silver")
    for name, column in (("a", "old"), ("b", "new")):
        spark.sql(f"CREATE TABLE dev.silver.{name} ({column} BIGINT) USING delta")
        spark.sql(f"INSERT INTO dev.silver.{name} VALUES (1)")
    spark.table("dev.silver.a").cache().count()
    spark.range(10).selectExpr("sum(id * 7)").collect()
    spark.sql("CREATE TEMP VIEW left_view AS SELECT 1 AS one")
    spark.sql("CREATE GLOBAL TEMP VIEW left_view AS SELECT 1 AS one")
    spark.sql("CREATE TABLE spark_catalog.default.left_table (id BIGINT) USING delta")
    spark.sql("USE dev.silver")
    spark.conf.set("spark.sql.shuffle.partitions", "7")
    spark.sparkContext.setCheckpointDir(str(delta_warehouse.parent / "checkpoints"))
    spark.sparkContext.setLogLevel("INFO")
    spark._jsc.hadoopConfiguration().set("left", "yes")
    jvm.java.lang.System.setProperty("spark.left", "yes")
    jvm.java.util.TimeZone.setDefault(jvm.java.util.TimeZone.getTimeZone("Asia/Tokyo"))
    users = jvm.org.apache.hadoop.security.UserGroupInformation
    users.setLoginUser(users.createRemoteUser("left"))
    stream = spark.readStream.format("rate").load().writeStream.format("noop").start()
    assert stream.isActive
    print("JVM", jvm.java.lang.ProcessHandle.current().pid())
    assert "PYSPARK_GATEWAY_SECRET" not in os.environ
"""
SECOND = """
def test_finds_nothing_of_it(delta_spark):
    spark, jvm = delta_spark, delta_spark._jvm
    print("JVM", jvm.java.lang.ProcessHandle.current().pid())
    assert spark.table("dev.silver.a").columns == ["new"]
    assert [row.new for row in spark.table("dev.silver.a").collect()] == [1]
    assert not spark.catalog.isCached("dev.silver.a")
    assert spark.sql("SHOW VIEWS").collect() == []
    assert spark.sql("SHOW VIEWS IN global_temp").collect() == []
    assert spark.sql("SHOW TABLES IN spark_catalog.default").collect() == []
    assert spark.sql("SELECT current_schema()").first()[0] == "default"
    assert spark.conf.get("spark.sql.shuffle.partitions") == "1"
    assert spark.conf.get("spark.left", None) is None
    assert spark.conf.get("spark.sql.session.timeZone") != "Asia/Tokyo"
    assert spark._jsc.hadoopConfiguration().get("left") is None
    assert jvm.java.lang.System.getProperty("spark.left") is None
    assert spark._jsc.sc().getCheckpointDir().isEmpty()
    assert spark.sparkContext.sparkUser() != "left"
    assert spark.streams.active == []
    assert "stream execution" not in jvm.java.lang.Thread.getAllStackTraces().keySet().toString()

def test_spark_generates_no_class_again(delta_spark):
    counter = delta_spark._jvm.org.apache.spark.metrics.source.CodegenMetrics.METRIC_COMPILATION_TIME()
    before = counter.getCount()
    assert delta_spark.range(10).selectExpr("sum(id * 7)").first()[0] == 315
    assert counter.getCount() == before

def test_streams_call_back_and_python_workers_run(delta_spark, tmp_path):
    assert delta_spark.sparkContext.parallelize([1]).map(lambda n: n + 1).collect() == [2]
    seen = []
    delta_spark.range(3).write.format("delta").save(str(tmp_path / "t"))
    source = delta_spark.readStream.format("delta").load(str(tmp_path / "t"))
    stream = source.writeStream.foreachBatch(lambda frame, _: seen.append(frame.count())).trigger(availableNow=True)
    stream.start().awaitTermination()
    assert seen == [3]
"""
OTHER = """
def test_another_warehouse(delta_spark):
    print("JVM", delta_spark._jvm.java.lang.ProcessHandle.current().pid())
    assert delta_spark.sql("SHOW SCHEMAS IN spark_catalog").count() == 1
"""
KILLED = """
import os, signal

def test_is_killed(delta_spark, delta_catalog):
    process = delta_spark._jvm.java.lang.ProcessHandle.current().pid()
    print("JVM", process)
    os.kill(process, signal.SIGKILL)
    delta_catalog.create_schema("dev", "silver")
"""
KILLS_ITSELF = """
import os, signal, threading, time

def test_is_killed_during_a_query(delta_spark, tmp_path):
    print("JVM", delta_spark._jvm.java.lang.ProcessHandle.current().pid(), flush=True)
    threading.Thread(target=lambda: delta_spark.range(10**12).selectExpr("max(id)").collect(), daemon=True).start()
    while not delta_spark._jsc.sc().statusTracker().getActiveJobIds():
        time.sleep(0.05)
    os.kill(os.getpid(), signal.SIGKILL)
"""
INTERRUPTED = """
import os, signal, threading, time

def test_is_interrupted_during_a_query(delta_spark):
    print("JVM", delta_spark._jvm.java.lang.ProcessHandle.current().pid(), flush=True)
    tracker = delta_spark._jsc.sc().statusTracker()

    def interrupt():
        while not tracker.getActiveJobIds():
            time.sleep(0.05)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    delta_spark.range(10**12).selectExpr("max(id)").collect()
"""


@pytest.fixture
def kept(project, monkeypatch, tmp_path):
    """Run tests in processes that keep their JVM, and end it after the test; no other JVM of the machine is touched."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(shared_cache(tmp_path).parent))
    used: list[int] = []

    def run(text, *arguments, seconds=600):
        project.ini("delta_read_threads = 8")
        project.pytester.makepyfile(test_it=text)
        options = ("-s", "-o", "delta_jvm_archive=false", f"--delta-keep-jvm={seconds}")
        result = project.run("test_it.py", *options, *arguments, subprocess=True)
        process = next(int(match[1]) for line in result.outlines if (match := re.search(r"JVM (\d+)$", line)))
        used.append(process)
        return result, process

    yield run
    main(["jvm", "stop"])
    assert record_paths() == []
    assert [process for process in used if is_running(process)] == []


def is_running(process):
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.spark
@pytest.mark.own_jvm
def test_the_next_run_has_the_same_jvm_and_a_fresh_session(kept, project):
    first, jvm = kept(FIRST)
    first.assert_outcomes(passed=1)
    # Another process drops a table, and creates another one in the same folder.
    silver = project.path / ".delta-warehouse" / "dev" / "silver"
    shutil.rmtree(silver / "a")
    shutil.copytree(silver / "b", silver / "a")

    second, again = kept(SECOND)

    second.assert_outcomes(passed=3)
    assert again == jvm
    assert is_running(jvm)
    (record,) = record_paths()
    secret = record.read_text().partition('"secret": "')[2].partition('"')[0]
    log = record.with_suffix(".log").read_text()
    shown = f"{log}{first.stdout.str()}{second.stdout.str()}{second.stderr.str()}"
    assert len(secret) == 64
    assert secret not in shown

    other, another = kept(OTHER, "--delta-warehouse=other", seconds=0.5)

    other.assert_outcomes(passed=1)
    assert another != jvm
    assert not is_running(jvm)
    deadline = time.monotonic() + 60
    while is_running(another) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not is_running(another)
    assert record_paths() == []


@pytest.mark.spark
@pytest.mark.own_jvm
def test_a_jvm_or_a_run_that_is_killed_or_interrupted_is_followed_by_a_fresh_jvm(kept):
    killed, jvm = kept(KILLED)
    killed.assert_outcomes(failed=1)
    killed.stdout.fnmatch_lines(["*StatementError: the JVM of Spark has ended*it was killed*; run again"])
    assert record_paths() == []

    run, second = kept(KILLS_ITSELF)
    assert (run.ret, second != jvm) == (-9, True)
    deadline = time.monotonic() + 60
    while is_running(second) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not is_running(second)
    assert record_paths() == []

    interrupted, third = kept(INTERRUPTED)
    assert interrupted.ret == pytest.ExitCode.INTERRUPTED
    assert not is_running(third)
    assert record_paths() == []

    last, fourth = kept(OTHER)
    last.assert_outcomes(passed=1)
    assert len({jvm, second, third, fourth}) == 4
