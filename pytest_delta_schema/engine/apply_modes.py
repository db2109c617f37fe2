"""The modes of an apply: how its data checks run, what happens on a failure, and the risks that it may take."""

from __future__ import annotations

from typing import Literal

PreflightMode = Literal["count", "limit", "off"]
"""``count``: all rows that forbid a change are counted. ``limit``: the first one is enough. ``off``: none is run."""

FailurePolicy = Literal["leave", "restore"]
"""``leave``: a table that fails midway stays as it is. ``restore``: it is restored to its version before the apply."""

RiskLabel = Literal["metadata", "feature", "scan", "rewrite", "destructive"]
"""The risks of changes, from the lowest to the highest."""
