"""Plan files: what is read of one, and that an apply runs no other statement, whatever is changed meanwhile."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pytest_delta_schema import Column, MemoryCatalog, Table
from pytest_delta_schema.configuration.settings import Settings
from pytest_delta_schema.diagnostics.errors import ConfigurationError
from pytest_delta_schema.engine.apply_progress import ApplyProgress
from pytest_delta_schema.engine.gate import BatchedApplies, Gate
from pytest_delta_schema.engine.plan_file import plan_text, read_plan
from pytest_delta_schema.state import ColumnState, TableState

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_delta_schema.engine.plan_file import PlanFile

MODEL = Table("dev", "silver", "orders", [Column("id", "bigint", comment="Order ID")], comment="Orders")
STATE = TableState(name=MODEL.name, columns=(ColumnState("id", "bigint", True, ""),))


def file_of(folder: Path, **changes: object) -> Path:
    planned = Gate(MemoryCatalog([STATE]), [MODEL], settings=Settings()).planned(MODEL)
    parts = {"tool_version": "1", "capabilities": [], "settings": [], "tables": [planned["table"]], **changes}
    path = folder / "plan.json"
    path.write_text(plan_text(**parts)[0], "ascii")
    return path


def reviewed(folder: Path) -> PlanFile:
    return read_plan(file_of(folder), "plan.json")


class ChangedMeanwhile(MemoryCatalog):
    """Somebody changes the table after it was compared with the plan."""

    reads = 0

    def snapshot(self, models):
        self.reads += 1
        if self.reads == 2:
            table = self._tables[MODEL.name]
            self._tables[MODEL.name] = replace(table, columns=(ColumnState("id", "int", True, "Order ID"),))
        return super().snapshot(models)


def test_a_table_that_is_changed_after_it_was_compared_gets_no_other_statement(tmp_path):
    catalog = ChangedMeanwhile([STATE])
    settings = Settings(enable_features=("typeWidening",))
    gate = Gate(catalog, [MODEL], settings=settings, reviewed=reviewed(tmp_path))

    outcome = BatchedApplies(gate, [MODEL], ApplyProgress(), lambda *_: None).apply(MODEL)

    assert [(one.rule, one.message) for one in outcome.diagnostics] == [
        ("StalePlan", "plan.json is stale: it does not have 2 statements of this plan")
    ]
    assert catalog.version(MODEL.name) == 0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"settings": "none"}, "settings is 'none'"),
        ({"tool_version": 1}, "tool_version is 1"),
        ({"tables": [{"table": "orders"}]}, "tables[0].table is 'orders'"),
    ],
)
def test_a_field_of_another_kind_is_refused(tmp_path, changes, message):
    path = file_of(tmp_path, **changes)

    with pytest.raises(ConfigurationError) as error:
        read_plan(path, "plan.json")

    assert str(error.value).startswith(f"plan.json is not a plan file: {message}")
    assert str(error.value).endswith("; make a new plan: pytest --delta-drift --delta-plan-out=plan.json")
    assert len(str(error.value).splitlines()) == 1


def test_each_edited_byte_is_found(tmp_path):
    path = file_of(tmp_path)
    data = path.read_bytes()
    for position in range(0, len(data), 7):
        path.write_bytes(data[:position] + bytes([data[position] ^ 1]) + data[position + 1 :])

        with pytest.raises(ConfigurationError):
            read_plan(path, "plan.json")
