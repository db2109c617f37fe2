"""The clients that a project or a declaration lists."""

from __future__ import annotations

from dataclasses import replace

from pytest_delta_schema.models.clients import Client, client_faults, parse_client
from support.case_tables import cases, refusal
from support.models import column, table
from support.snapshots import ReviewedCases


def test_a_client_is_its_name_the_oldest_version_in_use_and_whether_it_only_reads():
    with cases(lambda text: (parse_client(text), str(parse_client(text)))) as case:
        trino = Client(name="trino", version="470")
        case("trino>=470", (trino, "trino>=470"))
        case(" Trino >= 470 (read) ", (replace(trino, only_reads=True), "trino>=470 (read)"))
        case("athena", (Client(name="athena", only_reads=True), "athena"))
        case("athena (read)", (Client(name="athena", only_reads=True), "athena"))
        case("snowflake", (Client(name="snowflake"), "snowflake"))


def test_what_names_no_client(reviewed):
    case = ReviewedCases(lambda text: "".join(client_faults(["trino>=470", text])))
    for text in (
        *("trinoo>=470", "spark>=4", "dbr>=15.4", "bigquery", "trino", "trino==465 (read)", "databricks>=15.x"),
        *("athena>=3", "trino>=470 (write)", ""),
    ):
        case.unnamed(text)
    assert case.text == reviewed


def test_a_table_lists_clients_in_one_spelling():
    assert table(column(), clients=iter([" TRINO>=470", "athena (read)"])).clients == ("trino>=470", "athena")
    assert table(column()).clients == ()


def test_a_table_refuses_what_names_no_client(reviewed):
    case = ReviewedCases(lambda clients: refusal(lambda: table(column(), clients=clients)))
    case.unnamed("trino>=470")
    case.unnamed(["trino", "athena", "dask"])
    case.unnamed([470])
    assert case.text == reviewed
