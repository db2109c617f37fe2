"""Rows that are inserted through Spark: what is read is what was given, in every time zone, or nothing is written."""

# ruff: noqa: DTZ001, S608 - datetimes without a time zone are what is tested, and the SQL is our own

from __future__ import annotations

import time
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal

import pytest
from pyspark.sql import types as spark

from pytest_delta_schema import Check, Orchestrator, SessionCatalog
from pytest_delta_schema.diagnostics.errors import StatementError
from support.models import NAME, column, table
from support.rows import BERLIN, KEPT, UTC, plain

pytestmark = pytest.mark.spark

ZONE = "spark.sql.session.timeZone"


@pytest.fixture(params=["local", "connect"])
def catalog(request, local):
    """A catalog over a classic session, and one over Spark Connect."""
    if request.param == "local":
        return local
    spark_session = request.getfixturevalue("remote")
    local.bridge.register(["dev"])
    return SessionCatalog(spark_session)


@pytest.fixture
def zone(catalog, monkeypatch):
    """The time zone of the session and of this process, which is not UTC."""
    before = catalog.spark.conf.get(ZONE)
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    catalog.spark.conf.set(ZONE, "Europe/Berlin")
    yield
    catalog.spark.conf.set(ZONE, before)
    monkeypatch.undo()
    time.tzset()


def cases():
    """Every kept value as a column of one table; Connect cannot send void columns, nor does NULL in them say anything."""
    return [(f"v{index}", *case) for index, case in enumerate(KEPT) if not isinstance(case[0], spark.NullType)]


@pytest.mark.usefixtures("zone")
def test_values_of_every_type_are_read_as_they_were_given(catalog):
    columns = [column(name, kind) for name, kind, _, _ in cases()]
    Orchestrator.over(catalog).sync_tables(
        [table(*columns, column("c", spark.CharType(4)), column("j", spark.VariantType()))],
    )
    variant = spark.VariantVal.parseJson('{"a": [1.50, null, "x"]}')
    given = {name: value for name, _, value, _ in cases()}

    catalog.insert(NAME, [{**given, "c": "ab", "j": variant}])

    (row,) = catalog.spark.sql(f"SELECT * FROM {NAME}").collect()
    read = {name: plain(row[name]) for name, _, _, _ in cases()}
    assert repr(read) == repr({name: value for name, _, _, value in cases()})
    assert row["c"] == "ab  "
    assert row["j"].toPython() == {"a": [Decimal("1.5"), None, "x"]}


EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
INSTANTS = [
    datetime(2026, 7, 1, 12, 0, 0, 123456, tzinfo=UTC),
    datetime(2026, 10, 25, 0, 30, tzinfo=UTC),
    datetime(2026, 10, 25, 1, 30, 0, 1, tzinfo=UTC),
    datetime(2026, 10, 25, 2, 30, tzinfo=BERLIN, fold=1),
    datetime(1969, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
    datetime(1850, 1, 1, 1, 2, 3, 4, tzinfo=UTC),
    datetime(1, 1, 1, tzinfo=UTC),
    datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
    datetime(2026, 1, 1, tzinfo=timezone(timedelta(hours=5, minutes=45))),
]


@pytest.mark.usefixtures("zone")
def test_instants_survive(catalog):
    naive = datetime(2026, 7, 1, 12, 0, 0, 7)
    names = [NAME._replace(table=kind) for kind in ("plain", "partitioned")]
    Orchestrator.over(catalog).sync_tables(
        [
            table(column(), column("t", spark.TimestampType()), name=str(name), partitioned_by=partitioned)
            for name, partitioned in zip(names, ([], ["t"]), strict=True)
        ],
    )
    rows = [{"id": index, "t": given} for index, given in enumerate([*INSTANTS, naive])]
    expected = [*INSTANTS, datetime(2026, 7, 1, 10, 0, 0, 7, tzinfo=UTC)]
    for name in names:
        catalog.insert(name, rows)

        read = catalog.spark.sql(f"SELECT unix_micros(t) FROM {name} ORDER BY id").collect()
        assert [row[0] for row in read] == [(value - EPOCH) // timedelta(microseconds=1) for value in expected]
        assert catalog.spark.sql(f"SELECT t FROM {name} WHERE id = {len(INSTANTS)}").collect()[0].t == naive


def test_a_partition_whose_table_sees_the_time_zone_of_the_session_refuses_the_repeated_hour(catalog):
    before = catalog.spark.conf.get(ZONE)
    columns = [column(), column("t", spark.TimestampType())]
    day, positive = column("d", spark.DateType(), generated_as="CAST(t AS DATE)"), Check("positive", "id >= 0")
    models = [
        table(*columns, partitioned_by=["t"], checks=[positive]),
        table(*columns, day, partitioned_by=["t"], name="dev.silver.generated"),
    ]
    Orchestrator.over(catalog).sync_tables(models)
    catalog.spark.conf.set(ZONE, "Europe/Berlin")
    twice = r"row 2, column t: .* is in an hour that occurs twice in Europe/Berlin"
    try:
        for model in models:
            with pytest.raises(StatementError, match=twice):
                catalog.insert(model.name, [{"id": 1, "t": INSTANTS[0]}, {"id": 2, "t": INSTANTS[1]}])
            assert catalog.version(model.name) == 0
            catalog.insert(model.name, [{"id": 1, "t": datetime(2026, 6, 30, 22, 30, tzinfo=UTC)}])
            (row,) = catalog.spark.sql(f"SELECT unix_micros(t), * FROM {model.name}").collect()
            assert row[0] == 1782858600000000
            assert getattr(row, "d", date(2026, 7, 1)) == date(2026, 7, 1)
    finally:
        catalog.spark.conf.set(ZONE, before)
