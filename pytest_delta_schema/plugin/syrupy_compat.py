"""The undocumented behaviour of syrupy that the plugin changes: which snapshots it deletes.

syrupy 7.0 deletes every snapshot that was not used, also after ``--collect-only``, ``-x``, a collection error or a test
that fails before its assertion. So it may clean up only after complete runs that pass.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable

VERSIONS = {"syrupy": ">=5,<8"}
"""The versions with which the names of these options were tested."""

_BEFORE = pytest.StashKey[bool]()
_SELECTING = ("keyword", "markexpr", "lf", "stepwise", "deselect")


def find_no_unused(config: pytest.Config) -> None:
    """Keep syrupy from looking for unused snapshots when the session ends."""
    if hasattr(config.option, "disable_unused_snapshots"):
        config.stash[_BEFORE] = config.option.disable_unused_snapshots
        config.option.disable_unused_snapshots = True


def report_no_unused(config: pytest.Config) -> None:
    """Keep the report of syrupy, which comes next, from mentioning that it has not looked for unused snapshots."""
    if _BEFORE in config.stash:
        config.option.disable_unused_snapshots = config.stash[_BEFORE]


def mark_as_skipped(config: pytest.Config, node_ids: Iterable[str]) -> None:
    """Mark items as skipped for syrupy, so that their snapshots do not count as unused.

    Args:
        config: The run's configuration.
        node_ids: Of items that ended before they compared their snapshot.
    """
    from syrupy.session import ItemStatus

    session: Any = getattr(config, "_syrupy", None)
    for node_id in node_ids if session is not None else ():
        session._selected_items[node_id] = ItemStatus.SKIPPED  # noqa: SLF001 - there is no public way


def protect_after_run(session: pytest.Session, exitstatus: int | pytest.ExitCode) -> None:
    """Forbid the clean-up unless everything was selected, everything ran, and everything passed."""
    option = session.config.option
    selected = any(getattr(option, name, None) for name in _SELECTING)
    chosen = any("::" in arg for arg in session.config.args)
    stopped = session.shouldstop or session.shouldfail
    if exitstatus != pytest.ExitCode.OK or stopped or selected or chosen:
        option.no_cleanup = True
