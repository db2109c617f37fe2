"""Reviewed texts in files of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

if TYPE_CHECKING:
    from collections.abc import Callable


class TextSnapshot(SingleFileSnapshotExtension):
    """A file of text."""

    _write_mode = WriteMode.TEXT
    file_extension = "txt"


class ReviewedCases:
    """Takes cases, and writes down what a function answers in each: ``text`` is compared with the fixture ``reviewed``."""

    def __init__(self, answer: Callable[..., Any]) -> None:
        self.text = ""
        self._answer = answer

    def __call__(self, name: str, *given: Any) -> None:
        """Add a case by its name."""
        self.text += f"=== {name}\n"
        self.unnamed(*given)

    def unnamed(self, *given: Any) -> None:
        """Add a case whose answer shows what was given."""
        answer = self._answer(*given)
        lines = answer if isinstance(answer, str) else "\n".join(map(str, answer))
        self.text += f"{lines or '(nothing)'}\n"
