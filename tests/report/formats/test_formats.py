"""The registry of report types."""

from __future__ import annotations

from typing import get_args

import pytest

from pytest_delta_schema.report.formats import FORMATS
from pytest_delta_schema.settings.table import ReportType
from support.reports.run_reports import sample_report


def test_every_type_has_a_format():
    assert set(FORMATS) == set(get_args(ReportType))


@pytest.mark.parametrize("form", FORMATS.values(), ids=list(FORMATS))
def test_files_are_texts_and_terminals_get_lines(form):
    content = form.write(sample_report())

    if form.extension:
        assert isinstance(content, str)
        assert content.endswith("\n")
    else:
        assert all("\n" not in line for line in content)
        assert content
