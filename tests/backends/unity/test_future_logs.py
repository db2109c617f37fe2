"""Logs with unknown metadata through the Unity Catalog backend, which reads them without Spark."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest
from pyarrow import parquet

from pytest_delta_schema.state.types import describe_type
from support.delta_logs.future_logs import FUTURE_LOGS, NO_SCHEMA, READABLE_LOGS
from support.logs import TIME
from support.tables import NAME, column, table
from support.unity import lake

NAMES = {name: table(column(), name=f"dev.silver.t{number}") for number, name in enumerate(FUTURE_LOGS)}
NEWEST = "00000000000000000001"

PAIRS = pa.map_(pa.string(), pa.string())
ACTIONS = pa.schema(
    [
        pa.field(
            "metaData",
            pa.struct(
                [
                    ("id", pa.string()),
                    ("format", pa.struct([("provider", pa.string()), ("options", PAIRS)])),
                    ("schemaString", pa.string()),
                    ("partitionColumns", pa.list_(pa.string())),
                    ("configuration", PAIRS),
                ]
            ),
        ),
        pa.field(
            "protocol",
            pa.struct(
                [
                    ("minReaderVersion", pa.int32()),
                    ("minWriterVersion", pa.int32()),
                    ("readerFeatures", pa.list_(pa.string())),
                    ("writerFeatures", pa.list_(pa.string())),
                ]
            ),
        ),
    ]
)


@pytest.fixture
def unity(tmp_path):
    with lake(tmp_path) as made:
        yield made


def checkpointed(log, folder):
    """Keep of a log only its checkpoint, as after a clean-up, and a newer commit with data."""
    log.write(folder)
    first = folder / "_delta_log" / f"{0:020d}.json"
    rows = [{kind: action[kind] for kind in ("protocol", "metaData") if kind in action} for action in log.actions]
    parquet.write_table(
        pa.Table.from_pylist([row for row in rows if row], schema=ACTIONS),
        first.with_suffix(".checkpoint.parquet"),
    )
    first.rename(first.with_name(f"{NEWEST}.json"))
    info = {"commitInfo": {"timestamp": TIME, "operation": "TEST"}}
    first.with_name(f"{NEWEST}.json").write_text(json.dumps(info), "utf-8")


def test_every_log_is_shown_and_a_missing_schema_is_named(unity):
    for name, log in FUTURE_LOGS.items():
        log.write(unity.folder.joinpath(*NAMES[name].name))

    state = unity.state(*NAMES.values())

    shown = {name: describe_type(state.tables[NAMES[name].name].columns[1].data_type) for name in READABLE_LOGS}
    assert shown == {name: log.shown for name, log in READABLE_LOGS.items()}
    for name, log in READABLE_LOGS.items():
        observed = state.tables[NAMES[name].name]
        assert (observed.version, observed.table_properties[log.property[0]]) == (0, log.property[1]), name
    path = unity.folder.joinpath(*NAMES[NO_SCHEMA].name) / "_delta_log"
    (fault,) = state.problems.values()
    assert str(fault) == (
        f"{NAMES[NO_SCHEMA].qualified_name}: its Delta log is damaged ({path}/{0:020d}.json holds metadata without a"
        " schema); restore it from a backup [DS503 DamagedTable]"
    )


@pytest.mark.parametrize("name", ["geometry", "feature for readers", "protocol version", "property"])
def test_such_a_log_is_read_from_its_checkpoint_as_well(unity, name):
    checkpointed(READABLE_LOGS[name], unity.folder.joinpath(*NAME))

    observed = unity.state().tables[NAME]

    key, value = READABLE_LOGS[name].property
    assert (observed.version, describe_type(observed.columns[1].data_type)) == (1, READABLE_LOGS[name].shown)
    assert observed.table_properties[key] == value


def test_the_catalog_entry_gets_what_it_can_store_of_such_a_table(unity):
    READABLE_LOGS["geometry"].write(unity.folder.joinpath(*NAME))

    unity.catalog.sync_entries([table(column())])

    assert [column["name"] for column in unity.entry()["columns"]] == ["id"]
    assert unity.differences() == []
