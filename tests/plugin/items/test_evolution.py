"""Evolution in the plugin: paths, rename hints, and features that plans may enable."""

from __future__ import annotations

import pytest

MODELS = """
from pyspark.sql.types import ArrayType, IntegerType, StructField, StructType
orders = table("dev.silver.orders", Column("id", LongType(), is_nullable=False), Column("k", LongType(), renamed_from="old"),
    Column("lines", ArrayType(StructType([StructField("price", LongType())]))))
"""
CATALOG = """MemoryCatalog([stored("dev.silver.orders", ID, ColumnState("old", "bigint", True, ""),
    ColumnState("lines", ArrayState(LINE, True), True, ""))])
from pytest_delta_schema.state import ArrayState, StructState
LINE = StructState((ColumnState("price", "int", True, ""), ColumnState("gone", "int", True, "")))"""
DROP = "drop-column dev.silver.orders.lines.element.gone"


def test_drift_names_the_paths_and_what_is_missing(project):
    project.models(MODELS)
    project.catalog(CATALOG)

    result = project.run("--delta-drift", "-m", "delta_drift")

    result.stdout.fnmatch_lines(
        [
            "  ~ columns.old * old -> k (renamed)",
            "  ~ columns.lines.element.price  int -> bigint",
            "  - columns.lines.element.gone   int -> (not in the model)  [[]destructive]",
            '  ! *--delta-allow "drop-column dev.silver.orders.lines.element.gone"*',
            "  ! *declare the property delta.columnMapping.mode='name', or set enable_features = [[]\"columnMapping\"] in [[]tool.pytest_delta_schema]*",
            "  ! *declare the property delta.enableTypeWidening='true', or set enable_features = [[]\"typeWidening\"] in [[]tool.pytest_delta_schema]*",
            "  ! *columns old cannot be renamed*",
            "drift: 1 blocked, 0 statements run",
        ]
    )


def test_features_may_be_raised_without_being_declared(project):
    project.ini("delta_models = models", "delta_enable_features = typeWidening columnMapping")
    project.models(MODELS)
    project.catalog(CATALOG)

    result = project.run("--delta-apply", "-m", "delta_apply", "-rP", "--delta-allow", DROP)

    result.assert_outcomes(passed=1, deselected=2)
    result.stdout.fnmatch_lines(
        [
            "  ALTER TABLE `dev`.`silver`.`orders` SET TBLPROPERTIES (",
            "    'delta.columnMapping.mode' = 'name',",
            "    'delta.enableTypeWidening' = 'true'",
            "  ALTER TABLE `dev`.`silver`.`orders` RENAME COLUMN `old` TO `k`;",
            "    `lines`.`element`.`price` TYPE BIGINT;",
            "  ALTER TABLE `dev`.`silver`.`orders` DROP COLUMNS (`lines`.`element`.`gone`);",
            "apply: 1 applied, 4 statements run",
        ]
    )


def test_consent_to_drop_a_declared_field_names_nothing(project):
    project.models(MODELS)

    result = project.run("--delta-drift", "--delta-backend=memory", "--delta-allow", DROP.replace("gone", "price"))

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: consent * names a column that the model declares; remove it from the model"])


def test_a_feature_that_does_not_exist_is_a_usage_error(project):
    project.ini("delta_models = models", "delta_enable_features = typeWidening rowTracking")
    project.models(MODELS)

    result = project.run()

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["ERROR: delta_enable_features: there is no rowTracking; choose among typeWidening, columnMapping"]
    )
