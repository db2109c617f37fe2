"""The formats of report files."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pytest_delta_schema.configuration.report_targets import ReportFile


class ReportFormat(NamedTuple):
    """How reports of one type are written."""

    function: str
    """Module and name of a function that takes a :class:`~pytest_delta_schema.report.run_report.RunReport`, and returns
    the text of the file, or the lines for the terminal; its module is imported for the first report."""
    extension: str = ""
    """The extension of its files; ``""`` if it is written to the terminal."""
    summary: str = ""
    """Module and name of a function that returns a text besides; ``""`` for none."""
    summary_variable: str = ""
    """The environment variable that names the file to which that text is appended."""
    package: str = ""
    """The package that it needs, from the extra of its name; ``""`` for none."""

    def write(self, report: Any) -> Any:
        """Return the text of the file, or the lines for the terminal."""
        return _loaded(self.function)(report)

    def write_summary(self, report: Any) -> str:
        """Return the text that is appended to a file."""
        text: str = _loaded(self.summary)(report)
        return text


def _loaded(function: str) -> Any:
    module, _, name = function.partition(":")
    return getattr(import_module(module), name)


_PACKAGE = "pytest_delta_schema.report"

FORMATS: Mapping[str, ReportFormat] = MappingProxyType(
    {
        "json": ReportFormat(f"{_PACKAGE}.json_report:report_text", "json"),
        "markdown": ReportFormat(f"{_PACKAGE}.markdown:pull_request_comment", "md"),
        "html": ReportFormat(f"{_PACKAGE}.html_report:html_page", "html", package="jinja2"),
        "sarif": ReportFormat(f"{_PACKAGE}.ci_formats:sarif_json", "sarif"),
        "gitlab": ReportFormat(f"{_PACKAGE}.ci_formats:gitlab_json", "gitlab.json"),
        "github": ReportFormat(
            f"{_PACKAGE}.ci_formats:github_lines",
            summary=f"{_PACKAGE}.markdown:step_summary",
            summary_variable="GITHUB_STEP_SUMMARY",
        ),
        "azure": ReportFormat(f"{_PACKAGE}.ci_formats:azure_lines"),
    }
)
"""The types of reports; a test holds that no type is missing."""

EXTENSIONS: Mapping[str, str] = MappingProxyType({type_: form.extension for type_, form in FORMATS.items()})
"""The extension of the files of each type; ``""`` for those that are written to the terminal."""


def missing_packages(reports: Iterable[ReportFile]) -> Iterator[str]:
    """Yield a message for each type of report that needs a package that is not installed."""
    for type_ in dict.fromkeys(report.type for report in reports):
        package = FORMATS[type_].package
        if package and find_spec(package) is None:
            install = f'pip install "pytest-delta-schema[{type_}]"'
            yield f"report {type_}: it needs {package}, which is not installed; run: {install}"
