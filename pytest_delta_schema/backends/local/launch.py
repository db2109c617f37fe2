"""What a local JVM is started with, kept in a cache: Java, jars of Delta, and compiled classes."""

from __future__ import annotations

import errno
import hashlib
import json
import logging
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import zipfile
import zlib
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from filelock import FileLock, Timeout
from platformdirs import user_cache_path

from pytest_delta_schema.backends.local.session import published_install_command, require_pair
from pytest_delta_schema.backends.spark.compat import builder_options, new_builder, spark_home
from pytest_delta_schema.diagnostics.errors import BackendUnavailableError, first_line, os_error_text
from pytest_delta_schema.progress import LOGGER, step

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence


_LOG = logging.getLogger(LOGGER)

OPTIONS = "spark.driver.extraJavaOptions"
CLASS_PATH = "spark.driver.extraClassPath"

ARCHIVE_VARIABLE = "PYTEST_DELTA_SCHEMA_JVM_ARCHIVE"
"""The environment variable with which ``off`` makes runs of pytest use, and write, no archive of the JVM's classes."""


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
        """Return the settings that give them to Spark."""
        return {
            OPTIONS: f"{self.options} {self.archive.flags}" if self.archive else self.options,
            CLASS_PATH: ":".join([*map(str, self.class_path), *filter(None, [conf.get(CLASS_PATH)])]),
        }


def resources_for_start(conf: Mapping[str, str], *, archive: bool = True) -> LaunchResources:
    """Find Java, and download and compile what the cache does not hold; no JVM of Spark is started."""
    java = find_java()
    jars = delta_jars()
    class_path = (*jars, classes_jar(jars))
    logging_option = f'-Dlog4j2.configurationFile="{files(__package__).joinpath("log4j2.properties")}"'
    options = f"{conf.get(OPTIONS, '')} {logging_option}".strip()
    kept = class_archive(java, class_path, options) if archive else None
    return LaunchResources(class_path=class_path, options=options, archive=kept)


OLDEST = 17
"""Oldest Java that Spark 4 runs on (source: Spark's documentation)."""

_VERSION_SECONDS = 30.0
"""Seconds to wait for the version of Java; it usually takes a tenth of one."""

_LONGEST = 120
"""Characters of the output that a message shows."""


class Java(NamedTuple):
    """A Java runtime: its program, and the whole output of its version."""

    program: str
    version: str


def find_java() -> Java:
    """Find the Java that Spark's launcher uses: ``JAVA_HOME`` first, then the search path."""
    home = os.environ.get("JAVA_HOME")
    program = str(Path(home, "bin", "java")) if home else shutil.which("java")
    if program is None or shutil.which(program) is None:
        in_home = f"JAVA_HOME is {home}, but there is no program bin/java in it"
        raise BackendUnavailableError(_unfit(in_home if home else "there is no java on the PATH"))
    version = _ask(program)
    match = re.search(r'version "(\d+)', version)
    if match is None or int(match.group(1)) < OLDEST:
        lines = [line for line in version.splitlines() if "version" in line] or version.splitlines()
        answer = f"answers {lines[0][:_LONGEST]!r}" if lines else "does not print its version"
        raise BackendUnavailableError(_unfit(f"{program} {answer}"))
    return Java(program, version)


@lru_cache(maxsize=8)
def _ask(program: str) -> str:
    # Java prints its version on standard error.
    try:
        return run([program, "-version"], _VERSION_SECONDS).text
    except OSError as error:
        raise BackendUnavailableError(_unfit(f"{program} cannot be run: {os_error_text(error)}")) from error
    except subprocess.TimeoutExpired as error:
        fact = f"{program} did not print its version within {_VERSION_SECONDS:g} seconds"
        raise BackendUnavailableError(_unfit(fact)) from error


def _unfit(fact: str) -> str:
    return f"Spark needs Java {OLDEST} or newer, and {fact}; install a JRE {OLDEST} and set JAVA_HOME to its folder"


class Result(NamedTuple):
    """The standard error of a program, and its exit code."""

    code: int
    text: str


def run(command: Sequence[str], seconds: float) -> Result:
    """Run a program and return its standard error; its standard output is discarded."""
    process = subprocess.Popen(  # noqa: S603 - a Java that the user has chosen
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        output = process.communicate(timeout=seconds)[1]
    except BaseException:
        _kill(process)
        raise
    return Result(process.returncode, output.decode("utf-8", errors="replace").strip())


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a program and, where the system has process groups, the processes that it has started."""
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError):  # it has just ended
            os.killpg(process.pid, signal.SIGKILL)
    else:  # pragma: no cover - Windows
        process.kill()
    process.wait()
    if process.stderr is not None:
        process.stderr.close()


NEEDED = ("io.delta_", "io.unitycatalog_unitycatalog-client")
"""The jars that Delta 4.4.0 needs beyond those of Spark; the other resolved jars are part of Spark."""

EXCLUDED = ("com.*:*", "commons-*:*", "io.airlift:*", "io.unitycatalog:unitycatalog-hadoop", "javax.*:*", "org.*:*")
"""Glob patterns of the modules that are not downloaded: of 33 modules and 89 MB, 6 and 13 MB are left (Delta 4.4.0)."""

_FULL = os.strerror(errno.ENOSPC)
_LAST_LINES = 5


def coordinates() -> str:
    """Return the Maven coordinates of the Delta that belongs to the installed Spark, as Delta's pip helper says."""
    require_pair()
    from delta import configure_spark_with_delta_pip

    return builder_options(configure_spark_with_delta_pip(new_builder({})))["spark.jars.packages"]


def delta_jars() -> list[Path]:
    """Return the jars that Delta needs, downloaded if they are not on this machine, or damaged."""
    wanted = coordinates()
    folder = cache_folder() / "jars" / wanted.replace(":", "_")
    with using_cache():
        known = _kept_jars(folder)
        if known:
            return known
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(str(folder) + ".lock"):
            return _kept_jars(folder, warns=True) or _download(wanted, folder)


def _kept_jars(folder: Path, *, warns: bool = False) -> list[Path]:
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
    _LOG.info("downloaded %.0f MB", _size(folder.glob("jars/*.jar")) / 1e6)
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
    environment = {**os.environ, "SPARK_HOME": str(spark_home()), "PYSPARK_PYTHON": sys.executable}
    with (
        log.open("w", encoding="utf-8") as output,
        step(text, announced=True),
    ):
        process = subprocess.Popen(  # noqa: S603 - Spark's own launcher
            _resolve_command(wanted, folder), stdout=output, stderr=output, stdin=subprocess.DEVNULL, env=environment
        )
        process.wait()
    jars = [path for path in sorted(folder.glob("jars/*.jar")) if path.name.startswith(NEEDED)]
    if process.returncode or not jars:
        raise _download_failure(wanted, log)
    return jars


def _resolve_command(wanted: str, folder: Path) -> list[str]:
    script = folder / "nothing.py"
    script.write_text("# Run by spark-submit, which resolves packages before it runs anything.\n", "utf-8")
    submit = spark_home() / "bin" / "spark-submit"
    excluded = ("--exclude-packages", ",".join(EXCLUDED))
    return [str(submit), "--packages", wanted, *excluded, "--conf", f"spark.jars.ivy={folder}", str(script)]


def _download_failure(wanted: str, log: Path) -> Exception:
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


def _size(paths: Iterable[Path]) -> int:
    size = 0
    for path in paths:
        with suppress(OSError):  # renamed since it was listed
            size += path.stat().st_size
    return size


CATALOG_CLASS = "pytest_delta_schema.NamespacedDeltaCatalog"
READER_CLASS = "pytest_delta_schema.StateReader"
LISTER_CLASS = "pytest_delta_schema.FileLister"
SETTINGS_CLASS = "pytest_delta_schema.SettingsHash"
FILE_SYSTEMS = {
    "spark.hadoop.fs.file.impl": "pytest_delta_schema.NioFileSystem",
    "spark.hadoop.fs.AbstractFileSystem.file.impl": "pytest_delta_schema.NioFs",
}
"""Settings by which Spark writes local files without the processes that Hadoop starts; for JVMs with the classes."""

_BUILDER = "Build.java"
_EPOCH = (1980, 1, 1, 0, 0, 0)
_COMPILER_SECONDS = 120.0
"""Seconds that the compiler may take; it needs about two."""


def spark_jars() -> Path:
    """Return the folder of the jars that come with the installed Spark."""
    home = spark_home()
    if not (home / "jars").is_dir():
        msg = f"SPARK_HOME is {home}, but there is no Spark in it; unset SPARK_HOME to use the installed pyspark"
        raise BackendUnavailableError(msg)
    return home / "jars"


def classes_jar(jars: Sequence[Path], java: Callable[[], Java] = find_java) -> Path:
    """Return the jar with the Java classes of this package, compiled once for each Spark, Delta and source."""
    sources = {path.name: path.read_bytes() for path in files(__package__).joinpath("java_sources").iterdir()}
    key = hashlib.sha256()
    for part in (*sorted(sources.items()), *sorted(path.name for path in jars), spark_jars()):
        key.update(repr(part).encode())
    folder, name = cache_folder() / "classes", key.hexdigest()[:16]
    with using_cache():
        archive = kept_file(folder, name, ".jar")
        if archive is not None:
            return archive
        folder.mkdir(parents=True, exist_ok=True)
        text = "compiling the Java classes of the local catalog, once for this Spark and Delta"
        with tempfile.TemporaryDirectory(dir=folder) as scratch, step(text, announced=True):
            _build(sources, jars, java(), Path(scratch))
            # If several processes compile at once, the last one writes the same bytes again.
            return keep_file(Path(scratch, "classes.jar"), folder, name, ".jar")


def _build(sources: dict[str, bytes], jars: Sequence[Path], java: Java, scratch: Path) -> None:
    classes = scratch / "classes"
    classes.mkdir()
    for name, text in sources.items():
        (scratch / name).write_bytes(text)
    class_path = os.pathsep.join([*map(str, jars), str(spark_jars() / "*")])
    compiled = [str(scratch / name) for name in sorted(sources) if name != _BUILDER]
    compiler = [java.program, "-cp", class_path, "org.codehaus.janino.SimpleCompiler", str(scratch / _BUILDER)]
    try:
        answer = run([*compiler, "pytest_delta_schema.Build", str(classes), *compiled], _COMPILER_SECONDS)
    except subprocess.TimeoutExpired as error:
        msg = (
            f"{java.program} did not compile the catalog classes within {_COMPILER_SECONDS:g} seconds;"
            " set JAVA_HOME to the folder of a JRE 17"
        )
        raise BackendUnavailableError(msg) from error
    class_files = sorted(classes.rglob("*.class"))
    if answer.code or not class_files:
        if _FULL in answer.text:
            raise OSError(errno.ENOSPC, _FULL, str(classes))
        errors = answer.text.splitlines() or ["the compiler said nothing"]
        msg = (
            f"the catalog classes do not fit the installed Spark and Delta; use a supported pair. It said: {errors[0]}"
        )
        raise BackendUnavailableError(msg)
    with zipfile.ZipFile(scratch / "classes.jar", "w") as jar:
        for path in class_files:
            # A fixed date, so the same source gives the same bytes.
            jar.writestr(zipfile.ZipInfo(path.relative_to(classes).as_posix(), _EPOCH), path.read_bytes())


# The JVM starts as if there were no archive if one does not fit, and logs nothing.
_ARCHIVE_SUFFIX = ".jsa"
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
        """Write the archive of a running JVM that was started to record its classes; one process at a time does."""
        from py4j.protocol import Py4JError

        if self.path is not None:
            return False
        scratch = self.folder / f"{self.key}.{os.getpid()}"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with FileLock(self.folder / f"{self.key}.lock", timeout=0):
                if kept_file(self.folder, self.key, _ARCHIVE_SUFFIX) is not None:
                    return False
                with step("writing an archive of the JVM's classes, once; later starts are faster", announced=True):
                    jvm.pytest_delta_schema.ClassArchive.dump(str(scratch))
                    keep_file(scratch, self.folder, self.key, _ARCHIVE_SUFFIX)
        except Timeout:  # another process writes it
            return False
        except (OSError, Py4JError) as error:
            _LOG.warning(
                "the JVM's classes cannot be kept in %s: %s; set XDG_CACHE_HOME to a folder that can be written, or"
                " set the environment variable %s",
                self.folder,
                os_error_text(error) if isinstance(error, OSError) else first_line(error),
                f"{ARCHIVE_VARIABLE}=off",
            )
            with suppress(OSError):
                scratch.unlink(missing_ok=True)
            return False
        return True


def class_archive(java: Java, class_path: Sequence[Path], options: str) -> ClassArchive:
    """Return the archive for a JVM with this runtime, class path and flags; the JVM checks the times of jars."""
    key = hashlib.sha256(f"{java.version}\0{options}".encode())
    for jar in class_path:
        status = jar.stat()
        key.update(f"{jar}\0{status.st_size}\0{status.st_mtime_ns}".encode())
    folder = cache_folder() / "archives"
    name = key.hexdigest()[:16]
    with using_cache():
        return ClassArchive(folder, name, kept_file(folder, name, _ARCHIVE_SUFFIX))


_BLOCK = 1 << 20


def cache_folder() -> Path:
    """Return the user's cache folder of this package, which may not exist yet."""
    return Path(user_cache_path("pytest_delta_schema"))


@contextmanager
def using_cache() -> Iterator[None]:
    """Turn an ``OSError`` of the cache into one line that names the folder and the remedy."""
    try:
        yield
    except OSError as error:
        msg = (
            f"the cache folder {cache_folder()} cannot be used: {os_error_text(error)};"
            " set XDG_CACHE_HOME to a folder that can be written and has 300 MB free"
        )
        raise BackendUnavailableError(msg) from error


def checksum(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal digits."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def kept_file(folder: Path, key: str, suffix: str) -> Path | None:
    """Return the file that was stored under a key; a damaged one is removed, so it is made again."""
    for path in sorted(folder.glob(f"{key}-*{suffix}")):
        try:
            if path.name == _kept_name(path, key, suffix):
                return path
        except FileNotFoundError:  # another process was faster to remove it
            continue
        path.unlink(missing_ok=True)
    return None


def keep_file(made: Path, folder: Path, key: str, suffix: str) -> Path:
    """Move a new file, from the same file system, to the name by which :func:`kept_file` finds it."""
    target = folder / _kept_name(made, key, suffix)
    os.replace(made, target)  # noqa: PTH105 - replaces on every system
    return target


def _kept_name(path: Path, key: str, suffix: str) -> str:
    return f"{key}-{checksum(path)[:16]}{suffix}"
