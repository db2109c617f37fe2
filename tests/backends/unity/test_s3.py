"""Tables on S3-compatible servers: read by deltalake from a real S3 API on loopback, with its own endpoint."""

from __future__ import annotations

import pytest

from pytest_delta_schema.backends.secret import Secret
from pytest_delta_schema.backends.storage import (
    NO_CREDENTIALS,
    Credentials,
    deltalake_options,
    spark_options,
)
from pytest_delta_schema.backends.unity import Storage
from pytest_delta_schema.backends.unity.logs import vended
from pytest_delta_schema.delta.names import ColumnPath
from support.logs import commit, delta_log, field, metadata, protocol
from support.models import NAME
from support.stores import KEYS, s3_server
from support.stores import bucket as bucket_of
from support.unity import MODEL, lake


@pytest.fixture(scope="module")
def endpoint():
    with s3_server() as address:
        yield address


@pytest.fixture
def bucket(endpoint):
    with bucket_of(endpoint) as upload:
        yield upload


@pytest.fixture
def unity(endpoint, tmp_path):
    store = Storage(prefix="s3://lake", endpoint=endpoint, region="us-east-1", path_style=True)
    with lake(tmp_path / "store", stores=[store]) as made:
        made.server.metastore.create_schema({"name": "silver", "catalog_name": "dev"})
        made.server.metastore.create_table(
            {
                "name": "orders",
                "catalog_name": "dev",
                "schema_name": "silver",
                "table_type": "EXTERNAL",
                "data_source_format": "DELTA",
                "storage_location": "s3://lake/silver/orders",
            },
        )
        made.server.credentials = {
            "aws_temp_credentials": {
                "access_key_id": KEYS["aws_access_key_id"],
                "secret_access_key": KEYS["aws_secret_access_key"],
                "session_token": "vended-session",
            },
            "expiration_time": 4_000_000_000_000,
        }
        yield made


def test_a_table_on_s3_is_read_and_its_entry_is_synced(unity, bucket, tmp_path):
    bucket(delta_log(tmp_path / "t", field("id", nullable=False), comment="On S3"), "silver/orders")

    observed = unity.state().tables[NAME]

    assert [column.name for column in observed.columns] == ["id"]
    assert (observed.table_comment, observed.version) == ("On S3", 0)
    assert len(unity.catalog.sync_entries([MODEL])) == 1
    assert unity.differences() == []


def test_a_table_whose_bucket_the_server_does_not_know_is_read_with_own_keys(unity, bucket, tmp_path, monkeypatch):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", KEYS["aws_access_key_id"])
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", KEYS["aws_secret_access_key"])
    unity.server.credentials = None
    unity.entry()["storage_location"] = "s3://lake/silver/own"
    bucket(delta_log(tmp_path / "t", field("id", nullable=False), comment="Own keys"), "silver/own")

    assert unity.state().tables[NAME].table_comment == "Own keys"


def test_clustering_and_damage_are_read_through_the_same_store(unity, bucket, tmp_path):
    domain = {"domain": "delta.clustering", "configuration": '{"clusteringColumns": [["id"]]}', "removed": False}
    features = protocol("clustering", "domainMetadata")
    folder = commit(tmp_path / "t", 0, features, metadata(field("id")), {"domainMetadata": domain})
    unity.entry()["storage_location"] = "s3://lake/silver/damaged"
    bucket(folder, "silver/damaged")
    assert unity.state().tables[NAME].clustering == (ColumnPath("id"),)

    (folder / "_delta_log" / f"{1:020d}.json").write_bytes(b"")
    bucket(folder, "silver/damaged")

    assert str(unity.state().problems[NAME]) == (
        "dev.silver.orders: its Delta log is damaged (s3://lake/silver/damaged/_delta_log/00000000000000000001.json is"
        " empty); restore it from a backup [DS503 DamagedTable]"
    )


VENDED = Credentials(values={key: Secret(value) for key, value in KEYS.items()})
MINIO = Storage(prefix="s3://lake", endpoint="http://127.0.0.1:9000", region="eu-1", path_style=True)
DEEPER = Storage(prefix="s3a://lake/gold/", access_key_variable="LAKE_KEY", secret_key_variable="LAKE_SECRET")  # noqa: S106 - a name


PATIENCE = {"timeout": "30s", "connect_timeout": "5s", "max_retries": "3", "retry_timeout": "30s"}


def test_options_of_deltalake(monkeypatch):
    monkeypatch.setenv("LAKE_KEY", "env-key")
    monkeypatch.setenv("LAKE_SECRET", "env-secret")
    of_deeper = {**PATIENCE, "aws_virtual_hosted_style_request": "true"}
    of_minio = {
        **PATIENCE,
        "aws_endpoint_url": "http://127.0.0.1:9000",
        "aws_allow_http": "true",
        "aws_region": "eu-1",
        "aws_virtual_hosted_style_request": "false",
    }
    keys = {"aws_access_key_id": "env-key", "aws_secret_access_key": "env-secret"}
    for location, credentials, options in (
        ("gs://lake/t", NO_CREDENTIALS, PATIENCE),
        ("s3://lake2/t", VENDED, {**PATIENCE, **KEYS}),
        ("file:///lake/t", NO_CREDENTIALS, {}),
        ("/lake/t", NO_CREDENTIALS, {}),
        # The longest prefix of whole names; vended keys go before those of the environment.
        ("s3://lake/gold/t", NO_CREDENTIALS, {**of_deeper, **keys}),
        ("s3a://lake/golden/t", NO_CREDENTIALS, of_minio),
        ("s3://lake/gold/t", VENDED, {**of_deeper, **KEYS}),
    ):
        assert deltalake_options(location, [MINIO, DEEPER], credentials) == options


def test_options_of_spark_are_the_same_by_bucket(monkeypatch):
    monkeypatch.setenv("LAKE_KEY", "env-key")
    monkeypatch.delenv("LAKE_SECRET", raising=False)

    assert spark_options([MINIO]) == {
        "spark.hadoop.fs.s3a.bucket.lake.path.style.access": "true",
        "spark.hadoop.fs.s3a.bucket.lake.endpoint": "http://127.0.0.1:9000",
        "spark.hadoop.fs.s3a.bucket.lake.connection.ssl.enabled": "false",
        "spark.hadoop.fs.s3a.bucket.lake.endpoint.region": "eu-1",
    }
    assert spark_options([DEEPER])["spark.hadoop.fs.s3a.bucket.lake.access.key"] == "env-key"


def test_what_servers_vend():
    keys = {"access_key_id": "a", "secret_access_key": "s"}
    for answer, values in (
        ({}, {}),
        ({"aws_temp_credentials": keys}, {"aws_access_key_id": "a", "aws_secret_access_key": "s"}),
        ({"azure_user_delegation_sas": {"sas_token": "t"}}, {"azure_storage_sas_token": "t"}),
        ({"gcp_oauth_token": {"oauth_token": "o"}}, {"google_application_token": "o"}),
    ):
        assert {key: secret.reveal() for key, secret in vended(answer).values.items()} == values
