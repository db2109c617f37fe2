"""Every page of the documentation is run: its files are written, its commands print what it shows."""

from __future__ import annotations

import sys

import pytest

from support.pages import ROOT, page_names, run, steps

ON_SPARK = ("docs/guides/pull-requests.md",)
"""The pages that start a JVM of their own."""


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=[pytest.mark.spark, pytest.mark.own_jvm] if page in ON_SPARK else [])
        for page in page_names()
    ],
)
def test_the_page_shows_what_is_so(page, project, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # files change faster than the clock of the bytecode cache
    (project.path / "tox.ini").unlink()
    project.settings()

    run(page, project)


def test_the_project_of_the_examples_is_the_one_of_the_readme():
    shown, known = (
        [(step.head, step.body) for step in steps((ROOT / page).read_text("utf-8")) if step.kind == "file"]
        for page in ("docs/index.md", "README.md")
    )

    assert [head for head, _ in shown] == ["models.py", "pyproject.toml"]
    assert shown == known
