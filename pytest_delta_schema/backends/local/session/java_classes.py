"""Compile the Java classes of this package once, with the compiler that Spark bundles, to a jar."""

from __future__ import annotations

import errno
import hashlib
import os
import subprocess
import tempfile
import zipfile
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_delta_schema.backends.local.session.java import find_java
from pytest_delta_schema.backends.local.session.machine_cache import cache_folder, keep_file, kept_file, using_cache
from pytest_delta_schema.backends.local.session.subprocesses import run
from pytest_delta_schema.backends.spark.compat.pyspark_compat import spark_home
from pytest_delta_schema.diagnostics.errors import BackendUnavailableError
from pytest_delta_schema.progress import step

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_delta_schema.backends.local.session.java import Java

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
_PATIENCE = 120.0
"""Seconds that the compiler may take; it needs about two."""

_FULL = os.strerror(errno.ENOSPC)


def spark_jars() -> Path:
    """Return the folder of the jars that come with the installed Spark."""
    home = spark_home()
    if not (home / "jars").is_dir():
        msg = f"SPARK_HOME is {home}, but there is no Spark in it; unset SPARK_HOME to use the installed pyspark"
        raise BackendUnavailableError(msg)
    return home / "jars"


def classes_jar(jars: Sequence[Path], java: Callable[[], Java] = find_java) -> Path:
    """Return the jar with the Java classes of this package, compiled once for each Spark, Delta and source.

    ``java`` is called if there is something to compile.

    Raises:
        BackendUnavailableError: If the classes do not compile with this Spark or Delta, there is no Java to compile
            with, or the cache cannot be used.
    """
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
        answer = run([*compiler, "pytest_delta_schema.Build", str(classes), *compiled], _PATIENCE)
    except subprocess.TimeoutExpired as error:
        msg = (
            f"{java.program} did not compile the catalog classes within {_PATIENCE:g} seconds;"
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
