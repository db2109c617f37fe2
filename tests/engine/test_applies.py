"""Applies at the same time: one creates a table and the others wait; the tables of one apply are created together."""

from __future__ import annotations

import itertools
import signal
import threading

import pytest

from pytest_delta_schema import ApplyError, ForeignKey, MemoryCatalog, Orchestrator, Parquet, Table
from pytest_delta_schema.diagnostics.errors import (
    BackendUnavailableError,
    CatalogReadError,
    ConvergenceError,
    StatementError,
    UnfinishedCreationError,
    diagnostic_of,
)
from pytest_delta_schema.diagnostics.faults import UnreadableTable
from pytest_delta_schema.engine import Gate
from pytest_delta_schema.engine.apply_progress import ApplyProgress
from pytest_delta_schema.engine.gate import BatchedApplies
from pytest_delta_schema.engine.outcomes import Status
from pytest_delta_schema.execute import ApplyInterrupted, Capabilities, Refusal, concurrency
from pytest_delta_schema.sql import StatementKind, statements
from pytest_delta_schema.state import CatalogState, KeyState
from support.catalogs import Concurrent, Recording
from support.models import NAME, column, state, stored, table

CREATE, KEY, SCHEMA = StatementKind.CREATE_TABLE, StatementKind.ADD_PRIMARY_KEY, StatementKind.CREATE_SCHEMA
NEVER = 10**9
REFUSED = ["orders: create schema", "orders: create table"]
"""What an apply has tried, of which the second statement was refused."""
NOTE = "already there: another apply created it meanwhile"


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch):
    monkeypatch.setattr(concurrency, "PAUSE", 0)
    monkeypatch.setattr(concurrency, "_LOOKS", (0, 0, 0))


def model(name="orders", parent="", **options):
    """A table with a primary key, and a foreign key to itself or to a parent."""
    key = ForeignKey(["id"], f"dev.silver.{parent or name}")
    return table(
        column(is_nullable=False),
        name=f"dev.silver.{name}",
        primary_key=["id"],
        foreign_keys=[key],
        **options,
    )


class Rival(Recording):
    """A catalog in which another apply begins to create tables just before this one, and completes them later.

    Args:
        models: What the other apply creates.
        first: How many statements of a table it runs before this apply creates the table.
        completed: The number of reads after that until it runs the others.
    """

    def __init__(self, *models, first=1, completed=0, **options):
        super().__init__(**options)
        self.by_other, self.others = [], {}
        plan = Orchestrator.over(Recording()).plan_tables(models)
        for action in plan.actions:
            self.others[action.table] = [item for item in statements(action) if item.kind is not SCHEMA]
        self.first, self.completed, self.reads = first, completed, 0

    def _continue(self, name, number):
        others = self.others.get(name, [])
        for statement in others[:number]:
            self.by_other.append(f"{name.table}: {statement.kind.value}")
            MemoryCatalog.run(self, statement)
        del others[:number]

    def run(self, statement):
        if statement.kind is CREATE:
            self._continue(statement.table, self.first)
        super().run(statement)

    def snapshot(self, models):
        if self.by_other:
            self.reads += 1
            if self.reads > self.completed:
                for name in list(self.others):
                    self._continue(name, NEVER)
        return super().snapshot(models)


class RivalOfSeveral(Rival, Concurrent):
    """Creates several tables at once."""


def test_what_another_apply_creates_is_left_to_it():
    for first, completed in itertools.product([1, 2, 3], [0, 1, 3]):
        catalog = Rival(model(), first=first, completed=completed)

        result = Orchestrator.over(catalog).sync_tables([model()])

        assert catalog.story == REFUSED
        assert catalog.by_other == ["orders: create table", "orders: add primary key", "orders: add foreign key"]
        assert catalog.reads == (1 if first == 3 else completed + 1)
        assert [statement.kind for statement in result.statements] == [SCHEMA]
        assert (result.plan.is_empty, result.already_there) == (True, frozenset({NAME}))


def test_the_outcome_says_that_another_apply_created_the_table():
    catalog = Rival(model(), completed=2)

    outcome = Gate(catalog, [model()]).apply(model())

    assert (outcome.status, outcome.changes, outcome.restore_sql) == (Status.IN_SYNC, (), "")
    assert [(note.code, note.message) for note in outcome.notes] == [("DS713", NOTE)]
    assert [(statement.kind, statement.has_run) for statement in outcome.statements] == [("create schema", True)]


def test_the_wait_is_announced_with_its_limit(caplog):
    caplog.set_level("INFO", "pytest_delta_schema")

    Orchestrator.over(Rival(model(), completed=2)).sync_tables([model()])

    text = "waiting for another apply, which is creating dev.silver.orders, for at most 60 s"
    assert caplog.messages == [text, f"{text}: done after 0 s"]


UNFINISHED = (
    "dev.silver.orders: another apply created it meanwhile, and after 0 s it differs from its model: + primary_key:"
    " (absent) -> pk_dev_silver_orders__id (id); + foreign_keys.fk_dev_silver_orders__id: (absent) -> (id) references"
    " dev.silver.orders; the other apply has failed, takes longer, or has another model; apply again when the other"
    " one has ended [DS605 UnfinishedCreation]"
)


def test_a_table_that_another_apply_does_not_complete_fails_and_the_next_apply_continues(monkeypatch):
    monkeypatch.setattr(concurrency, "COMPLETION_SECONDS", 0)
    catalog = Rival(model(), completed=NEVER)

    with pytest.raises(UnfinishedCreationError) as caught:
        Orchestrator.over(catalog).sync_tables([model()])

    assert str(caught.value) == UNFINISHED
    assert catalog.story == REFUSED
    Orchestrator.over(catalog).sync_tables([model()])
    assert catalog.story[2:] == ["orders: add primary key", "orders: add foreign key"]


@pytest.mark.parametrize("jointly", [False, True])
def test_the_outcome_of_a_table_that_is_not_completed(jointly, monkeypatch):
    monkeypatch.setattr(concurrency, "COMPLETION_SECONDS", 0)
    catalog = Rival(model(), completed=NEVER)
    gate = Gate(catalog, models=[model()])
    joint = BatchedApplies(gate, [model()], ApplyProgress(), lambda *_: None)

    outcome = joint.apply(model()) if jointly else gate.apply(model())

    assert outcome.status is Status.FAILED
    assert list(map(str, outcome.diagnostics)) == [UNFINISHED]
    assert [statement.kind for statement in outcome.statements if statement.has_run] == ["create schema"]


@pytest.mark.parametrize("kind", [Rival, RivalOfSeveral])
def test_tables_that_reference_one_of_another_apply_wait_for_their_turn(kind):
    """The child needs the key of its parent, which the other apply adds."""
    models = [model("a"), model("b", "a"), model("c")]
    catalog = kind(models[0], completed=2)
    gate, progress = Gate(catalog, models), ApplyProgress()
    joint = BatchedApplies(gate, models, progress, lambda *_: None)

    outcomes = {declared.table_name: joint.apply(declared) for declared in models}

    assert {name: outcome.status.value for name, outcome in outcomes.items()} == {
        "a": "in sync",
        "b": "applied",
        "c": "applied",
    }
    assert [note.message for note in outcomes["a"].notes] == [NOTE]
    assert sorted(catalog.story) == [
        "a: create schema",
        "a: create table",
        "b: add foreign key",
        "b: add primary key",
        "b: create table",
        "c: add foreign key",
        "c: add primary key",
        "c: create table",
    ]
    assert catalog.by_other == ["a: create table", "a: add primary key", "a: add foreign key"]
    assert Orchestrator.over(catalog).plan_tables(models).is_empty


@pytest.mark.parametrize("kind", [Rival, RivalOfSeveral])
def test_half_of_a_circle_may_be_of_another_apply(kind):
    circle = [model("left", "right"), model("right", "left")]
    catalog = kind(circle[0], completed=1)

    result = Orchestrator.over(catalog).sync_tables(circle)

    assert sorted(catalog.story) == [
        "left: create schema",
        "left: create table",
        "right: add foreign key",
        "right: add primary key",
        "right: create schema",
        "right: create table",
    ]
    assert [action.table.table for action in result.plan.actions] == ["right"]
    assert {name.table for name in result.already_there} == {"left"}


def test_a_table_of_its_own_that_does_not_converge_is_not_waited_for():
    models = [model("a"), model("b")]
    catalog = Rival(models[0], completed=NEVER, ignore=[KEY])

    with pytest.raises(ConvergenceError) as caught:
        Orchestrator.over(catalog).sync_tables(models)

    assert str(caught.value).splitlines()[1:] == ["  dev.silver.b: + primary_key: (absent) -> pk_dev_silver_b__id (id)"]


CONDITIONS = [
    "TABLE_OR_VIEW_ALREADY_EXISTS",
    "TABLE_ALREADY_EXISTS",
    "DELTA_TABLE_ALREADY_EXISTS",
    "DELTA_CREATE_TABLE_WITH_NON_EMPTY_LOCATION",
    "DELTA_PROTOCOL_CHANGED",
    "DELTA_METADATA_CHANGED",
]


class Refusing(Recording):
    """Refuses to create a table, which another apply has created, and shows that table after some looks.

    Args:
        condition: The condition of the refusal.
        looks: The number of looks without the table.
        failure: Raised by each look.
    """

    def __init__(self, condition, looks, failure=None):
        super().__init__()
        self.condition, self.looks, self.failure = condition, itertools.count(-looks), failure

    def run(self, statement):
        super().run(statement)
        if statement.kind is CREATE:
            raise StatementError("the table is being created", condition=self.condition)

    def version(self, name):
        if self.failure is not None:
            raise self.failure
        return super().version(name) if next(self.looks) >= 0 else super().version(NAME._replace(table="nowhere"))


@pytest.mark.parametrize("looks", [0, 2])
def test_each_way_in_which_a_catalog_refuses_a_second_creation(looks):
    results = [Orchestrator.over(Refusing(condition, looks)).sync_tables([table(column())]) for condition in CONDITIONS]

    assert [result.already_there for result in results] == [{NAME}] * len(CONDITIONS)


def test_a_table_that_cannot_be_looked_for_is_read_back():
    catalog = Refusing(CONDITIONS[0], 0, StatementError("no route"))

    assert Orchestrator.over(catalog).sync_tables([table(column())]).already_there == {NAME}


@pytest.mark.parametrize(("condition", "looks"), [(CONDITIONS[3], 3), ("DISK", 0)])
def test_every_other_refusal_is_a_failure(condition, looks):
    with pytest.raises(ApplyError, match="statement 2 of 2 failed: the table is being created"):
        Orchestrator.over(Refusing(condition, looks)).sync_tables([table(column())])


class Broken(Rival):
    """Cannot be read back, or is interrupted then.

    Args:
        error: What a read raises; ``None`` if the table is unreadable.
    """

    error: BaseException | None = None

    def snapshot(self, models):
        if not self.by_other:
            return super().snapshot(models)
        if self.error is not None:
            raise self.error
        return CatalogState(tables={}, problems={NAME: diagnostic_of(UnreadableTable, NAME, "cannot be read")})


def test_a_table_of_another_apply_that_cannot_be_read_back():
    with pytest.raises(CatalogReadError, match=r"dev\.silver\.orders: cannot be read"):
        Orchestrator.over(Broken(model())).sync_tables([model()])


INTERRUPTED = """\
dev.silver.orders: interrupted before the table, which another apply created meanwhile, was read back
  done:
    CREATE SCHEMA IF NOT EXISTS `dev`.`silver`;
  not run: nothing
  to restore:  nothing of it was changed; it is the table of the other apply
  to continue: apply again; the next plan starts from what is done"""


def test_an_interruption_of_the_wait_proposes_to_drop_nothing():
    catalog = Broken(model())
    catalog.error = KeyboardInterrupt()

    with pytest.raises(ApplyInterrupted) as caught:
        Orchestrator.over(catalog).sync_tables([model()])

    assert str(caught.value) == INTERRUPTED


def test_entries_of_another_apply_are_left_to_it(monkeypatch):
    """The other apply writes the catalog entry of its table when it has read it back."""
    synced: list[str] = []
    monkeypatch.setattr(
        "pytest_delta_schema.engine.orchestrator.sync_stale_entries",
        lambda tables, *_: synced.extend(declared.table_name for declared in tables),
    )
    models = [model("a"), model("b")]

    Orchestrator.over(Rival(models[0])).sync_tables(models)

    assert synced == ["b"]


PATIENCE = 60


def related_model(name, *parents, **options):
    keys = [ForeignKey(["id"], f"dev.{parent}") for parent in parents]
    id_ = column(is_nullable=False)
    return table(id_, name=f"dev.{name}", primary_key=["id"], foreign_keys=keys, **options)


def existing(name, key="id", **options):
    schema, _, name = name.partition(".")
    primary_key = KeyState(f"pk_dev_{schema}_{name}__id", (key,))
    there = NAME._replace(schema=schema, table=name)
    return state(stored(key, is_nullable=False), name=there, primary_key=primary_key, **options)


FAMILY = [
    related_model("silver.a"),
    related_model("silver.b"),
    related_model("gold.c", "silver.a"),
    related_model("gold.d", "silver.b"),
    related_model("gold.e", "gold.d"),
    related_model("gold.f", "gold.f"),
]
CIRCLE = [
    related_model("silver.left", "silver.right"),
    related_model("silver.right", "silver.left"),
    related_model("silver.z", "silver.left"),
]
FILES = [Table("dev", "silver", "files", [column()], convert_from=Parquet("/data"))]


def applied(catalog, models, *, jointly):
    """Apply models one by one, and return the outcomes, and those that were given before their turn."""
    gate, progress, created = Gate(catalog, models), ApplyProgress(), {}
    models = sorted(models, key=gate.declarations.apply_rank)
    joint = BatchedApplies(gate, models, progress, lambda table, outcome: created.update({table.name: outcome}))
    outcomes = {
        related_model.name: joint.apply(related_model) if jointly else gate.apply(related_model, progress=progress)
        for related_model in models
    }
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
        [*FAMILY[2:], related_model("silver.a"), related_model("silver.b", table_properties={"delta.x": ""})],
        [],
        [],
    ),
    "a parent is nowhere": (FAMILY[1:], [], []),
    "a circle": (CIRCLE, [], []),
    "half a circle": (CIRCLE, [existing("silver.left")], []),
    "a conversion": ([*FAMILY, *FILES], [], []),
    "nothing is new": (FAMILY[:1], [existing("silver.a")], []),
}


@pytest.mark.parametrize("case", CASES)
def test_each_outcome_is_that_of_an_apply_of_its_own(case):
    models, there, fail = CASES[case]
    one_by_one = Recording(there, fail=fail)
    alone, _ = applied(one_by_one, models, jointly=False)

    for catalog in (Recording(there, fail=fail), Concurrent(there, fail=fail)):
        jointly, created = applied(catalog, models, jointly=True)

        assert jointly == alone
        assert {name: jointly[name] for name in created} == created
        assert catalog.snapshot(models) == one_by_one.snapshot(models)
        assert sorted(catalog.story) == sorted(one_by_one.story)


def test_the_first_missing_table_brings_all_others_along():
    catalog = Recording([existing("silver.a", table_comment="Old")])
    gate, created = Gate(catalog, FAMILY), []
    joint = BatchedApplies(
        gate,
        FAMILY,
        ApplyProgress(),
        lambda table, outcome: created.append((table, outcome.status)),
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
        [existing("silver.there")],
        threads=2,
        before=lambda statement: statement.kind is KEY and barrier.wait(),
    )
    models = [related_model(f"silver.{name}") for name in "abcd"]

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
        Recording(ignore=[KEY]),
        [related_model("silver.a"), table(column(), name="dev.silver.b")],
        jointly=True,
    )

    assert [outcome.status.value for outcome in outcomes.values()] == ["failed", "applied"]
    assert "after the apply the catalog still differs" in outcomes[FAMILY[0].name].failure


def test_a_statement_that_the_backend_refuses_blocks_its_table_alone():
    class Refusing(Recording):
        capabilities = Capabilities(
            refuses=lambda statement: Refusal("it is full", "make room") if statement.table.table == "b" else None,
        )

    outcomes, _ = applied(
        Refusing(),
        [related_model("silver.a"), related_model("silver.b"), related_model("gold.d", "silver.b")],
        jointly=True,
    )

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
            reads.append([related_model.table_name for related_model in models])
            return super().snapshot(models)

    models = [
        related_model("silver.a"),
        related_model("silver.b", "silver.nowhere"),
        related_model("gold.c", "silver.b"),
    ]

    outcomes, created = applied(Reading(), models, jointly=True)

    assert [outcome.status.value for outcome in outcomes.values()] == ["applied", "blocked", "blocked"]
    assert [outcome.status.value for outcome in created.values()] == ["blocked"]
    assert {fault.code for outcome in created.values() for fault in outcome.diagnostics} == {"DS209"}
    assert [names.count("b") for names in reads] == [1, 1, 0, 0]


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

    progress = interrupted(catalog, [related_model(f"silver.{name}") for name in "abcd"])

    failed, *texts = progress.texts()
    assert failed.startswith("dev.silver.a: statement 3 of 3 failed: the disk is full\n")
    assert sorted(text.partition("\n")[0] for text in texts if "silver.b" in text) == [
        "dev.silver.b: interrupted in statement 1 of 2",
    ]
    assert "dev.silver.d" not in progress.reached()


def test_an_interruption_while_the_tables_are_read_back():
    class Proving(Recording):
        def snapshot(self, models):
            if self.ran:
                raise KeyboardInterrupt
            return super().snapshot(models)

    progress = interrupted(Proving(fail=[(KEY, "b")]), [related_model(f"silver.{name}") for name in "ab"])

    assert [text.partition("\n")[0] for text in progress.texts()] == [
        "dev.silver.b: statement 2 of 2 failed: the disk is full",
        "dev.silver.a: interrupted after all 3 statements, before the table was read back",
    ]
    assert progress.reached() == {"dev.silver.a"}
