"""Start a SQL warehouse, and wait until it runs."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Protocol

from pytest_delta_schema.backends.kit import escaped, step
from pytest_delta_schema.diagnostics.errors import BackendUnavailableError

if TYPE_CHECKING:
    from collections.abc import Callable

_LONGEST_PAUSE = 10.0


class Warehouses(Protocol):
    """The SQL warehouses of a workspace, as ``WorkspaceClient.warehouses`` of databricks-sdk has them."""

    def get(self, id: str) -> Any:  # noqa: A002 - the name of the package
        """Return a warehouse with its ``state`` and its ``health``."""
        ...

    def start(self, id: str) -> object:  # noqa: A002 - as above
        """Begin to start a warehouse."""
        ...


def start_warehouse(warehouses: Warehouses, warehouse: str, seconds: float, scrub: Callable[[str], str] = str) -> None:
    """Start a SQL warehouse that does not run, and log the progress until it does.

    Where the workspace does not tell its state, or refuses to start it, this is left to the connection.

    Raises:
        BackendUnavailableError: If it is deleted, stops while it starts, or does not run in time.
    """
    state, summary = _read(warehouses, warehouse)
    if state in ("", "RUNNING"):
        return
    begin, pause, was_asked, was_starting = time.monotonic(), 1.0, False, False

    def progress() -> str:
        return f"{state.lower()}, {time.monotonic() - begin:.0f} s so far"

    with step(escaped(f"starting the SQL warehouse {warehouse}"), progress):
        while state != "RUNNING":
            left = begin + seconds - time.monotonic()
            fault = _fault(state, was_starting=was_starting, late=f"{seconds:g} s" if left <= 0 else "")
            if fault is not None:
                fact, remedy = fault
                reason = f" ({escaped(scrub(summary))})" if summary else ""
                msg = f"the SQL warehouse {escaped(warehouse)} {fact}{reason}; {remedy}"
                raise BackendUnavailableError(msg)
            if state == "STOPPED" and not was_asked:
                was_asked = True
                if not _begin_to_start(warehouses, warehouse):
                    return
            was_starting = was_starting or state == "STARTING"
            time.sleep(min(pause, left))
            pause = min(2 * pause, _LONGEST_PAUSE)
            answer, summary = _read(warehouses, warehouse)
            # A lost answer says nothing.
            state = answer or state


def _fault(state: str, *, was_starting: bool, late: str) -> tuple[str, str] | None:
    """Return why a warehouse is not waited for any longer, as a fact and a remedy."""
    if state in ("DELETING", "DELETED"):
        return "is deleted", "set databricks_warehouse to a different one"
    if state == "STOPPED" and was_starting:
        return "stopped while it started", "see its events in the workspace"
    if late:
        remedy = "raise databricks_start_timeout, or start it before the run"
        return f"does not run after {late}, it is {state.lower()}", remedy
    return None


def _read(warehouses: Warehouses, warehouse: str) -> tuple[str, str]:
    """Return the state of a warehouse, and a summary of its problems; ``""`` for what the workspace does not tell."""
    try:
        details = warehouses.get(warehouse)
    except Exception:  # noqa: BLE001 - the connection reports its own errors
        return "", ""
    return getattr(details.state, "value", ""), getattr(details.health, "summary", None) or ""


def _begin_to_start(warehouses: Warehouses, warehouse: str) -> bool:
    """Return whether the workspace begins to start a warehouse."""
    try:
        warehouses.start(warehouse)
    except Exception:  # noqa: BLE001 - the connection starts it, or reports why not
        return False
    return True
