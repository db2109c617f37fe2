"""Clones and repositories of all kinds, and what git says about those that it cannot read."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from datetime import date
from pathlib import Path

import pytest

from pytest_delta_schema import Column, Deprecated
from pytest_delta_schema.delta.names import ColumnPath
from pytest_delta_schema.diagnostics.errors import ConfigurationError
from pytest_delta_schema.history import git as git_commands
from pytest_delta_schema.history.contracts import contracts_at
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.state.json_state import state_json_text
from support.git_repository import STATES, GitRepository, state_file
from support.models import table

ORDERS = f"{STATES}/dev.silver.orders.state.json"
CORRECT = "correct that, or give a folder with state files, such as ./old"


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


def test_a_repository_with_sha256(tmp_path, monkeypatch):
    repository = filled(GitRepository.created(tmp_path, monkeypatch, "--object-format=sha256"))

    assert column(repository, "HEAD~2") == "first"
    assert len(contracts_at("v1", project=repository.folder).commit) == 64
    assert column(repository, repository.git("rev-parse", "v1")) == "first"


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
    assert refused(clone, "HEAD~5").startswith(
        "HEAD~5: no branch, tag or commit is called HEAD~5; the clone is shallow, which may hide it; fetch the whole"
    )
    clone.git("fetch", "--quiet", "--depth=3")
    assert contracts_at("main", project=clone.folder).notes == (
        "the clone is shallow, which may hide a nearer merge base; to be sure: git fetch --unshallow",
    )
    clone.git("fetch", "--quiet", "--unshallow")
    assert contracts_at("main", project=clone.folder).notes == ()


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


@pytest.mark.parametrize(("kind", "command"), [("blob:none", "cat-file"), ("tree:0", "ls-tree")])
def test_a_partial_clone(shop, kind, command):
    clone = shop.clone("clone", f"--filter={kind}", "--sparse")
    for ref, expected in (("v1", "first"), ("HEAD~1", "second")):
        text = refused(clone, ref)
        assert text.startswith(f"{ref}: git {command} has failed: ")
        assert text.endswith(f"; {CORRECT}")
        clone.git("archive", "-o", "/dev/null", ref)
        assert column(clone, ref) == expected


def test_the_variables_of_a_hook_choose_no_other_repository(shop, tmp_path, monkeypatch):
    (tmp_path / "other").mkdir()
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "other"))
    monkeypatch.setenv("GIT_WORK_TREE", str(tmp_path / "other"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "index"))

    assert column(shop, "v1") == "first"
    assert refused(GitRepository(tmp_path / "other")) == (
        f"HEAD~1: git rev-parse has failed: not a git repository (or any of the parent directories): .git; {CORRECT}"
    )


def program(folder, monkeypatch, text):
    """Put a program that is called git in front of git on the path."""
    (folder / "bin").mkdir(exist_ok=True)
    (folder / "bin" / "git").write_text(f"#!/bin/sh\n{text}\n")
    (folder / "bin" / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}")


def test_without_git(shop, monkeypatch):
    monkeypatch.setenv("PATH", "")

    assert refused(shop) == (
        "HEAD~1: git cannot be started: No such file or directory (git); install it, or give a folder with state files,"
        " such as ./old"
    )


def test_a_git_that_does_not_finish(shop, tmp_path, monkeypatch):
    program(tmp_path, monkeypatch, "exec sleep 60")
    monkeypatch.setattr(git_commands, "_SECONDS", 0.2)

    assert refused(shop) == (
        "HEAD~1: git rev-parse has not finished in 0.2 seconds; check that the repository is on a local disk"
    )


def test_what_git_says_is_escaped(shop, tmp_path, monkeypatch):
    git = shutil.which("git")
    failing = r"""printf 'hint: x\nfatal: \033[31m https://user:secret@host/\n' >&2; exit 128"""
    program(tmp_path, monkeypatch, f'case "$*" in *diff-index*) {failing};; esac; exec {git} "$@"')

    text = refused(shop)

    assert text.startswith(r"HEAD~1: git diff-index has failed: \u001b[31m https://")
    assert "secret" not in text
    assert text.endswith(f"; {CORRECT}")


@pytest.fixture
def trapped(tmp_path, monkeypatch):
    """A repository and a program that leaves a mark."""
    repository = filled(GitRepository.created(tmp_path, monkeypatch))
    repository.commit({"shop/models.py": "x = 1\n"})
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/mark\n")
    trap.chmod(0o755)
    return repository, trap


def spring(repository, command, mark):
    """Run a command of git on a terminal, and return whether it has run the program, and take its mark away."""
    git = ["git", *shlex.split(command)]
    ours, terminal = os.openpty()
    subprocess.run(git, cwd=repository.folder, stdout=terminal, stderr=subprocess.DEVNULL, check=False, timeout=20)
    os.close(ours)
    os.close(terminal)
    is_sprung = mark.exists()
    mark.unlink(missing_ok=True)
    return is_sprung


def compare(repository):
    """Read the contracts of a commit and of a release, and ask for a ref that does not exist."""
    assert column(repository, "HEAD~1") == "second"
    assert column(repository, "last-release") == "first"
    assert "no branch, tag or commit is called none" in refused(repository, "none")


def make_racy(repository):
    """Write the index while the file is newer than the index, so git compares contents."""
    file = repository.folder / "shop/models.py"
    later = file.stat().st_mtime_ns + 10**12
    os.utime(file, ns=(later, later))
    repository.git("update-index", "--refresh", "--really-refresh")


@pytest.mark.parametrize(("key", "state"), [("clean", "racy"), ("process", "changed")])
def test_no_filter_runs(trapped, tmp_path, key, state):
    repository, trap = trapped
    if state == "racy":
        make_racy(repository)
    else:
        (repository.folder / "shop/models.py").write_text("x = 2\n")
    (repository.folder / ".gitattributes").write_text("*.py filter=x\n")
    repository.git("config", f"filter.x.{key}", trap)

    copy = GitRepository(Path(shutil.copytree(repository.folder, tmp_path / "copy", copy_function=shutil.copy2)))
    compare(repository)

    maybe_changed = git_commands.Repository.around(repository.folder).work_tree().maybe_changed
    assert maybe_changed == (("shop/models.py",) if state == "changed" else ())
    assert not (tmp_path / "mark").exists()
    assert spring(repository, "status", tmp_path / "mark") or spring(copy, "status", tmp_path / "mark")


@pytest.mark.parametrize(
    ("key", "command"),
    [
        ("core.fsmonitor", "status"),
        ("core.pager", "--paginate log"),
        ("core.alternateRefsCommand", "rev-list --alternate-refs"),
        ("diff.external", "diff HEAD~1"),
        ("diff.x.textconv", "log -p --textconv"),
    ],
)
def test_no_program_of_the_configuration_runs(trapped, tmp_path, key, command):
    repository, trap = trapped
    (repository.folder / ".git/info/attributes").write_text("* diff=x\n")
    alternate = repository.clone("alternate")
    (repository.folder / ".git/objects/info/alternates").write_text(f"{alternate.folder}/.git/objects\n")
    make_racy(repository)
    repository.git("config", key, trap)
    os.utime(repository.folder / "shop/models.py", (1, 1))

    compare(repository)

    assert not (tmp_path / "mark").exists()
    assert spring(repository, command, tmp_path / "mark")


@pytest.mark.parametrize(("hook", "command"), [("post-index-change", "status"), ("reference-transaction", "branch x")])
def test_no_hook_runs(trapped, tmp_path, hook, command):
    repository, trap = trapped
    hooks = repository.folder / ".git/hooks"
    hooks.mkdir(exist_ok=True)
    shutil.copy(trap, hooks / hook)
    os.utime(repository.folder / "shop/models.py", (1, 1))

    compare(repository)

    assert not (tmp_path / "mark").exists()
    assert spring(repository, command, tmp_path / "mark")


def test_a_promisor_is_never_asked(trapped, tmp_path, monkeypatch):
    """As on git 2.39.3 and older, which do not know GIT_NO_LAZY_FETCH."""
    repository, trap = trapped
    monkeypatch.delitem(git_commands._SET, "GIT_NO_LAZY_FETCH")
    keys = {
        "remote.origin.url": f"ext::{trap} %S",
        "remote.origin.promisor": "true",
        "remote.origin.partialclonefilter": "blob:none",
        "extensions.partialClone": "origin",
        "core.repositoryFormatVersion": "1",
        "protocol.allow": "always",
    }
    for key, value in keys.items():
        repository.git("config", key, value)
    oid = repository.git("rev-parse", f"v1:{ORDERS}")
    (repository.folder / ".git" / "objects" / oid[:2] / oid[2:]).unlink()

    assert "git cat-file has failed: " in refused(repository, "v1")
    assert not (tmp_path / "mark").exists()
    assert spring(repository, "ls-remote origin", tmp_path / "mark")


def test_every_kind_of_change_of_the_work_tree(trapped):
    repository, _ = trapped
    names = ("gone", "link", "to_file", "to_link", "both", "cached", "same")
    other = GitRepository(repository.folder.parent / "other")
    other.folder.mkdir()
    other.git("init", "--quiet")
    other.commit()
    repository.write({f"{name}.py": name for name in names if name not in {"link", "to_file"}})
    for name in ("link", "to_file"):
        (repository.folder / f"{name}.py").symlink_to("here")
    repository.git("submodule", "--quiet", "add", f"file://{other.folder}", "module.py")
    repository.commit()
    repository.git("checkout", "--quiet", "-b", "side")
    repository.commit({"both.py": "theirs"})
    repository.git("checkout", "--quiet", "-")
    repository.commit({"both.py": "ours"})
    subprocess.run(["git", "merge", "side"], cwd=repository.folder, capture_output=True, check=False)
    (repository.folder / "gone.py").unlink()
    for name in ("link", "to_link"):
        (repository.folder / f"{name}.py").unlink()
        (repository.folder / f"{name}.py").symlink_to("there")
    (repository.folder / "to_file.py").unlink()
    (repository.folder / "to_file.py").write_text("here")
    (repository.folder / ".git/info/exclude").write_text("ignored.py\n")
    repository.git("rm", "--quiet", "--cached", "cached.py")
    repository.write({"new\u00e4.py": "", "ignored.py": "", "tox.ini": "", "sub/setup.cfg": ""})
    module = GitRepository(repository.folder / "module.py")
    module.git("commit", "--quiet", "--allow-empty", "--message=x")
    repository.git("add", "module.py")

    changed = git_commands.Repository.around(repository.folder / "shop").work_tree().changed

    in_index = ("both.py", "cached.py", "gone.py", "link.py", "to_file.py", "to_link.py")
    assert changed == (*in_index, "new\u00e4.py", "sub/setup.cfg", "tox.ini")


NOTE = ColumnPath("note")
FIRST_OF = "2026-{:02}-01T12:00:00+0000"


def announced(*deprecated):
    """Return the state file of a table whose column may be deprecated since last year."""
    since = Deprecated(date(2025, 1, 31)) if deprecated else None
    return state_json_text(desired_state(table(Column("note", "string", deprecated=since))))


@pytest.fixture
def months(tmp_path, monkeypatch):
    """A repository whose commits were made on the first days of months, and their tags."""
    repository = GitRepository.created(tmp_path, monkeypatch)

    def commit(month, content, tag=""):
        monkeypatch.setenv("GIT_COMMITTER_DATE", FIRST_OF.format(month))
        repository.commit({"pyproject.toml": "", ORDERS: content, "month": str(month)})
        if tag:
            repository.git("tag", tag)

    return repository, commit


def since(repository, ref, file=ORDERS):
    return contracts_at(ref, project=repository.folder, environment={}).announcements.of(file, NOTE)


def test_a_deprecation_is_released_with_the_first_commit_that_has_it(months):
    repository, commit = months
    commit(1, announced())
    commit(2, announced("x"))
    commit(3, announced())
    commit(4, announced("x"))
    commit(5, announced("x") + " ")
    repository.git("branch", "next")
    commit(6, announced("x"))

    assert since(repository, "next") == date(2026, 4, 1)
    assert since(repository, "HEAD~1") == date(2026, 4, 1)
    assert contracts_at("next", project=repository.folder).announcements.released_on == date(2026, 5, 1)
    assert since(repository, "HEAD~4") == date(2026, 2, 1)


def test_among_tags_the_first_release_counts_that_has_it(months):
    repository, commit = months
    commit(1, announced(), tag="v1")
    commit(2, announced("x"), tag="other")
    commit(3, announced("x") + " ", tag="v2")
    commit(4, announced("x"), tag="v3")
    commit(5, announced("x"))

    assert since(repository, "last-release") == date(2026, 3, 1)
    assert since(repository, "auto") == date(2026, 3, 1)
    assert since(repository, "v3") == date(2026, 3, 1)
    assert since(repository, "other") == date(2026, 2, 1)
    repository.git("checkout", "--quiet", "--detach", "v1")
    commit(6, announced())
    assert since(repository, "v3") == date(2026, 4, 1)


def test_snapshots_that_cannot_be_read_and_files_that_were_not_there_announce_nothing(months):
    repository, commit = months
    commit(1, announced("x"))
    commit(2, "{")
    commit(3, announced("x"))
    repository.git("rm", "--quiet", ORDERS)
    repository.commit()
    commit(5, announced("x"))
    commit(6, announced("x") + " ")
    commit(7, announced("x"))

    assert since(repository, "HEAD~1") == date(2026, 5, 1)
    assert since(repository, "HEAD~4") == date(2026, 3, 1)


def test_a_history_that_ends_before_the_announcement_proves_nothing(months):
    repository, commit = months
    commit(1, announced())
    commit(2, announced("x"))
    commit(3, announced("x") + " ")
    commit(4, announced("x"))
    shallow = repository.clone("shallow", "--depth=2")

    assert since(shallow, "HEAD~1") == (
        "it is not known since when it is announced; fetch the whole history: git fetch --unshallow"
    )
    deep = repository.clone("deep", "--depth=4")
    assert since(deep, "HEAD~1") == date(2026, 2, 1)
    announcements = contracts_at("HEAD~1", project=repository.folder, environment={}).announcements
    shutil.rmtree(repository.folder / ".git" / "objects")
    assert str(announcements.of(ORDERS, NOTE)).startswith("it is not known since when it is announced: git log")
