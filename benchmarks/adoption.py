"""Models from what exists: DDL against sqlglot's own syntax trees, and an import against a gate over its tables."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from local import write_tables
from measure import Row, in_turn
from processes import WITH_PLUGIN
from processes import run as run_python
from subjects import COLUMNS, models

from pytest_delta_schema.exchange import from_ddl, to_ddl
from pytest_delta_schema.sqlglot_compat import DIALECT

if TYPE_CHECKING:
    from collections.abc import Iterator

SCRIPT_TABLES, TABLES = 100, 1000

IMPORT = (*WITH_PLUGIN, "--delta-import=dev.silver=imported")
GATE = (*WITH_PLUGIN, "--delta-drift", "-m", "delta_drift", "imported")


def run() -> Iterator[Row]:
    """Yield the cost of models from DDL, and of an import with its proof."""
    script = to_ddl(models(SCRIPT_TABLES))
    yield Row(
        name=f"`from_ddl`, {SCRIPT_TABLES} tables of {COLUMNS} columns",
        reference_name="sqlglot's syntax trees of the script",
        pairs=in_turn(lambda: from_ddl(script), lambda: DIALECT.parse(script)),
        limit=0.95,
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_tables(folder / ".delta-warehouse", TABLES)
        yield Row(
            name=f"an import of {TABLES:,} local tables, proof included, no JVM",
            reference_name="a gate over the written models",
            pairs=in_turn(lambda: _import(folder), lambda: _gate(folder)),
            limit=1.2,
        )


def _import(folder: Path) -> None:
    for path in folder.glob("imported/**/*.*"):
        path.unlink()
    (folder / "pyproject.toml").write_text('[tool.pytest.ini_options]\npythonpath = ["."]\n')
    printed = run_python(folder, *IMPORT, JAVA_HOME="/nowhere")
    assert f"{TABLES} tables written and proven\n" in printed, printed[-3000:]


def _gate(folder: Path) -> None:
    printed = run_python(folder, *GATE, JAVA_HOME="/nowhere")
    assert f"drift: {TABLES} in sync, 0 statements run" in printed, printed[-3000:]
