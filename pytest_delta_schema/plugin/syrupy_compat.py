"""The undocumented behaviour of syrupy that the plugin changes: which snapshots it deletes.

syrupy 7.0 deletes every snapshot that was not used, also after ``--collect-only``, ``-x``, a collection error or a test
that fails before its assertion. So it may clean up only after complete runs that pass.
"""

from __future__ import annotations

import pytest

VERSIONS = {"syrupy": ">=5,<8"}
"""The versions with which the names of these options were tested."""

_SELECTING = ("keyword", "markexpr", "lf", "stepwise", "deselect")


def protect_on_collect_only(config: pytest.Config) -> None:
    """Prevent ``--collect-only`` from failing: no test runs, so no snapshot is unused."""
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
