"""The recorded answers of Delta: what streams of each kind did over each change."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pytest_delta_schema.delta.names.folded_names import folded

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_delta_schema.write_check.streams.verdict import Remedy, StreamAnswer, StreamKind

RECORD = Path(__file__).parent / "delta-4.4.0.json"
"""The answers, as the tests of this package record them."""

VERSION = (4, 4)
"""The version of Delta, major and minor, that gave them."""


class Answer(NamedTuple):
    """The answer of a stream to one change."""

    answer: StreamAnswer
    condition: str
    remedy: Remedy


@cache
def answers() -> Mapping[tuple[str, StreamKind], Answer]:
    """Return the answers by the name of the change, in lower case, and the kind of stream."""
    recorded = json.loads(RECORD.read_text("utf-8"))["answers"]
    return {
        (folded(name), kind): Answer(answer, condition, tuple(remedy))
        for name, kinds in recorded.items()
        for kind, (answer, condition, remedy) in kinds.items()
    }
