"""Find since when a deprecation is released: the date in a model may be earlier than anybody could read it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timezone
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from pytest_delta_schema.diagnostics.errors import DeltaSchemaError
from pytest_delta_schema.history.git import HistoryError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_delta_schema.delta.names import ColumnPath
    from pytest_delta_schema.history.git import FileVersion, ReachableTag, Repository
    from pytest_delta_schema.state.states import TableState


@dataclass(frozen=True, slots=True, kw_only=True)
class Announcements:
    """The releases before a commit, as far as they say what is deprecated."""

    repository: Repository
    commit: str
    release_tags: Sequence[str] | None
    """Patterns of the tags that are releases; ``None`` if each commit of a branch is one."""
    fetch: str
    """The command that fetches the whole history."""
    read: Callable[[str, bytes], TableState]
    """Returns the state that a snapshot holds."""

    @property
    def released_on(self) -> date:
        """The day on which the commit was made."""
        return _day(self.repository.seconds(self.commit))

    def of(self, file: str, path: ColumnPath) -> date | str:
        """Return the day of the first release that has announced a deprecation, or why that is not known.

        It is the oldest one after which no release was without it.
        """
        try:
            first = self._first(file, path)
            if first is None:
                return f"it is not known since when it is announced; fetch the whole history: {self.fetch}"
            if self.release_tags is None:
                return _day(first.seconds)
            tags = (tag.seconds for tag in self._tags() if self.repository.contains(tag.commit, first.commit))
            return _day(min(tags, default=self.repository.seconds(self.commit)))
        except HistoryError as error:
            return f"it is not known since when it is announced: {error}"

    def _tags(self) -> Sequence[ReachableTag]:
        patterns = self.release_tags or ()
        tags = self.repository.reachable_tags()
        return [tag for tag in tags if any(fnmatchcase(tag.name, pattern) for pattern in patterns)]

    def _first(self, file: str, path: ColumnPath) -> FileVersion | None:
        first = None
        for version in self.repository.versions(self.commit, file):
            if not self._announces(version, file, path):
                return first
            first = version
        # The oldest commit of a shallow clone may have the file from before.
        return None if self.repository.is_shallow else first

    def _announces(self, version: FileVersion, file: str, path: ColumnPath) -> bool:
        content = self.repository.content(version.commit, file)
        try:
            return content is not None and path in self.read(file, content).deprecated
        except (DeltaSchemaError, ValueError, RecursionError):
            return False


def _day(seconds: int) -> date:
    return datetime.fromtimestamp(seconds, timezone.utc).date()
