"""Failures of a Unity Catalog server and its logs: each names catalog, table and cause; other tables are not affected."""

from __future__ import annotations

import io
import logging
import time
import traceback
from contextlib import closing, suppress

import pytest

from pytest_delta_schema import DeltaSchemaError, UnityCatalog
from pytest_delta_schema.backends.secret import Secret
from pytest_delta_schema.backends.unity import UnityClient
from pytest_delta_schema.diagnostics.errors import BackendUnavailableError, MetadataSyncError
from pytest_delta_schema.state import ColumnState
from pytest_delta_schema.testing.unity import SimulatedFault
from pytest_delta_schema.testing.unity_tables import stored_field
from support.models import NAME, column, table
from support.unity import MODEL, OTHER, lake, own_port

TOKEN = "dapi-0123456789-secret"  # noqa: S105 - of nobody


ORDERS = "GET /tables/dev.silver.orders on {uri}"


@pytest.fixture(autouse=True)
def _impatient(monkeypatch):
    monkeypatch.setattr("pytest_delta_schema.backends.unity.connection._PAUSE", 0.001)


@pytest.fixture
def unity(tmp_path):
    with lake(tmp_path) as made:
        made.table()
        made.table("dev.silver.other")
        yield made


def expect(unity, text, fault="DS502 UnreadableTable"):
    """One table is a problem, with catalog, table and cause in one line; the other one is read."""
    state = unity.state(MODEL, OTHER)
    problem = str(state.problems[NAME])
    assert problem == f"dev.silver.orders: {text.format(uri=unity.server.uri)} [{fault}]"
    assert state.tables[OTHER.name].exists


FAULTS = [
    (
        SimulatedFault(path="orders$", status=401),
        (
            "the server at {uri} wants a token (401 INTERNAL: told to fail); put a valid one into the environment variable"
            " that the setting unity_token_variable names"
        ),
    ),
    (
        SimulatedFault(path="orders$", status=403),
        f"{ORDERS}: 403 INTERNAL: told to fail; give the principal of the token the permission",
    ),
    (SimulatedFault(path="orders$", status=500), f"{ORDERS}: 500 INTERNAL: told to fail; look into the server's log"),
    (
        SimulatedFault(path="orders$", status=502, text="<html>Bad gateway</html>"),
        f"{ORDERS}: 502 : Bad Gateway; look into the server's log",
    ),
]


def test_errors_of_the_server_are_of_one_table(unity):
    for fault, text in FAULTS:
        unity.server.faults[:] = [fault]

        expect(unity, text, "DS501 UnreachableCatalog" if fault.status == 401 else "DS502 UnreadableTable")


def test_reads_are_tried_again_a_few_times(unity, monkeypatch):
    unity.server.faults.append(SimulatedFault(path="orders$", status=503))

    unity.state(MODEL, OTHER)
    assert unity.calls("GET").count("/tables/dev.silver.orders") == 3

    monkeypatch.setattr(time, "sleep", lambda _: unity.server.faults.clear())
    assert unity.state().tables[NAME].exists


def test_a_server_that_hangs_is_not_waited_for_by_every_table(unity):
    unity.catalog.client._calls.timeout = 0.3
    unity.server.faults.append(SimulatedFault(path="/tables", status=200, seconds=1))
    models = [MODEL, OTHER, *(table(column(), name=f"dev.silver.t{number}") for number in range(40))]

    state = unity.state(*models)

    assert len(state.problems) == 42
    assert {str(problem).partition(": ")[2] for problem in state.problems.values()} == {
        (
            f"the server at {unity.server.uri} did not answer within 0.3 s; check that it is running"
            " [DS501 UnreachableCatalog]"
        ),
    }
    assert unity.calls("GET") == ["/tables"]


ADDRESSES = [
    ("unity.example.com", "is 'unity.example.com', which is not an address; write it as in https://unity.example.com"),
    ("http://host:99999", "is 'http://host:99999', which is not an address (Port out of range 0-65535)"),
    (
        "https://me:hunter2@unity.example.com:8443/x",
        "has a user or a password in it, at https://unity.example.com:8443; keep secrets out of it, and give a token",
    ),
]


def test_addresses_that_are_none_and_one_with_the_root_of_the_api(unity):
    for uri, text in ADDRESSES:
        with pytest.raises(BackendUnavailableError) as caught:
            UnityClient(uri)

        assert text in str(caught.value)
        assert "hunter2" not in str(caught.value)
    with closing(UnityClient(f"{unity.server.uri}/api/2.1/unity-catalog/")) as client:
        assert client.catalog("dev") == {"name": "dev"}
    with closing(UnityClient(f"http://127.0.0.1:{own_port()}", timeout=1)) as client:
        assert str(UnityCatalog(client).snapshot([MODEL]).problems[NAME]) == (
            f"dev.silver.orders: the server at {client.uri} cannot be reached ([Errno 111] Connection refused); check that it"
            " is running, and the setting unity_uri [DS501 UnreachableCatalog]"
        )


def test_an_entry_without_a_location(unity):
    unity.state()
    unity.server.metastore._store = None
    unity.entry()["storage_location"] = None

    expect(unity, "its catalog entry names no location; register it again with one")


NOT_DELTA = (
    "is a parquet table, not a Delta table; convert it by CONVERT TO DELTA if it is parquet, or declare the table under"
    " another name [DS505 NotDeltaTable]"
)
VIEW = "is a view, not a table; drop the view, or declare the table under another name [DS504 ViewInPlaceOfTable]"


def test_what_is_no_delta_table_and_has_no_readable_columns(unity):
    unity.state()
    for edit, text in (
        ({"data_source_format": "PARQUET"}, NOT_DELTA),
        ({"table_type": "METRIC_VIEW", "data_source_format": None}, VIEW),
        ({"table_type": "VIEW"}, VIEW),
    ):
        unity.entry().update(edit)

        assert str(unity.state(MODEL, OTHER).problems[NAME]) == f"dev.silver.orders: {text}"
        with pytest.raises(MetadataSyncError) as caught:
            unity.catalog.sync_entries([MODEL])
        assert str(caught.value) == f"dev.silver.orders: {text}"


def test_the_columns_of_what_is_no_delta_table_are_read(unity):
    unity.state()
    shown = stored_field({"name": "id", "type": "long", "nullable": True, "metadata": {"comment": "Key"}}, 0)
    for kind, data_format, text in (("VIEW", None, "view"), ("EXTERNAL", "CSV", "csv table")):
        unity.entry().update(table_type=kind, data_source_format=data_format, columns=[shown], comment="Ours")

        state = unity.state(MODEL, OTHER)

        assert state.problems[NAME].message.startswith(f"is a {text}, not a")
        assert (state.others[NAME].kind, state.others[NAME].table_comment) == (text, "Ours")
        assert state.others[NAME].columns == (ColumnState("id", "bigint", True, "Key"),)
        assert (unity.catalog.view_names("dev", "silver") == (NAME,)) is (kind == "VIEW")


def test_expired_credentials(unity):
    unity.state()
    unity.server.metastore._store = None
    unity.entry()["storage_location"] = "s3://lake/orders"
    unity.server.credentials = {"aws_temp_credentials": {"access_key_id": "AKIA"}, "expiration_time": 1}

    expect(
        unity,
        "the credentials that the server gives for its files have expired; see the server's clock and its keys",
    )


class TestPermissionAndAbsence:
    """Who sees nothing must never plan to create what is there."""

    def test_a_table_that_may_not_be_seen_is_not_absent(self, unity):
        others = [table(column(), name=f"dev.silver.t{number}") for number in range(5)]
        unity.state()
        unity.server.hidden.add("dev.silver.orders")

        expect(
            unity,
            f"{ORDERS}: 403 PERMISSION_DENIED: Access denied.; give the principal of the token the permission",
        )
        # A listing omits it, so it is requested by itself.
        state = unity.state(MODEL, OTHER, *others)
        assert "403 PERMISSION_DENIED" in str(state.problems[NAME])
        assert [state.tables[model.name].exists for model in others] == [False] * 5

    def test_a_schema_that_may_not_be_seen_hides_whether_tables_are_absent(self, unity):
        unity.state()
        nope = table(column(), name="dev.silver.nope")
        unity.server.faults.append(SimulatedFault(path="/schemas/dev.silver$", status=403))

        problem = unity.state(nope).problems[nope.name]

        assert str(problem) == (
            "dev.silver.nope: is not found, and it is not known whether it exists: GET /schemas/dev.silver on"
            f" {unity.server.uri}: 403 INTERNAL: told to fail; give the principal of the token the permission"
            " [DS502 UnreadableTable]"
        )

    def test_a_catalog_that_is_not_shown_is_no_absent_schema(self, unity):
        nope = table(column(), name="prod.silver.orders")

        assert str(unity.state(nope).problems[nope.name]) == (
            "prod.silver.orders: the server shows no catalog prod; create it, which no apply does, or give the"
            " principal permission to use it [DS502 UnreadableTable]"
        )


@pytest.mark.parametrize(("number", "calls"), [(3, 4), (4, 1), (100, 2)])
def test_calls_grow_with_schemas_and_pages_not_with_tables(tmp_path, number, calls):
    """Behind a full page comes another, if an empty one."""
    with lake(tmp_path) as unity:
        models = [table(column(), name=f"dev.silver.t{index}") for index in range(number)]
        for model in models:
            unity.table(model.qualified_name)
        unity.catalog.sync_entries(models)
        unity.server.calls.clear()

        state = unity.state(*models)

        assert [table.exists for table in state.tables.values()] == [True] * number
        assert len(unity.server.calls) == calls


def test_without_a_session_nothing_is_changed(unity):
    with pytest.raises(BackendUnavailableError) as caught:
        unity.catalog.create_schema("dev", "gold")

    assert str(caught.value) == (
        f"Spark runs the statements for the catalogs at {unity.server.uri}, and no session is configured; override the fixture"
        " delta_spark, or give UnityCatalog a session"
    )


def _with_locals(error):
    return "".join(traceback.TracebackException.from_exception(error, capture_locals=True).format())


class TestSecrets:
    """Tokens and keys are shown to nobody."""

    @pytest.mark.parametrize("passes", [True, False])
    def test_a_token_is_in_no_log_error_or_variable(self, tmp_path, caplog, capfd, passes):
        caplog.set_level(logging.DEBUG)
        output = io.StringIO()
        with lake(tmp_path, token=TOKEN, server_token=TOKEN if passes else "another") as unity:
            unity.table()
            state = unity.state(MODEL, OTHER)
            output.write(f"{state!r} {unity.catalog.client!r}")
            with pytest.raises(DeltaSchemaError) as caught:
                unity.catalog.client.schema("dev", "nowhere")
            with suppress(DeltaSchemaError):
                unity.catalog.sync_entries([MODEL])
            output.write(_with_locals(caught.value))
            unity.catalog.client._calls.timeout = 0.3
            unity.server.faults.append(SimulatedFault(path="catalogs", seconds=1))
            with pytest.raises(DeltaSchemaError) as caught:
                unity.catalog.client.catalog("dev")
            output.write(_with_locals(caught.value))

        assert bool(state.problems) is not passes
        out, err = capfd.readouterr()
        assert TOKEN not in output.getvalue() + caplog.text + out + err
        assert TOKEN[5:] not in output.getvalue() + caplog.text + out + err

    @pytest.mark.parametrize(
        ("given", "text"),
        [
            (" abc1234\n", "has 7 characters, and one of fewer than 8 cannot be kept out of messages; check whether"),
            (
                "dapi-Schlüssel",
                "has characters that no HTTP header can hold: it is not printable ASCII; see how it was",
            ),
        ],
    )
    def test_a_token_that_cannot_be_used_is_refused_before_the_first_call_and_not_shown(self, given, text):
        with pytest.raises(BackendUnavailableError) as caught:
            UnityClient("http://unity.invalid", token=Secret(given))

        assert str(caught.value).startswith(f"the token of the Unity Catalog server {text}")
        # Without the frame of this test, which holds what was given.
        written = _with_locals(caught.value.with_traceback(caught.value.__traceback__.tb_next))
        assert "bearer_token" in written
        assert not any(part in written for part in ("abc123", "dapi-", "Schl"))


def test_what_a_server_shows_of_itself(tmp_path):
    for delta_api, text in ((True, "Delta API 1.0 with 12 endpoints"), (False, "no Delta API")):
        with lake(tmp_path, delta_api=delta_api) as made:
            assert made.catalog.server_text("dev") == text
