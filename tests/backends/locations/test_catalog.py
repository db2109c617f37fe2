"""Which folder holds a table: names on disk, what is no table, the longest name, and what changes meanwhile."""

from __future__ import annotations

import json
import tracemalloc
from collections import Counter
from threading import Event, Thread

import pytest

from pytest_delta_schema import Orchestrator, QualifiedName, UnsafePlanError
from pytest_delta_schema.backends.locations import LocationsCatalog
from pytest_delta_schema.backends.locations.folders import Folder
from pytest_delta_schema.delta.names import ColumnPath
from pytest_delta_schema.diagnostics.errors import CatalogReadError, DeclarationError, StatementError
from pytest_delta_schema.engine.gate import Gate
from pytest_delta_schema.engine.outcomes import Status
from pytest_delta_schema.execute import ABSENT
from support.logs import commit, delta_log, field, metadata
from support.models import NAME, column, table


def name(text):
    return QualifiedName("dev", "silver", text)


@pytest.fixture
def silver(tmp_path):
    folder = tmp_path / "silver"
    folder.mkdir()
    return folder


@pytest.fixture
def catalog(silver):
    return LocationsCatalog({"Dev.Silver": f"{silver}/"})


def read(catalog, *tables):
    """Return what was read of each table: its columns, ``absent``, or its problem."""
    state = catalog.read_tables(map(name, tables))
    shown = {one: " ".join(column.name for column in found.columns) for one, found in state.tables.items()}
    shown |= {one: "absent" for one, found in state.tables.items() if not found.exists}
    shown |= {one: f"{problem.message}; {problem.remedy} [{problem.code}]" for one, problem in state.problems.items()}
    return [shown[name(one)] for one in tables]


@pytest.mark.parametrize(
    ("folder", "table_name"),
    [
        ("orders", "orders"),
        ("Orders", "orders"),
        ("ORDER ITEMS", "order items"),
        ("Order%20Items", "order items"),
        ("100%25", "100%"),
        ("50%", "50%"),
        ("caf\N{LATIN SMALL LETTER E WITH ACUTE}", "caf\N{LATIN SMALL LETTER E WITH ACUTE}"),
        ("a=b#c?d", "a=b#c?d"),
    ],
)
def test_names_on_disk(silver, catalog, folder, table_name):
    delta_log(silver / folder, field(table_name))

    assert read(catalog, table_name) == [table_name]
    assert catalog.table_names("dev", "silver") == (name(table_name),)


def test_folders_that_are_not_tables(silver, catalog):
    (silver / "empty").mkdir()
    (silver / "csv").mkdir()
    (silver / "csv" / "a.csv").touch()
    for parquet in ("parquet", "parts/day=1/hour=2"):
        (silver / parquet).mkdir(parents=True)
        (silver / parquet / "a.parquet").touch()
    (silver / "lost" / "_delta_log").mkdir(parents=True)
    (silver / "file").touch()
    delta_log(silver / "nested" / "orders", field("id"))
    delta_log(silver / "_hidden", field("id"))
    delta_log(silver / ".staging", field("id"))
    no_delta = "is a parquet table, not a Delta table; convert it by CONVERT TO DELTA if it is parquet, or declare the"

    assert read(catalog, "empty", "file", "_hidden", ".staging", "orders") == ["absent"] * 5
    assert read(catalog, "csv", "nested") == [
        f"its folder {silver}/{folder} holds files but no Delta log; set the folder of the table:"
        f' "dev.silver.{folder}" = "s3://bucket/folder" in [tool.pytest_delta_schema.locations] [DS505]'
        for folder in ("csv", "nested")
    ]
    assert read(catalog, "parquet", "parts") == [f"{no_delta} table under another name [DS505]"] * 2
    assert read(catalog, "lost")[0].startswith(
        f"{silver}/lost holds the files of a Delta table whose log is gone (see _delta_log)"
    )
    assert catalog.table_names("dev", "silver") == ()
    assert catalog.parquet_names("dev", "silver") == (name("parquet"), name("parts"))


def test_two_folders_of_one_name(silver, catalog):
    (silver / "Orders").mkdir()
    (silver / "Orders" / "a.csv").touch()
    delta_log(silver / "orders", field("id"))
    assert read(catalog, "orders") == ["id"], "only one of them is a table"

    delta_log(silver / "Orders", field("upper"))

    assert read(catalog, "orders") == [
        (
            f"it could be in Orders or orders of {silver}, whose names match; say in which:"
            f' "dev.silver.orders" = "{silver}/Orders" in [tool.pytest_delta_schema.locations] [DS502]'
        )
    ]
    chosen = LocationsCatalog({"dev.silver": str(silver), "dev.silver.orders": f"{silver}/Orders"})
    assert read(chosen, "orders") == ["upper"]


def test_the_longest_name_is_used_and_a_folder_has_one_name(silver, tmp_path):
    for folder in ("orders", "orders_v2", "gold/sales"):
        delta_log(silver / folder, field(folder[-2:]))
    delta_log(tmp_path / "other", field("other"))
    (silver / "gold" / "sales" / "a.parquet").touch()
    catalog = LocationsCatalog(
        {
            "dev.silver": str(silver),
            "dev.silver.orders": (silver / "orders_v2").as_uri(),
            "dev.silver.other": (tmp_path / "other").as_uri(),
            "dev.gold": f"{silver}/gold",
            "prod.silver.alias": f"{silver}/orders",
        }
    )

    assert read(catalog, "orders", "other", "orders_v2") == ["v2", "other", "v2"]
    assert catalog.table_names("dev", "silver") == (name("orders"), name("other"))
    assert catalog.table_names("dev", "gold") == (QualifiedName("dev", "gold", "sales"),)
    assert catalog.table_names("prod", "silver") == (QualifiedName("prod", "silver", "alias"),)
    assert catalog.parquet_names("dev", "silver") == ()


def test_locations_that_hold_no_folders_of_tables(tmp_path):
    delta_log(tmp_path / "orders", field("id"))
    (tmp_path / "lake" / "silver").mkdir(parents=True)
    catalog = LocationsCatalog(
        {"dev.gone": f"{tmp_path}/gone", "dev.one": f"{tmp_path}/orders", "dev.above": f"{tmp_path}/lake"}
    )
    section = "in [tool.pytest_delta_schema.locations]"
    reasons = {
        "gone": f"its location {tmp_path}/gone does not exist; create it, mount it, or correct it {section}",
        "one": f"the location of its schema, {tmp_path}/orders, is the folder of one table; give the folder above it, or"
        f' name the table: "dev.one.NAME" = "{tmp_path}/orders" {section}',
        "unknown": f'the schema dev.unknown has no location; set "dev.unknown" = "s3://bucket/folder" {section}',
    }

    for schema, reason in reasons.items():
        orders = QualifiedName("dev", schema, "orders")
        assert str(catalog.read_tables([orders]).problems[orders]) == f"{orders}: {reason} [DS502 UnreadableTable]"
        assert catalog.why_empty("dev", schema) == reason
    assert catalog.why_empty("dev", "above") == (
        f"{tmp_path}/lake has 1 folder, and none has a Delta log; give the folder whose folders are tables {section}"
    )
    assert catalog.table_names("dev", "unknown") == ()
    for schema in ("gone", "one"):
        with pytest.raises(StatementError) as caught:
            catalog.table_names("dev", schema)
        assert str(caught.value) == reasons[schema]


def test_a_folder_that_may_not_be_listed_is_never_an_absent_table(silver, catalog, monkeypatch):
    delta_log(silver / "orders", field("id"))
    entries = Folder.entries

    def forbidden(folder):
        if folder.path == str(silver):
            raise PermissionError(13, "Permission denied", folder.path)
        return entries(folder)

    monkeypatch.setattr(Folder, "entries", forbidden)
    with pytest.raises(StatementError, match=r"cannot be listed .*Permission denied"):
        catalog.table_names("dev", "silver")

    assert read(catalog, "orders") == [
        (
            f"its location {silver} cannot be listed ([Errno 13] Permission denied: '{silver}'); restore it, or the"
            " permission to read it [DS501]"
        )
    ]


def test_a_schema_is_listed_once_and_what_is_missing_is_looked_for_again(silver, catalog, monkeypatch):
    for number in range(30):
        delta_log(silver / f"t{number}", field("id"))
    listed = Counter[str]()
    entries = Folder.entries

    def counting(folder):
        listed[folder.path] += 1
        return entries(folder)

    monkeypatch.setattr(Folder, "entries", counting)
    catalog.read_tables(name(f"t{number}") for number in range(30))
    assert listed == {str(silver): 1}

    def late(folder):
        listed[folder.path] += 1
        if folder.path == str(silver) and listed[folder.path] == 3:
            delta_log(silver / "new", field("id"))
        return entries(folder)

    monkeypatch.setattr(Folder, "entries", late)
    assert read(catalog, "new") == ["id"]


def test_a_table_while_a_writer_commits(silver, catalog):
    delta_log(silver / "orders", field("id"))
    stop = Event()

    def write():
        for version in range(1, 400):
            if stop.is_set():
                return
            commit(silver / "orders", version, metadata(field("id"), comment=str(version)))

    writer = Thread(target=write)
    writer.start()
    try:
        # A commit that is half written is a fault that a later read explains.
        versions = [catalog.version(NAME) for _ in range(60)]
    finally:
        stop.set()
        writer.join()

    assert all(isinstance(version, int) for version in versions), versions
    assert versions == sorted(versions)
    assert catalog.read_tables([NAME]).tables[NAME].table_comment == str(catalog.version(NAME) or None)


def test_thousands_of_folders_take_little_memory(silver, catalog):
    for number in range(20_000):
        (silver / f"table_with_a_long_name_{number}").mkdir()
    delta_log(silver / "orders", field("id"))
    tracemalloc.start()
    try:
        assert read(catalog, "orders") == ["id"]
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert peak < 20_000 * 600, f"{peak:,} bytes"


def test_history_of_columns(silver, catalog):
    delta_log(silver / "orders", field("id"), field("old"))
    commit(silver / "orders", 1, metadata(field("id"), field("new")), operation="ADD COLUMNS")

    [introduced] = catalog.introduced_by(NAME, [ColumnPath("new")])

    assert (introduced.version, introduced.operation) == (1, "ADD COLUMNS")
    assert catalog.past_columns(NAME, [ColumnPath("old"), ColumnPath("never")]) == {ColumnPath("old")}
    with pytest.raises(CatalogReadError, match="it does not exist"):
        catalog.past_columns(name("nothing"), [ColumnPath("old")])


def test_a_library_gates_and_changes_nothing(silver, catalog):
    delta_log(silver / "orders", field("id"))
    before = sorted(silver.rglob("*"))
    model = table(column(), column("amount"))
    missing = table(column(), name="dev.silver.missing")

    gate = Gate(catalog, [model, missing])

    assert {gate.drift(one).status for one in (model, missing)} == {Status.DRIFTED}
    refused = (
        "the locations backend cannot change a table: it only reads the folders of tables; run the statements in a"
        " session that knows these folders by these names, such as that of the session backend"
    )
    for one in (model, missing):
        with pytest.raises(UnsafePlanError) as caught:
            Orchestrator.over(catalog).sync_tables([one])
        [violation] = caught.value.diagnostics
        assert (violation.code, f"{violation.message}; {violation.remedy}") == ("DS218", refused)
    with pytest.raises(StatementError, match="the locations backend cannot query rows: it only reads"):
        catalog.data_checks(NAME)
    with pytest.raises(StatementError, match="the locations backend cannot change a table: it only reads"):
        catalog.run(None)
    assert sorted(silver.rglob("*")) == before
    assert catalog.version(missing.name) is ABSENT


def test_what_is_wrong_with_the_arguments():
    with pytest.raises(DeclarationError, match=r"locations: 'dev' names no schema and no table; write 'dev.silver'"):
        LocationsCatalog({"dev": "s3://lake"})
    with pytest.raises(DeclarationError, match="LocationsCatalog takes a mapping"):
        LocationsCatalog("s3://lake")


def test_damage_and_malformed_logs_are_problems_of_their_table(silver, catalog):
    delta_log(silver / "good", field("id"))
    delta_log(silver / "damaged", field("id"))
    (silver / "damaged" / "_delta_log" / f"{1:020d}.json").write_text("")
    log = delta_log(silver / "odd", field("id")) / "_delta_log" / f"{0:020d}.json"
    log.write_text(log.read_text().replace(json.dumps("schemaString"), '"other"'))

    good, damaged, odd = read(catalog, "good", "damaged", "odd")

    assert good == "id"
    assert damaged.endswith("is empty); restore it from a backup [DS503]")
    assert "[DS50" in odd
