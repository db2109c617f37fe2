"""Write locations relative to the root of the sources, as services for code review expect them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pytest_delta_schema.history.git_commands import git_top
from pytest_delta_schema.plugin.source_links.ci_services import source_folders

if TYPE_CHECKING:
    from pytest_delta_schema.diagnostics.errors import Location


class SourceRoot:
    """Writes locations relative to the first folder that holds their file, of those that services and git name."""

    def __init__(self, root: Path) -> None:
        top = git_top(root)
        self._folders = [folder.resolve() for folder in (*source_folders(), *([top] if top is not None else []), root)]
        self._known: dict[str, str | None] = {}

    def relative(self, location: Location) -> Location | None:
        """Return a location with a relative path, with slashes; ``None`` if the file is outside of all folders."""
        if location.file not in self._known:
            self._known[location.file] = self._relative(Path(location.file))
        file = self._known[location.file]
        return None if file is None else location._replace(file=file)

    def is_own(self, location: Location) -> bool:
        """Whether a file is part of the project, and not of an installed package.

        The folders of the project may hold a virtual environment.
        """
        installed = {"site-packages", "dist-packages"}.intersection(Path(location.file).parts)
        return not installed and self.relative(location) is not None

    def _relative(self, file: Path) -> str | None:
        # Code that was compiled from a text has a name instead of a path.
        if not file.is_absolute():
            return None
        path = file.resolve()
        folder = next((folder for folder in self._folders if path.is_relative_to(folder)), None)
        return None if folder is None else path.relative_to(folder).as_posix()
