"""Full and read-only disks below the warehouse, the cache and the temporary folder, through the whole plugin."""

from __future__ import annotations

import os
import re
import resource
import shutil
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from faults.bench import WITHOUT_WORKERS, require, require_clean, write_settings
from faults.cases import Area, Case, NotTriedError
from faults.kill_targets import RESTORED, ROOT, fill, scenario_of
from faults.scenarios import BYSTANDER, age, copy_tables, digest, only, require_rows, rows_in, template
from pytest_delta_schema.backends.local.launch import cache_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from faults.bench import Bench

SCHEMA = "disks001"
MODELS = """
from pyspark.sql.types import LongType, StringType
from pytest_delta_schema import Column, Table

COLUMNS = [Column("id", LongType()), Column("day", StringType()), Column("n", LongType())]
orders = Table("dev", "{schema}", "orders", [*COLUMNS, Column("more", LongType())], comment="changed", {options})
"""
PARTITIONED = 'partitioned_by=["day"]'
SECONDS = 400
NEW, ALIGNED, REWRITTEN = "new", "aligned", "rewritten"
WAREHOUSE, CACHE, TEMP = "warehouse", "cache", "temp"


@dataclass(frozen=True, slots=True, kw_only=True)
class Disk:
    """One broken disk.

    Args:
        below: What lies on it: ``warehouse``, ``cache`` or ``temp``.
        size: Of the file system.
        free: Bytes that are left on it before the run; ``None`` for all of them.
        is_read_only: Whether nothing can be written to it.
        work: What the run has to do: ``new``, ``aligned`` or ``rewritten``.
        file_limit: The longest file that the run may write; ``None`` for no limit.
        is_file: Whether a file is in the place of the folder.
        options: More options of the mount.
    """

    below: str = WAREHOUSE
    size: str = "64m"
    free: int | None = None
    is_read_only: bool = False
    work: str = ALIGNED
    file_limit: int | None = None
    is_file: bool = False
    options: str = ""


DISKS = {
    "new warehouse, full": Disk(work=NEW, free=0),
    "new warehouse, almost full": Disk(work=NEW, free=4096),
    "new warehouse, read-only": Disk(work=NEW, is_read_only=True),
    "new warehouse, no inodes": Disk(work=NEW, options="nr_inodes=3"),
    "new warehouse, short files": Disk(work=NEW, file_limit=256),
    "warehouse is a file": Disk(work=NEW, is_file=True),
    "warehouse, full": Disk(free=0),
    "warehouse, almost full": Disk(free=8192),
    "warehouse, read-only": Disk(is_read_only=True),
    "warehouse, short files": Disk(file_limit=1024),
    "rewrite, full": Disk(work=REWRITTEN, free=0),
    "rewrite, almost full": Disk(work=REWRITTEN, free=40_000),
    "rewrite, full at the commit": Disk(work=REWRITTEN, free=200_000),
    "rewrite, read-only": Disk(work=REWRITTEN, is_read_only=True),
    "rewrite, short files": Disk(work=REWRITTEN, file_limit=2048),
    "cache, full": Disk(below=CACHE, size="512m", free=0),
    "cache, read-only": Disk(below=CACHE, size="512m", is_read_only=True),
    "cache is a file": Disk(below=CACHE, size="512m", is_file=True),
    "temp, full": Disk(below=TEMP, free=0),
    "temp, read-only": Disk(below=TEMP, is_read_only=True),
}


def _cases(_: int) -> list[Case]:
    return [Case(area="disks", name=name, values={"disk": name}) for name in DISKS]


def _run(case: Case, bench: Bench) -> None:
    disk, folder = DISKS[case.values["disk"]], bench.new_folder(case.name)
    folders = {name: folder / name for name in (WAREHOUSE, CACHE, TEMP)}
    for mounted in folders.values():
        mounted.mkdir()
    kept, rows = template(bench, RESTORED, scenario_of(RESTORED), fill)
    with _mounted(folders[disk.below], disk) as mount:
        if disk.below == CACHE:
            _put_jars(mount)
        schema = folders[WAREHOUSE] / "dev" / SCHEMA
        if disk.work != NEW:
            schema.parent.mkdir(exist_ok=True)
            copy_tables(kept, schema, SCHEMA)
        before = digest(schema / BYSTANDER)
        _project(folder, PARTITIONED if disk.work == REWRITTEN else "")
        with _broken(mount, disk):
            _require_answer(folder, folders, disk)
        _require_sound(bench, schema, disk, rows, "while the disk was broken")
        if disk.below == CACHE and disk.is_file:
            _put_jars(mount)
        age(schema / "orders")
        last = _pytest(folder, folders, "--delta-apply", "-m", "delta_apply")
        require(last.returncode == 0, f"a second apply, on a sound disk: {_tail(last)}")
        gate = _pytest(folder, folders, "--delta-drift", "-m", "delta_drift")
        require(gate.returncode == 0, f"drift after a second apply: {_tail(gate)}")
        _require_sound(bench, schema, disk, rows, "after a second apply")
        require(digest(schema / BYSTANDER) == before, "the table of somebody else has changed")
    bench.clean(folder)


def _project(folder: Path, options: str) -> None:
    (folder / "models.py").write_text(MODELS.format(schema=SCHEMA, options=options), "utf-8")
    consent = f'"--delta-allow=rewrite dev.{SCHEMA}.orders"' if options else ""
    write_settings(folder, 'models = ["models"]', 'warehouse = "warehouse"', addopts=consent)


def _require_answer(folder: Path, folders: dict[str, Path], disk: Disk) -> None:
    """Apply on the broken disk: it works, or reports in one line what stops it."""
    answer = _pytest(folder, folders, "--delta-apply", "-m", "delta_apply", file_limit=disk.file_limit)
    require_clean(answer.stdout, "the output")
    require("INTERNALERROR" not in answer.stdout, f"pytest broke: {_tail(answer)}")
    if answer.returncode:
        named = re.search(
            rf"dev\.{SCHEMA}\.orders|{disk.below}|no space|read-only|not a directory",
            answer.stdout,
            re.IGNORECASE,
        )
        require(named, f"nothing is said of the table or the disk: {_tail(answer)}")
        require("Py4JNetworkError" not in answer.stdout, f"the output speaks of py4j: {_tail(answer)}")
    elif disk.below == WAREHOUSE and (disk.is_read_only or disk.free == 0 or disk.is_file):
        require(condition=False, reason=f"an apply to a disk that takes nothing is green: {_tail(answer)}")


def _require_sound(bench: Bench, schema: Path, disk: Disk, rows: list[dict[str, Any]], when: str) -> None:
    kept_rows, _ = rows_in(bench, schema / "orders")
    expected = [] if disk.work == NEW else rows
    require_rows(only(kept_rows, ["id", "day", "n"]), expected, when)


def _pytest(
    folder: Path,
    folders: dict[str, Path],
    *args: str,
    file_limit: int | None = None,
) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "TMPDIR": str(folders[TEMP]),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    if any(folders[CACHE].parent.glob("cache-before")):
        environment["XDG_CACHE_HOME"] = str(folders[CACHE])
    return subprocess.run(
        [sys.executable, "-m", "pytest", *WITHOUT_WORKERS, *args],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        timeout=SECONDS,
        check=False,
        preexec_fn=_limiting(file_limit),
    )


def _limiting(limit: int | None) -> Callable[[], None] | None:
    """Return what limits the files of a child; the output of pytest is a pipe, which has no length."""
    return None if limit is None else lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))


@contextmanager
def _mounted(mounted: Path, disk: Disk) -> Iterator[Path]:
    """Mount a separate file system at a place, with what is there already."""
    there = mounted.with_name(f"{mounted.name}-before")
    mounted.rename(there)
    mounted.mkdir()
    options = ",".join(filter(None, [f"size={disk.size}", disk.options]))
    answer = _call("mount", "-t", "tmpfs", "-o", options, "tmpfs", str(mounted))
    if answer.returncode:
        mounted.rmdir()
        there.rename(mounted)
        msg = f"no file system can be mounted here: {answer.stderr.strip()}"
        raise NotTriedError(msg)
    try:
        if not disk.options and disk.below != CACHE:
            shutil.copytree(there, mounted, dirs_exist_ok=True)
        yield mounted
    finally:
        _call("umount", "--lazy", str(mounted))


@contextmanager
def _broken(mount: Path, disk: Disk) -> Iterator[None]:
    """Break the disk inside of the block."""
    filler = mount / ".filler"
    if disk.free is not None:
        space = os.statvfs(mount)
        with filler.open("wb") as file:
            file.write(b"x" * max(0, space.f_bavail * space.f_frsize - disk.free))
    if disk.is_file:
        _call("umount", "--lazy", str(mount))
        mount.rmdir()
        mount.write_text("a file", "utf-8")
    if disk.is_read_only:
        answer = _call("mount", "-o", "remount,ro", str(mount))
        if answer.returncode:
            msg = f"the file system cannot be made read-only: {answer.stderr.strip()}"
            raise NotTriedError(msg)
    try:
        yield
    finally:
        if disk.is_read_only:
            _call("mount", "-o", "remount,rw", str(mount))
        if disk.options:
            _call("mount", "-o", "remount,nr_inodes=100000", str(mount))
        if disk.is_file:
            mount.unlink()
            mount.mkdir()
        filler.unlink(missing_ok=True)


def _put_jars(cache: Path) -> None:
    """Put the jars of Delta into a cache, so nothing is downloaded; all else is made there."""
    shutil.copytree(cache_folder() / "jars", cache / cache_folder().name / "jars")


def _call(*args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(args, capture_output=True, text=True, check=False)


def _tail(answer: subprocess.CompletedProcess[str]) -> str:
    return answer.stdout[-1500:]


AREA = Area(name="disks", title="full and read-only disks", cases=_cases, run=_run, needs_jvm=True, sample=1)
