"""The hooks of the documentation's build: nothing is loaded from other hosts."""

from __future__ import annotations

import importlib.util

import pytest

from support.pages import DOCS

SPEC = importlib.util.spec_from_file_location("docs_hooks", DOCS / "hooks.py")
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
