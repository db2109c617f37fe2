"""The property policy of a project."""

from __future__ import annotations

MODELS = """
orders = table("dev.silver.orders", Column("id", LongType(), is_nullable=False), table_properties={"tier": "1"})
"""
HELD = """MemoryCatalog([
    stored("dev.silver.orders", ID, table_properties={"legacy.x": "1", "tier": "1"}, owned_properties=("team", "tier"))
])"""
POLICY = """
[tool.pytest_delta_schema.properties]
"team" = "{mode}"
"legacy.*" = "forbid"
"""


def test_a_required_property_is_missed_without_a_catalog(project):
    project.models(MODELS)
    project.path.joinpath("pyproject.toml").write_text(POLICY.format(mode="require"))

    result = project.run("-m", "delta_rules")

    result.assert_outcomes(failed=1, deselected=1)
    result.stdout.fnmatch_lines(
        [
            (
                "*dev.silver.orders: declares no property team, which the project requires of every table; declare it"
                " [[]DS120 PropertyPolicyViolation]"
            )
        ]
    )


def test_forbidden_and_forgotten_properties_go_in_an_apply(project):
    project.ini("delta_models = models", "delta_owned_properties = true")
    project.models(MODELS)
    project.catalog(HELD)
    project.path.joinpath("pyproject.toml").write_text(POLICY.format(mode="manage"))

    drift = project.run("--delta-drift", "-m", "delta_drift")
    applied = project.run("--delta-apply", "-m", "delta_apply")

    drift.stdout.fnmatch_lines(
        [
            '  ~ properties.pytest_delta_schema.ownedProperties  \'[[]"team", "tier"]\' -> \'[[]"tier"]\'',
            "  - properties.legacy.x * '1' * -> (absent)",
        ]
    )
    applied.assert_outcomes(passed=1, deselected=2)


def test_the_reviewed_sql_has_the_record(project):
    project.ini("delta_models = models", "delta_owned_properties = true")
    project.models(MODELS)

    project.run("-m", "delta_ddl", "--snapshot-update")

    snapshot, _ = project.snapshots()
    assert "'pytest_delta_schema.ownedProperties' = '[\"tier\"]'" in project.path.joinpath(snapshot).read_text("utf-8")


def test_a_mode_that_is_none_is_a_usage_error(project):
    project.models(MODELS)
    project.path.joinpath("pyproject.toml").write_text(POLICY.format(mode="mandatory"))

    result = project.run()

    assert result.ret == 4
    result.stderr.fnmatch_lines(
        [
            (
                "ERROR: pyproject.toml: [[]tool.pytest_delta_schema]: properties: team is 'mandatory'; choose"
                " manage, report, ignore, require or forbid"
            )
        ]
    )


def test_a_misspelt_property_is_found_without_a_catalog_and_a_newer_one_is_named_in_the_project(project):
    project.models(MODELS.replace('"tier"', '"delta.appendOnyl"'))

    misspelt = project.run("-m", "delta_rules")
    project.path.joinpath("pyproject.toml").write_text(
        '[tool.pytest_delta_schema.properties]\n"delta.appendOnyl" = "manage"\n'
    )
    named = project.run("-m", "delta_rules")

    misspelt.assert_outcomes(failed=1, deselected=1)
    misspelt.stdout.fnmatch_lines(["*: property delta.appendOnyl is known neither to *; write delta.appendOnly; *"])
    named.assert_outcomes(passed=1, deselected=1)
