"""The errors of checks and keys that no row satisfies, with the columns to give."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.delta.names.folded_names import folded
from pytest_delta_schema.report.text.text import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_delta_schema.state.states import KeyState
    from pytest_delta_schema.test_kit.contract import Clause, Contract
    from pytest_delta_schema.test_kit.generation.parent_rows import SelfReference
    from pytest_delta_schema.test_kit.generation.row_filler import References


def too_few_values(contract: Contract, key: KeyState, size: int, clauses: Iterable[Clause], rows: int) -> str:
    """Return the message about a key that allows fewer rows than are asked for."""
    columns = {folded(name) for name in key.columns}
    checks = {clause.check.name for clause in clauses if clause.columns & columns}
    reason = f" under check {', '.join(sorted(checks))}" if checks else ""
    values = f"{_key(key)} has at most {counted(size, 'value')}{reason}"
    fact = f"{values}, but {counted(rows, 'row')} were requested"
    return f"{contract.state.name}: {fact}; ask for fewer rows, or give {', '.join(key.columns)}"


def no_further_row(contract: Contract, foreign_keys: Iterable[References | SelfReference]) -> str:
    """Return the message about keys that no further row satisfies together."""
    foreign = [[contract.columns[name].name for name in key.columns] for key in foreign_keys]
    keys = [*map(_key, contract.state.keys), *(f"foreign key ({', '.join(names)})" for names in foreign)]
    columns = dict.fromkeys(
        name for names in (*(key.columns for key in contract.state.keys), *foreign) for name in names
    )
    together = " together" if len(keys) > 1 else ""
    parents = ", or other rows of the parents" if foreign else ""
    fact = f"no further row is found that satisfies {' and '.join(keys)}{together}"
    return f"{contract.state.name}: {fact}; ask for fewer rows, or give {', '.join(columns)}{parents}"


def to_give(contract: Contract, columns: Sequence[str], given: Iterable[str]) -> str:
    """Return the remedy for a check, or a key, that some columns decide."""
    if not columns:
        return "no row meets it, so change the check"
    known = set(given)
    names = [contract.columns[name].name for name in columns if name not in known]
    others = [contract.columns[name].name for name in columns if name in known]
    another = f", or a different value for {' or '.join(others)}" if others else ""
    return f"give a value for {' or '.join(names)}{another}"


def _key(key: KeyState) -> str:
    return f"{key.kind} ({', '.join(key.columns)})"
