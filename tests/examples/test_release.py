"""``examples/release``: a column from its deprecation to its drop, with the files that were reviewed."""

from __future__ import annotations

import shutil

import pytest

from support.pages import ROOT

EXAMPLE = ROOT / "examples" / "release"


@pytest.mark.parametrize(
    ("version", "released", "end", "line"),
    [
        ("v2", "v1", "PASSED", "against ./released: 1 compatible"),
        ("v3", "v2", "PASSED", "*readers do not find it; *; allowed by its deprecation of 2026-01-31; *"),
        (
            "v3",
            "v1",
            "FAILED",
            "*readers do not find it; *; upgrade readers before this release; *; or deprecate it first, *",
        ),
    ],
)
def test_a_column_goes_after_it_was_announced(project, version, released, end, line):
    (project.path / "tox.ini").unlink()
    shutil.copytree(EXAMPLE / version, project.path, dirs_exist_ok=True)
    shutil.copytree(EXAMPLE / released / "__snapshots__", project.path / "released")

    result = project.run("--delta-against=./released", "-v")

    items = [line.rpartition("::")[2] for line in result.outlines if line.startswith("models.py::shop.sales.orders::")]
    assert [" ".join(item.split()[:2]) for item in items] == ["rules PASSED", "ddl PASSED", f"compat {end}"]
    result.stdout.fnmatch_lines([line])
