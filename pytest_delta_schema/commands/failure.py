"""How commands end when they cannot do what they should."""

from __future__ import annotations

import sys

from pytest_delta_schema.diagnostics.text import printed


def failed(*reasons: object) -> int:
    """Write each reason to standard error, and return the exit code: 0 without a reason."""
    for reason in reasons:
        sys.stderr.write(f"error: {printed(reason)}\n")
    return 1 if reasons else 0
