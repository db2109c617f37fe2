"""Applies at the same time: one creates a table and the others wait; the tables of one apply are created together."""

from __future__ import annotations

import itertools
import signal
import threading

import pytest

from pytest_delta_schema import DeltaSchemaError, ForeignKey, MemoryCatalog, Orchestrator, Parquet, Table
from pytest_delta_schema.diagnostics.errors import (
    BackendUnavailableError,
    StatementError,
)
from pytest_delta_schema.engine import Gate
from pytest_delta_schema.engine.apply_progress import ApplyProgress
from pytest_delta_schema.engine.gate import BatchedApplies
from pytest_delta_schema.execute import ApplyInterrupted, concurrency
from pytest_delta_schema.sql import StatementKind, statements
from pytest_delta_schema.state import KeyState
from support.catalogs import Concurrent, Recording
from support.models import NAME, column, state, stored, table
from support.snapshots import TextSnapshot

CREATE, KEY, SCHEMA = StatementKind.CREATE_TABLE, StatementKind.ADD_PRIMARY_KEY, StatementKind.CREATE_SCHEMA
NEVER = 10**9


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
    "one fails midway": (FAMILY, [], [(KEY, "b")]),
    "the first one in a schema fails": (FAMILY, [], [(CREATE, "a"), (KEY, "f")]),
    "a schema can be created later": (FAMILY, [], [(SCHEMA, "a"), (SCHEMA, "f")]),
    "a parent is aligned first": (FAMILY, [existing("silver.b", table_comment="Old")], []),
    "a parent cannot be aligned": (FAMILY, [existing("silver.b", table_comment="Old")], [StatementKind.COMMENT_TABLE]),
    "a parent breaks a rule": (
        [*FAMILY[2:], related_model("silver.a"), related_model("silver.b", table_properties={"delta.x": ""})],
        [],
        [],
    ),
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


class Moving(Recording):
    """Gets a table between two reads."""

    def snapshot(self, models):
        state = super().snapshot(models)
        self._tables.setdefault(FAMILY[1].name, existing("silver.b"))
        return state


class Lost(Recording):
    """Cannot be read a second time, or not after a statement.

    Args:
        error: What a read raises.
        reads: After how many reads; after a statement by default.
    """

    def __init__(self, *, error, reads=0):
        super().__init__()
        self.error, self.reads = error, reads
        self.done = 0

    def snapshot(self, models):
        self.done += 1
        if self.done > self.reads if self.reads else self.ran:
            raise self.error
        return super().snapshot(models)


def synced(catalog, models):
    """Return how an apply of the library ends."""
    try:
        result = Orchestrator.over(catalog).sync_tables(models)
    except (DeltaSchemaError, ApplyInterrupted) as error:
        return [f"{type(error).__name__}: {error}"]
    kinds = ", ".join(statement.kind.value for statement in result.statements)
    planned, there = [action.table.table for action in result.plan.actions], sorted(map(str, result.already_there))
    return [f"statements: {kinds}", f"planned: {planned}, already there: {there}"]


def gated(catalog, models, *, jointly):
    """Return how each table ends in the gate; one that was created with others has a star."""
    outcomes, created = applied(catalog, models, jointly=jointly)
    lines = []
    for name, outcome in outcomes.items():
        ran = [f"{'' if statement.has_run else 'not '}{statement.kind}" for statement in outcome.statements]
        lines.append(f"{name}{' *' * (name in created)}: {outcome.status.value}; {', '.join(ran) or 'nothing'}")
        lines += [f"  {diagnostic}" for diagnostic in (*outcome.diagnostics, *outcome.notes)]
        lines += [f"  {line}" for line in outcome.failure.splitlines()]
        lines += [f"  to restore: {outcome.restore_sql}"] * bool(outcome.restore_sql)
    return lines


def stories():
    """Yield names, catalogs, models and how they are applied."""
    models = [model("a"), model("b", "a"), model("c")]
    circle, own = [model("left", "right"), model("right", "left")], [model("a"), model("b")]
    plain, pair = [table(column())], FAMILY[:2]
    for jointly in (False, True):
        yield "of another apply, and its children", Rival(models[0], completed=2), models, jointly
        yield "not read back", Lost(error=StatementError("no route")), pair, jointly
    yield "never completed", Rival(model(), completed=NEVER), [model()], True
    for kind in (Rival, RivalOfSeveral):
        yield f"{kind.__name__}, half of a circle", kind(circle[0], completed=1), circle, None
    yield "never completed", Rival(model(), completed=NEVER), [model()], None
    yield "its own table does not converge", Rival(own[0], completed=NEVER, ignore=[KEY]), own, None
    yield "cannot be looked for", Refusing(CONDITIONS[0], 0, StatementError("no route")), plain, None
    yield "is not there after three looks", Refusing(CONDITIONS[3], 3), plain, None
    yield "refused for another reason", Refusing("DISK", 0), plain, None
    brought = Recording([existing("silver.a", table_comment="Old")])
    yield "the first missing table brings all others along", brought, FAMILY, True
    yield "somebody creates one meanwhile", Moving(), pair, True
    yield "cannot be read any more", Lost(error=BackendUnavailableError("no route"), reads=1), pair, True
    leaves = [related_model("silver.a"), table(column(), name="dev.silver.b")]
    yield "is not as it should be", Recording(ignore=[KEY]), leaves, True


def test_how_applies_at_the_same_time_end(snapshot, monkeypatch):
    lines = []
    for name, catalog, models, jointly in stories():
        monkeypatch.setattr(concurrency, "COMPLETION_SECONDS", 0 if name == "never completed" else 60)
        how = {None: "sync_tables", False: "one by one", True: "together"}[jointly]
        lines.append(f"==== {name}, {how}")
        lines += synced(catalog, models) if jointly is None else gated(catalog, models, jointly=jointly)
        threaded = isinstance(catalog, Concurrent)
        lines += [f"ran: {', '.join(sorted(catalog.story) if threaded else catalog.story) or 'nothing'}"]
        lines += [f"of the other apply: {', '.join(getattr(catalog, 'by_other', ())) or 'nothing'}", ""]

    assert "\n".join(lines) == snapshot(extension_class=TextSnapshot)


def test_an_interruption_reports_the_tables_that_were_begun():
    is_stopped = threading.Event()

    def before(statement):
        if statement.table.table == "b":
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
            assert is_stopped.wait(PATIENCE)
            raise StatementError("cancelled")

    catalog = Concurrent(threads=2, before=before, stop=is_stopped.set, fail=[(KEY, "a")])

    models, progress = [related_model(f"silver.{name}") for name in "abcd"], ApplyProgress()
    with pytest.raises(KeyboardInterrupt):
        BatchedApplies(Gate(catalog, models), models, progress, lambda *_: None).apply(models[0])

    failed, *texts = progress.texts()
    assert failed.startswith("dev.silver.a: statement 3 of 3 failed: the disk is full\n")
    assert sorted(text.partition("\n")[0] for text in texts if "silver.b" in text) == [
        "dev.silver.b: interrupted in statement 1 of 2",
    ]
    assert "dev.silver.d" not in progress.reached()
