"""The logs that are written by hand, read by Spark: its recorded answers are true, and the readers through Spark agree.

A sample of them; all with ``make test-all``, which takes about ten minutes more.
"""

from __future__ import annotations

import random
import shutil

import pytest

from pytest_delta_schema import QualifiedName
from pytest_delta_schema.backends.local.warehouse import table_folder
from support.covering import ALL
from support.hand_made_logs.agreement import (
    SPARK,
    agreed_for,
    answers_of_spark,
    by_local_session,
    by_session,
    differences,
)
from support.hand_made_logs.cases import CASES, SCHEMAS_ONLY

pytestmark = pytest.mark.spark

SAMPLE, SEED = 20, 29
CHOSEN = list(CASES) if ALL else random.Random(SEED).sample(list(CASES), SAMPLE)  # noqa: S311 - a sample of tests


@pytest.fixture(scope="module")
def names(warehouse):
    """The tables with the chosen logs, in the warehouse of the session."""
    names = {log: QualifiedName("dev", "by_hand", f"t{number}") for number, log in enumerate(CHOSEN)}
    for log, name in names.items():
        CASES[log](table_folder(warehouse, name))
    yield names
    shutil.rmtree(warehouse / "dev" / "by_hand")


def test_spark_answers_as_recorded(local_session, warehouse, names):
    folders = {log: table_folder(warehouse, name) for log, name in names.items()}

    assert answers_of_spark(local_session.spark, folders, SCHEMAS_ONLY) == {log: SPARK[log] for log in names}


@pytest.mark.parametrize("reader", ["`local` with Spark", "`session`"])
def test_readers_through_spark_differ_from_it_as_agreed(local_session, warehouse, names, reader):
    spark = local_session.spark
    local = reader == "`local` with Spark"
    readings = by_local_session(spark, warehouse, names) if local else by_session(spark, names)

    assert differences(readings) == {log: kind for log, kind in agreed_for(reader).items() if log in names}
