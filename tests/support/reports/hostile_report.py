"""Reports whose names, comments and messages try to become something else."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_delta_schema.report.run_report import RunReport

HIDDEN_CHARACTERS = "\x00\x1b\u200b\u202e\u2066\ud800"

TEXT = f"""<script>hacked=1</script><img src=x onerror=hacked=1>"'`><!-- </details></pre>]]>&lt;{HIDDEN_CHARACTERS}\n"""
"""A text that adds elements, ends attributes and comments, and hides what follows, wherever it is not escaped; it has no dots, which part names."""

_FIXED = frozenset(
    {"code", "mode", "status", "outcome", "risk", "marker", "severity", "data_checks", "type", "version"}
)
"""What has a closed list of values, and codes, which are links."""


def hostile_report(report: RunReport) -> RunReport:
    """Return a report with :data:`TEXT` at the end of each text."""
    hostile: RunReport = _hostile(report)
    return hostile


def _hostile(value: Any) -> Any:
    if isinstance(value, str) and not isinstance(value, Enum):
        return f"{value}{TEXT}" if value else ""
    if is_dataclass(value) and not isinstance(value, type):
        parts = {field.name: getattr(value, field.name) for field in fields(value)}
        return type(value)(**_parts(parts))
    if hasattr(value, "_asdict"):
        return type(value)(**_parts(value._asdict()))
    if isinstance(value, dict):
        return _parts(value)
    return type(value)(map(_hostile, value)) if isinstance(value, (list, tuple)) else value


def _parts(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value if name in _FIXED else _hostile(value) for name, value in values.items()}
