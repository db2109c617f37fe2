"""A setting is changed once around the statements of several threads."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from pyspark.errors import PySparkRuntimeError

from pytest_delta_schema.backends.spark.statements import setting, shared_setting
from pytest_delta_schema.diagnostics.errors import BackendUnavailableError

KEY = "spark.sql.variable.substitute"


class Conf(dict[str, object]):
    """The settings of a session, with what was changed; none can be changed when the session has ended."""

    def __init__(self, **settings):
        super().__init__(settings)
        self.changes, self.has_ended = [], False

    def set(self, key, value):
        if self.has_ended:
            raise PySparkRuntimeError("ended")
        self.changes.append(value)
        self[key] = value

    def unset(self, key):
        self.set(key, None)


def test_statements_inside_leave_the_setting_alone():
    spark: Any = SimpleNamespace(conf=Conf())

    with shared_setting(lambda: spark, KEY, "false") as is_set:
        for _ in range(2):
            with setting(spark, KEY, "false"):
                assert spark.conf[KEY] == "false"

    assert is_set
    assert spark.conf.changes == ["false", None]


def unavailable() -> Any:
    raise BackendUnavailableError("no Java")


def ended() -> Any:
    conf = Conf()
    conf.has_ended = True
    return SimpleNamespace(conf=conf)


@pytest.mark.parametrize("spark", [unavailable, ended])
def test_a_session_that_cannot_be_used_is_left_to_the_statements(spark):
    with shared_setting(spark, KEY, "false") as is_set:
        assert not is_set


def end_during(spark, error):
    with shared_setting(lambda: spark, KEY, "false"):
        spark.conf.has_ended = True
        raise error


def test_a_session_that_ends_meanwhile_hides_no_interruption():
    with pytest.raises(KeyboardInterrupt):
        end_during(SimpleNamespace(conf=Conf()), KeyboardInterrupt)
