"""What streams do over changes of their table, from what Delta was recorded to do: tables of the documentation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.write_check.streams import NEW_CHECKPOINT, NOTHING_HELPS, STREAM_KINDS, answers
from support.streams.cases import CASES

if TYPE_CHECKING:
    from pytest_delta_schema.write_check.streams import Answer, Remedy

NO_PLAN = {
    "no-plan": (
        "a generated column or an identity is added; the generation of a column changes; the type of a field changes to"
        " one that Delta does not widen it to; a NOT NULL field is added; a table is converted to Delta"
    ),
}
"""Changes that no plan makes, and for which no rule prints steps that a stream could live through."""


def table() -> str:
    """Write the table of answers."""
    numbers = {ending: number for number, ending in enumerate(_endings(), 1)}
    lines = [["change", "the table", *(f"`{kind}`" for kind in STREAM_KINDS)], ["---"] * (len(STREAM_KINDS) + 2)]
    for name, case in CASES.items():
        lines.append(
            [f"`{name}`", case.text, *(_cell(answers()[name.lower(), kind], numbers) for kind in STREAM_KINDS)]
        )
    lines += [[f"`{name}`", text, *["no plan" for _ in STREAM_KINDS]] for name, text in NO_PLAN.items()]
    return _written(lines)


def endings() -> str:
    """Write the table of the ways in which a stream ends."""
    lines = [["number", "the stream ends with", "it continues with"], ["---"] * 3]
    lines += [
        [str(number), f"`{condition}`", _remedy(remedy)] for number, (condition, remedy) in enumerate(_endings(), 1)
    ]
    return _written(lines)


def _endings() -> list[tuple[str, Remedy]]:
    """Return the conditions with which streams end, each with what lets them continue, without repetition."""
    recorded = (answers()[name.lower(), kind] for name in CASES for kind in STREAM_KINDS)
    return list(dict.fromkeys((answer.condition, answer.remedy) for answer in recorded if answer.condition))


def _cell(answer: Answer, numbers: dict[tuple[str, Remedy], int]) -> str:
    if not answer.condition:
        return answer.answer
    text = f"**{answer.answer}**" if answer.answer == "blocked" else answer.answer
    return f"{text} ({numbers[answer.condition, answer.remedy]})"


def _remedy(remedy: Remedy) -> str:
    if not remedy:
        return "a new start"
    if remedy == NOTHING_HELPS:
        return "nothing that was tried"
    return remedy[0] if remedy == NEW_CHECKPOINT else ", ".join(f"`{part}`" for part in remedy)


def _written(lines: list[list[str]]) -> str:
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
