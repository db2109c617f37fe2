"""Catalog entries compared with the Delta logs of their tables, which no entry can hold completely."""

from __future__ import annotations

import json
from dataclasses import replace

from pytest_delta_schema.diagnostics.errors import Diagnostic
from pytest_delta_schema.plan import entry_differences
from pytest_delta_schema.plan.entry_comparison import stale_entries, unstorable_notes
from pytest_delta_schema.state import CatalogState, EntryState
from pytest_delta_schema.state.delta_log import LogFacts
from pytest_delta_schema.state.entries import entry_columns, long_properties, storable
from support.case_tables import cases
from support.logs import field
from support.models import NAME

LONG = "x" * 256
STRUCT = {"type": "struct", "fields": [field("a"), field("gap", "void")]}


def log(*fields, comment="", **configuration):
    schema = json.dumps({"type": "struct", "fields": list(fields)})
    return LogFacts({"schemaString": schema, "description": comment, "configuration": configuration}, {})


def entry(shown, **more):
    return EntryState(
        name=NAME,
        table_id="1",
        table_type="EXTERNAL",
        data_format="DELTA",
        location="file:///lake",
        owner="",
        columns=entry_columns(shown.columns, shown.partitioning),
        comment=shown.comment,
        properties=more.pop("properties", shown.configuration),
        **more,
    )


def test_what_no_entry_can_hold_is_a_note_and_no_difference():
    def left_out(written):
        assert entry_differences(entry(log(field("id"))), written) == ()
        assert entry_differences(entry(written), written) == ()
        (note,) = map(str, unstorable_notes(NAME, written))
        return note.removeprefix("dev.silver.orders: the catalog cannot store ").removesuffix(
            ", and its entry lacks it"
        )

    void, value = field("v", "void"), "(a value of 256 characters)"
    with cases(left_out) as case:
        case(log(field("id"), note=LONG), f"property note {value}")
        case(log(field("id"), **{LONG: "1"}), f"property {'x' * 60}... (a key of 256 characters)")
        case(log(field("id"), void), "column v (void)")
        case(log(field("id"), field("s", STRUCT)), "column s (void)")
        case(log(field("id"), comment="c" * 65_536), "the comment (65536 characters)")
        case(log(field("id", comment="c" * 65_536)), "the comment of column id (65536 characters)")
        several = log(field("id"), void, a=LONG, b=LONG)
        case(several, f"column v (void), property a {value}, property b {value}")


def test_limits_are_exact_and_lengths_are_utf16_units():
    wide, narrow = "\N{GRINNING FACE}", "\N{LATIN SMALL LETTER E WITH ACUTE}"
    written = log(field("id"), comment=wide * 32_768, note=wide * 128)

    for fits in (
        log(field("id"), comment=wide * 32_767, **{wide * 127: narrow * 255}),
        log(field("id"), comment="c" * 65_535, **{"k" * 255: "v" * 255}),
    ):
        assert storable(fits) == (fits, ())
        assert unstorable_notes(NAME, fits) == ()
        assert long_properties(fits.configuration) == ()
    assert storable(written).left_out == ("the comment (65536 characters)", "property note (a value of 256 characters)")


def test_what_an_entry_holds_in_its_place_is_a_difference():
    def differences(written, edit):
        return ", ".join(map(str, entry_differences(replace(entry(written), **edit), written)))

    with cases(differences) as case:
        has, older = "the catalog entry has", entry_columns(log(field("id"), field("v", "string")).columns, ())
        value = log(field("id"), note=LONG), {"properties": {"note": "short"}}
        case(*value, f"properties.note: {has} 'short', the log has (absent)")
        case(log(field("id"), field("v", "void")), {"columns": older}, f"columns.v: {has} string, the log has (absent)")
        comment = log(field("id"), comment="c" * 65_536), {"comment": "Old"}
        case(*comment, f"comment: {has} 'Old', the log has ''")
        case(
            log(field("id"), note=LONG, team="x"),
            {"properties": {}},
            f"properties.team: {has} (absent), the log has 'x'",
        )


def test_stale_are_tables_of_which_both_were_read():
    level, behind, odd = (NAME._replace(table=name) for name in ("level", "behind", "odd"))
    written = log(field("id"))
    state = CatalogState(
        tables={},
        entries={
            level: entry(written),
            behind: entry(written, properties={"old": "1"}),
            odd: Diagnostic(table="odd", message="", remedy=""),
        },
        logs={level: written, behind: written, odd: written, NAME: written},
    )

    assert stale_entries(state) == {behind}


def test_an_entry_may_hold_it_in_a_form_of_its_own():
    written = log(field("id"), field("v", "void"))
    (first, void) = entry_columns(written.columns, ())

    held = replace(entry(written), columns=(first, void._replace(data_type=None, type_name="")))
    stranger = replace(held, columns=(*held.columns, void._replace(name="w")))

    assert entry_differences(held, written) == ()
    assert [difference.path for difference in entry_differences(stranger, written)] == ["columns.w"]


def test_the_location_of_an_entry_is_not_shown():
    assert "lake" not in repr(entry(log(field("id"))))
