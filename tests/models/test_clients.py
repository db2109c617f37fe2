"""The clients that a project or a declaration lists."""

from __future__ import annotations

import pytest

from pytest_delta_schema import Table
from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.models.clients import Client, client_faults, parse_client
from pytest_delta_schema.source_code.modules import module_source
from support.models import column, table


@pytest.mark.parametrize(
    ("text", "client", "shown"),
    [
        ("trino>=470", Client(name="trino", version="470"), "trino>=470"),
        (" Trino >= 470 (read) ", Client(name="trino", version="470", only_reads=True), "trino>=470 (read)"),
        ("delta-spark>=3.3(read)", Client(name="delta-spark", version="3.3", only_reads=True), "delta-spark>=3.3 (read)"),
        ("athena", Client(name="athena", only_reads=True), "athena"),
        ("athena (read)", Client(name="athena", only_reads=True), "athena"),
        ("snowflake", Client(name="snowflake"), "snowflake"),
        ("snowflake (read)", Client(name="snowflake", only_reads=True), "snowflake (read)"),
    ],
)  # fmt: skip
def test_a_client_is_its_name_the_oldest_version_in_use_and_whether_it_only_reads(text, client, shown):
    assert parse_client(text) == client
    assert str(client) == shown


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("trinoo>=470", "'trinoo>=470': there is no client trinoo; did you mean trino, as in 'trino>=470'?"),
        ("spark>=4", "'spark>=4': there is no client spark; did you mean delta-spark, as in 'delta-spark>=3.3'?"),
        ("dbr>=15.4", "'dbr>=15.4': there is no client dbr; did you mean databricks, as in 'databricks>=15.4'?"),
        (
            "bigquery",
            (
                "'bigquery': there is no client bigquery; clients are delta-spark, databricks, trino, deltalake, duckdb,"
                " fabric-spark, fabric-sql, power-bi, athena, snowflake"
            ),
        ),
        ("trino", "'trino' does not say the oldest version of trino that is in use; write it as in 'trino>=470'"),
        (
            "trino==465 (read)",
            (
                "'trino==465 (read)' does not say the oldest version of trino that is in use; write it as in"
                " 'trino>=465 (read)'"
            ),
        ),
        (
            "databricks>=15.x",
            (
                "'databricks>=15.x' does not say the oldest version of databricks that is in use; write it as in"
                " 'databricks>=15.4'"
            ),
        ),
        ("athena>=3", "'athena>=3' has a version, and athena has none; write 'athena'"),
        (
            "trino>=470 (write)",
            "'trino>=470 (write)' names no client; write one such as 'trino>=470' or 'trino>=470 (read)'",
        ),
        ("", "'' names no client; write one such as 'trino>=470' or 'trino>=470 (read)'"),
    ],
)
def test_what_names_no_client(text, fault):
    assert client_faults(["trino>=470", text]) == [fault]


def test_a_table_lists_clients_in_one_spelling():
    assert table(column(), clients=iter([" TRINO>=470", "athena (read)"])).clients == ("trino>=470", "athena")
    assert table(column()).clients == ()


@pytest.mark.parametrize(
    ("clients", "message"),
    [
        ("trino>=470", "dev.silver.orders: clients must be a list of names, got the bare string 'trino>=470'; write ['trino>=470']"),
        (
            ["trino", "athena", "dask"],
            ("dev.silver.orders: clients: 'trino' does not say the oldest version of trino that is in use; write it as in"
            " 'trino>=470'; 'dask': there is no client dask; clients are delta-spark, databricks, trino, deltalake, duckdb,"
            " fabric-spark, fabric-sql, power-bi, athena, snowflake"),
        ),
        ([470], "dev.silver.orders: clients[0] must be a string, got 470; write it in quotes"),
    ],
)  # fmt: skip
def test_a_table_refuses_what_names_no_client(clients, message):
    with pytest.raises(DeclarationError) as caught:
        table(column(), clients=clients)

    assert str(caught.value) == message


def test_the_source_of_a_table_names_its_clients():
    model = Table("dev", "silver", "orders", [column()], clients=["trino>=470 (read)", "athena"])
    namespace: dict[str, Table] = {}

    exec(module_source([model]), namespace)  # noqa: S102 - our own text

    assert 'clients=["trino>=470 (read)", "athena"]' in module_source([model])
    assert namespace["orders"] == model
