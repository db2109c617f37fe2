"""How many tables have been read is known between the calls that read them."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

from pytest_delta_schema import QualifiedName
from pytest_delta_schema.backends.local import reading

if TYPE_CHECKING:
    from collections.abc import Callable

REFUSED = QualifiedName("dev", "silver", "t" * 300)


def test_fifty_tables_are_read_in_a_call(monkeypatch):
    names = [QualifiedName("dev", "silver", f"orders_{number:03}") for number in range(120)]
    numbers: list[int] = []
    counts: list[Callable[[], int]] = []
    calls: list[tuple[int, int]] = []

    def read(request):
        lines = request.splitlines()
        calls.append((len(lines), counts[0]()))
        return "".join("absent\tschema\n" if line.split("\t")[1] == "orders_060" else "absent\n" for line in lines)

    def reading_tables(number, done):
        numbers.append(number)
        counts.append(done)
        return nullcontext()

    monkeypatch.setattr(reading, "reading_tables", reading_tables)
    bridge = SimpleNamespace(register=lambda _: None, is_warehouse=lambda _: True, warehouse=Path("/lake"), read=read)

    state = reading.read_tables(bridge, [REFUSED, *names])

    assert calls == [(50, 0), (50, 50), (20, 100)]
    assert (numbers, [count() for count in counts]) == ([120], [120])
    assert list(state.problems) == [REFUSED]
    assert [name.table for name, table in state.tables.items() if not table.schema_exists] == ["orders_060"]
    assert sorted(state.tables) == names
