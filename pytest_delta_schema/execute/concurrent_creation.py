"""Create several tables at the same time, each after those that it waits for."""

from __future__ import annotations

import threading
from dataclasses import replace
from queue import SimpleQueue
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from pytest_delta_schema.plan.actions import CreateTable

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.plan.actions import AlignTable

    Work = Callable[[QualifiedName, threading.Event | None], None]


@runtime_checkable
class CreatesConcurrently(Protocol):
    """A catalog that can create several tables at the same time."""

    def creating_concurrently(self) -> AbstractContextManager[int]:
        """Allow creations in several threads inside of the block, whose value is the number of threads, at least 1.

        A ``KeyboardInterrupt`` leaves the block when no thread runs a statement any more.

        Raises:
            StillRunning: Instead of the interruption, if a statement could not be stopped, so it may still commit.
        """
        ...


def schema_creators(actions: Iterable[CreateTable | AlignTable]) -> dict[QualifiedName, set[QualifiedName]]:
    """Return for each table the one that has to be created before it, because that creates the schema of both.

    The first table in a missing schema creates it for the others.
    """
    first: dict[tuple[str, str], QualifiedName] = {}
    creators: dict[QualifiedName, set[QualifiedName]] = {}
    for action in actions:
        if isinstance(action, CreateTable) and action.creates_schema:
            first.setdefault(action.table[:2], action.table)
        creators[action.table] = {first.get(action.table[:2], action.table)} - {action.table}
    return creators


def each_schema_once(actions: Iterable[CreateTable]) -> Iterator[CreateTable]:
    """Yield creations of which only the first one in a missing schema creates it."""
    schemas: set[tuple[str, ...]] = set()
    for action in actions:
        yield replace(action, creates_schema=action.creates_schema and action.table[:2] not in schemas)
        schemas.add(action.table[:2])


def run_in_order(
    tables: Sequence[QualifiedName],
    after: Mapping[QualifiedName, Collection[QualifiedName]],
    work: Work,
    threads: int,
) -> None:
    """Do some work for each table: in order, and for several tables at once where none waits for another.

    Each table comes after those that it waits for: ``after`` holds them. With several threads the work gets an event;
    when that is set, it must end after the statement that is running. With one thread, everything runs in the calling
    thread.

    Raises:
        KeyboardInterrupt: If it is interrupted. The event is set, and threads may still be running statements.
        Exception: The first that ``work`` raises, when the work that was running has ended; no other work is begun.
    """
    if threads == 1:
        for table in tables:
            work(table, None)
        return
    pool = _Pool(work, threads)
    waiting, unfinished = list(tables), set(tables)
    try:
        while unfinished:
            ready = [table for table in waiting if unfinished.isdisjoint(after.get(table, ()))]
            for table in ready[: pool.free]:
                pool.begin(table)
                waiting.remove(table)
            unfinished.discard(pool.next_ended())
    finally:
        pool.close()


class _Pool:
    """Threads that do the work for tables; they do not keep the process from ending."""

    def __init__(self, work: Work, threads: int) -> None:
        self.free = threads
        self._work = work
        self._threads = threads
        self._stop = threading.Event()
        self._todo: SimpleQueue[QualifiedName | None] = SimpleQueue()
        self._ended: SimpleQueue[tuple[QualifiedName, BaseException | None]] = SimpleQueue()
        for _ in range(threads):
            threading.Thread(target=self._run, name="pytest-delta-schema-create", daemon=True).start()

    def begin(self, table: QualifiedName) -> None:
        """Give the work for a table to a thread."""
        self.free -= 1
        self._todo.put(table)

    def next_ended(self) -> QualifiedName:
        """Wait until the work for a table has ended, and return the table.

        Raises:
            Exception: If it has failed, when all other work that was begun has ended.
        """
        try:
            table, error = self._ended.get()
            self.free += 1
            if error is not None:
                self._stop.set()
                while self.free < self._threads:
                    self._ended.get()
                    self.free += 1
                raise error
        except KeyboardInterrupt:
            self._stop.set()
            raise
        return table

    def close(self) -> None:
        """End the threads when their work has ended."""
        for _ in range(self._threads):
            self._todo.put(None)

    def _run(self) -> None:
        while (table := self._todo.get()) is not None:
            try:
                self._work(table, self._stop)
            except BaseException as error:  # noqa: BLE001 - raised again in the calling thread
                self._ended.put((table, error))
            else:
                self._ended.put((table, None))
