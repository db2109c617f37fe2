"""Check that an argument is a Settings."""

from __future__ import annotations

from pytest_delta_schema.configuration.settings import Settings, current_settings
from pytest_delta_schema.models.argument_checks.wrong_kinds import refuse_kind


def settings_or_current(value: object, subject: str) -> Settings:
    """Return settings; those in force for ``None``.

    Raises:
        DeclarationError: If it is something else.
    """
    if value is None:
        return current_settings()
    if not isinstance(value, Settings):
        remedy = "give Settings(...), or Settings.from_project(folder)"
        refuse_kind(subject, "settings of the kind Settings", value, remedy)
    return value
