"""Logs with metadata that Delta returns and Spark refuses: an unreadable table in a session, too."""

from __future__ import annotations

import pytest

from pytest_delta_schema.backends.local.warehouse import table_folder
from support.logs import commit, field, metadata, protocol
from support.tables import NAME

pytestmark = pytest.mark.spark

ID = field("id")
REFUSED = {
    "two columns of one name": (metadata(ID, ID), "id"),
    "partition column that is missing": (metadata(ID, partitioned_by=("other",)), "other"),
    "mapping mode": (metadata(ID, delta__columnMapping__mode="weird"), "weird"),
}


@pytest.mark.parametrize(("action", "part"), REFUSED.values(), ids=REFUSED)
def test_what_spark_refuses_is_unreadable(local, local_session, warehouse, action, part):
    folder = commit(table_folder(warehouse, NAME), 0, protocol(), action)
    with pytest.raises(Exception, match=part):
        _ = local_session.spark.read.format("delta").load(str(folder)).schema

    problem = str(local.read_tables([NAME]).problems[NAME])

    assert problem.startswith("dev.silver.orders: ")
    assert "its Delta log cannot be read (" in problem
