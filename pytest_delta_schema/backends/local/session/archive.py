"""Keep an archive of the classes that a JVM has loaded (CDS), so later JVMs start in about half the time."""

from __future__ import annotations

import hashlib
import logging
import os
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from filelock import FileLock, Timeout

from pytest_delta_schema.backends.local.session.machine_cache import cache_folder, keep_file, kept_file, using_cache
from pytest_delta_schema.diagnostics.errors import first_line, os_error_text
from pytest_delta_schema.progress import LOGGER, step
from pytest_delta_schema.settings.text import toml_setting

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pytest_delta_schema.backends.local.session.java import Java

_LOG = logging.getLogger(LOGGER)

# The JVM starts as if there were no archive if one does not fit, and logs nothing.
_SUFFIX = ".jsa"
_QUIET = "-Xshare:auto -Xlog:cds=off -Xlog:cds+dynamic=off"


@dataclass(frozen=True, slots=True)
class ClassArchive:
    """The archive for one Java runtime, class path and set of flags, whether it exists or not."""

    folder: Path
    key: str
    """The hash of what the archive depends on."""
    path: Path | None
    """The archive, if it exists and its checksum is right."""

    @property
    def flags(self) -> str:
        """The flags for the JVM: use the archive, or record the classes for a new one."""
        if self.path is not None:
            return f'-XX:SharedArchiveFile="{self.path}" {_QUIET}'
        return f"-XX:+RecordDynamicDumpInfo {_QUIET}"

    def write(self, jvm: Any) -> bool:
        """Write the archive of a running JVM that was started to record its classes; one process at a time does.

        It returns whether the archive was written.
        """
        from py4j.protocol import Py4JError

        if self.path is not None:
            return False
        scratch = self.folder / f"{self.key}.{os.getpid()}"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with FileLock(self.folder / f"{self.key}.lock", timeout=0):
                if kept_file(self.folder, self.key, _SUFFIX) is not None:
                    return False
                with step("writing an archive of the JVM's classes, once; later starts are faster", announced=True):
                    jvm.pytest_delta_schema.ClassArchive.dump(str(scratch))
                    keep_file(scratch, self.folder, self.key, _SUFFIX)
        except Timeout:  # another process writes it
            return False
        except (OSError, Py4JError) as error:
            _LOG.warning(
                "the JVM's classes cannot be kept in %s: %s; set XDG_CACHE_HOME to a folder that can be written, or"
                " set %s",
                self.folder,
                os_error_text(error) if isinstance(error, OSError) else first_line(error),
                toml_setting("jvm_archive", value=False),
            )
            with suppress(OSError):
                scratch.unlink(missing_ok=True)
            return False
        return True


def class_archive(java: Java, class_path: Sequence[Path], options: str) -> ClassArchive:
    """Return the archive for a JVM with this runtime, class path and flags.

    The full version of the runtime, and the sizes and times of the jars, are part of the key, because the JVM checks
    them.
    """
    key = hashlib.sha256(f"{java.version}\0{options}".encode())
    for jar in class_path:
        status = jar.stat()
        key.update(f"{jar}\0{status.st_size}\0{status.st_mtime_ns}".encode())
    folder = cache_folder() / "archives"
    name = key.hexdigest()[:16]
    with using_cache():
        return ClassArchive(folder, name, kept_file(folder, name, _SUFFIX))
