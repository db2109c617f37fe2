"""``--delta-sync-metadata``: the entries of all selected tables are synchronised at once, and each item reports its own."""

from __future__ import annotations

from collections import Counter

import pytest

from support.logs import field
from support.unity import lake

TABLES = 120
MODELS = "\n".join(f"t{n} = table('dev.silver.t{n}', Column('id', LongType()))" for n in range(TABLES))


@pytest.fixture
def unity(project, tmp_path, monkeypatch):
    monkeypatch.delenv("UNITY_CATALOG_TOKEN", raising=False)
    with lake(tmp_path / "store") as made:
        project.ini("delta_models = models", "delta_backend = unity", f"delta_unity_uri = {made.server.uri}")
        project.models(MODELS)
        for number in range(TABLES):
            made.table(f"dev.silver.t{number}", field("id"))
        made.server.metastore.look()
        yield made


@pytest.fixture(params=[(), ("-n2",)], ids=["serial", "xdist"])
def workers(request):
    return request.param


def synced(unity):
    return sorted(name for name, info in unity.server.metastore.tables.items() if info["columns"])


def calls(unity):
    """Count calls by their method and the kind of their path."""
    kinds = {"/tables": "listing", "/delta/v1/config": "config"}
    return Counter(
        f"{method} {kinds.get(path, 'delta' if path.startswith('/delta') else 'entry')}"
        for method, path in unity.server.calls
    )


def test_a_schema_is_listed_once_and_the_calls_are_linear(project, unity, workers):
    marked = ("--delta-sync-metadata", "-m", "delta_metadata", *workers)

    result = project.run(*marked)

    result.assert_outcomes(passed=TABLES)
    result.stdout.fnmatch_lines([f"sync-metadata: {TABLES} metadata synced, 0 statements run"])
    expected = {"GET listing": 2, "GET delta": TABLES, "GET entry": 2 * TABLES, "POST delta": TABLES, "GET config": 1}
    assert calls(unity) == expected

    unity.server.calls.clear()
    result = project.run(*marked)

    result.stdout.fnmatch_lines([f"sync-metadata: {TABLES} in sync, 0 statements run"])
    assert calls(unity) == {"GET listing": 2, "GET delta": TABLES, "GET entry": TABLES, "GET config": 1}


def test_only_the_selected_entries_are_written(project, unity):
    project.run("--delta-sync-metadata", "-k", "t11 and metadata")

    assert synced(unity) == ["dev.silver.t11", *(f"dev.silver.t11{n}" for n in range(10))]


def test_a_run_that_stops_early_names_what_it_has_written(project, unity):
    unity.entry("dev.silver.t0")["properties"]["delta.lastUpdateVersion"] = "7"

    result = project.run("--delta-sync-metadata", "-x", "-k", "metadata and (t0 or t117 or t118)")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "sync-metadata: 2 metadata synced, 1 failed, 0 statements run",
            "  failed * dev.silver.t0: *",
            "  synced      before their checks, which did not run: dev.silver.t117, dev.silver.t118",
        ]
    )
    assert synced(unity) == ["dev.silver.t117", "dev.silver.t118"]


def test_an_entry_that_fails_leaves_the_others(project, unity, workers):
    unity.entry("dev.silver.t0")["properties"]["delta.lastUpdateVersion"] = "7"
    unity.server.metastore.tables.pop("dev.silver.t1")
    unity.server.metastore._forgotten.add("dev.silver.t1")
    unity.entry("dev.silver.t2")["table_type"] = "VIEW"
    unity.entry("dev.silver.t3")["data_source_format"] = "CSV"

    result = project.run("--delta-sync-metadata", "-m", "delta_metadata", *workers)

    result.assert_outcomes(passed=TABLES - 4, failed=4)
    result.stdout.fnmatch_lines(
        [
            f"sync-metadata: {TABLES - 4} metadata synced, 4 failed, 0 statements run",
            "  failed      dev.silver.t0: its catalog entry shows version 7, *",
            "  failed      dev.silver.t1: it does not exist on the server, so it has no entry; create it with *",
            "  failed      dev.silver.t2: is a view, not a table; drop the view, *",
            "  failed      dev.silver.t3: is a csv table, not a Delta table; convert it by CONVERT TO DELTA if *",
        ]
    )
