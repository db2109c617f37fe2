"""The lines that an author writes by hand where a declaration cannot be edited."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_delta_schema.source_code.calls import NO_VARIABLES, table_call
from pytest_delta_schema.source_code.canonical import arguments_of, keyed
from pytest_delta_schema.source_code.code_text import CodeStyle, flat_code

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping

    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.source_code.calls import Variables

_ONE_LINE = CodeStyle()


def hand_written(declared: Table, wanted: Table, variables: Variables = NO_VARIABLES) -> tuple[str, ...]:
    """Return the parts of a declaration that differ, as code, each with what has to be done in one line.

    Such as ``columns: add Column("x", LongType())``, ``columns: remove ...``, ``columns: write ...`` for a part that is
    there and differs, and ``write comment="..."`` for an argument.
    """
    old, new = arguments_of(table_call(declared, variables)), arguments_of(table_call(wanted, variables))
    return tuple(line for name in dict.fromkeys([*old, *new]) for line in _lines(name, old.get(name), new.get(name)))


def _lines(name: str, old: object, new: object) -> Iterator[str]:
    """Yield what has to be done about an argument."""
    if repr(old) == repr(new):
        return
    match old, new:
        case list(), list():
            before, after = keyed(old), keyed(new)
            yield from _changes(name, before, after, {key: _code(item) for key, item in {**before, **after}.items()})
            kept = [key for key in after if key in before]
            if kept != [key for key in before if key in after]:
                yield f"{name}: put into the order {', '.join(map(_shown, after))}"
        case dict(), dict():
            codes = {key: f"{_code(key)}: {_code(value)}" for key, value in {**old, **new}.items()}
            yield from _changes(name, old, new, codes)
        case _, None:
            yield f"remove {name}={_code(old)}"
        case _:
            yield f"write {name}={_code(new)}"


def _changes(
    name: str, old: Mapping[Any, object], new: Mapping[Any, object], codes: Mapping[Any, str]
) -> Iterator[str]:
    """Yield what has to be done about the parts of a list or dictionary; ``codes`` are those that it has at last."""
    for key, code in codes.items():
        if key not in new:
            yield f"{name}: remove {code}"
        elif key not in old:
            yield f"{name}: add {code}"
        elif repr(old[key]) != repr(new[key]):
            yield f"{name}: write {code}"


def _code(value: object) -> str:
    return flat_code(value, _ONE_LINE)


def _shown(key: tuple[Hashable, int]) -> str:
    """Return the name of an item, without its number among those with the same name."""
    name, _ = key
    return " and ".join(name) if isinstance(name, tuple) else str(name)
