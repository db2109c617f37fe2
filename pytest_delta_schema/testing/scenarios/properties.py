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
        commits=2,
    ),
    Scenario(
        name="property_policy/property_removed_from_the_model",
        description="A property in the ownership record is unset. Properties that others set are kept.",
        before=columns(ID, table_properties={"team": "core", "tier": "1", "delta.appendOnly": "false"}),
        after=columns(ID, table_properties={"tier": "2", "new": "x"}),
        external_properties={"nightly": "yes"},
        property_policy=PropertyPolicy(keeps_record=True),
        commits=2,
    ),
    Scenario(
        name="property_policy/last_property_removed_from_the_model",
        description="The ownership record is unset with the last property in it.",
        before=columns(ID, table_properties={"team": "core"}),
        after=columns(ID),
        external_properties={"nightly": "yes"},
        property_policy=PropertyPolicy(keeps_record=True),
        commits=1,
    ),
    Scenario(
        name="property_policy/ownership_record_is_current",
        description="Neither a current ownership record nor properties that others set are drift.",
        before=columns(ID, table_properties={"team": "core"}),
        after=columns(ID, table_properties={"team": "core"}),
        external_properties={"nightly": "yes", "delta.appendOnly": "true"},
        property_policy=PropertyPolicy(keeps_record=True),
        commits=0,
    ),
    Scenario(
        name="property_policy/properties_reported_with_an_ownership_record",
        description="A contract that only reports properties neither sets nor records any.",
        before=columns(ID, column("n"), table_properties={"team": "core"}),
        after=columns(ID, column("n", comment="New"), table_properties={"team": "us"}, owns={"properties": "report"}),
        property_policy=PropertyPolicy(keeps_record=True),
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
        commits=1,
    ),
    Scenario(
        name="databricks_properties/values",
        description="A value that open-source Delta refuses replaces one that it accepts, and the other way round.",
        before=columns(
            ID, table_properties={"delta.autoOptimize.autoCompact": "auto", "delta.isolationLevel": "Serializable"}
        ),
        after=columns(
            ID,
            table_properties={"delta.autoOptimize.autoCompact": "true", "delta.isolationLevel": "WriteSerializable"},
        ),
        rows=({"id": 1},),
        rows_after=({"id": 1},),
    ),
    Scenario(
        name="databricks_properties/value_unset",
        description="Neither the value that open-source Delta refuses nor one that it accepts is left.",
        before=columns(ID, table_properties={"delta.isolationLevel": "WriteSerializable"}),
        after=columns(ID, table_properties={"delta.isolationLevel": None}),
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
        commits=2,
    ),
    Scenario(
        name="databricks_properties/nothing_to_do",
        description="Values are compared as those of other keys of Delta.",
        before=columns(ID, table_properties={_REWRITES: "TRUE"}),
        after=columns(
            ID, table_properties={"delta.TuneFileSizesForRewrites": True, "delta.parquet.compression.codec": None}
        ),
        commits=0,
    ),
    Scenario(
        name="databricks_properties/misspelt",
        description="A key that neither open-source Delta nor Databricks knows is refused, whatever the backend.",
        before=columns(ID),
        after=columns(ID, table_properties={"delta.tuneFileSizeForRewrite": "true", "delta.appendOnyl": None}),
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
        commits=1,
    ),
    Scenario(
        name="tags/nothing_to_do",
        description="Tags that others set are not drift.",
        before=columns(column("Id", tags={"key": "", "theirs": "x"}), tags={"team": "sales", "theirs": "y"}),
        after=columns(column("Id", tags={"key": "", "never": None}), tags={"team": "sales"}),
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
        commits=0,
        rows_after=({"id": 1, "n": 2, "legacy": 3},),
    ),
    Scenario(
        name="ownership/column_order_reported",
        description="Column order is reported and never changed.",
        before=columns(column("a"), column("b")),
        after=columns(column("b"), column("a", comment="New"), column_order="report"),
        rows=({"a": 1, "b": 2},),
        commits=1,
        rows_after=({"a": 1, "b": 2},),
    ),
)
