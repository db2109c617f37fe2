"""The whole story on ``examples/orders``, with real Spark: ``make demo``.

Every step is a command that a user would type, and every step must end as the story says.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

PROJECT = Path(__file__).parent / "orders"
COLLEAGUE = """
import sys
from pathlib import Path
from pytest_delta_schema import open_session

warehouse = Path(sys.argv[1])
session = open_session(warehouse)
for statement in sys.argv[2:]:
    print("spark-sql>", statement)
    session.spark.sql(statement)
session.close()
"""
CHANGES = (
    "ALTER TABLE dev.silver.orders ALTER COLUMN id DROP NOT NULL",
    "ALTER TABLE dev.silver.orders ALTER COLUMN amount COMMENT 'in euros, I think'",
)
DRIFTED = ("~ columns.id ", "'in euros, I think' -> 'Order total'", "drift: 1 drifted")


def main() -> int:
    """Run all steps, and return 0 only if each ended as expected."""
    with tempfile.TemporaryDirectory() as warehouse:
        apply, drift = [contract(f"--delta-{mode}", warehouse) for mode in ("apply", "drift")]
        colleague = [sys.executable, "-c", COLLEAGUE, warehouse, *CHANGES]
        steps = (
            ("The table does not exist yet: apply makes it.", apply, 0, ("apply: 1 applied",)),
            ("The gate: catalog and model agree.", drift, 0, ("drift: 1 in sync",)),
            ("A colleague changes the table, and tells nobody.", colleague, 0, ()),
            ("The gate again: it fails, and says why and where.", drift, 1, DRIFTED),
            ("Apply brings the table back in line, and proves it.", apply, 0, ("apply: 1 applied",)),
            ("The gate once more: in sync.", drift, 0, ("drift: 1 in sync",)),
        )
        for number, (story, command, status, expected) in enumerate(steps, start=1):
            print(f"\n=== {number} of {len(steps)}: {story}", flush=True)
            if not went_well(command, status, expected):
                return 1
    print("\n=== Every step did what it should.")
    return 0


def contract(mode: str, warehouse: str) -> list[str]:
    """Return the command that holds the example's contracts against the warehouse."""
    return [sys.executable, "-m", "pytest", "-m", "delta", mode, f"--delta-warehouse={warehouse}"]


def went_well(command: list[str], status: int, expected: tuple[str, ...]) -> bool:
    """Run ``command``, show what it says, and return whether it ended as it should."""
    if "pytest" in command:
        print("$", *command[2:], flush=True)
    lines = []
    with subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout or ():
            print(line, end="", flush=True)
            lines.append(line)
    output = "".join(lines)
    missing = [text for text in expected if text not in output]
    if process.returncode == status and not missing:
        return True
    print(f"\n=== This step should end with {status}, and ended with {process.returncode}; missing: {missing}")
    return False


if __name__ == "__main__":
    sys.exit(main())
