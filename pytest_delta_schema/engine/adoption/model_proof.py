"""Prove that written modules declare what a catalog holds: import them in a fresh process, and plan them."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.diagnostics.errors import DeltaSchemaError
from pytest_delta_schema.engine.assembly import planner_of
from pytest_delta_schema.engine.bound_model import BoundModel
from pytest_delta_schema.engine.held_tables import tables_of_file
from pytest_delta_schema.plan.describe import change_lines
from pytest_delta_schema.state.json_format.json_form import state_from_json, state_json
from pytest_delta_schema.state.states import CatalogState

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pytest_delta_schema.configuration.settings import Settings
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.plan.planner import TablePlanner
    from pytest_delta_schema.state.states import TableState


def proved(
    modules: Mapping[str, Iterable[QualifiedName]],
    states: Mapping[QualifiedName, TableState],
    settings: Settings,
) -> dict[QualifiedName, tuple[str, ...]]:
    """Return the differences that remain between the models in some modules and the tables that they were made from.

    The modules are run in one new process, which ends with this call. Each has the names of the models that it
    declares, and the states are those of their tables, by the names in the catalog. Rules of hooks are not needed. For
    each model there is one line a difference, or why its module cannot be used; nothing if its plan is empty.
    """
    plain = replace(settings, model_rules=(), plan_rules=())
    given = {path: list(names) for path, names in modules.items()}
    request = pickle.dumps((given, [state_json(state) for state in states.values()], plain))
    # What a module prints must not end up in the answer.
    program = f"import sys; sys.path[:] = {sys.path!r}; from {__name__} import answer; answer()"
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, input=request, capture_output=True, check=False)  # noqa: S603 - the text above
    if done.returncode != 0:
        last = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        fault = (f"the process that plans it has ended with {done.returncode}: {last}",)
        return {name: fault for names in given.values() for name in names}
    answers = json.loads(done.stdout)
    return {name: tuple(answers[str(name)]) for names in given.values() for name in names}


def answer() -> None:
    """Read what is to be proved from the standard input, and write the differences to the standard output."""
    with os.fdopen(os.dup(1), "w") as output:
        os.dup2(2, 1)
        request = pickle.load(sys.stdin.buffer)  # noqa: S301 - from the process that has started this one
        differences = _differences(*request)
        json.dump({str(name): lines for name, lines in differences.items()}, output)


def _differences(
    modules: Mapping[str, list[QualifiedName]], forms: Iterable[Any], settings: Settings
) -> dict[QualifiedName, tuple[str, ...]]:
    state = CatalogState.of({state.name: state for state in map(state_from_json, forms)})
    planner = planner_of(settings)
    differences: dict[QualifiedName, tuple[str, ...]] = {}
    for path, names in modules.items():
        try:
            models = {table.name: BoundModel.of(table, settings).table for table in tables_of_file(path).values()}
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a module raises is why it cannot be used
            differences |= dict.fromkeys(names, (f"{path} cannot be imported: {type(error).__name__}: {error}",))
        else:
            missing = dict.fromkeys(names, (f"{path} does not declare it",))
            planned = {name: _lines(planner, models[name], state) for name in names if name in models}
            differences |= {**missing, **planned}
    return differences


def _lines(planner: TablePlanner, table: Table, state: CatalogState) -> tuple[str, ...]:
    """Return the differences between a model and its table, or why it cannot be planned."""
    try:
        plan = planner.plan([table], state)
    except DeltaSchemaError as error:
        return (str(error),)
    return tuple(str(line) for action in (*plan.actions, *plan.mismatches) for line in change_lines(action))
