"""Find the commit that a ``REF`` means: a branch, a tag, a commit, the last release, or the target of a change."""

from __future__ import annotations

import re
from difflib import get_close_matches
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pytest_delta_schema.diagnostics.text import escaped, shortened
from pytest_delta_schema.history.git import COMMIT, HistoryError, short_id

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_delta_schema.history.git import Repository

AUTO = "auto"
LAST_RELEASE = "last-release"
TIP = "tip:"

_BRANCHES = ("refs/heads/", "refs/remotes/")


class PastCommit(NamedTuple):
    """The commit that a ``REF`` means, and the label that tells how it was found."""

    commit: str
    label: str
    notes: tuple[str, ...] = ()
    is_tag: bool = False
    """Whether a tag was meant, so tags are the releases, and not the commits of a branch."""


def resolved(
    repository: Repository, ref: str, release_tags: Sequence[str], environment: Mapping[str, str]
) -> PastCommit:
    """Return the commit that a ``REF`` means."""
    if ref == AUTO:
        return _automatic(repository, release_tags, environment)
    if ref == LAST_RELEASE:
        return _last_release(repository, release_tags)
    if ref.startswith(TIP):
        return _tip(repository, ref.removeprefix(TIP))
    branches = _branches(repository, ref)
    tags = repository.existing([f"refs/tags/{ref}"])
    if branches and tags:
        msg = f"is a branch and a tag; write {branches[0]} or {tags[0]}"
        raise HistoryError(msg)
    if (branches or tags) and "/" in ref and is_folder(ref):
        msg = f"is also a folder; write ./{shown(ref)} for the folder, or {(branches or tags)[0]}"
        raise HistoryError(msg)
    if branches:
        return _merge_base(repository, ref, branches)
    commit = repository.commit(ref)
    if commit:
        return PastCommit(commit, f"commit {short_id(commit)}", is_tag=bool(tags))
    raise HistoryError(_unknown(repository, ref))


def _branches(repository: Repository, name: str) -> list[str]:
    """Return the full names of the branches that a name means, the local one first."""
    if name in {"HEAD", "@"}:
        return []
    if name.startswith(_BRANCHES):
        return repository.existing([name])
    branches = repository.existing([f"refs/heads/{name}", f"refs/remotes/origin/{name}", f"refs/remotes/{name}"])
    if branches:
        return branches
    full_name = repository.full_name(name)
    return [full_name] if full_name.startswith(_BRANCHES) else []


def _short_name(branch: str) -> str:
    return escaped(branch.split("/", 2)[2])


class _MergeBase(NamedTuple):
    distance: int
    commit: str
    branch: str


def _merge_base(repository: Repository, name: str, branches: Sequence[str]) -> PastCommit:
    if not branches:
        raise HistoryError(_unknown(repository, name))
    bases = [
        _MergeBase(repository.distance(commit), commit, branch)
        for branch in branches
        for commit in repository.merge_bases(branch)
    ]
    if not bases:
        raise HistoryError(_no_merge_base(repository, branches[-1]))
    # The first of those that are equally near, so a local branch is preferred to that of the remote.
    base = min(bases, key=lambda base: base.distance)
    of_branch = "" if _short_name(base.branch) == name else f" with {_short_name(base.branch)}"
    label = f"merge base {short_id(base.commit)}{of_branch}, {_before_head(base.distance)}"
    notes = []
    others = [other for other in bases if other.branch == base.branch and other != base]
    if others:
        names = ", ".join(short_id(other.commit) for other in others)
        notes.append(f"{_short_name(base.branch)} and HEAD have further merge bases, which are not compared: {names}")
    if repository.is_shallow:
        notes.append(f"the clone is shallow, which may hide a nearer merge base; to be sure: {UNSHALLOW}")
    return PastCommit(base.commit, label, tuple(notes))


def _before_head(distance: int) -> str:
    return f"{distance} commit{'' if distance == 1 else 's'} before HEAD"


def _no_merge_base(repository: Repository, branch: str) -> str:
    if repository.is_shallow:
        return (
            f"the clone is shallow, and does not reach the merge base of HEAD and {_short_name(branch)};"
            f" fetch the whole history: {UNSHALLOW}, {_BY_CI}"
        )
    return f"HEAD and {_short_name(branch)} have no common commit; compare with its tip: {TIP}{_short_name(branch)}"


def _tip(repository: Repository, name: str) -> PastCommit:
    branches = _branches(repository, name)
    if not branches:
        if repository.commit(name):
            msg = f"{shown(name)} is not a branch, so it has no tip; write {shown(name)}"
            raise HistoryError(msg)
        raise HistoryError(_unknown(repository, name))
    commits = {branch: repository.commit(branch) for branch in branches}
    tips = [
        branch
        for branch, commit in commits.items()
        if all(repository.contains(commit, other) for other in commits.values())
    ]
    if not tips:
        choices = " or ".join(f"{TIP}{escaped(branch)}" for branch in branches)
        msg = f"{' and '.join(map(_short_name, branches))} have diverged; write {choices}"
        raise HistoryError(msg)
    commit = commits[tips[0]]
    return PastCommit(commit, f"tip {short_id(commit)} of {_short_name(tips[0])}")


def _last_release(repository: Repository, patterns: Sequence[str]) -> PastCommit:
    """Return the newest tag before ``HEAD``; of tags of one second, the one with the highest version."""
    if not patterns:
        msg = 'no tag is a release, because the setting release_tags is empty; write patterns, such as ["v*"]'
        raise HistoryError(msg)
    tags = [
        tag
        for tag in repository.reachable_tags()
        if tag.commit != repository.head and any(fnmatchcase(tag.name, pattern) for pattern in patterns)
    ]
    if not tags:
        fetched = f"fetch the tags: git fetch --tags{' --unshallow' * repository.is_shallow}"
        way = fetched if repository.remotes() else "tag the released commit: git tag NAME COMMIT"
        msg = (
            f"no tag before HEAD matches {' or '.join(map(shown, patterns))} (setting release_tags);"
            f" {way}, or name a branch, a tag or a commit"
        )
        raise HistoryError(msg)
    tag = max(tags, key=lambda tag: tag.seconds)
    return PastCommit(tag.commit, f"tag {escaped(tag.name)}, commit {short_id(tag.commit)}", is_tag=True)


VARIABLES = {
    "GITHUB_BASE_REF": "GitHub Actions",
    "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "GitLab CI",
    "SYSTEM_PULLREQUEST_TARGETBRANCH": "Azure Pipelines",
    "BITBUCKET_PR_DESTINATION_BRANCH": "Bitbucket Pipelines",
    "CHANGE_TARGET": "Jenkins",
    "BUILDKITE_PULL_REQUEST_BASE_BRANCH": "Buildkite",
    "CODEBUILD_WEBHOOK_BASE_REF": "AWS CodeBuild",
}
"""The services by their variables, which are missing or empty outside of pull requests."""

_BASES = {"CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "CI_MERGE_REQUEST_DIFF_BASE_SHA"}
"""Variables with the merge base, which GitLab does not update when a request gets a different target branch."""


class TargetBranch(NamedTuple):
    """The branch that a variable names."""

    variable: str
    branch: str
    base: tuple[str, str] | None
    """The variable and the commit of the merge base, for a clone without the branch."""


def target_branch(environment: Mapping[str, str]) -> TargetBranch | None:
    """Return the branch that the CI service of this run merges into; ``None`` outside of pull requests."""
    for variable in VARIABLES:
        # Azure Pipelines and CodeBuild write the full name of the branch, Azure for some repositories only.
        branch = environment.get(variable, "").removeprefix("refs/heads/")
        if branch:
            name = _BASES.get(variable, "")
            commit = environment.get(name, "")
            return TargetBranch(variable, branch, (name, commit) if commit else None)
    return None


def _automatic(repository: Repository, patterns: Sequence[str], environment: Mapping[str, str]) -> PastCommit:
    target = target_branch(environment)
    if target is None:
        try:
            result = _last_release(repository, patterns)
        except HistoryError as error:
            msg = f"no variable of a CI service names a target branch ({', '.join(VARIABLES)}), and {error}"
            raise HistoryError(msg) from None
        return result._replace(label=f"{LAST_RELEASE}: {result.label}")
    named = f"{target.variable} is {shown(target.branch)}"
    try:
        result = _merge_base(repository, target.branch, _branches(repository, target.branch))
    except HistoryError as error:
        variable, base = target.base or ("", "")
        commit = repository.commit(base) if COMMIT.fullmatch(base) else ""
        if not commit:
            msg = f"{named}: {error}"
            raise HistoryError(msg) from None
        result = PastCommit(commit, f"merge base {short_id(commit)} of {variable}")
    return result._replace(label=f"{named}: {result.label}")


_NEAR = 3


def _unknown(repository: Repository, name: str) -> str:
    """Return why a name means no commit, and what to do."""
    fact = f"no branch, tag or commit is called {shown(name) or repr(name)}"
    if is_folder(name):
        return f"{fact}; for the folder write ./{shown(name)}"
    near = get_close_matches(name, repository.short_names(), n=_NEAR)
    if near:
        return f"{fact}; write {' or '.join(map(shown, near))}"
    return f"{fact}; {_how_to_fetch(repository, name)}"


UNSHALLOW = "git fetch --unshallow"
"""The command that fetches the whole history of a shallow clone."""

_PLAIN = r"\w[\w./+-]*"
"""The names that a shell reads as they are."""

_BY_CI = "or let the CI service do so (GitHub: fetch-depth: 0, GitLab: GIT_DEPTH: 0, Azure: fetchDepth: 0)"


def _how_to_fetch(repository: Repository, name: str) -> str:
    can_fetch_name = "origin" in repository.remotes() and re.fullmatch(_PLAIN, name) is not None
    if repository.is_shallow and not can_fetch_name:
        return f"the clone is shallow, which may hide it; fetch the whole history: {UNSHALLOW}, {_BY_CI}"
    if not can_fetch_name:
        return "write the name of a branch, a tag or a commit"
    if COMMIT.fullmatch(name):
        return f"fetch it: git fetch origin {name}"
    branch = name.removeprefix("origin/")
    fetched = f"origin {branch}:refs/remotes/origin/{branch}"
    if repository.is_shallow:
        return f"fetch it: git fetch --unshallow {fetched}, {_BY_CI}"
    return f"fetch it: git fetch {fetched}, or git fetch --tags"


_LONGEST = 120


def shown(name: str) -> str:
    """Return a name as messages show it."""
    return shortened(escaped(name), _LONGEST)


def is_folder(name: str) -> bool:
    """Whether there is a folder with a name, which may be none that a file can have."""
    try:
        return name != "" and Path(name).is_dir()
    except (OSError, ValueError):
        return False
