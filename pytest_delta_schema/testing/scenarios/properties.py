"""Table properties by policy, those of Databricks, tags, and what a contract leaves to others."""

from __future__ import annotations

from pytest_delta_schema import Check
from pytest_delta_schema.plan import PropertyPolicy
from pytest_delta_schema.testing.scenario import BOTH, DROP, ID, WIDENS, Scenario, column, columns, evolving, widening

_REWRITES, _CODEC = "delta.tuneFileSizesForRewrites", "delta.parquet.compression.codec"
_CLUSTERING, _FILE_SIZE = "delta.liquid.clusteringColumns", "delta.targetFileSize"
_RETENTION = "delta.logRetentionDuration"
_THEIRS = {"comment": "Theirs", "table_properties": {**BOTH, "team": "them"}}
_OURS = {"comment": "Ours", "table_properties": {**BOTH, "team": "us"}}

PROPERTIES: tuple[Scenario, ...] = (
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
        rows_after=({"id": 1, "n": 2, "new": None},),
    ),
    Scenario(
        name="ownership/columns_only",
        description="The contract manages columns and types. Every other aspect is compared and not changed.",
        before=columns(
            ID, column("n", "int", comment="Number"), "legacy", checks=[Check("positive", "n > 0")], **_THEIRS
        ),
        after=columns(
            ID,
            column("n", is_nullable=False, comment="Ours"),
            column("new", comment="New", default=1),
            checks=[Check("positive", "n > 1"), Check("more", "n < 9")],
            clustered_by=["id"],
            owns=["columns", "types"],
            **_OURS,
        ),
        rows=({"id": 1, "n": 2, "legacy": 3},),
        consents=(DROP,),
        rows_after=({"id": 1, "n": 2, "new": None},),
    ),
    Scenario(
        name="ownership/created",
        description="A new table is created whole, whatever aspects its contract manages.",
        before=None,
        after=columns(
            ID, comment="Ours", table_properties={"team": "us"}, owns={"comments": "report", "properties": "ignore"}
        ),
    ),
    Scenario(
        name="ownership/everything_but_columns",
        description="Others add and drop columns. The contract manages what it declares about existing columns.",
        before=widening(ID, column("n", "int", comment="Number"), "theirs"),
        after=columns(
            ID,
            column("n", comment="Ours", is_nullable=False),
            column("missing", comment="New", default=1),
            table_properties={**WIDENS, "team": "us"},
            owns=["types", "defaults", "primary_keys", "foreign_keys", "checks", "comments", "properties", "layout"],
        ),
        rows=({"id": 1, "n": 2, "theirs": 3},),
        rows_after=({"id": 1, "n": 2, "theirs": 3},),
    ),
    Scenario(
        name="ownership/nothing",
        description="Every difference is reported and nothing is planned, table features included.",
        before=columns(ID, "n int", "legacy", clustered_by=["n"]),
        after=columns(
            column(is_nullable=True),
            "n string",
            primary_key=(),
            partitioned_by=["n"],
            table_properties={"team": "us"},
            owns=[],
        ),
        rows=({"id": 1, "n": 2, "legacy": 3},),
        rows_after=({"id": 1, "n": 2, "legacy": 3},),
    ),
    Scenario(
        name="ownership/column_order_reported",
        description="Column order is reported and never changed.",
        before=columns("a", "b"),
        after=columns("b", column("a", comment="New"), column_order="report"),
        rows=({"a": 1, "b": 2},),
        rows_after=({"a": 1, "b": 2},),
    ),
    Scenario(
        name="property_policy/created_with_an_ownership_record",
        description="The commit that creates the table writes the record of the properties that the model declares.",
        before=None,
        after=columns(ID, table_properties={"team": "core", "gone": None}),
        property_policy=PropertyPolicy(keeps_record=True),
    ),
    Scenario(
        name="property_policy/ignored_and_forbidden",
        description="The longest pattern that matches a key decides about it. Forbidden keys are unset.",
        before=columns(ID, table_properties={"tuning.size": "1", "tuning.fixed": "1"}),
        after=columns(ID, table_properties={"tuning.size": "2", "tuning.fixed": "2", "team": "core"}),
        external_properties={"legacy.owner": "x", "legacy.kept": "y"},
        property_policy=PropertyPolicy(
            (("TUNING.*", "ignore"), ("tuning.fixed", "manage"), ("legacy.*", "forbid"), ("legacy.kept", "ignore"))
        ),
    ),
    Scenario(
        name="property_policy/property_removed_from_the_model",
        description="A property in the ownership record is unset. Properties that others set are kept.",
        before=columns(ID, table_properties={"team": "core", "tier": "1", "delta.appendOnly": "false"}),
        after=columns(ID, table_properties={"tier": "2", "new": "x"}),
        external_properties={"nightly": "yes"},
        property_policy=PropertyPolicy(keeps_record=True),
    ),
    Scenario(
        name="property_policy/last_property_removed_from_the_model",
        description="The ownership record is unset with the last property in it.",
        before=columns(ID, table_properties={"team": "core"}),
        after=columns(ID),
        external_properties={"nightly": "yes"},
        property_policy=PropertyPolicy(keeps_record=True),
    ),
    Scenario(
        name="property_policy/ownership_record_is_current",
        description="Neither a current ownership record nor properties that others set are drift.",
        before=columns(ID, table_properties={"team": "core"}),
        after=columns(ID, table_properties={"team": "core"}),
        external_properties={"nightly": "yes", "delta.appendOnly": "true"},
        property_policy=PropertyPolicy(keeps_record=True),
    ),
    Scenario(
        name="property_policy/properties_reported_with_an_ownership_record",
        description="A contract that only reports properties neither sets nor records any.",
        before=columns(ID, "n", table_properties={"team": "core"}),
        after=columns(ID, column("n", comment="New"), table_properties={"team": "us"}, owns={"properties": "report"}),
        property_policy=PropertyPolicy(keeps_record=True),
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
    ),
    Scenario(
        name="databricks_properties/created_with_them",
        description="One commit creates the table, with the properties that open-source Delta does not know.",
        before=None,
        after=columns(
            ID,
            clustered_by=["id"],
            table_properties={_CLUSTERING: "id", _RETENTION: "interval 7 days", _REWRITES: True, "team": "core"},
        ),
    ),
    Scenario(
        name="databricks_properties/values",
        description="A value that open-source Delta refuses replaces one that it accepts, and the other way round.",
        before=columns(
            ID, table_properties={"delta.autoOptimize.autoCompact": "auto", "delta.isolationLevel": "Serializable"}
        ),
        after=columns(
            ID, table_properties={"delta.autoOptimize.autoCompact": "true", "delta.isolationLevel": "WriteSerializable"}
        ),
        rows=({"id": 1},),
        counts_commits=False,
        rows_after=({"id": 1},),
    ),
    Scenario(
        name="databricks_properties/value_unset",
        description="Neither the value that open-source Delta refuses nor one that it accepts is left.",
        before=columns(ID, table_properties={"delta.isolationLevel": "WriteSerializable"}),
        after=columns(ID, table_properties={"delta.isolationLevel": None}),
    ),
    Scenario(
        name="databricks_properties/set_changed_and_unset",
        description="They are compared as other keys of Delta are: without case, and undeclared ones are kept.",
        before=columns(ID, table_properties={_REWRITES: "true", _CODEC: "zstd", _FILE_SIZE: "64mb", "team": "core"}),
        after=columns(
            ID, table_properties={_REWRITES.upper(): "false", _CLUSTERING: "id", _FILE_SIZE: None, "team": "orders"}
        ),
        rows=({"id": 1},),
    ),
    Scenario(
        name="databricks_properties/nothing_to_do",
        description="Values are compared as those of other keys of Delta.",
        before=columns(ID, table_properties={_REWRITES: "TRUE"}),
        after=columns(
            ID, table_properties={"delta.TuneFileSizesForRewrites": True, "delta.parquet.compression.codec": None}
        ),
    ),
    Scenario(
        name="databricks_properties/misspelt",
        description="A key that neither open-source Delta nor Databricks knows is refused, whatever the backend.",
        before=columns(ID),
        after=columns(ID, table_properties={"delta.tuneFileSizeForRewrite": "true", "delta.appendOnyl": None}),
        refused_by=("DS125", "DS125"),
    ),
    Scenario(
        name="tags/created_with_tags",
        description="A tag without a value has an empty string as value.",
        before=None,
        after=columns(
            column("id", is_nullable=False, tags={"key": ""}),
            column("mail", "string", tags={"pii": "", "owner": "it's ours"}),
            column("note", "string", tags={"pii": None}),
            primary_key=["id"],
            tags={"team": "sales", "Team": "other", "retired": None},
        ),
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
    ),
    Scenario(
        name="tags/nothing_to_do",
        description="Tags that others set are not drift.",
        before=columns(column("Id", tags={"key": "", "theirs": "x"}), tags={"team": "sales", "theirs": "y"}),
        after=columns(column("Id", tags={"key": "", "never": None}), tags={"team": "sales"}),
    ),
    Scenario(
        name="tags/tags_of_a_renamed_column",
        description="The tags are set again under the new name. Tags declared absent are unset under the old name.",
        before=evolving(ID, column("mail", "string", tags={"pii": "", "old": "x"})),
        after=evolving(ID, column("address", "string", renamed_from="mail", tags={"pii": "", "old": None})),
        rows=({"id": 1, "mail": "a"},),
        rows_after=({"id": 1, "address": "a"},),
    ),
    Scenario(
        name="tags/tags_of_added_and_dropped_columns",
        description="A new column is tagged after it is added. The tags of a dropped column are dropped with it.",
        before=evolving(ID, column("mail", "string", tags={"pii": ""}), tags={"team": "sales"}),
        after=evolving(ID, column("phone", "string", tags={"pii": "yes"}), tags={"team": "sales"}),
        rows=({"id": 1, "mail": "a"},),
        consents=("drop-column dev.silver.orders.mail",),
    ),
    Scenario(
        name="tags/tags_set_changed_and_unset",
        description="Case counts in keys of tags and not in names of columns. Undeclared tags are kept.",
        before=columns(
            ID,
            column("Mail", "string", tags={"pii": "", "theirs": "x", "level": "1"}),
            tags={"team": "sales", "retired": "yes", "theirs": "y", "same": "z"},
        ),
        after=columns(
            ID,
            column("mail", "string", tags={"pii": None, "PII": "", "level": "2"}),
            tags={"team": "orders", "retired": None, "never": None, "same": "z"},
        ),
        rows=({"id": 1, "mail": "a"},),
    ),
)
