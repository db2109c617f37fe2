"""Prove that modules declare what a catalog holds: import them in a fresh process, and plan them."""

from __future__ import annotations

import importlib
import json
import os
import pickle
import subprocess
import sys
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_delta_schema.diagnostics.errors import DeltaSchemaError
from pytest_delta_schema.engine.assembly import planner_of
from pytest_delta_schema.engine.bound_model import BoundModel
from pytest_delta_schema.engine.held_tables import held_tables, tables_of_file
from pytest_delta_schema.plan.describe import change_lines
from pytest_delta_schema.state.json_format.json_form import state_from_json, state_json
from pytest_delta_schema.state.states import CatalogState

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_delta_schema.configuration.settings import Settings
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.plan.planner import TablePlanner
    from pytest_delta_schema.state.states import TableState


class ModuleToProve(NamedTuple):
    """A module, and the models in it that are planned."""

    path: str
    names: tuple[QualifiedName, ...]
    """The names of the models."""
    dotted: str = ""
    """The name by which the project imports it; a module without one is run as a file."""


def proved(
    modules: Sequence[ModuleToProve], states: Iterable[TableState], settings: Settings
) -> dict[QualifiedName, tuple[str, ...]]:
    """Return the differences that remain between the models in some modules and what was read of their tables.

    The modules are run in one new process, which ends with this call; it writes no compiled modules. Rules of hooks are
    not needed. For each model there is one line a difference, or why its module cannot be used; nothing if its plan is
    empty.
    """
    plain = replace(settings, model_rules=(), plan_rules=())
    request = pickle.dumps((list(modules), [state_json(state) for state in states], plain))
    # What a module prints must not end up in the answer.
    program = f"import sys; sys.path[:] = {sys.path!r}; from {__name__} import answer; answer()"
    command = [sys.executable, "-B", "-c", program]
    done = subprocess.run(command, input=request, capture_output=True, check=False)  # noqa: S603 - the text above
    names = [name for module in modules for name in module.names]
    if done.returncode != 0:
        last = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        return dict.fromkeys(names, (f"the process that plans it has ended with {done.returncode}: {last}",))
    answers = json.loads(done.stdout)
    return {name: tuple(answers[str(name)]) for name in names}


def answer() -> None:
    """Read what is to be proved from the standard input, and write the differences to the standard output."""
    with os.fdopen(os.dup(1), "w") as output:
        os.dup2(2, 1)
        request = pickle.load(sys.stdin.buffer)  # noqa: S301 - from the process that has started this one
        differences = _differences(*request)
        json.dump({str(name): lines for name, lines in differences.items()}, output)


def _differences(
    modules: Sequence[ModuleToProve], forms: Iterable[Any], settings: Settings
) -> dict[QualifiedName, tuple[str, ...]]:
    state = CatalogState.of({state.name: state for state in map(state_from_json, forms)})
    planner = planner_of(settings)
    differences: dict[QualifiedName, tuple[str, ...]] = {}
    for module in modules:
        path, names = module.path, module.names
        try:
            models = {table.name: BoundModel.of(table, settings).table for table in _tables(module)}
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a module raises is why it cannot be used
            differences |= dict.fromkeys(names, (f"{path} cannot be imported: {type(error).__name__}: {error}",))
        else:
            missing = dict.fromkeys(names, (f"{path} does not declare it",))
            planned = {name: differences_of(models[name], planner, state) for name in names if name in models}
            differences |= {**missing, **planned}
    return differences


def _tables(module: ModuleToProve) -> list[Table]:
    """Run a module by its name, if that is the name of its file, or else as a file, and return its tables."""
    if module.dotted and _origin(module.dotted) == module.path:
        values: Iterable[object] = vars(importlib.import_module(module.dotted)).values()
    else:
        values = tables_of_file(module.path).values()
    return [table for value in values for table in held_tables(value)]


def _origin(dotted: str) -> str | None:
    """Return the path of the module that a name imports; ``None`` if it imports none."""
    try:
        spec = find_spec(dotted)
    except (ImportError, ValueError):
        return None
    return None if spec is None else spec.origin


def differences_of(table: Table, planner: TablePlanner, state: CatalogState) -> tuple[str, ...]:
    """Return the differences between a model, bound to its table, and the table, or why it cannot be planned."""
    try:
        plan = planner.plan([table], state)
    except DeltaSchemaError as error:
        return (str(error),)
    return tuple(str(line) for action in (*plan.actions, *plan.mismatches) for line in change_lines(action))
