"""Settings in ``pyproject.toml`` and on the command line: what a user types, and what the run does."""

from __future__ import annotations

import json

import pytest

from support.plugin_project import HEAD, ORDERS, reads_tool_pytest

SHOW = """
from pytest_delta_schema.plugin.run import contract_run

def test_it(pytestconfig):
    options = contract_run(pytestconfig).options
    print("OPTIONS", options)
"""


RULES = """
from pytest_delta_schema import Table
from pytest_delta_schema.diagnostics.errors import Diagnostic

class NoDecimals:
    code = "SHOP1"
    def check(self, table: Table):
        yield Diagnostic(
            rule="NoDecimals", code="SHOP1", table=table.qualified_name, path="amount", message="is a decimal",
            remedy="store cents",
        )
"""


@pytest.fixture
def options(project):
    """Run pytest, and return what it has read, as the text of its options."""
    project.pytester.makepyfile(test_show=SHOW)

    def show(*args):
        result = project.run("-s", "-k", "test_it", *args)
        assert result.parseoutcomes().get("passed") == 1, result.stderr.str()
        return next(line.partition("OPTIONS ")[2] for line in result.outlines if "OPTIONS " in line)

    return show


def test_what_is_read_is_what_a_run_has(project, options):
    project.models(ORDERS)
    project.settings(
        'models = ["models"]',
        'backend = "memory"',
        'warehouse = "lake/{worker}"',
        'max_risk = "scan"',
        'unmanaged = "fail"',
        'unmanaged_ignore = ["*.tmp_*"]',
        'unity_uri = "https://unity.example.com"',
        'unity_token_variable = "LAKE_TOKEN"',
        "unity_timeout = 7",
        'sync = ["on-read", "recreate"]',
        'databricks_warehouse = "abc"',
        "databricks_start_timeout = 900",
        'bind = { "dev.silver" = "ci.x" }',
        'release_tags = ["release/*", "v[0-9]*"]',
    )

    text = options("-o", "addopts=--delta-apply --delta-set=on_failure=restore")

    for part in (
        "mode='apply'",
        f"project_file=PosixPath('{project.path}/pyproject.toml')",
        f"models={{PosixPath('{project.path}/models.py'): 'models'}}",
        "backend='memory'",
        f"warehouse='{project.path}/lake/{{worker}}'",
        "max_risk='scan'",
        "on_failure='restore'",
        "unmanaged='ignore'",
        "unmanaged_ignore=('*.tmp_*',)",
        "'unity_uri': 'https://unity.example.com', 'unity_token_variable': 'LAKE_TOKEN', 'unity_timeout': 7",
        "'sync': ('on-read', 'recreate')",
        "'databricks_warehouse': 'abc', 'databricks_start_timeout': 900",
        "bindings=((('dev', 'silver'), ('ci', 'x')),)",
        "release_tags=('release/*', 'v[0-9]*')",
    ):
        assert part in text
    drift = options("-o", "addopts=--delta-drift")
    assert "unmanaged='fail'" in drift
    assert "'sync': ('recreate',)" in drift
    assert "'sync': ('on-read', 'recreate')" in options(
        "-o", "addopts=--delta-drift --delta-sync-metadata --delta-backend=unity"
    )


def test_a_setting_of_one_run_reaches_the_workers(project):
    project.settings('models = ["models"]', 'backend = "unity"')
    project.models(ORDERS)

    result = project.run("--delta-drift", "-m", "delta_drift", "--delta-set=backend=memory", "-n1")

    result.stdout.fnmatch_lines(["delta schema: drift on memory", "drift: 1 drifted, *"])


def test_all_faults_are_shown_at_once(project):
    project.settings("bakend = 1", "models = ['no.such']")

    result = project.run("--delta-drift", "--delta-apply", "--delta-set=colour=1", "--delta-backend=oracle")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        [
            "ERROR: pyproject.toml: [[]tool.pytest_delta_schema]: there is no setting bakend; did you mean backend[?]",
            "--delta-set: there is no setting colour; settings are models, *",
            "--delta-drift only compares, --delta-apply changes the catalog, *",
            "there is no delta backend 'oracle'; choose one of local, memory, session, unity, databricks",
            "models: there is no module no.such; *",
        ],
        consecutive=True,
    )


def test_a_gate_that_only_the_section_configures(project):
    project.models(ORDERS)
    project.settings('models = ["models"]', 'backend = "memory"')

    result = project.run("--delta-drift", "-m", "delta_drift")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["delta schema: configured by pyproject.toml", "delta schema: drift on memory", "drift: 1 drifted, *"],
    )


def test_rules_are_named_in_the_section(project):
    project.models(ORDERS)
    project.pytester.makepyfile(rules=RULES)
    project.settings('models = ["models"]', 'rules = ["rules:NoDecimals"]')

    result = project.run("-m", "delta_rules")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*dev.silver.orders: is a decimal; store cents [[]SHOP1 NoDecimals]*"])


def test_rules_that_cannot_be_loaded_are_a_usage_error(project):
    project.models(ORDERS)
    project.pytester.makepyfile(rules=RULES)
    project.settings('models = ["models"]', 'rules = ["rules:NoDecimal", "no.such:Rule"]')

    result = project.run()

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert result.stderr.str().splitlines() == [
        ("ERROR: rule 'rules:NoDecimal' cannot be loaded, AttributeError: module 'rules' has no attribute 'NoDecimal'"),
        "rule 'no.such:Rule' cannot be loaded, ModuleNotFoundError: No module named 'no'",
    ]


def test_the_section_is_read_where_pytest_itself_has_none(project):
    (project.path / "tox.ini").unlink()
    project.pytester.makeconftest("import sys, pathlib; sys.path.insert(0, str(pathlib.Path(__file__).parent))")
    project.models(ORDERS)
    project.settings('backend = "memory"')

    result = project.run("--delta-drift", "--collect-only", "models.py")

    result.stdout.fnmatch_lines(["delta schema: configured by pyproject.toml", "delta schema: drift on memory"])


@pytest.mark.parametrize("mode", ["ini_options", pytest.param("native", marks=reads_tool_pytest)])
def test_sections_for_pytest_and_for_the_package_share_a_file(project, mode):
    (project.path / "tox.ini").unlink()
    head = "[tool.pytest]" if mode == "native" else "[tool.pytest.ini_options]"
    (project.path / "pyproject.toml").write_text(
        f'{head}\npythonpath = ["."]\n[tool.pytest_delta_schema]\nmodels = ["models"]\nbackend = "memory"\n',
    )
    project.models(ORDERS)

    project.run("--delta-drift", "-m", "delta_drift").stdout.fnmatch_lines(["drift: 1 drifted, *"])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"[tool.pytest_delta_schema\n", "ERROR: {folder}/pyproject.toml: cannot be read: *"),
        (b"# pytest_delta_schema \xff\n", "ERROR: {folder}/pyproject.toml: cannot be read: *"),
        (
            b"[tool.pytest_delta_schema]\nmodels = " + b"[" * 3000,
            "ERROR: {folder}/pyproject.toml: cannot be read: it is nested too deeply",
        ),
        (
            b"[tool]\npytest_delta_schema = 1\n",
            "ERROR: {folder}/pyproject.toml: pytest_delta_schema is not a table; write *",
        ),
    ],
)
def test_a_file_that_cannot_be_read_is_a_usage_error(project, content, message):
    (project.path / "pyproject.toml").write_bytes(content)
    ini = project.path / "ci" / "pytest.ini"
    ini.parent.mkdir()
    ini.write_text("[pytest]\n")

    # Where pytest itself would read the file, it stops the run with its own message.
    result = project.run("-c", str(ini))

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([message.format(folder=project.path)])


@pytest.mark.parametrize("args", [[], ["--delta-drift"], ["--delta-apply"]], ids=["no mode", "drift", "apply"])
@pytest.mark.parametrize(
    ("file", "section", "remedy"),
    [
        ("pyproject.toml", "tool.pytest-delta-schema", "write [[]tool.pytest_delta_schema]"),
        ("pyproject.toml", "pytest_delta_schema", "write [[]tool.pytest_delta_schema]"),
        ("setup.cfg", "pytest_delta_schema", "move it to [[]tool.pytest_delta_schema] of pyproject.toml"),
        ("ci/pytest.ini", "pytest_delta_schema", "move it to [[]tool.pytest_delta_schema] of pyproject.toml"),
    ],
)
def test_a_misspelt_section_is_a_usage_error(project, file, section, remedy, args):
    project.settings()
    ini = project.path / "ci" / "pytest.ini"
    ini.parent.mkdir()
    ini.write_text("[pytest]\n")
    path = project.path / file
    with path.open("a") as stream:
        stream.write(f'[{section}]\nmax_risk = "scan"\n')
    project.pytester.makepyfile("def test_it(): pass")

    # pytest's own file is in another folder than the pyproject.toml.
    result = project.run("-c", str(ini), "--rootdir", str(project.path), *args)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {file}: [[]{section}] is not read; {remedy}"])


def test_a_misspelt_section_below_a_folder_is_found_where_pytest_starts_in_it(project, monkeypatch):
    (project.path / "tox.ini").unlink()
    (project.path / "pyproject.toml").write_text('[tool.pytest-delta-schema]\nprotected = ["dev.*"]\n')
    (project.path / "tests").mkdir()
    (project.path / "tests" / "test_it.py").write_text("def test_it(): pass\n")
    monkeypatch.chdir(project.path / "tests")

    result = project.run()

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: *pyproject.toml: [[]tool.pytest-delta-schema] is not read; write *"])


def test_the_nearest_file_above_the_ini_file_is_read(project):
    project.settings('backend = "memory"', 'warehouse = "lake"')
    (project.path / "tox.ini").unlink()
    tests = project.path / "tests"
    tests.mkdir()
    (tests / "pytest.ini").write_text("[pytest]\n")
    (tests / "test_show.py").write_text(SHOW)

    result = project.run("-s", "tests")

    result.stdout.fnmatch_lines(
        [
            f"delta schema: configured by {project.path}/pyproject.toml",
            f"*backend='memory', warehouse='{project.path}/lake'*",
        ],
    )


SECTION = "[tool.pytest_delta_schema]\n"


@pytest.mark.parametrize(
    ("files", "args", "line"),
    [
        (
            {"b": "[tool.pytest_delta_schema]\n", "a x": "# a\n[tool.pytest_delta_schema]\nmodels = ['m']\n", "c/d": SECTION},
            [],
            "delta schema: 3 projects have contracts that this run does not check: a x, b, c/d; *: cd 'a x' && pytest",
        ),
        ({"a": SECTION, "b": "[tool.other]\n"}, [], "delta schema: 1 project has contracts that * check: a; *: cd a && pytest"),
        ({"a": SECTION, "b": SECTION}, ["b"], "delta schema: 1 project has contracts that * check: b; *: cd b && pytest"),
        ({".": SECTION}, [], None),
        ({"a": "[tool.pytest.ini_options]\n# [tool.pytest_delta_schema]\n"}, [], None),
        ({"build": SECTION}, [], None),
    ],
)  # fmt: skip
def test_the_root_of_a_monorepo_names_the_projects_that_it_does_not_check(project, files, args, line):
    project.settings()
    (project.path / "tox.ini").write_text("[pytest]\n", "utf-8")
    for folder, text in files.items():
        (project.path / folder).mkdir(parents=True, exist_ok=True)
        (project.path / folder / "pyproject.toml").write_text(text, "utf-8")
    (project.path / "test_a.py").write_text("def test_a(): pass\n", "utf-8")

    result = project.run(*args)

    if line is None:
        result.stdout.no_fnmatch_line("*that this run does not check*")
    else:
        result.stdout.fnmatch_lines([line])


def test_each_project_of_a_monorepo_has_its_own_section(project, monkeypatch):
    (project.path / "tox.ini").unlink()
    project.settings('backend = "unity"')
    for name, text in (("a", '\n[tool.pytest_delta_schema]\nbackend = "memory"\n'), ("b", "")):
        folder = project.path / name
        folder.mkdir()
        (folder / "pyproject.toml").write_text(f"[tool.pytest.ini_options]\npythonpath = ['.']\n{text}")
        (folder / "models.py").write_text(HEAD + ORDERS)
    seen = {}
    for name in ("a", "b"):
        monkeypatch.chdir(project.path / name)
        seen[name] = project.run("--collect-only", "--delta-drift", "models.py").outlines

    assert "delta schema: configured by pyproject.toml" in seen["a"]
    assert "delta schema: drift on memory" in seen["a"]
    assert not [line for line in seen["b"] if "configured by" in line]
    assert f"delta schema: drift on local, warehouse {project.path}/b/.delta-warehouse" in seen["b"]


def test_the_section_holds_where_pytest_starts_in_a_subfolder(project, monkeypatch):
    project.settings('warehouse = "lake"', 'backend = "memory"')
    folder = project.path / "tests"
    folder.mkdir()
    (folder / "test_show.py").write_text(SHOW)
    monkeypatch.chdir(folder)

    result = project.run("-s")

    result.stdout.fnmatch_lines(
        ["delta schema: configured by pyproject.toml", f"*backend='memory', warehouse='{project.path}/lake'*"],
    )


def test_a_run_without_a_section_reports_nothing(project):
    (project.path / "pyproject.toml").write_text('[project]\nname = "pytest-delta-schema-user"\n')
    project.pytester.makepyfile("def test_it(): pass")

    project.run().stdout.no_fnmatch_line("*delta schema*")


def test_a_run_without_a_section_does_not_parse_toml(project):
    (project.path / "pyproject.toml").write_text('[project]\nname = "pytest-delta-schema-user"\n')
    project.pytester.makepyfile(
        test_x="""
        import sys
        def test_it():
            heavy = ("pytest_delta_schema.configuration.values", "pytest_delta_schema.rules")
            assert [name for name in heavy if name in sys.modules] == []
        """,
    )

    project.run(subprocess=True).assert_outcomes(passed=1)


def test_the_file_named_in_the_header_is_shown_without_controls(project):
    folder = project.path / "a\x1bb"
    folder.mkdir()
    (folder / "pyproject.toml").write_text("[tool.pytest_delta_schema]\n")
    (folder / "pytest.ini").write_text("[pytest]\n")
    (folder / "sub").mkdir()
    (folder / "sub" / "pytest.ini").write_text("[pytest]\n")
    (folder / "sub" / "test_it.py").write_text("def test_it(): pass\n")

    result = project.run("-c", str(folder / "sub" / "pytest.ini"), str(folder / "sub"))

    assert json.dumps("a\x1bb")[1:-1] in next(line for line in result.outlines if "configured by" in line)
