"""The files and flags that the JVM of a local session is started with; what the cache does not hold is made."""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib.resources import files
from typing import TYPE_CHECKING

from pytest_delta_schema.backends.local.session.archive import ClassArchive, class_archive
from pytest_delta_schema.backends.local.session.jars import delta_jars
from pytest_delta_schema.backends.local.session.java import find_java
from pytest_delta_schema.backends.local.session.java_classes import classes_jar

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

OPTIONS = "spark.driver.extraJavaOptions"
CLASS_PATH = "spark.driver.extraClassPath"


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchResources:
    """The files and flags that a JVM is started with."""

    class_path: tuple[Path, ...]
    options: str
    """The flags of the JVM, without those of the archive."""
    archive: ClassArchive | None
    """The archive of classes; ``None`` if none is used."""

    @property
    def archive_is_kept(self) -> bool:
        """Whether the cache holds the archive."""
        return self.archive is not None and self.archive.path is not None

    def settings(self, conf: Mapping[str, str]) -> dict[str, str]:
        """Return the settings that give them to Spark.

        The class path of the given settings follows that of this package.
        """
        return {
            OPTIONS: f"{self.options} {self.archive.flags}" if self.archive else self.options,
            CLASS_PATH: ":".join([*map(str, self.class_path), *filter(None, [conf.get(CLASS_PATH)])]),
        }


def resources_for_start(conf: Mapping[str, str], *, archive: bool = True) -> LaunchResources:
    """Find Java, and download and compile what the cache does not hold; no JVM of Spark is started.

    Raises:
        BackendUnavailableError: If something is missing or does not work.
    """
    java = find_java()
    needs = needs_of_running(conf)
    return replace(needs, archive=class_archive(java, needs.class_path, needs.options)) if archive else needs


def needs_of_running(conf: Mapping[str, str]) -> LaunchResources:
    """Find what a JVM that runs already was started with; Java is not asked for its version.

    Raises:
        BackendUnavailableError: If something is missing or does not work.
    """
    jars = delta_jars()
    options = f"{conf.get(OPTIONS, '')} {_logging()}".strip()
    return LaunchResources(class_path=(*jars, classes_jar(jars)), options=options, archive=None)


def _logging() -> str:
    return f'-Dlog4j2.configurationFile="{files(__package__).joinpath("log4j2.properties")}"'
