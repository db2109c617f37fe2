"""The faults of one setting."""

from __future__ import annotations

from pytest_delta_schema.diagnostics.redaction import redacted_uris


class SettingError(Exception):
    """A setting cannot have a value; readers of a configuration collect the faults of all settings."""

    def __init__(self, *faults: str) -> None:
        self.faults = faults
        super().__init__("\n".join(faults))


def setting_text(value: object) -> str:
    """Return a value for a message, without the secrets that a URI may hold."""
    return redacted_uris(repr(value))
