"""Answers that are none: one line for the table, never a traceback, and never a table that seems to be absent."""

from __future__ import annotations

import copy
import json

import pytest
from pyspark.errors import PySparkException

from pytest_delta_schema import DeltaSchemaError, UnityCatalog
from pytest_delta_schema.backends.unity.transport import HttpAnswer
from pytest_delta_schema.diagnostics.errors import MetadataSyncError, StatementError
from pytest_delta_schema.state import EntryState
from support.logs import commit, delta_log, field, metadata, protocol
from support.models import NAME, column, table
from support.unity import (
    CATALOG,
    CONFIG,
    CREDENTIALS,
    DELTA,
    LISTING,
    MODEL,
    SCHEMA,
    TABLE,
    UPDATE,
    Playing,
    delta_table,
    entry,
)

TOKEN = "dapi-0123456789-secret"  # noqa: S105 - of nobody
REMOTE = "s3://lake/orders"
BETWEEN = "see what answers at that address"
ELSEWHERE = "on http://unity.invalid: 200, and the answer does not come from Unity Catalog ("


@pytest.fixture
def log(tmp_path):
    return delta_log(tmp_path / "orders", field("id"))


@pytest.fixture
def log_of(tmp_path, log):
    """Folders of an ordinary log, and of one whose newest commits are in the catalog only."""
    managed = commit(tmp_path / "managed", 0, protocol("catalogManaged"), metadata(field("id")))
    return {"EXTERNAL": log, "MANAGED": managed}


DEEP = b'{"a":' * 200_000 + b"1" + b"}" * 200_000
ADDRESS = "give the setting unity_uri the address of the server itself, not that of its user interface"
WEB_PAGE = b"<html>Please log in</html>"
BODIES = {
    "nothing": (b"", "it is empty"),
    "an empty object": (b"{}", "Object missing required field `name`"),
    "null": (b"null", "Expected `object`, got `null`"),
    "a list": (b"[null]", "Expected `object`, got `array`"),
    "a page": (b'{"tables":["a"]}', "Object missing required field `name`"),
    "no JSON": (b"Please log in", "JSON is malformed: invalid character (byte 0)"),
    "cut off": (b'{"name": "ord', "Input data was truncated"),
    "not UTF-8": (b'{"name": "\xff"}', "'utf-8' codec can't decode byte 0xff in position 0"),
    "deep objects": (DEEP, "it is nested too deeply"),
    "deep in what nobody reads": (b'{"x": ' + DEEP + b"}", "it is nested too deeply"),
    "another table": (json.dumps({**entry("file:///x"), "name": "other"}).encode(), "it is about dev.silver.other"),
}


def message_of(server):
    """Read the table, which is a problem of one line, and return its message."""
    state = server.catalog.snapshot([MODEL])
    assert NAME not in state.tables
    problem = str(state.problems[NAME])
    assert "\n" not in problem
    return problem


def test_what_is_no_table_makes_it_unreadable(log):
    for body, text in BODIES.values():
        server = Playing(log)
        server.play(TABLE, body)

        problem = message_of(server)

        assert problem.startswith(f"dev.silver.orders: {TABLE} {ELSEWHERE}{text}")
        assert problem.endswith(f"); {BETWEEN} [DS502 UnreadableTable]")
        assert server.calls == [TABLE]


@pytest.mark.parametrize(
    ("call", "kind", "start"),
    [
        (SCHEMA, "EXTERNAL", "is not found, and it is not known whether it exists"),
        (CATALOG, "EXTERNAL", "is not found, and it is not known whether it exists"),
        (DELTA, "MANAGED", f"{DELTA} {ELSEWHERE}"),
        (CONFIG, "MANAGED", f"{CONFIG} {ELSEWHERE}"),
        (CREDENTIALS, "EXTERNAL", f"{CREDENTIALS} {ELSEWHERE}"),
    ],
)
def test_what_is_no_answer_to_other_calls_makes_no_table_absent(log_of, call, kind, start):
    for body, _ in BODIES.values():
        server = Playing(REMOTE if call == CREDENTIALS else log_of[kind], kind)
        if call in (SCHEMA, CATALOG):
            lack(server, call)
        server.play(call, body)

        assert message_of(server).startswith(f"dev.silver.orders: {start}")


def test_what_is_no_listing_is_no_empty_one(log):
    for body in [WEB_PAGE, *(body for name, (body, _) in BODIES.items() if name != "a page")]:
        server = Playing(log)
        server.play(LISTING, body)

        with pytest.raises(StatementError, match="and the answer does not come from Unity Catalog"):
            server.catalog.table_names("dev", "silver")


def lack(server, call):
    """Let the server lack the table, and also its schema if that comes before the call."""
    del server.answers[TABLE]
    server.play(LISTING, {"tables": []})
    if call == CATALOG:
        del server.answers[SCHEMA]


@pytest.mark.parametrize(
    ("call", "kind"),
    [(TABLE, "EXTERNAL"), (DELTA, "MANAGED"), (CONFIG, "MANAGED"), (CREDENTIALS, "EXTERNAL")],
)
def test_a_web_page_concerns_every_table(log_of, call, kind):
    server = Playing(REMOTE if call == CREDENTIALS else log_of[kind], kind)
    server.play(call, WEB_PAGE)

    problem = server.catalog.snapshot([MODEL]).problems[NAME]

    assert problem.concerns_run
    assert str(problem) == (
        "dev.silver.orders: the server at http://unity.invalid answers 200 with a web page, so it is not Unity Catalog;"
        f" {ADDRESS} [DS501 UnreachableCatalog]"
    )


def test_an_entry_that_is_malformed_hides_none_of_the_others_of_its_page(log):
    server = Playing(log)
    models = [MODEL, *(table(column(), name=f"dev.silver.t{number}") for number in range(5))]
    # Entries that differ from their logs would be read again, one by one.
    shown = {**entry(log)["columns"][0], "nullable": True, "comment": "", "type_json": json.dumps(field("id"))}
    same = {**entry(log), "columns": [shown], "comment": "", "properties": {}}
    others = [{**same, "name": f"t{number}"} for number in range(5)]
    server.play(LISTING, {"tables": ["a", {**entry(log), "columns": 5}, *others]})
    server.play(TABLE, {**entry(log), "columns": 5})

    state = server.catalog.snapshot(models)

    assert list(state.problems) == [NAME]
    assert state.problems[NAME].message.endswith("(Expected `array | null`, got `int` - at `$.columns`)")
    assert [observed.exists for observed in state.tables.values()] == [True] * 5
    assert server.calls == [LISTING, TABLE]
    with pytest.raises(StatementError, match=r"\(Expected `object`, got `str`\)"):
        server.catalog.table_names("dev", "silver")


WRONG = [None, 5, -1.5, 10**400, True, "x", "", "[", "5", "[" * 2000, [], [None], {}, {"a": None}, {"type": "struct"}]


def mutations(value, path=()):
    """Yield copies of a value, each with something wrong at one place."""
    for wrong in WRONG:
        yield (*path, f"= {str(wrong)[:20]}"), wrong
    if isinstance(value, dict):
        for key in value:
            yield (*path, key, "left out"), {other: part for other, part in value.items() if other != key}
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        for where, wrong in mutations(part, (*path, key)):
            changed = copy.copy(value)
            changed[key] = wrong
            yield where, changed
    if isinstance(value, str) and value.startswith("{"):
        for where, wrong in mutations(json.loads(value), (*path, "JSON")):
            yield where, json.dumps(wrong)


@pytest.mark.parametrize(
    ("call", "kind"),
    [(TABLE, "EXTERNAL"), (TABLE, "MANAGED"), (DELTA, "MANAGED"), (CONFIG, "MANAGED"), (CREDENTIALS, "EXTERNAL")],
)
def test_whatever_is_wrong_in_an_answer_is_one_line_of_one_table(log_of, monkeypatch, call, kind):
    """Every field of every answer, with every wrong value: no other error, no second line, and no absence."""
    monkeypatch.setattr("pytest_delta_schema.backends.unity.logs.needs_credentials", lambda _: call == CREDENTIALS)
    server = Playing(log_of[kind], kind)
    outcomes = {"read": 0, "unreadable": 0}
    for where, wrong in mutations(server.answers[call]):
        server.play(call, wrong)
        server.client._delta_api.clear()

        state = server.catalog.snapshot([MODEL])

        problem = state.problems.get(NAME)
        assert problem is not None or state.tables[NAME].exists, where
        shown = [value for value in (problem, state.entries.get(NAME)) if value is not None]
        outcomes["read" if problem is None else "unreadable"] += 1
        assert all("\n" not in str(value) for value in shown if not isinstance(value, EntryState)), where
    assert min(outcomes.values()) > 5


CALLED = "(the call)"
SERVER, LOGIN = (
    "the server at http://unity.invalid",
    "give the setting unity_uri the address of the server itself, and a valid token",
)
REFUSED = {
    "a redirect to a login page": (
        HttpAnswer(302, "Found", "https://login.example.com:444/authorize?state=abc&token=x", b""),
        f"{SERVER} answers 302 Found: it redirects to https://login.example.com:444, probably a login page; {LOGIN}",
    ),
    "a 404 of a proxy": (
        HttpAnswer(404, "Not Found", "", b"\n<html>no such page</html>"),
        f"{SERVER} answers 404 with a web page, so it is not Unity Catalog; {ADDRESS}",
    ),
    "a 404 of a gateway": (
        HttpAnswer(404, "Not Found", "", b'{"message":"no Route matched"}'),
        f"{SERVER} answers 404 with an unknown answer, so it is not Unity Catalog; {ADDRESS}",
    ),
    "an error that is none": (HttpAnswer(500, "Oops", "", DEEP), f"{CALLED}: 500 : Oops; look into the server's log"),
    "no content": (
        HttpAnswer(204, "No Content", "", b""),
        f"{CALLED}: 204, and the answer does not come from Unity Catalog (it is empty); {BETWEEN}",
    ),
}


@pytest.mark.parametrize("call", [TABLE, SCHEMA, CATALOG])
def test_an_error_of_something_else_never_means_that_a_table_is_absent(monkeypatch, log, call):
    monkeypatch.setattr("pytest_delta_schema.backends.unity.connection._PAUSE", 0)
    for answer, text in REFUSED.values():
        server = Playing(log)
        if call != TABLE:
            lack(server, call)
        server.play(LISTING, {"tables": []})
        server.play(call, answer)

        assert text.replace(CALLED, f"{call} on http://unity.invalid") in message_of(server)


SUCCESSES = [
    HttpAnswer(204, "No Content", "", b""),
    HttpAnswer(200, "OK", "", json.dumps(delta_table()).encode()),
]


def test_an_update_that_changes_nothing_is_no_sync(log):
    for answer in SUCCESSES:
        server = Playing(log)
        server.play(UPDATE, answer)

        with pytest.raises(MetadataSyncError) as caught:
            server.catalog.sync_entries([MODEL])

        assert str(caught.value) == (
            "dev.silver.orders: the server reported success, and its catalog entry still differs (columns.deep: the catalog"
            " entry has array<struct<x:decimal(9,3)>>, the log has (absent)); check whether http://unity.invalid is the server"
            " itself, and try again [DS603 FailedMetadataSync]"
        )


def echoes(value, path=""):
    """Yield copies of an answer that repeat the token at one place."""
    if isinstance(value, str):
        yield path, f"{value} Bearer {TOKEN}"
    if isinstance(value, dict):
        yield f"{path}.(key)", {**value, TOKEN: "x"}
    for key, part in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        for where, sent in echoes(part, f"{path}.{key}"):
            changed = copy.copy(value)
            changed[key] = sent
            yield where, changed


@pytest.mark.parametrize(
    ("call", "kind"), [(TABLE, "EXTERNAL"), (DELTA, "MANAGED"), (CONFIG, "MANAGED"), (CREDENTIALS, "EXTERNAL")]
)
def test_a_token_in_any_field_of_an_answer_is_not_shown(log_of, monkeypatch, call, kind):
    monkeypatch.setattr("pytest_delta_schema.backends.unity.logs.needs_credentials", lambda _: call == CREDENTIALS)
    log = log_of[kind]
    for where, answer in echoes(Playing(REMOTE, kind).answers[call]):
        server = Playing(log, kind, token=TOKEN)
        server.play(call, json.loads(json.dumps(answer).replace(f'"{REMOTE}"', f'"{log.as_uri()}"')))

        shown = repr(server.catalog.snapshot([MODEL]))
        try:
            shown += repr(server.catalog.sync_entries([MODEL]))
        except DeltaSchemaError as error:
            shown += str(error)

        assert "0123456789" not in shown, where
        assert not where.endswith(("comment", "owner")) or "***" in shown, where


def test_a_location_with_a_signature_is_shown_without_it(log):
    server = Playing(log)
    server.play(TABLE, entry("foo://me:hunter2@store/orders?sig=hunter2"))

    state = server.catalog.snapshot([MODEL])

    problem = str(state.problems[NAME])
    assert problem.startswith(
        "dev.silver.orders: there is no Delta log at foo://***@store/orders?sig=***; restore the files, or drop the table from the catalog",
    )
    assert "hunter2" not in problem + repr(state)


def test_a_token_that_spark_s_own_client_of_the_server_repeats_is_not_shown(log):
    """The connector shows answers of the server in its errors."""

    class Session:
        conf, _jvm = {"spark.sql.catalog.dev.uri": "http://unity.invalid"}, None

        def sql(self, *_, **__):
            msg = f"getTable call failed with: 401 - invalid credentials: Bearer {TOKEN} at https://me:hunter2@x"
            raise PySparkException(msg)

    client = Playing(log, token=TOKEN).client

    with pytest.raises(StatementError) as caught:
        UnityCatalog(client, session=Session).create_schema("dev", "gold")

    assert str(caught.value) == ("getTable call failed with: 401 - invalid credentials: Bearer *** at https://***@x")
    assert caught.value.__suppress_context__
    assert caught.value.__cause__ is None
