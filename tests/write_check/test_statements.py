"""Predictions of statements and of partial overwrites agree with the recorded results of Delta 4.4.0."""

from __future__ import annotations

from pyspark.sql.types import ArrayType, CharType, MapType, VarcharType

from pytest_delta_schema import Column, Merge, When, WriteOptions, check_write
from pytest_delta_schema.delta.char_varchar import without_lengths
from pytest_delta_schema.testing.scenario import INT, LONG, TEXT, field, struct
from support.case_tables import cases, refusal
from support.models import table
from support.snapshots import ReviewedCases
from support.writes import (
    CASTS,
    PAIRS,
    SEVERAL_REASONS,
    STATEMENTS_BY_ROWS,
    VOID,
    XY,
    A,
    B,
    Pair,
    X,
    agree,
    frame,
    outcome,
    recorded_statements,
    statement_ways,
    two,
)


def test_predictions_of_statements_are_the_recorded_results():
    answers, wrong = recorded_answers(), []
    for name in PAIRS:
        for method, mode, options in statement_ways(name):
            given = None if method == "delete" else PAIRS[name].frame
            predicted = outcome(check_write(PAIRS[name].table, given, options))
            expected = STATEMENTS_BY_ROWS.get((name, method, mode), answers[name, method, mode])
            if not agree(predicted, expected):
                wrong.append(f"{name}, {method}, {mode}: Delta {expected}, predicted {predicted}")

    assert wrong == []


def recorded_answers():
    return {(pair, method, mode): real for pair, method, mode, real in recorded_statements()}


def test_every_way_was_recorded_and_rows_are_refused_only_where_an_empty_frame_is_accepted():
    answers = recorded_answers()

    assert answers.keys() == {(name, method, mode) for name in PAIRS for method, mode, _ in statement_ways(name)}
    assert [way for way in STATEMENTS_BY_ROWS if answers[way].isupper()] == []


def test_what_an_older_version_lacks_is_said():
    evolving, naming = WriteOptions(method="sql_insert", evolves=True), Merge(matched={"c": "c"})

    def written(version):
        return [outcome(check_write(*PAIRS["extra column"], each, version=version)) for each in (evolving, naming)]

    assert written((3, 3)) == ["PARSE_SYNTAX_ERROR", "DELTA_MERGE_UNRESOLVED_EXPRESSION"]
    assert written((4, 1)) == ["PARSE_SYNTAX_ERROR", "INTERNAL_ERROR"]
    assert written((4, 4)) == ["a int, b string, c double", "INTERNAL_ERROR"]


def test_an_older_merge_lets_no_schema_with_void_evolve():
    def merged(pair, version, *, evolves=True):
        return outcome(check_write(pair.table, pair.frame, Merge(matched="all", evolves=evolves), version=version))

    stored = Pair(table(A, Column("v", VOID)), frame(a=INT))
    assert merged(PAIRS["extra void"], (3, 3)) == merged(stored, (3, 3)) == "DELTA_MERGE_ADD_VOID_COLUMN"
    assert merged(PAIRS["extra void"], (3, 3), evolves=False) == "a int"
    assert merged(PAIRS["extra void"], (4, 4)) == "a int, c void"
    assert merged(PAIRS["extra column"], (3, 3)) == "a int, b string, c double"
    assert merged(stored, (4, 4)) == "a int, v void"


UPDATE, DELETE = WriteOptions(method="update"), WriteOptions(method="delete")
BY_B = table(A, B, partitioned_by=["b"])
BY_NAME = WriteOptions(method="sql_insert", by="name")


def reasons(model, given, options):
    return [(finding.code, finding.message) for finding in check_write(model, given, options).findings]


def test_one_line_names_all_that_is_wrong(reviewed):
    case = ReviewedCases(lambda given, options: ": ".join(reasons(table(A, B), given, options)[0]))
    both, other = frame(a=INT, b=TEXT), frame(a=INT, c=INT)
    for given, options in (
        (frame(a=INT), Merge(matched={"zz": INT, "b": "y"})),
        (frame(a=INT), Merge(not_matched=When("target.a = 1 AND x = 1", then={"a": "a"}))),
        (frame(a=INT), Merge(matched=When("source.z = 1 AND target.y = 1 AND a = 1", then="delete"))),
        *((frame(c=INT), UPDATE), (frame(field("a.x", INT)), UPDATE)),
        *(
            (both, WriteOptions(method="sql_insert", by=["a"])),
            (other, WriteOptions(method="sql_insert", by=["a", "z"])),
        ),
        *((given, WriteOptions(mode="overwrite", replace_where="y = 1 AND z = 2")) for given in (other, both)),
        (both, WriteOptions(partition_by=["a"])),
    ):
        case.unnamed(given, options)
    assert case.text == reviewed


def test_other_refusals_have_the_condition_of_delta():
    nested, given = two(X), frame(a=INT, v=X)
    with cases(lambda model, given, options: reasons(model, given, options)[0][0]) as case:
        case(nested, given, Merge(not_matched={"v.x": "a"}), "DELTA_UNSUPPORTED_NESTED_FIELD_IN_OPERATION")
        case(nested, given, Merge(matched={"v": "v", "v.x": "a"}), "DELTA_CONFLICT_SET_COLUMN")
        case(nested, given, Merge(matched={"v.z": "a"}), "FIELD_NOT_FOUND")
        case(nested, frame(field("v.x", TEXT), field("v.z", INT)), UPDATE, "FIELD_NOT_FOUND")
        strict = table(Column("a", INT, is_nullable=False))
        case(strict, frame(a=VOID), UPDATE, "DELTA_NOT_NULL_CONSTRAINT_VIOLATED")
        by_a = WriteOptions(method="save_as_table", partition_by=["a"])
        case(BY_B, frame(a=INT, b=TEXT), by_a, "IllegalArgumentException")
        twice = struct(field("a", INT), field("A", INT))
        case(table(A), twice, Merge(matched="all"), "AMBIGUOUS_REFERENCE")
        case(table(A), twice, WriteOptions(method="sql_insert", by=["a", "A"]), "COLUMN_ALREADY_EXISTS")


def test_a_type_without_a_cast_has_the_condition_of_spark():
    for given, stored, merged, inserted in CASTS:
        model, source = table(A, Column("v", stored)), frame(v=Column("v", given).data_type)
        codes = [reasons(model, source, options)[0][0] for options in (Merge(matched={"v": "v"}), UPDATE, BY_NAME)]
        assert codes == [merged, merged, inserted], (given, stored)


def test_all_reasons_stand_in_the_order_of_delta():
    for model, given, options, codes in SEVERAL_REASONS:
        found = [finding.code for finding in check_write(model, given, options).findings]
        assert list(dict.fromkeys(found)) == [*codes], options


CHAR_FIELD = struct(field("c", CharType(4)))
COMPUTED = Column("g", INT, generated_as="a + 1")
PADDED = [
    (CHAR_FIELD, COMPUTED, "v.c"),
    (ArrayType(CharType(4)), COMPUTED, "v.element"),
    (ArrayType(CHAR_FIELD), COMPUTED, "v.element.c"),
    (MapType(CharType(4), INT), COMPUTED, "v.key"),
    (MapType(TEXT, CharType(4)), COMPUTED, "v.value"),
    (CharType(4), COMPUTED, None),
    (struct(field("c", VarcharType(4))), COMPUTED, None),
    (CHAR_FIELD, Column("g", INT, default=1), None),
    (CHAR_FIELD, Column("g", LONG, identity=True), None),
]


def test_a_table_that_spark_pads_below_its_columns_has_no_generated_column():
    code = "DELTA_OPERATION_ON_TEMP_VIEW_WITH_GENERATED_COLS_NOT_SUPPORTED"
    for name, options in (("UPDATE", UPDATE), ("MERGE", Merge(matched={"v": "v"}))):
        for kind, other, path in PADDED:
            findings = check_write(table(A, Column("v", kind), other), frame(v=without_lengths(kind)), options).findings
            text = (
                f"{path} is char inside another type, so Spark reads the table by a query that pads it,"
                f" and Delta refuses the {name}, because g is a generated column"
            )
            remedy = f"make {path} varchar or string, or insert and delete rows instead"
            assert [(each.code, each.message, each.remedy) for each in findings] == (
                [(code, text, remedy)] if path else []
            )


def test_fields_of_structs_are_assigned():
    assert check_write(two(X), frame(field("v.x", LONG)), UPDATE).notes[0].path == "v.x"
    evolved = check_write(two(X), frame(a=INT, v=XY), Merge(matched={"v.y": "v.y"}, evolves=True))
    assert evolved.resulting_schema.simpleString() == "struct<a:int,v:struct<x:int,y:string>>"


def test_structs_in_collections_are_compared_field_by_field():
    stored = struct(field("x", INT, nullable=False), field("y", TEXT))
    given = struct(field("x", LONG, nullable=False), field("y", TEXT))

    for wrap in (lambda kind: kind, ArrayType, lambda kind: MapType(TEXT, ArrayType(kind))):
        model = two(wrap(stored))
        assert check_write(model, frame(v=wrap(given)), UPDATE).accepted
        assert reasons(model, frame(v=wrap(X)), UPDATE)[0][0] == "DELTA_UPDATE_SCHEMA_MISMATCH_EXPRESSION"


def test_a_merge_notes_what_it_does():
    merge = Merge(matched="all", not_matched={"a": "a", "c": "c"}, evolves=True)

    assert [note.message for note in check_write(table(A, B), frame(a=LONG, c=INT), merge).notes] == [
        "a is cast from bigint to int; a value that does not fit fails",
        "a is cast from bigint to int; a value that does not fit fails",
        "b is not inserted: it is NULL",
        "c (int) is added, nullable and last",
    ]


ALL_ROWS, CONDITION, PARTITIONS = (
    "all rows",
    "the rows where b = 'x'",
    "the partitions by b that the frame has rows for",
)


def test_an_overwrite_says_which_rows_it_replaces():
    given = frame(a=INT, b=TEXT)
    assert str(check_write(BY_B, given, WriteOptions(mode="overwrite", dynamic_partitions=True))) == (
        f"dev.silver.orders: the write is accepted\n  replaces {PARTITIONS}"
    )
    assert check_write(BY_B, given).replaces == ""
    with cases(
        lambda model, options: check_write(model, given, WriteOptions(mode="overwrite", **options)).replaces
    ) as case:
        case(BY_B, {"replace_where": "b = 'x'"}, CONDITION)
        case(BY_B, {"dynamic_partitions": True, "overwrite_schema": True}, ALL_ROWS)
        case(BY_B, {"replace_where": "b = 'x'", "overwrite_schema": True}, CONDITION)
        case(BY_B, {}, ALL_ROWS)
        case(table(A, B), {"dynamic_partitions": True}, ALL_ROWS)


def test_what_has_no_meaning_is_refused_in_one_line(reviewed):
    case = ReviewedCases(lambda kind, options: refusal(lambda: kind(**options)))
    overwrite, chosen = {"mode": "overwrite"}, {"replace_where": "a = 1", "dynamic_partitions": True}
    for options in (
        {},
        {"matched": ["all", "delete"], "not_matched_by_source": ["delete", "delete"]},
        {"matched": "some", "not_matched": "delete"},
        {"not_matched_by_source": {"a": "a"}, "matched": When("", then="all")},
        {"on": "target.a = source.a", "matched": "all"},
    ):
        case.unnamed(Merge, options)
    for others in (
        *({"method": "sql_insert", name: "a", **overwrite} for name in ("replace_using", "replace_on")),
        {"method": "upsert"},
        {"method": "delete", "by": "name", "merge_schema": True},
        chosen,
        {"method": "write_to", **overwrite, **chosen},
        {"method": "sql_insert", "by": "place"},
        {"replace_where": " ", **overwrite},
    ):
        case.unnamed(WriteOptions, others)
    assert f"{case.text}{refusal(WriteOptions, 'save')}\n" == reviewed
    given = frame(a=INT)
    text = f"a delete takes no frame, and was given {given!r}; give None"
    assert refusal(check_write, table(A), given, DELETE) == text
