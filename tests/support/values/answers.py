"""What Delta does when a frame and a table differ, from what it was recorded to say: a table of the documentation."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_delta_schema import check_write
from pytest_delta_schema.state.desired import desired_state
from support.values.statements import recorded_statements, ways
from support.values.writes import MODES, PAIRS, recorded, shown

if TYPE_CHECKING:
    from pytest_delta_schema import Merge, WriteOptions
    from pytest_delta_schema.write_check.verdict import WriteMethod

WAYS: dict[str, tuple[WriteMethod, str]] = {
    "`save`": ("save", "plain"),
    "`writeTo`, `saveAsTable`": ("write_to", "plain"),
    "`insertInto`": ("insert_into", "plain"),
    "`writeStream`": ("write_stream", "plain"),
    "with `mergeSchema`": ("save", "mergeSchema"),
    "with `overwriteSchema`": ("save", "overwriteSchema"),
}
SITUATIONS = {
    "has its columns in another order": "other order",
    "spells names in another case": "other case",
    "has names that are equal without case": "duplicate by case",
    "has another column": "extra column",
    "has another field in a struct, also inside of arrays and maps": "extra field in array",
    "lacks a nullable column": "missing column",
    "lacks a NOT NULL column": "missing NOT NULL",
    "lacks a column with a default": "missing default",
    "lacks a generated column": "missing generated",
    "lacks the column that the table is partitioned by": "missing partition",
    "lacks a field of a struct": "missing field",
    "has int for bigint, or any other type that Spark can cast": "int into bigint",
    "has string for int": "string into int",
    "has int for date, or any other type that Spark cannot cast": "int into date",
    "has int for smallint": "wider int",
    "has bigint for int, and the table has type widening": "wider int, widening",
    "has a column without a type (void)": "void into int",
    "has a type, and the table's column is void": "int into void",
    "has a column whose values the table numbers (identity)": "given identity",
    "has another type for a column that a check uses": "wider checked",
}


def table() -> str:
    """Write the table."""
    real = {(pair, method, mode): outcome for pair, method, mode, outcome in recorded()}
    head = ["the frame ...", *WAYS]
    lines = [head, ["---"] * len(head)]
    for situation, pair in SITUATIONS.items():
        lines.append([situation, *(_answer(pair, *way, real) for way in WAYS.values())])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


STATEMENTS = {
    "`INSERT BY NAME`": ("sql_insert", "name"),
    "`INSERT (columns)`": ("sql_insert", "columns"),
    "`UPDATE SET`": ("update", "plain"),
    "`MERGE`: `UPDATE SET *`": ("merge", "update all"),
    "`INSERT *`": ("merge", "insert all"),
    "`UPDATE SET *`, evolving": ("merge", "update all evolving"),
    "`INSERT *`, evolving": ("merge", "insert all evolving"),
}


def statement_table() -> str:
    """Write the table of statements."""
    head = ["the source ...", *STATEMENTS]
    lines = [head, ["---"] * len(head)]
    real = {(pair, method, mode): outcome for pair, method, mode, outcome in recorded_statements()}
    for situation, pair in SITUATIONS.items():
        options = {(method, mode): way for method, mode, way in ways(pair)}
        answers = [
            _statement_answer(pair, options[way], real[(pair, *way)]) if way in options else "-"
            for way in STATEMENTS.values()
        ]
        lines.append([situation.replace("the frame", "the source"), *answers])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _statement_answer(pair: str, options: WriteOptions | Merge, outcome: str) -> str:
    verdict = check_write(*PAIRS[pair], options)
    if not verdict.accepted:
        return f"`{verdict.findings[0].rule}`"
    if outcome != shown(desired_state(PAIRS[pair].table).columns):
        return "evolves"
    return "cast" if any(" is cast " in note.message for note in verdict.notes) else "accepted"


def _answer(pair: str, method: WriteMethod, mode: str, real: dict[tuple[str, str, str], str]) -> str:
    outcome = real.get((pair, method, mode))
    if outcome is None:
        return "-"
    options = replace(MODES[mode], method=method)
    verdict = check_write(*PAIRS[pair], options)
    if not verdict.accepted:
        return f"`{verdict.findings[0].rule}`"
    if options.mode == "overwrite":
        return "replaced"
    if outcome != shown(desired_state(PAIRS[pair].table).columns):
        return "evolves"
    return "cast" if any(" is cast " in note.message for note in verdict.notes) else "accepted"
