"""Where GitHub, GitLab and Azure Repos show the sources of a run."""

from __future__ import annotations

import os

import pytest

from pytest_delta_schema.plugin.reports import source_url

COMMIT = "0123456789abcdef0123456789abcdef01234567"
GITHUB = {"GITHUB_SERVER_URL": "https://github.com", "GITHUB_REPOSITORY": "acme/shop"}


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A repository in its own folder, without the variables of the service that runs these tests."""
    for name in list(os.environ):
        if name.startswith(("GITHUB_", "CI_", "BUILD_")):
            monkeypatch.delenv(name)
    (tmp_path / "shop" / ".git").mkdir(parents=True)
    (tmp_path / "shop" / "tests").mkdir()
    return tmp_path / "shop"


@pytest.mark.parametrize(
    ("variables", "address"),
    [
        pytest.param({}, "", id="no service"),
        pytest.param(
            {"GITHUB_WORKSPACE": "shop", **GITHUB}, f"https://github.com/acme/shop/blob/{COMMIT}", id="GitHub"
        ),
        pytest.param(
            {"CI_PROJECT_DIR": "shop", "CI_PROJECT_URL": "https://git.acme.example/data/shop"},
            f"https://git.acme.example/data/shop/-/blob/{COMMIT}",
            id="GitLab",
        ),
        pytest.param(
            {
                "BUILD_SOURCESDIRECTORY": "shop",
                "BUILD_REPOSITORY_URI": "https://acme@dev.azure.com/acme/my%20data/_git/shop",
            },
            f"https://dev.azure.com/acme/my%20data/_git/shop?version=GC{COMMIT}&path=",
            id="Azure Repos",
        ),
        pytest.param(
            {"BUILD_SOURCESDIRECTORY": "shop", "BUILD_REPOSITORY_URI": "https://github.com/acme/shop"},
            "",
            id="a repository elsewhere in Azure Pipelines",
        ),
        pytest.param(
            {"BUILD_SOURCESDIRECTORY": "shop", "BUILD_REPOSITORY_URI": "https://[/_git/shop"}, "", id="no address"
        ),
        pytest.param({"GITHUB_WORKSPACE": ".", **GITHUB}, "", id="another repository inside of the folder"),
        pytest.param({"GITHUB_WORKSPACE": "shop"}, "", id="a variable is missing"),
    ],
)
@pytest.mark.parametrize("root", [".", "tests"])
def test_the_address_of_the_sources(checkout, monkeypatch, variables, address, root):
    for name, value in variables.items():
        monkeypatch.setenv(
            name, str(checkout.parent / value) if name.endswith(("WORKSPACE", "DIR", "DIRECTORY")) else value
        )

    assert source_url(checkout / root, COMMIT) == address


def test_without_a_commit_or_a_repository_there_is_none(checkout, monkeypatch):
    monkeypatch.setenv("GITHUB_WORKSPACE", str(checkout))

    assert source_url(checkout, "") == ""
    assert source_url(checkout.parent, COMMIT) == ""
