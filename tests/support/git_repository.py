"""Git repositories for tests, with one author and without what a user has configured."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

STATES = "shop/__snapshots__/models"

_DATE = "2026-01-31T12:00:00+0000"
_CONFIG = """
[user]
  name = a
  email = a@example.com
[init]
  defaultBranch = main
[protocol "file"]
  allow = always
[uploadpack]
  allowFilter = true
[advice]
  detachedHead = false
"""


def state_file(table: str = "orders", column: str = "id") -> str:
    """Return the state file of a table with one column."""
    return f'{{"version": 1, "name": "dev.silver.{table}", "columns": [{{"name": "{column}", "type": "bigint"}}]}}'


def use_git(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    """Let git see one author, a fixed date, and nothing that a user has configured."""
    (home / ".gitconfig").write_text(_CONFIG)
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        monkeypatch.delenv(name, raising=False)
    variables = {
        "HOME": home,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CEILING_DIRECTORIES": home,
        "GIT_AUTHOR_DATE": _DATE,
        "GIT_COMMITTER_DATE": _DATE,
    }
    for name, value in variables.items():
        monkeypatch.setenv(name, str(value))


class GitRepository:
    """A folder with a git repository."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def created(cls, folder: Path, monkeypatch: pytest.MonkeyPatch, *options: str) -> GitRepository:
        """Make an empty repository in ``folder / "work"``, whose parent is the home folder from now on."""
        use_git(monkeypatch, folder)
        repository = cls(folder / "work")
        repository.folder.mkdir()
        repository.git("init", "--quiet", *options)
        return repository

    def git(self, *arguments: str | Path) -> str:
        """Run git in the folder, and return what it writes."""
        command = ["git", *map(str, arguments)]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def write(self, files: dict[str, str | bytes]) -> None:
        """Write files, by their paths."""
        for name, content in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)

    def commit(self, files: dict[str, str | bytes] | None = None, *, message: str = "change") -> str:
        """Write and commit files, and return the commit."""
        self.write(files or {})
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", f"--message={message}")
        return self.git("rev-parse", "HEAD")

    def clone(self, name: str, *options: str) -> GitRepository:
        """Return a clone next to the folder, through the protocol of remote repositories."""
        self.git("clone", "--quiet", *options, f"file://{self.folder}", self.folder.parent / name)
        return GitRepository(self.folder.parent / name)
