"""``Settings.from_project``: the settings of a project in a script, where there is no pytest."""

from __future__ import annotations

import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from pytest_delta_schema import Settings
from pytest_delta_schema.configuration.section import SettingError, compatibility_of_entries
from pytest_delta_schema.diagnostics.errors import ConfigurationError
from pytest_delta_schema.rules.policy import CompatibilityEntry, CompatibilityPolicy
from support.snapshots import TextSnapshot

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
        """,
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
        "action = 'rewrite'\npath = 'dev.silver.x'\nreason = 'partitions'\nexpires = 2001-01-01\n",
    )

    with pytest.raises(ConfigurationError) as error:
        Settings.from_project(tmp_path)

    assert str(error.value).splitlines() == [
        f"{path}: [tool.pytest_delta_schema]: there is no setting max_rsk; did you mean max_risk?",
        f"{path}: [tool.pytest_delta_schema]: preflight is 'all'; choose count, limit or off",
        "consent 'rewrite dev.silver.x' expired at the end of 2001-01-01 in UTC (partitions); remove it, or renew it",
    ]


def test_pytest_is_not_needed(tmp_path):
    (tmp_path / "pyproject.toml").write_text(f"{SECTION}protected = ['dev.*']\n")
    (tmp_path / "script.py").write_text(
        "import sys\n"
        "sys.modules['pytest'] = None\n"
        "from pytest_delta_schema.configuration.settings import Settings\n"
        "print(Settings.from_project('.').protected)\n",
    )

    done = subprocess.run(
        [sys.executable, "script.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )

    assert (done.stdout, done.stderr) == ("('dev.*',)\n", "")


PATH: dict[str, Any] = {"path": "prod.gold.**"}


def test_an_entry_with_every_key():
    keys = {"roles": ["change-feed", "readers", "change-feed"], "fail_on": "never", "min_notice": 10**30}

    assert compatibility_of_entries([PATH | keys], "compatibility") == (
        CompatibilityEntry(
            "prod.gold.**",
            policy=CompatibilityPolicy(roles=("change-feed", "readers"), fail_on="never", min_notice=10**30),
        ),
    )


WRONG_ROLES: list[Any] = ["readers", [1], {}, []]
WRONG_ENTRIES: list[Any] = [
    *(3, "prod.**", {}, {"path": ["prod.**"]}),
    *({"path": path} for path in ("", "prod.gold", "prod.gold.orders.id", "prod.**.gold.*.orders", "prod.g**.x")),
    *({"path": path} for path in ("prod.old gold.x", "\u202eprod.gold.x")),
    *(PATH | {key: 3} for key in ("rolles", "Min-Notice")),
    PATH | {"until": 3, "fail": 1},
    *(PATH | {"roles": value} for value in WRONG_ROLES),
    PATH | {"roles": ["reader", "streams", "TRACKED_STREAMS", "zzzz", "reader"]},
    *(PATH | {"fail_on": value} for value in ("braking", "safe", ["never"], False)),
    *(PATH | {"min_notice": value} for value in (-1, True, 90.0, "90", date(2027, 1, 31))),
]


def faults_of(*entries):
    with pytest.raises(SettingError) as caught:
        compatibility_of_entries([*entries], "compatibility")
    return [*caught.value.faults]


def test_all_faults_of_an_entry_are_named(snapshot):
    faults = [fault for entry in WRONG_ENTRIES for fault in faults_of({"path": "dev.**"}, entry)]

    assert "\n".join([*faults, ""]) == snapshot(extension_class=TextSnapshot)
