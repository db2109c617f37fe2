"""The record of the characters that Java, and so Spark, folds in names of columns."""

from __future__ import annotations

from pathlib import Path


def _record() -> list[dict[str, str]]:
    text = Path(__file__).with_name("java_characters.txt").read_text("ascii")
    parts: list[dict[str, str]] = []
    for line in text.splitlines():
        if line.startswith("#"):
            parts.append({})
            continue
        for pair in line.split():
            left, right = (chr(int(number, 16)) for number in pair.split(">"))
            parts[-1][left] = right
    return parts


JAVA_17, LATER = _record()
"""Characters, each with what replaces it: those of Unicode 13, and those that Java 25 folds as well (Unicode 16)."""
