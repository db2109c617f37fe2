"""``Settings.from_project``: the settings of a project in a script, where there is no pytest."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pytest_delta_schema.configuration.settings import Settings
from pytest_delta_schema.diagnostics.errors import ConfigurationError

SECTION = "[tool.pytest_delta_schema]\n"


def test_everything_that_changes_a_verdict_is_read(tmp_path):
    (tmp_path / "pyproject.toml").write_text(
        SECTION
        + """
        models = ["shop.models"]
        backend = "memory"
        max_risk = "scan"
        protected = ["prod.*"]
        preflight = "limit"
        preflight_samples = 0
        on_failure = "restore"
        enable_features = ["columnMapping"]
        rules = ["shop.rules:NoFloats"]
        owned_properties = true
        clients = ["Trino >= 470", "athena"]
        client_features = { "trino.clustering" = 482 }
        bind = { "dev.silver" = "ci.x" }
        default_properties = { team = "sales" }
        properties = { "legacy.*" = "forbid" }
        [[tool.pytest_delta_schema.allow]]
        action = "rewrite"
        path = "dev.silver.*"
        reason = "partitions"
        expires = 2999-01-01
        """
    )

    settings = Settings.from_project(str(tmp_path))

    (consent,) = settings.consents
    assert str(consent) == "rewrite dev.silver.*"
    assert settings == Settings(
        properties=(("legacy.*", "forbid"),),
        default_properties=(("team", "sales"),),
        enable_features=("columnMapping",),
        owned_properties=True,
        clients=("trino>=470", "athena"),
        client_features=(("trino.clustering", "482"),),
        consents=(consent,),
        project_consents=(consent,),
        max_risk="scan",
        protected=("prod.*",),
        bindings=((("dev", "silver"), ("ci", "x")),),
        preflight="limit",
        preflight_samples=0,
        on_failure="restore",
        rules=("shop.rules:NoFloats",),
    )


def test_a_project_without_a_section_has_the_defaults(tmp_path):
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n")

    assert Settings.from_project(tmp_path) == Settings()


def test_the_nearest_file_counts(tmp_path, monkeypatch):
    for folder, risk in ((tmp_path, "metadata"), (tmp_path / "a", "scan")):
        folder.mkdir(exist_ok=True)
        (folder / "pyproject.toml").write_text(f"{SECTION}max_risk = '{risk}'\n")
    (tmp_path / "a" / "sub").mkdir()
    (tmp_path / "b").mkdir()
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "pyproject.toml").write_text("")
    monkeypatch.chdir(tmp_path)

    risks = [Settings.from_project(folder).max_risk for folder in (Path("a/sub"), "b", "c")]

    assert risks == ["scan", "metadata", "destructive"]


def test_all_faults_are_in_one_error(tmp_path):
    path = tmp_path / "pyproject.toml"
    path.write_text(
        f"{SECTION}max_rsk = 'scan'\npreflight = 'all'\n"
        "[[tool.pytest_delta_schema.allow]]\n"
        "action = 'rewrite'\npath = 'dev.silver.x'\nreason = 'partitions'\nexpires = 2001-01-01\n"
    )

    with pytest.raises(ConfigurationError) as error:
        Settings.from_project(tmp_path)

    assert str(error.value).splitlines() == [
        f"{path}: [tool.pytest_delta_schema]: there is no setting max_rsk; did you mean max_risk?",
        f"{path}: [tool.pytest_delta_schema]: preflight is 'all'; choose count, limit or off",
        "consent 'rewrite dev.silver.x' expired at the end of 2001-01-01 in UTC (partitions); remove it, or renew it",
    ]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pytest.ini", "[pytest]\ndelta_max_risk = scan\n"),
        (".pytest.ini", "[pytest]\ndelta_max_risk = scan\n"),
        ("pytest.toml", "[pytest]\ndelta_max_risk = 'scan'\n"),
        ("tox.ini", "[pytest]\ndelta_max_risk = scan\n"),
        ("setup.cfg", "[tool:pytest]\ndelta_max_risk = scan\n"),
        ("pyproject.toml", "[tool.pytest.ini_options]\ndelta_max_risk = 'scan'\n"),
        ("pyproject.toml", "[tool.pytest]\ndelta_max_risk = 'scan'\n"),
    ],
)
def test_ini_keys_that_it_cannot_see_are_an_error(tmp_path, name, text):
    (tmp_path / "pyproject.toml").write_text(f"{SECTION}max_risk = 'scan'\n")
    with (tmp_path / name).open("a") as file:
        file.write(text)
    folder = tmp_path / "src"
    folder.mkdir()

    with pytest.raises(ConfigurationError) as error:
        Settings.from_project(folder)

    assert str(error.value) == (
        f"{tmp_path / name}: delta_max_risk can only be read by pytest; set max_risk in [tool.pytest_delta_schema] of"
        " pyproject.toml instead"
    )


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"[pytest]\n# \xff\n", ""),
        (b"[pytest]\ndelta_backend = memory\ndelta_backend = local\n", "line 3: duplicate name 'delta_backend'"),
    ],
    ids=["encoding", "syntax"],
)
def test_an_ini_file_that_cannot_be_read_is_an_error(tmp_path, content, reason):
    (tmp_path / "tox.ini").write_bytes(content)

    with pytest.raises(ConfigurationError, match=rf"tox\.ini: cannot be read: {reason}"):
        Settings.from_project(tmp_path)


def test_pytest_is_not_needed(tmp_path):
    (tmp_path / "pyproject.toml").write_text(f"{SECTION}protected = ['dev.*']\n")
    (tmp_path / "script.py").write_text(
        "import sys\n"
        "sys.modules['pytest'] = None\n"
        "from pytest_delta_schema.configuration.settings import Settings\n"
        "print(Settings.from_project('.').protected)\n"
    )

    done = subprocess.run(
        [sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=300
    )

    assert (done.stdout, done.stderr) == ("('dev.*',)\n", "")


@pytest.mark.parametrize(
    ("name", "section", "remedy"),
    [
        ("pyproject.toml", "tool.pytest-delta-schema", "write [tool.pytest_delta_schema]"),
        ("pytest.ini", "pytest_delta_schema", "move it to [tool.pytest_delta_schema] of pyproject.toml"),
    ],
)
def test_a_misspelt_section_is_an_error_for_scripts(tmp_path, name, section, remedy):
    path = tmp_path / name
    path.write_text(f"[{section}]\nprotected = ['dev.*']\n")

    with pytest.raises(ConfigurationError) as error:
        Settings.from_project(tmp_path)

    assert str(error.value) == f"{path}: [{section}] is not read; {remedy}"
