"""Every page of the documentation is run: its files are written, its commands print what it shows."""

from __future__ import annotations

import ast
import sys
from textwrap import dedent

import pytest

from support.pages import ROOT, PageError, page_names, run, steps

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


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("```python\nx = 1\n```", "names its file"),
        ("```\nx\n```", "no test holds"),
        ("```sh\npytest\n```", "use console"),
    ],
    ids=["no name", "no language", "not run"],
)
def test_a_block_that_nothing_runs_is_an_error(text, message):
    with pytest.raises(PageError, match=message):
        steps(text)


@pytest.mark.parametrize("page", [page for page in page_names() if "explanation/" not in page])
def test_no_file_of_a_page_is_hidden(page):
    assert "<!-- file:" not in (ROOT / page).read_text("utf-8")


def test_every_constant_of_an_excerpt_is_shown():
    text = (ROOT / "docs" / "guides" / "test-pipelines.md").read_text("utf-8")
    shown = [step.body for step in steps(text) if step.head.startswith("examples/")]
    excerpts = [ast.parse(dedent(text.partition("\n")[2])) for text in shown]
    names = [node for tree in excerpts for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id.isupper()]

    assert names
    assert {name.id for name in names} - {name.id for name in names if isinstance(name.ctx, ast.Store)} == set()


def test_the_project_of_the_examples_is_the_one_of_the_readme():
    shown, known = (
        [(step.head, step.body) for step in steps((ROOT / page).read_text("utf-8")) if step.kind == "file"]
        for page in ("docs/index.md", "README.md")
    )

    assert [head for head, _ in shown] == ["models.py", "pyproject.toml"]
    assert shown == known


def test_output_that_is_not_printed_is_an_error(project, tmp_path, monkeypatch):
    monkeypatch.setattr("support.pages.ROOT", tmp_path)
    (tmp_path / "page.md").write_text(
        "```python\n# a.py\nprint(1)\nprint(2)\nprint(3)\n```\n```console\n$ python a.py\n1\n3\n```\n",
    )

    with pytest.raises(PageError, match="does not print '3' here"):
        run("page.md", project)
