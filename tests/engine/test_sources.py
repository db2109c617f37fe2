"""The commit and the root of the sources, and their address on a server."""

from __future__ import annotations

import os
import subprocess

import pytest

from pytest_delta_schema.diagnostics.errors import Location
from pytest_delta_schema.engine.sources import SourceRoot, git_commit, source_url

COMMIT = "a" * 40
HERE = Location("", 3, 5, 4)
VARIABLES = {
    "GITHUB_WORKSPACE": "GITHUB_SHA",
    "CI_PROJECT_DIR": "CI_COMMIT_SHA",
    "BUILD_SOURCESDIRECTORY": "BUILD_SOURCEVERSION",
}


@pytest.fixture(autouse=True)
def _outside_of_ci(monkeypatch):
    """Hide the variables of the service that runs these tests."""
    for name in (*VARIABLES, *VARIABLES.values()):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def git(tmp_path, monkeypatch):
    """Run git in a new repository with one commit, whatever the user has configured."""
    for name, value in {"HOME": tmp_path, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CEILING_DIRECTORIES": tmp_path}.items():
        monkeypatch.setenv(name, str(value))
    monkeypatch.delenv("GIT_DIR", raising=False)
    author = ("-c", "user.name=a", "-c", "user.email=a@b")

    def run(*arguments, folder=tmp_path / "top"):
        answer = subprocess.run(["git", *author, *arguments], cwd=folder, capture_output=True, text=True, check=True)
        return answer.stdout.strip()

    (tmp_path / "top" / "project").mkdir(parents=True)
    run("init", "--quiet", "--initial-branch=x/y")
    run("commit", "--quiet", "--allow-empty", "--message=first")
    return run


def test_the_commit_that_git_has_checked_out(git, tmp_path):
    top, first = tmp_path / "top", git("rev-parse", "HEAD")

    assert git_commit(top / "project") == first
    git("pack-refs", "--all")
    assert git_commit(top) == first
    git("commit", "--quiet", "--allow-empty", "--message=second")
    git("worktree", "add", "--quiet", "../other", first)
    assert git_commit(tmp_path / "other") == first != git_commit(top)
    git("checkout", "--quiet", "--detach", first)
    assert git_commit(top) == first
    git("checkout", "--quiet", "--orphan", "new")
    assert git_commit(top) == ""


NAMED = [
    # the variable of the folder, that folder, the commit that the service names, and whether it is the answer
    *((folder, "top", COMMIT, True) for folder in VARIABLES),
    ("GITHUB_WORKSPACE", ".", COMMIT, False),  # of another repository around this one
    ("CI_PROJECT_DIR", "top", "main", False),
]


def test_the_commit_that_a_service_names(git, tmp_path, monkeypatch):
    for folder, root, named, is_answer in NAMED:
        with monkeypatch.context() as service:
            service.setenv(folder, str(tmp_path / root))
            service.setenv(VARIABLES[folder], named)

            assert git_commit(tmp_path / "top" / "project") == (named if is_answer else git("rev-parse", "HEAD")), (
                folder
            )


def test_a_service_that_downloads_sources_without_git_names_their_commit(tmp_path, monkeypatch):
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
    monkeypatch.setenv("GITHUB_SHA", COMMIT)

    assert git_commit(tmp_path) == COMMIT


@pytest.mark.parametrize(
    ("variables", "file", "expected"),
    [
        ({}, "top/project/a.py", "project/a.py"),
        ({"GITHUB_WORKSPACE": "top/project"}, "top/project/x/a.py", "x/a.py"),
        ({"CI_PROJECT_DIR": "elsewhere", "BUILD_SOURCESDIRECTORY": ""}, "top/project/a.py", "project/a.py"),
        ({"BUILD_SOURCESDIRECTORY": "."}, "other/a.py", "other/a.py"),
        ({}, "other/a.py", None),
    ],
)
def test_root_of_the_sources(tmp_path, monkeypatch, variables, file, expected):
    (tmp_path / "top" / ".git").mkdir(parents=True)
    for name, folder in variables.items():
        monkeypatch.setenv(name, folder and str(tmp_path / folder))

    location = SourceRoot(tmp_path / "top" / "project").relative(HERE._replace(file=str(tmp_path / file)))

    assert location == (None if expected is None else HERE._replace(file=expected))


def test_a_file_of_the_project_is_below_its_root_and_not_installed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sources = SourceRoot(tmp_path)
    files = [
        tmp_path / "a.py",
        tmp_path / "lib" / "site-packages" / "a.py",
        tmp_path.parent / "a.py",
        "a.py",
        "<string>",
    ]

    assert [sources.is_own(HERE._replace(file=str(file))) for file in files] == [True, False, False, False, False]


GITHUB = {"GITHUB_SERVER_URL": "https://github.com", "GITHUB_REPOSITORY": "acme/shop"}
AZURE = "https://acme@dev.azure.com/acme/my%20data/_git/shop"
ADDRESSES = {
    "no service": ({}, ""),
    "GitHub": ({"GITHUB_WORKSPACE": "shop", **GITHUB}, f"https://github.com/acme/shop/blob/{COMMIT}"),
    "GitLab": (
        {"CI_PROJECT_DIR": "shop", "CI_PROJECT_URL": "https://git.acme.example/data/shop"},
        f"https://git.acme.example/data/shop/-/blob/{COMMIT}",
    ),
    "Azure Repos": (
        {"BUILD_SOURCESDIRECTORY": "shop", "BUILD_REPOSITORY_URI": AZURE},
        f"https://dev.azure.com/acme/my%20data/_git/shop?version=GC{COMMIT}&path=",
    ),
    "another repository inside of the folder": ({"GITHUB_WORKSPACE": ".", **GITHUB}, ""),
    "a variable is missing": ({"GITHUB_WORKSPACE": "shop"}, ""),
}


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A repository in its own folder, without the variables of the service that runs these tests."""
    for name in list(os.environ):
        if name.startswith(("GITHUB_", "CI_", "BUILD_")):
            monkeypatch.delenv(name)
    (tmp_path / "shop" / ".git").mkdir(parents=True)
    (tmp_path / "shop" / "tests").mkdir()
    return tmp_path / "shop"


@pytest.mark.parametrize(("variables", "address"), ADDRESSES.values(), ids=ADDRESSES)
def test_the_address_of_the_sources(checkout, monkeypatch, variables, address):
    for name, value in variables.items():
        is_folder = name.endswith(("WORKSPACE", "DIR", "DIRECTORY"))
        monkeypatch.setenv(name, str(checkout.parent / value) if is_folder else value)

    assert [source_url(checkout / root, COMMIT) for root in (".", "tests")] == [address, address]
