"""The clients that a project or a declaration lists."""

from __future__ import annotations

from dataclasses import replace

from pytest_delta_schema.models.clients import Client, client_faults, parse_client
from support.case_tables import cases, refusal
from support.models import column, table


def test_a_client_is_its_name_the_oldest_version_in_use_and_whether_it_only_reads():
    with cases(lambda text: (parse_client(text), str(parse_client(text)))) as case:
        trino, spark = Client(name="trino", version="470"), Client(name="delta-spark", version="3.3", only_reads=True)
        case("trino>=470", (trino, "trino>=470"))
        case(" Trino >= 470 (read) ", (replace(trino, only_reads=True), "trino>=470 (read)"))
        case("delta-spark>=3.3(read)", (spark, "delta-spark>=3.3 (read)"))
        case("athena", (Client(name="athena", only_reads=True), "athena"))
        case("athena (read)", (Client(name="athena", only_reads=True), "athena"))
        case("snowflake", (Client(name="snowflake"), "snowflake"))
        case("snowflake (read)", (Client(name="snowflake", only_reads=True), "snowflake (read)"))


def test_what_names_no_client():
    with cases(lambda text: "".join(client_faults(["trino>=470", text]))) as case:
        for text, name, meant in (
            ("trinoo>=470", "trino", "trino>=470"),
            ("spark>=4", "delta-spark", "delta-spark>=3.3"),
            ("dbr>=15.4", "databricks", "databricks>=15.4"),
        ):
            unknown = text.partition(">")[0]
            case(text, f"'{text}': there is no client {unknown}; did you mean {name}, as in '{meant}'?")
        case(
            "bigquery",
            "'bigquery': there is no client bigquery; clients are delta-spark, databricks, trino, deltalake, duckdb,"
            " fabric-spark, fabric-sql, power-bi, athena, snowflake",
        )
        oldest = "does not say the oldest version of {} that is in use; write it as in"
        case("trino", f"'trino' {oldest.format('trino')} 'trino>=470'")
        case("trino==465 (read)", f"'trino==465 (read)' {oldest.format('trino')} 'trino>=465 (read)'")
        case("databricks>=15.x", f"'databricks>=15.x' {oldest.format('databricks')} 'databricks>=15.4'")
        case("athena>=3", "'athena>=3' has a version, and athena has none; write 'athena'")
        for text in ("trino>=470 (write)", ""):
            case(text, f"'{text}' names no client; write one such as 'trino>=470' or 'trino>=470 (read)'")


def test_a_table_lists_clients_in_one_spelling():
    assert table(column(), clients=iter([" TRINO>=470", "athena (read)"])).clients == ("trino>=470", "athena")
    assert table(column()).clients == ()


def test_a_table_refuses_what_names_no_client():
    with cases(lambda clients: refusal(lambda: table(column(), clients=clients))) as case:
        case(
            "trino>=470",
            "dev.silver.orders: clients must be a list of names, got the bare string 'trino>=470'; write ['trino>=470']",
        )
        case(
            ["trino", "athena", "dask"],
            "dev.silver.orders: clients: 'trino' does not say the oldest version of trino that is in use; write it as in"
            " 'trino>=470'; 'dask': there is no client dask; clients are delta-spark, databricks, trino, deltalake, duckdb,"
            " fabric-spark, fabric-sql, power-bi, athena, snowflake",
        )
        case([470], "dev.silver.orders: clients[0] must be a string, got 470; write it in quotes")
