"""A project in a git repository, whose contracts are released on ``main``."""

from __future__ import annotations

import pytest

from support.git_repository import GitRepository, use_git
from support.plugin_project import MODELS

ORDERS = 'orders = table("dev.silver.orders", Column("id", LongType()), Column("note", StringType()){})\n'
CUSTOMERS = 'customers = table("dev.silver.customers", Column("id", LongType()))\n'


class Released:
    """A project of which each release is a commit on ``main``, and that works on another branch."""

    def __init__(self, project) -> None:
        self.project = project
        self.path = project.path
        self.repository = GitRepository(project.path)
        self.git = self.repository.git

    def release(self, models, *tags):
        """Commit models with the snapshots of their states on ``main``, and go on on a branch."""
        self.git("checkout", "--quiet", "-B", "main")
        self.project.models(models)
        self.commit()
        for tag in tags:
            self.git("tag", tag)
        self.git("checkout", "--quiet", "-B", "feature")

    def commit(self, *files):
        """Write the states of modules, of ``models.py`` by default, and commit everything."""
        self.project.accept(*files, kinds=["state"])
        self.repository.commit()

    def run(self, *arguments, **options):
        """Compare with ``main``, unless an argument names something else; the snapshots of the branch do not count."""
        given = any(argument.startswith("--delta-against") for argument in arguments)
        against = [] if given else ["--delta-against=main"]
        return self.project.run(*against, "-p", "no:syrupy", *arguments, **options)


@pytest.fixture
def released(project, monkeypatch, tmp_path):
    use_git(monkeypatch, tmp_path)
    made = Released(project)
    project.settings(MODELS)
    project.ini("")
    made.repository.write({".gitignore": "__pycache__/\n.pytest_cache/\n"})
    made.git("init", "--quiet")
    made.release(ORDERS.format("") + CUSTOMERS, "v1.0")
    return made
