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
from support.snapshots import ReviewedCases

LONG = "x" * 256
STRUCT = {"type": "struct", "fields": [field("a"), field("gap", "void")]}


def log(*fields, comment="", partitions=(), **configuration):
    schema = json.dumps({"type": "struct", "fields": list(fields)})
    metadata = {"schemaString": schema, "description": comment, "configuration": configuration}
    return LogFacts({**metadata, "partitionColumns": partitions}, {})


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
        deep: object = "long"
        for _ in range(101):
            deep = {"type": "array", "elementType": deep, "containsNull": True}
        case(log(field("id"), field("d", deep)), "column d (nested deeper than 100 levels)")
        for inner, why in (([], "a struct without fields"), ([field(" ")], "a blank name")):
            case(log(field("id"), field("s", {"type": "struct", "fields": inner})), f"column s ({why})")
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


def listed(*fields):
    return {"type": "array", "elementType": {"type": "struct", "fields": [*fields]}, "containsNull": True}


def test_each_attribute_of_a_column_is_compared(reviewed):
    def differences(shown, written, edit=None, before=(), after=()):
        there = entry(log(*shown, partitions=before))
        columns = tuple(column._replace(**edit or {}) for column in there.columns)
        return entry_differences(replace(there, columns=columns), log(*written, partitions=after))

    x, said, price = field("x", "string"), field("x", "string", comment="X"), field("price", "decimal(9,2)")
    xy, a_map = (field("x"), field("y")), {"type": "map", "keyType": "string", "valueType": "integer"}
    id_, m = field("id"), field("m", {**a_map, "valueContainsNull": True})
    case = ReviewedCases(differences)
    for name, *sides in (
        *(("no columns", [], [id_, m]), ("column missing", [id_], [id_, m]), ("column too many", [id_, m], [id_])),
        *(("order", [m, id_], [id_, m]), ("case", [field("ID")], [id_]), ("type", [field("id", "integer")], [id_])),
        *(("NOT NULL", [id_], [field("id", nullable=False)]), ("comment", [x], [said])),
        ("comment in JSON", [said], [said], {"json_comment": "Old"}),
        ("name of the type", [price], [price], {"type_name": "DOUBLE"}),
        ("scale", [price], [price], {"scale": 3}),
        ("other form", [price], [price], {"text": "DECIMAL( 9, 2 )", "type_name": "", "precision": 0, "scale": 0}),
        ("type inside", [field("l", listed(x))], [field("l", listed(field("x", "string", nullable=False)))]),
        ("comment inside", [field("l", listed(x))], [field("l", listed(said))]),
        ("partitioned", xy, xy, {}, [], ["Y"]),
        ("partitioned otherwise", xy, xy, {}, ["x", "y"], ["Y"]),
    ):
        case(name, *sides)
    assert case.text == reviewed


def test_what_servers_write_by_themselves_is_no_difference():
    shown = entry(log(field("id")), properties={"team": "x", "delta.lastUpdateVersion": "3"})

    assert entry_differences(shown, log(field("id"), team="x")) == ()
    assert [shown.is_managed, replace(shown, table_type="MANAGED").is_managed] == [False, True]


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
