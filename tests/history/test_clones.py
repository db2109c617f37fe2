"""Clones and repositories of all kinds, and what git says about those that it cannot read."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from pytest_delta_schema.diagnostics.errors import ConfigurationError
from pytest_delta_schema.history import git as git_commands
from pytest_delta_schema.history.contracts import contracts_at
from support.git_repository import STATES, GitRepository, state_file

ORDERS = f"{STATES}/dev.silver.orders.state.json"


@pytest.fixture
def shop(tmp_path, monkeypatch):
    """A repository with three commits on ``main``."""
    return filled(GitRepository.created(tmp_path, monkeypatch))


def filled(repository):
    repository.commit({"pyproject.toml": "", ORDERS: state_file(column="first")})
    repository.git("tag", "v1")
    repository.commit({ORDERS: state_file(column="second")})
    repository.commit({"shop/models.py": ""})
    return repository


def column(repository, ref, project="."):
    contracts = contracts_at(ref, project=repository.folder / project)
    (contract,) = contracts.tables.values()
    return contract.state.columns[0].name


def refused(repository, ref="HEAD~1", environment=None):
    with pytest.raises(ConfigurationError) as error:
        contracts_at(ref, project=repository.folder, environment=environment or {})
    return str(error.value)


def test_packed_refs(shop):
    shop.git("pack-refs", "--all")
    shop.git("gc", "--quiet")

    assert column(shop, "v1") == "first"


def test_a_repository_with_sha256(tmp_path, monkeypatch):
    repository = filled(GitRepository.created(tmp_path, monkeypatch, "--object-format=sha256"))

    assert column(repository, "HEAD~2") == "first"
    assert len(contracts_at("v1", project=repository.folder).commit) == 64
    assert column(repository, repository.git("rev-parse", "v1")) == "first"


def test_a_further_work_tree(shop, tmp_path):
    shop.git("worktree", "add", "--quiet", "--detach", tmp_path / "tree")

    assert column(GitRepository(tmp_path / "tree"), "v1") == "first"
    shutil.rmtree(shop.folder)
    assert refused(GitRepository(tmp_path / "tree")) == (
        f"HEAD~1: git cannot read the repository: not a git repository: {shop.folder}/.git/worktrees/tree;"
        " make the whole repository available, and not a work tree alone"
    )


def test_a_sparse_checkout(shop):
    shop.commit({"docs/x": ""})
    shop.git("sparse-checkout", "set", "docs")
    assert not (shop.folder / "shop").exists()

    assert column(shop, "v1") == "first"


def test_a_submodule_is_a_repository_of_its_own(shop, tmp_path):
    (tmp_path / "around").mkdir()
    around = GitRepository(tmp_path / "around")
    around.git("init", "--quiet")
    around.git("submodule", "--quiet", "add", f"file://{shop.folder}", "shop")
    around.commit()

    assert column(around, "v1", "shop") == "first"


def test_a_bare_clone(shop, tmp_path):
    shop.git("clone", "--quiet", "--bare", ".", tmp_path / "bare")

    assert refused(GitRepository(tmp_path / "bare")) == (
        "HEAD~1: the project is in a bare repository, which has no work tree; add one: git worktree add ../work"
    )


def test_a_shallow_clone(shop):
    shop.git("checkout", "--quiet", "-b", "feature", "HEAD~1")
    shop.commit()
    shop.commit()
    clone = shop.clone("clone", "--depth=1", "--branch=feature", "--no-single-branch")

    assert refused(clone, "main") == (
        "main: the clone is shallow, and does not reach the merge base of HEAD and origin/main; fetch the whole"
        " history: git fetch --unshallow, or let the CI service do so (GitHub: fetch-depth: 0, GitLab: GIT_DEPTH: 0,"
        " Azure: fetchDepth: 0)"
    )
    assert refused(clone, "last-release") == (
        "last-release: no tag before HEAD matches v* (setting release_tags); fetch the tags: git fetch --tags"
        " --unshallow, or name a branch, a tag or a commit"
    )
    assert column(clone, "tip:main") == "second"
    clone.git("fetch", "--quiet", "--depth=3")
    assert contracts_at("main", project=clone.folder).notes == (
        "the clone is shallow, which may hide a nearer merge base; to be sure: git fetch --unshallow",
    )
    clone.git("fetch", "--quiet", "--unshallow")
    assert contracts_at("main", project=clone.folder).notes == ()


def test_a_shallow_clone_of_one_branch(shop):
    shop.git("branch", "other")
    clone = shop.clone("clone", "--depth=1")
    command = "git fetch --unshallow origin other:refs/remotes/origin/other"

    assert refused(clone, "other") == (
        f"other: no branch, tag or commit is called other; fetch it: {command}, or let the CI service do so"
        " (GitHub: fetch-depth: 0, GitLab: GIT_DEPTH: 0, Azure: fetchDepth: 0)"
    )
    clone.git(*command.split()[1:])
    clone.commit()
    assert column(clone, "other") == "second"


def test_a_pull_request_as_github_checks_it_out(shop, tmp_path):
    """As actions/checkout does: one commit, which merges the pull request, without a branch."""
    shop.git("checkout", "--quiet", "-b", "feature", "HEAD~1")
    shop.commit({ORDERS: state_file(column="third")})
    shop.git("checkout", "--quiet", "--detach", "main")
    shop.git("merge", "--quiet", "--no-ff", "--message=merge", "feature")
    shop.git("update-ref", "refs/pull/1/merge", "HEAD")
    (tmp_path / "runner").mkdir()
    runner = GitRepository(tmp_path / "runner")
    runner.git("init", "--quiet")
    runner.git("remote", "add", "origin", f"file://{shop.folder}")
    runner.git("fetch", "--quiet", "--depth=1", "origin", "+refs/pull/1/merge:refs/remotes/pull/1/merge")
    runner.git("checkout", "--quiet", "refs/remotes/pull/1/merge")
    environment = {"GITHUB_BASE_REF": "main"}
    command = "git fetch --unshallow origin main:refs/remotes/origin/main"

    assert refused(runner, "auto", environment) == (
        f"auto: GITHUB_BASE_REF is main: no branch, tag or commit is called main; fetch it: {command}, or let the CI"
        " service do so (GitHub: fetch-depth: 0, GitLab: GIT_DEPTH: 0, Azure: fetchDepth: 0)"
    )
    runner.git(*command.split()[1:])
    contracts = contracts_at("auto", project=runner.folder, environment=environment)
    commit = shop.git("rev-parse", "main")
    assert contracts.commit == commit
    assert contracts.label == (
        f"auto: GITHUB_BASE_REF is main: merge base {commit[:12]} with origin/main, 2 commits before HEAD"
    )


@pytest.mark.parametrize("kind", ["blob:none", "tree:0"])
@pytest.mark.parametrize("ref", ["v1", "HEAD~1"])
def test_a_partial_clone(shop, kind, ref):
    clone = shop.clone("clone", f"--filter={kind}", "--sparse")
    commit = shop.git("rev-parse", ref)[:12]

    assert refused(clone, ref) == (
        f"{ref}: the clone lacks files of commit {commit}, because it was made with a filter, and nothing is fetched"
        f" here; fetch them: git archive -o /dev/null {commit}, or clone without --filter"
    )
    clone.git("archive", "-o", "/dev/null", commit)
    assert column(clone, ref) == ("first" if ref == "v1" else "second")


def test_nothing_is_fetched_by_an_old_git(shop, monkeypatch):
    """Git 2.39.3 and older do not know GIT_NO_LAZY_FETCH."""
    clone = shop.clone("clone", "--filter=blob:none", "--sparse")
    monkeypatch.delitem(git_commands._SET, "GIT_NO_LAZY_FETCH")

    assert "the clone lacks files of commit" in refused(clone, "v1")


def test_a_partial_clone_that_has_what_is_needed(shop):
    clone = shop.clone("clone", "--filter=blob:none")

    assert column(clone, "HEAD~1") == "second"


def test_a_partial_clone_with_the_folders_of_one_commit(shop):
    clone = shop.clone("clone", "--filter=tree:0")
    clone.write({"shop/models.py": "changed"})

    assert column(clone, "HEAD") == "second"


def test_the_variables_of_a_hook_choose_no_other_repository(shop, tmp_path, monkeypatch):
    (tmp_path / "other").mkdir()
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "other"))
    monkeypatch.setenv("GIT_WORK_TREE", str(tmp_path / "other"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "index"))

    assert column(shop, "v1") == "first"
    assert refused(GitRepository(tmp_path / "other")) == (
        "HEAD~1: the project is not in a git repository, and the variable GIT_DIR is not used;"
        " give a folder with state files, such as ./old"
    )
    monkeypatch.delenv("GIT_DIR")
    assert refused(GitRepository(tmp_path / "other")) == (
        "HEAD~1: the project is not in a git repository; give a folder with state files, such as ./old"
    )


def test_a_repository_without_a_commit(tmp_path, monkeypatch):
    assert refused(GitRepository.created(tmp_path, monkeypatch)) == (
        "HEAD~1: the repository has no commit yet, so there is nothing to compare with; commit the snapshots first"
    )


def program(folder, monkeypatch, text):
    """Put a program that is called git in front of git on the path."""
    (folder / "bin").mkdir(exist_ok=True)
    (folder / "bin" / "git").write_text(f"#!/bin/sh\n{text}\n")
    (folder / "bin" / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}")


def test_a_repository_of_a_different_user(shop, tmp_path, monkeypatch):
    git = shutil.which("git")
    program(tmp_path, monkeypatch, f'GIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec {git} "$@"')

    (tmp_path / "link").symlink_to(shop.folder)

    text = refused(GitRepository(tmp_path / "link"))

    command = f"git config --global --add safe.directory {shop.folder}"
    assert text == (
        f"HEAD~1: git does not read the repository, because it belongs to a different user; trust it: {command}"
    )
    shop.git(*command.split()[1:])
    assert column(shop, "v1") == "first"


def test_without_git(shop, monkeypatch):
    monkeypatch.setenv("PATH", "")

    assert refused(shop) == (
        "HEAD~1: git is not installed, or not on the PATH; install it, or give a folder with state files, such as ./old"
    )


def test_a_git_that_cannot_be_started(shop, tmp_path, monkeypatch):
    program(tmp_path, monkeypatch, "")
    (tmp_path / "bin" / "git").write_bytes(b"\x7fELF")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))

    assert refused(shop) == "HEAD~1: git cannot be started: Exec format error (git); check the installation of git"


def test_a_git_that_does_not_finish(shop, tmp_path, monkeypatch):
    program(tmp_path, monkeypatch, "exec sleep 60")
    monkeypatch.setattr(git_commands, "_SECONDS", 0.2)

    assert refused(shop) == (
        "HEAD~1: git rev-parse has not finished in 0.2 seconds; check that the repository is on a local disk"
    )


def test_what_git_says_is_escaped(shop, tmp_path, monkeypatch):
    git = shutil.which("git")
    failing = r"""printf 'hint: x\nfatal: \033[31m https://user:secret@host/\n' >&2; exit 128"""
    program(tmp_path, monkeypatch, f'case "$*" in *status*) {failing};; esac; exec {git} "$@"')

    text = refused(shop)

    assert text.startswith(r"HEAD~1: git status has failed: \u001b[31m https://")
    assert "secret" not in text
    assert text.endswith("; check the repository: git fsck")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("v1^{tree}", "v1: git ls-tree has failed: not a tree object; check the repository: git fsck"),
        (f"v1:{ORDERS}", "v1: the repository lacks files of commit "),
    ],
)
def test_a_damaged_repository(shop, name, text):
    oid = shop.git("rev-parse", name)
    (shop.folder / ".git" / "objects" / oid[:2] / oid[2:]).unlink()

    assert refused(shop, "v1").startswith(text)
    assert refused(shop, "v1").endswith("; check the repository: git fsck")


def test_no_hook_and_no_monitor_runs(shop, tmp_path):
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\n")
    trap.chmod(0o755)
    shop.git("config", "core.fsmonitor", trap)
    shop.git("config", "core.pager", trap)
    shop.git("config", "filter.x.smudge", trap)
    shop.git("config", "filter.x.clean", trap)
    (shop.folder / ".git" / "info" / "attributes").write_text("*.json filter=x\n")
    Path(shop.folder / ORDERS).touch()

    assert column(shop, "v1") == "first"
    assert not (tmp_path / "sprung").exists()
