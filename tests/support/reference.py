"""Write the generated parts of pages, and the pages that are built with the site.

``python -m support.reference``, or ``make docs``. A generated part stands between ``<!-- generated: NAME -->`` and
``<!-- end of NAME -->``.
"""

from __future__ import annotations

import ast
import re
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_delta_schema.commands import cli
from pytest_delta_schema.plugin import fixtures
from pytest_delta_schema.plugin import registration as every_run
from pytest_delta_schema.report.codes import all_codes
from pytest_delta_schema.testing.workspace_questions import QUESTIONS
from support import agreement, documentation, json_schemas
from support import streams as stream_rules
from support.case_tables import blocks_in
from support.documentation import configuration_reference
from support.pages import ROOT, markdown_table, page_names
from support.state_json import EXAMPLE_TEXT
from versions import record

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_delta_schema.report.codes import CodeStage

PACKAGES = {
    "models": "Declarations",
    "assertions": "Assertions",
    "test_kit": "Test kit",
    "engine": "Engine",
    "backends.memory": "Memory catalog",
    "backends.local": "Local catalog",
    "backends.spark_session": "Catalog of a Spark session",
    "backends.unity": "Unity Catalog",
    "backends.databricks": "Databricks",
    "backends.locations": "Folders without a catalog",
    "backends": "Backends",
    "backends.kit": "Kit for backends",
    "plan": "Plans",
    "rules": "Rules and consents",
    "report": "Reports",
    "state": "States",
    "sql": "SQL",
    "exchange": "DDL",
    "execute": "Execution",
    "write_check": "Write check",
    "compatibility": "Compatibility",
    "testing": "Testing",
    "testing.unity": "Testing Unity Catalog",
    "diagnostics.errors": "Errors",
}
"""The packages with public names, in the order of the reference, and what a section of the reference is called."""

SHOWN_WITH = {
    "ABSENT": "version_of",
    "BreakingRows": "Constraint",
    "CompatibilityFinding": "judge_change",
    "CreateExecutor": "AlignExecutor",
    "DataAccess": "CatalogSuite",
    "DataCheck": "NotNull",
    "EntryDifference": "entry_differences",
    "LocalFiles": "state_of_log",
    "MemoryDataAccess": "CatalogSuite",
    "NO_CONNECTION": "refused",
    "NameSet": "NameMap",
    "Refusal": "Capabilities",
    "RunningOutcome": "InterruptedTable",
    "Stamp": "LogFiles",
    "UnreadableTable": "problem",
    "Version": "version_of",
    "connect_databricks": "DatabricksCatalog",
    "describe_history": "describe_detail",
    "escaped": "step",
    "folded": "NameMap",
    "identifier": "dotted",
    "is_damaged": "is_a_view",
    "is_not_delta": "is_a_view",
    "literal": "dotted",
    "local_folder": "state_of_log",
    "redacted_uri": "first_line",
    "required_table_names": "snapshot_names",
    "state_from_json": "state_json",
    "worst_verdict": "judge_change",
}
"""Names whose example is that of another name."""

_PART = re.compile(r"(<!-- generated: (?P<name>.+?) -->\n).*?(<!-- end of (?P=name) -->)", re.DOTALL)


def codes_of(stage: CodeStage) -> str:
    """Return the table of the codes of one stage."""
    rows = (
        (f'<a id="{info.code.lower()}"></a>{info.code} {info.name}', _cell(info.meaning), _cell(info.remedy))
        for info in all_codes()
        if info.stage == stage
    )
    return markdown_table(("code", "means", "remedy"), rows)


def code_examples() -> str:
    """Return a section for each code, with its example."""
    return "\n\n".join(f"## {info.code} {info.name}\n\n```text\n{info.example}\n```" for info in all_codes())


def _cell(text: str) -> str:
    return " ".join(documentation.markdown(text).split()).replace("|", "\\|")


def fixture_sections() -> str:
    """Return a section for each public fixture, from its docstring."""
    tree = ast.parse(Path(fixtures.__file__).read_text("utf-8"))
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")]
    return "\n\n".join(_fixture_section(function) for function in functions)


def configuration() -> str:
    """Return the table of settings; its example begins with the name of its file, as those of all pages do."""
    return configuration_reference().replace("```toml\n", "```toml\n# pyproject.toml\n").strip()


def root_names() -> str:
    """Return a section for each name of the root package, by the package that defines it."""
    root = import_module("pytest_delta_schema")
    left = set(public())
    parts = []
    for home, title in PACKAGES.items():
        names = sorted(left.intersection(public(home)))
        left.difference_update(names)
        if names:
            sections = (f"{documentation.section(name, getattr(root, name))}\n\n{example(name)}" for name in names)
            parts.append("\n\n".join([f"## {title}", *sections]))
    if left:
        msg = f"no package has {sorted(left)}"
        raise ValueError(msg)
    return "\n\n".join(parts)


def example(name: str) -> str:
    """Return the example of a public name: its test in ``examples/api``, or that of a name with which it is shown."""
    shown = SHOWN_WITH.get(name, name)
    test = f"(?:def test_{re.sub('(?<=[a-z])(?=[A-Z])', '_', shown).lower()}|class Test{shown})"
    pattern = re.compile(rf"^(?:@[^\n]+\n)*{test}\(.*?(?=\n\n\n|\Z)", re.DOTALL | re.MULTILINE)
    blocks = [
        f"```python\n# {path.relative_to(ROOT).as_posix()}\n{match[0].strip()}\n```"
        for path in sorted((ROOT / "examples" / "api").glob("test_*.py"))
        for match in pattern.finditer(path.read_text("utf-8"))
    ]
    if len(blocks) != 1:
        msg = f"examples/api has {len(blocks)} tests of the name {test}; write one, which shows how {name} is used"
        raise ValueError(msg)
    if not re.search(rf"\b{name}\b", blocks[0]):
        msg = f"the example of {name} does not use it: {blocks[0]}"
        raise ValueError(msg)
    return blocks[0]


def package_names() -> str:
    """Return a section for each public name that a package has and the root has not."""
    parts = []
    for home in PACKAGES:
        package = import_module(f"pytest_delta_schema.{home}")
        names = [name for name in public(home) if name not in public()]
        entries = (
            f"#### `{name}`\n\n{documentation.summary(name, getattr(package, name))}\n\n{example(name)}"
            for name in names
        )
        if names:
            parts.append("\n\n".join([f"### `pytest_delta_schema.{home}`", *entries]))
    return "\n\n".join(parts)


def public(home: str = "") -> list[str]:
    """Return the public names of a package or a module, of the root by default."""
    module = import_module(f"pytest_delta_schema.{home}".rstrip("."))
    defined = [
        name
        for name, value in vars(module).items()
        if isinstance(value, type) and value.__module__ == module.__name__ and not name.startswith("_")
    ]
    return sorted(getattr(module, "__all__", defined))


def marks() -> str:
    """Return the table of marks."""
    return markdown_table(
        ("mark", "selects"), ((f"`{name}`", meaning) for name, meaning in every_run.PYTEST_MARKS.items())
    )


CI_FILES = {
    "github.yml": ".github/workflows/delta.yml",
    "databricks.yml": "databricks.yml",
    "run_drift.py": "run_drift.py",
    "pre-commit-config.yaml": ".pre-commit-config.yaml",
}
"""The files for CI systems that a page shows, with the path that each has in a project."""


def ci_file(name: str) -> str:
    """Return one of the files for CI systems as a block of code that begins with its path."""
    language = "python" if name.endswith(".py") else "yaml"
    path = ROOT / "examples" / "ci" / name
    text = path.read_text("utf-8") if path.exists() else cli.ci_file(path.stem, "databricks", "")
    return f"```{language}\n# {CI_FILES[name]}\n{text}```"


def workspace_facts() -> str:
    """Return the facts about workspaces that the package relies on, and how many others have told each."""
    rows = [f"| {question.fact} | {question.told_by} |" for question in QUESTIONS]
    return "\n".join(["| fact | told by |", "|---|---|", *rows])


PARTS: dict[str, Callable[[], str]] = {
    "facts about workspaces": workspace_facts,
    **{name: partial(ci_file, name) for name in CI_FILES},
    "rules for models": lambda: codes_of("model"),
    "rules for plans": lambda: codes_of("plan"),
    "data checks": lambda: codes_of("data check"),
    "rules for rows": lambda: codes_of("rows"),
    "faults of reading": lambda: codes_of("reading"),
    "faults of applying": lambda: codes_of("applying"),
    "notes": lambda: codes_of("note"),
    "drift": lambda: codes_of("drift"),
    "catalog entries": lambda: codes_of("catalog entry"),
    "unmanaged tables": lambda: codes_of("unmanaged table"),
    "verdicts of compatibility": documentation.compatibility_table,
    "changes of contracts": lambda: codes_of("compatibility"),
    "examples of codes": code_examples,
    "fixtures": fixture_sections,
    "configuration": configuration,
    "root names": root_names,
    "package names": package_names,
    "marks": marks,
    "capabilities": documentation.capabilities_table,
    "answers": agreement.table,
    "answers of statements": agreement.statement_table,
    "findings": documentation.findings_table,
    "answers of streams": stream_rules.answers_table,
    "ends of streams": stream_rules.endings,
    "clients": documentation.tables,
    "pairs": record.pairs_table,
    "environments": record.tools_table,
    "keys of a report": json_schemas.report_keys,
    "keys of a state": json_schemas.state_keys,
    "example of a state": lambda: f"```json\n{EXAMPLE_TEXT}```",
}


BUILT = blocks_in(Path(__file__).with_name("built_pages.txt"))
"""The pages that are built with the site; git ignores them, and no other page has a link to them."""


def built(page: str) -> str:
    """Return the text of a page that is built with the site."""
    return rewritten(BUILT[page])


def rewritten(text: str) -> str:
    """Return the text of a page with its generated parts written anew."""
    return _PART.sub(lambda part: f"{part[1]}\n{PARTS[part['name']]()}\n\n{part[3]}", text)


def parts_of(text: str) -> list[str]:
    """Return the names of the generated parts of a page."""
    return [part["name"] for part in _PART.finditer(text)]


def _fixture_section(function: ast.FunctionDef) -> str:
    decorators = [ast.unparse(node) for node in function.decorator_list if "fixture" in ast.unparse(node)]
    scope = re.search(r"scope='(\w+)'", decorators[0])
    docstring = documentation.markdown(ast.get_docstring(function) or "").strip()
    return f"### `{function.name}`\n\n*Scope: {scope[1] if scope else 'function'}.* {docstring}"


def main() -> None:
    """Write the generated parts of all pages."""
    for page in map(ROOT.joinpath, page_names()):
        page.write_text(rewritten(page.read_text("utf-8")), "utf-8")
    for name in BUILT:
        (ROOT / name).write_text(built(name), "utf-8")


if __name__ == "__main__":
    main()
