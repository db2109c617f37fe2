"""One vocabulary: words of the glossary in code, messages and documentation, and no figures of speech."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = sorted(
    path for folder in ("pytest_delta_schema", "examples", "benchmarks") for path in (ROOT / folder).rglob("*.py")
)
JAVA = sorted((ROOT / "pytest_delta_schema").rglob("*.java"))
TESTS = sorted((ROOT / "tests").rglob("*.py"))
PAGES = [*sorted((ROOT / "docs").rglob("*.md")), ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "Makefile"]

INSTEAD = {
    r"anew|told again": "again",
    r"another one": "another + the thing, a different one",
    r"answers? nonsense": "malformed answers",
    r"as far as": "if, where",
    r"asks? (delta|the (data|rows|catalog|gate|server))": "query, use, request",
    r"at home": "configured",
    r"beside|likewise|stands?": "next to, also, is",
    r"bring(s|ing)? in line|brought in line|leaves? \w+ level": "align, synchronise",
    r"doors?|workbench": "connection, scratch catalog",
    r"falls? together": "maps to",
    r"go(es)? on": "continues",
    r"heal(s|ed)?": "synchronise, fix",
    r"held back|(the )?least bad|see whether": "blocked, the least severe, check that",
    r"in place of|of its own": "instead of, its own",
    r"in the manner of": "as",
    r"in vain": "unused",
    r"(?<!there )(is|are) no(?! longer)": "is not a",
    r"lets? go|lives? in": "drop, is in",
    r"makes? no sense": "is malformed, is invalid",
    r"mend(s|ed)?": "fix",
    r"nobody can tell": "it is not known",
    r"of ours|our own": "of this package",
    r"oracle|followers": "write check, dependent foreign keys",
    r"parted": "partitioned",
    r"plays? (it|all|every|scenarios)": "run",
    r"say comments|how it is said|whose which": "render, which",
    r"run on the|\(run on": "the version, such as (Delta 4.4.0)",
    r", so that": ", so",
    r"steps? aside": "is dropped and added again",
    r"takes? (it|that) back|takes? notice": "reverts, notices",
    r"to the letter": "exactly",
    r"vouch(es)?": "guarantee",
    r"way back|way on": "to restore, to continue",
    r"whoever": "a process, a client",
    r"wins": "takes precedence, is used",
}
"""Words that are private or figurative, as patterns, with what is written instead."""

NAMES = {"asked", "each", "found", "lacking", "mend", "ours", "place", "places", "said", "some", "theirs", "told"}
"""Names of variables that do not name the thing."""


@pytest.mark.parametrize("pattern", INSTEAD)
def test_words_that_are_not_used(pattern):
    wanted = re.compile(rf"(?i)\b(?:{pattern})\b")
    lines = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()} (write: {INSTEAD[pattern]})"
        for path in (*SOURCES, *JAVA, *PAGES)
        for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1)
        if wanted.search(line)
    ]

    assert lines == []


def test_docstrings_start_with_what_the_object_does():
    starts = [
        f"{path.relative_to(ROOT)}: {doc.splitlines()[0]}"
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
        and (doc := ast.get_docstring(node))
        and re.match(r"(Say|Tell|Let|Ask|Take|Whose|What|From)\b", doc)
    ]

    assert starts == []


def test_variables_are_called_after_the_thing():
    names = [
        f"{path.relative_to(ROOT)}:{node.lineno}: {name}"
        for path in (*SOURCES, *TESTS)
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, (ast.Name, ast.arg))
        and (name := node.id if isinstance(node, ast.Name) else node.arg) in NAMES
    ]

    assert names == []
