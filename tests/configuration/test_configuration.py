"""The table of settings, and what is derived from it."""

from __future__ import annotations

from typing import get_args

import pytest

from pytest_delta_schema.configuration.files import delta_keys, read_project_file
from pytest_delta_schema.configuration.values import _TYPED
from pytest_delta_schema.delta.protocol import COLUMN_MAPPING, TYPE_WIDENING
from pytest_delta_schema.plan.kinds import Risk
from pytest_delta_schema.settings.table import SETTINGS, Feature, RiskLabel, SettingKind
from support.documentation import configuration_reference as reference


def test_every_kind_has_a_reader_and_a_type_in_the_reference():
    assert set(_TYPED) == set(reference._TYPES) == set(get_args(SettingKind)) == {*(row.kind for row in SETTINGS)}


def test_the_choices_are_those_of_the_engine():
    assert list(get_args(RiskLabel)) == [risk.label for risk in Risk]
    assert set(get_args(Feature)) == {COLUMN_MAPPING, TYPE_WIDENING}


def test_the_example_of_the_reference_is_valid(tmp_path):
    (tmp_path / "pyproject.toml").write_text(reference.EXAMPLE)

    section = read_project_file(tmp_path)

    assert section.faults == ()
    assert section.values["rules"] == ("shop.rules:NoFloats",)
    assert section.values["bind"] == ((("dev", "silver"), ("ci", "pr_42_silver")),)


def test_the_reference_has_a_row_for_every_setting():
    rows = [line for line in reference.configuration_reference().splitlines() if line.startswith("| ")][1:]

    assert len(rows) == len(SETTINGS)
    assert rows[0] == (
        "|  | `--delta-drift` |  | option only | `false` | Compare the declared tables with the catalog, and fail each"
        " table that differs. |"
    )
    assert (
        "| `max_risk` | `--delta-max-risk` | `delta_max_risk` | `metadata`, `feature`, `scan`, `rewrite` or `destructive`"
        " | `destructive` | Refuse every plan that has a change with a higher risk. |"
    ) in rows
    assert "| `storage` |  |  | array of tables |  | S3-compatible stores that hold files of tables. |" in rows


@pytest.mark.parametrize(
    ("name", "text", "keys"),
    [
        ("pytest.ini", "[pytest]\ndelta_models = a\n  delta_indented = 1\ndelta_backend: b\n", ["delta_models", "delta_backend"]),
        ("tox.ini", "[testenv]\ndelta_models = a\n[pytest]\naddopts = -q\n", []),
        ("setup.cfg", "[tool:pytest]\ndelta_models = a\n[pytest]\ndelta_backend = b\n", ["delta_models"]),
        ("pyproject.toml", "[tool.pytest.ini_options]\ndelta_models = ['a']\n", ["delta_models"]),
        ("pyproject.toml", "[tool.pytest]\ndelta_models = ['a']\n[tool.other]\ndelta_backend = 'b'\n", ["delta_models"]),
        ("pytest.toml", "[pytest]\ndelta_models = ['a']\n", ["delta_models"]),
        ("pyproject.toml", "[tool]\npytest = 1 # delta_\n", []),
    ],
)  # fmt: skip
def test_the_keys_of_ini_files(tmp_path, name, text, keys):
    path = tmp_path / name
    path.write_text(text)

    assert delta_keys(path) == keys
