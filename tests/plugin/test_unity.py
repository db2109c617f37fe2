"""``--delta-backend unity``: the gate without a JVM, the item ``::metadata``, and metadata sync."""

from __future__ import annotations

import json

import pytest

from pytest_delta_schema.engine.declarations import tables_of_file
from pytest_delta_schema.engine.outcomes import Status
from pytest_delta_schema.report.json_report import report_from_json
from support.logs import commit, field, metadata, protocol
from support.unity import lake

MODEL = (
    "orders = table('dev.silver.orders', Column('id', LongType(), is_nullable=False), Column('day', StringType()))\n"
)
FIELDS = (field("id", nullable=False), field("day", "string"))
TOKEN = "dapi-plugin-secret-qzxv"  # noqa: S105 - of nobody


@pytest.fixture
def unity(project, tmp_path, monkeypatch):
    monkeypatch.delenv("UNITY_CATALOG_TOKEN", raising=False)
    with lake(tmp_path / "store") as made:
        project.settings('models = ["models"]', 'backend = "unity"', f'unity_uri = "{made.server.uri}"')
        project.models(MODEL)
        made.table("dev.silver.orders", *FIELDS, team="x")
        yield made


def test_a_stale_entry_fails_the_gate_until_a_sync_has_updated_it(project, unity):
    drift = project.run("--delta-drift", "--snapshot-update", "--delta-report=json:drift.json")
    calls = unity.calls("POST")
    sync = project.run("--delta-sync-metadata", "-rP", "--delta-report=json:sync.json")
    again = project.run("--delta-drift")

    drift.assert_outcomes(passed=3, failed=1)
    drift.stdout.fnmatch_lines(
        [
            "dev.silver.orders: the catalog entry differs from the Delta log, 2 differences: columns, properties.team",
            "  columns          entry none      log 2",
            "  properties.team  entry (absent)  log 'x'",
            "Spark reads the log; clients that only use the catalog see its entry. Synchronise it: pytest --delta-sync-metadata",
            "drift: 1 stale metadata, 0 statements run",
            "  stale metadata  dev.silver.orders: the catalog entry differs from the Delta log, 2 differences: *",
            "to synchronise catalog entries with the logs: pytest --delta-sync-metadata",
        ],
    )
    assert "Starting" not in drift.stdout.str()
    assert calls == []
    sync.assert_outcomes(passed=3)
    sync.stdout.fnmatch_lines(
        [
            f"delta schema: sync-metadata on unity, server {unity.server.uri}",
            "  -- dev.silver.orders: the catalog entry differs from the Delta log, 2 differences: columns, *",
            "sync-metadata: 1 metadata synced, 0 statements run",
        ],
    )
    [[stale], [synced]] = [
        report_from_json(json.loads((project.path / f"{mode}.json").read_text())).tables for mode in ("drift", "sync")
    ]
    assert (stale.status, synced.status) == (Status.STALE, Status.SYNCED)
    assert (synced.mode, synced.backend) == ("sync-metadata", "unity")
    assert [(change.path, change.before, change.after) for change in stale.changes] == [
        ("columns", "none", "2"),
        ("properties.team", "(absent)", "'x'"),
    ]
    assert synced.changes == stale.changes
    assert [(check.check, check.outcome) for check in synced.checks][-1] == ("metadata", "passed")
    again.assert_outcomes(passed=4)
    again.stdout.fnmatch_lines(["drift: 1 in sync, 0 statements run"])


def test_only_an_explicit_sync_deletes_an_entry(project, tmp_path):
    with lake(tmp_path / "old", delta_api=False) as old:
        old.table("dev.silver.orders", *FIELDS)
        project.settings(
            'models = ["models"]',
            'backend = "unity"',
            f'unity_uri = "{old.server.uri}"',
            'sync = ["on-read", "recreate"]',
        )
        project.models(MODEL)

        for mode, deleted in (("--delta-apply", 0), ("--delta-sync-metadata", 1)):
            result = project.run(mode, "--snapshot-update", "-k", "metadata")

            assert len(old.calls("DELETE")) == deleted
            assert result.ret == (pytest.ExitCode.OK if deleted else pytest.ExitCode.TESTS_FAILED)


def test_an_entry_of_a_managed_table_is_written_by_the_catalog_alone(project, unity):
    """The catalog commits to the log."""
    project.accept()
    unity.catalog.sync_entries(tables_of_file(str(project.path / "models.py")).values())
    actions = (protocol("catalogManaged"), metadata(*FIELDS, team="x"))
    commit(unity.folder / "dev" / "silver" / "orders", 0, *actions)
    unity.entry()["table_type"] = "MANAGED"
    unity.server.metastore.latest["dev.silver.orders"] = 1

    newer = project.run("--delta-drift")
    unity.server.metastore.latest["dev.silver.orders"] = 0
    unity.entry()["comment"] = "Lies"
    wrong = project.run("--delta-drift")

    newer.assert_outcomes(passed=4)
    newer.stdout.fnmatch_lines(["  note  *dev.silver.orders: its newest commits are in the catalog only, so its*"])
    wrong.assert_outcomes(passed=3, failed=1)
    wrong.stdout.fnmatch_lines(
        ["*Only the catalog, which commits to this log, may write the entry; a RESTORE *", "drift: 1 blocked, *"]
    )
    assert "--delta-sync-metadata" not in wrong.stdout.str()


def test_a_malformed_entry_is_an_error_in_set_up(project, unity):
    project.accept()
    unity.catalog.sync_entries(tables_of_file(str(project.path / "models.py")).values())
    unity.entry()["columns"][0]["type_json"] = '"geometry"'

    result = project.run("--delta-drift")

    result.assert_outcomes(passed=3, errors=1)
    result.stdout.fnmatch_lines(
        ["  unreadable  dev.silver.orders: its catalog entry has a column id of an unknown type*"]
    )


def test_an_apply_syncs_the_entry_and_a_gate_writes_nothing_whatever_is_configured(project, unity):
    unity.server.read_only.add("dev.silver.orders")
    refused = project.run("--delta-apply", "-k", "apply")
    unity.server.read_only.clear()
    on_read = f'unity_uri = "{unity.server.uri}"\nsync = ["on-read"]'
    project.settings('models = ["models"]', 'backend = "unity"', on_read)
    before = unity.calls("POST")

    project.run("--delta-drift", "--snapshot-update").assert_outcomes(passed=3, failed=1)
    gate = unity.calls("POST")[len(before) :]
    project.settings('models = ["models"]', 'backend = "unity"', on_read.partition("\n")[0])
    applied = project.run("--delta-apply", "-k", "apply")

    assert gate == []
    refused.assert_outcomes(failed=1, deselected=3)
    refused.stdout.fnmatch_lines(["*dev.silver.orders: POST *: 403 PERMISSION_DENIED: Access denied.; *"])
    applied.assert_outcomes(passed=1, deselected=3)
    applied.stdout.fnmatch_lines(["apply: 1 metadata synced, 0 statements run"])
    assert [column["name"] for column in unity.entry()["columns"]] == ["id", "day"]
    assert len(unity.calls("POST")) == len(before) + 1


def test_a_gate_syncs_what_it_reads_if_the_command_line_asks_for_it(project, unity):
    result = project.run("--delta-drift", "--delta-sync-metadata", "--snapshot-update", "-n1")

    result.assert_outcomes(passed=4)
    result.stdout.fnmatch_lines(
        [
            f"delta schema: drift on unity, server {unity.server.uri}; catalog entries of what is read are synchronised *first",
            "drift: 1 in sync, 0 statements run",
        ],
    )
    assert [column["name"] for column in unity.entry()["columns"]] == ["id", "day"]


EVERYTHING = ("-vv", "-rA", "--showlocals", "--junit-xml=junit.xml", "--log-file=log.txt", "--full-trace")
ASKING = """
def test_it(delta_catalog):
    delta_catalog.client.catalog("nowhere")
"""


def everything(project, result):
    """Return all that a run has printed and written."""
    written = [path.read_text("utf-8", errors="replace") for path in project.path.rglob("*") if path.is_file()]
    assert len(written) > 4
    return "\n".join([*written, *result.outlines, *result.errlines]).replace(str(project.path), "")


def test_a_token_lands_nowhere(project, tmp_path, monkeypatch):
    monkeypatch.setenv("LAKE_TOKEN", TOKEN)
    with lake(tmp_path / "store", token=TOKEN, server_token=TOKEN[::-1]) as unity:
        unity.table("dev.silver.orders", *FIELDS)
        project.ini("log_level = DEBUG")
        project.settings(
            'models = ["models"]',
            'backend = "unity"',
            f'unity_uri = "{unity.server.uri}"',
            'unity_token_variable = "LAKE_TOKEN"',
        )
        project.models(MODEL)
        project.pytester.makepyfile(ASKING)

        result = project.run_all("--delta-drift", "--snapshot-update", *EVERYTHING, "-n1")

    result.assert_outcomes(passed=2, failed=1, errors=1, skipped=1)
    shown = everything(project, result)
    assert "ServerError" in shown
    assert TOKEN not in shown
    assert "qzxv" not in shown


def test_an_address_with_secrets_is_shown_without_them(project):
    project.models(MODEL)
    project.pytester.makepyfile(ASKING)
    uri = f"--delta-set=unity_uri=https://{TOKEN}@unity.invalid:1/?key={TOKEN}"

    result = project.run_all("--delta-drift", "--delta-backend=unity", uri, "--snapshot-update", *EVERYTHING)

    result.assert_outcomes(passed=2, skipped=2, errors=1)
    result.stdout.fnmatch_lines(
        [
            "delta schema: drift on unity, server https://[*][*][*]@unity.invalid:1/[?]key=[*][*][*]",
            "*the setting unity_uri has a user or a password in it, at https://unity.invalid:1; keep secrets out of it, *",
        ],
    )
    assert "qzxv" not in everything(project, result)


STORE = """
[[tool.pytest_delta_schema.storage]]
prefix = "s3://lake"
endpoint = "http://127.0.0.1:9000"
access_key_variable = "LAKE_KEY"
"""


def test_stores_are_settings_of_spark_as_well(project, monkeypatch):
    monkeypatch.setenv("LAKE_KEY", "k")
    project.settings(STORE)
    project.pytester.makepyfile(
        """
        def test_it(delta_spark_conf):
            assert delta_spark_conf["spark.hadoop.fs.s3a.bucket.lake.endpoint"] == "http://127.0.0.1:9000"
            assert delta_spark_conf["spark.hadoop.fs.s3a.bucket.lake.access.key"] == "k"
        """,
    )

    project.run().assert_outcomes(passed=1)
