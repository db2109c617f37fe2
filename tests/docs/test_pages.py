"""The documentation is true: its tables, names, links and hooks are those that there are."""

from __future__ import annotations

import importlib.util
import re
import sys
from functools import cache
from pathlib import Path

import pytest

from pytest_delta_schema.plugin import fixtures
from pytest_delta_schema.plugin import registration as every_run
from pytest_delta_schema.sql import StatementKind
from support import documentation, reference
from support.pages import DOCS, ROOT, page_names

if sys.version_info >= (3, 11):
    import tomllib
FOLDERS = (ROOT, ROOT / "pytest_delta_schema")
"""Where the files are that the guide for contributors names."""
_FENCED = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\]\((?!https?:)([^)\s#]*)(#[^)\s]+)?\)")
_ID = re.compile(r'<a id="([^"]+)">')
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
_LINKED_TEXT = re.compile(r"\[([^\]]+)\]\([^)]*\)")


@cache
def pages():
    """Return the texts of the pages of the repository by their names."""
    return {name: (ROOT / name).read_text("utf-8") for name in page_names()}


needs_griffe = pytest.mark.skipif(sys.version_info < (3, 11), reason="griffelib needs Python 3.11")


def anchors(text):
    """Return the anchors of a page, as mkdocs and GitHub make them of headings."""
    text = _FENCED.sub("", text)
    headings = (re.sub(r"[^\w\s-]", "", _LINKED_TEXT.sub(r"\1", heading)) for heading in _HEADING.findall(text))
    return {re.sub(r"[-\s]+", "-", heading.strip().lower()) for heading in headings}.union(_ID.findall(text))


def dead_links(name, text):
    """Yield the links of a page that lead to no file of the repository, or to no section of a page."""
    for target, anchor in _LINK.findall(_FENCED.sub("", text)):
        path = (ROOT / name).parent.joinpath(target).resolve() if target else ROOT / name
        page = path.relative_to(ROOT).as_posix()
        is_read = page == name or (path.is_file() and page not in reference.BUILT)
        if not is_read or (anchor and anchor[1:] not in anchors(text if page == name else pages()[page])):
            yield f"{target}{anchor}"


def test_links_lead_somewhere():
    assert [(name, link) for name, text in pages().items() for link in dead_links(name, text)] == []


@needs_griffe
def test_links_of_pages_that_are_built_with_the_site_lead_somewhere():
    assert [(name, link) for name in reference.BUILT for link in dead_links(name, reference.built(name))] == []


def test_the_site_has_every_page():
    nav = set(re.findall(r"[\w/-]+\.md", (ROOT / "mkdocs.yml").read_text("utf-8")))

    assert {f"docs/{page}" for page in nav} == {*pages(), *reference.BUILT} - {"README.md"}


def test_the_files_that_the_guide_for_contributors_names_exist():
    named = set(re.findall(r"`([\w./-]+\.(?:py|toml|txt|md|json))`", pages()["docs/contributing.md"]))

    assert len(named) > 40
    assert [name for name in sorted(named) if not any((folder / name).is_file() for folder in FOLDERS)] == []


@pytest.mark.parametrize("page", page_names())
def test_the_generated_parts_of_a_page_are_up_to_date(page):
    assert reference.rewritten(pages()[page]) == pages()[page], "write them anew: python -m support.reference in tests/"


def test_every_option_fixture_and_mark_that_a_page_names_exists(project):
    (project.path / "tox.ini").unlink()
    project.settings()
    shown = project.run("--help").stdout.str() + " ".join(
        [*every_run.PYTEST_MARKS, "delta_tables", "delta_models", "delta_schema"]
    )
    shown += Path(fixtures.__file__).read_text("utf-8")
    named = {
        (page, name)
        for page, text in pages().items()
        for name in re.findall(r"--delta-[a-z-]+\w|`(?:make_)?delta_[a-z_]+`", text)
    }

    assert len(named) > 40
    assert [(page, name) for page, name in sorted(named) if name.strip("`") not in shown] == []


@pytest.mark.skipif(sys.version_info < (3, 11), reason="tomllib came with Python 3.11")
def test_every_extra_that_a_page_names_exists():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    named = {
        extra
        for text in pages().values()
        for extra in ",".join(re.findall(r"pytest-delta-schema\[([\w,]+)\]", text)).split(",")
    }

    assert {"spark", "databricks", "html", "unity"} <= named <= {*extras, ""}


def test_every_statement_is_run_by_a_scenario():
    seen = documentation.counts()

    assert [kind for kind in StatementKind if not seen[kind]] == list(documentation.APART)


SPEC = importlib.util.spec_from_file_location("docs_hooks", DOCS / "hooks.py")
hooks = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(hooks)


def test_a_site_that_loads_from_other_hosts_is_not_built(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "page.html").write_text('<script src="https://cdn.test/a.js"></script>')

    with pytest.raises(ValueError, match=r"a/page\.html loads https://cdn\.test/a\.js"):
        hooks.on_post_build({"site_dir": str(tmp_path)})
