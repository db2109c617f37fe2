"""What is judged and what is not: ownership, unknown parts, the base, names, and who is upgraded first."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

from pytest_delta_schema import Check, Column, Deprecated, PrimaryKey, Table, Unique
from pytest_delta_schema.compatibility import judge_change, worst_verdict
from pytest_delta_schema.compatibility.changes import StatePair, contract_changes
from pytest_delta_schema.compatibility.effects import STREAM_VERDICTS
from pytest_delta_schema.compatibility.implication import new_promises, violating_row
from pytest_delta_schema.compatibility.judging import decided
from pytest_delta_schema.compatibility.roles import VERDICTS, ContractFault
from pytest_delta_schema.compatibility.stored_values import misplaced
from pytest_delta_schema.compatibility.writers import changed_writes, writer_effects
from pytest_delta_schema.delta.clients import ClientFeatures
from pytest_delta_schema.delta.names import ColumnPath
from pytest_delta_schema.rules import Consent
from pytest_delta_schema.rules.policy import CompatibilityPolicy
from pytest_delta_schema.settings.table import ROLES
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.testing.scenario import INT, LONG, MAPPED, TEXT, WIDENS, field, struct
from pytest_delta_schema.write_check import check_stream
from support.case_tables import assert_rows, cases, named_cases, refusal
from support.compatibility import CASES, FEED, rules, shown
from support.models import table
from support.snapshots import ReviewedCases

ID, NOTE, V = Column("id", LONG), Column("note", TEXT), Column("v", INT)
CELLS_OF = {row.__name__: row.cells for row in ContractFault.__subclasses__()}
POSITIVE = [Check("positive", "id > 0")]


def test_a_contract_that_does_not_change_breaks_nobody():
    for model in (model for case in CASES for model in (case.old, case.new) if model is not None):
        assert judge_change(model, model, roles=ROLES) == ()
        assert judge_change(desired_state(model), model, roles=ROLES) == ()


def test_a_finding_says_what_for_whom_who_is_first_and_the_consent():
    wide = {"delta.enableTypeWidening": "true"}
    old = table(ID, Column("amount", "decimal(10,2)"), table_properties=wide)
    new = table(ID, Column("amount", "decimal(12,2)"), table_properties=wide)

    (finding,) = (finding for finding in judge_change(old, new) if finding.role == "writers")

    assert str(finding) == (
        "dev.silver.orders: breaking: columns.amount: decimal(10,2) -> decimal(12,2): writers by save, save in mode"
        " overwrite, saveAsTable in mode overwrite are refused [type-mismatch]; upgrade writers after this release"
        " [DC104 TypeWidened]"
    )
    assert (finding.code, finding.rule, finding.path) == ("DC104", "TypeWidened", "columns.amount")
    assert (finding.before, finding.after) == ("decimal(10,2)", "decimal(12,2)")
    assert finding.consent == "break dev.silver.orders.amount"
    assert finding.diagnostic.severity == "error"
    assert finding.diagnostic.fact == f"{finding.message}; {finding.advice}"


def test_what_is_safe_needs_no_consent():
    (finding,) = judge_change(table(ID), table(ID, comment="Orders"), roles=["readers"])

    assert str(finding) == (
        "dev.silver.orders: safe: comment: '' -> 'Orders': readers are not affected [DC139 CommentChanged]"
    )
    assert (finding.consent, finding.advice, finding.diagnostic.severity) == ("", "", "note")


def test_who_is_upgraded_first():
    def advice(old, new, role):
        (finding,) = judge_change(old, new, roles=[role])
        return finding.advice

    both, renamed, checked = table(ID, V), table(ID, Column("w", INT, renamed_from="v")), table(ID, checks=POSITIVE)
    with cases(advice) as case:
        case(both, table(ID), "readers", "upgrade readers before this release")
        case(both, table(ID), "writers", "upgrade writers before this release")
        case(both, renamed, "readers", "upgrade readers with this release")
        case(both, renamed, "writers-by-merge", "upgrade writers by MERGE after this release")
        case(table(ID), checked, "writers", "upgrade writers before this release")
        case(table(ID), table(ID, NOTE), "streams", "restart streams with this release")
        upgrade = "upgrade streams with this release; set the option schemaTrackingLocation to <folder>"
        case(table(ID, NOTE), table(ID, NOTE, partitioned_by=["note"]), "streams", upgrade)
        listed = "check clients before this release; list the clients of the table in clients"
        case(table(ID), checked, "clients", listed)
        unknown = table(ID, table_properties={"delta.x": "1"})
        case(table(ID), unknown, "streams", "try the change on a copy of the table")


def test_what_was_broken_at_the_base_is_not_reported_again():
    identity, append = table(Column("id", LONG, identity=True), V), {"delta.appendOnly": "true"}

    assert shown(identity, replace(identity, comment="New"), "writers", "writers-by-position") == []
    assert shown(identity, replace(identity, columns=identity.columns[:1]), "writers-by-position") == []
    (text,) = shown(table(ID, V, table_properties=append), table(ID, table_properties=append), "writers")
    assert (
        "by save, saveAsTable, writeTo, writeStream, INSERT BY NAME, INSERT of columns are refused [extra-column"
        in text
    )


def test_the_worst_of_several_changes_counts():
    assert worst_verdict(()) == "safe"
    findings = judge_change(table(ID, V), table(ID, NOTE, comment="New"), roles=["readers"])
    assert [finding.rule for finding in findings] == ["NullableColumnAdded", "ColumnRemoved", "CommentChanged"]
    assert worst_verdict(findings) == "breaking"


def test_a_type_that_iceberg_cannot_follow_is_refused():
    for key, value in (("delta.enableIcebergCompatV2", "true"), ("delta.universalFormat.enabledFormats", "iceberg")):
        properties = {**WIDENS, **MAPPED, key: value}
        old, new = (table(ID, Column("v", kind), table_properties=properties) for kind in ("int", "double"))

        assert shown(old, new, "clients") == [
            (
                "dev.silver.orders: breaking: columns.v: int -> double: clients cannot have it, because Delta refuses it for"
                " tables with Iceberg metadata; upgrade clients before this release; leave the type as it is"
                " [DC104 TypeWidened]"
            )
        ]
        assert shown(old, replace(new, columns=[ID, Column("v", "bigint")]), "clients") == []


def test_clients_are_those_of_the_released_contract():
    old, new = table(ID, V), table(ID, Column("v", LONG))

    (text,) = shown(old, new, "clients", clients=["trino>=400", "trino>=460"])
    assert "clients trino>=400 cannot read the table feature typeWidening (columns.v)" in text
    assert text.endswith("upgrade clients before this release; use trino>=450 [DC104 TypeWidened]")
    readers = replace(old, clients=["trino>=460 (read)"])
    assert shown(readers, new, "clients", clients=["trino>=400"]) == []
    (unknown,) = shown(old, table(ID, V, checks=POSITIVE), "clients", clients=["trino>=400"])
    assert (
        "clients may fail, because it is not known whether trino>=400 can use checkConstraints; set client_features"
        in unknown
    )
    known = ClientFeatures([("trino.typeWidening", "390")])
    assert shown(old, new, "clients", clients=["trino>=400"], client_features=known) == []


def test_a_new_table_of_equal_columns_is_named_for_one_that_is_gone():
    new = table(ID, name="dev.silver.sales")

    (text,) = shown(table(ID), None, "readers", new_tables=[new, table(V, name="dev.silver.other")])

    assert text == (
        "dev.silver.orders: breaking: the table: declared -> (absent): readers find no table; upgrade readers before"
        " this release; dev.silver.sales is new and has the same columns [DC142 TableRemoved]"
    )


def test_streams_of_another_version_are_not_judged():
    (text,) = shown(table(ID), table(ID, NOTE), "streams", version=(4, 0))

    assert "streams were recorded on Delta 4.4 and not on Delta 4.0" in text


def test_streams_are_judged_as_the_stream_check_predicts():
    """For the cases whose verdicts on streams are from the stream rules alone."""
    roles: dict[Any, tuple[str, ...]] = {"streams": ("plain", "lagging"), "tracked-streams": ("tracked",)}
    predicted = [
        case
        for case in CASES
        if case.old is not None and case.new is not None and case.new.evolution == "strict"
        if all(CELLS_OF[case.row][role] == "predicted" for role in roles)
    ]
    assert len(predicted) == 78
    for case in predicted:
        findings = judge_change(case.old, case.new, roles=[*roles])
        for role, kinds in roles.items():
            answers = [STREAM_VERDICTS[check_stream(case.old, case.new, kind).answer] for kind in kinds]
            verdict = worst_verdict(finding for finding in findings if finding.role == role)
            assert verdict == max(answers, key=VERDICTS.index), case


def test_any_name_is_judged_and_shown():
    for name in ("a.b", "`", "'", "\x1b[2J", "select", "ä ö", "a\nb", "delta.x"):
        column, nested = Column(name, INT), Column("s", struct(field(name, INT), field("x", INT)))
        for old, new in (
            (table(ID, column), table(ID)),
            (table(ID), table(ID, column)),
            (table(ID, column), table(ID, Column(name, LONG))),
            (table(ID, nested), table(ID, Column("s", struct(field("x", INT))))),
            (table(ID, column), table(ID, column, partitioned_by=[name])),
            (table(ID), table(ID, table_properties={name: name}, tags={name: name})),
            (table(ID, column), table(ID, Column(name, INT, comment=name), unique=[Unique([name])])),
        ):
            findings = judge_change(old, new, roles=ROLES)
            assert findings
            assert all(str(finding).isprintable() for finding in findings)
            assert all("\x1b" not in finding.consent and "\n" not in finding.consent for finding in findings)
            broken = {each.rule for each in findings if (each.role, each.verdict) == ("writers", "breaking")}
            assert broken <= {"ColumnRemoved", "TypeWidened", "PartitioningChanged"}


def test_what_can_never_be_meant_is_refused(reviewed):
    same = table(ID), table(ID)
    case = ReviewedCases(lambda arguments, options: refusal(lambda: judge_change(*arguments, **options)))
    for arguments in ((None, None), (1, None), (table(ID), Table("dev", "silver", "sales", [ID]))):
        case.unnamed(arguments, {})
    for options in (
        *({"roles": ["reader"]}, {"roles": "readers"}, {"unknown": ["owns"]}, {"clients": ["trno"]}),
        {"version": "4.4"},
    ):
        case.unnamed(same, options)
    assert case.text == reviewed


TODAY = date(2026, 6, 30)
DROPPED = "break dev.silver.orders.note"
READERS = CompatibilityPolicy(roles=("readers",))


def note(since, **options):
    return Column("note", TEXT, deprecated=Deprecated(since, **options))


def results(old, new, policy=READERS, *consents, announced=None):
    """Return what each finding means, and why."""
    released = None if old is None else desired_state(old)
    findings = judge_change(old, new, roles=policy.roles)
    decisions = decided(findings, policy, consents=consents, released=released, today=TODAY, announced=announced)
    return [(decision.finding.rule, decision.result, decision.reason) for decision in decisions]


def test_a_drop_is_allowed_by_the_deprecation_of_the_released_contract():
    def dropped(released, min_notice=0, start=None):
        policy = CompatibilityPolicy(roles=("readers",), min_notice=min_notice)
        announced = None if start is None else lambda _: start
        ((rule, *decision),) = results(table(ID, released), table(ID), policy, announced=announced)
        assert rule == "ColumnRemoved"
        return decision

    january, late = date(2026, 1, 31), "its sunset is 2026-07-01, and today is 2026-06-30 (UTC)"
    notice = "it is deprecated since 2026-06-29, which is 1 of {} days of notice"
    with cases(dropped) as case:
        case(NOTE, ["fails", ""])
        case(note(TODAY), ["allowed", "by its deprecation of 2026-06-30"])
        case(note(date(2026, 6, 29)), 2, ["fails", notice.format(2)])
        case(note(date(2026, 6, 28)), 2, ["allowed", "by its deprecation of 2026-06-28"])
        case(note(january, sunset=TODAY), ["allowed", "by its deprecation of 2026-01-31"])
        case(note(january, sunset=date(2026, 7, 1)), ["fails", late])
        short = note(date(2026, 6, 29), sunset=date(2026, 7, 1))
        case(short, 90, ["fails", f"{late}; {notice.format(90)}"])
        case(note(january), 30, date(2026, 5, 31), ["allowed", "by its deprecation of 2026-01-31"])
        released = "it is deprecated since 2026-01-31, and released 2026-06-01, which is 29 of 30 days of notice"
        case(note(january), 30, date(2026, 6, 1), ["fails", released])
        case(note(january), 30, "no tag is known", ["fails", "no tag is known"])


def test_the_row_that_violates_a_check_of_another_contract():
    columns = [Column("id", LONG, is_nullable=False), Column("v", INT)]
    promises = new_promises(desired_state(table(*columns, checks=POSITIVE)))

    with cases(lambda expression: violating_row(expression, promises)) as case:
        case("id > 0", None)
        case("id > 1", {"id": 1})
        case("id > 0 AND v < 5", {"v": None})
        case("v IS NULL OR v < 5", {"v": 5})
        case("abs(id) > 0", None)


def test_a_deprecation_holds_for_what_is_below_it_and_for_no_other_change():
    old = Deprecated(date(2026, 1, 31))
    a, b = field("a", LONG), field("b", LONG)
    with named_cases(results) as case:
        allowed = ("allowed", "by its deprecation of 2026-01-31")
        fields = [table(ID, Column("s", struct(*each), deprecated=old)) for each in ((a, b), (a,))]
        case("a field of it", *fields, [("ColumnRemoved", *allowed)])
        deprecated = table(ID, NOTE, deprecated=old)
        case("a column of the table", deprecated, table(ID), [("ColumnRemoved", *allowed)])
        case("the table", table(ID, deprecated=old), None, [("TableRemoved", *allowed)])
        retyped = table(note(old.since)), table(Column("note", LONG, deprecated=old))
        case("another type", *retyped, [("TypeChanged", "fails", "")])


def test_a_consent_to_break_lets_one_change_through():
    def dropped(consent):
        ((_, *decision),) = results(table(ID, NOTE), table(ID), READERS, consent)
        return decision

    until = Consent("break", "Dev.Silver.Orders.Note", reason="unread", expires=TODAY)
    pattern = Consent("break", "dev.silver.**", is_pattern=True)
    with cases(dropped) as case:
        case(Consent("break", "dev.silver.orders.note"), ["allowed", f"by the consent '{DROPPED}'"])
        case(until, ["allowed", f"by the consent '{DROPPED}' until 2026-06-30 (unread)"])
        case(pattern, ["allowed", "by the consent 'break dev.silver.**'"])
        case(Consent("break", "dev.silver.orders"), ["fails", ""])
        case(Consent("drop-column", "dev.silver.orders.note"), ["fails", ""])


def test_the_policy_says_which_verdict_fails():
    old, new = table(Column("id", LONG, is_nullable=False)), table(ID)
    for fail_on, result in (("breaking", "tolerated"), ("dangerous", "fails"), ("never", "tolerated")):
        policy = CompatibilityPolicy(roles=("readers",), fail_on=fail_on)
        assert results(old, new, policy) == [("NullAllowed", result, "")]


def test_a_role_that_the_policy_leaves_out_fails_nothing():
    findings = judge_change(table(ID, NOTE), table(ID), roles=("readers",))
    other = CompatibilityPolicy(roles=("change-feed",))

    (decision,) = decided(findings, other, consents=(), released=None, today=TODAY)
    assert decision.result == "other role"
    (decision,) = decided(findings, READERS, consents=(), released=None, today=TODAY)
    assert decision.needs_deprecation
    assert decision.part == ("DC101", "columns.note", "columns.note")
    assert decision.change == (*decision.part, "string", "(not in the model)", "breaking", "fails", "")


def test_what_is_not_judged_is_neither_a_failure_nor_tolerated():
    old, new = table(ID, NOTE), table(ID, NOTE, owns={"types": "ignore"})
    findings = judge_change(old, new, roles=("readers",), unknown=("ownership",))
    never = CompatibilityPolicy(roles=("readers",), fail_on="never")

    (decision,) = decided(findings, never, consents=(), released=desired_state(old), today=TODAY)
    assert (decision.finding.rule, decision.result) == ("AspectNotOwned", "not judged")


def test_a_sunset_that_moves_no_nearer_is_no_change():
    first, later = {"sunset": date(2029, 1, 1)}, {"sunset": date(2030, 1, 1)}
    for before, after in ((first, first), (first, later), ({}, first)):
        assert judge_change(*(table(note(date(2026, 1, 31), **options)) for options in (before, after))) == ()
    # It may be withdrawn as well.
    assert judge_change(table(note(date(2026, 1, 31), **first)), table(NOTE)) == ()


def test_what_neither_contract_owns_is_not_judged():
    for mode in ("ignore", "report"):
        owns = {"checks": mode}
        assert judge_change(table(ID, owns=owns), table(ID, owns=owns, checks=POSITIVE), roles=ROLES) == ()


def test_what_leaves_the_contract_is_only_no_longer_promised():
    assert rules(table(ID, V), table(ID, owns={"columns": "ignore"})) == ["AspectNotOwned"]
    assert shown(table(ID), table(ID, read_only=True), "readers")[0].startswith(
        "dev.silver.orders: dangerous: owns: columns, types, defaults, primary_keys, unique, foreign_keys, checks,"
        " comments, properties, layout, tags: manage -> read only: readers have no promise any more; check readers"
    )


def test_what_the_contract_begins_to_own_is_not_judged_if_it_matters():
    old, new = table(ID, owns={"checks": "ignore"}), table(ID, checks=POSITIVE)

    verdicts = {finding.role: finding.verdict for finding in judge_change(old, new)}

    assert verdicts == {"readers": "safe", "streams": "safe", "writers": "not judged", "clients": "not judged"}
    assert "".join(shown(old, new, "writers")) == (
        "dev.silver.orders: not judged: checks.positive: (absent) -> id > 0: writers are not judged, because the released"
        " contract does not manage checks [DC120 CheckAdded]"
    )


def test_what_the_released_state_does_not_hold_is_not_judged_if_it_matters():
    def verdicts(new, *unknown):
        return {finding.verdict for finding in judge_change(table(ID), new, roles=ROLES, unknown=unknown)}

    assert verdicts(table(ID, tags={"a": "b"}), "tags") == {"safe"}
    assert verdicts(table(ID, checks=POSITIVE), "checks") == {"safe", "not judged"}
    assert verdicts(table(ID, evolution="additive"), "evolution") == {"safe", "not judged"}
    assert verdicts(table(ID, owns={"tags": "ignore"}), "ownership") == {"safe", "not judged"}
    assert verdicts(table(ID, owns={"tags": "ignore"}), "evolution") == {"safe", "dangerous"}
    owned = table(ID, owns={"checks": "ignore"})
    assert "not judged" not in {
        finding.verdict
        for finding in judge_change(owned, table(ID, checks=POSITIVE), roles=["writers"], unknown=["ownership"])
    }


def test_the_changes_that_two_contracts_have():
    keyed, renamed_keys = (
        table(ID, V, primary_key=PrimaryKey(["id"], name=first), unique=[Unique(["v"], name=second)])
        for first, second in (("a", "u"), ("b", "w"))
    )
    strict = Column("id", LONG, is_nullable=False)
    plain, relied, relied_too = (
        table(strict, primary_key=PrimaryKey(["id"], name=name, rely=rely))
        for name, rely in (("a", False), ("a", True), ("b", True))
    )
    checked = table(ID, checks=POSITIVE)
    respelled = table(Column("nr", LONG, renamed_from="id"), checks=[Check("positive", "nr > 0")], primary_key=["nr"])
    default = table(ID, Column("v", INT, default=1))
    absent = table(ID, table_properties={"a": None, "b": "1"}, tags={"t": None, "u": "1"})
    with named_cases(rules) as case:
        case("keys of other names", keyed, renamed_keys, [])
        case("a key that is no longer relied on", relied, plain, [])
        case("a key that is relied on under another name", relied, relied_too, [])
        case("a key that is relied on now", plain, relied_too, ["RelyAdded"])
        case("a renamed column", replace(checked, primary_key=["id"]), respelled, ["ColumnRenamed"])
        other = table(ID, checks=[Check("positive", "id > 1")])
        case("a check of the same name", checked, other, ["CheckDropped", "CheckAdded"])
        case("what is declared absent", absent, absent, [])
        additive = [table(*columns, evolution="additive") for columns in ((ID, V), (ID,))]
        case("a column of an additive contract", *additive, ["ColumnRemoved"])
        case("another default", default, table(ID, Column("v", INT, default=2)), ["DefaultChanged"])
        case("no default", default, table(ID, V), ["DefaultChanged"])
        for text, changes in (("for ever", 1), ("interval 1 day", 0), ("interval 30 days", 0), ("interval 31 days", 1)):
            kept = table(ID, table_properties={"delta.logRetentionDuration": text})
            case(f"no retention after {text}", kept, table(ID), ["RetentionShortened"] * changes)
        kept = table(ID, table_properties={"delta.logRetentionDuration": "interval 30 days"})
        case("the usual retention", table(ID), kept, ["PropertyChanged"])
    assert shown(default, table(ID, Column("v", INT, default=2)), "streams", "clients") == []


def test_a_feed_that_ends_is_a_change_for_those_who_read_it():
    gone = table(ID, table_properties=dict.fromkeys(FEED))
    assert rules(table(ID, table_properties=FEED), gone) == ["ChangeFeedDisabled"]
    assert len(shown(table(ID, table_properties=FEED), gone, "change-feed")) == 1
    assert shown(table(ID, V), table(ID), "change-feed") == []
    assert len(shown(table(ID, V, table_properties=FEED), table(ID, table_properties=FEED), "change-feed")) == 1


def test_writes_that_fail_for_what_the_contract_does_not_own_are_not_its_changes():
    old, new = table(ID, V), table(ID, Column("v", "boolean"), Column("w", INT))
    ignored = [replace(model, owns={"types": "ignore"}) for model in (old, new)]

    assert shown(*ignored, "writers") == []
    assert len(shown(old, new, "writers")) == 1
    # Overwrites of partitions that replace the same rows are safe.
    by_v = replace(old, partitioned_by=["v"])
    assert shown(by_v, replace(by_v, columns=[ID, V, Column("w", INT)]), "writers") == []


AB, BA, WIDE_BA = "struct<a: int, b: int>", "struct<b: int, a: int>", "struct<b: bigint, a: int>"


def lost_by_position(before, after):
    """Return the fault of an INSERT by position into a column of another type; ``""`` if there is none."""
    old, new = (desired_state(table(ID, Column("v", kind))) for kind in (before, after))
    writes = [*changed_writes("writers-by-position", StatePair(old, new), (4, 4))]
    assert {write.path.partition(".")[0] for write in writes} <= {"v"}
    return ", ".join({write.fault for write in writes})


def test_an_insert_by_position_keeps_the_values_loses_them_or_is_refused():
    rows = [
        ("varchar(9)", "varchar(8)", "values-that-do-not-fit"),
        ("varchar(9)", "varchar(9)", ""),
        ("varchar(8)", "varchar(9)", ""),
        ("string", "char(5)", "values-that-do-not-fit"),
        ("varchar(5)", "char(5)", "values-are-changed"),
        ("char(5)", "varchar(5)", "values-are-changed"),
        ("char(5)", "string", "values-are-changed"),
        ("struct<a: varchar(9)>", "struct<a: char(8)>", "values-that-do-not-fit"),
        ("array<varchar(9)>", "array<varchar(8)>", "values-that-do-not-fit"),
        ("map<varchar(9), int>", "map<varchar(8), int>", "values-that-do-not-fit"),
        ("map<int, varchar(9)>", "map<int, varchar(8)>", "values-that-do-not-fit"),
        ("array<struct<a: map<int, varchar(9)>>>", "array<struct<a: map<int, varchar(8)>>>", "values-that-do-not-fit"),
        ("tinyint", "varchar(3)", "values-that-do-not-fit"),
        ("tinyint", "varchar(4)", ""),
        ("bigint", "varchar(19)", "values-that-do-not-fit"),
        ("bigint", "varchar(20)", ""),
        ("decimal(5,5)", "varchar(7)", "values-that-do-not-fit"),
        ("decimal(5,5)", "varchar(8)", ""),
        ("decimal(5,0)", "varchar(5)", "values-that-do-not-fit"),
        ("decimal(5,0)", "varchar(6)", ""),
        ("timestamp", "varchar(40)", "values-that-do-not-fit"),
        ("boolean", "varchar(4)", "values-that-do-not-fit"),
        ("double", "float", "values-are-changed"),
        ("float", "double", ""),
        ("int", "float", "values-are-changed"),
        ("smallint", "float", ""),
        ("bigint", "double", "values-are-changed"),
        ("int", "double", ""),
        ("decimal(16,2)", "double", "values-are-changed"),
        ("decimal(15,2)", "double", ""),
        ("decimal(10,2)", "decimal(10,1)", "values-are-changed"),
        ("decimal(10,2)", "decimal(12,2)", ""),
        ("decimal(5,2)", "int", "values-are-changed"),
        ("decimal(5,0)", "int", ""),
        ("int", "boolean", "values-are-changed"),
        ("boolean", "int", ""),
        ("timestamp", "date", "values-are-changed"),
        ("timestamp", "timestamp_ntz", "values-are-changed"),
        ("date", "timestamp", ""),
        ("timestamp", "string", ""),
        ("struct<a: int>", "string", "values-are-changed"),
        (AB, BA, ""),
        (AB, WIDE_BA, "values-in-other-fields"),
        (f"array<{AB}>", f"array<{WIDE_BA}>", "values-in-other-fields"),
        (f"map<int, {AB}>", f"map<int, {WIDE_BA}>", "values-in-other-fields"),
        (f"struct<t: {AB}>", f"struct<t: {WIDE_BA}>", "values-in-other-fields"),
        ("struct<a: int, b: int>", "struct<a: bigint, b: int>", ""),
    ]

    assert_rows(rows, lost_by_position)


def test_a_narrower_column_lets_an_insert_fill_the_fields_of_others_by_position():
    old, new = table(ID, Column("v", AB)), table(Column("id", INT), Column("v", BA))
    for method in ("INSERT BY NAME", "INSERT of columns", "INSERT"):
        writes = changed_writes(
            "writers-by-position" if method == "INSERT" else "writers", comparable(old, new), (4, 4)
        )
        faults = [(write.path, write.fault) for write in writes if write.write.name == method]
        assert faults == [("id", "values-that-do-not-fit"), ("v", "values-in-other-fields")]


TURNED_TEXTS = "struct<t: varchar(9), k: char(4), n: int>", "struct<k: char(4), t: varchar(9)>"


def test_a_text_of_a_frame_has_the_length_of_the_field_at_its_place():
    paths = {"{}": "v.t", "array<{}>": "v.element.t", "map<string, {}>": "v.value.t", "struct<s: {}>": "v.s.t"}
    for wrapped, path in paths.items():
        old, new = (desired_state(table(ID, Column("v", wrapped.format(kind)))) for kind in TURNED_TEXTS)
        longer = desired_state(table(ID, Column("v", wrapped.format(TURNED_TEXTS[0].replace("9", "12")))))

        assert [loss.path for loss in misplaced(old.columns, new.columns)] == [ColumnPath.parse(path)]
        assert [*misplaced(old.columns, longer.columns)] == []


def test_the_change_that_has_a_fault_is_named():
    """By position, a column that is added is the cause of too few columns, whatever else is changed."""
    wide, tagged = table(ID, Column("v", LONG), Column("n", INT)), {"team": "x"}
    (text,) = shown(table(ID, V), replace(wide, table_properties={**tagged, **FEED}), "writers-by-position")
    assert "columns.n: (absent) -> int: writers by position with insertInto" in text
    assert "too-few-columns" in text
    nested = table(ID, Column("v", LONG), Column("s", struct(field("x", INT), field("y", INT))))
    (text,) = shown(table(ID, V, Column("s", struct(field("x", INT)))), nested, "writers-by-position")
    assert "columns.s.y: (absent) -> int" in text
    (text,) = shown(table(ID, V, NOTE), table(ID, NOTE, table_properties=tagged), "writers-by-position")
    assert "columns.v: int -> (not in the model)" in text
    retyped, reordered = shown(
        table(ID, Column("v", "struct<a: string, b: int>")),
        table(Column("id", "string"), Column("v", "struct<b: int, a: string>"), table_properties=tagged),
        "writers",
    )
    assert "columns.id: bigint -> string: writers by save," in retyped
    assert "the order of fields in v: a, b -> b, a: writers by INSERT BY NAME," in reordered


def test_an_insert_with_a_list_of_columns_fills_the_fields_of_others_by_position():
    """As Delta 4.4.0 stores them: arrays and maps as a whole if no column needs a cast, and structs field by field."""

    def moved(before, after=""):
        old, new = (
            table(ID, Column("v", kind.format(fields), is_nullable=False))
            for kind, fields in ((before, AB), (after or before, BA))
        )
        writes = changed_writes("writers", comparable(old, new), (4, 4))
        return [write.path for write in writes if write.write.name == "INSERT of columns"]

    with cases(moved) as case:
        case("{}", ["v"])
        case("struct<s: {}>", ["v.s"])
        case("array<{}>", [])
        case("map<string, {}>", [])
        case("struct<l: array<{}>>", [])
        case("array<array<{}>>", [])
        case("struct<l: array<{}>, n: int>", "struct<l: array<{}>, n: bigint>", ["v.l.element"])


def test_a_change_that_only_orders_fields_of_other_types_refuses_no_other_write():
    old, new = (table(ID, Column("v", kind)) for kind in ("struct<a: string, b: int>", "struct<b: int, a: string>"))

    (text,) = shown(old, replace(new, table_properties={"team": "x"}), "writers", "writers-by-position")
    assert (
        "the order of fields in v: a, b -> b, a: writers by INSERT of columns, INSERT OVERWRITE of columns put" in text
    )


def test_an_empty_text_is_refused_in_a_partition_that_is_not_null():
    def verdict(before, after, *expressions):
        filled, checks = Column("note", TEXT, is_nullable=False), [Check("filled", each) for each in expressions]
        old, new = (table(ID, filled, partitioned_by=columns, checks=checks) for columns in (before, after))
        (finding,) = judge_change(old, new, roles=["writers-by-merge"])
        return finding.verdict

    with cases(verdict) as case:
        case((), ("note",), "breaking")
        case((), ("note",), "note <> ''", "safe")
        case((), ("note",), "note <> 'x'", "breaking")
        case((), ("note",), "note > 'a'", "safe")
        case((), ("note",), "length(note) > 2", "dangerous")
        case((), ("note",), "lower(note) <> 'x'", "dangerous")
        case(("note",), (), "safe")


def test_expressions_of_renamed_columns_compute_as_before():
    old = table(ID, Column("g", LONG, generated_as="id + 1"))
    new = table(Column("nr", LONG, renamed_from="id"), Column("g", LONG, generated_as="nr + 1"))

    assert {write.fault for write in changed_writes("writers-by-position", comparable(old, new), (4, 4))} == set()


def comparable(old, new):
    return StatePair(desired_state(old), desired_state(new))


def test_what_is_refused_counts_more_than_what_is_changed():
    old = table(ID, Column("v", "struct<a: int, b: double>"))
    new = table(ID, Column("v", "struct<a: tinyint, b: float>"))

    findings = judge_change(old, new, roles=["writers-by-merge"])

    assert [(finding.path, finding.verdict) for finding in findings] == [
        ("columns.v.a", "breaking"),
        ("columns.v.b", "dangerous"),
    ]
    both = comparable(old, new)
    (effect,) = writer_effects("writers-by-merge", contract_changes(*both)[1][:1], both, (4, 4)).values()
    assert effect.reason("writers-by-merge") == (
        "with UPDATE SET *, INSERT * are refused where a value does not fit [values-that-do-not-fit]"
    )


def test_a_version_that_names_features_is_for_clients_that_know_one_of_them():
    """Trino knows deletion vectors from 427 on, so it reads such a protocol; of Athena nothing is known."""
    named = {"delta.minReaderVersion": "3"}

    assert shown(table(ID, clients=["trino>=430"]), table(ID, table_properties=named), "clients") == []
    (text,) = shown(table(ID, clients=["athena", "trino>=430"]), table(ID, table_properties=named), "clients")
    assert "it is not known whether athena can use delta.minreaderversion" in text
    older = {"delta.minReaderVersion": "2"}
    (text,) = shown(table(ID, clients=["power-bi", "athena"]), table(ID, table_properties=older), "clients")
    assert "it is not known whether athena can use columnMapping" in text
    assert shown(table(ID), table(ID, table_properties={"delta.minReaderVersion": "new"}), "clients") == []
