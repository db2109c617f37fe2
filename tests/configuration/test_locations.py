"""Which folders names have, and what cannot be one: every fault at once, without secrets."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_delta_schema.configuration.section import SettingError
from pytest_delta_schema.configuration.values import value_from_toml
from pytest_delta_schema.settings.table import BY_NAME
from support.snapshots import TextSnapshot

ONELAKE = "onelake.dfs.fabric.microsoft.com"
GUID = "5e9e6d3b-0000-4000-8000-000000000000"
WRONG = {
    "dev": "s3://lake/silver",
    "dev.silver.orders.id": "s3://lake/silver",
    "dev..orders": "s3://lake/silver",
    "dev.silver": "s3://lake/silver",
    "Dev.SILVER": "s3://lake/other",
    "a.empty": " ",
    "a.scheme": "hdfs://node/lake",
    "a.one_slash": "s3:/lake/silver",
    "a.web": f"https://{ONELAKE}/ws/lake.Lakehouse/Tables",
    "a.no_bucket": "s3:///silver",
    "a.above": "s3://lake/silver/../gold",
    "a.password": "s3://AKIAUSER:the-password@lake/silver",
    "a.user": "gs://somebody@lake/silver",
    "a.container": f"abfss://ws:the-password@{ONELAKE}/lake.Lakehouse/Tables",
    "a.sas": "az://lake/silver?sv=2024&sig=the-signature",
    "a.machine": "file://host/lake",
}


def value(name, given):
    return value_from_toml(BY_NAME[name], given, name, Path("/project"))


def test_faults_name_each_location_and_no_secret(snapshot):
    with pytest.raises(SettingError) as caught:
        value("locations", WRONG)

    text = str(caught.value)
    assert text == snapshot(extension_class=TextSnapshot)
    assert not any(secret in text for secret in ("the-password", "the-signature", "AKIAUSER", "somebody"))


@pytest.mark.parametrize(
    ("given", "location"),
    [
        (f"abfss://ws@{ONELAKE}/lake.Lakehouse/Tables/silver", f"abfss://ws@{ONELAKE}/lake.Lakehouse/Tables/silver"),
        (f"abfss://{GUID}@{ONELAKE}/{GUID}/Tables/", f"abfss://{GUID}@{ONELAKE}/{GUID}/Tables"),
        ("S3A://lake/gold//", "s3://lake/gold"),
        ("gs://lake", "gs://lake"),
        ("file:///mnt/a%20b/", "/mnt/a b"),
        ("/mnt/ref/", "/mnt/ref"),
        ("lake/silver", "/project/lake/silver"),
        ("../lake/silver", "/lake/silver"),
    ],
)
def test_locations(given, location):
    assert value("locations", {"Dev.`Sil.ver`": given}) == ((("dev", "sil.ver"), location),)


def test_options_of_stores():
    assert value("storage_options", {"timeout": "2m", "max_retries": 0}) == (("timeout", "2m"), ("max_retries", "0"))
    with pytest.raises(SettingError) as caught:
        value("storage_options", {"timeout": 30, "max_retries": "many", "aws_secret_access_key": "x"})
    assert str(caught.value).splitlines() == [
        (
            "storage_options: there is no option aws_secret_access_key; choose among connect_timeout, max_retries,"
            " retry_timeout, timeout"
        ),
        "storage_options: timeout is '30'; write a time such as '30s'",
        "storage_options: max_retries is 'many'; write a whole number",
    ]
