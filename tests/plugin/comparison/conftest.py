"""A project in a git repository, whose contracts are released on ``main``."""

from __future__ import annotations

import pytest

from support.git_repository import GitRepository, use_git

ORDERS = 'orders = table("dev.silver.orders", Column("id", LongType()), Column("note", StringType()){})\n'
CUSTOMERS = 'customers = table("dev.silver.customers", Column("id", LongType()))\n'


class Released:
    """A project of which each release is a commit on ``main``, and that works on another branch."""

    def __init__(self, project) -> None:
        self.project = project
        self.path = project.path
        self.repository = GitRepository(project.path)

    def release(self, models, *tags, files=None):
        """Commit models with their snapshots on ``main``, and go on on a branch."""
        self.repository.git("checkout", "--quiet", "-B", "main")
        self.declare(models)
        self.repository.commit(files)
        for tag in tags:
            self.repository.git("tag", tag)
        self.repository.git("checkout", "--quiet", "-B", "feature")

    def declare(self, models, text=""):
        """Declare models, and accept their snapshots."""
        self.project.models(text + models)
        updated = self.project.run("--snapshot-update", "-q")
        assert updated.ret == 0, updated.stdout.str()

    def settings(self, text):
        """Write the section of the project file."""
        (self.path / "pyproject.toml").write_text(text, "utf-8")

    def run(self, *arguments, **options):
        """Compare with ``main``, unless an argument names something else."""
        given = any(argument.startswith("--delta-against") for argument in arguments)
        return self.project.run(*([] if given else ["--delta-against=main"]), *arguments, **options)


@pytest.fixture
def released(project, monkeypatch, tmp_path):
    use_git(monkeypatch, tmp_path)
    made = Released(project)
    made.settings('[tool.pytest_delta_schema]\nmodels = ["models"]\n')
    project.ini("")
    made.repository.write({".gitignore": "__pycache__/\n.pytest_cache/\n"})
    made.repository.git("init", "--quiet")
    made.release(ORDERS.format("") + CUSTOMERS, "v1.0")
    return made
