"""An interruption stops the statement that runs, or reports that nothing could stop it."""

from __future__ import annotations

import threading
from types import SimpleNamespace

import pytest

from pytest_delta_schema import SessionCatalog
from pytest_delta_schema.backends.databricks.connection import SparkConnection, WarehouseConnection
from pytest_delta_schema.backends.local.conversion import convert_folder
from pytest_delta_schema.backends.spark import errors
from pytest_delta_schema.backends.spark.errors import cancel_on_interrupt
from pytest_delta_schema.diagnostics.errors import StatementError
from pytest_delta_schema.execute import StillRunning
from pytest_delta_schema.plan.changes import ConvertTable
from pytest_delta_schema.sql import Statement, StatementKind
from pytest_delta_schema.state.states import SourceState
from support.tables import NAME


def broken():
    raise StatementError("no route")


@pytest.mark.parametrize(
    ("stop", "expected"),
    [
        (lambda: True, KeyboardInterrupt),
        (lambda: False, StillRunning),
        (broken, StillRunning),
        (threading.Event().wait, StillRunning),
    ],
    ids=["over", "still running", "unreachable", "too slow"],
)
def test_what_an_interruption_becomes(stop, expected, monkeypatch):
    monkeypatch.setattr(errors, "STOPPING", 0.05)

    with pytest.raises(KeyboardInterrupt) as caught, cancel_on_interrupt(stop):
        raise KeyboardInterrupt

    assert caught.type is expected


@pytest.mark.parametrize("error", [StatementError("full"), StillRunning()])
def test_nothing_is_stopped_twice_or_for_other_errors(error):
    with pytest.raises(type(error)) as caught, cancel_on_interrupt(lambda: pytest.fail("stopped")):
        raise error

    assert caught.value is error


class Remote:
    """A session of Spark Connect whose statements are interrupted."""

    __module__ = "pyspark.sql.connect.session"

    def __init__(self):
        self.asked = []

    def sql(self, text):
        self.asked.append(text)
        raise KeyboardInterrupt

    def interruptAll(self):  # noqa: N802 - pyspark's name
        self.asked.append("interrupt")


COMMENT = Statement(table=NAME, kind=StatementKind.COMMENT_TABLE, sql="COMMENT")


@pytest.mark.parametrize(
    "run",
    [lambda spark: SparkConnection(spark).rows("COMMENT"), lambda spark: SessionCatalog(spark).run(COMMENT)],
    ids=["databricks", "session"],
)
def test_spark_connect_is_interrupted(run):
    spark = Remote()

    with pytest.raises(StillRunning):
        run(spark)

    assert spark.asked == ["COMMENT", "interrupt"]


def test_a_statement_of_a_warehouse_is_cancelled():
    calls = []

    class Cursor:
        def __enter__(self):
            return self

        def __exit__(self, *_):
            calls.append("closed")

        def execute(self, sql):
            calls.append(sql)
            raise KeyboardInterrupt

        def cancel(self):
            calls.append("cancel")

    with pytest.raises(StillRunning):
        WarehouseConnection(SimpleNamespace(cursor=Cursor)).rows("COMMENT")

    assert calls == ["COMMENT", "cancel", "closed"]


@pytest.mark.parametrize(("error", "is_left"), [(KeyboardInterrupt, False), (StillRunning, True)])
def test_an_interrupted_conversion_leaves_no_log_unless_it_may_still_commit(tmp_path, error, is_left):
    source = SourceState(provider="parquet", path=str(tmp_path), files=1)
    statement = Statement(table=NAME, kind=StatementKind.CONVERT_TABLE, sql="", changes=(ConvertTable(source=source),))

    def sql(_):
        (tmp_path / "_delta_log" / "_staged_commits").mkdir(parents=True)
        raise error

    with pytest.raises(error):
        convert_folder(SimpleNamespace(), statement, sql)

    assert (tmp_path / "_delta_log").exists() is is_left
