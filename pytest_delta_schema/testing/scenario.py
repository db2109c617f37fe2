"""The scenarios that every backend plays: what is there, what is wanted, the plan between, and how it ends.

Each is a file below ``scenarios``, told from the outside: a table as an earlier model left it, rows in it, and
the model of today. Plan and SQL are written out; after it the backend holds what the model wants, or, if the plan is
refused, what was there.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field, fields
from pathlib import Path
from runpy import run_path
from typing import TYPE_CHECKING, Any

from pytest_delta_schema import PropertyPolicy

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_delta_schema import Table

FOLDER = Path(__file__).parent / "scenarios"

Rows = tuple[dict[str, Any], ...]


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """One case.

    Args:
        name: Its folder and its file.
        before: The model that made the table; ``None`` if there is no table.
        parquet: The columns and partitions of a parquet table in its place.
        after: The model of today.
        plan: The expected change lines, in order.
        sql: The expected script.
        rows: Rows in the table.
        others: Tables beside it with their rows, such as the parents of its foreign keys.
        consents: What may be dropped or written anew.
        refused: Codes of the violations that stop it; empty if it goes through.
        commits: How many commits the table gets; ``None`` if nobody cares.
        left: The rows in the end, by column; ``None`` for those that were there.
        policy: What the project says about table properties.
        theirs: Properties that others have set on the table.
        matched: The expected lines of what is reported and never changed.
        without: Properties that the table must not have at first; not played where a catalog imposes them.
    """

    name: str
    before: Table | None
    after: Table
    plan: str
    sql: str
    parquet: Table | None = None
    rows: Rows = ()
    others: tuple[tuple[Table, Rows], ...] = ()
    consents: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    commits: int | None = None
    left: Rows | None = None
    matched: str = ""
    policy: PropertyPolicy = field(default_factory=PropertyPolicy)
    theirs: Mapping[str, str] = field(default_factory=dict)
    without: tuple[str, ...] = ()

    @property
    def is_refused_unseen(self) -> bool:
        """Whether rules refuse it, which look at no catalog; what rows refuse is another matter."""
        return bool(self.refused) and not any(code.startswith("DS3") for code in self.refused)


def load(path: Path) -> Scenario:
    """Read one file; every lower-case name in it is a part of the scenario."""
    known = {part.name for part in fields(Scenario)}
    said = {
        target.id
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name) and target.id.islower()
    }
    strangers = said - known
    if strangers:
        msg = f"{path}: {', '.join(sorted(strangers))} is no part of a scenario"
        raise ValueError(msg)
    values = run_path(str(path))
    name = f"{path.parent.name}/{path.stem}"
    return Scenario(name=name, **{part: values[part] for part in said})


SCENARIOS = tuple(map(load, sorted(FOLDER.rglob("*.py"))))
