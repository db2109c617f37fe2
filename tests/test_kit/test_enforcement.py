"""Scratch tables stop the rows that break a constraint; what no row can try is a note."""

from __future__ import annotations

import logging
from threading import Event

from pytest_delta_schema import Column, ForeignKey, MemoryCatalog, progress
from pytest_delta_schema.engine.outcomes import Status
from pytest_delta_schema.progress import LOGGER, step
from support.rows import different_models, outcomes_of, table

PATTERN = "b IS NULL OR NOT (b LIKE '%-q%' AND b LIKE '%y_v' AND length(b) = 77)"
KEY, PARENT = {"primary_key": ["id"]}, ForeignKey(["p"], "dev.silver.parents", ["id"])
GENERATED = Column("g", "int", is_nullable=False, generated_as="a + 1")
UNTRIED = {
    "keys": ("id int not null; b int", [], KEY, ""),
    "one value": ("id int not null", ["id = 1"], KEY, "primary key pk_dev_silver_orders__id"),
    "holds always": ("a int not null", ["a > 0 OR a <= 0"], {}, "check c1"),
    "several": ("a int not null; b varchar(2)", ["a > 0", "b > 'a'"], {"partitioned_by": ["a"]}, ""),
    "one of several": ("a int not null; b string not null", ["a > 0", PATTERN], {}, "check c2"),
    "generated": ("a int", [], {"more": [GENERATED]}, "not null g"),
    "default": ("a int", [], {"more": [Column("d", "int", is_nullable=False, default=1)]}, ""),
    "foreign key": ("id int not null; p int", [], {"foreign_keys": [PARENT]}, ""),
    "foreign key by name": (
        "id int not null; p int",
        [],
        {"foreign_keys": [ForeignKey(["p"], "dev.silver.parents")]},
        "",
    ),
    "void": ("a void", [], {}, ""),
}


def test_what_no_row_can_try_is_noted():
    for case, (columns, checks, options, untried) in UNTRIED.items():
        (outcome,) = outcomes_of([table(columns, checks, **options)], MemoryCatalog())

        assert (case, outcome.status, outcome.diagnostics) == (case, Status.ENFORCED, ())
        notes = [f"not tried, because no row of this table is known that breaks it: {untried}"] if untried else []
        assert [note.message for note in outcome.notes] == notes, case


def test_memory_stops_the_rows_of_all_scenarios():
    outcomes = outcomes_of((model for model, _ in different_models()), MemoryCatalog())

    assert [outcome for outcome in outcomes if outcome.status is not Status.ENFORCED] == []
    assert len(outcomes) > 100


class Slow(MemoryCatalog):
    """Writes rows in its own step, which lasts until a first record is logged."""

    def __init__(self, logged: Event) -> None:
        super().__init__()
        self._logged = logged

    def append_rows(self, *arguments):
        with step("writing rows"):
            self._logged.wait()
            super().append_rows(*arguments)


class Messages(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.logged, self.texts = Event(), list[str]()

    def emit(self, record):
        self.texts.append(record.getMessage())
        # On a busy machine, the creation of the table is long enough for a record, too.
        if "trying its constraints" in self.texts[-1]:
            self.logged.set()


def test_a_long_trial_shows_how_many_writes_have_ended_and_not_that_refused_ones_have_stopped(monkeypatch):
    monkeypatch.setattr(progress, "INTERVAL", 0.01)
    messages = Messages()
    logging.getLogger(LOGGER).addHandler(messages)

    try:
        (outcome,) = outcomes_of([table("a int not null", ["a > 0"])], Slow(messages.logged))
    finally:
        logging.getLogger(LOGGER).removeHandler(messages)

    assert outcome.status is Status.ENFORCED
    assert "dev.silver.t0: trying its constraints: 0 of 3 writes" in messages.texts
    assert not [text for text in messages.texts if "writing rows" in text]
