"""The files for CI systems are what those systems read, and use options that exist."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from pytest_delta_schema.commands.cli import PLATFORMS, ci_file, main
from pytest_delta_schema.plugin.registration import PYTEST_MARKS
from pytest_delta_schema.report.formats import FORMATS
from pytest_delta_schema.settings.table import OPTIONS
from support.plugin_project import ORDERS

FOLDER = Path(__file__).parent.parent.parent / "examples" / "ci"
PRINTED = FOLDER.parent.parent / "pytest_delta_schema" / "commands" / "ci_files"
FILES = sorted([*FOLDER.iterdir(), *PRINTED.iterdir()])
SCHEMAS = {
    "github.yml": "vendor.github-workflows",
    "gitlab.yml": "vendor.gitlab-ci",
    "azure.yml": "vendor.azure-pipelines",
}


def fits_schema(validator, name, path):
    result = CliRunner().invoke(
        validator.main, ["--regex-variant", "nonunicode", "--builtin-schema", SCHEMAS[name], str(path)]
    )
    return "" if result.exit_code == 0 else result.output


@pytest.mark.parametrize("backend", ["local", "databricks"])
@pytest.mark.parametrize("name", SCHEMAS)
def test_a_file_fits_the_schema_of_its_system(name, backend, tmp_path):
    validator = pytest.importorskip("check_jsonschema", reason="check-jsonschema is not in this environment")
    text = ci_file(Path(name).stem, backend, "")
    right, wrong = tmp_path / f"right-{name}", tmp_path / name
    right.write_text(text, "utf-8")
    wrong.write_text(re.sub(r"\b(steps|script):", r"\1_of_a_job:", text), "utf-8")

    assert fits_schema(validator, name, right) == ""
    assert "Schema validation errors" in fits_schema(validator, name, wrong)


def test_the_workflows_of_the_guide_to_plan_files_fit_the_schemas_of_their_systems(tmp_path):
    validator = pytest.importorskip("check_jsonschema", reason="check-jsonschema is not in this environment")
    text = (FOLDER.parent.parent / "docs" / "guides" / "plan-files.md").read_text("utf-8")
    files = dict(re.findall(r"^```yaml\n# (.*?)\n(.*?)^```", text, re.MULTILINE | re.DOTALL))
    systems = {
        ".github/workflows/release.yml": "github.yml",
        ".gitlab-ci.yml": "gitlab.yml",
        "azure-pipelines.yml": "azure.yml",
    }
    assert files.keys() == systems.keys()
    for path, name in systems.items():
        (tmp_path / name).write_text(files[path], "utf-8")
        assert fits_schema(validator, name, tmp_path / name) == ""


SECTION = "[tool.pytest_delta_schema]\n"
BACKENDS = {
    # the section of the project, the extras of the job drift, and the variables that it gets; None for no such job
    "none": ("", None, []),
    "local": (f'{SECTION}backend = "local"\n', None, []),
    "session": (f'{SECTION}backend = "session"\n', "spark,html", []),
    "unity": (f'{SECTION}backend = "unity"\n', "spark,unity,html", ["UNITY_CATALOG_TOKEN"]),
    "a token of unity": (f'{SECTION}backend = "unity"\nunity_token_variable = "UC"\n', "spark,unity,html", ["UC"]),
    "databricks": (
        f'{SECTION}backend = "databricks"\n',
        "spark,databricks,html",
        ["DATABRICKS_HOST", "DATABRICKS_TOKEN"],
    ),
    "of a third party": (f'{SECTION}backend = "folder"\n', "spark,html", []),
}


def steps_of(job):
    return " ".join(map(str, job.get("steps") or job["script"]))


@pytest.mark.parametrize(("section", "extras", "variables"), BACKENDS.values(), ids=BACKENDS)
@pytest.mark.parametrize("platform", PLATFORMS)
def test_the_jobs_of_a_platform_follow_the_settings(
    platform, section, extras, variables, tmp_path, monkeypatch, capsys
):
    (tmp_path / "pyproject.toml").write_text(section, "utf-8")
    monkeypatch.chdir(tmp_path)

    assert main(["ci", platform]) == 0

    text = capsys.readouterr().out
    document = yaml.safe_load(text)
    jobs = document.get("jobs", {name: part for name, part in document.items() if name not in {"default", "variables"}})
    if isinstance(jobs, list):
        jobs = {job["job"]: job for job in jobs}
    assert list(jobs) == ["review", "against", *(["drift"] if extras else [])]
    assert "--delta-" not in steps_of(jobs["review"]).replace("--delta-report azure", "")
    assert "--delta-against=auto" in steps_of(jobs["against"])
    depth = {"github": "'fetch-depth': 0", "azure": "'fetchDepth': '0'", "gitlab": "'GIT_DEPTH': '0'"}[platform]
    assert depth in str(jobs["against"])
    if extras:
        assert "pytest --delta-drift" in steps_of(jobs["drift"])
        assert re.findall(r"pytest-delta-schema\[([a-z,]+)\]", steps_of(jobs["drift"])) == [extras]
        assert re.findall(r"^ +(\w+): .*(?:secrets|vars)\.(?:DATA|U)|^ +(\w+): \$\((?:DATA|U)", text, re.MULTILINE) == [
            (name, "") if platform == "github" else ("", name) for name in (variables if platform != "gitlab" else [])
        ]
    assert text.count("--delta-drift") == 1
    assert ("schedule" in text) is bool(extras)
    assert "begin drift" not in text
    assert "end drift" not in text
    assert text.startswith("# no job for --delta-drift: set backend to the one of a shared catalog") is not bool(extras)


def test_the_hooks_of_pre_commit():
    hooks = pytest.importorskip("pre_commit.clientlib", reason="pre-commit is not in this environment")

    (repository,) = hooks.load_config(str(FOLDER / "pre-commit-config.yaml"))["repos"]
    assert [hook["id"] for hook in repository["hooks"]] == ["delta-contracts"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_options_reports_and_marks_exist(path):
    text = path.read_text("utf-8")
    options = {setting.option for setting in OPTIONS}
    types = {kind.partition(":")[0] for kind in re.findall(r"--delta-report[ =]([a-z]+)", text)}

    assert set(re.findall(r"--delta-[a-z-]+", text)) <= options
    assert types <= set(FORMATS)
    assert set(re.findall(r"\bdelta_(?:drift|rules|ddl|apply|metadata)\b", text)) <= set(PYTEST_MARKS)


def test_the_script_of_the_job(project):
    project.models(ORDERS)
    project.catalog("MemoryCatalog()")
    shutil.copy(FOLDER / "run_drift.py", project.path)
    command = [sys.executable, "run_drift.py", "reports"]

    result = subprocess.run(command, cwd=project.path, capture_output=True, text=True, check=False)

    assert result.returncode == pytest.ExitCode.TESTS_FAILED, result.stdout + result.stderr
    assert sorted(path.name for path in (project.path / "reports").iterdir()) == ["drift.html", "drift.json"]
    assert not list(project.path.rglob("__pycache__"))
