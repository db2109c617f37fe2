"""Folders in stores: a real S3 API and, where Azurite is installed, Azure's API, both on loopback."""

from __future__ import annotations

import base64
import hashlib
import hmac
import socket
from contextlib import contextmanager
from datetime import datetime, timezone
from threading import Event, Thread
from time import monotonic

import boto3
import httpx
import pyarrow as pa
import pytest
from deltalake import write_deltalake

from pytest_delta_schema import QualifiedName
from pytest_delta_schema.backends.locations import LocationsCatalog, Storage
from pytest_delta_schema.backends.logs.stored import file_system
from pytest_delta_schema.diagnostics.errors import StatementError
from support.logs import commit, delta_log, field, metadata
from support.models import NAME
from support.stores import AZURITE, KEYS, azure_server, bucket, s3_server

CLOSED = "http://127.0.0.1:1"
QUICK = {"max_retries": "0", "timeout": "2s", "connect_timeout": "1s", "retry_timeout": "1s"}


def name(text):
    return QualifiedName("dev", "silver", text)


@pytest.fixture(scope="module")
def endpoint():
    with s3_server() as address:
        yield address


@pytest.fixture(autouse=True)
def _keys(monkeypatch):
    for variable in ("AWS_PROFILE", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("LAKE_KEY", KEYS["aws_access_key_id"])
    monkeypatch.setenv("LAKE_SECRET", KEYS["aws_secret_access_key"])


def lake(locations, endpoint, **options):
    store = Storage(
        prefix="s3://lake",
        endpoint=endpoint,
        region="us-east-1",
        path_style=True,
        access_key_variable="LAKE_KEY",
        secret_key_variable="LAKE_SECRET",  # noqa: S106 - a name
    )
    return LocationsCatalog(locations, stores=[store], **options)


def test_names_of_folders_and_what_is_in_them(endpoint, tmp_path):
    folders = {"orders": "Orders", "order items": "order items", "100%": "100%25", "a=b#c?d": "a=b#c?d"}
    with bucket(endpoint) as upload:
        for table, folder in folders.items():
            upload(delta_log(tmp_path / folder, field(table)), f"gold/{folder}")
        upload(delta_log(tmp_path / "own", field("own")), "other place/own")
        for made in ("parquet/day=1", "csv"):
            (tmp_path / made).mkdir(parents=True)
        (tmp_path / "parquet/day=1/a.parquet").touch()
        (tmp_path / "csv/a.csv").touch()
        for kind in ("parquet", "csv"):
            upload(tmp_path / kind, f"gold/{kind}")
    catalog = lake({"dev.silver": "s3a://lake/gold/", "dev.silver.own": "s3://lake/other place/own"}, endpoint)
    tables = [*folders, "own"]

    state = catalog.read_tables(map(name, [*tables, "nothing", "parquet", "csv"]))

    assert {one.table: found.columns[0].name for one, found in state.tables.items() if found.exists} == {
        table: table for table in tables
    }
    assert [one.table for one, found in state.tables.items() if not found.exists] == ["nothing"]
    assert {one.table: problem.code for one, problem in state.problems.items()} == {"csv": "DS505", "parquet": "DS505"}
    assert catalog.table_names("dev", "silver") == tuple(sorted(map(name, tables)))
    assert catalog.parquet_names("dev", "silver") == (name("parquet"),)
    assert len(catalog._opened) == 1, "one connection for a bucket"


@pytest.mark.parametrize(
    ("location", "store", "variables", "fact", "remedy"),
    [
        (
            "s3://nowhere/gold",
            {},
            {},
            (
                "its location s3://nowhere/gold cannot be listed (Generic S3 error: Error performing list request: Error"
                " performing GET {endpoint}/nowhere?"
            ),
            "check that the endpoint {endpoint} answers and that its keys may read the folder, or restore it",
        ),
        (
            "s3://lake/gold",
            {"endpoint": CLOSED},
            {},
            f"its location s3://lake/gold cannot be listed (Generic S3 error: Error performing list request: Error performing GET {CLOSED}",
            f"check that the endpoint {CLOSED} answers and that its keys may read the folder, or restore it",
        ),
        (
            "s3://lake/gold",
            {"access_key_variable": "NO_KEY"},
            {},
            "the environment variable NO_KEY, which the entry of storage for s3:// names, is not set",
            "set it",
        ),
        (
            "s3://lake/gold",
            {"access_key_variable": "", "secret_key_variable": ""},
            {"AWS_EC2_METADATA_DISABLED": "true"},
            "its location s3://lake/gold cannot be listed (",
            (
                "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or name variables in an entry of"
                " storage, or let the role of this machine read the folder"
            ),
        ),
    ],
    ids=["no bucket", "closed", "no variable", "no credentials"],
)
def test_a_store_that_cannot_be_read(endpoint, monkeypatch, location, store, variables, fact, remedy):
    for variable, given in variables.items():
        monkeypatch.setenv(variable, given)
    given = {"access_key_variable": "LAKE_KEY", "secret_key_variable": "LAKE_SECRET", "endpoint": endpoint} | store
    stores = [Storage(prefix="s3://", region="us-east-1", path_style=True, **given)]
    locations = {"dev.silver": location, "dev.gold": f"{location}/gold"}
    catalog = LocationsCatalog(locations, stores=stores, storage_options=QUICK)

    problems = catalog.read_tables([NAME, name("other")]).problems.values()

    for problem in problems:
        assert problem.message.startswith(fact.replace("{endpoint}", endpoint)), problem.message
        assert problem.remedy == remedy.replace("{endpoint}", endpoint)
        may_read_others = (
            "NO_KEY" in fact or "403 Forbidden" in problem.message
        )  # the metadata of a machine may be forbidden
        assert problem.concerns_run is not may_read_others
        assert "\n" not in str(problem)
        assert not any(secret in str(problem) for secret in KEYS.values())
    with pytest.raises(StatementError) as caught:
        catalog.parquet_names("dev", "silver")
    assert str(caught.value).startswith(fact.replace("{endpoint}", endpoint))


def test_keys_that_the_store_refuses(endpoint, tmp_path):
    with bucket(endpoint) as upload:
        upload(delta_log(tmp_path / "t", field("id")), "refused/orders")
    locations = {"dev.silver": "s3://lake/refused", "dev.gold": "s3://lake/gold"}
    httpx.post(f"{endpoint}/moto-api/reset-auth", content=b"0").raise_for_status()
    try:
        [problem] = lake(locations, endpoint).read_tables([NAME]).problems.values()
    finally:
        httpx.post(f"{endpoint}/moto-api/reset-auth", content=b"inf").raise_for_status()

    assert "403 Forbidden: InvalidAccessKeyId, The AWS Access Key Id you provided does not exist" in problem.message
    assert KEYS["aws_access_key_id"] not in str(problem)
    assert not problem.concerns_run, "the principal may list the other folder"


@contextmanager
def silent_server():
    """Listen on a port, and never answer."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


def test_a_store_that_does_not_answer_is_waited_for_as_the_options_say():
    with silent_server() as address:
        catalog = lake({"dev.silver": "s3://lake/gold"}, address, storage_options={**QUICK, "timeout": "1s"})
        began = monotonic()
        [problem] = catalog.read_tables([NAME]).problems.values()

    assert "operation timed out" in problem.message
    assert monotonic() - began < 10


def test_a_log_that_cannot_be_read_names_its_cause(endpoint, tmp_path):
    with bucket(endpoint) as upload:
        upload(delta_log(tmp_path / "t", field("id")), "closing/orders")
    catalog = lake({"dev.silver": "s3://lake/closing", "dev.gold": "/mnt/gold"}, endpoint, storage_options=QUICK)
    store = catalog._folder("s3://lake/closing").store
    opened = store.system

    class Closing:
        def get_file_info(self, path):
            return opened.get_file_info(path)

        def open_input_file(self, path):
            msg = f"Generic S3 error\n   \x1b[31m\u21b3\x1b[0m Error performing GET {path} in 1.5s\n    \u21b3 reset by peer"
            raise OSError(msg)

    store.system = Closing()

    [problem] = catalog.read_tables([NAME]).problems.values()

    assert str(problem) == (
        "dev.silver.orders: its Delta log cannot be read (s3://lake/closing/orders/_delta_log: Generic S3 error: Error"
        " performing GET closing/orders/_delta_log/00000000000000000000.json: reset by peer); check that the endpoint"
        f" {endpoint} answers and that its keys may read the folder, or restore it [DS502 UnreadableTable]"
    )


def test_a_table_while_a_writer_commits(endpoint, tmp_path):
    with bucket(endpoint) as upload:
        upload(delta_log(tmp_path / "orders", field("id")), "busy/orders")
        client = boto3.client("s3", endpoint_url=endpoint, region_name="us-east-1", **KEYS)
        catalog, stop = lake({"dev.silver": "s3://lake/busy"}, endpoint), Event()

        def write():
            for version in range(1, 200):
                if stop.is_set():
                    return
                log = commit(tmp_path / "orders", version, metadata(field("id"), comment=str(version))) / "_delta_log"
                client.upload_file(
                    str(log / f"{version:020d}.json"), "lake", f"busy/orders/_delta_log/{version:020d}.json"
                )

        writer = Thread(target=write)
        writer.start()
        try:
            versions = [catalog.version(NAME) for _ in range(6)]
        finally:
            stop.set()
            writer.join()

    assert all(isinstance(version, int) for version in versions), versions
    assert versions == sorted(versions)


ACCOUNT = "devstoreaccount1"
ACCOUNT_KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
"""What everybody's Azurite has (source: its README)."""


def create_container(address, container):
    """Create a container by Azure's API."""
    headers = {
        "x-ms-date": f"{datetime.now(timezone.utc):%a, %d %b %Y %H:%M:%S} GMT",
        "x-ms-version": "2021-08-06",
    }
    resource = f"/{ACCOUNT}/{ACCOUNT}/{container}\nrestype:container"
    text = "\n".join(["PUT", *[""] * 11, *(f"{key}:{value}" for key, value in headers.items()), resource])
    signature = hmac.new(base64.b64decode(ACCOUNT_KEY), text.encode(), hashlib.sha256).digest()
    headers["Authorization"] = f"SharedKey {ACCOUNT}:{base64.b64encode(signature).decode()}"
    httpx.put(f"{address}/{ACCOUNT}/{container}?restype=container", headers=headers).raise_for_status()


@pytest.fixture
def azure(tmp_path, monkeypatch):
    if AZURITE is None:
        pytest.skip("azurite-blob is not on the PATH; with node, npm install --global azurite installs it")
    for variable, given in (("AZURE_STORAGE_USE_EMULATOR", "true"), ("AZURE_STORAGE_ACCOUNT_NAME", ACCOUNT)):
        monkeypatch.setenv(variable, given)
    with azure_server(tmp_path / "azurite") as address:
        monkeypatch.setenv("AZURITE_BLOB_STORAGE_URL", address)
        create_container(address, "lake")
        yield address


@pytest.mark.usefixtures("azure")
def test_azure(monkeypatch):
    write_deltalake("az://lake/silver/Order Items", pa.table({"id": [1]}))
    write_deltalake("az://lake/silver/orders", pa.table({"id": [1], "amount": [2.5]}), name="orders")
    catalog = LocationsCatalog(
        {
            "dev.silver": "az://lake/silver",
            "dev.gold": f"abfss://lake@{ACCOUNT}.dfs.core.windows.net/silver/",
            "dev.bronze": "az://nowhere/silver",
        },
        storage_options=QUICK,
    )

    state = catalog.read_tables([NAME, name("order items"), QualifiedName("dev", "gold", "orders")])

    assert [[column.name for column in found.columns] for found in state.tables.values()] == [
        ["id", "amount"],
        ["id"],
        ["id", "amount"],
    ]
    assert catalog.table_names("dev", "silver") == (name("order items"), NAME)
    [problem] = catalog.read_tables([QualifiedName("dev", "bronze", "orders")]).problems.values()
    assert "404 Not Found: ContainerNotFound, The specified container does not exist." in problem.message
    assert problem.remedy == "check that its store answers and that its keys may read the folder, or restore it"

    monkeypatch.delenv("AZURE_STORAGE_USE_EMULATOR")
    monkeypatch.delenv("AZURE_STORAGE_ACCOUNT_NAME")
    monkeypatch.delenv("AZURITE_BLOB_STORAGE_URL")
    [problem] = LocationsCatalog({"dev.silver": "az://lake/silver"}).read_tables([NAME]).problems.values()
    assert "Account must be specified" in problem.message
    assert problem.remedy.startswith("set AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY, or")


GUID = "5e9e6d3b-0000-4000-8000-000000000000"


@pytest.mark.parametrize(
    ("location", "root", "path"),
    [
        (
            "abfss://ws@onelake.dfs.fabric.microsoft.com/lake.Lakehouse/Tables/silver",
            "ws",
            "lake.Lakehouse/Tables/silver",
        ),
        (f"abfss://{GUID}@onelake.dfs.fabric.microsoft.com/{GUID}/Tables", GUID, f"{GUID}/Tables"),
    ],
)
def test_the_forms_of_onelake_are_those_that_deltalake_opens(location, root, path):
    folder = LocationsCatalog({"dev.silver": location})._folder(location)

    assert folder.store.location == f"abfss://{root}@onelake.dfs.fabric.microsoft.com"
    assert (folder.path, folder.uri) == (path, location)
    assert file_system(folder.store.location, {}) is not None, "no request is sent yet"
