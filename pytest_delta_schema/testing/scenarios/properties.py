"""Table properties by policy, those of Databricks, tags, and what a contract leaves to others."""

from __future__ import annotations

from pytest_delta_schema import Check, Column
from pytest_delta_schema.plan import PropertyPolicy
from pytest_delta_schema.testing.scenario import BOTH, DROP, ID, INT, LONG, TEXT, WIDENS, Scenario, column, columns

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


_REWRITES = "delta.tuneFileSizesForRewrites"

DATABRICKS_PROPERTIES: tuple[Scenario, ...] = (
    Scenario(
        name="databricks_properties/created_with_them",
        description="One commit creates the table, with the properties that open-source Delta does not know.",
        before=None,
        after=columns(
            ID,
            clustered_by=["id"],
            table_properties={
                "delta.liquid.clusteringColumns": "id",
                "delta.logRetentionDuration": "interval 7 days",
                _REWRITES: True,
                "team": "core",
            },
        ),
        plan="""
+ schema dev.silver: (absent) -> created
+ table: (absent) -> created with 1 column
+ columns.id: (absent) -> bigint not null
+ layout: (absent) -> clustered by (id)
+ properties.delta.liquid.clusteringColumns: (absent) -> 'id'
+ properties.delta.logRetentionDuration: (absent) -> 'interval 7 days'
+ properties.delta.tuneFileSizesForRewrites: (absent) -> 'true'
+ properties.team: (absent) -> 'core'
""",
        sql="""
CREATE SCHEMA IF NOT EXISTS `dev`.`silver`;

CREATE TABLE `dev`.`silver`.`orders` (
  `id` BIGINT NOT NULL
)
USING DELTA
CLUSTER BY (`id`)
TBLPROPERTIES (
  'delta.liquid.clusteringColumns' = 'id',
  'delta.logRetentionDuration' = 'interval 7 days',
  'delta.tuneFileSizesForRewrites' = 'true',
  'team' = 'core'
);
""",
        commits=1,
    ),
    Scenario(
        name="databricks_properties/values",
        description="A value that open-source Delta refuses takes the place of one that it accepts, and the other way round.",
        before=columns(
            ID, table_properties={"delta.autoOptimize.autoCompact": "auto", "delta.isolationLevel": "Serializable"}
        ),
        after=columns(
            ID,
            table_properties={"delta.autoOptimize.autoCompact": "true", "delta.isolationLevel": "WriteSerializable"},
        ),
        rows=({"id": 1},),
        plan="""
~ properties.delta.autoOptimize.autoCompact: 'auto' -> 'true'
~ properties.delta.isolationLevel: 'Serializable' -> 'WriteSerializable'
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` SET TBLPROPERTIES (
  'delta.autoOptimize.autoCompact' = 'true',
  'delta.isolationLevel' = 'WriteSerializable'
);
""",
        rows_after=({"id": 1},),
    ),
    Scenario(
        name="databricks_properties/value_unset",
        description="Neither the value that open-source Delta refuses nor one that it accepts is left.",
        before=columns(ID, table_properties={"delta.isolationLevel": "WriteSerializable"}),
        after=columns(ID, table_properties={"delta.isolationLevel": None}),
        plan="""
- properties.delta.isolationLevel: 'WriteSerializable' -> (absent)
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` UNSET TBLPROPERTIES IF EXISTS ('delta.isolationLevel');
""",
        commits=1,
    ),
    Scenario(
        name="databricks_properties/set_changed_and_unset",
        description="They are compared as other keys of Delta are: without case, and undeclared ones are kept.",
        before=columns(
            ID,
            table_properties={
                _REWRITES: "true",
                "delta.parquet.compression.codec": "zstd",
                "delta.targetFileSize": "64mb",
                "team": "core",
            },
        ),
        after=columns(
            ID,
            table_properties={
                "DELTA.TUNEFILESIZESFORREWRITES": "false",
                "delta.liquid.clusteringColumns": "id",
                "delta.targetFileSize": None,
                "team": "orders",
            },
        ),
        rows=({"id": 1},),
        plan="""
+ properties.delta.liquid.clusteringColumns: (absent) -> 'id'
~ properties.delta.tuneFileSizesForRewrites: 'true' -> 'false'
~ properties.team: 'core' -> 'orders'
- properties.delta.targetFileSize: '64mb' -> (absent)
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` SET TBLPROPERTIES (
  'delta.liquid.clusteringColumns' = 'id',
  'delta.tuneFileSizesForRewrites' = 'false',
  'team' = 'orders'
);

ALTER TABLE `dev`.`silver`.`orders` UNSET TBLPROPERTIES IF EXISTS ('delta.targetFileSize');
""",
        commits=2,
    ),
    Scenario(
        name="databricks_properties/nothing_to_do",
        description="Values are compared as those of other keys of Delta.",
        before=columns(ID, table_properties={_REWRITES: "TRUE"}),
        after=columns(
            ID, table_properties={"delta.TuneFileSizesForRewrites": True, "delta.parquet.compression.codec": None}
        ),
        plan="",
        sql="",
        commits=0,
    ),
    Scenario(
        name="databricks_properties/misspelt",
        description="A key that neither open-source Delta nor Databricks knows is refused, whatever the backend.",
        before=columns(ID),
        after=columns(ID, table_properties={"delta.tuneFileSizeForRewrite": "true", "delta.appendOnyl": None}),
        plan="""
+ properties.delta.tuneFileSizeForRewrite: (absent) -> 'true'
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` SET TBLPROPERTIES (
  'delta.tuneFileSizeForRewrite' = 'true'
);
""",
        refused_by=("DS125", "DS125"),
        commits=0,
    ),
)


TAGS: tuple[Scenario, ...] = (
    Scenario(
        name="tags/created_with_tags",
        description="A tag without a value has an empty string as value.",
        before=None,
        after=columns(
            column("id", is_nullable=False, tags={"key": ""}),
            Column("mail", TEXT, tags={"pii": "", "owner": "it's ours"}),
            Column("note", TEXT, tags={"pii": None}),
            primary_key=["id"],
            tags={"team": "sales", "Team": "other", "retired": None},
        ),
        plan="""
+ schema dev.silver: (absent) -> created
+ table: (absent) -> created with 3 columns
+ columns.id: (absent) -> bigint not null
+ columns.mail: (absent) -> string
+ columns.note: (absent) -> string
+ primary_key: (absent) -> pk_dev_silver_orders__id (id)
+ tags.Team: (absent) -> 'other'
+ tags.team: (absent) -> 'sales'
+ columns.id.tags.key: (absent) -> ''
+ columns.mail.tags.owner: (absent) -> "it's ours"
+ columns.mail.tags.pii: (absent) -> ''
""",
        sql="""
CREATE SCHEMA IF NOT EXISTS `dev`.`silver`;

CREATE TABLE `dev`.`silver`.`orders` (
  `id` BIGINT NOT NULL,
  `mail` STRING,
  `note` STRING
)
USING DELTA;

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `pk_dev_silver_orders__id` PRIMARY KEY (`id`);

ALTER TABLE `dev`.`silver`.`orders` SET TAGS (
  'Team' = 'other',
  'team' = 'sales'
);

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN `id` SET TAGS (
  'key' = ''
);

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN `mail` SET TAGS (
  'owner' = 'it\\'s ours',
  'pii' = ''
);
""",
        commits=5,
    ),
    Scenario(
        name="tags/tags_reported",
        description="A contract that only reports tags adds no column because of its tags.",
        before=columns(ID, column("n", tags={"level": "1"}), tags={"team": "them"}),
        after=columns(
            ID,
            column("n", comment="New", tags={"level": "2"}),
            column("more", tags={"level": "3"}),
            tags={"team": None},
            owns={"tags": "report", "columns": "ignore"},
        ),
        rows=({"id": 1, "n": 2},),
        plan="""
~ columns.n.comment: '' -> 'New'
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `n` COMMENT 'New';
""",
        reported="""
- tags.team: 'them' -> (absent)
~ columns.n.tags.level: '1' -> '2'
+ columns.more.tags.level: (absent) -> '3'
""",
        commits=1,
    ),
    Scenario(
        name="tags/nothing_to_do",
        description="Tags that others set are not drift.",
        before=columns(column("Id", tags={"key": "", "theirs": "x"}), tags={"team": "sales", "theirs": "y"}),
        after=columns(column("Id", tags={"key": "", "never": None}), tags={"team": "sales"}),
        plan="""
""",
        sql="""
""",
        commits=0,
    ),
    Scenario(
        name="tags/tags_of_a_renamed_column",
        description="The tags are set again under the new name. Tags declared absent are unset under the old name.",
        before=columns(ID, Column("mail", TEXT, tags={"pii": "", "old": "x"}), table_properties=BOTH),
        after=columns(
            ID, Column("address", TEXT, renamed_from="mail", tags={"pii": "", "old": None}), table_properties=BOTH
        ),
        rows=({"id": 1, "mail": "a"},),
        plan="""
- columns.mail.tags.old: 'x' -> (absent)
~ columns.mail: mail -> address (renamed)
+ columns.address.tags.pii: (absent) -> ''
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN `mail` UNSET TAGS ('old');

ALTER TABLE `dev`.`silver`.`orders` RENAME COLUMN `mail` TO `address`;

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN `address` SET TAGS (
  'pii' = ''
);
""",
        commits=3,
        rows_after=({"id": 1, "address": "a"},),
    ),
    Scenario(
        name="tags/tags_of_added_and_dropped_columns",
        description="A new column is tagged after it is added. The tags of a dropped column are dropped with it.",
        before=columns(ID, Column("mail", TEXT, tags={"pii": ""}), table_properties=BOTH, tags={"team": "sales"}),
        after=columns(ID, Column("phone", TEXT, tags={"pii": "yes"}), table_properties=BOTH, tags={"team": "sales"}),
        rows=({"id": 1, "mail": "a"},),
        consents=("drop-column dev.silver.orders.mail",),
        plan="""
+ columns.phone: (absent) -> string
- columns.mail: string -> (not in the model)
+ columns.phone.tags.pii: (absent) -> 'yes'
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ADD COLUMNS (
  `phone` STRING
);

ALTER TABLE `dev`.`silver`.`orders` DROP COLUMNS (`mail`);

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN `phone` SET TAGS (
  'pii' = 'yes'
);
""",
        commits=3,
    ),
    Scenario(
        name="tags/tags_set_changed_and_unset",
        description="Case counts in keys of tags and not in names of columns. Undeclared tags are kept.",
        before=columns(
            ID,
            Column("Mail", TEXT, tags={"pii": "", "theirs": "x", "level": "1"}),
            tags={"team": "sales", "retired": "yes", "theirs": "y", "same": "z"},
        ),
        after=columns(
            ID,
            Column("mail", TEXT, tags={"pii": None, "PII": "", "level": "2"}),
            tags={"team": "orders", "retired": None, "never": None, "same": "z"},
        ),
        rows=({"id": 1, "mail": "a"},),
        plan="""
- tags.retired: 'yes' -> (absent)
- columns.Mail.tags.pii: '' -> (absent)
~ tags.team: 'sales' -> 'orders'
+ columns.Mail.tags.PII: (absent) -> ''
~ columns.Mail.tags.level: '1' -> '2'
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` UNSET TAGS ('retired');

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN `Mail` UNSET TAGS ('pii');

ALTER TABLE `dev`.`silver`.`orders` SET TAGS (
  'team' = 'orders'
);

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN `Mail` SET TAGS (
  'PII' = '',
  'level' = '2'
);
""",
        commits=4,
    ),
)


OWNERSHIP: tuple[Scenario, ...] = (
    Scenario(
        name="ownership/comments_reported_and_properties_ignored",
        description="`owns` is a mapping of aspects to modes.",
        before=columns(
            ID, column("n", comment="Number"), comment="Theirs", table_properties={"team": "them", "tier": "1"}
        ),
        after=columns(
            ID,
            column("n", comment="Ours"),
            column("new", comment="New"),
            comment="Ours",
            table_properties={"team": "us", "tier": None},
            owns={"comments": "report", "properties": "ignore"},
        ),
        rows=({"id": 1, "n": 2},),
        plan="""
+ columns.new: (absent) -> bigint
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ADD COLUMNS (
  `new` BIGINT
);
""",
        reported="""
~ columns.n.comment: 'Number' -> 'Ours'
~ columns.new.comment: '' -> 'New'
~ comment: 'Theirs' -> 'Ours'
""",
        commits=1,
        rows_after=({"id": 1, "n": 2, "new": None},),
    ),
    Scenario(
        name="ownership/columns_only",
        description="The contract manages columns and types. Every other aspect is compared and not changed.",
        before=columns(
            ID,
            column("n", INT, comment="Number"),
            column("legacy"),
            checks=[Check("positive", "n > 0")],
            comment="Theirs",
            table_properties={**BOTH, "team": "them"},
        ),
        after=columns(
            ID,
            column("n", LONG, is_nullable=False, comment="Ours"),
            column("new", comment="New", default=1),
            checks=[Check("positive", "n > 1"), Check("more", "n < 9")],
            comment="Ours",
            clustered_by=["id"],
            table_properties={**BOTH, "team": "us"},
            owns=["columns", "types"],
        ),
        rows=({"id": 1, "n": 2, "legacy": 3},),
        consents=(DROP,),
        plan="""
- checks.positive: n > 0 -> (dropped and added again)
+ columns.new: (absent) -> bigint
~ columns.n: int -> bigint
- columns.legacy: bigint -> (not in the model)
~ columns.n: nullable -> not null
+ checks.positive: (absent) -> n > 0
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `positive`;

ALTER TABLE `dev`.`silver`.`orders` ADD COLUMNS (
  `new` BIGINT
);

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `n` TYPE BIGINT;

ALTER TABLE `dev`.`silver`.`orders` DROP COLUMNS (`legacy`);

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `n` SET NOT NULL;

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `positive` CHECK (n > 0);
""",
        reported="""
- checks.positive: n > 0 -> (replaced)
~ layout: neither partitioned nor clustered -> clustered by (id)
+ columns.new.default: (absent) -> 1
+ checks.positive: (absent) -> n > 1
+ checks.more: (absent) -> n < 9
~ columns.n.comment: 'Number' -> 'Ours'
~ columns.new.comment: '' -> 'New'
~ comment: 'Theirs' -> 'Ours'
~ properties.team: 'them' -> 'us'
""",
        commits=6,
        rows_after=({"id": 1, "n": 2, "new": None},),
    ),
    Scenario(
        name="ownership/created",
        description="A new table is created whole, whatever aspects its contract manages.",
        before=None,
        after=columns(
            ID, comment="Ours", table_properties={"team": "us"}, owns={"comments": "report", "properties": "ignore"}
        ),
        plan="""
+ schema dev.silver: (absent) -> created
+ table: (absent) -> created with 1 column
+ columns.id: (absent) -> bigint not null
+ comment: (absent) -> 'Ours'
+ properties.team: (absent) -> 'us'
""",
        sql="""
CREATE SCHEMA IF NOT EXISTS `dev`.`silver`;

CREATE TABLE `dev`.`silver`.`orders` (
  `id` BIGINT NOT NULL
)
USING DELTA
COMMENT 'Ours'
TBLPROPERTIES (
  'team' = 'us'
);
""",
        commits=1,
    ),
    Scenario(
        name="ownership/everything_but_columns",
        description="Others add and drop columns. The contract manages what it declares about existing columns.",
        before=columns(ID, column("n", INT, comment="Number"), column("theirs"), table_properties=WIDENS),
        after=columns(
            ID,
            column("n", comment="Ours", is_nullable=False),
            column("missing", comment="New", default=1),
            table_properties={**WIDENS, "team": "us"},
            owns=["types", "defaults", "primary_keys", "foreign_keys", "checks", "comments", "properties", "layout"],
        ),
        rows=({"id": 1, "n": 2, "theirs": 3},),
        plan="""
~ columns.n: int -> bigint
~ columns.n.comment: 'Number' -> 'Ours'
+ properties.team: (absent) -> 'us'
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `n` TYPE BIGINT;

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `n` COMMENT 'Ours';

ALTER TABLE `dev`.`silver`.`orders` SET TBLPROPERTIES (
  'team' = 'us'
);
""",
        reported="""
+ columns.missing: (absent) -> bigint
- columns.theirs: bigint -> (not in the model)
~ columns.n: nullable -> not null
""",
        commits=3,
        rows_after=({"id": 1, "n": 2, "theirs": 3},),
    ),
    Scenario(
        name="ownership/nothing",
        description="Every difference is reported and nothing is planned, table features included.",
        before=columns(ID, column("n", INT), column("legacy"), clustered_by=["n"]),
        after=columns(
            column(is_nullable=True),
            column("n", TEXT),
            primary_key=(),
            partitioned_by=["n"],
            table_properties={"team": "us"},
            owns=[],
        ),
        rows=({"id": 1, "n": 2, "legacy": 3},),
        plan="",
        sql="",
        reported="""
~ columns.n: int -> string
~ layout: clustered by (n) -> partitioned by (n)
- columns.legacy: bigint -> (not in the model)
~ columns.id: not null -> nullable
+ properties.team: (absent) -> 'us'
""",
        commits=0,
        rows_after=({"id": 1, "n": 2, "legacy": 3},),
    ),
    Scenario(
        name="ownership/column_order_reported",
        description="Column order is reported and never changed.",
        before=columns(column("a"), column("b")),
        after=columns(column("b"), column("a", comment="New"), column_order="report"),
        rows=({"a": 1, "b": 2},),
        plan="""
~ columns.a.comment: '' -> 'New'
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `a` COMMENT 'New';
""",
        reported="""
~ columns.a.order: first -> behind b
""",
        commits=1,
        rows_after=({"a": 1, "b": 2},),
    ),
)
