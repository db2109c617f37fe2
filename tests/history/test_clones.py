"""Clones and repositories of all kinds, and what git says about those that it cannot read."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from datetime import date
from itertools import product
from pathlib import Path

import pytest

from pytest_delta_schema import Column, Deprecated
from pytest_delta_schema.delta.names import ColumnPath
from pytest_delta_schema.diagnostics.errors import ConfigurationError
from pytest_delta_schema.history import git as git_commands
from pytest_delta_schema.history.contracts import contracts_at
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.state.json_state import state_json_text
from support.case_tables import cases
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
        f"HEAD~1: git rev-parse has failed: not a git repository: {shop.folder}/.git/worktrees/tree; {CORRECT}"
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
        f"HEAD~1: git rev-parse has failed: this operation must be run in a work tree; {CORRECT}"
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


_BY_CI = "or let the CI service do so (GitHub: fetch-depth: 0, GitLab: GIT_DEPTH: 0, Azure: fetchDepth: 0)"


def test_a_shallow_clone_of_depth_2(shop):
    clone = shop.clone("clone", "--depth=2")
    clone.git("branch", "side", clone.git("commit-tree", "-m", "side", "HEAD^{tree}"))

    hidden = "no branch, tag or commit is called HEAD~2; the clone is shallow, which may hide it"
    far = "the clone is shallow, and does not reach the merge base of HEAD and side"
    whole = "fetch the whole history: git fetch --unshallow"
    assert refused(clone, "HEAD~2") == f"HEAD~2: {hidden}; {whole}, {_BY_CI}"
    assert refused(clone, "side") == f"side: {far}; {whole}, {_BY_CI}"
    clone.git("fetch", "--unshallow")
    assert column(clone, "HEAD~2") == "first"


def test_a_whole_clone_without_tags(shop):
    clone = shop.clone("clone", "--no-tags")

    assert refused(clone, "last-release") == (
        "last-release: no tag before HEAD matches v* (setting release_tags); fetch the tags: git fetch --tags, or name a"
        " branch, a tag or a commit"
    )


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


@pytest.mark.parametrize(("kind", "command"), [("blob:none", "cat-file"), ("tree:0", "ls-tree")])
def test_a_partial_clone(shop, kind, command):
    clone = shop.clone("clone", f"--filter={kind}", "--sparse")
    for ref, expected in (("v1", "first"), ("HEAD~1", "second")):
        text = refused(clone, ref)
        assert text.startswith(f"{ref}: git {command} has failed: ")
        assert text.endswith(f"; {CORRECT}")
        clone.git("archive", "-o", "/dev/null", ref)
        assert column(clone, ref) == expected


def test_nothing_is_fetched_by_an_old_git(shop, monkeypatch):
    """Git 2.39.3 and older do not know GIT_NO_LAZY_FETCH."""
    clone = shop.clone("clone", "--filter=blob:none", "--sparse")
    monkeypatch.delitem(git_commands._SET, "GIT_NO_LAZY_FETCH")

    assert "git cat-file has failed: " in refused(clone, "v1")


def test_a_partial_clone_that_has_what_is_needed(shop):
    assert column(shop.clone("blobs", "--filter=blob:none"), "HEAD~1") == "second"
    folders = shop.clone("folders", "--filter=tree:0")
    folders.write({"shop/models.py": "changed"})
    assert column(folders, "HEAD") == "second"


def test_the_variables_of_a_hook_choose_no_other_repository(shop, tmp_path, monkeypatch):
    (tmp_path / "other").mkdir()
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "other"))
    monkeypatch.setenv("GIT_WORK_TREE", str(tmp_path / "other"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "index"))

    assert column(shop, "v1") == "first"
    assert refused(GitRepository(tmp_path / "other")) == (
        f"HEAD~1: git rev-parse has failed: not a git repository (or any of the parent directories): .git; {CORRECT}"
    )


def test_a_repository_without_a_commit(tmp_path, monkeypatch):
    assert refused(GitRepository.created(tmp_path, monkeypatch)) == (
        "HEAD~1: git rev-parse has failed: ambiguous argument 'HEAD^{commit}': unknown revision or path not in the"
        f" working tree.; {CORRECT}"
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

    assert refused(shop) == (
        f"HEAD~1: git rev-parse has failed: detected dubious ownership in repository at '{shop.folder}'; {CORRECT}"
    )


def test_without_git(shop, monkeypatch):
    monkeypatch.setenv("PATH", "")

    assert refused(shop) == (
        "HEAD~1: git cannot be started: No such file or directory (git); install it, or give a folder with state files,"
        " such as ./old"
    )


def test_a_git_that_cannot_be_started(shop, tmp_path, monkeypatch):
    program(tmp_path, monkeypatch, "")
    (tmp_path / "bin" / "git").write_bytes(b"\x7fELF")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))

    assert refused(shop).startswith("HEAD~1: git cannot be started: Exec format error (git); install it, or give")


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


def test_a_damaged_repository(shop):
    def damaged(name):
        oid = shop.git("rev-parse", name)
        file = shop.folder / ".git" / "objects" / oid[:2] / oid[2:]
        content = file.read_bytes()
        file.unlink()
        text = refused(shop, "v1").removesuffix(f"; {CORRECT}").replace(oid, "ID")
        file.write_bytes(content)
        return text

    assert damaged("v1^{tree}") == "v1: git ls-tree has failed: not a tree object"
    assert damaged(f"v1:{ORDERS}") == "v1: git cat-file has failed: ID missing"


_ATTRIBUTE_FILES = (".gitattributes", ".git/info/attributes", "core.attributesFile")
_STATES = ("racy", "touched", "changed", "staged")
_FILTERS = [
    *((key, file, state, False) for key, file, state in product(("clean", "process"), _ATTRIBUTE_FILES[:1], _STATES)),
    *(
        (key, file, state, False)
        for key, state in (("clean", "racy"), ("process", "changed"))
        for file in _ATTRIBUTE_FILES[1:]
    ),
    *((key, "core.attributesFile", "touched", True) for key in ("clean", "process")),
]
"""Each key in each state, each file with attributes, and a file that the configuration includes."""
_HOOKS = ("post-index-change", "reference-transaction", "fsmonitor-watchman", "post-checkout")
_PROGRAMS = {
    "core.fsmonitor": "status",
    "core.pager": "--paginate log",
    "pager.log": "log",
    "credential.helper": "credential fill",
    "core.askPass": "credential fill",
    "core.sshCommand": "ls-remote ssh://example.com/x",
    "core.gitProxy": "ls-remote git://example.com/x",
    "core.alternateRefsCommand": "rev-list --alternate-refs",
    "core.editor": "commit --amend",
    "diff.external": "diff HEAD~1",
    "diff.x.textconv": "log -p --textconv",
    "diff.x.command": "diff HEAD~1",
    "filter.x.smudge": "checkout-index --force shop/models.py",
    "gpg.program": "commit --amend --message=x --gpg-sign",
    "remote.origin.uploadpack": "ls-remote origin",
    "alias.status": "",
    "alias.x": "x",
}
"""The command of git that runs the program of a key; none does for an alias with the name of a command."""


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
    asked = b"protocol=https\nhost=example.com\n\n"
    ours, terminal = os.openpty()
    errors = subprocess.DEVNULL
    subprocess.run(git, cwd=repository.folder, input=asked, stdout=terminal, stderr=errors, check=False, timeout=20)
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


@pytest.mark.parametrize(("key", "file", "state", "included"), _FILTERS)
def test_no_filter_runs(trapped, tmp_path, key, file, state, included):
    repository, trap = trapped
    configure_in = tmp_path / "included" if included else repository.folder / ".git" / "config"
    models = repository.folder / "shop/models.py"
    if state == "racy":
        make_racy(repository)
    elif state == "touched":
        os.utime(models, (1, 1))
    else:
        models.write_text("x = 2\n")
        if state == "staged":
            repository.git("add", "shop/models.py")
            make_racy(repository)
    attributes = tmp_path / "attributes" if file == "core.attributesFile" else repository.folder / file
    attributes.write_text("*.py filter=x\n")
    repository.git("config", "--file", configure_in, f"filter.x.{key}", trap)
    if file == "core.attributesFile":
        repository.git("config", "--file", configure_in, file, attributes)
    if included:
        repository.git("config", "include.path", configure_in)

    copy = GitRepository(Path(shutil.copytree(repository.folder, tmp_path / "copy", copy_function=shutil.copy2)))
    compare(repository)

    assert not (tmp_path / "mark").exists()
    is_changed = state in {"changed", "staged"}
    assert repository_note(repository) == (["shop/models.py"] if is_changed else [])
    assert spring(repository, "status", tmp_path / "mark") or spring(copy, "status", tmp_path / "mark")


def repository_note(repository):
    """Return the files that may have changed; with a filter none is called changed."""
    work_tree = git_commands.Repository.around(repository.folder).work_tree()
    assert work_tree.changed in {(), (".gitattributes",)}
    return list(work_tree.maybe_changed)


@pytest.mark.parametrize("key", _PROGRAMS)
def test_no_program_of_the_configuration_runs(trapped, tmp_path, monkeypatch, key):
    repository, trap = trapped
    monkeypatch.setenv("GIT_TERMINAL_PROMPT", "0")
    (repository.folder / ".git/info/attributes").write_text("* diff=x filter=x\n")
    alternate = repository.clone("alternate")
    (repository.folder / ".git/objects/info/alternates").write_text(f"{alternate.folder}/.git/objects\n")
    repository.git("remote", "add", "origin", f"file://{repository.folder}")
    make_racy(repository)
    repository.git("config", key, f"!{trap}" if key.startswith(("alias", "credential")) else trap)
    os.utime(repository.folder / "shop/models.py", (1, 1))

    compare(repository)

    assert not (tmp_path / "mark").exists()
    assert spring(repository, _PROGRAMS[key] or "status", tmp_path / "mark") == (_PROGRAMS[key] != "")


@pytest.mark.parametrize("folder", [".git/hooks", "core.hooksPath"])
@pytest.mark.parametrize("hook", _HOOKS)
def test_no_hook_runs(trapped, tmp_path, folder, hook):
    repository, trap = trapped
    hooks = tmp_path / "hooks" if folder == "core.hooksPath" else repository.folder / folder
    hooks.mkdir(exist_ok=True)
    shutil.copy(trap, hooks / hook)
    if folder == "core.hooksPath":
        repository.git("config", folder, hooks)
    if hook == "fsmonitor-watchman":
        repository.git("config", "core.fsmonitor", hooks / hook)
    os.utime(repository.folder / "shop/models.py", (1, 1))

    compare(repository)

    assert not (tmp_path / "mark").exists()
    command = {"reference-transaction": "branch x", "post-checkout": "checkout --detach"}.get(hook, "status")
    assert spring(repository, command, tmp_path / "mark")


@pytest.mark.parametrize(
    "address", ["ext::{trap} %S", "ssh://example.com/x", "git://example.com/x", "file:///nowhere", "x::y"]
)
def test_a_promisor_is_never_asked(trapped, tmp_path, monkeypatch, address):
    """As on git 2.39.3 and older, which do not know GIT_NO_LAZY_FETCH."""
    repository, trap = trapped
    monkeypatch.delitem(git_commands._SET, "GIT_NO_LAZY_FETCH")
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    shutil.copy(trap, tmp_path / "git-remote-x")
    keys = {
        "remote.origin.url": address.format(trap=trap),
        "remote.origin.promisor": "true",
        "remote.origin.partialclonefilter": "blob:none",
        "extensions.partialClone": "origin",
        "core.repositoryFormatVersion": "1",
        "core.sshCommand": str(trap),
        "core.gitProxy": str(trap),
        "remote.origin.uploadpack": str(trap),
        "protocol.allow": "always",
    }
    for key, value in keys.items():
        repository.git("config", key, value)
    oid = repository.git("rev-parse", f"v1:{ORDERS}")
    (repository.folder / ".git" / "objects" / oid[:2] / oid[2:]).unlink()

    assert "git cat-file has failed: " in refused(repository, "v1")
    assert not (tmp_path / "mark").exists()
    assert spring(repository, "ls-remote origin", tmp_path / "mark")


_SAME, _OTHER, _WINDOWS = b"x = 1\n", b"x = 2\n", b"x = 1\r\n"


def test_a_file_that_git_converts_may_have_changed(trapped):
    repository, _ = trapped
    file = "shop/models.py"
    kept = "the work tree has uncommitted changes"
    maybe = "the work tree may have uncommitted changes in files that git converts, whose filters are not run"

    def work_tree(attributes, content):
        (repository.folder / ".git/info/attributes").write_text(f"{attributes}\n")
        (repository.folder / file).unlink(missing_ok=True)
        if content is not None:
            (repository.folder / file).write_bytes(content)
        changed, maybe_changed = git_commands.Repository.around(repository.folder).work_tree()
        if changed or maybe_changed:
            notes = [*(f"{kept}: {path}" for path in changed), *(f"{maybe}: {path}" for path in maybe_changed)]
            assert [*contracts_at("HEAD", project=repository.folder).notes] == notes
        else:
            assert "it is HEAD, and no source is changed" in refused(repository, "HEAD")
        assert {*changed, *maybe_changed} <= {file}
        return "changed" if changed else "maybe" if maybe_changed else "same"

    with cases(work_tree) as case:
        for attributes in ("", "*.py text"):
            case(attributes, _SAME, "same")
            case(attributes, _WINDOWS, "same")
        case("*.py eol=crlf", _WINDOWS, "same")
        for attributes in ("", "*.py -text", "*.py binary", "*.py !filter", "other.py filter=lfs"):
            case(attributes, _OTHER, "changed")
        case("", None, "changed")
        for attributes in ("*.py text", "*.py text=auto", "*.py eol=crlf", "*.py crlf", "*.py filter=lfs"):
            case(attributes, _OTHER, "maybe")
        case("*.py filter=lfs", None, "maybe")
        case("*.py working-tree-encoding=UTF-16", "x = 1\n".encode("utf-16"), "maybe")
        case("*.py ident", b"x = 1 # $Id: 1 $\n", "maybe")


def test_every_kind_of_change_of_the_work_tree(trapped):
    repository, _ = trapped
    names = ("gone", "pipe", "link", "to_file", "to_link", "both", "cached", "renamed", "same", "mode")
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
    (repository.folder / "pipe.py").unlink()
    os.mkfifo(repository.folder / "pipe.py")
    for name in ("link", "to_link"):
        (repository.folder / f"{name}.py").unlink()
        (repository.folder / f"{name}.py").symlink_to("there")
    (repository.folder / "to_file.py").unlink()
    (repository.folder / "to_file.py").write_text("here")
    (repository.folder / "mode.py").chmod(0o755)
    (repository.folder / ".git/info/exclude").write_text("ignored.py\n")
    repository.git("rm", "--quiet", "--cached", "cached.py")
    repository.git("mv", "renamed.py", "other name\u00e4.py")
    repository.write({"new.py": "", "ignored.py": "", "tox.ini": "", "sub/setup.cfg": "", "added.py": ""})
    repository.git("add", "added.py")
    module = GitRepository(repository.folder / "module.py")
    module.git("commit", "--quiet", "--allow-empty", "--message=x")
    repository.git("add", "module.py")

    changed = git_commands.Repository.around(repository.folder / "shop").work_tree().changed

    assert changed == (
        "added.py",
        "both.py",
        "cached.py",
        "gone.py",
        "link.py",
        "other name\u00e4.py",
        "pipe.py",
        "renamed.py",
        "to_file.py",
        "to_link.py",
        "new.py",
        "sub/setup.cfg",
        "tox.ini",
    )


def test_files_outside_of_a_sparse_checkout_have_not_changed(trapped):
    repository, _ = trapped
    repository.commit({"docs/x": ""})
    repository.git("sparse-checkout", "set", "docs")
    assert not (repository.folder / "shop/models.py").exists()

    assert git_commands.Repository.around(repository.folder).work_tree() == ((), ())


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


def test_a_merge_counts_on_the_day_of_the_merge(months, monkeypatch):
    repository, commit = months
    commit(1, announced())
    repository.git("checkout", "--quiet", "-b", "work")
    commit(2, announced("x"))
    repository.git("checkout", "--quiet", "main")
    monkeypatch.setenv("GIT_COMMITTER_DATE", FIRST_OF.format(3))
    repository.git("merge", "--quiet", "--no-ff", "--message=Merge", "work")
    repository.git("branch", "next")
    commit(4, announced("x"))

    assert since(repository, "next") == date(2026, 3, 1)


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


def test_a_folder_announces_nothing(shop):
    assert contracts_at(f"{shop.folder}/shop", project=shop.folder).announcements is None
