"""The types of settings, and the modes of a run; apart from the table of settings, which every pytest run imports."""

from __future__ import annotations

from typing import Literal

SettingKind = Literal[
    "flag", "count", "seconds", "text", "uri", "backend", "folder", "choice", "list", "rules", "clients", "bindings",
    "pairs", "client features", "modes", "consents", "stores", "reports",
]  # fmt: skip
"""The types of settings. What a value looks like in each source is written down in ``setting_values.py``."""

CheckMode = Literal["drift", "apply", "sync-metadata", "enforce"]
"""How a run with a catalog checks tables."""

RunMode = Literal[CheckMode, "import"]
"""What a run with a catalog does."""
