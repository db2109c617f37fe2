"""What is given for a column is what is read, or an error before anything is written; the same on every catalog."""

from __future__ import annotations

import time
from collections import namedtuple
from datetime import datetime, timezone
from decimal import Decimal
from zoneinfo import ZoneInfoNotFoundError

import pytest
from pyspark.sql import Row
from pyspark.sql import types as spark

from pytest_delta_schema import Column, Identity, MemoryCatalog, Orchestrator
from pytest_delta_schema.backends import row_values
from pytest_delta_schema.backends.row_values import Clock, TimeFault, converted_rows, preview_of, rows_of_frame
from pytest_delta_schema.delta.names import NameMap
from pytest_delta_schema.diagnostics.errors import StatementError
from support.models import NAME, column, state, stored, table
from support.rows import BERLIN, KEPT, LOST, PARTS, TEXT, UTC
from support.snapshots import ReviewedCases

# ruff: noqa: DTZ001 - datetimes without a time zone are what is tested


@pytest.fixture
def in_zone(monkeypatch):
    """Let this process be in another time zone."""

    def use(name):
        monkeypatch.setenv("TZ", name)
        time.tzset()

    yield use
    monkeypatch.undo()
    time.tzset()


def made(*columns, **options):
    catalog = MemoryCatalog()
    Orchestrator.over(catalog).sync_tables([table(*columns, **options)])
    return catalog


def refusal(call, *args):
    with pytest.raises(StatementError) as caught:
        call(*args)
    return str(caught.value), caught.value.condition


def test_what_is_given_is_what_is_read():
    for kind, given, read in KEPT:
        catalog = made(column("v", kind))

        catalog.insert(NAME, [{"V": given}])

        # Texts, because no NaN equals another one, and -0.0 equals 0.0.
        assert repr(catalog._rows[NAME]) == repr([{"v": read}])


def test_what_would_be_changed_is_refused_with_its_path_and_nothing_is_written(reviewed):
    def refused(kind, *rows):
        catalog = made(column("v", kind))
        text, condition = refusal(catalog.insert, NAME, [{"v": value} for value in rows])
        assert condition == ("DELTA_EXCEED_CHAR_VARCHAR_LIMIT" if "characters" in text else "")
        assert catalog.data_checks(NAME).count_rows().rows == 0
        return text

    case = ReviewedCases(refused)
    for kind, given in LOST:
        case.unnamed(kind, None, given)
    for kind, given in PARTS:
        case.unnamed(kind, given)
    assert case.text == reviewed


def test_every_offender_is_one_line_and_identities_continue():
    catalog = made(column(identity=Identity(start=5)), column("n", is_nullable=False), column("t", TEXT))
    rows = [{"n": "x", "gone": 1}, {"n": 1, "N": 2, "t": 3}, ("n", 1), {7: 7}, [1], {"t": "a"}, {"n": None}]

    text, _ = refusal(catalog.insert, NAME, rows)
    _, condition = refusal(catalog.insert, NAME, [{"n": 1}, {"n": None}])

    assert text.splitlines() == [
        "dev.silver.orders: row 1, column n: 'x' does not fit bigint: it is of Python's type str; give an int",
        "dev.silver.orders: row 1: there is no column gone; columns are id, n, t",
        "dev.silver.orders: row 2, column n: is given twice, in different case; give it once",
        "dev.silver.orders: row 2, column t: 3 does not fit string: it is of Python's type int; give a str",
        "dev.silver.orders: row 3: has 2 values for the columns id, n, t; give one for each, or a dict by column",
        "dev.silver.orders: row 4: there is no column 7; columns are id, n, t",
        "dev.silver.orders: row 4: NOT NULL constraint violated for column: n",
        "dev.silver.orders: row 5: is a list; give a dict by column, a Row, or a tuple in the order of the columns",
        "dev.silver.orders: row 6: NOT NULL constraint violated for column: n",
        "dev.silver.orders: row 7: NOT NULL constraint violated for column: n",
    ]
    assert condition == "DELTA_NOT_NULL_CONSTRAINT_VIOLATED"
    catalog.insert(NAME, [{"n": 1}])
    assert catalog._rows[NAME] == [{"id": 5, "n": 1}]


NAMES = [column("id", is_nullable=False), column("n"), column("t", TEXT)]
Named = namedtuple("Named", "N ID")  # noqa: PYI024 - as users write them


def test_rows_of_every_form_are_taken_by_name():
    for row, read in (
        ({"ID": 1}, {"id": 1}),
        (Row(id=1, t="a"), {"id": 1, "t": "a"}),
        (tuple.__new__(Row, (1, None, "a")), {"id": 1, "n": None, "t": "a"}),
        ((1, 2, "a"), {"id": 1, "n": 2, "t": "a"}),
        (Named(2, 1), {"n": 2, "id": 1}),
    ):
        catalog = made(*NAMES)

        catalog.insert(NAME, iter([row]))

        assert catalog._rows[NAME] == [read]


def test_the_table_fills_columns_that_are_left_out_and_none_that_are_null():
    for value in ({"identity": True}, {"default": 1}, {"generated_as": "n + 1"}):
        catalog = made(column("id", is_nullable=False, **value), column("n"))

        catalog.insert(NAME, [{"n": 0}])

        assert catalog._rows[NAME] == [{"n": 0, "id": 1}]
        assert refusal(catalog.insert, NAME, [{"ID": None}])[0].endswith("NOT NULL constraint violated for column: id")


NULLS = "is read back as NULL from a partition column; give NULL, or do not partition by it"


def test_what_a_partition_column_does_not_give_back_is_refused():
    for kind, given, fact in (
        (TEXT, "", f"'' {NULLS}"),
        (TEXT, "__HIVE_DEFAULT_PARTITION__", f"'__HIVE_DEFAULT_PARTITION__' {NULLS}"),
        (TEXT, "a\0", r"'a\x00' holds a NUL character, which names of partition folders cannot"),
        (spark.CharType(3), "", f"'' {NULLS}"),
        (spark.BinaryType(), b"", f"b'' {NULLS}"),
        (spark.BinaryType(), b"\xff", r"b'\xff' is not UTF-8, as values of binary partition columns must be"),
    ):
        catalog = made(column(), column("P", kind), partitioned_by=["p"])

        assert refusal(catalog.insert, NAME, [{"p": given}])[0] == f"dev.silver.orders: row 1, column P: {fact}"


TWICE, NEVER = datetime(2026, 10, 25, 2, 30), datetime(2026, 3, 29, 2, 30)
PLAIN = datetime(2026, 7, 1, 12, 0, 0, 123456)


READ_BACK = "it is an instant that this process reads back as"


B, LATER = "Europe/Berlin", datetime(2026, 10, 25, 2, 30, tzinfo=UTC)
AT_TEN = datetime(2026, 7, 1, 10, 0, 0, 123456, tzinfo=UTC)
INSTANTS = [
    ("UTC", "UTC", PLAIN, PLAIN.replace(tzinfo=UTC)),
    ("UTC", "", TWICE, LATER),
    (B, B, PLAIN, AT_TEN),
    (B, "+02:00", PLAIN, AT_TEN),
    (B, "GMT+2", PLAIN, AT_TEN),
    (B, B, datetime(1850, 1, 1), datetime(1849, 12, 31, 23, 6, 32, tzinfo=UTC)),
    ("UTC", B, TWICE.replace(tzinfo=BERLIN), datetime(2026, 10, 25, 0, 30, tzinfo=UTC)),
    ("UTC", B, TWICE.replace(tzinfo=BERLIN, fold=1), datetime(2026, 10, 25, 1, 30, tzinfo=UTC)),
    ("UTC", "no such zone", PLAIN.replace(tzinfo=UTC), PLAIN.replace(tzinfo=UTC)),
]
"""The zones of the process and of the session, what is given, and the instant that it is."""
TIME_FAULTS = [
    (B, B, TWICE, " and happens twice in Europe/Berlin"),
    ("UTC", B, TWICE.replace(fold=1), " and happens twice in Europe/Berlin"),
    (B, "", TWICE, " and happens twice in the zone of this process"),
    ("UTC", B, NEVER, " and does not happen in Europe/Berlin"),
    ("UTC", B, PLAIN, f"; in Europe/Berlin {READ_BACK} 2026-07-01 10:00:00.123456"),
    # In UTC it happens once, and Python reads the instant back as an hour that repeats.
    (B, "UTC", TWICE, f"; in UTC {READ_BACK} 2026-10-25 03:30:00"),
    ("UTC", "Mars/Base", PLAIN, ", and Python does not know that of the session, Mars/Base"),
]


def test_a_datetime_is_one_instant_or_refused(in_zone, monkeypatch):
    for process, session, given, instant in INSTANTS:
        in_zone(process)

        assert repr(Clock(session, in_utc=True).instant(given)) == repr(instant), (process, session, given)
        assert Clock(session).instant(given) is given
    for process, session, given, fact in TIME_FAULTS:
        in_zone(process)

        with pytest.raises(TimeFault) as caught:
            Clock(session, in_utc=True).instant(given)
        assert str(caught.value) == f"has no time zone{fact}; give it a tzinfo"
    with pytest.raises(TimeFault, match=r"^is out of range in UTC; give an instant from year 1 to year 9999$"):
        Clock("+02:00", in_utc=True).instant(datetime(1, 1, 1))

    def missing(name):
        raise ZoneInfoNotFoundError(name)

    monkeypatch.setattr(row_values, "ZoneInfo", missing)
    with pytest.raises(TimeFault, match="Python does not know that of the session, Europe/Berlin; give it a tzinfo"):
        Clock(B).instant(PLAIN)


def test_a_timestamp_that_is_written_as_a_time_of_the_zone_has_to_happen_once():
    times = state(stored("T", "timestamp"))

    def insert(zone, instant):
        return converted_rows(times, [{"t": None}, {"t": instant}], Clock(zone, in_utc=True), unique=["T"])

    first, second = (datetime(2026, 10, 25, hour, 30, tzinfo=UTC) for hour in (0, 1))
    later, summer = datetime(2026, 10, 25, 2, tzinfo=UTC), datetime(2026, 3, 29, 1, tzinfo=UTC)
    for zone, instant in (("Europe/Berlin", later), ("Europe/Berlin", summer), ("UTC", first)):
        assert insert(zone, instant) == [{"t": None}, {"t": instant}]
    for instant in (first, second):
        assert refusal(insert, "Europe/Berlin", instant)[0] == (
            f"dev.silver.orders: row 2, column T: {preview_of(instant)} is in an hour that occurs twice in Europe/Berlin,"
            " and the partition value is a local time, because the table has checks, defaults or generated columns; set the"
            " session's time zone to UTC"
        )


def test_frames_of_pandas_have_python_values_and_null_for_what_is_missing():
    pd = pytest.importorskip("pandas")  # loading it takes seconds

    columns = NameMap.of([stored("id"), stored("x", "double"), stored("t", "string"), stored("n", "int")])
    frame = pd.DataFrame({"id": [1, 2], "x": [1.0, None], "t": ["a", None], "N": [7, None], "other": [1.0, pd.NaT]})

    rows: list[dict[str, object]] = [*rows_of_frame(frame, columns)]  # type: ignore[list-item]

    assert rows == [
        {"id": 1, "x": 1.0, "t": "a", "N": 7, "other": 1.0},
        {"id": 2, "x": None, "t": None, "N": None, "other": None},
    ]
    assert [type(value) for value in rows[0].values()] == [int, float, str, int, float]


class DataFrame:
    """A frame of Spark as far as rows are read from it."""

    __module__ = "pyspark.sql.dataframe"

    def __init__(self, schema, rows):
        self.schema = schema
        self.collect = lambda: rows


def test_frames_of_spark_have_instants_with_the_time_zone_of_the_process(monkeypatch):
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    texts = {
        "at": "timestamp",
        "local": "timestamp_ntz",
        "s": "struct<at: timestamp>",
        "a": "array<timestamp>",
        "m": "map<timestamp, decimal(3,1)>",
        "k": "map<struct<x: int>, int>",
    }
    schema = spark.StructType([spark.StructField(name, Column(name, text).data_type) for name, text in texts.items()])
    noon = datetime(2026, 7, 1, 12)
    key = Row(x=1)
    values = Row(at=noon, local=noon, s=Row(at=noon), a=[noon, None], m={noon: Decimal("1.5")}, k={key: 1})

    (row,) = rows_of_frame(DataFrame(schema, [values]), NameMap())
    monkeypatch.undo()
    time.tzset()

    instant = datetime(2026, 7, 1, 10, tzinfo=timezone.utc)
    assert row == {
        "at": instant,
        "local": noon,
        "s": {"at": instant},
        "a": [instant, None],
        "m": {instant: Decimal("1.5")},
        "k": {key: 1},
    }
