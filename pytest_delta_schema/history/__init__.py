"""Contracts of the past, from a git commit or a folder.

``REF`` is what :func:`~pytest_delta_schema.history.contracts.contracts_at` takes:

================  ================================================================================================
``main``          a branch: its merge base with ``HEAD``; the local branch or that of ``origin``, whichever is nearer
``tip:main``      the tip of a branch, instead of its merge base
``v1.2``          a tag: the commit that it marks
``HEAD~1``        a commit, or an expression for one
``last-release``  the newest tag before ``HEAD`` that matches the setting ``release_tags``
``auto``          the target branch of the pull request, as the CI service names it; else ``last-release``
``./old``         a folder with snapshots; it needs a separator
================  ================================================================================================

A branch and a tag of one name, and a folder that is called like a branch, are refused; ``refs/heads/main``,
``refs/tags/main`` and ``./main`` are exact. A commit that is ``HEAD`` is refused unless sources are changed.

What cannot be read, and the command that helps:

* a shallow clone: ``git fetch --unshallow``, or ``fetch-depth: 0`` (GitHub), ``GIT_DEPTH: 0`` (GitLab),
  ``fetchDepth: 0`` (Azure);
* a clone without the branch: ``git fetch origin main:refs/remotes/origin/main``;
* a clone without tags: ``git fetch --tags``;
* no git, or a repository that git cannot read: a folder instead of a commit; the reason is git's own line.

These are errors of the whole comparison. A snapshot that cannot be read, such as one with conflict marks, is a fault of
its table alone.
"""
