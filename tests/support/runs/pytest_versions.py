"""What the installed pytest lacks."""

from __future__ import annotations

import pytest

reads_tool_pytest = pytest.mark.skipif(
    pytest.version_tuple < (9,), reason="pytest 8 does not read [tool.pytest], and the plugin says so"
)
"""For tests of projects that configure pytest in ``[tool.pytest]``."""
