"""Source texts in which marks say where things stand: ``«columns.id»Column("id", "bigint")``."""

from __future__ import annotations

import re

_MARK = re.compile(r"«(/?)([^»]*)»")


def unmarked(text: str) -> tuple[str, dict[str, tuple[int, int, int]]]:
    """Return a source text without its marks, and the first line, the column and the last line of everything marked.

    Args:
        text: ``«key»`` is written before the first character of a thing, and ``«/key»`` in its last line if that
            is another line.
    """
    starts: dict[str, tuple[int, int]] = {}
    ends: dict[str, int] = {}
    lines = []
    for number, line in enumerate(text.split("\n"), start=1):
        plain, rest = "", line
        while mark := _MARK.search(rest):
            plain, rest = plain + rest[: mark.start()], rest[mark.end() :]
            if mark[1]:
                ends[mark[2]] = number
            else:
                starts[mark[2]] = (number, len(plain) + 1)
        lines.append(plain + rest)
    return "\n".join(lines), {key: (line, column, ends.get(key, line)) for key, (line, column) in starts.items()}
