"""Delta's jars as files: resolved once by Delta's own helper and Spark's own resolver, and then taken by path."""

from __future__ import annotations

import errno
import json
import logging
import os
import shutil
import subprocess
import sys
import zipfile
import zlib
from typing import TYPE_CHECKING

from filelock import FileLock

from pytest_delta_schema.backends.local.session.download_progress import download_progress
from pytest_delta_schema.backends.local.session.machine_cache import cache_folder, checksum, using_cache
from pytest_delta_schema.backends.local.session.supported_versions import published_install_command, require_pair
from pytest_delta_schema.backends.spark.compat.pyspark_compat import builder_options, new_builder, spark_home
from pytest_delta_schema.diagnostics.errors import BackendUnavailableError
from pytest_delta_schema.progress import LOGGER, step

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_LOG = logging.getLogger(LOGGER)

NEEDED = ("io.delta_", "io.unitycatalog_unitycatalog-client")
"""The jars that Delta 4.4.0 needs beyond those of Spark; the other resolved jars are part of Spark."""

EXCLUDED = ("com.*:*", "commons-*:*", "io.airlift:*", "io.unitycatalog:unitycatalog-hadoop", "javax.*:*", "org.*:*")
"""Glob patterns of the modules that are not downloaded: of 33 modules and 89 MB, 6 and 13 MB are left (Delta 4.4.0)."""

_FULL = os.strerror(errno.ENOSPC)
_LAST_LINES = 5


def coordinates() -> str:
    """Return the Maven coordinates of the Delta that belongs to the installed Spark, as Delta's pip helper says.

    Raises:
        BackendUnavailableError: If the installed pyspark and delta-spark do not belong together.
    """
    require_pair()
    from delta import configure_spark_with_delta_pip

    return builder_options(configure_spark_with_delta_pip(new_builder({})))["spark.jars.packages"]


def delta_jars() -> list[Path]:
    """Return the jars that Delta needs, downloaded if they are not on this machine, or damaged.

    Raises:
        BackendUnavailableError: If they cannot be downloaded, or the cache cannot be used.
    """
    wanted = coordinates()
    folder = cache_folder() / "jars" / wanted.replace(":", "_")
    with using_cache():
        known = _kept(folder)
        if known:
            return known
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(str(folder) + ".lock"):
            return _kept(folder, warns=True) or _download(wanted, folder)


def _kept(folder: Path, *, warns: bool = False) -> list[Path]:
    """Return the jars of an earlier download; none if one is missing, or has not the checksum that was noted then."""
    try:
        noted = json.loads((folder / "jars.json").read_text("utf-8"))
        digests = {folder / "jars" / name: digest for name, digest in noted.items()}
        damaged = [path.name for path, digest in digests.items() if checksum(path) != digest]
    except (FileNotFoundError, ValueError, AttributeError):
        return []
    if damaged and warns:
        _LOG.warning("%s is damaged, and is downloaded again", ", ".join(damaged))
    return [] if damaged else list(digests)


def _download(wanted: str, folder: Path) -> list[Path]:
    """Resolve the jars by Spark's resolver, from its own copies first; if those are damaged, from the repository."""
    jars = _resolve(wanted, folder)
    if not all(map(_is_whole, jars)):
        shutil.rmtree(folder / "cache", ignore_errors=True)
        jars = _resolve(wanted, folder)
    damaged = [path.name for path in jars if not _is_whole(path)]
    if damaged:
        msg = f"{', '.join(damaged)} is still damaged after a new download; check the copy in the Maven repository"
        raise BackendUnavailableError(msg)
    noted = folder / "jars.json.new"
    noted.write_text(json.dumps({path.name: checksum(path) for path in jars}), "utf-8")
    os.replace(noted, folder / "jars.json")  # noqa: PTH105 - replaces on every system
    _LOG.info("downloaded %.0f MB", _size(folder.glob("jars/*.jar")))
    return jars


def _is_whole(jar: Path) -> bool:
    """Whether every entry of a jar can be read and has its checksum."""
    try:
        with zipfile.ZipFile(jar) as file:
            return file.testzip() is None
    except (zipfile.BadZipFile, zlib.error):
        return False


def _resolve(wanted: str, folder: Path) -> list[Path]:
    # The resolver leaves a jar that is there already as it is.
    shutil.rmtree(folder / "jars", ignore_errors=True)
    log = folder / "resolve.log"
    text = f"downloading {wanted} and what it needs, once for this machine"
    with (
        log.open("w", encoding="utf-8") as output,
        step(text, lambda: download_progress(folder), announced=True),
    ):
        process = subprocess.Popen(  # noqa: S603 - Spark's own launcher
            _command(wanted, folder), stdout=output, stderr=output, stdin=subprocess.DEVNULL, env=_environment()
        )
        process.wait()
    jars = [path for path in sorted(folder.glob("jars/*.jar")) if path.name.startswith(NEEDED)]
    if process.returncode or not jars:
        raise _failure(wanted, log)
    return jars


def _command(wanted: str, folder: Path) -> list[str]:
    script = folder / "nothing.py"
    script.write_text("# Run by spark-submit, which resolves packages before it runs anything.\n", "utf-8")
    submit = spark_home() / "bin" / "spark-submit"
    excluded = ("--exclude-packages", ",".join(EXCLUDED))
    return [str(submit), "--packages", wanted, *excluded, "--conf", f"spark.jars.ivy={folder}", str(script)]


def _environment() -> dict[str, str]:
    return {**os.environ, "SPARK_HOME": str(spark_home()), "PYSPARK_PYTHON": sys.executable}


def _size(paths: Iterable[Path]) -> float:
    return sum(path.stat().st_size for path in paths if path.exists()) / 1e6


def _failure(wanted: str, log: Path) -> Exception:
    lines = [line.strip() for line in log.read_text("utf-8", errors="replace").splitlines() if line.strip()]
    if any(_FULL in line for line in lines):
        return OSError(errno.ENOSPC, _FULL, str(log.parent))
    telling = [line for line in lines if "unresolved" in line or "not found" in line or "Exception" in line]
    cause = "\n  ".join((telling or lines)[-_LAST_LINES:])
    command = published_install_command()
    unpublished = f"; or install a delta-spark whose jar is published: {command}" if command else ""
    return BackendUnavailableError(
        f"{wanted} is not on this machine and could not be downloaded; name a Maven mirror in the variable"
        " DEFAULT_ARTIFACT_REPOSITORY, or a proxy in JAVA_TOOL_OPTIONS (-Dhttps.proxyHost=... -Dhttps.proxyPort=...),"
        f" or copy the folder {log.parent} from a machine that has it (guide: Images, caches and mirrors){unpublished}."
        f" The resolver said:\n  {cause}"
    )
