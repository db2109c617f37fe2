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

from pytest_delta_schema.commands.cli import PLATFORMS, main
from pytest_delta_schema.plugin.registration import PYTEST_MARKS
from pytest_delta_schema.report.formats import FORMATS
from pytest_delta_schema.settings.table import SETTINGS
from support.plugin_project import ORDERS

FOLDER = Path(__file__).parent.parent.parent / "examples" / "ci"
PRINTED = FOLDER.parent.parent / "pytest_delta_schema" / "commands" / "ci_files"
FILES = sorted([*FOLDER.iterdir(), *PRINTED.iterdir()])
SCHEMAS = {
    "github.yml": "vendor.github-workflows",
    "gitlab.yml": "vendor.gitlab-ci",
    "azure.yml": "vendor.azure-pipelines",
}


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_file_fits_the_schema_of_its_system(name, tmp_path):
    validator = pytest.importorskip("check_jsonschema", reason="check-jsonschema is not in this environment")
    text = (PRINTED / name).read_text("utf-8")
    wrong = tmp_path / name
    wrong.write_text(re.sub(r"\b(steps|script):", r"\1: 1 #", text), "utf-8")
    command = ["--regex-variant", "nonunicode", "--builtin-schema", SCHEMAS[name]]
    results = [CliRunner().invoke(validator.main, [*command, str(path)]) for path in (PRINTED / name, wrong)]

    assert [result.exit_code for result in results] == [0, 1], [result.output for result in results]


@pytest.mark.parametrize("platform", PLATFORMS)
def test_the_file_of_a_platform_is_printed(platform, capsys):
    assert main(["ci", platform]) == 0

    assert capsys.readouterr().out == (PRINTED / f"{platform}.yml").read_text("utf-8")


def test_the_hooks_of_pre_commit(tmp_path):
    hooks = pytest.importorskip("pre_commit.clientlib", reason="pre-commit is not in this environment")
    path = FOLDER / "pre-commit-config.yaml"
    wrong = tmp_path / path.name
    wrong.write_text(path.read_text("utf-8").replace("entry:", "run:"), "utf-8")

    (repository,) = hooks.load_config(str(path))["repos"]
    assert [hook["id"] for hook in repository["hooks"]] == ["delta-contracts"]
    with pytest.raises(hooks.InvalidConfigError):
        hooks.load_config(str(wrong))


def test_the_job_on_databricks():
    bundle = yaml.safe_load((FOLDER / "databricks.yml").read_text("utf-8"))

    for job in bundle["resources"]["jobs"].values():
        environments = [environment["environment_key"] for environment in job["environments"]]
        for task in job["tasks"]:
            assert (FOLDER / task["spark_python_task"]["python_file"]).is_file()
            assert task["environment_key"] in environments


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_options_reports_and_marks_exist(path):
    text = path.read_text("utf-8")
    options = {setting.option for setting in SETTINGS if setting.on_command_line}
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
