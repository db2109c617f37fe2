"""The types of settings, and the modes of a run; apart from the table of settings, which every pytest run imports."""

from __future__ import annotations

from typing import Literal

SettingKind = Literal[
    "flag", "count", "seconds", "text", "uri", "backend", "folder", "choice", "list", "rules", "clients", "bindings",
    "pairs", "client features", "modes", "consents", "policies", "stores", "reports",
]  # fmt: skip
"""The types of settings. What a value looks like in each source is written down in ``setting_values.py``."""

CheckMode = Literal["drift", "apply", "sync-metadata", "enforce", "against"]
"""How a run checks tables beyond their declarations: with a catalog, or ``against`` earlier contracts."""

RunMode = Literal[CheckMode, "import", "adopt"]
"""What a run with a mode does."""
