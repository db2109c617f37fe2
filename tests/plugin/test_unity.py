"""``--delta-backend unity``: the gate without a JVM, the item ``::metadata``, and metadata sync."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from pytest_delta_schema.engine.outcomes import Status
from pytest_delta_schema.report.json_report import report_from_json
from support.logs import commit, field, metadata, protocol
from support.runs import ci_commands
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


def test_the_gate_reports_a_stale_catalog_entry(project, unity):
    result = project.run("--delta-drift", "--snapshot-update")

    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(
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
    assert "Starting" not in result.stdout.str()
    assert unity.calls("POST") == []


def test_a_sync_updates_the_entry_and_the_gate_passes(project, unity):
    result = project.run("--delta-sync-metadata", "--snapshot-update", "-rP")

    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines(
        [
            f"delta schema: sync-metadata on unity, server {unity.server.uri}",
            "  -- dev.silver.orders: the catalog entry differs from the Delta log, 2 differences: columns, *",
            "sync-metadata: 1 metadata synced, 0 statements run",
        ],
    )
    result = project.run("--delta-drift")
    result.assert_outcomes(passed=4)
    result.stdout.fnmatch_lines(["drift: 1 in sync, 0 statements run"])
    result = project.run("--delta-sync-metadata")
    result.stdout.fnmatch_lines(["sync-metadata: 1 in sync, 0 statements run"])


HOSTILE = "a ##[add-mask]b ##vso[task.complete]c\n::error::d\x1b[2K\u202e"


@pytest.mark.parametrize("mode", ["--delta-drift", "--delta-sync-metadata"])
def test_texts_of_an_entry_are_no_commands(project, unity, mode):
    unity.table("dev.silver.odd", field("id"), field("n", comment=HOSTILE), team=HOSTILE)
    project.models("odd = table('dev.silver.odd', Column('id', LongType()), evolution='additive')\n")

    result = project.run(mode, "--snapshot-update", "-vv", "-rA", "--junitxml=report.xml")

    output = result.stdout.str()
    assert r"a ##\[add-mask]b ##vso\[task.complete]c\n::error::d\x1b[2K\u202e" in output
    assert ci_commands(output) == []
    assert ci_commands((project.path / "report.xml").read_text("utf-8")) == []


@pytest.mark.usefixtures("unity")
def test_reports_have_stale_entries_and_syncs(project):
    project.run("--snapshot-update")
    reports = []
    for mode in ("drift", "sync-metadata"):
        project.run(f"--delta-{mode}", f"--delta-report=json:{mode}.json")
        reports.append(report_from_json(json.loads((project.path / f"{mode}.json").read_text())))

    [[stale], [synced]] = [report.tables for report in reports]
    assert (stale.status, synced.status, synced.mode, synced.backend) == (
        Status.STALE,
        Status.SYNCED,
        "sync-metadata",
        "unity",
    )
    assert [(change.path, change.before, change.after) for change in stale.changes] == [
        ("columns", "none", "2"),
        ("properties.team", "(absent)", "'x'"),
    ]
    assert synced.changes == stale.changes
    assert [(check.check, check.outcome) for check in synced.checks][-1] == ("metadata", "passed")


def test_a_report_names_no_server_and_no_token(project, monkeypatch):
    monkeypatch.setenv("UNITY_CATALOG_TOKEN", TOKEN)
    project.settings('models = ["models"]', 'backend = "unity"', 'unity_uri = "http://127.0.0.1:1"')
    project.models(MODEL)

    project.run("--delta-drift", "--delta-report=json")

    text = (project.path / "delta-report.json").read_text()
    report = report_from_json(json.loads(text))
    assert [table.status for table in report.tables] == [Status.UNREADABLE]
    assert len(report.faults) == 1
    assert "<server>" in text
    assert TOKEN not in text
    assert "127.0.0.1" not in text


@pytest.mark.parametrize("mode", ["--delta-sync-metadata", "--delta-drift"])
def test_what_the_server_cannot_store_is_a_note(project, unity, mode):
    unity.table("dev.silver.odd", field("id"), field("v", "void"), team="x" * 256)
    project.models("odd = table('dev.silver.odd', Column('id', LongType()), evolution='additive')\n")
    project.run("--delta-sync-metadata", "--snapshot-update")

    result = project.run(mode)

    result.assert_outcomes(passed=3 + (mode == "--delta-drift"))
    result.stdout.fnmatch_lines(
        [
            "  note  *dev.silver.odd: the catalog cannot store column v (void), property team (a value of 256 characters),*",
        ],
    )


def test_an_apply_syncs_entries_also_where_nothing_else_changes(project, unity):
    result = project.run("--delta-apply", "--snapshot-update")

    result.assert_outcomes(passed=4)
    result.stdout.fnmatch_lines(["apply: 1 metadata synced, 0 statements run"])
    assert [column["name"] for column in unity.entry()["columns"]] == ["id", "day"]


@pytest.mark.parametrize(
    ("mode", "deleted"),
    [("--delta-apply", 0), ("--delta-drift", 0), ("--delta-sync-metadata", 1)],
)
def test_only_an_explicit_sync_deletes_an_entry(project, tmp_path, mode, deleted):
    with lake(tmp_path / "old", delta_api=False) as old:
        old.table("dev.silver.orders", *FIELDS)
        project.settings(
            'models = ["models"]',
            'backend = "unity"',
            f'unity_uri = "{old.server.uri}"',
            'sync = ["on-read", "recreate"]',
        )
        project.models(MODEL)

        result = project.run(mode, "--snapshot-update", "-k", "metadata")

        assert len(old.calls("DELETE")) == deleted
        assert result.ret == (pytest.ExitCode.OK if deleted else pytest.ExitCode.TESTS_FAILED)


def test_an_apply_without_the_session_of_the_server_changes_nothing(project, unity):
    project.models(MODEL.replace("StringType())", "StringType()), Column('extra', LongType())"))
    project.pytester.makeconftest(
        """
        import pytest

        class Conf:
            def get(self, key, default=None):
                return default

        class Session:
            conf, _jvm, sql = Conf(), None, None

        @pytest.fixture(scope="session")
        def delta_spark():
            return Session()
        """,
    )

    result = project.run("--delta-apply", "--snapshot-update", "-k", "apply")

    result.assert_outcomes(failed=1, deselected=3)
    result.stdout.fnmatch_lines(
        [
            f"*the Spark session's catalog dev is not the one at {unity.server.uri} (spark.sql.catalog.dev.uri is not set)*",
        ],
    )


@pytest.mark.usefixtures("unity")
@pytest.mark.parametrize("is_level", [True, False])
def test_drift_names_which_of_model_log_and_entry_differs(project, is_level):
    project.models(MODEL.replace("StringType", "LongType"))
    if is_level:
        project.run("--delta-sync-metadata", "--snapshot-update")

    result = project.run("--delta-drift", "--snapshot-update")

    note = (
        "; the catalog entry equals the log"
        if is_level
        else (", and the catalog entry differs from the log in 2 points: see dev.silver.orders::metadata")
    )
    result.assert_outcomes(passed=2 + is_level, failed=2 - is_level)
    result.stdout.fnmatch_lines([f"  note: the model and the Delta log differ{note}"])


@pytest.mark.usefixtures("unity")
def test_an_entry_alone_can_be_selected(project):
    project.run("--snapshot-update")

    result = project.run("--delta-drift", "-m", "delta_metadata")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["FAILED models.py::dev.silver.orders::metadata - *"])


def managed(unity):
    """Let the catalog commit to the log."""
    actions = (protocol("catalogManaged"), metadata(*FIELDS, team="x"))
    commit(unity.folder / "dev" / "silver" / "orders", 0, *actions)
    unity.entry()["table_type"] = "MANAGED"
    unity.server.metastore.latest["dev.silver.orders"] = 0


def test_a_managed_entry_that_is_not_compared_is_noted(project, unity):
    project.run("--delta-sync-metadata", "--snapshot-update")
    managed(unity)
    unity.server.metastore.latest["dev.silver.orders"] = 1

    result = project.run("--delta-drift")

    result.assert_outcomes(passed=4)
    result.stdout.fnmatch_lines(["  note  *dev.silver.orders: its newest commits are in the catalog only, so its*"])


def test_a_wrong_managed_entry_is_reported_with_another_remedy(project, unity):
    project.run("--delta-sync-metadata", "--snapshot-update")
    managed(unity)
    unity.entry()["comment"] = "Lies"

    result = project.run("--delta-drift")

    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(
        [
            "*Only the catalog, which commits to this log, may write the entry; a RESTORE *",
            "drift: 1 blocked, *",
        ],
    )
    assert "--delta-sync-metadata" not in result.stdout.str()


@pytest.mark.usefixtures("unity")
def test_a_table_that_is_not_there_has_no_stale_entry(project):
    project.models(MODEL.replace("dev.silver.orders", "dev.silver.nope"))

    result = project.run("--delta-drift", "--snapshot-update")

    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(["dev.silver.nope does not exist in the catalog"])


def test_an_entry_that_is_malformed_is_an_error_in_set_up(project, unity):
    project.run("--delta-sync-metadata", "--snapshot-update")
    unity.entry()["columns"][0]["type_json"] = '"geometry"'

    result = project.run("--delta-drift")

    result.assert_outcomes(passed=3, errors=1)
    result.stdout.fnmatch_lines(
        ["  unreadable  dev.silver.orders: its catalog entry has a column id of an unknown type*"],
    )


def test_a_server_that_ends_is_an_error_in_set_up(project, unity):
    unity.server.__exit__()

    result = project.run("--delta-drift", "--snapshot-update")

    result.assert_outcomes(passed=2, errors=1, skipped=1)
    result.stdout.fnmatch_lines([f"the server at {unity.server.uri} cannot be reached*"])
    unity.server.__enter__()


def test_a_gate_writes_nothing_whatever_is_configured(project, unity):
    project.settings(
        'models = ["models"]', 'backend = "unity"', f'unity_uri = "{unity.server.uri}"', 'sync = ["on-read"]'
    )

    project.run("--delta-drift", "--snapshot-update").assert_outcomes(passed=3, failed=1)
    assert unity.calls("POST") == []

    project.run("--delta-apply", "-k", "apply").assert_outcomes(passed=1, deselected=3)
    assert len(unity.calls("POST")) == 1


def test_a_gate_syncs_what_it_reads_if_the_command_line_asks_for_it(project, unity, workers):
    result = project.run("--delta-drift", "--delta-sync-metadata", "--snapshot-update", *workers)

    result.assert_outcomes(passed=4)
    result.stdout.fnmatch_lines(
        [
            f"delta schema: drift on unity, server {unity.server.uri}; catalog entries of what is read are synchronised *first",
            "drift: 1 in sync, 0 statements run",
        ],
    )
    assert [column["name"] for column in unity.entry()["columns"]] == ["id", "day"]


def test_an_apply_item_alone_synchronises_the_entry(project, unity):
    result = project.run("--delta-apply", "--snapshot-update", "-k", "apply")

    result.assert_outcomes(passed=1, deselected=3)
    result.stdout.fnmatch_lines(["apply: 1 metadata synced, 0 statements run"])
    assert [column["name"] for column in unity.entry()["columns"]] == ["id", "day"]


@pytest.mark.parametrize("mode", ["--delta-drift", "--delta-apply"])
def test_a_table_that_is_stored_in_another_case_is_one_and_the_same(project, unity, mode):
    unity.table("dev.silver.Mixed", *FIELDS)
    project.models(MODEL.replace("dev.silver.orders", "dev.silver.mixed"))
    project.run("--delta-sync-metadata", "--snapshot-update").assert_outcomes(passed=3)

    result = project.run(mode)

    result.assert_outcomes(passed=4)
    result.stdout.fnmatch_lines(
        ["  note  *dev.silver.mixed: the catalog stores it as dev.silver.Mixed; names match without case"],
    )
    assert sorted(unity.server.metastore.tables) == ["dev.silver.Mixed", "dev.silver.orders"]


def test_an_entry_that_cannot_be_synchronised_fails_the_apply_item(project, unity):
    unity.server.read_only.add("dev.silver.orders")

    result = project.run("--delta-apply", "--snapshot-update", "-k", "apply")

    result.assert_outcomes(failed=1, deselected=3)
    result.stdout.fnmatch_lines(["*dev.silver.orders: POST *: 403 PERMISSION_DENIED: Access denied.; *"])


@pytest.mark.parametrize(
    ("settings", "args", "text"),
    [
        ((), ("--delta-drift",), "the unity backend needs the address of its server; set unity_uri = *"),
        (("unity_uri = 'nowhere'",), ("--delta-drift",), None),
        (
            ("unity_uri = 'http://x'",),
            ("--delta-apply", "--delta-sync-metadata"),
            "--delta-drift only compares, *; give one of them, or --delta-drift --delta-sync-metadata to *",
        ),
        (
            (),
            ("--delta-drift", "--delta-sync-metadata", "--delta-backend=memory"),
            "--delta-sync-metadata needs catalog entries, and the backend memory keeps none",
        ),
        (
            (),
            ("--delta-sync-metadata", "--delta-backend=memory"),
            "--delta-sync-metadata needs catalog entries, and the backend memory keeps none",
        ),
    ],
)
def test_what_can_never_be_meant(project, settings, args, text):
    project.settings('models = ["models"]', 'backend = "unity"', *settings)
    project.models(MODEL)

    result = project.run(*args, "--snapshot-update")

    if text is None:
        result.assert_outcomes(passed=2, skipped=1, errors=1)
        result.stdout.fnmatch_lines(["*the setting unity_uri is 'nowhere', which is not an address*"])
    else:
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        result.stderr.fnmatch_lines([f"ERROR: {text}"])


STORE = """
[[tool.pytest_delta_schema.storage]]
prefix = "s3://lake"
endpoint = "http://127.0.0.1:9000"
region = "eu-central-1"
path_style = true
access_key_variable = "LAKE_KEY"
secret_key_variable = "LAKE_SECRET"
"""


def test_stores_are_settings_of_spark_as_well(project, monkeypatch):
    monkeypatch.setenv("LAKE_KEY", "k")
    project.models(MODEL)
    project.settings('models = ["models"]', STORE)
    project.pytester.makepyfile(
        """
        def test_it(delta_spark_conf):
            told = {key.rpartition("bucket.")[2]: value for key, value in delta_spark_conf.items() if "s3a" in key}
            assert told == {
                "lake.path.style.access": "true",
                "lake.endpoint": "http://127.0.0.1:9000",
                "lake.connection.ssl.enabled": "false",
                "lake.endpoint.region": "eu-central-1",
                "lake.access.key": "k",
            }
        """,
    )

    project.run("-k", "test_it").assert_outcomes(passed=1, deselected=2)


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        ('endpoint = "x"', "storage entry 1 has no prefix; write the location: prefix = 's3://bucket/folder'"),
        ('prefix = "s3://x"\npath_style = "yes"', "storage entry 1: path_style is 'yes'; write true or false"),
        (
            'prefix = "s3://x"\nsecret = "y"',
            "storage entry 1 has the unknown key 'secret'; remove it; keys are prefix, endpoint, region, *",
        ),
    ],
)
def test_stores_that_cannot_be_meant(project, lines, text):
    project.path.joinpath("pyproject.toml").write_text(f"[[tool.pytest_delta_schema.storage]]\n{lines}\n")

    result = project.run()

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: pyproject.toml: [[]tool.pytest_delta_schema[]]: {text}"])


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


@pytest.mark.parametrize(
    ("given", "passes", "workers"),
    [
        (TOKEN, True, ()),
        (f" {TOKEN}\n", True, ("-n1",)),
        (TOKEN, False, ()),
        (f"{TOKEN}\n", False, ("-n1",)),
    ],
)
def test_a_token_lands_nowhere(project, tmp_path, monkeypatch, given, passes, workers):
    monkeypatch.setenv("LAKE_TOKEN", given)
    with lake(tmp_path / "store", token=TOKEN, server_token=TOKEN if passes else "another-one") as unity:
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

        result = project.run_all("--delta-drift", "--snapshot-update", *EVERYTHING, *workers)

    refused = {"passed": 2, "failed": 1, "errors": 1, "skipped": 1}
    result.assert_outcomes(**({"passed": 3, "failed": 2} if passes else refused))
    shown = everything(project, result)
    assert "ServerError" in shown
    assert TOKEN not in shown
    assert "qzxv" not in shown


@pytest.mark.usefixtures("unity")
@pytest.mark.parametrize(
    ("given", "text"),
    [
        (
            "dapi-Schl\u00fcssel-qzxv",
            "the token of the Unity Catalog server has characters that no HTTP header can hold",
        ),
        ("dapqzxv", "the token of the Unity Catalog server has 7 characters"),
    ],
)
def test_a_token_that_cannot_be_used_is_not_shown(project, monkeypatch, given, text):
    monkeypatch.setenv("UNITY_CATALOG_TOKEN", given)
    project.pytester.makepyfile(ASKING)

    result = project.run_all("--delta-drift", "--snapshot-update", *EVERYTHING)

    result.assert_outcomes(passed=2, skipped=2, errors=1)
    shown = everything(project, result)
    assert text in shown
    assert "Schl" not in shown
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


def test_a_proxy_with_a_password_is_shown_without_it(project, monkeypatch):
    monkeypatch.setenv("HTTPS_PROXY", "http://me:hunter-qzxv@127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    project.models(MODEL)
    project.pytester.makepyfile(ASKING)
    uri = "--delta-set=unity_uri=https://unity.invalid"

    result = project.run_all("--delta-drift", "--delta-backend=unity", uri, "--snapshot-update", *EVERYTHING)

    result.assert_outcomes(passed=2, failed=1, errors=1, skipped=1)
    result.stdout.fnmatch_lines(
        ["*cannot be reached through the proxy http://[*][*][*]@127.0.0.1:9 of the environment*"],
    )
    assert "qzxv" not in everything(project, result)


@pytest.mark.parametrize(
    ("mode", "failed", "skipped"),
    [
        ("--delta-drift", {"errors": 1}, 3),
        ("--delta-apply", {"errors": 1}, 3),
        ("--delta-sync-metadata", {"failed": 1}, 1),
    ],
)
def test_a_server_that_cannot_be_reached_is_reported_once(project, mode, failed, skipped):
    project.settings('models = ["models"]', 'backend = "unity"', 'unity_uri = "http://127.0.0.1:9"')
    project.models("".join(f"t{i} = table('dev.silver.t{i}', Column('id', LongType()))\n" for i in range(2)))

    result = project.run(mode, "--snapshot-update", "-rs")

    result.assert_outcomes(passed=4, skipped=skipped, **failed)
    reason = (
        "the server at http://127.0.0.1:9 cannot be reached (*); check that it is running, and the setting unity_uri"
    )
    result.stdout.fnmatch_lines(
        [
            reason,
            f"  *  {reason}",
            "SKIPPED [[]*[]] *: not checked, because the catalog is not available; the first error of this run says why",
        ],
    )
    assert sum("dev.silver.t" in line for line in result.outlines if "cannot be reached" in line) <= 1


class Page(BaseHTTPRequestHandler):
    """Answers every call with a web page, as the user interface of a server does, or a proxy before it."""

    status = 200

    def answer(self):
        body = b"<!doctype html><html><title>Unity Catalog</title></html>"
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(self.status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = do_DELETE = answer  # noqa: N815 - names of the base class

    def log_message(self, *_):
        pass


class LostPage(Page):
    status = 404


@pytest.mark.parametrize("page", [Page, LostPage])
@pytest.mark.parametrize(
    ("mode", "failed", "skipped"),
    [
        ("--delta-drift", {"errors": 1}, 39),
        ("--delta-apply", {"errors": 1}, 39),
        ("--delta-sync-metadata", {"failed": 1}, 19),
    ],
    ids=["drift", "apply", "sync"],
)
def test_a_web_page_in_place_of_a_server_is_reported_once(project, page, mode, failed, skipped):
    project.models("".join(f"t{i} = table('dev.silver.t{i}', Column('id', LongType()))\n" for i in range(20)))
    with ThreadingHTTPServer(("127.0.0.1", 0), page) as server:
        Thread(target=server.serve_forever).start()
        uri = f"http://127.0.0.1:{server.server_port}"
        project.settings('models = ["models"]', 'backend = "unity"', f'unity_uri = "{uri}"')

        result = project.run(mode, "-k", "not rules and not ddl")

        server.shutdown()
    result.assert_outcomes(skipped=skipped, deselected=40, **failed)
    fact = f"the server at {uri} answers {page.status} with a web page, so it is not Unity Catalog"
    reason = f"{fact}; give the setting unity_uri the address of the server itself, not that of its user interface"
    assert [line.strip() for line in result.outlines if fact in line] == [reason, f"unreadable  {reason}"]


UNAUTHENTICATED = "put a valid one into the environment variable that the setting unity_token_variable names"


@pytest.mark.parametrize(
    ("token", "fact"),
    [("another-one", "refuses the token"), ("", "wants a token")],
    ids=["wrong", "missing"],
)
@pytest.mark.parametrize(
    ("mode", "workers"),
    [("--delta-drift", ("-n2",)), ("--delta-apply", ())],
    ids=["xdist", "serial"],
)
def test_a_token_that_the_server_refuses_is_reported_once(project, tmp_path, monkeypatch, token, fact, mode, workers):
    monkeypatch.setenv("UNITY_CATALOG_TOKEN", token)
    project.models("".join(f"t{i} = table('dev.silver.t{i}', Column('id', LongType()))\n" for i in range(20)))
    with lake(tmp_path / "store", server_token=TOKEN) as unity:
        project.settings('models = ["models"]', 'backend = "unity"', f'unity_uri = "{unity.server.uri}"')

        result = project.run(mode, "--snapshot-update", "-k", "not rules and not ddl", *workers)

    result.assert_outcomes(errors=1, skipped=39, deselected=0 if workers else 40)
    shown = (token and "Bearer ***") or "None"
    answer = f"401 UNAUTHENTICATED: invalid credentials: {shown}"
    reason = f"the server at {unity.server.uri} {fact} ({answer}); {UNAUTHENTICATED}"
    assert [line.strip() for line in result.outlines if fact in line] == [reason, f"unreadable  {reason}"]
    (summary,) = [line for line in result.outlines if line.startswith("ERROR models.py")]
    assert summary.count("dev.silver.t") == 1


@pytest.mark.usefixtures("unity")
def test_the_states_of_tables_are_released_before_pytest_ends(project):
    project.pytester.makeconftest(
        "from pytest_delta_schema.plugin.registration import RUN\n"
        "def pytest_sessionfinish(session):\n"
        "    print('catalogs while reports are written:', len(session.config.stash[RUN].catalogs()))\n"
        "def pytest_unconfigure(config):\n"
        "    print('catalogs at the end:', len(config.stash[RUN].catalogs()))\n",
    )
    result = project.run("--delta-drift", "-s")
    result.stdout.fnmatch_lines(["*catalogs while reports are written: 1", "*catalogs at the end: 0"])
