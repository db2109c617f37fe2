"""Record what Delta does with every pair, in every way to write it, for the tests without a JVM.

Run it as ``python -m support.record_writes`` in the folder of the tests; it takes half an hour. Names of pairs
as arguments record only those, to standard output.
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_delta_schema import LocalCatalog, open_session
from support import statements
from support.agreement import Stage
from support.writes import MODES, PAIRS, RECORD, cells

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pytest_delta_schema import Merge, WriteOptions

    Way = tuple[str, str, WriteOptions | Merge]

HEAD = "Recorded from Delta 4.4.0 with Spark 4.2.0 by `python -m support.record_writes`: what empty frames come to."


def frame_ways(pair: str) -> Iterator[Way]:
    """Yield every way in which a frame is written: the method, the mode and the options."""
    for method, mode in cells(pair, MODES):
        yield method, mode, replace(MODES[mode], method=method)


def main(names: Sequence[str]) -> None:
    """Record everything, or only some pairs."""
    warehouse = Path(tempfile.mkdtemp())
    catalog = LocalCatalog(open_session(warehouse).spark, warehouse=warehouse)
    for path, ways in ((RECORD, frame_ways), (statements.RECORD, statements.ways)):
        lines = [HEAD]
        for name in names or PAIRS:
            lines += recorded(catalog, name, ways(name))
        text = "\n".join(lines) + "\n"
        if names:
            sys.stdout.write(text)
        else:
            path.write_text(text, encoding="utf-8")


def recorded(catalog: LocalCatalog, name: str, ways: Iterable[Way]) -> list[str]:
    """Return the lines that record a pair; none if it is not written."""
    stage = Stage(catalog, PAIRS[name])
    outcomes: dict[str, dict[str, list[str]]] = {}
    for method, mode, options in ways:
        outcomes.setdefault(stage.run(options), {}).setdefault(method, []).append(mode)
    stage.close()
    sys.stderr.write(f"{name}: {len(outcomes)} outcomes\n")
    lines = ["", f"# {name}"] if outcomes else []
    for outcome, methods in outcomes.items():
        lines += [outcome, *(f"  {method}: {', '.join(modes)}" for method, modes in methods.items())]
    return lines


if __name__ == "__main__":
    main(sys.argv[1:])
