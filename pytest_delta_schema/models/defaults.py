"""Table properties that every table of a project gets unless it says otherwise."""

from __future__ import annotations

PropertyValue = str | bool | int | float | None
"""What an author may write for a property; ``None`` declares it absent."""

DEFAULT_TABLE_PROPERTIES: dict[str, PropertyValue] = {}
"""Merged under each table's own properties; empty unless the project fills it or sets ``delta_default_properties``."""
