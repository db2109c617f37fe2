"""Keeps syrupy from deleting snapshots that a run merely did not reach.

syrupy 7.0 takes every snapshot that was not used for an orphan, also after ``--collect-only``, ``-x``, a collection
error or a test that fails before its assertion (all run). So it may clean up after complete and green runs only.
"""

from __future__ import annotations

import pytest

_SELECTING = ("keyword", "markexpr", "lf", "stepwise", "deselect")


def protect_on_collect_only(config: pytest.Config) -> None:
    """Keep ``--collect-only`` from failing: nothing runs, so nothing is used, and nothing is unused."""
    if hasattr(config.option, "disable_unused_snapshots"):
        config.option.disable_unused_snapshots = True


def protect_after_run(session: pytest.Session, exitstatus: int | pytest.ExitCode) -> None:
    """Forbid the clean-up unless everything was selected, everything ran, and everything passed."""
    option = session.config.option
    selected = any(getattr(option, name, None) for name in _SELECTING)
    chosen = any("::" in arg for arg in session.config.args)
    stopped = session.shouldstop or session.shouldfail
    if exitstatus != pytest.ExitCode.OK or stopped or selected or chosen:
        option.no_cleanup = True
