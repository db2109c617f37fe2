"""Columns that a server stores in another form, or refuses together with everything else of an update."""

from __future__ import annotations

import json

import pytest

from pytest_delta_schema.plan.entry_comparison import entry_differences, unstorable_notes
from support.logs import commit, delta_log, field, metadata, protocol
from support.tables import NAME
from support.unity import MODEL, lake

COLLATED = field("city", "string", __COLLATIONS={"city": "spark.UTF8_LCASE"})
INNER = {"name": "x", "type": "long", "nullable": True}
BARE = {"name": "bare", "type": {"type": "struct", "fields": [INNER]}, "nullable": True}
EMPTY = field("empty", {"type": "struct", "fields": []})
NESTED = field("nested", {"type": "array", "elementType": EMPTY["type"], "containsNull": True})
BLANK = field("blank", {"type": "struct", "fields": [field(" ")]})


@pytest.fixture
def unity(tmp_path):
    with lake(tmp_path) as server:
        yield server


def synced(unity):
    """Synchronise twice, and return the stored columns and the notes."""
    unity.catalog.sync_entries([MODEL])
    posted = len(unity.calls("POST"))
    notes = [note.message for done in unity.catalog.sync_entries([MODEL]) for note in done.notes]
    assert len(unity.calls("POST")) == posted
    state = unity.state()
    assert entry_differences(state.entries[NAME], state.logs[NAME]) == ()
    assert [note.message for note in unstorable_notes(NAME, state.logs[NAME])] == notes
    return [column["name"] for column in unity.entry()["columns"]], notes


@pytest.mark.parametrize(
    ("odd", "stored", "left_out"),
    [
        (COLLATED, ["id", "city"], []),
        (field("d", "decimal(10, 2)"), ["id", "d"], []),
        (BARE, ["id", "bare"], []),
        (field(" "), ["id"], ["column   (a blank name)"]),
        (EMPTY, ["id"], ["column empty (a struct without fields)"]),
        (NESTED, ["id"], ["column nested (a struct without fields)"]),
        (BLANK, ["id"], ["column blank (a blank name)"]),
    ],
    ids=["collated", "decimal", "no metadata", "blank", "empty", "nested", "blank field"],
)
def test_what_the_server_refuses_is_noted_and_the_rest_is_stored(unity, odd, stored, left_out):
    delta_log(unity.folder / "dev" / "silver" / "orders", field("id"), odd, comment="All")

    notes = [f"the catalog cannot store {text}, and its entry lacks it" for text in left_out]
    assert synced(unity) == (stored, notes)
    assert unity.entry()["comment"] == "All"


def test_a_partition_column_that_is_left_out_is_no_partition_column_of_the_entry(unity):
    folder = unity.folder / "dev" / "silver" / "orders"
    commit(folder, 0, protocol(), metadata(field("id"), field(" ", "string"), partitioned_by=(" ",)))

    assert synced(unity)[0] == ["id"]


def test_a_table_of_which_no_column_can_be_stored_has_an_entry_without_columns(unity):
    delta_log(unity.folder / "dev" / "silver" / "orders", EMPTY, comment="All")

    assert synced(unity)[0] == []
    assert unity.entry()["comment"] == "All"


def test_a_collated_column_that_another_client_stored_is_read(unity):
    delta_log(unity.folder / "dev" / "silver" / "orders", COLLATED)
    synced(unity)

    assert json.loads(unity.entry()["columns"][0]["type_json"]) == COLLATED
    assert unity.entry()["columns"][0]["type_text"] == "string"


def test_a_comment_that_only_the_json_of_a_column_has_is_a_difference(unity):
    delta_log(unity.folder / "dev" / "silver" / "orders", field("id"))
    synced(unity)
    unity.entry()["columns"][0]["type_json"] = json.dumps(field("id", comment="Secret"))

    assert unity.differences() == ["columns.id.type_json.comment: the catalog entry has 'Secret', the log has ''"]
    assert synced(unity)[0] == ["id"]
