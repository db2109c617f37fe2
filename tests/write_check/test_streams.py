"""Predictions of streams: the recorded answer of each change, the worst of several, and what is never judged."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

from pyspark.sql.types import ArrayType, MapType

from pytest_delta_schema import Check, Column
from pytest_delta_schema.plan.changes import KINDS
from pytest_delta_schema.plan.kinds import Change
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.testing.scenario import BOTH, INT, LONG, MAPPED, TEXT, field, struct
from pytest_delta_schema.write_check import StreamVerdict, check_stream
from pytest_delta_schema.write_check.streams import (
    NAMERS,
    NEW_CHECKPOINT,
    NOTHING_HELPS,
    STREAM_KINDS,
    TRACKED,
    Answer,
    answers,
    names_of,
)
from support.case_tables import cases, refusal
from support.models import table
from support.streams import BASE, CASES, FEED, ID, NOTE, SAMPLE, X, states

PLAIN = table(*BASE)
MAPPED_TABLE = table(*BASE, table_properties=MAPPED)
ICEBERG = {"delta.universalFormat.enabledFormats": "iceberg"}
RENAMED = table(ID, NOTE, Column("w", INT, renamed_from="v"), table_properties=MAPPED)
SHORTER = table(ID, NOTE, table_properties=MAPPED)


def test_every_case_was_recorded_and_the_sample_shows_every_kind_of_stream_every_answer_and_every_end():
    known = {(name, kind): answers()[name.lower(), kind] for name in CASES for kind in STREAM_KINDS}
    played = {cell: known[cell] for cell in SAMPLE}

    assert sorted(answers()) == sorted((name.lower(), kind) for name, kind in known)
    assert {kind for _, kind in played} == set(STREAM_KINDS)
    assert {answer.answer for answer in played.values()} == {answer.answer for answer in known.values()}
    assert {answer.condition for answer in played.values()} == {answer.condition for answer in known.values()}


ORDERED, TURNED = struct(field("x", INT), field("y", TEXT)), struct(field("y", TEXT), field("x", INT))
MOVES = [
    (ORDERED, TURNED, "columns.s: x, y -> y, x"),
    (ArrayType(ORDERED), ArrayType(TURNED), "columns.s.element: x, y -> y, x"),
    (MapType(TEXT, ORDERED), MapType(TEXT, TURNED), "columns.s.value: x, y -> y, x"),
    (struct(field("p", ORDERED)), struct(field("p", TURNED)), "columns.s.p: x, y -> y, x"),
    (ORDERED, struct(field("z", INT), *ORDERED.fields), None),
]


def test_a_moved_field_ends_a_tracked_stream_once():
    for kind in STREAM_KINDS:
        for before, after, line in MOVES:
            old, new = (desired_state(table(Column("s", shape), table_properties=FEED)) for shape in (before, after))
            verdict = check_stream(old, new, kind)
            messages = [finding.message for finding in verdict.findings if finding.rule == "field-moved"]
            if kind == "tracked" and line is not None:
                assert messages == [f"{line}: the stream ends once, and continues when it is started again"]
                assert (verdict.answer, verdict.condition) == ("restarts", "DELTA_STREAMING_METADATA_EVOLUTION")
            else:
                assert messages == []


def test_one_change_has_the_recorded_answer():
    names = [name for name, case in CASES.items() if len(case.steps) == 1 and not case.count_by]
    assert len(names) * len(STREAM_KINDS) == 530
    for name, kind in product(names, STREAM_KINDS):
        verdict = check_stream(*states(CASES[name], kind), kind)

        recorded = answers()[name.lower(), kind]
        assert (verdict.answer, verdict.condition, verdict.remedy) == recorded, (name, kind)
        rules = [each.rule for each in verdict.findings if not each.rule.startswith("feature ") or name in each.rule]
        assert rules == ([] if recorded.answer == "continues" else [name]), (name, kind)


class TableTruncate(Change):
    """A kind of change that was never recorded."""


def test_every_kind_of_change_has_a_name_and_a_new_one_is_not_judged():
    assert set(NAMERS) == set(KINDS)
    assert [*names_of(TableTruncate(), desired_state(PLAIN))] == ["TableTruncate"]
    assert ("tabletruncate", "running") not in answers()


def test_nothing_that_changes_nothing_ends_a_stream_and_a_state_is_judged_like_its_model():
    assert check_stream(PLAIN, PLAIN) == StreamVerdict(table="dev.silver.orders", kind="plain", answer="continues")
    assert check_stream(desired_state(MAPPED_TABLE), SHORTER) == check_stream(MAPPED_TABLE, SHORTER)
    # A default that changes enables no feature that the table has already.
    old, new = (table(Column("v", INT, default=value)) for value in (1, 2))
    verdict = check_stream(old, new, "tracked")
    assert verdict.answer == "restarts"
    assert [finding.message for finding in verdict.findings] == [
        "columns.v.default: 1 -> 2: the stream ends once, and continues when it is started again"
    ]


def test_what_no_plan_makes_has_the_answer_of_its_steps():
    swapped = table(*BASE[:2], Column("v", TEXT), table_properties=MAPPED)
    filled = table(*BASE, Column("c", TEXT, is_nullable=False))
    for old, new, name in ((MAPPED_TABLE, swapped, "type-swapped"), (PLAIN, filled, "not-null-column-added")):
        verdict = check_stream(old, new)

        assert [finding.rule for finding in verdict.findings] == [name]
        assert (verdict.answer, verdict.remedy) == ("blocked", answers()[name, "plain"].remedy)


def test_what_was_not_recorded_is_not_judged():
    def rule(old, new):
        verdict = check_stream(old, new)
        assert (verdict.answer, verdict.condition, verdict.remedy) == ("not judged", "", ())
        (finding,) = verdict.findings
        assert finding.remedy == "try the change on a copy of the table"
        return finding.rule

    def with_properties(properties):
        return table(*BASE, table_properties=properties)

    flat, formats = table(ID, Column("s", X)), "delta.universalFormat.enabledFormats"
    strict = struct(field("x", INT), field("y", INT, nullable=False))
    unplanned = [
        (flat, table(ID, Column("s", struct(field("x", TEXT))))),
        (flat, table(ID, Column("s", strict))),
        (PLAIN, table(ID, NOTE, Column("v", INT, generated_as="1"))),
        (PLAIN, table(*BASE, Column("twice", LONG, generated_as="id * 2"))),
        (PLAIN, table(*BASE, Column("number", LONG, identity=True))),
    ]
    assert {rule(old, new).partition(":")[0] for old, new in unplanned} == {"no-plan"}
    with cases(rule) as case:
        case(PLAIN, with_properties(ICEBERG), f"{formats} set")
        case(with_properties(ICEBERG), with_properties(dict.fromkeys(ICEBERG)), f"{formats} unset")
        compat = [with_properties({"delta.enableIcebergCompatV3": value}) for value in ("true", "false")]
        case(*compat, "delta.enableIcebergCompatV3 off")
        feature = with_properties({"delta.feature.icebergCompatV2": "supported"})
        case(PLAIN, feature, "feature icebergCompatV2")


def test_of_several_changes_the_worst_answer_counts():
    widened = table(ID, NOTE, Column("w", LONG, renamed_from="v"), comment="New", table_properties=BOTH)

    verdict = check_stream(table(*BASE, table_properties=BOTH), widened, "tracked")

    assert verdict.answer == "blocked"
    assert verdict.remedy == ("allowSourceColumnRename=always", "allowSourceColumnTypeChange=always")
    assert [finding.rule for finding in verdict.findings] == ["column-renamed", "type-widened"]


def test_a_stream_that_one_change_ends_meets_the_others_as_a_lagging_one():
    new = table(ID, NOTE, Column("v", INT, is_nullable=False), Column("c", TEXT), table_properties=FEED)
    old = table(*BASE, table_properties=FEED)
    for kind in ("plain", "change-feed"):
        verdict = check_stream(old, new, kind)

        assert check_stream(old, table(*new.columns[:3], table_properties=FEED), kind).answer == "continues"
        assert (verdict.answer, verdict.remedy) == ("blocked", answers()["null-forbidden", "lagging"].remedy)
        assert [finding.rule for finding in verdict.findings] == ["column-added", "null-forbidden"]


def test_a_block_is_worse_than_what_is_not_judged_and_that_worse_than_a_restart():
    added = table(*BASE, Column("c", TEXT), table_properties=ICEBERG)
    renamed = replace(RENAMED, table_properties={**MAPPED, **ICEBERG})

    assert check_stream(PLAIN, added).answer == "not judged"
    assert check_stream(MAPPED_TABLE, renamed).answer == "blocked"


def test_a_plain_stream_over_a_rename_and_a_drop_needs_both():
    new = table(ID, Column("w", INT, renamed_from="v"), table_properties=MAPPED)

    assert check_stream(MAPPED_TABLE, new).remedy == answers()["column-renamed", "plain"].remedy + tuple(
        part for part in answers()["column-dropped", "plain"].remedy if part != TRACKED
    )


def test_where_one_change_needs_a_new_checkpoint_nothing_else_helps(monkeypatch):
    known = {**answers(), ("column-dropped", "plain"): Answer("blocked", "DELTA_X", NEW_CHECKPOINT)}
    monkeypatch.setattr("pytest_delta_schema.write_check.streams.answers", lambda: known)
    new = table(ID, Column("w", INT, renamed_from="v"), table_properties=MAPPED)

    verdict = check_stream(MAPPED_TABLE, new)

    assert verdict.remedy == NEW_CHECKPOINT
    assert str(verdict).splitlines()[0].endswith("; start it with a new checkpoint")


def test_where_nothing_helps_over_one_change_nothing_helps_over_several():
    old = table(*BASE, table_properties={**MAPPED, **FEED})
    new = table(ID, NOTE, table_properties={**MAPPED, "delta.enableChangeDataFeed": "false"})

    verdict = check_stream(old, new, "change-feed")

    assert (verdict.answer, verdict.remedy) == ("blocked", NOTHING_HELPS)
    assert str(verdict).splitlines()[0].endswith("; nothing that was tried lets it continue")


def test_a_stream_that_was_not_recorded_is_not_judged_even_if_nothing_changes():
    def rules(old, kind="plain", version=(4, 4)):
        verdict = check_stream(old, PLAIN, kind, version=version)
        assert verdict.answer == "not judged"
        (finding,) = verdict.findings
        assert f" [{finding.rule}]" in str(verdict)
        return finding.rule

    assert rules(PLAIN, version=(4, 0)) == "version-not-recorded"
    assert rules(PLAIN, "change-feed") == "no-change-feed"
    assert rules(replace(desired_state(PLAIN), exists=False)) == "absent-table"
    managed = table(*BASE, table_properties={"delta.feature.catalogManaged": "supported"})
    assert rules(managed) == "catalog-managed"


def test_a_verdict_shows_what_ends_the_stream_and_what_lets_it_go_on():
    added = table(*BASE, Column("c", TEXT), checks=[Check("positive", "id > 0")])

    assert str(check_stream(PLAIN, added)) == (
        "dev.silver.orders: a plain stream ends once, and continues when it is started again"
        " [DELTA_SCHEMA_CHANGED_WITH_VERSION]\n"
        "  ! columns.c: (absent) -> string: the stream ends once, and continues when it is started again; start it again"
        " [DELTA_SCHEMA_CHANGED_WITH_VERSION column-added]"
    )


def test_what_can_never_be_meant_is_refused():
    takes = "check_stream takes a Table or a TableState, and was given {}; give a model or a state as {}"
    with cases(lambda *arguments: refusal(check_stream, *arguments)) as case:
        kinds = "plain, lagging, starting-version, tracked, change-feed"
        case(PLAIN, PLAIN, "batch", f"kind is 'batch'; write one of {kinds}")
        case("dev.silver.orders", PLAIN, takes.format("'dev.silver.orders'", "old"))
        case(PLAIN, 1, takes.format(1, "new"))
        other = "old is dev.silver.orders, and new is dev.silver.events; give one table before and after its change"
        case(PLAIN, table(*BASE, name="dev.silver.events"), f"check_stream: {other}")
    text = refusal(lambda: check_stream(PLAIN, PLAIN, version="4.4"))
    assert text.startswith("version is '4.4'; write the major and minor version of Delta")
