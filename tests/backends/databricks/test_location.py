"""Where the catalog of the backend databricks is: the header names it, and reports of two workspaces stay apart."""

from __future__ import annotations

import pytest

from pytest_delta_schema.backends.backend import BackendSettings
from pytest_delta_schema.backends.databricks.backend import BACKEND

HOST, PROFILE = "DATABRICKS_HOST", "DATABRICKS_CONFIG_PROFILE"


@pytest.mark.parametrize(
    ("environment", "location"),
    [
        ({}, ""),
        ({HOST: ""}, ""),
        ({HOST: "https://prod.cloud.databricks.com"}, "workspace https://prod.cloud.databricks.com"),
        ({HOST: "staging.cloud.databricks.com"}, "workspace staging.cloud.databricks.com"),
        (
            {HOST: "https://user:dapi-secret@prod.example.com?token=x"},
            "workspace https://***@prod.example.com?token=***",
        ),
        ({PROFILE: "staging"}, "profile staging"),
        ({HOST: "https://prod.example.com", PROFILE: "staging"}, "workspace https://prod.example.com"),
    ],
    ids=["nothing", "empty", "host", "host without scheme", "secrets", "profile", "host and profile"],
)
def test_the_location_of_a_workspace_names_no_secret(monkeypatch, environment, location):
    for name in (HOST, PROFILE):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)

    assert BACKEND.location(BackendSettings(values={})) == location
