"""What REF means, and the text for each that means nothing."""

from __future__ import annotations

import pytest

from pytest_delta_schema.diagnostics.errors import ConfigurationError
from pytest_delta_schema.history.contracts import contracts_at
from pytest_delta_schema.history.git import git_top
from support.case_tables import cases
from support.git_repository import STATES, GitRepository, state_file
from support.snapshots import ReviewedCases

ORDERS = f"{STATES}/dev.silver.orders.state.json"


@pytest.fixture
def shop(tmp_path, monkeypatch):
    """A repository whose branch ``feature`` has two commits more than ``main``, which are checked out."""
    repository = GitRepository.created(tmp_path, monkeypatch)
    repository.commit({"pyproject.toml": "", "shop/models.py": "", ORDERS: state_file(column="first")})
    repository.git("tag", "v1.0.0")
    repository.commit({ORDERS: state_file(column="second")})
    repository.git("checkout", "--quiet", "-b", "feature")
    repository.commit({ORDERS: state_file(column="third")})
    repository.commit({ORDERS: state_file(column="fourth")})
    monkeypatch.chdir(repository.folder)
    return repository


def past(repository, ref, **options):
    return contracts_at(ref, project=repository.folder, **{"environment": {}, **options})


def column(contracts):
    (contract,) = contracts.tables.values()
    return contract.state.columns[0].name


def refused(repository, ref, **options):
    with pytest.raises(ConfigurationError) as error:
        past(repository, ref, **options)
    return str(error.value)


def test_the_top_folder_of_a_work_tree(shop):
    assert git_top(shop.folder / "shop") == git_top(shop.folder) == shop.folder
    assert git_top(shop.folder.parent) is None


def test_a_repository_that_lacks_an_object(shop):
    oid = shop.git("rev-parse", f"v1.0.0:{ORDERS}")
    (shop.folder / ".git" / "objects" / oid[:2] / oid[2:]).unlink()

    assert refused(shop, "v1.0.0").startswith(f"v1.0.0: git cat-file has failed: {oid} missing; ")


def test_what_a_ref_means(shop):
    shop.write({"shop/models.py": "changed"})

    def meaning(ref, named):
        commit = shop.git("rev-parse", named)
        contracts = past(shop, ref)
        assert (contracts.ref, contracts.commit) == (ref, commit)
        assert contracts.notes == ("the work tree has uncommitted changes: shop/models.py",)
        return contracts.label.removeprefix(f"{ref}: ").replace(commit[:12], "ID"), column(contracts)

    with cases(meaning) as case:
        case("main", "main", ("merge base ID, 2 commits before HEAD", "second"))
        for ref in ("heads/main", "refs/heads/main", "@{-1}"):
            case(ref, "main", ("merge base ID with main, 2 commits before HEAD", "second"))
        case("tip:main", "main", ("tip ID of main", "second"))
        for ref in ("v1.0.0", "refs/tags/v1.0.0", "main~1"):
            case(ref, "v1.0.0", ("commit ID", "first"))
        case("HEAD~1", "HEAD~1", ("commit ID", "third"))
        case("HEAD^{/change}", "feature~0", ("commit ID", "fourth"))
        case("last-release", "v1.0.0", ("tag v1.0.0, commit ID", "first"))
        case("auto", "v1.0.0", ("last-release: tag v1.0.0, commit ID", "first"))


def test_a_commit_by_its_id(shop):
    commit = shop.git("rev-parse", "v1.0.0")

    assert column(past(shop, commit)) == column(past(shop, commit[:7])) == "first"


def test_of_the_local_branch_and_that_of_the_remote_the_nearer_merge_base(shop):
    shop.git("checkout", "--quiet", "main")
    clone = shop.clone("clone")
    shop.git("merge", "--quiet", "feature~1")
    clone.git("fetch", "--quiet")
    clone.git("checkout", "--quiet", "feature")

    contracts = past(clone, "main")

    assert contracts.label == f"main: merge base {contracts.commit[:12]} with origin/main, 1 commit before HEAD"
    assert column(contracts) == "third"
    assert column(past(clone, "tip:main")) == "third"
    clone.git("checkout", "--quiet", "main")
    clone.git("merge", "--quiet", "origin/feature")
    clone.git("checkout", "--quiet", "--detach")
    clone.commit()
    assert column(past(clone, "tip:main")) == "fourth"
    clone.git("branch", "--force", "main", clone.commit(message="other"))
    shop.commit({ORDERS: state_file(column="fifth")})
    clone.git("fetch", "--quiet")
    assert refused(clone, "tip:main") == (
        "tip:main: main and origin/main have diverged; write tip:refs/heads/main or tip:refs/remotes/origin/main"
    )


def test_several_merge_bases(shop):
    shop.git("checkout", "--quiet", "main")
    shop.commit({"README": "x"})
    shop.git("merge", "--quiet", "--no-ff", "feature", "--message=one")
    shop.git("checkout", "--quiet", "feature")
    shop.git("merge", "--quiet", "--no-ff", "main^1", "--message=two")
    shop.commit()

    contracts = past(shop, "main")

    assert len(contracts.notes) == 1
    assert contracts.notes[0].startswith("main and HEAD have further merge bases, which are not compared: ")


@pytest.mark.parametrize(
    ("dates", "expected"),
    [
        ({"v1.9": 2, "v1.10": 2}, "v1.10"),
        ({"v2": 2, "v1.10": 1}, "v2"),
        ({"v2": 1, "v1.10": 2}, "v1.10"),
        ({"v1": 1, "release": 2}, "v1"),
    ],
)
def test_the_newest_release(shop, monkeypatch, dates, expected):
    shop.git("tag", "--delete", "v1.0.0")
    for tag, day in dates.items():
        monkeypatch.setenv("GIT_COMMITTER_DATE", f"2026-03-0{day}T12:00:00+0000")
        shop.commit()
        annotated = ["--annotate", "--message=x"] if tag.startswith("v1") else []
        shop.git("tag", *annotated, tag)
    shop.commit()
    shop.git("tag", "v9")

    assert past(shop, "last-release").label.startswith(f"last-release: tag {expected}, commit ")


def test_patterns_of_release_tags(shop):
    shop.git("tag", "shop/7", "HEAD~1")

    contracts = past(shop, "last-release", release_tags=["shop/*", "other"])

    assert column(contracts) == "third"


def test_the_target_branch_that_a_service_names(shop):
    whole, short = "refs/heads/main", "main"
    with cases(
        lambda environment: past(shop, "auto", environment=environment).label.partition(" is main: ")[0]
    ) as case:
        for name, branch in (
            *(("GITHUB_BASE_REF", short), ("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", short)),
            *(("SYSTEM_PULLREQUEST_TARGETBRANCH", whole), ("SYSTEM_PULLREQUEST_TARGETBRANCH", short)),
            *(("BITBUCKET_PR_DESTINATION_BRANCH", short), ("BUILDKITE_PULL_REQUEST_BASE_BRANCH", short)),
            ("CODEBUILD_WEBHOOK_BASE_REF", whole),
        ):
            case({name: branch}, f"auto: {name}")
        case({"GITHUB_BASE_REF": "", "CHANGE_TARGET": "main"}, "auto: CHANGE_TARGET")
    assert past(shop, "auto", environment={"CHANGE_TARGET": "main"}).label.startswith(
        "auto: CHANGE_TARGET is main: merge base "
    )
    assert past(shop, "auto", environment={}).label.startswith("auto: last-release: tag v1.0.0, commit ")


def test_the_merge_base_that_gitlab_names_for_a_clone_without_the_branch(shop):
    commit = shop.git("rev-parse", "main")
    environment = {"CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "prod", "CI_MERGE_REQUEST_DIFF_BASE_SHA": commit}

    contracts = past(shop, "auto", environment=environment)

    assert contracts.label == (
        f"auto: CI_MERGE_REQUEST_TARGET_BRANCH_NAME is prod: merge base {commit[:12]} of CI_MERGE_REQUEST_DIFF_BASE_SHA"
    )
    assert refused(shop, "auto", environment={**environment, "CI_MERGE_REQUEST_DIFF_BASE_SHA": "main"}) == (
        "auto: CI_MERGE_REQUEST_TARGET_BRANCH_NAME is prod: no branch, tag or commit is called prod;"
        " write the name of a branch, a tag or a commit"
    )


def test_a_ref_that_means_nothing(shop, reviewed):
    shop.git("branch", "both", "main")
    shop.git("tag", "both", "main")
    shop.git("branch", "shop/__snapshots__", "main")
    shop.git("branch", "apart", shop.git("commit-tree", "-m", "x", "HEAD^{tree}"))
    before = sorted(shop.folder.rglob("*"))
    case = ReviewedCases(lambda ref: refused(shop, ref))
    for ref in (
        *("", "tip:", "nowhere", "main2", "tip:futur", "tip:v1.0.0", "-x", "--all", "--output=x", "a b"),
        *("a\n::error::b", "$(touch x)", "@{u}", "main..feature", "a" * 5000, "a/" * 1000 + "a", "a" * 200_000),
        *("^main", "*", "0" * 40, "main:shop", "main:pyproject.toml", "a\0b", "\ud800", "shop", "./shop/none"),
        *("both", "shop/__snapshots__", "apart"),
    ):
        case.unnamed(ref)
    assert case.text == reviewed
    assert sorted(shop.folder.rglob("*")) == before


def test_a_name_that_can_be_fetched(shop):
    clone = shop.clone("clone", "--single-branch", "--no-tags")

    assert refused(clone, "main") == (
        "main: no branch, tag or commit is called main;"
        " fetch it: git fetch origin main:refs/remotes/origin/main, or git fetch --tags"
    )
    assert refused(clone, "1" * 40).endswith(f"; fetch it: git fetch origin {'1' * 40}")
    clone.git("fetch", "--quiet", "origin", "main:refs/remotes/origin/main")
    assert column(past(clone, "main")) == "second"


def test_without_a_release(shop):
    shop.git("tag", "--force", "v1.0.0", "HEAD")
    variables = (
        "no variable of a CI service names a target branch (GITHUB_BASE_REF, CI_MERGE_REQUEST_TARGET_BRANCH_NAME,"
        " SYSTEM_PULLREQUEST_TARGETBRANCH, BITBUCKET_PR_DESTINATION_BRANCH, CHANGE_TARGET,"
        " BUILDKITE_PULL_REQUEST_BASE_BRANCH, CODEBUILD_WEBHOOK_BASE_REF), and "
    )
    for ref, start in (("last-release", "last-release: "), ("auto", f"auto: {variables}")):
        assert refused(shop, ref, release_tags=["v*", "r*"]) == (
            f"{start}no tag before HEAD matches v* or r* (setting release_tags); tag the released commit: git tag NAME"
            " COMMIT, or name a branch, a tag or a commit"
        )
        assert refused(shop, ref, release_tags=[]) == (
            f'{start}no tag is a release, because the setting release_tags is empty; write patterns, such as ["v*"]'
        )


def test_head_without_a_change_is_not_compared(shop):
    shop.write({"report.xml": "", "notes.txt": ""})
    (shop.folder / "shop" / "models.py").touch()
    for ref in ("feature", "HEAD", "@", "tip:feature"):
        assert refused(shop, ref).endswith(
            ": it is HEAD, and no source is changed, so nothing was compared;"
            " compare with an earlier commit, such as HEAD~1 or last-release"
        )
