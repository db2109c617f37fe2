"""The variables in which CI services name the branch that a change is to be merged into."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

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
