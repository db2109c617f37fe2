"""The class-data archive: what one JVM has loaded, kept for the next, which then starts in a good half of the time."""

from __future__ import annotations

import hashlib
import os
import time
from pathlib import Path  # noqa: TC003 - the named tuple's annotation
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO

from filelock import FileLock, Timeout

from pytest_delta_schema.catalogs.spark.cache import cache_folder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_delta_schema.catalogs.spark.java import Java

# An archive that does not fit is no reason to speak: the JVM then starts as if there were none.
_QUIET = "-Xshare:auto -Xlog:cds=off -Xlog:cds+dynamic=off"


class ClassArchive(NamedTuple):
    """Where the archive for one Java, class path and set of flags lies, whether it is there or not."""

    path: Path

    @property
    def exists(self) -> bool:
        """Whether it has been written."""
        return self.path.is_file()

    @property
    def flags(self) -> str:
        """What to tell the JVM: take the archive, or note what would go into one."""
        if self.exists:
            return f'-XX:SharedArchiveFile="{self.path}" {_QUIET}'
        return f"-XX:+RecordDynamicDumpInfo {_QUIET}"

    def write(self, jvm: Any, stream: TextIO) -> bool:
        """Write the archive of a running JVM that was told to note; others that try at the same time go on without.

        Args:
            jvm: The py4j view of the JVM.
            stream: Where to say so, because it takes some seconds.

        Returns:
            Whether it was written.
        """
        from py4j.protocol import Py4JError

        if self.exists:
            return False
        scratch = self.path.with_suffix(f".{os.getpid()}")
        try:
            with FileLock(str(self.path) + ".lock", timeout=0):
                start = time.monotonic()
                print("delta schema: keeping the JVM's classes, once; later starts are faster", file=stream, flush=True)
                jvm.pytest_delta_schema.ClassArchive.dump(str(scratch))
                os.replace(scratch, self.path)  # noqa: PTH105 - replaces on every system
                size, took = self.path.stat().st_size / 1e6, time.monotonic() - start
                print(f"delta schema: kept {size:.0f} MB in {took:.0f} s", file=stream, flush=True)
        except (OSError, Timeout, Py4JError) as error:
            if not isinstance(error, Timeout):
                print(f"delta schema: the classes were not kept ({type(error).__name__})", file=stream, flush=True)
            scratch.unlink(missing_ok=True)
            return False
        return True


def class_archive(java: Java, class_path: Sequence[Path], options: str) -> ClassArchive:
    """Return the archive for a JVM that is started like this.

    Args:
        java: The Java runtime; its full version is part of the key.
        class_path: Jars in order; their sizes and times are part of the key, for the JVM checks them.
        options: The other flags.
    """
    key = hashlib.sha256(f"{java.version}\0{options}".encode())
    for jar in class_path:
        status = jar.stat()
        key.update(f"{jar}\0{status.st_size}\0{status.st_mtime_ns}".encode())
    folder = cache_folder() / "archives"
    folder.mkdir(parents=True, exist_ok=True)
    return ClassArchive(folder / f"{key.hexdigest()[:16]}.jsa")
