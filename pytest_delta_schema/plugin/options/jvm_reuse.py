"""Decide whether a run keeps its JVM for the next one, with ``--delta-keep-jvm``."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_delta_schema.plugin.compat.pytest_compat import is_overridden
from pytest_delta_schema.plugin.compat.xdist_compat import is_distributed
from pytest_delta_schema.plugin.options.backend import SESSION_FIXTURES
from pytest_delta_schema.progress import LOGGER
from pytest_delta_schema.settings.table import BY_NAME

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pytest

    from pytest_delta_schema.plugin.options.option_values import Options

_LOG = logging.getLogger(LOGGER)


def keep_jvm_seconds(request: pytest.FixtureRequest, options: Options) -> float | None:
    """Return for how long the JVM of a run may be idle afterwards; ``None``, with a warning if asked, to end it."""
    if options.keep_jvm is None:
        return None
    reason = why_jvm_is_not_reused(request.config)
    overridden = [name for name in SESSION_FIXTURES if is_overridden(request, [name])]
    if not reason and overridden:
        reason = f"the project overrides {' and '.join(overridden)}"
    if not reason and Path.cwd() != request.config.invocation_params.dir:
        # Relative paths of tests start there, in the JVM as well, and each folder would keep a JVM.
        reason = "the working folder was changed before the session was started"
    if reason:
        _LOG.warning("%s has no effect: %s", BY_NAME["keep_jvm"].option, reason)
        return None
    return options.keep_jvm


def why_jvm_is_not_reused(
    config: pytest.Config, environment: Mapping[str, str] = os.environ, system: str = os.name
) -> str:
    """Return why a run cannot keep a JVM; ``""`` if it can."""
    if system != "posix":
        return "it needs Linux or macOS"
    if environment.get("CI"):
        return "the variable CI is set, and a machine of CI must not keep processes"
    if is_distributed(config):
        return "xdist runs the tests in several processes, each with its own JVM"
    return ""
