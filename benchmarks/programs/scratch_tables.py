"""Make twenty scratch tables of one model, and two of a different one, in turn; print the seconds of both."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from small_tables import small_table

from pytest_delta_schema import LocalCatalog, open_session
from pytest_delta_schema.plugin.scratch import Scratch

if TYPE_CHECKING:
    from pytest_delta_schema import Table


def main(warehouse: Path) -> None:
    """Measure both in a new session; the first round only warms up."""
    with open_session(warehouse) as session:
        catalog = LocalCatalog(session.spark, warehouse=warehouse)
        pairs = [(_seconds(catalog, many, 20), _seconds(catalog, few, 2)) for many, few in map(_models, range(6))]
    print(json.dumps(pairs[1:]))


def _models(number: int) -> tuple[Table, Table]:
    """Declare two models that no table of an earlier round equals."""
    first, *others = small_table(number).columns
    columns = [replace(first, is_nullable=False), *others]
    table = replace(small_table(number), columns=columns, primary_key=["column_0"])
    return replace(table, comment=f"Many {number}"), replace(table, comment=f"Few {number}")


def _seconds(catalog: LocalCatalog, model: Table, count: int) -> float:
    scratch = Scratch(catalog, "main")
    start = time.perf_counter()
    for number in range(count):
        scratch.table(model, None, f"table_{number}")
    took = time.perf_counter() - start
    scratch.clean_up()
    return took


if __name__ == "__main__":
    main(Path(sys.argv[1]))
