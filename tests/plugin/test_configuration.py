"""Settings in ``pyproject.toml`` and on the command line: what a user types, and what the run does."""

from __future__ import annotations

import pytest

from pytest_delta_schema.diagnostics.redaction import Uri
from support.plugin_project import MODELS, ORDERS, reads_tool_pytest

SECTION = "[tool.pytest_delta_schema]\n"
READ = {
    # a line of the section, and what a run has of it
    'backend = "memory"': ("backend", "memory"),
    'max_risk = "scan"': ("settings.max_risk", "scan"),
    'unmanaged = "fail"': ("unmanaged", "ignore"),
    'unmanaged_ignore = ["*.tmp_*"]': ("unmanaged_ignore", ("*.tmp_*",)),
    'unity_uri = "https://unity.example.com"': ("values.unity_uri", Uri("https://unity.example.com")),
    'unity_token_variable = "LAKE_TOKEN"': ("values.unity_token_variable", "LAKE_TOKEN"),
    'sync = ["on-read", "recreate"]': ("values.sync", ("on-read", "recreate")),
    "databricks_start_timeout = 900": ("values.databricks_start_timeout", 900),
    'bind = { "dev.silver" = "ci.x" }': ("settings.bindings", ((("dev", "silver"), ("ci", "x")),)),
    'release_tags = ["release/*", "v[0-9]*"]': ("release_tags", ("release/*", "v[0-9]*")),
}


def part(options, name):
    first, _, rest = name.partition(".")
    value = getattr(options, first)
    return value if not rest else value[rest] if first == "values" else getattr(value, rest)


def test_what_is_read_is_what_a_run_has(project):
    project.models(ORDERS)
    project.settings(MODELS, 'warehouse = "lake/{worker}"', *READ)

    apply = project.options("--delta-apply", "--delta-set=on_failure=restore")
    drift = project.options("--delta-drift")
    both = project.options("--delta-drift", "--delta-sync-metadata", "--delta-backend=unity")

    assert {line: part(apply, name) for line, (name, _) in READ.items()} == {
        line: value for line, (_, value) in READ.items()
    }
    assert (apply.mode, apply.settings.on_failure) == ("apply", "restore")
    assert apply.project_file == project.path / "pyproject.toml"
    assert apply.models == {project.path / "models.py": "models"}
    assert apply.warehouse == f"{project.path}/lake/{{worker}}"
    # Only a gate looks for tables without a model, and it writes entries only if the command line asks for it.
    assert (drift.unmanaged, drift.values["sync"]) == ("fail", ("recreate",))
    assert both.values["sync"] == ("on-read", "recreate")


RULES = """
from pytest_delta_schema.diagnostics.errors import Diagnostic

class NoDecimals:
    code = "SHOP1"
    def check(self, table):
        yield Diagnostic(
            rule="NoDecimals", code="SHOP1", table=table.qualified_name, path="amount", message="is a decimal",
            remedy="store cents",
        )
"""


def test_a_gate_and_its_rules_that_only_the_section_configures(project):
    project.models(ORDERS)
    project.pytester.makepyfile(rules=RULES)
    project.settings('models = ["models"]', 'backend = "memory"', 'rules = ["rules:NoDecimals"]')

    result = project.run("--delta-drift", "-m", "delta_drift or delta_rules")

    result.assert_outcomes(failed=1, skipped=1)
    result.stdout.fnmatch_lines(
        [
            "delta schema: configured by pyproject.toml",
            "delta schema: drift on memory",
            "*dev.silver.orders: is a decimal; store cents [[]SHOP1 NoDecimals]*",
            "drift: 1 blocked, *",
        ],
    )
    project.settings('models = ["models"]', 'rules = ["rules:NoDecimal", "no.such:Rule"]')
    result = project.run()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert result.stderr.str().splitlines() == [
        "ERROR: rule 'rules:NoDecimal' cannot be loaded, AttributeError: module 'rules' has no attribute 'NoDecimal'",
        "rule 'no.such:Rule' cannot be loaded, ModuleNotFoundError: No module named 'no'",
    ]


@reads_tool_pytest
def test_the_section_is_read_next_to_that_of_pytest(project):
    (project.path / "tox.ini").unlink()
    (project.path / "pyproject.toml").write_text(
        '[tool.pytest]\npythonpath = ["."]\n[tool.pytest_delta_schema]\nbackend = "memory"\n'
    )

    assert project.options("--delta-drift").backend == "memory"


UNREADABLE = [
    (b"[tool.pytest_delta_schema\n", "cannot be read: "),
    (b"[tool]\npytest_delta_schema = 1\n", "pytest_delta_schema is not a table; write "),
]


def test_a_file_that_cannot_be_read_is_a_usage_error(project):
    (project.path / "ci").mkdir()
    (project.path / "ci" / "pytest.ini").write_text("[pytest]\n")

    # Where pytest itself would read the file, it stops the run with its own message.
    for content, message in UNREADABLE:
        (project.path / "pyproject.toml").write_bytes(content)
        (fault,) = project.faults("-c", str(project.path / "ci" / "pytest.ini"))
        assert fault.startswith(f"{project.path}/pyproject.toml: {message}")


def test_a_misspelt_section_is_found_without_options_below_it(project, monkeypatch):
    (project.path / "tox.ini").unlink()
    (project.path / "pyproject.toml").write_text('[tool.pytest-delta-schema]\nprotected = ["dev.*"]\n')
    (project.path / "ci").mkdir()
    (project.path / "ci" / "test_it.py").write_text("def test_it(): pass\n")
    monkeypatch.chdir(project.path / "ci")

    result = project.run()

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: *pyproject.toml: [[]tool.pytest-delta-schema] is not read; write *"])


FOUND = "delta schema: {} contracts that this run does not check: {}; *: cd {} && pytest"
MONOREPOS = [
    # the folders with their sections, and the line
    (
        {"b": SECTION, "a x": f"# a\n{SECTION}", "c/d": SECTION},
        FOUND.format("3 projects have", "a x, b, c/d", "'a x'"),
    ),
    ({".": SECTION, "a": "[tool.pytest.ini_options]\n# [tool.pytest_delta_schema]\n", "build": SECTION}, ""),
]


def test_the_root_of_a_monorepo_names_the_projects_that_it_does_not_check(project, monkeypatch):
    project.settings()
    for number, (files, line) in enumerate(MONOREPOS):
        root = project.path / f"root_{number}"
        for folder, text in files.items():
            (root / folder).mkdir(parents=True, exist_ok=True)
            (root / folder / "pyproject.toml").write_text(text, "utf-8")
        (root / "tox.ini").write_text("[pytest]\n", "utf-8")
        (root / "test_a.py").write_text("def test_a(): pass\n", "utf-8")

        with monkeypatch.context() as folder:
            folder.chdir(root)
            result = project.run()

        if line:
            result.stdout.fnmatch_lines([line])
        else:
            result.stdout.no_fnmatch_line("*that this run does not check*")
