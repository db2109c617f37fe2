"""The stack of the settings in force; ``table`` has all settings that there are.

Every pytest run pushes its settings, also one without tables, so this module does not know what they are made of.
"""

from __future__ import annotations

from threading import RLock
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


class PushedSettings:
    """One entry of the stack, which computes its settings when they are needed first.

    ``source`` is called at most once, and ``catalog`` returns ``None`` if the run has no catalog now.
    """

    def __init__(self, source: Callable[[], Any], catalog: Callable[[], Any]) -> None:
        self.catalog = catalog
        self._source = source
        self._settings: Any = None
        self._lock = RLock()

    def settings(self) -> Any:
        """Return the settings."""
        with self._lock:
            if self._settings is None:
                self._settings = self._source()
            return self._settings


_STACK: list[PushedSettings] = []
"""The settings in force, the innermost last; all threads of the process see them."""


def _no_catalog() -> None:
    return None


def push_settings(source: Callable[[], Any], catalog: Callable[[], Any] = _no_catalog) -> PushedSettings:
    """Put settings in force until they are popped, and return the entry for :func:`pop_settings`.

    ``source`` returns the settings, and is called when they are needed first. ``catalog`` returns the catalog of the
    run, or ``None`` if it has none now; it is called whenever it is needed.
    """
    pushed = PushedSettings(source, catalog)
    _STACK.append(pushed)
    return pushed


def pop_settings(pushed: PushedSettings) -> None:
    """Remove an entry that :func:`push_settings` returned, and those that were pushed after it."""
    if pushed in _STACK:
        del _STACK[_STACK.index(pushed) :]


def innermost() -> PushedSettings | None:
    """Return the entry that was pushed last; ``None`` if there is none."""
    return _STACK[-1] if _STACK else None
