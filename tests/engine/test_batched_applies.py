"""The missing tables of several applies are created with the first of them; each apply returns what it would alone."""

from __future__ import annotations

import signal
import threading

import pytest

from pytest_delta_schema import ForeignKey, Parquet, Table
from pytest_delta_schema.diagnostics.errors import BackendUnavailableError, StatementError
from pytest_delta_schema.engine.apply_progress import ApplyProgress
from pytest_delta_schema.engine.gate import BatchedApplies, Gate
from pytest_delta_schema.execute.protocols import Capabilities, Refusal
from pytest_delta_schema.sql import StatementKind
from pytest_delta_schema.state import KeyState
from support.recording_catalog import Recording
from support.runs.concurrent import Concurrent
from support.tables import NAME, column, state, stored, table

PATIENCE = 60
CREATE, SCHEMA, KEY = StatementKind.CREATE_TABLE, StatementKind.CREATE_SCHEMA, StatementKind.ADD_PRIMARY_KEY


def model(name, *parents, **options):
    keys = [ForeignKey(["id"], f"dev.{parent}") for parent in parents]
    id_ = column(is_nullable=False)
    return table(id_, name=f"dev.{name}", primary_key=["id"], foreign_keys=keys, **options)


def existing(name, key="id", **options):
    schema, _, name = name.partition(".")
    primary_key = KeyState(f"pk_dev_{schema}_{name}__id", (key,))
    there = NAME._replace(schema=schema, table=name)
    return state(stored(key, is_nullable=False), name=there, primary_key=primary_key, **options)


FAMILY = [
    model("silver.a"),
    model("silver.b"),
    model("gold.c", "silver.a"),
    model("gold.d", "silver.b"),
    model("gold.e", "gold.d"),
    model("gold.f", "gold.f"),
]
CIRCLE = [model("silver.left", "silver.right"), model("silver.right", "silver.left"), model("silver.z", "silver.left")]
FILES = [Table("dev", "silver", "files", [column()], convert_from=Parquet("/data"))]


def applied(catalog, models, *, jointly):
    """Apply models one by one, and return the outcomes, and those that were given before their turn."""
    gate, progress, created = Gate(catalog, models), ApplyProgress(), {}
    models = sorted(models, key=gate.declarations.apply_rank)
    joint = BatchedApplies(gate, models, progress, lambda table, outcome: created.update({table.name: outcome}))
    outcomes = {model.name: joint.apply(model) if jointly else gate.apply(model, progress=progress) for model in models}
    return outcomes, created


CASES = {
    "all are new": (FAMILY, [], []),
    "one fails": (FAMILY, [], [(CREATE, "b")]),
    "one fails midway": (FAMILY, [], [(KEY, "b")]),
    "the first one in a schema fails": (FAMILY, [], [(CREATE, "a"), (KEY, "f")]),
    "no schema can be created": (FAMILY, [], [SCHEMA]),
    "a schema can be created later": (FAMILY, [], [(SCHEMA, "a"), (SCHEMA, "f")]),
    "a parent is aligned first": (FAMILY, [existing("silver.b", table_comment="Old")], []),
    "a parent gets another key first": (FAMILY, [existing("silver.b", "old")], []),
    "a parent cannot be aligned": (FAMILY, [existing("silver.b", table_comment="Old")], [StatementKind.COMMENT_TABLE]),
    "a parent is in sync": (FAMILY, [existing("silver.b")], []),
    "a parent breaks a rule": (
        [*FAMILY[2:], model("silver.a"), model("silver.b", table_properties={"delta.x": ""})],
        [],
        [],
    ),
    "a parent is nowhere": (FAMILY[1:], [], []),
    "a circle": (CIRCLE, [], []),
    "half a circle": (CIRCLE, [existing("silver.left")], []),
    "a conversion": ([*FAMILY, *FILES], [], []),
    "nothing is new": (FAMILY[:1], [existing("silver.a")], []),
}


@pytest.mark.parametrize("kind", [Recording, Concurrent])
@pytest.mark.parametrize("case", CASES)
def test_each_outcome_is_that_of_an_apply_of_its_own(case, kind):
    models, there, fail = CASES[case]
    catalogs = [Recording(there, fail=fail), kind(there, fail=fail)]

    alone, _ = applied(catalogs[0], models, jointly=False)
    jointly, created = applied(catalogs[1], models, jointly=True)

    assert jointly == alone
    assert {name: jointly[name] for name in created} == created
    assert catalogs[0].snapshot(models) == catalogs[1].snapshot(models)
    assert sorted(catalogs[0].story) == sorted(catalogs[1].story)


def test_the_first_missing_table_brings_all_others_along():
    catalog = Recording([existing("silver.a", table_comment="Old")])
    gate, created = Gate(catalog, FAMILY), []
    joint = BatchedApplies(
        gate, FAMILY, ApplyProgress(), lambda table, outcome: created.append((table, outcome.status))
    )

    joint.apply(FAMILY[0])
    assert catalog.story == ["a: comment on table"]
    joint.apply(FAMILY[1])

    assert [line for line in catalog.story if "create" in line] == [
        "b: create table",
        "c: create schema",
        "c: create table",
        "d: create table",
        "e: create table",
        "f: create table",
    ]
    assert [str(table.name.table) for table, _ in created] == ["c", "d", "e", "f"]
    assert {status.value for _, status in created} == {"applied"}


def test_tables_are_created_and_read_together():
    barrier, reads = threading.Barrier(2, timeout=PATIENCE), []

    class Reading(Concurrent):
        def snapshot(self, models):
            models = list(models)
            reads.append(len(models))
            return super().snapshot(models)

    catalog = Reading(
        [existing("silver.there")], threads=2, before=lambda statement: statement.kind is KEY and barrier.wait()
    )
    models = [model(f"silver.{name}") for name in "abcd"]

    applied(catalog, models, jointly=True)

    assert reads == [4, 4, 4]


def test_a_table_that_somebody_has_created_meanwhile_is_left_to_its_own_apply():
    class Moving(Recording):
        def snapshot(self, models):
            state = super().snapshot(models)
            self._tables.setdefault(FAMILY[1].name, existing("silver.b"))
            return state

    outcomes, created = applied(Moving(), FAMILY[:2], jointly=True)

    assert [outcome.status.value for outcome in outcomes.values()] == ["applied", "in sync"]
    assert created == {}


def test_a_catalog_that_cannot_be_read_any_more_fails_each_table_in_its_turn():
    class Lost(Recording):
        reads = 0

        def snapshot(self, models):
            self.reads += 1
            if self.reads > 1:
                raise BackendUnavailableError("no route")
            return super().snapshot(models)

    catalog = Lost()

    outcomes, created = applied(catalog, FAMILY[:2], jointly=True)

    assert [(outcome.status.value, outcome.failure) for outcome in outcomes.values()] == [("failed", "no route")] * 2
    assert created == {}
    assert catalog.story == []


@pytest.mark.parametrize("jointly", [True, False])
def test_tables_that_cannot_be_read_back_have_failed_and_their_statements_have_run(jointly):
    class Lost(Recording):
        def snapshot(self, models):
            if self.ran:
                raise StatementError("no route")
            return super().snapshot(models)

    outcomes, created = applied(Lost(), FAMILY[:2], jointly=jointly)

    first, second = outcomes.values()
    unproved = ": all {} statements ran, and then the table could not be read back: no route"
    assert (first.status.value, second.status.value) == ("failed", "failed")
    assert first.failure.splitlines()[0] == f"dev.silver.a{unproved.format(3)}"
    assert second.failure.splitlines()[0] == (f"dev.silver.b{unproved.format(2)}" if jointly else "no route")
    assert "to restore:  the table was new: DROP TABLE IF EXISTS `dev`.`silver`.`a`\n" in first.failure
    assert first.diagnostics[0].code == "DS604"
    assert [outcome.status.value for outcome in created.values()] == ["failed"] * jointly
    ran = [[statement.has_run for statement in outcome.statements] for outcome in outcomes.values()]
    assert ran == [[True] * 3, [False, jointly, jointly]]  # the first one has created the schema


def test_what_an_apply_has_left_is_a_failure_of_its_table_alone():
    outcomes, _ = applied(
        Recording(ignore=[KEY]), [model("silver.a"), table(column(), name="dev.silver.b")], jointly=True
    )

    assert [outcome.status.value for outcome in outcomes.values()] == ["failed", "applied"]
    assert "after the apply the catalog still differs" in outcomes[FAMILY[0].name].failure


def test_a_statement_that_the_backend_refuses_blocks_its_table_alone():
    class Refusing(Recording):
        capabilities = Capabilities(
            refuses=lambda statement: Refusal("it is full", "make room") if statement.table.table == "b" else None
        )

    outcomes, _ = applied(Refusing(), [model("silver.a"), model("silver.b"), model("gold.d", "silver.b")], jointly=True)

    assert [outcome.status.value for outcome in outcomes.values()] == ["applied", "blocked", "blocked"]
    assert [diagnostic.code for outcome in outcomes.values() for diagnostic in outcome.diagnostics] == [
        "DS218",
        "DS218",
        "DS209",
    ]


def test_a_plan_that_a_rule_refuses_is_reported_with_the_batch():
    """It is read once for the run, and once for the batch; its children wait for their own apply."""
    reads = []

    class Reading(Recording):
        def snapshot(self, models):
            models = list(models)
            reads.append([model.table_name for model in models])
            return super().snapshot(models)

    models = [model("silver.a"), model("silver.b", "silver.nowhere"), model("gold.c", "silver.b")]

    outcomes, created = applied(Reading(), models, jointly=True)

    assert [outcome.status.value for outcome in outcomes.values()] == ["applied", "blocked", "blocked"]
    assert [outcome.status.value for outcome in created.values()] == ["blocked"]
    assert {fault.code for outcome in created.values() for fault in outcome.diagnostics} == {"DS209"}
    assert [names.count("b") for names in reads] == [1, 1, 0, 0]


def test_parents_are_applied_first_and_each_once():
    catalog, created = Recording([existing("silver.b", table_comment="Old")]), []
    gate = Gate(catalog, models=[*FAMILY, *CIRCLE])
    batched = BatchedApplies(gate, (), ApplyProgress(), lambda table, _: created.append(table.table_name))

    outcomes = [batched.apply_with_parents(declared) for declared in (FAMILY[4], FAMILY[1], FAMILY[3])]

    assert [outcome.status.value for outcome in outcomes] == ["applied"] * 3
    assert [line for line in catalog.story if "create table" in line or "comment" in line] == [
        "b: comment on table",
        "d: create table",
        "e: create table",
    ]
    statements = [[statement.kind for statement in outcome.statements] for outcome in outcomes]
    assert statements[0] == ["create table", "add primary key", "add foreign key"]
    assert statements[1] == ["comment on table"]


def test_a_circle_is_applied_with_the_table_that_is_asked_for():
    catalog = Recording()
    batched = BatchedApplies(Gate(catalog, CIRCLE), (), ApplyProgress(), lambda *_: None)

    outcomes = [batched.apply_with_parents(declared) for declared in (CIRCLE[1], CIRCLE[2], CIRCLE[0])]

    assert [outcome.status.value for outcome in outcomes] == ["applied", "applied", "in sync"]
    assert [len(outcome.statements) for outcome in outcomes] == [8, 3, 0]


def interrupted(catalog, models):
    gate, progress = Gate(catalog, models), ApplyProgress()
    joint = BatchedApplies(gate, models, progress, lambda *_: None)
    with pytest.raises(KeyboardInterrupt):
        joint.apply(models[0])
    return progress


def test_an_interruption_reports_the_tables_that_were_begun():
    is_stopped = threading.Event()

    def before(statement):
        if statement.table.table == "b":
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
            assert is_stopped.wait(PATIENCE)
            raise StatementError("cancelled")

    catalog = Concurrent(threads=2, before=before, stop=is_stopped.set, fail=[(KEY, "a")])

    progress = interrupted(catalog, [model(f"silver.{name}") for name in "abcd"])

    failed, *texts = progress.texts()
    assert failed.startswith("dev.silver.a: statement 3 of 3 failed: the disk is full\n")
    assert sorted(text.partition("\n")[0] for text in texts if "silver.b" in text) == [
        "dev.silver.b: interrupted in statement 1 of 2"
    ]
    assert "dev.silver.d" not in progress.reached()


def test_an_interruption_while_the_tables_are_read_back():
    class Proving(Recording):
        def snapshot(self, models):
            if self.ran:
                raise KeyboardInterrupt
            return super().snapshot(models)

    progress = interrupted(Proving(fail=[(KEY, "b")]), [model(f"silver.{name}") for name in "ab"])

    assert [text.partition("\n")[0] for text in progress.texts()] == [
        "dev.silver.b: statement 2 of 2 failed: the disk is full",
        "dev.silver.a: interrupted after all 3 statements, before the table was read back",
    ]
    assert progress.reached() == {"dev.silver.a"}
