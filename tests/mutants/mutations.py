"""Mutants by the operators of cosmic-ray.

cosmic-ray runs all tests against all mutants, one after another in one checkout; only its operators are used here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

from mutants.sample import Mutant, change_between, is_noticeable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from mutants.sample import Change

UNUSED = (
    *("NoOp", "VariableInserter", "VariableReplacer", "RemoveDecorator", "ExceptionReplacer"),
    *("_Eq_Is", "NotEq_IsNot"),
)
"""Operators that change nothing, need arguments, or make what an import or a linter notices."""


def mutants_in(root: Path, packages: Sequence[str]) -> Iterator[Mutant]:
    """Yield every mutant of some packages."""
    operators = {name: get_operator(name)() for name in sorted(operator_names()) if not name.endswith(UNUSED)}
    for package in packages:
        for path in sorted((root / "pytest_delta_schema" / package).rglob("*.py")):
            code = path.read_text(encoding="utf-8")
            nodes = list(ast_nodes(get_ast(code)))
            noticeable = is_noticeable(code)
            for name, operator in operators.items():
                starts = [start for node in nodes for start, _ in operator.mutation_positions(node)]
                for occurrence, (line, column) in enumerate(starts):
                    if noticeable((line, column)):
                        yield Mutant(str(path.relative_to(root)), line, column, name, occurrence)


def change_of(root: Path, mutant: Mutant) -> Change:
    """Return the change that a mutant makes."""
    code = (root / mutant.path).read_text(encoding="utf-8")
    return change_between(mutant.path, code, mutate_code(code, get_operator(mutant.operator)(), mutant.occurrence))
