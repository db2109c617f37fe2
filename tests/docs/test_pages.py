"""The documentation is true: its tables, names, links and hooks are those that there are."""

from __future__ import annotations

import importlib.util
import re
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

from pytest_delta_schema.plugin import fixtures
from pytest_delta_schema.plugin import registration as every_run
from pytest_delta_schema.sql import StatementKind
from support import documentation, reference
from support.pages import DOCS as HOOKS_DOCS

if sys.version_info >= (3, 11):
    import tomllib
ROOT = Path(__file__).parent.parent.parent
DOCS = ROOT / "docs"
README = (ROOT / "README.md").read_text("utf-8")
FOLDERS = (ROOT, ROOT / "pytest_delta_schema")
"""Where the files are that the guide for contributors names."""
PAGES = {path.relative_to(DOCS).as_posix(): path.read_text("utf-8") for path in sorted(DOCS.rglob("*.md"))}


def test_the_readme_is_short_and_hides_nothing():
    assert len(README.splitlines()) <= 200
    assert "<!--" not in README


def test_the_links_of_the_readme_lead_to_files():
    links = re.findall(r"\]\(([^)#]+)", README)

    assert len(links) > 10
    assert [link for link in links if not (ROOT / link).is_file()] == []


def test_the_files_that_the_guide_for_contributors_names_exist():
    named = set(re.findall(r"`([\w./-]+\.(?:py|toml|txt|md|json))`", PAGES["contributing.md"]))

    assert len(named) > 40
    assert [name for name in sorted(named) if not any((folder / name).is_file() for folder in FOLDERS)] == []


needs_griffe = pytest.mark.skipif(sys.version_info < (3, 11), reason="griffelib needs Python 3.11")


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=needs_griffe) if page == "reference/api.md" else page for page in PAGES],
)
def test_the_generated_parts_of_a_page_are_up_to_date(page):
    assert reference.rewritten(PAGES[page]) == PAGES[page], "write them anew: python -m support.reference in tests/"


def test_every_generated_part_is_on_one_page():
    shown = [name for page in PAGES.values() for name in reference.parts_of(page)]

    assert sorted(shown) == sorted(reference.PARTS)


def test_the_reference_can_be_read_without_a_built_site():
    shown = PAGES["reference/api.md"]

    assert [name for name in reference.public() if f"\n### `{name}`\n" not in shown] == []
    assert "    comment: str = '',\n" in shown
    assert "| `expression` | SQL over the table's columns, such as `amount >= 0`. |" in shown
    assert "* `InvalidModelError`: If declarations break rules; nothing is read then." in shown
    assert not re.search(r"^:::|:(?:class|func|meth|exc):|ForwardRef", shown, re.MULTILINE)


def test_every_code_of_a_violation_is_explained():
    source = "".join(path.read_text("utf-8") for path in (ROOT / "pytest_delta_schema").rglob("*.py"))
    codes = set(re.findall(r'"(D[CDS]\d{3})"', source))
    explained = "".join(PAGES[f"reference/{page}.md"] for page in ("rules", "drift", "compatibility"))

    assert len(codes) > 80
    assert [code for code in sorted(codes) if f"### {code} " not in explained] == []


def test_every_option_is_named_on_the_page_that_fits_on_two_screens(project):
    (project.path / "tox.ini").unlink()
    project.settings()
    shown = project.run("--help").stdout.str()
    names = re.findall(r"^  (--delta-[a-z-]+)", shown, re.MULTILINE)

    assert len(names) == 17
    assert [name for name in names if not re.search(f"`{name}[`=]", PAGES["reference/options.md"])] == []
    assert len(PAGES["reference/options.md"].splitlines()) <= 110


def test_every_option_fixture_and_mark_that_a_page_names_exists(project):
    (project.path / "tox.ini").unlink()
    project.settings()
    shown = project.run("--help").stdout.str() + " ".join(
        [*every_run.PYTEST_MARKS, "delta_tables", "delta_models", "delta_schema"]
    )
    shown += Path(fixtures.__file__).read_text("utf-8")
    named = {
        (page, name)
        for page, text in {"README.md": README, **PAGES}.items()
        for name in re.findall(r"--delta-[a-z-]+\w|`(?:make_)?delta_[a-z_]+`", text)
    }

    assert len(named) > 40
    assert [(page, name) for page, name in sorted(named) if name.strip("`") not in shown] == []


def test_every_dotted_name_that_a_page_names_exists():
    named = {
        name for page in (README, *PAGES.values()) for name in re.findall(r"`(pytest_delta_schema(?:\.\w+)+)", page)
    }
    files = {name for name in named if name.endswith((".py", ".toml"))}

    assert len(named) > 5
    assert [name for name in sorted(named - files) if not exists(name)] == []


def exists(name):
    home, _, attribute = name.rpartition(".")
    return hasattr(import_module(home), attribute) or find_spec(name) is not None


@pytest.mark.skipif(sys.version_info < (3, 11), reason="tomllib came with Python 3.11")
def test_every_dependency_has_its_sentence_and_its_pin():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = [
        *project["dependencies"],
        *(item for extra in project["optional-dependencies"].values() for item in extra),
    ]
    names = [re.match(r"[\w-]+", name).group() for name in wanted]
    table = PAGES["explanation/dependencies.md"]
    pins = {line.partition("==")[0].replace("_", "-") for line in (ROOT / "constraints.txt").read_text("utf-8").split()}

    assert [name for name in names if name not in table] == []
    assert [name for name in names if name not in pins] == []


def test_every_finding_of_writes_is_in_the_table():
    source = "".join(path.read_text("utf-8") for path in (ROOT / "pytest_delta_schema" / "write_check").rglob("*.py"))
    rules = set(re.findall(r'rule="([a-z-]+)"', source))

    assert len(rules) > 15
    assert [rule for rule in sorted(rules) if f"`{rule}`" not in PAGES["reference/writes.md"]] == []


def test_every_statement_is_run_by_a_scenario():
    seen = documentation.counts()

    assert [kind for kind in StatementKind if not seen[kind]] == list(documentation.APART)


SPEC = importlib.util.spec_from_file_location("docs_hooks", HOOKS_DOCS / "hooks.py")
hooks = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(hooks)


@pytest.mark.parametrize(
    ("text", "loaded"),
    [
        ('<script src="https://cdn.test/a.js"></script>', ["https://cdn.test/a.js"]),
        ('<LINK rel="stylesheet" href="//fonts.test/css">', ["//fonts.test/css"]),
        ('<img src="http://badge.test/x.svg">', ["http://badge.test/x.svg"]),
        ("body { src: url('https://fonts.test/a.woff2') }", ["https://fonts.test/a.woff2"]),
        ('@import "https://css.test/x.css";', ["https://css.test/x.css"]),
        ('<a href="https://docs.delta.io">Delta</a><script src="assets/a.js"></script>', []),
        ('<link rel="canonical" href="https://docs.test/page.html">', []),
    ],
    ids=["script", "style sheet", "image", "font", "import", "own and links", "canonical"],
)
def test_resources_of_other_hosts_are_found(text, loaded):
    assert hooks.external_resources(text) == loaded


def test_a_site_that_loads_from_other_hosts_is_not_built(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "page.html").write_text('<script src="https://cdn.test/a.js"></script>')

    with pytest.raises(ValueError, match=r"a/page\.html loads https://cdn\.test/a\.js"):
        hooks.on_post_build({"site_dir": str(tmp_path)})
