"""Entries of a Unity Catalog server: compared with Delta logs and synchronised with them, without a JVM."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_delta_schema import Orchestrator
from pytest_delta_schema.backends.unity.addresses import Deadline
from pytest_delta_schema.delta.names import ColumnPath
from pytest_delta_schema.diagnostics.errors import (
    BackendUnavailableError,
    Diagnostic,
    MetadataSyncError,
)
from pytest_delta_schema.execute import ABSENT
from pytest_delta_schema.testing.unity import SimulatedFault
from support.logs import commit, field, metadata
from support.models import NAME, column, table
from support.unity import MODEL, lake

NESTED = {
    "type": "struct",
    "fields": [
        field("x", "integer", comment="Inside"),
        field(
            "m",
            {
                "type": "map",
                "keyType": "string",
                "valueType": {"type": "array", "elementType": "decimal(9,3)", "containsNull": False},
                "valueContainsNull": True,
            },
        ),
    ],
}
EVERYTHING = [
    field("id", nullable=False, comment="Key"),
    field("amount", "decimal(10,2)"),
    field("code", "string", __CHAR_VARCHAR_TYPE_STRING="varchar(5)"),
    field("s", NESTED),
    field("day", "date"),
    *(
        field(f"c_{kind}", kind)
        for kind in ("byte", "short", "integer", "float", "double", "boolean", "binary", "string", "timestamp")
    ),
]
SAID = {"comment": "All", "partitioned_by": ("day",), "team": "x", "delta__appendOnly": "true"}


@pytest.fixture
def unity(tmp_path):
    with lake(tmp_path / "store") as made:
        made.table("dev.silver.orders", *EVERYTHING, **SAID)
        yield made


def test_a_sync_takes_one_update_keeps_the_id_and_touches_no_file(unity):
    def listing():
        return {path: path.stat().st_mtime_ns for path in unity.folder.rglob("*")}

    assert unity.differences() == [
        "columns: the catalog entry has none, the log has 14",
        "properties.delta.appendOnly: the catalog entry has (absent), the log has 'true'",
        "properties.team: the catalog entry has (absent), the log has 'x'",
    ]
    unity.entry()["owner"] = "data-team"
    before, files = dict(unity.entry()), listing()

    (done,) = unity.catalog.sync_entries([MODEL])

    after = unity.entry()
    assert (done.table, done.version, done.is_new, len(done.differences)) == ("dev.silver.orders", 0, False, 3)
    assert (unity.differences(), unity.catalog.sync_entries([MODEL])) == ([], ())
    assert unity.calls("POST") == ["/delta/v1/catalogs/dev/schemas/silver/tables/orders"]
    assert [after[key] for key in ("table_id", "owner", "storage_location")] == [
        before[key] for key in ("table_id", "owner", "storage_location")
    ]
    assert after["properties"]["delta.lastUpdateVersion"] == "0"
    assert [column["partition_index"] for column in after["columns"]][:6] == [None, None, None, None, 0, None]
    assert listing() == files


def test_metadata_of_fields_that_is_null_is_synchronised_and_shown_as_none(unity):
    """``StructField("a", LongType(), True, {"comment": None})`` writes it; Spark reads it."""
    odd = field("a", comment=None, CURRENT_DEFAULT=None, x=None)
    unity.table("dev.silver.odd", odd, field("s", {"type": "struct", "fields": [odd]}))
    model = table(column(), name="dev.silver.odd")

    unity.catalog.sync_entries([model])

    assert unity.differences(model.name) == []
    assert [part.comment for part in unity.state(model).tables[model.name].columns] == ["", ""]
    assert [part["comment"] for part in unity.entry("dev.silver.odd")["columns"]] == [None, None]


DRIFTED: list[tuple[int, dict[str, Any], str]] = [
    (0, {"name": "Id"}, "columns.id.name: the catalog entry has Id, the log has id"),
    (
        0,
        {"name": "key"},
        (
            "columns.key: the catalog entry has bigint, the log has (absent)\n"
            "columns.id: the catalog entry has (absent), the log has bigint"
        ),
    ),
    (
        0,
        {"position": 9},
        "columns.order: the catalog entry has amount, code, s, day, c_byte, c_short, c_integer, c_float,",
    ),
    (0, {"type_text": "int"}, "columns.id.type: the catalog entry has int, the log has bigint"),
    (
        0,
        {"type_json": '{"name":"id","type":"integer","nullable":false,"metadata":{}}'},
        "columns.id.type_json: the catalog entry has int, the log has bigint",
    ),
    (0, {"type_json": '"integer"'}, "columns.id.type_json: the catalog entry has int, the log has bigint"),
    (0, {"type_name": "INT"}, "columns.id.type_name: the catalog entry has INT, the log has LONG"),
    (
        1,
        {"type_precision": 12, "type_scale": 2},
        "columns.amount.precision: the catalog entry has (12,2), the log has (10,2)",
    ),
    (0, {"nullable": True}, "columns.id.nullability: the catalog entry has nullable, the log has not null"),
    (0, {"comment": None}, "columns.id.comment: the catalog entry has '', the log has 'Key'"),
    (4, {"partition_index": None}, "columns.day.partition_index: the catalog entry has none, the log has 0"),
    (
        3,
        {"type_json": ("Inside", "Outside")},
        "columns.s.x.comment: the catalog entry has 'Outside', the log has 'Inside'",
    ),
    (
        3,
        {"type_json": ('"containsNull": false', '"containsNull": true')},
        "columns.s.m.value.type_json: the catalog entry has array<decimal(9,3)>, the log has array<decimal(9,3) not null>",
    ),
    (-1, {"comment": None}, "comment: the catalog entry has '', the log has 'All'"),
    (-1, {"team": "y"}, "properties.team: the catalog entry has 'y', the log has 'x'"),
    (-1, {"old": "1"}, "properties.old: the catalog entry has '1', the log has (absent)"),
]
EQUAL: list[tuple[int, dict[str, Any]]] = [
    (-1, {"delta.minReaderVersion": "3", "delta.feature.x": "supported"}),
    (-1, {"io.unitycatalog.tableId": "1", "option.team": "x", "owner": "somebody"}),
    (1, {"type_precision": 10, "type_scale": 2}),
    (1, {"type_precision": 0, "type_scale": 0}),
    (1, {"type_text": "DECIMAL(10, 2)"}),
    (2, {"type_text": "varchar(5)"}),
    (0, {"type_json": None}),
]


def edit(entry, number, fields):
    """Change a column of an entry by its number; under -1 are its properties, its comment and its owner."""
    for key, value in fields.items():
        part = entry["columns"][number] if number >= 0 else entry if key in entry else entry["properties"]
        part[key] = part[key].replace(*value) if isinstance(value, tuple) else value


def test_every_attribute_is_compared_and_synchronised(unity):
    unity.catalog.sync_entries([MODEL])
    wrong = []
    for number, fields, text in DRIFTED:
        edit(unity.entry(), number, fields)

        actual = "\n".join(unity.differences())

        synced = len(unity.catalog.sync_entries([MODEL])), unity.differences()
        if (actual if "order" not in text else actual[: len(text)], synced) != (text, (1, [])):
            wrong.append((text, actual, synced))
    assert not wrong


def test_what_is_no_difference(unity):
    for number, fields in EQUAL:
        unity.catalog.sync_entries([MODEL])
        edit(unity.entry(), number, fields)

        assert unity.differences() == [], fields


def test_what_the_server_cannot_store_is_left_out_and_noted(unity):
    longest, too_long = "n" * 255, "m" * 256
    kept = [field("id"), field(longest), field("c", "string", __COLLATIONS={"c": "spark.UTF8_LCASE"})]
    lost = [field("v", "void"), field(" ", "string"), field("s", {"type": "struct", "fields": []})]
    lost += [field("f", {"type": "struct", "fields": [field(" ")]}), field(too_long)]
    unity.table("dev.silver.odd", *kept, *lost, partitioned_by=("c", " "), note="x" * 300, team="x", comment="Odd")
    odd = table(column(), name="dev.silver.odd")

    (done,) = unity.catalog.sync_entries([odd])

    entry = unity.entry("dev.silver.odd")
    assert [column["name"] for column in entry["columns"]] == ["id", longest, "c"]
    assert [column["partition_index"] for column in entry["columns"]] == [None, None, 0]
    assert (entry["comment"], entry["properties"]["team"], "note" in entry["properties"]) == ("Odd", "x", False)
    assert list(map(str, done.notes)) == [
        (
            "dev.silver.odd: the catalog cannot store column v (void), column   (a blank name), column s (a struct without"
            f" fields), column f (a blank name), column {too_long} (a name of 256 characters), property note (a value of"
            " 300 characters), and its entry lacks it"
        ),
    ]
    assert unity.differences(odd.name) == []
    (again,) = unity.catalog.sync_entries([odd])
    assert (again.differences, again.notes) == ((), done.notes)
    assert len(unity.calls("POST")) == 1


def test_an_entry_is_never_set_back_to_an_older_version(unity):
    unity.state()
    unity.entry()["properties"]["delta.lastUpdateVersion"] = "7"
    location = unity.entry()["storage_location"]

    with pytest.raises(MetadataSyncError) as caught:
        unity.catalog.sync_entries([MODEL])

    assert str(caught.value) == (
        "dev.silver.orders: its catalog entry shows version 7, and the newest version of its log is 0, so the entry is not"
        " changed; check whether the log was restored or copied from elsewhere, or, if the table was created again at"
        f" {location}, register it again through Spark, which changes no file: DROP TABLE IF EXISTS"
        f" `dev`.`silver`.`orders`; CREATE TABLE `dev`.`silver`.`orders` USING DELTA LOCATION '{location}'"
        " [DS603 FailedMetadataSync]"
    )
    (problem,) = caught.value.diagnostics
    assert problem.remedy.startswith("check whether the log was restored")
    assert problem.remedy.endswith(f" CREATE TABLE `dev`.`silver`.`orders` USING DELTA LOCATION '{location}'")
    assert unity.calls("POST") == []


def test_a_conflict_is_read_again_and_tried_again(unity, monkeypatch):
    unity.state()
    real = unity.catalog.client.update_table
    sent: list[Any] = []

    def slow(name, body):
        if not sent:
            # Somebody else is faster: the tag is another one when this update arrives.
            unity.server.metastore.etags["dev.silver.orders"] = "1"
        sent.append(body)
        real(name, body)

    monkeypatch.setattr(unity.catalog.client, "update_table", slow)

    (done,) = unity.catalog.sync_entries([MODEL])

    assert (len(sent), done.version) == (2, 0)
    assert sent[0]["requirements"][1]["etag"] != sent[1]["requirements"][1]["etag"] == "1"


def test_races_that_are_lost_without_end_end(tmp_path, monkeypatch):
    pauses = []

    def pause(_, seconds):
        pauses.append(seconds)
        return len(pauses) < 9

    monkeypatch.setattr(Deadline, "pause", pause)
    message = "could not execute statement [Deadlock detected. The current transaction was rolled back. Details: ...]"
    body = json.dumps({"error": {"type": "InternalServerErrorException", "message": message}})
    with lake(tmp_path) as unity:
        unity.table()
        unity.state()
        unity.server.faults.append(SimulatedFault(path="/delta/v1/catalogs", method="POST", status=500, text=body))

        with pytest.raises(MetadataSyncError) as caught:
            unity.catalog.sync_entries([MODEL])

    assert len(unity.calls("POST")) == 9
    assert str(caught.value) == (
        "dev.silver.orders: somebody else has changed its catalog entry during each of 9 tries; try again later"
        " [DS603 FailedMetadataSync]"
    )


def test_a_refused_update_is_sent_once_and_reported_in_one_line_and_the_other_tables_are_synchronised(unity):
    unity.table("dev.silver.a")
    message = "Value too long for column;\ninsert " + "x" * 500
    text = json.dumps({"error": {"type": "InternalServerErrorException", "message": message}})
    unity.server.faults.append(SimulatedFault(path="tables/orders$", method="POST", status=500, text=text))
    absent, other = (table(column(), name=f"dev.silver.{name}") for name in ("nope", "a"))

    with pytest.raises(MetadataSyncError) as caught:
        unity.catalog.sync_entries([MODEL, absent, other])

    missing, refused = sorted(map(str, caught.value.diagnostics))
    assert missing == (
        "dev.silver.nope: it does not exist on the server, so it has no entry; create it with pytest --delta-apply"
        " [DS603 FailedMetadataSync]"
    )
    assert "500 InternalServerErrorException: Value too long for column; insert xxx" in refused
    assert "\n" not in refused
    assert len(refused) < 600
    assert [done.table for done in caught.value.done] == ["dev.silver.a"]
    assert [path.rpartition("/")[2] for path in sorted(unity.calls("POST"))] == ["a", "orders"]


def test_an_update_that_succeeded_although_its_answer_was_lost(unity, monkeypatch):
    """The entry is read back: an update that arrived is not sent again, and one that did not is not believed."""
    unity.state()
    real = unity.catalog.client.update_table

    def done_and_lost(*statuses):
        real(*statuses)
        unity.server.faults.append(SimulatedFault(path="tables/orders$", method="POST", status=503, text=""))
        real(*statuses)

    monkeypatch.setattr(unity.catalog.client, "update_table", done_and_lost)

    (done,) = unity.catalog.sync_entries([MODEL])

    assert (len(done.differences), unity.differences()) == (3, [])
    assert len(unity.calls("POST")) == 2


def test_an_apply_synchronises_the_entry_of_a_table_whose_plan_is_empty(tmp_path):
    with lake(tmp_path) as unity:
        unity.table()
        unity.table("dev.silver.other")
        line = Orchestrator.over(unity.catalog)

        assert line.sync_tables([MODEL]).statements == ()
        assert unity.differences() == []
        assert unity.entry("dev.silver.other")["columns"] == []
        assert line.sync_tables([MODEL]).statements == ()
        assert len(unity.calls("POST")) == 1


def test_an_entry_that_is_malformed_is_not_overwritten(unity):
    unity.catalog.sync_entries([MODEL])
    unity.entry()["columns"][0]["type_json"] = '"geometry"'

    with pytest.raises(MetadataSyncError, match=r"of an unknown type \(\"geometry\"\); update this package"):
        unity.catalog.sync_entries([MODEL])


def test_an_old_server_gets_the_entry_again_with_consent_and_a_warning(tmp_path, caplog):
    with lake(tmp_path, delta_api=False, sync_recreate=True) as unity:
        unity.table("dev.silver.orders", *EVERYTHING, **SAID)
        unity.state()
        unity.entry()["owner"] = "data-team"
        before = unity.entry()["table_id"]

        (done,) = unity.catalog.sync_entries([MODEL])

        assert done.is_new
        assert [(record.name, record.levelname, record.getMessage()) for record in caplog.records] == [
            (
                "pytest_delta_schema",
                "WARNING",
                (
                    f"dev.silver.orders: its catalog entry, owned by data-team, id {before}, is deleted and created again, by"
                    " the principal of the token; files stay as they are"
                ),
            )
        ]
        assert (unity.entry()["owner"], unity.entry()["columns"][1]["type_precision"]) == (None, 10)
        assert unity.differences() == []
        assert unity.catalog.sync_entries([MODEL]) == ()


@pytest.mark.parametrize("consents", [False, True])
def test_without_consent_and_by_an_apply_no_entry_is_created_again(tmp_path, consents):
    with lake(tmp_path, delta_api=False, sync_recreate=consents, sync_on_read=True) as unity:
        unity.table()
        state = unity.state()
        unity.entry()["owner"] = "data-team"

        with pytest.raises(MetadataSyncError) as caught:
            unity.catalog.sync_entries([MODEL], recreates=not consents)

        assert state.tables[NAME].exists
        assert "has no Delta API" in str(state.entries[NAME])
        assert str(caught.value) == (
            f"dev.silver.orders: the server at {unity.server.uri} has no Delta API, so its catalog entry (owned by data-team)"
            " can only be deleted and created again, under another id; pytest --delta-sync-metadata does that with"
            ' sync = ["recreate"] in [tool.pytest_delta_schema], or upgrade the server [DS603 FailedMetadataSync]'
        )
        assert (unity.calls("DELETE"), unity.calls("POST")) == ([], [])


def test_an_entry_that_cannot_be_created_again_is_not_lost(tmp_path):
    with lake(tmp_path, delta_api=False, sync_recreate=True) as unity:
        unity.table(team="x")
        unity.state()
        unity.server.faults.append(SimulatedFault(path="/tables$", method="POST", status=500))

        with pytest.raises(MetadataSyncError) as caught:
            unity.catalog.sync_entries([MODEL])

    text = str(caught.value)
    parsed = json.loads(text[text.index("{") : text.rindex("}") + 1])
    assert "its catalog entry was deleted and could not be created again" in text
    assert (parsed["name"], parsed["properties"]["team"], len(parsed["columns"])) == ("orders", "x", 1)


def test_managed_tables_are_read_through_the_delta_api(unity):
    unity.catalog.sync_entries([MODEL])
    clustered = {"clusteringColumns": '[["col-1"]]', "delta.feature.clustering": "supported"}
    clustered["delta.feature.catalogManaged"] = "supported"
    unity.server.metastore._store = None
    unity.entry().update(table_type="MANAGED", storage_location="file:///nowhere/orders")
    unity.entry()["properties"] |= {**clustered, "delta.minWriterVersion": "7"}
    unity.entry()["columns"][0]["type_json"] = json.dumps(
        field("id", nullable=False, comment="Key", **{"delta.columnMapping.physicalName": "col-1"}),
    )

    state = unity.state()
    actual = state.tables[NAME]

    assert [str(column.data_type) for column in actual.columns[:3]] == ["bigint", "decimal(10,2)", "varchar(5)"]
    assert (actual.table_comment, actual.partitioning, actual.clustering) == ("All", ("day",), (ColumnPath("id"),))
    assert actual.table_properties["delta.minWriterVersion"] == "7"
    assert state.logs == {}


def checkpointed(folder, *lost):
    """Write a checkpoint of the newest version, and delete commits."""
    from deltalake import DeltaTable  # noqa: PLC0415 - for these cases alone

    DeltaTable(folder).create_checkpoint()
    for version in lost:
        (folder / "_delta_log" / f"{version:020d}.json").unlink()


def test_a_version_that_cannot_be_read_is_no_absent_table(unity):
    (unity.folder / "dev" / "silver" / "orders" / "_delta_log" / f"{0:020d}.json").write_text("{")

    answer = unity.catalog.version(NAME)

    assert isinstance(answer, Diagnostic)
    assert answer.message.startswith("its Delta log is damaged (")
    assert answer.message.endswith("/00000000000000000000.json is cut off or damaged in line 1 of 1)")
    assert unity.catalog.version(NAME._replace(table="nope")) is ABSENT


def test_columns_that_are_gone_are_found_in_the_log_without_a_jvm(unity):
    for how in ("commits", "checkpoint"):
        folder = unity.table(f"dev.silver.{how}", field("id"), field("Old"))
        commit(folder, 1, metadata(field("id"), field("s", {"type": "struct", "fields": [field("x")]})))
        if how == "checkpoint":
            checkpointed(folder, 1)
        commit(folder, 2, metadata(field("id")))
        paths = map(ColumnPath.parse, ["old", "s.x", "s.y", "never"])

        actual = unity.catalog.past_columns(NAME._replace(table=how), paths)

        assert actual == {ColumnPath("old"), ColumnPath("s", "x")}, how
    with pytest.raises(BackendUnavailableError, match="no session is configured"):  # only Spark can read its past
        unity.catalog.past_columns(NAME._replace(table="none"), [ColumnPath("old")])


def deep_log(folder, levels):
    """Commit a column that is nested deeply; the JSON is a text, because writing it would recurse, too."""
    head, tail = '{"type":"struct","fields":[{"name":"x","nullable":true,"metadata":{},"type":', "}]}"
    data_type = f'{head * levels}"integer"{tail * levels}'
    schema = f'{{"type":"struct","fields":[{{"name":"id","nullable":true,"metadata":{{}},"type":{data_type}}}]}}'
    action = metadata(field("id"))
    action["metaData"]["schemaString"] = schema
    commit(folder, 1, action)


def test_a_table_that_is_nested_too_deeply_fails_its_own_sync_alone(unity):
    models = {levels: table(column(), name=f"dev.silver.deep_{levels}") for levels in (100, 101, 2000)}
    for levels, model in models.items():
        deep_log(unity.table(model.qualified_name), levels)

    with pytest.raises(MetadataSyncError) as caught:
        unity.catalog.sync_entries([MODEL, *models.values()])

    assert {done.table for done in caught.value.done} == {
        "dev.silver.orders",
        "dev.silver.deep_100",
        "dev.silver.deep_101",
    }
    (problem,) = caught.value.diagnostics
    assert problem.table == "dev.silver.deep_2000"
    assert "nested too deeply, which is more than this package reads" in problem.message
    assert [unity.differences(models[levels].name) for levels in (100, 101)] == [[], []]
    assert [len(unity.entry(f"dev.silver.deep_{levels}")["columns"]) for levels in (100, 101)] == [1, 0]
