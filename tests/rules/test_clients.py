"""Clients that lack a table feature: what is refused, what is a note, and with which words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_delta_schema import Check, Column
from pytest_delta_schema.delta.clients import ClientFeatures
from pytest_delta_schema.plan import TablePlanner
from pytest_delta_schema.rules import PlanValidator
from pytest_delta_schema.rules.clients import (
    FeatureUnsupportedByClient,
    TableUnusableByClient,
    notes_on_clients,
)
from pytest_delta_schema.state.desired import desired_state
from support.models import catalog, column, state, stored, table

if TYPE_CHECKING:
    from pytest_delta_schema.plan import AlignTable

VECTORS = {"delta.enableDeletionVectors": True}
STORED_VECTORS = {"delta.feature.deletionVectors": "supported"}
DOC = "Trino 481 documentation, Delta Lake connector, Delta Lake table features, 2026-11-22"
NOTES = "Trino release notes, Releases 427 and 454, 2026-11-22"
DS126, DS221 = "[DS126 FeatureUnsupportedByClient]", "[DS221 TableUnusableByClient]"


def setting(**entries: str) -> str:
    listed = ", ".join(f'"{key.replace("__", ".").replace("_", "-")}" = "{text}"' for key, text in entries.items())
    return f"set client_features = {{ {listed} }} in [tool.pytest_delta_schema]"


def model_texts(model, features=ClientFeatures()) -> list[str]:  # noqa: B008 - never changed
    violations = PlanValidator(model_rules=[FeatureUnsupportedByClient(features)]).model_violations([model])
    return [str(violation).removeprefix("dev.silver.orders: ") for violation in violations]


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        pytest.param(table(column(), table_properties=VECTORS), [], id="no clients"),
        pytest.param(
            table(column(is_nullable=False), checks=[Check("p", "id > 0")], clients=["trino>=470", "databricks>=9.1"]),
            [],
            id="supported by all",
        ),
        pytest.param(
            table(column(), table_properties=VECTORS, clients=["trino>=430", "trino>=454", "trino>=430 (read)"]),
            [
                (
                    "trino>=430 cannot write the table feature deletionVectors (property delta.enableDeletionVectors):"
                    f' version 454 is the first that can ({NOTES}); leave it out, or list "trino>=454" in clients, or'
                    ' list "trino>=430 (read)" if it never writes the table, or if this is outdated,'
                    f" {setting(trino__deletionVectors='430')} {DS126}"
                ),
            ],
            id="a newer version writes",
        ),
        pytest.param(
            table(column(), table_properties=VECTORS, clients=["trino>=420 (read)"]),
            [
                (
                    "trino>=420 (read) cannot read the table feature deletionVectors (property"
                    f" delta.enableDeletionVectors): version 427 is the first that can ({NOTES}); leave it out, or list"
                    f' "trino>=427" in clients, or if this is outdated, {setting(trino__deletionVectors="420")} {DS126}'
                ),
            ],
            id="a newer version reads",
        ),
        pytest.param(
            table(
                Column("day", "date", default="current_date()"),
                column(),
                clustered_by=["id"],
                clients=["trino>=470", "athena"],
            ),
            [
                (
                    "trino>=470 cannot write the table features allowColumnDefaults (default of column day), clustering"
                    f" (clustered_by), domainMetadata (clustered_by): no version up to 481 can ({DOC}); leave them out,"
                    ' or list "trino>=470 (read)" if it never writes the table, or if this is outdated,'
                    f" {setting(trino__allowColumnDefaults='470', trino__clustering='470', trino__domainMetadata='470')}"
                    f" {DS126}"
                ),
            ],
            id="several features in one line; readers need none of them",
        ),
        pytest.param(
            table(Column("at", "timestamp_ntz"), Column("v", "variant"), clients=["power-bi", "delta-spark>=3.3"]),
            [
                (
                    "power-bi cannot read the table feature timestampNtz (column at of type timestamp_ntz): no version"
                    " can (Microsoft Fabric documentation, Delta Lake table format interoperability, 2026-11-22); leave"
                    f" it out, or if this is outdated, {setting(power_bi__timestampNtz='yes')} {DS126}"
                ),
                (
                    "delta-spark>=3.3 cannot read the table feature variantType (column v of type variant): version 4.0 is"
                    " the first that can (Delta Lake documentation, How does Delta Lake manage feature compatibility?,"
                    ' 2026-11-22); leave it out, or list "delta-spark>=4.0" in clients, or if this is outdated,'
                    f" {setting(delta_spark__variantType='3.3')} {DS126}"
                ),
            ],
            id="every client",
        ),
    ],
)
def test_what_a_declaration_needs(model, expected):
    assert model_texts(model) == expected


def test_a_project_corrects_the_table_of_clients():
    model = table(column(), table_properties=VECTORS, clients=["trino>=430", "duckdb>=1.1"])

    assert model_texts(model, ClientFeatures([("trino.deletionVectors", "430")])) == []
    (violation,) = model_texts(
        model,
        ClientFeatures([("trino.deletionVectors", "yes"), ("duckdb.deletionVectors", "never")]),
    )
    assert violation.startswith(
        "duckdb>=1.1 cannot read the table feature deletionVectors (property delta.enableDeletionVectors): no version can"
        " (setting client_features of the project); leave it out, or if this is outdated",
    )


def action_of(model, there, enable=()) -> AlignTable:
    (action,) = TablePlanner(enable=enable).plan([model], catalog(there)).align_tables
    return action


def test_a_table_that_a_client_cannot_use_is_not_changed():
    there = state(stored("id"), table_properties={**STORED_VECTORS, "delta.feature.clustering": "supported"})
    action = action_of(table(column(comment="c"), clients=["trino>=430"]), there)

    texts = [str(violation) for violation in TableUnusableByClient().check(action)]

    assert texts == [
        (
            f"dev.silver.orders: trino>=430 cannot write the table feature clustering (the table has it): no version up to"
            f' 481 can ({DOC}); drop it: ALTER TABLE `dev`.`silver`.`orders` DROP FEATURE clustering, or list "trino>=430'
            f' (read)" if it never writes the table, or if this is outdated, {setting(trino__clustering="430")} {DS221}'
        ),
        (
            f"dev.silver.orders: trino>=430 cannot write the table feature deletionVectors (the table has it): version 454"
            f" is the first that can ({NOTES}); drop it: ALTER TABLE `dev`.`silver`.`orders` DROP FEATURE deletionVectors,"
            ' or list "trino>=454" in clients, or list "trino>=430 (read)" if it never writes the table, or if this is'
            f" outdated, {setting(trino__deletionVectors='430')} {DS221}"
        ),
    ]


def test_a_plan_does_not_enable_a_feature_that_a_client_lacks():
    model = table(Column("id", "bigint"), clients=["trino>=470", "databricks>=15.4"])
    action = action_of(model, state(stored("id", "int")), enable=["typeWidening"])

    (violation,) = TableUnusableByClient().check(action)

    assert (violation.path, violation.message) == (
        "features.typeWidening",
        (
            "trino>=470 cannot write the table feature typeWidening (the plan enables it): no version up to 481 can"
            " (Trino release notes, Release 450, 2026-11-22)"
        ),
    )
    assert violation.remedy.startswith('leave out the change that needs it, or list "trino>=470 (read)" if')


@pytest.mark.parametrize(
    "model",
    [
        table(column(comment="c")),
        table(column(comment="c"), table_properties=VECTORS, clients=["trino>=430"]),
        table(column(comment="c"), clients=["duckdb>=1.1"]),
    ],
    ids=["no clients", "the declaration needs it, which is reported there", "not known, which is a note"],
)
def test_what_the_rule_for_plans_leaves_out(model):
    assert (
        list(TableUnusableByClient().check(action_of(model, state(stored("id"), table_properties=STORED_VECTORS))))
        == []
    )


def test_a_new_table_needs_what_its_declaration_needs():
    plan = TablePlanner().plan(
        [table(column(), table_properties=VECTORS, clients=["trino>=430"])],
        catalog(state(exists=False)),
    )

    assert list(TableUnusableByClient().check(plan.create_tables[0])) == []


NEW = {**STORED_VECTORS, "delta.feature.newFeature": "supported"}
UNKNOWN = (
    "it is not known whether duckdb>=1.1 can read newFeature and write checkConstraints, deletionVectors, newFeature; if it"
    f" can, {setting(duckdb__checkConstraints='1.1', duckdb__deletionVectors='1.1', duckdb__delta__feature__newFeature='1.1')}"
)
UNKNOWN_DECLARED = (
    "it is not known whether duckdb>=1.1 can write checkConstraints; if it can,"
    f" {setting(duckdb__checkConstraints='1.1')}"
)
LACKS = (
    "trino>=430 cannot write the table feature deletionVectors (the table has it): version 454 is the first that can"
    f" ({NOTES})"
)


@pytest.mark.parametrize(
    ("clients", "there", "has_plan", "expected"),
    [
        (["duckdb>=1.1"], None, False, [UNKNOWN_DECLARED]),
        (["duckdb>=1.1"], state(exists=False), False, [UNKNOWN_DECLARED]),
        (["duckdb>=1.1"], NEW, False, [UNKNOWN]),
        (["duckdb>=1.1"], NEW, True, [UNKNOWN]),
        (["trino>=430"], STORED_VECTORS, True, ["it is not known whether trino>=430 can write checkConstraints"]),
        (["trino>=450"], STORED_VECTORS, False, [LACKS.replace("430", "450")]),
        (["trino>=450"], STORED_VECTORS, True, []),
        (["duckdb>=1.1 (read)"], STORED_VECTORS, False, []),
        ([], NEW, False, []),
    ],
    ids=[
        "declaration",
        "missing table",
        "table",
        "table with a plan",
        "violations are no notes",
        "features that a client lacks, without a plan",
        "features that a client lacks, with a plan",
        "reader",
        "no clients",
    ],
)
def test_what_is_not_known_is_a_note(clients, there, has_plan, expected):
    model = table(column(comment="c"), checks=[Check("p", "id > 0")], clients=clients)
    observed = state(stored("id"), table_properties=there) if isinstance(there, dict) else there
    action = action_of(model, observed) if has_plan else None

    notes = list(notes_on_clients(desired_state(model), ClientFeatures(), observed, action))

    assert [(note.severity, note.message.partition("; if it can")[0]) for note in notes] == [
        ("note", text.partition("; if it can")[0]) for text in expected
    ]
    assert [note.message for note in notes if "duckdb" in note.message] == [
        text for text in expected if "duckdb" in text
    ]
