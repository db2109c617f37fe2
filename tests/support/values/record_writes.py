"""Record what Delta does with every pair, by every method and mode, for the tests without a JVM.

Run it as ``python -m support.values.record_writes`` in the folder of the tests; it takes a quarter of an hour.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from pytest_delta_schema import LocalCatalog, open_session
from support.values.agreement import Stage
from support.values.writes import MODES, PAIRS, RECORD, cells

HEAD = (
    "Recorded from Delta 4.4.0 with Spark 4.2.0 by `python -m support.values.record_writes`: what empty frames come to."
)


def main() -> None:
    """Record everything; names of pairs as arguments record only those, to standard output."""
    warehouse = Path(tempfile.mkdtemp())
    session = open_session(warehouse)
    catalog = LocalCatalog(session.spark, warehouse=warehouse)
    names = sys.argv[1:] or list(PAIRS)
    lines = [HEAD]
    for name in names:
        stage = Stage(catalog, PAIRS[name])
        outcomes: dict[str, dict[str, list[str]]] = {}
        for method, mode in cells(name, MODES):
            outcomes.setdefault(stage.play(method, mode), {}).setdefault(method, []).append(mode)
        stage.close()
        lines += ["", f"# {name}"]
        for outcome, ways in outcomes.items():
            lines += [outcome, *(f"  {method}: {', '.join(modes)}" for method, modes in ways.items())]
        sys.stderr.write(f"{name}: {len(outcomes)} outcomes\n")
    text = "\n".join(lines) + "\n"
    if sys.argv[1:]:
        sys.stdout.write(text)
    else:
        RECORD.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
