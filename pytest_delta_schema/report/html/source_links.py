"""Links to declarations, where the address of the sources is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from pytest_delta_schema.report.html.markup import NOTHING, Html, element, text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_delta_schema.diagnostics.errors import Location
    from pytest_delta_schema.report.report_entries import Run, TableReport
    from pytest_delta_schema.report.run_report import RunReport


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceLinks:
    """The addresses of the sources of a report."""

    report: RunReport

    def of(self, table: TableReport) -> str:
        """Return the address of the sources from which a table was checked; ``""`` if it is not known."""
        return _only(run for run in self.report.runs if (run.mode, run.backend) == (table.mode, table.backend))

    def of_all_runs(self) -> str:
        """Return the address of the sources of all runs; ``""`` if it is not known, or not the same."""
        return _only(self.report.runs)


def _only(runs: Iterable[Run]) -> str:
    urls = {run.source_url for run in runs}
    url = urls.pop() if len(urls) == 1 else ""
    return url if urlsplit(url).scheme in {"http", "https"} else ""


def location_link(location: Location | None, source_url: str, near: Location | None = None) -> Html:
    """Return a location as text, which is a link if the address of the sources is known.

    ``near`` is a location that was shown before: of another in its file only the line is shown.
    """
    if location is None:
        return NOTHING
    shown = text(f"line {location.line}" if near and near.file == location.file else f"{location.file}:{location.line}")
    if not source_url:
        return element("span", shown)
    path = quote(location.file, errors="replace")
    return element("a", shown, href=f"{source_url.rstrip('/')}/{path}{_lines(location, source_url)}")


def _lines(location: Location, source_url: str) -> str:
    """Return the end of a link, which names the lines."""
    last = location.end_line or location.line
    if urlsplit(source_url).query:
        # Azure Repos marks the text up to the first column of the line behind the last one.
        return f"&line={location.line}&lineEnd={last + 1}&lineStartColumn=1&lineEndColumn=1"
    # GitHub and GitLab both read this fragment.
    return f"#L{location.line}" if last == location.line else f"#L{location.line}-L{last}"
