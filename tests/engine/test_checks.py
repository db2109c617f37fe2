"""What a run names and no plan shows: consents, protected names, and tables that no model declares."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from pyspark.sql.types import LongType, StructField, StructType

from pytest_delta_schema import MemoryCatalog, Orchestrator, QualifiedName, Settings
from pytest_delta_schema.delta.names import ColumnPath
from pytest_delta_schema.engine import Gate
from pytest_delta_schema.engine.checks import (
    audited_breaks,
    check_schema,
    unmatched_columns,
    unmatched_consents,
    unmatched_protection,
    unused_consents,
    used_consents,
)
from pytest_delta_schema.engine.declarations import Declarations
from pytest_delta_schema.rules import Consent
from pytest_delta_schema.rules.consent import NeededConsent, parse_consent
from pytest_delta_schema.rules.policy import part_word
from pytest_delta_schema.state import StructState
from support.models import NAME, column, state, stored, table
from support.snapshots import TextSnapshot

ORDERS = QualifiedName("dev", "silver", "orders")
DOTTED = QualifiedName("dev", "silver", "orders.x")
PATHS = {
    ORDERS: frozenset({ColumnPath("id"), ColumnPath("Note"), ColumnPath("a"), ColumnPath("a", "b"), ColumnPath("a.b"),
                       ColumnPath("q.r"), ColumnPath("x"), ColumnPath(part_word("checks"), "Positive"),
                       ColumnPath(part_word("table"))}),
    DOTTED: frozenset({ColumnPath("y")}),
    QualifiedName("dev", "Gold", "SUMS"): frozenset({ColumnPath(part_word("layout"))}),
}  # fmt: skip


def entry(path: str) -> Consent:
    return Consent("break", path, is_pattern=True, reason="DATA-412", expires=date(2030, 12, 31))


NAMED = [
    *("DEV.silver.ORDERS.note", "dev.silver.orders.a.`b`", "dev.silver.`orders.x`.y", "dev.gold.sums.layout"),
    *("dev.silver.orders.table", "dev.silver.orders.checks.positive"),
    "dev.silver.orders.properties.delta.appendOnly",
]
UNNAMED = [
    *("dev.silver.orders.checks.positve", "dev.silver.ordrs", "dev.silver.ordrs.note", "dev.silver.orders.nota"),
    *("`\u202e`.\u4e00.\u4e8c.c", "dev.silver.orders.id.x", "dev.silver.orders.q.r"),
]
CHANGES = [
    ("dev.silver.orders", []),
    ("dev.silver.ORDERS", [("note",), (part_word("checks"), "Positive")]),
    ("dev.gold.sums", [(part_word("table"),)]),
    ("dev.silver.orders.x", []),
    ("dev.gold.*", [(part_word("layout"),)]),
]
"""Paths that name whole tables, and what the change of the table needs."""


def audits():
    """Yield the consents of a run, its contracts, and what its changes need."""
    for path in NAMED + UNNAMED:
        yield [parse_consent(f"break {path}")], PATHS, []
    for path, needs in CHANGES:
        contracts = {name: parts for name, parts in PATHS.items() if name != ORDERS or not path.endswith(".x")}
        yield [entry(path) if "*" in path else parse_consent(f"break {path}")], contracts, needs
    ambiguous = PATHS | {ORDERS: PATHS[ORDERS] | {ColumnPath("x", "y")}}
    yield [parse_consent("break dev.silver.orders.a.b"), entry("dev.silver.orders.x.y")], ambiguous, []
    yield [parse_consent("break dev.silver.orders.note"), entry("dev.silver.orders.note")], PATHS, []
    yield [entry("dev.silver.orders.note2"), entry("prod.**"), entry("dev.silver.orders.zzzzz")], PATHS, []
    yield [parse_consent("rewrite prod.silver.none")], PATHS, []


def test_consents_that_let_nothing_through(snapshot):
    lines = []
    for consents, contracts, needs in audits():

        def needed(name, needs=needs):
            return [NeededConsent(action="break", table=name, path=ColumnPath(*path)) for path in needs]

        faults, notes = audited_breaks(consents, contracts, needed)
        lines.append(f"==== {', '.join(map(str, consents))}")
        lines += [*(f"fault: {fault}" for fault in faults), *(f"note: {note}" for note in notes)]

    assert "\n".join([*lines, ""]) == snapshot(extension_class=TextSnapshot)


MAPPED = {"table_properties": {"delta.columnMapping.mode": "name"}}
HOLDS_Y = column("x", StructType([StructField("y", LongType())]))
XY = "drop-column dev.silver.orders.x.y"
COLLECTED = "names no table of this run; collected are dev.silver.`orders.x`, dev.silver.orders"
NAMES = [
    # columns of the model and of its dotted neighbour, the consent, and what is wrong with it
    (
        ([], []),
        XY,
        (
            "is ambiguous and permits nothing: write 'drop-column dev.silver.orders.`x`.`y`' or"
            " 'drop-column dev.silver.`orders.x`.y'"
        ),
    ),
    (([HOLDS_Y], []), XY, "names no table of this run; there is 'drop-column dev.silver.`orders.x`.y'"),
    (([HOLDS_Y], [column("y")]), XY, "names a column that the model declares; remove it from the model"),
    (([], []), "drop-column dev.silver.order.x.y", COLLECTED),
    (([], []), "rewrite dev.silver.`orders.y`", COLLECTED),
    (([], []), "drop-column dev.silver.orders.legacy", None),
]


def matching(*consents, **options):
    """Return settings with consents of the command line."""
    read = tuple(map(parse_consent, consents))
    return Settings(consents=read, must_match=read, **options)


def test_a_consent_names_one_table_of_the_run_and_no_declared_column():
    for (columns, others), consent, fault in NAMES:
        models = [table(column(), *columns, **MAPPED), replace(table(column(), *others), table_name="orders.x")]
        declarations = Declarations(matching(consent), {model.name: model for model in models})

        faults = unmatched_consents(declarations)

        assert faults == ([f"consent '{consent}' {fault}"] if fault else []), (columns, others, consent)


DOTTED_COLUMN = stored("a.b")
STRUCT = stored("a", StructState((stored("b"), stored("c"))))
NEVER = "names no column of dev.silver.orders, and none of its older versions has one; fix or remove it"
COLUMNS = [
    # columns that are stored, the consent to a drop, the fault, and the note
    ([stored("legacy")], "legacy", "", ""),
    ([stored("legacy")], "legcy", NEVER, ""),
    ([], "LEGACY", "", "names no column of dev.silver.orders any more, because it was used before; remove it"),
    (
        [STRUCT, DOTTED_COLUMN],
        "a.b",
        (
            "is ambiguous and permits nothing: write 'drop-column dev.silver.orders.`a`.`b`' or"
            " 'drop-column dev.silver.orders.`a.b`'"
        ),
        "",
    ),
    ([DOTTED_COLUMN], "a.b", f"{NEVER}; there is 'drop-column dev.silver.orders.`a.b`'", ""),
]
BOUND = {"bindings": ((("dev",), ("ci",)),)}
THERE = NAME._replace(catalog="ci")


def before_and_after_a_drop(columns):
    """Return a catalog of a bound table in which the column ``legacy`` was dropped if it is not stored."""
    catalog = MemoryCatalog([state(stored(), *(columns or [stored("legacy")]), name=THERE, **MAPPED)])
    if not columns:
        drop = matching("drop-column dev.silver.orders.legacy", **BOUND)
        Orchestrator.over(catalog, settings=drop).sync_tables([table(column(), **MAPPED)])
    return catalog


def test_a_consent_names_a_column_that_the_table_has_or_had():
    model = table(column(), **MAPPED)
    for columns, path, fault, note in COLUMNS:
        consent = f"drop-column dev.silver.orders.{path.lower()}"
        gate = Gate(before_and_after_a_drop(columns), [model], settings=matching(consent, **BOUND))

        expected = [[f"consent '{consent}' {text}"] if text else [] for text in (fault, note)]
        assert [*unmatched_columns(gate)] == expected, (columns, path)


def test_used_and_unused_are_known_if_all_tables_were_read():
    models = [table(column(), name=f"dev.silver.{name}", **MAPPED) for name in ("orders", "lines")]
    paths = ["dev.silver.*.LEGACY", "dev.silver.*.gone", "dev.silver.orders.legacy"]
    used, unused, first = (
        Consent("drop-column", path, is_pattern=True, reason="r", expires=date(2999, 1, 1)) for path in paths
    )
    catalog = MemoryCatalog([state(stored(), stored("legacy"), name=model.name, **MAPPED) for model in models])
    settings = Settings(consents=(used, unused, first), project_consents=(used, unused, first))
    declarations = Declarations(settings, {model.name: model for model in models})
    gates = {names: Gate(catalog, models[:names], declarations=declarations) for names in (1, 2)}

    assert unused_consents(gates[2]) is None  # nothing was read yet
    assert used_consents(gates[2]) == [used, first]
    assert unused_consents(gates[2]) == [unused]
    gates[1].state()
    assert unused_consents(gates[1]) is None  # a part of the tables


def test_a_protected_pattern_matches_the_table_in_the_catalog_in_any_case():
    model = replace(table(column()), table_name="o[1]")
    matched = ("ci.silver.o[1]", "CI.silver.O[[]1]", "ci.silver.o?1?", "*[[]*")

    faults = unmatched_protection(Declarations(Settings(protected=(*matched, "dev.*"), **BOUND), {model.name: model}))

    assert faults == ["the pattern dev.* of the setting protected matches no table of this run; fix or remove it"]


def test_tables_of_a_schema_that_no_model_declares():
    models = [table(column(), name=f"dev.silver.{name}") for name in ("orders", "lines")]
    names = [NAME._replace(table=name) for name in ("orders", "lines", "stray", "tmp_1")]
    names += [NAME._replace(catalog="ci", table=name) for name in ("orders", "lines", "theirs")]
    catalog = MemoryCatalog([state(stored(), name=name) for name in names])
    headlines = {}
    for bindings in ((), BOUND["bindings"]):
        gate = Gate(catalog, models, settings=Settings(bindings=bindings))
        for fails in (True, False):
            how = {"ignored": ["*.TMP_*", "prod.*"], "fails": fails, "origin": models[0].origin}
            outcome = check_schema(("dev", "silver"), gate, **how)
            (part,) = (*outcome.diagnostics, *outcome.notes)
            headlines[bool(bindings), fails] = outcome.status.value, part.severity, part.message

    assert headlines == {
        (bound, fails): (
            "drifted" if fails else "in sync",
            "error" if fails else "note",
            f"holds 1 table that no model declares: {'ci.silver.theirs' if bound else 'dev.silver.stray'}",
        )
        for bound in (False, True)
        for fails in (True, False)
    }
