"""Table properties that the project manages, requires, forbids or ignores."""

from __future__ import annotations

from pytest_delta_schema.plan import PropertyPolicy
from pytest_delta_schema.testing.parts import ID, column, columns
from pytest_delta_schema.testing.scenario import Scenario

PROPERTY_POLICY: tuple[Scenario, ...] = (
    Scenario(
        name="property_policy/created_with_an_ownership_record",
        description="The commit that creates the table writes the record of the properties that the model declares.",
        before=None,
        after=columns(ID, table_properties={"team": "core", "gone": None}),
        property_policy=PropertyPolicy(keeps_record=True),
        plan="""
+ schema dev.silver: (absent) -> created
+ table: (absent) -> created with 1 column
+ columns.id: (absent) -> bigint not null
+ properties.team: (absent) -> 'core'
+ properties.pytest_delta_schema.ownedProperties: (absent) -> '["team"]'
""",
        sql="""
CREATE SCHEMA IF NOT EXISTS `dev`.`silver`;

CREATE TABLE `dev`.`silver`.`orders` (
  `id` BIGINT NOT NULL
)
USING DELTA
TBLPROPERTIES (
  'team' = 'core',
  'pytest_delta_schema.ownedProperties' = '["team"]'
);
""",
        commits=1,
    ),
    Scenario(
        name="property_policy/ignored_and_forbidden",
        description="The longest pattern that matches a key decides about it. Forbidden keys are unset.",
        before=columns(ID, table_properties={"tuning.size": "1", "tuning.fixed": "1"}),
        after=columns(ID, table_properties={"tuning.size": "2", "tuning.fixed": "2", "team": "core"}),
        external_properties={"legacy.owner": "x", "legacy.kept": "y"},
        property_policy=PropertyPolicy(
            (
                ("TUNING.*", "ignore"),
                ("tuning.fixed", "manage"),
                ("legacy.*", "forbid"),
                ("legacy.kept", "ignore"),
            )
        ),
        plan="""
+ properties.team: (absent) -> 'core'
~ properties.tuning.fixed: '1' -> '2'
- properties.legacy.owner: 'x' -> (absent)
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` SET TBLPROPERTIES (
  'team' = 'core',
  'tuning.fixed' = '2'
);

ALTER TABLE `dev`.`silver`.`orders` UNSET TBLPROPERTIES IF EXISTS ('legacy.owner');
""",
        commits=2,
    ),
    Scenario(
        name="property_policy/property_removed_from_the_model",
        description="A property in the ownership record is unset. Properties that others set are kept.",
        before=columns(ID, table_properties={"team": "core", "tier": "1", "delta.appendOnly": "false"}),
        after=columns(ID, table_properties={"tier": "2", "new": "x"}),
        external_properties={"nightly": "yes"},
        property_policy=PropertyPolicy(keeps_record=True),
        plan="""
+ properties.new: (absent) -> 'x'
~ properties.pytest_delta_schema.ownedProperties: '["delta.appendOnly", "team", "tier"]' -> '["new", "tier"]'
~ properties.tier: '1' -> '2'
- properties.delta.appendOnly: 'false' -> (absent)
- properties.team: 'core' -> (absent)
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` SET TBLPROPERTIES (
  'new' = 'x',
  'pytest_delta_schema.ownedProperties' = '["new", "tier"]',
  'tier' = '2'
);

ALTER TABLE `dev`.`silver`.`orders` UNSET TBLPROPERTIES IF EXISTS ('delta.appendOnly', 'team');
""",
        commits=2,
    ),
    Scenario(
        name="property_policy/last_property_removed_from_the_model",
        description="The ownership record is unset with the last property in it.",
        before=columns(ID, table_properties={"team": "core"}),
        after=columns(ID),
        external_properties={"nightly": "yes"},
        property_policy=PropertyPolicy(keeps_record=True),
        plan="""
- properties.pytest_delta_schema.ownedProperties: '["team"]' -> (absent)
- properties.team: 'core' -> (absent)
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` UNSET TBLPROPERTIES IF EXISTS ('pytest_delta_schema.ownedProperties', 'team');
""",
        commits=1,
    ),
    Scenario(
        name="property_policy/ownership_record_is_current",
        description="Neither a current ownership record nor properties that others set are drift.",
        before=columns(ID, table_properties={"team": "core"}),
        after=columns(ID, table_properties={"team": "core"}),
        external_properties={"nightly": "yes", "delta.appendOnly": "true"},
        property_policy=PropertyPolicy(keeps_record=True),
        plan="",
        sql="",
        commits=0,
    ),
    Scenario(
        name="property_policy/properties_reported_with_an_ownership_record",
        description="A contract that only reports properties neither sets nor records any.",
        before=columns(ID, column("n"), table_properties={"team": "core"}),
        after=columns(ID, column("n", comment="New"), table_properties={"team": "us"}, owns={"properties": "report"}),
        property_policy=PropertyPolicy(keeps_record=True),
        plan="""
~ columns.n.comment: '' -> 'New'
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `n` COMMENT 'New';
""",
        reported="""
~ properties.team: 'core' -> 'us'
""",
        commits=1,
    ),
    Scenario(
        name="property_policy/required_and_forbidden_in_the_model",
        description="A model without a required key and with a forbidden one is refused.",
        before=columns(ID),
        after=columns(ID, table_properties={"Legacy.owner": "x", "team": None, "Kind": "y"}),
        property_policy=PropertyPolicy(
            (("team", "require"), ("tier*", "require"), ("k*", "require"), ("legacy.*", "forbid"))
        ),
        plan="""
+ properties.Kind: (absent) -> 'y'
+ properties.Legacy.owner: (absent) -> 'x'
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` SET TBLPROPERTIES (
  'Kind' = 'y',
  'Legacy.owner' = 'x'
);
""",
        refused_by=("DS120", "DS120", "DS120"),
        commits=0,
    ),
)
