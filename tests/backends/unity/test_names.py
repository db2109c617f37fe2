"""Names on a server that compares them with their case: found without it, written as stored, refused where two fit."""

from __future__ import annotations

import pytest

from pytest_delta_schema import Column, Orchestrator, QualifiedName, Settings, Table
from pytest_delta_schema.diagnostics.errors import MetadataSyncError
from pytest_delta_schema.engine import Gate
from pytest_delta_schema.engine.outcomes import Status
from pytest_delta_schema.plan import TablePlanner
from pytest_delta_schema.sql import script, statements
from support.models import column, table
from support.unity import MIXED, lake

FILLERS = [table(column(), name=f"dev.silver.t{number}") for number in range(5)]


@pytest.fixture
def unity(tmp_path):
    with lake(tmp_path) as made:
        made.table("dev.silver.Mixed", team="x")
        yield made


def problem(unity, *models):
    return str(unity.state(*models).problems[models[0].name])


@pytest.mark.parametrize("beside", [[], FILLERS], ids=["alone", "among many"])
def test_a_table_is_found_without_case_noted_and_altered_as_it_is_stored(unity, beside):
    """Few tables are asked for by themselves, many are listed."""
    wanted = table(column(), name="dev.silver.mixed", comment="All")
    state = unity.state(MIXED, *beside)

    plan = TablePlanner().plan([MIXED], state)

    assert state.tables[MIXED.name].exists
    assert plan.is_empty
    assert [str(note) for note in plan.notes] == [
        "dev.silver.mixed: the catalog stores it as dev.silver.Mixed; names match without case",
    ]
    assert [table.exists for name, table in state.tables.items() if name != MIXED.name] == [False] * len(beside)
    altered = TablePlanner().plan([wanted], unity.state(wanted, *beside)).align_tables[0]
    assert script(statements(altered)) == "COMMENT ON TABLE `dev`.`silver`.`Mixed` IS 'All';"


def test_an_apply_creates_nothing_and_synchronises_its_entry(unity):
    done = Orchestrator.over(unity.catalog).sync_tables([MIXED])

    assert done.statements == ()
    assert unity.entry("dev.silver.Mixed")["properties"]["team"] == "x"
    assert [column["name"] for column in unity.entry("dev.silver.Mixed")["columns"]] == ["id"]
    assert unity.calls("POST") == ["/delta/v1/catalogs/dev/schemas/silver/tables/Mixed"]
    assert unity.differences(MIXED.name) == []
    assert list(unity.server.metastore.tables) == ["dev.silver.Mixed"]


def test_views_are_not_listed_as_tables_and_names_in_lower_case(unity):
    unity.table("dev.silver.sales")
    unity.table("dev.silver.mixed")
    unity.catalog.table_names("dev", "silver")
    for kind in ("VIEW", "MATERIALIZED_VIEW", "METRIC_VIEW"):
        unity.entry("dev.silver.sales").update(table_type=kind, data_source_format=None)

        assert unity.catalog.table_names("dev", "silver") == (MIXED.name,)


def test_two_that_differ_by_case_only_are_refused(unity):
    unity.table("dev.silver.mixed")
    unity.table("dev.silver.MIXED")
    text = (
        "dev.silver.mixed: the server has 3 tables whose names differ by case only, dev.silver.MIXED and dev.silver.Mixed and"
        " dev.silver.mixed, and models ignore the case of names; rename or drop all but one [DS502 UnreadableTable]"
    )

    assert problem(unity, MIXED) == text
    with pytest.raises(MetadataSyncError) as caught:
        unity.catalog.sync_entries([MIXED])
    assert str(caught.value) == text
    assert unity.calls("POST") == []


@pytest.mark.parametrize("stored", ["dev.Silver", "DEV.silver"])
def test_schemas_and_catalogs_too(tmp_path, stored):
    with lake(tmp_path) as unity:
        del unity.server.metastore.catalogs["dev"]
        unity.table(f"{stored}.Mixed")
        absent = table(column(), name="dev.silver.absent")

        tables = unity.state(MIXED, absent).tables

        catalog, schema = stored.split(".")
        assert tables[MIXED.name].name.written == QualifiedName(catalog, schema, "Mixed")
        assert (tables[absent.name].exists, tables[absent.name].schema_exists) == (False, True)
        assert tables[absent.name].name.written == QualifiedName(catalog, schema, "absent")
        assert len(unity.catalog.sync_entries([MIXED])) == 1


ELSEWHERE = table(column(), name="dev.s.orders")


TWO = "whose names differ by case only, {}, and models ignore the case of names; rename or drop all but one [DS502 UnreadableTable]"


@pytest.mark.parametrize(
    ("other", "kind", "names"), [("dev.S", "schemas", "S and s"), ("Dev.s", "catalogs", "Dev and dev")]
)
def test_a_table_in_a_schema_that_differs_by_case_is_not_absent(unity, other, kind, names):
    """The schema of the declared spelling is there, and the table is in the other one."""
    catalog = other.partition(".")[0]
    unity.table(f"{other}.orders")
    unity.server.metastore.catalogs.setdefault(catalog, {"name": catalog})
    unity.table("dev.s.there")
    there = table(column(), name="dev.s.there")
    text = f"dev.s.orders: the server has 2 {kind} {TWO.format(names)}"

    assert problem(unity, ELSEWHERE) == text
    with pytest.raises(MetadataSyncError) as raised:
        unity.catalog.sync_entries([ELSEWHERE, there])
    assert text in map(str, raised.value.diagnostics)
    if kind == "schemas":
        assert [done.table for done in raised.value.done] == ["dev.s.there"]


def test_a_name_with_a_dot_is_refused_in_the_plan_and_not_asked_for(unity):
    """The server answers 400 for a full name of four parts (Unity Catalog 0.6.0)."""
    dotted = Table("dev", "silver", "a.b", [Column("id", "bigint")])

    outcome = Gate(unity.catalog, [dotted], settings=Settings()).drift(dotted)

    assert outcome.status is Status.BLOCKED
    assert [fault.message for fault in outcome.diagnostics] == [
        (
            "the unity backend cannot create table: the server takes no name like a.b: names have letters without accents,"
            " digits, `_`, `@` and `-`, and at most 255 characters"
        )
    ]
    assert not any("a.b" in path for path in unity.calls("GET"))
