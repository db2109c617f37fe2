"""The local catalog passes the suite of all backends, with parquet, and with control characters in every text."""

from __future__ import annotations

import re

import pytest

from pytest_delta_schema import Check, Column, Orchestrator
from pytest_delta_schema.backends.spark.versions import OPEN_SOURCE_DELTA
from pytest_delta_schema.diagnostics.text import HIDDEN
from pytest_delta_schema.plan import TablePlanner
from pytest_delta_schema.sql import dotted
from pytest_delta_schema.testing import SparkDataAccess
from pytest_delta_schema.testing.scenario import TEXT
from support.covering import COVERING, played_on
from support.installed import INSTALLED
from support.models import NAME, table
from support.reviewed import ReviewedSuite

pytestmark = pytest.mark.spark


class TestLocal(ReviewedSuite):
    """Real Spark, real Delta, and transactions through py4j."""

    data_access = SparkDataAccess(converts=True)
    scenarios = ("conversion/", *played_on(INSTALLED.limit(OPEN_SOURCE_DELTA))) if COVERING else ()

    @pytest.fixture
    def catalog(self, local, request):
        yield local
        if "conversion" not in request.node.name:
            assert local.left_to_spark == set()


EVERY = "".join(
    f"{character}1"
    for character in re.findall(HIDDEN, "".join(map(chr, range(0x110000))))
    if not "\ud800" <= character <= "\udfff"
)
ODD = "esc\x1b[2K\n\u202eodd"
MAPPED = {"delta.columnMapping.mode": "name"}


def model(text, **how):
    columns = [
        Column("id", TEXT, comment=text, default=f"'{how.pop('default')}'"),
        Column(ODD, TEXT, comment=f"odd {text}"),
    ]
    properties = {**MAPPED, "delta.feature.allowColumnDefaults": "supported", "team": text}
    return table(*columns, comment=text, table_properties=properties, **how)


def test_what_was_declared_is_what_is_stored(local):
    checks = [Check("no_escape", "id <> '\x1b\u202e'"), Check("no_odd", f"`{ODD}` <> '\x07'")]
    first = model("before", default="x")
    second = model(EVERY, default="\x1b[31m\u2028", checks=checks)

    for declared in (first, second, model(f"{EVERY}!", default="\x1b[31m\u2028", checks=checks)):
        ran = Orchestrator.over(local).sync_tables([declared]).statements
        assert all(re.search(HIDDEN, statement.sql.replace(ODD, "").replace("\n", "")) is None for statement in ran)
        state = local.snapshot([declared]).tables[NAME]
        assert state.table_comment == declared.comment
        assert [column.comment for column in state.columns] == [column.comment for column in declared.columns]
        assert state.table_properties["team"] == declared.table_properties["team"]
        assert TablePlanner().plan([declared], local.snapshot([declared])).is_empty

    local.spark.sql(f"INSERT INTO {dotted(NAME)} VALUES (DEFAULT, 'x')")  # noqa: S608 - a name of ours
    assert [tuple(row) for row in local.spark.table(dotted(NAME)).collect()] == [("\x1b[31m\u2028", "x")]
