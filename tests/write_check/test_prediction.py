"""Verdicts: every finding with its fact and its remedy, the notes, and the schema after the write."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pyspark.sql.types import (
    ArrayType,
    CharType,
    MapType,
    NullType,
    VarcharType,
)

from pytest_delta_schema import (
    Check,
    Column,
    MemoryCatalog,
    Merge,
    Orchestrator,
    WriteOptions,
    check_write,
)
from pytest_delta_schema.backends.local import probe_write
from pytest_delta_schema.diagnostics.errors import CatalogReadError
from pytest_delta_schema.testing import Scenario, SparkDataAccess
from pytest_delta_schema.testing.scenario import INT, LONG, MAPPED, TEXT, WIDENS, field, struct
from pytest_delta_schema.testing.scenario_runner import create_initial_tables
from support.case_tables import assert_rows, cases, refusal
from support.models import NAME, table
from support.snapshots import ReviewedCases
from support.writes import (
    BY_ROWS,
    DATE,
    DOUBLE,
    MODES,
    PAIRS,
    SHORT,
    A,
    B,
    agree,
    cells,
    frame,
    outcome,
    recorded,
    two,
)


def test_a_finding_has_fact_reason_and_remedy(reviewed):
    def first_finding(name, method):
        verdict = check_write(PAIRS[name].table, PAIRS[name].frame, WriteOptions(method=method))
        assert not verdict.accepted
        return str(verdict.findings[0]).removeprefix("dev.silver.orders: ")

    case = ReviewedCases(first_finding)
    for method, names in {
        "save": [
            *("extra column", "wider int", "string into int", "missing NOT NULL", "duplicate by case", "no column"),
            *("missing partition", "missing source of generated", "wider checked", "extra interval"),
        ],
        "write_to": ["extra field in array", "int into date", "given identity"],
        "insert_into": ["missing column"],
        "write_stream": ["void into int"],
    }.items():
        for name in names:
            case(f"{name}, {method}", name, method)
    assert case.text == reviewed


def finding_of_new_column(name):
    (finding,) = check_write(PAIRS[name].table, PAIRS[name].frame, WriteOptions(merge_schema=True)).findings
    return str(finding).removeprefix("dev.silver.orders: ")


def test_a_new_column_has_to_be_one_that_the_table_can_store(reviewed):
    case = ReviewedCases(finding_of_new_column)
    for name in ("extra odd name", "extra ntz", "change feed name", "extra struct with void"):
        case(name, name)
    assert case.text == reviewed


def notes_of_pair(name, how):
    verdict = check_write(*PAIRS[name], WriteOptions(**how))
    assert verdict.accepted
    assert {(note.severity, note.table) for note in verdict.notes} <= {("note", verdict.table)}
    return "\n".join(note.message for note in verdict.notes)


def test_an_accepted_write_has_notes_on_side_effects(reviewed):
    case = ReviewedCases(notes_of_pair)
    case("extra column", "extra column", {"merge_schema": True})
    case("wider int", "wider int", {"merge_schema": True})
    case("string into int", "string into int", {"method": "write_to"})
    case("missing column", "missing column", {})
    case("missing default", "missing default", {})
    case("missing generated", "missing generated", {})
    case("missing identity", "missing identity", {})
    case("missing partition", "missing partition", {"mode": "overwrite", "overwrite_schema": True})
    case("NOT NULL", "NOT NULL", {"mode": "overwrite", "overwrite_schema": True})
    case("missing checked", "missing checked", {"mode": "overwrite", "overwrite_schema": True})
    case("equal", "equal", {})
    assert case.text == reviewed


def test_a_live_table_is_judged_as_it_is():
    catalog = MemoryCatalog()
    Orchestrator.over(catalog).sync_tables([table(A, B, checks=[Check("small", "a < 10")])])

    assert check_write("DEV.silver.orders", frame(a=INT), catalog=catalog).accepted
    assert check_write("dev.silver.orders", frame(c=INT), catalog=catalog).rules == ("extra-column",)
    state = catalog.snapshot([table(A)]).existing(table(A).name)
    assert check_write(state, frame(a=INT)) == check_write("dev.silver.orders", frame(a=INT), catalog=catalog)
    with pytest.raises(CatalogReadError, match=r"dev\.silver\.nothing: is not in the catalog; create it first"):
        check_write("dev.silver.nothing", frame(a=INT), catalog=catalog)


def test_what_can_never_be_meant_is_refused():
    def refused(target=None, given=None, **options):
        return refusal(lambda: check_write(target or table(A), given or frame(a=INT), WriteOptions(**options)))

    assert refused(mode="ignore") == "mode is 'ignore' for save; write append or overwrite"
    assert refused(method="write_stream", mode="overwrite").startswith(
        "mode is 'overwrite' for write_stream; write append"
    )
    given = "table is 'dev.silver.orders'; give a Table, a TableState, or the name of a"
    assert given in refused(target="dev.silver.orders")
    assert "what is written is 'a int'; give a DataFrame or its schema, a StructType" in refused(given="a int")


def test_by_position_structs_are_entered_and_void_takes_anything():
    x, y = struct(field("x", INT)), struct(field("y", LONG))

    def rules(stored, given):
        options = WriteOptions(method="insert_into")
        return check_write(table(A, Column("v", stored)), frame(b=LONG, v=given), options).rules

    with cases(rules) as case:
        case(struct(field("s", x)), struct(field("s", y)), ())
        case(struct(field("l", ArrayType(x))), struct(field("l", ArrayType(struct(field("x", TEXT))))), ())
        case(struct(field("n", NullType())), struct(field("m", INT)), ("wider-type",))
        case(struct(field("s", x)), struct(field("s", DATE)), ("unsupported-cast",))
    checked = table(A, checks=[Check("positive", "a > 0")])
    assert check_write(checked, frame(a=x)).rules == ("column-in-use", "type-mismatch")


def test_lengths_of_a_frames_texts_are_none():
    lengths = struct(
        field("c", CharType(2)), field("l", ArrayType(VarcharType(3))), field("m", MapType(TEXT, CharType(1)))
    )

    notes = check_write(table(Column("v", lengths)), frame(v=lengths)).notes
    assert [note.message for note in notes] == [
        "v.c holds at most 2 characters; a longer text fails",
        "v.l.element holds at most 3 characters; a longer text fails",
        "v.m.value holds at most 1 character; a longer text fails",
    ]
    assert check_write(table(Column("a", TEXT)), frame(a=VarcharType(9))).accepted


STRICT_V = table(A, Column("v", INT, is_nullable=False))
STRICT_FIELD = table(A, Column("v", struct(field("x", INT, nullable=False), field("y", TEXT))))
VOID_FIELD = struct(field("x", NullType()), field("y", TEXT))
VIOLATED = "DELTA_NOT_NULL_CONSTRAINT_VIOLATED"


def test_a_void_column_has_no_value_for_one_that_is_not_null():
    def found(model, given, options):
        (finding,) = check_write(model, frame(a=INT, v=given), options).findings
        return finding.code, finding.message

    with cases(found) as case:
        for model, given, path in ((STRICT_V, NullType(), "v"), (STRICT_FIELD, VOID_FIELD, "v.x")):
            text = f"{path} is NOT NULL in the table, and the frame has it without a type (void), so it is NULL in every row"
            case(model, given, WriteOptions(), ("DELTA_MISSING_NOT_NULL_COLUMN_VALUE", text))
            for method in ("write_to", "insert_into"):
                case(model, given, WriteOptions(method=method), (VIOLATED, text))
        for method in ("save", "save_as_table"):
            options = WriteOptions(method=method, mode="overwrite")
            case(STRICT_V, NullType(), options, ("DELTA_MISSING_NOT_NULL_COLUMN_VALUE", text.replace("v.x", "v")))
        by_name = WriteOptions(method="sql_insert", by="name")
        case(STRICT_V, NullType(), by_name, (VIOLATED, text.replace("v.x", "v")))


IN_ORDER, TURNED = struct(field("x", INT), field("y", INT)), struct(field("y", INT), field("x", INT))
WIDER = struct(field("x", LONG), field("y", INT))
X_FROM_Y = [
    f"{part} gets the value of the field {name}, because this write matches fields of structs by position"
    for part, name in (("v.x", "y"), ("v.y", "x"))
]
INSERT, BY_NAME, LISTED = (WriteOptions(method="sql_insert", by=by) for by in ("position", "name", ["a", "v"]))
MAPS = MapType(TEXT, IN_ORDER), MapType(TEXT, TURNED)
TURNED_BY = [
    (IN_ORDER, TURNED, INSERT, []),
    (IN_ORDER, TURNED, BY_NAME, []),
    (IN_ORDER, TURNED, LISTED, X_FROM_Y),
    (IN_ORDER, TURNED, WriteOptions(method="write_to"), []),
    (*MAPS, LISTED, []),
    *((WIDER, TURNED, options, X_FROM_Y) for options in (INSERT, WriteOptions(method="insert_into"))),
    (WIDER, TURNED, WriteOptions(method="write_to"), []),
    (WIDER, TURNED, Merge(matched="all"), []),
]


def test_a_field_that_gets_the_value_of_another_one_is_noted():
    def moved(stored, given, options):
        verdict = check_write(table(A, Column("v", stored)), frame(a=INT, v=given), options)
        assert verdict.accepted
        return [note.message for note in verdict.notes if "gets the value" in note.message]

    assert_rows(TURNED_BY, moved)


PLACED = struct(field("k", CharType(4)), field("t", VarcharType(9)))
FROM_T = "v{0}.t has the place of k, which holds at most 4 characters; a longer text fails"
FROM_K = "v{0}.k has the place of t, which holds at most 9 characters; a longer text fails"
TEXTS = struct(field("t", TEXT), field("k", TEXT))
PLACES = [
    (PLACED, TEXTS, [FROM_T.format(""), FROM_K.format("")]),
    (ArrayType(PLACED), ArrayType(TEXTS), [FROM_T.format(".element"), FROM_K.format(".element")]),
    (struct(field("s", PLACED)), struct(field("s", TEXTS)), [FROM_T.format(".s"), FROM_K.format(".s")]),
    (PLACED, struct(field("k", TEXT), field("t", TEXT)), []),
    (struct(*PLACED.fields, field("n", INT)), struct(field("k", TEXT), field("t", TEXT)), []),
]


def test_a_text_has_the_length_of_its_place():
    def placed(stored, given):
        verdict = check_write(table(A, Column("v", stored)), frame(a=INT, v=given), WriteOptions())
        return [note.message for note in verdict.notes if "has the place" in note.message]

    assert_rows(PLACES, placed)


WITHOUT_THE_FIELD = [
    (struct(field("c", CharType(4))), "v.c"),
    (struct(field("s", struct(field("c", VarcharType(4))))), "v.s.c"),
    (ArrayType(struct(field("c", CharType(4)))), None),
    (CharType(4), None),
    (struct(field("c", TEXT)), None),
]


def test_a_struct_with_a_length_is_not_left_out_of_a_write_to_a_path():
    overwrites = [WriteOptions(method=method, mode="overwrite") for method in ("save", "save_as_table")]
    for options in (WriteOptions(), *overwrites, WriteOptions(method="write_stream")):
        for kind, path in WITHOUT_THE_FIELD:
            target = table(A, Column("v", kind))
            text = f"the frame lacks v, and Delta fails to compare the length of its field {path} without it"
            findings = check_write(target, frame(a=INT), options).findings
            assert [finding.message for finding in findings] == ([text] if path else [])
            assert check_write(target, frame(a=INT), WriteOptions(method="write_to")).accepted


def test_predictions_are_the_recorded_results():
    wrong = []
    for name, method, mode, real in recorded():
        predicted = outcome(check_write(*PAIRS[name], replace(MODES[mode], method=method)))
        is_by_rows = name == BY_ROWS and predicted == VIOLATED
        if not agree(predicted, real) and not is_by_rows:
            wrong.append(f"{name}, {method}, {mode}: Delta {real}, predicted {predicted}")

    assert wrong == []


def test_every_method_and_mode_was_recorded():
    assert sorted((pair, method, mode) for pair, method, mode, _ in recorded()) == sorted(
        (pair, method, mode) for pair in PAIRS for method, mode in cells(pair, MODES)
    )


def test_frames_by_name_are_cast_since_delta_4_3():
    with cases(
        lambda version, method: outcome(
            check_write(two(INT), frame(a=INT, v=LONG), WriteOptions(method=method), version=version)
        )
    ) as case:
        case((3, 3), "save_as_table", "DELTA_FAILED_TO_MERGE_FIELDS")
        case((4, 2), "save_as_table", "DELTA_FAILED_TO_MERGE_FIELDS")
        case((4, 3), "save_as_table", "a int, v int")
        case((4, 2), "write_to", "DELTA_FAILED_TO_MERGE_FIELDS")
        case((4, 3), "write_to", "a int, v int")
        case((3, 3), "insert_into", "a int, v int")
        case((4, 4), "save", "DELTA_FAILED_TO_MERGE_FIELDS")
        case((3, 3), "write_stream", "a int, v int")


def test_writes_widen_by_the_rules_of_the_version():
    with cases(
        lambda version, given, stored: outcome(
            check_write(
                two(stored, table_properties=WIDENS),
                frame(a=INT, v=given),
                WriteOptions(merge_schema=True),
                version=version,
            )
        )
    ) as case:
        case((3, 3), SHORT, INT, "a int, v int")
        case((3, 3), INT, SHORT, "a int, v int")
        case((3, 3), LONG, INT, "DELTA_FAILED_TO_MERGE_FIELDS")
        case((4, 0), LONG, INT, "a int, v bigint")
        case((4, 0), DOUBLE, INT, "DELTA_FAILED_TO_MERGE_FIELDS")
        case((4, 4), DOUBLE, INT, "a int, v double")


def made(local, model, rows=()):
    scenario = Scenario(name="writes", before=model, after=model, rows=tuple(rows))
    create_initial_tables(scenario, local, SparkDataAccess())
    return model


@pytest.mark.spark
def test_the_probe_writes_to_a_clone_and_not_to_the_table(local):
    model = table(Column("id", LONG, is_nullable=False), B, table_properties=MAPPED, clustered_by=["id"])
    made(local, model, [{"id": 1, "b": "x"}])
    before = local.snapshot([model]), local.version(NAME), schemas(local)
    given = local.spark.createDataFrame([(2, 1.5)], frame(id=LONG, c=DOUBLE))

    verdict = probe_write("dev.silver.orders", given, WriteOptions(method="write_to", merge_schema=True))

    assert verdict.resulting_schema.simpleString() == "struct<id:bigint,b:string,c:double>"
    assert verdict.table == "dev.silver.orders"
    assert (local.snapshot([model]), local.version(NAME), schemas(local)) == before
    assert local.spark.conf.get("spark.databricks.delta.schema.autoMerge.enabled") == "false"


def schemas(local):
    return sorted(row[0] for row in local.spark.sql("show schemas in scratch").collect())


@pytest.mark.spark
def test_a_refusal_that_is_not_predicted_has_the_message_of_delta(local, monkeypatch):
    accepted = check_write(table(A), frame(a=INT))
    monkeypatch.setattr("pytest_delta_schema.backends.local.probes.predict_write", lambda *_: accepted)

    (finding,) = probe_write(table(A), frame(c=INT), catalog=local).findings

    assert (finding.rule, finding.code) == ("refused", "DELTA_METADATA_MISMATCH")
    assert finding.message.startswith("[DELTA_METADATA_MISMATCH] A metadata mismatch was detected")
