"""Clients that lack a table feature: what is refused, what is a note, and with which words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema import Check, Column
from pytest_delta_schema.delta.clients import ClientFeatures
from pytest_delta_schema.plan import TablePlanner
from pytest_delta_schema.rules.clients import FeatureUnsupportedByClient, TableUnusableByClient, notes_on_clients
from pytest_delta_schema.state.desired import desired_state
from support.models import catalog, column, state, stored, table
from support.snapshots import ReviewedCases
from support.violations import texts_of

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


def model_texts(model, features=ClientFeatures()):  # noqa: B008 - never changed
    return texts_of(FeatureUnsupportedByClient(features).check(model))


def test_what_a_declaration_needs(reviewed):
    case = ReviewedCases(model_texts)
    case("no clients", table(column(), table_properties=VECTORS))
    case(
        "supported by all",
        table(column(is_nullable=False), checks=[Check("p", "id > 0")], clients=["trino>=470", "databricks>=9.1"]),
    )
    case(
        "a newer version writes",
        table(column(), table_properties=VECTORS, clients=["trino>=430", "trino>=454", "trino>=430 (read)"]),
    )
    case("a newer version reads", table(column(), table_properties=VECTORS, clients=["trino>=420 (read)"]))
    case(
        "several features in one line; readers need none of them",
        table(
            Column("day", "date", default="current_date()"),
            column(),
            clustered_by=["id"],
            clients=["trino>=470", "athena"],
        ),
    )
    case(
        "every client",
        table(Column("at", "timestamp_ntz"), Column("v", "variant"), clients=["power-bi", "delta-spark>=3.3"]),
    )
    assert case.text == reviewed


def test_a_project_corrects_the_table_of_clients():
    model = table(column(), table_properties=VECTORS, clients=["trino>=430", "duckdb>=1.1"])
    never = ClientFeatures([("trino.deletionVectors", "yes"), ("duckdb.deletionVectors", "never")])

    assert model_texts(model, ClientFeatures([("trino.deletionVectors", "430")])) == ""
    assert model_texts(model, never).startswith(
        "duckdb>=1.1 cannot read the table feature deletionVectors (property delta.enableDeletionVectors): no version can"
        " (setting client_features of the project); leave it out, or if this is outdated"
    )


def action_of(model, there, enable=()) -> AlignTable:
    (action,) = TablePlanner(enable=enable).plan([model], catalog(there)).align_tables
    return action


def test_a_table_that_a_client_cannot_use_is_not_changed():
    there = state(stored("id"), table_properties={**STORED_VECTORS, "delta.feature.clustering": "supported"})
    action = action_of(table(column(comment="c"), clients=["trino>=430"]), there)

    assert texts_of(TableUnusableByClient().check(action)) == (
        f"trino>=430 cannot write the table feature clustering (the table has it): no version up to 481 can ({DOC}); drop it:"
        ' ALTER TABLE `dev`.`silver`.`orders` DROP FEATURE clustering, or list "trino>=430 (read)" if it never writes the'
        f" table, or if this is outdated, {setting(trino__clustering='430')} {DS221}\n"
        f"{LACKS}; drop it: ALTER TABLE `dev`.`silver`.`orders` DROP FEATURE deletionVectors,"
        ' or list "trino>=454" in clients, or list "trino>=430 (read)" if it never writes the table, or if this is'
        f" outdated, {setting(trino__deletionVectors='430')} {DS221}"
    )


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


def test_what_the_rule_for_plans_leaves_out():
    def unusable(**options):
        there = state(stored("id"), table_properties=STORED_VECTORS)
        return texts_of(TableUnusableByClient().check(action_of(table(column(comment="c"), **options), there)))

    assert unusable() == ""
    # The rule for declarations reports what the declaration needs, and what is not known is a note.
    assert unusable(table_properties=VECTORS, clients=["trino>=430"]) == ""
    assert unusable(clients=["duckdb>=1.1"]) == ""
    created = table(column(), table_properties=VECTORS, clients=["trino>=430"])
    (creation,) = TablePlanner().plan([created], catalog(state(exists=False))).create_tables
    assert list(TableUnusableByClient().check(creation)) == []


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


def test_what_is_not_known_is_a_note():
    def notes(clients, there, *, has_plan):
        model = table(column(comment="c"), checks=[Check("p", "id > 0")], clients=clients)
        observed = state(stored("id"), table_properties=there) if isinstance(there, dict) else there
        action = action_of(model, observed) if has_plan else None
        found = [*notes_on_clients(desired_state(model), ClientFeatures(), observed, action)]
        assert {note.severity for note in found} <= {"note"}
        return "\n".join(note.message for note in found)

    assert notes(["duckdb>=1.1"], None, has_plan=False) == UNKNOWN_DECLARED
    assert notes(["duckdb>=1.1"], state(exists=False), has_plan=False) == UNKNOWN_DECLARED
    assert notes(["duckdb>=1.1"], NEW, has_plan=False) == notes(["duckdb>=1.1"], NEW, has_plan=True) == UNKNOWN
    assert notes(["trino>=430"], STORED_VECTORS, has_plan=True) == (
        "it is not known whether trino>=430 can write checkConstraints; if it can,"
        f" {setting(trino__checkConstraints='430')}"
    )
    # What a client lacks is a violation of the plan, and a note where there is none.
    assert notes(["trino>=450"], STORED_VECTORS, has_plan=False) == LACKS.replace("430", "450")
    assert notes(["trino>=450"], STORED_VECTORS, has_plan=True) == ""
    assert notes(["duckdb>=1.1 (read)"], STORED_VECTORS, has_plan=False) == ""
    assert notes([], NEW, has_plan=False) == ""
