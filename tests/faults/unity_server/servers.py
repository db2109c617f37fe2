"""A server that gives a malformed answer to one kind of call: one line a table, nothing synced falsely, in time."""

from __future__ import annotations

import io
import logging
import sys
import time
from typing import TYPE_CHECKING, Any

from pyspark.sql.types import LongType

from faults.bench import SECRET, require, require_clean
from faults.cases import Area, Case, NotTriedError
from faults.unity_server.answers import ANSWERS
from faults.unity_server.lying_server import CALLS, LyingServer
from pytest_delta_schema import CatalogReadError, Column, DeltaSchemaError, Table
from pytest_delta_schema.backends.secret import Secret
from pytest_delta_schema.backends.unity.catalog import UnityCatalog
from pytest_delta_schema.backends.unity.client import UnityClient
from pytest_delta_schema.diagnostics.errors import MetadataSyncError
from pytest_delta_schema.testing.unity import UnityDouble
from support.logs import delta_log, field

if TYPE_CHECKING:
    from collections.abc import Callable

    from faults.bench import Bench

TIMEOUT = 2.0
SLACK = 3.0
"""Seconds for all that is not waiting, on a busy machine."""

NAMES = ("orders", "lines")
MODELS = [Table("dev", "silver", name, [Column("id", LongType())]) for name in NAMES]
ABSENT = [Table("dev", schema, "absent", [Column("id", LongType())]) for schema in ("silver", "missing")]
RECREATED = ("delete an entry", "create an entry")
"""Calls of a server without a Delta API."""

CREDENTIALS = {
    "aws_temp_credentials": {"access_key_id": "a", "secret_access_key": "b", "session_token": "c"},
    "expiration_time": 9999999999999,
}


def _cases(_: int) -> list[Case]:
    return [
        Case(area="servers", name=f"{call}/{answer}", values={"call": call, "answer": answer})
        for answer in ANSWERS
        for call in CALLS
    ]


def _run(case: Case, bench: Bench) -> None:
    call, folder = case.values["call"], bench.new_folder(case.name)
    delta_api = call not in RECREATED
    with UnityDouble(folder, token=SECRET, delta_api=delta_api) as double:
        double.metastore.create_catalog({"name": "dev"})
        double.credentials = CREDENTIALS
        for name in NAMES:
            delta_log(folder / "dev" / "silver" / name, field("id"), team="x")
        double.metastore.look()
        if call == "vend credentials":
            double.metastore.tables["dev.silver.orders"]["storage_location"] = "s3://bucket/orders"
        with LyingServer(double, call, ANSWERS[case.values["answer"]]) as lying_server:
            _with_a_wrong_answer(case, lying_server, double)
            if not lying_server.has_answered_wrongly:
                msg = f"no call of the kind {call!r} was made"
                raise NotTriedError(msg)
        double.metastore.tables.setdefault("dev.silver.orders", {})
        _after_it(double, call)
    bench.clean(folder)


def _with_a_wrong_answer(case: Case, lying_server: LyingServer, double: UnityDouble) -> None:
    output = io.StringIO()
    handler = logging.StreamHandler(output)
    logging.getLogger("pytest_delta_schema").addHandler(handler)
    client = UnityClient(lying_server.uri, token=Secret(SECRET), timeout=TIMEOUT)
    catalog = UnityCatalog(client, read_threads=2, sync_recreate=case.values["call"] in RECREATED)
    steps: list[tuple[str, Callable[[], Any]]] = [
        ("drift", lambda: catalog.snapshot([*MODELS, *ABSENT])),
        ("listing", lambda: catalog.table_names("dev", "silver")),
        ("sync", lambda: catalog.sync_entries(MODELS)),
    ]
    try:
        for name, step in steps:
            before, calls = time.monotonic(), len(double.calls)
            result = _quiet(name, step)
            seconds, limit = time.monotonic() - before, _limit(len(double.calls) - calls)
            require(seconds < limit, f"{name} took {seconds:.1f} s, and its calls may take {limit:.1f} s")
            _check(name, result, double)
    finally:
        client.close()
        logging.getLogger("pytest_delta_schema").removeHandler(handler)
    require_clean(output.getvalue(), "what was said")


def _limit(calls: int) -> float:
    """Return how long a step may take: a deadline for each call, of which some may not have reached the double."""
    return TIMEOUT * (calls + len(NAMES) + 2) + SLACK


def _quiet(name: str, step: Callable[[], Any]) -> Any:
    """Run a step; return what it returns, or the error, after a look at its words."""
    stack = sys.getrecursionlimit()
    try:
        result = step()
    except (CatalogReadError, MetadataSyncError) as error:
        result = error
        for problem in error.diagnostics:
            _require_line(str(problem), name)
    except DeltaSchemaError as error:
        result = error
        _require_line(str(error), name)
    require(sys.getrecursionlimit() == stack, f"{name}: the recursion limit is another one")
    for problem in (
        getattr(result, "problems", {}).values() if name == "drift" and not isinstance(result, Exception) else ()
    ):
        _require_line(str(problem), name)
    return result


def _require_line(text: str, where: str) -> None:
    require_clean(text, f"{where}: the message")
    require(len(text.splitlines()) == 1, f"{where}: the message has several lines: {text!r}")
    require(text.isprintable(), f"{where}: the message holds control characters: {text!r}")
    require(len(text) < 2000, f"{where}: the message has {len(text)} characters: {text[:200]}")


def _check(name: str, result: Any, double: UnityDouble) -> None:
    if name == "sync" and not isinstance(result, Exception):
        false = [name for name in NAMES if not _is_level(double, name)]
        require(not false, f"the sync says that all is well, and the entries of {', '.join(false)} are not level")
    if name == "drift" and not isinstance(result, Exception):
        for model in MODELS:
            state = result.tables.get(model.name)
            require(state is None or state.exists, f"{model.name} is said to be absent, and it is there")


def _is_level(double: UnityDouble, name: str) -> bool:
    entry = double.metastore.tables.get(f"dev.silver.{name}") or {}
    return [column["name"] for column in entry.get("columns", ())] == ["id"] and entry["properties"].get("team") == "x"


def _after_it(double: UnityDouble, call: str) -> None:
    """A sync against the same server, whose answers are right again, updates every entry."""
    client = UnityClient(double.uri, token=Secret(SECRET), timeout=30)
    catalog = UnityCatalog(client, read_threads=2, sync_recreate=call in RECREATED)
    try:
        if call not in (*RECREATED, "vend credentials"):
            catalog.sync_entries(MODELS)
            require(catalog.sync_entries(MODELS) == (), "a second sync has something to do")
            require(all(_is_level(double, name) for name in NAMES), "the entries are not level after a true sync")
    finally:
        client.close()


AREA = Area(
    name="servers",
    title="malformed answers of a server to every call",
    cases=_cases,
    run=_run,
    sample=33,
    lanes=6,
)
"""Most of the time is waiting for deadlines."""
