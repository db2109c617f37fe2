"""The log names the session that an apply needs, before it starts the one of this package."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from pytest_delta_schema.backends.backend import BackendSettings
from pytest_delta_schema.backends.unity.backend import BACKEND
from pytest_delta_schema.progress import LOGGER
from support.tables import NAME


class Context:
    """Starts no session, so what comes before can be seen."""

    def __init__(self, *, own):
        values: dict[str, Any] = dict.fromkeys(("sync_on_read", "sync_recreate"), False)
        values |= {"unity_uri": "http://127.0.0.1:1", "unity_token_variable": "NOT_SET", "unity_timeout": 1.0}
        values |= {"storage": (), "read_threads": 1}
        self.settings = BackendSettings(values=values, option=lambda _: None, mode="apply")
        self._own = own

    def starts_own_spark(self):
        return self._own

    def spark(self):
        raise KeyboardInterrupt

    def call_at_end(self, _):
        pass


@pytest.mark.parametrize("own", [True, False])
def test_it_is_named_before_spark_starts(caplog, own):
    caplog.set_level(logging.INFO, LOGGER)

    with pytest.raises(KeyboardInterrupt):
        BACKEND.open(Context(own=own)).data_checks(NAME).count_rows()

    text = (
        "statements and data checks run in Spark, whose session needs the Spark connector of http://127.0.0.1:1 and"
        " spark.sql.catalog.NAME with its uri and token; if it has none, override the fixture delta_spark"
    )
    assert caplog.messages == ([text] if own else [])
