"""The verdict for each change of a contract and each role: a table of the documentation."""

from __future__ import annotations

from pytest_delta_schema.compatibility.verdict_table import VERDICT_TABLE
from pytest_delta_schema.settings.table import ROLES


def table() -> str:
    """Write the table."""
    lines = [["change", *(f"`{role}`" for role in ROLES)], ["---"] * (len(ROLES) + 1)]
    for row, verdicts in VERDICT_TABLE.items():
        link = f"[{row.code}](#{row.code.lower()}) {row.__name__}"
        lines.append([link, *(_cell(verdicts.cells[role]) for role in ROLES)])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(cell: str) -> str:
    return f"**{cell}**" if cell == "breaking" else cell
