"""What stops a start: each fact is one line with its remedy, once a run, and damaged files are made again."""

from __future__ import annotations

import sys
import zipfile
from itertools import pairwise
from pathlib import Path

import pytest

from pytest_delta_schema.backends.local import launch
from pytest_delta_schema.backends.local.launch import (
    Java,
    class_archive,
    classes_jar,
    delta_jars,
    find_java,
    spark_jars,
)
from pytest_delta_schema.backends.local.warehouse import check_warehouse, prepare_warehouse
from pytest_delta_schema.diagnostics.errors import BackendUnavailableError

JAVA = Java("java", 'openjdk version "17.0.1"')


@pytest.fixture(autouse=True)
def _no_session(monkeypatch):
    """Let runs inside of this process start a session, also where other tests have one."""
    monkeypatch.setattr("pytest_delta_schema.backends.local.start.active_spark", lambda: None)


def message_of(call, *args, **kwargs):
    with pytest.raises(BackendUnavailableError) as caught:
        call(*args, **kwargs)
    text = str(caught.value)
    assert "\n" not in text
    return text


REMEDY = "; name a folder that can be written: --delta-warehouse=FOLDER, or the setting warehouse"
CACHE_REMEDY = "; set XDG_CACHE_HOME to a folder that can be written and has 300 MB free"


@pytest.mark.parametrize("below", ["w", "w/inner"])
def test_a_warehouse_that_is_a_file(tmp_path, below):
    """A gate does not create one that is not there."""
    check_warehouse(tmp_path / below)
    assert not list(tmp_path.iterdir())
    (tmp_path / "w").write_text("")
    reason = "File exists" if below == "w" else "Not a directory"

    for use, fact in ((prepare_warehouse, reason), (check_warehouse, "Not a directory")):
        text = f"the warehouse {tmp_path / below} cannot be used: {fact} ({tmp_path / below}){REMEDY}"
        assert message_of(use, tmp_path / below) == text


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """The cache folder of this package, which does not exist yet."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "pytest_delta_schema"


USES = pytest.mark.parametrize("use", [delta_jars, lambda: classes_jar([], lambda: JAVA)], ids=["jars", "classes"])


@USES
def test_a_cache_that_is_a_file(cache, use):
    cache.parent.mkdir()
    cache.write_text("")

    output = message_of(use)

    assert output.startswith(f"the cache folder {cache} cannot be used: Not a directory ({cache}")
    assert output.endswith(CACHE_REMEDY)
    # Of archives only writing fails, and that is no reason to stop.
    assert class_archive(JAVA, [], "").path is None


class DumpingJvm:
    """A JVM that writes its archive to whatever path it is given."""

    def __init__(self, text=b"classes"):
        self.pytest_delta_schema = self.ClassArchive = self
        self.text = text
        self.dumps = 0

    def dump(self, path):
        self.dumps += 1
        Path(path).write_bytes(self.text)


def test_an_archive_of_garbage_is_removed_and_written_again(cache):
    jvm = DumpingJvm()
    assert class_archive(JAVA, [], "").write(jvm)
    kept = class_archive(JAVA, [], "")
    assert kept.path is not None
    assert f'-XX:SharedArchiveFile="{kept.path}"' in kept.flags
    assert not kept.write(jvm)

    kept.path.write_bytes(b"garbage")
    again = class_archive(JAVA, [], "")

    assert again.path is None
    assert "-XX:+RecordDynamicDumpInfo" in again.flags
    assert not kept.path.exists()
    assert again.write(jvm)
    assert class_archive(JAVA, [], "").path == kept.path
    assert jvm.dumps == 2
    assert [path.suffix for path in sorted((cache / "archives").iterdir())] == [".jsa", ".lock"]


RESOLVER = """
import pathlib, sys, zipfile
folder = pathlib.Path(sys.argv[1])
(folder / "jars").mkdir(exist_ok=True)
copies = folder / "cache"
garbage = {garbage} and (copies.exists() or {garbage} > 1)
copies.mkdir(exist_ok=True)
jar = folder / "jars" / "io.delta_delta-spark.jar"
if garbage:
    jar.write_bytes(b"garbage")
else:
    with zipfile.ZipFile(jar, "w") as file:
        file.writestr("a", "b")
"""


@pytest.fixture
def resolver(monkeypatch):
    """Run a script instead of Spark's resolver: ``garbage`` is 1 if its copies are damaged, 2 if the repository is."""
    runs = []

    def use(garbage):
        def command(_, folder):
            runs.append(garbage)
            return [sys.executable, "-c", RESOLVER.format(garbage=garbage), str(folder)]

        monkeypatch.setattr(launch, "_resolve_command", command)
        return runs

    return use


def test_a_delta_jar_of_garbage_is_fetched_again_also_if_the_copies_of_the_resolver_are_damaged(
    cache, resolver, caplog
):
    runs = resolver(0)
    (jar,) = delta_jars()
    assert delta_jars() == [jar]
    assert len(runs) == 1

    for garbage, number in ((0, 2), (1, 4)):
        resolver(garbage)
        jar.write_bytes(b"garbage")

        assert delta_jars() == [jar]
        assert len(runs) == number
        assert zipfile.ZipFile(jar).namelist() == ["a"]
        assert jar.is_relative_to(cache)
        assert "io.delta_delta-spark.jar is damaged, and is downloaded again" in caplog.messages


def test_a_download_that_fails_names_the_three_ways_of_the_guide(cache, monkeypatch):
    monkeypatch.setattr(
        launch, "_resolve_command", lambda *_: [sys.executable, "-c", "import sys; sys.exit('no route')"]
    )

    with pytest.raises(BackendUnavailableError) as caught:
        delta_jars()

    fact, _, said = str(caught.value).partition(" The resolver said:\n")
    assert " is not on this machine and could not be downloaded; name a Maven mirror in the variable" in fact
    assert f"or copy the folder {cache / 'jars'}" in fact
    assert "no route" in said


def program(tmp_path, content):
    path = tmp_path / "home" / "bin" / "java"
    path.parent.mkdir(parents=True)
    path.write_text(content)
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize(
    ("content", "fact"),
    [
        ("this is no program\n", "cannot be run: Exec format error ({java})"),
        ("#!/bin/sh\nsleep 60\n", "did not print its version within 0.3 seconds"),
        (
            "#!/bin/sh\nprintf 'Picked up JAVA_TOOL_OPTIONS: -X\\nopenjdk version \"11.0.2\"\\n' >&2\n",
            "answers 'openjdk version \"11.0.2\"'",
        ),
    ],
    ids=["no program", "sleeps", "old with options"],
)
def test_a_java_that_is_none(tmp_path, monkeypatch, content, fact):
    java = program(tmp_path, content)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(launch, "_VERSION_SECONDS", 0.3 if "sleep" in content else 30.0)
    launch._ask.cache_clear()

    assert message_of(find_java) == (
        f"Spark needs Java 17 or newer, and {java} {fact.format(java=java)};"
        " install a JRE 17 and set JAVA_HOME to its folder"
    )


def test_a_spark_home_without_spark(tmp_path, monkeypatch):
    monkeypatch.setenv("SPARK_HOME", str(tmp_path))

    assert message_of(spark_jars) == (
        f"SPARK_HOME is {tmp_path}, but there is no Spark in it; unset SPARK_HOME to use the installed pyspark"
    )


def unreadable(result):
    lines = [line for line in result.outlines if not line.startswith("[gw")]
    return [after for line, after in pairwise(lines) if " ERROR at setup of " in line]


TWO = (
    "one = table('dev.silver.one', Column('id', LongType()))\ntwo = table('dev.silver.two', Column('id', LongType()))\n"
)
LATER = "SKIPPED [[]*[]] *: not checked, because the catalog is not available; the first error of this run says why"


@pytest.mark.parametrize("workers", [(), ("-n1",)], ids=["serial", "xdist"])
def test_a_run_reports_once_why_its_catalog_cannot_be_opened(project, workers):
    (project.path / "w").write_text("")
    project.models(TWO + "three = table('dev.silver.three', Column('id', LongType()))\n")
    location = "w/{worker}" if workers else "w"

    result = project.run("--delta-drift", f"--delta-warehouse={location}", "--snapshot-update", "-rs", *workers)

    # Workers with warehouses of their own have causes of their own.
    errors = unreadable(result)
    assert 1 <= len(errors) <= 1 + len(workers)
    result.assert_outcomes(passed=6, errors=len(errors), skipped=3 - len(errors))
    for line in errors:
        assert line.startswith("the warehouse ")
        assert "cannot be used: Not a directory" in line
    result.stdout.fnmatch_lines([LATER])
    assert "Traceback" not in result.stdout.str() + result.stderr.str()
