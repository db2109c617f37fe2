"""The commit and the root of the sources, without git."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_delta_schema.diagnostics.errors import Location
from pytest_delta_schema.plugin.source_links.git_checkout import git_commit
from pytest_delta_schema.plugin.source_links.source_root import SourceRoot

COMMIT, OTHER = "a" * 40, "b" * 40
BRANCH = "ref: refs/heads/x/y\n"
HERE = Location("", 3, 5, 4)


@pytest.mark.parametrize(
    ("files", "commit"),
    [
        ({}, ""),
        ({".git/HEAD": f"{COMMIT}\n"}, COMMIT),
        ({".git/HEAD": BRANCH, ".git/refs/heads/x/y": f"{COMMIT}\n"}, COMMIT),
        ({".git/HEAD": BRANCH, ".git/packed-refs": f"# pack\n{OTHER} refs/heads/x\n{COMMIT} refs/heads/x/y\n"}, COMMIT),
        ({".git/HEAD": BRANCH, ".git/packed-refs": f"{OTHER} refs/heads/x\n"}, ""),
        ({".git/HEAD": BRANCH}, ""),
        ({".git/HEAD": "nonsense"}, ""),
        (
            {
                ".git": "gitdir: ../main/worktrees/w\n",
                "../main/worktrees/w/HEAD": BRANCH,
                "../main/worktrees/w/commondir": "../..\n",
                "../main/refs/heads/x/y": COMMIT,
            },
            COMMIT,
        ),
        ({".git": "gitdir: ../nowhere\n"}, ""),
    ],
    ids=["none", "detached", "branch", "packed", "not-packed", "unborn", "no-commit", "worktree", "broken"],
)
def test_commit(tmp_path, files, commit):
    folder = tmp_path / "top" / "project"
    folder.mkdir(parents=True)
    for name, text in files.items():
        file = tmp_path / "top" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    assert git_commit(folder) == commit


@pytest.mark.parametrize(
    ("variables", "file", "expected"),
    [
        ({}, "top/project/a.py", "project/a.py"),
        ({"GITHUB_WORKSPACE": "top/project"}, "top/project/x/a.py", "x/a.py"),
        ({"CI_PROJECT_DIR": "elsewhere", "BUILD_SOURCESDIRECTORY": ""}, "top/project/a.py", "project/a.py"),
        ({"BUILD_SOURCESDIRECTORY": "."}, "other/a.py", "other/a.py"),
        ({}, "other/a.py", None),
    ],
)
def test_root_of_the_sources(tmp_path, monkeypatch, variables, file, expected):
    (tmp_path / "top" / ".git").mkdir(parents=True)
    for name in ("GITHUB_WORKSPACE", "CI_PROJECT_DIR", "BUILD_SOURCESDIRECTORY"):
        monkeypatch.delenv(name, raising=False)
    for name, folder in variables.items():
        monkeypatch.setenv(name, folder and str(tmp_path / folder))

    location = SourceRoot(tmp_path / "top" / "project").relative(HERE._replace(file=str(tmp_path / file)))

    assert location == (None if expected is None else HERE._replace(file=expected))


def test_code_without_a_file_has_no_location():
    assert SourceRoot(Path.cwd()).relative(Location("<string>", 1)) is None
