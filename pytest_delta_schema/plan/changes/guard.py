"""What keeps changes from being empty."""

from __future__ import annotations


def require_change(action: object, condition: bool) -> None:  # noqa: FBT001 - a guard
    """Refuse an action that would change nothing.

    Raises:
        ValueError: If ``condition`` does not hold.
    """
    if not condition:
        msg = f"{type(action).__name__} would change nothing; leave it out of the plan"
        raise ValueError(msg)
