"""Full and read-only disks below the warehouse and the temporary folder, through the whole plugin."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from faults.bench import run_pytest, write_settings
from faults.cases import Area, NotTriedError, require, require_clean
from faults.scenarios import BYSTANDER, RESTORED, age, copy_tables, digest, only, require_rows, rows_in, template

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from faults.bench import Bench

SCHEMA = "disks001"
MODELS = """
from pyspark.sql.types import LongType, StringType
from pytest_delta_schema import Column, Table

COLUMNS = [Column("id", LongType()), Column("day", StringType()), Column("n", LongType())]
orders = Table("dev", "{schema}", "orders", [*COLUMNS, Column("more", LongType())], comment="changed", {options})
"""
NEW, ALIGNED, REWRITTEN = "new", "aligned", "rewritten"
WAREHOUSE, TEMP = "warehouse", "temp"


@dataclass(frozen=True, slots=True, kw_only=True)
class Disk:
    """One broken disk below the warehouse or the temporary folder, and what the run has to do."""

    below: str = WAREHOUSE
    free: int | None = None
    """Bytes that are left on it before the run; ``None`` for all of them."""
    is_read_only: bool = False
    work: str = ALIGNED
    is_file: bool = False
    """Whether a file is in the place of the folder."""


DISKS = {
    "new warehouse, full": Disk(work=NEW, free=0),
    "warehouse is a file": Disk(work=NEW, is_file=True),
    "warehouse, full": Disk(free=0),
    "warehouse, read-only": Disk(is_read_only=True),
    "rewrite, almost full": Disk(work=REWRITTEN, free=40_000),
    "rewrite, full at the commit": Disk(work=REWRITTEN, free=200_000),
    "temp, full": Disk(below=TEMP, free=0),
    "temp, read-only": Disk(below=TEMP, is_read_only=True),
}


def _run(name: str, disk: Disk, bench: Bench) -> None:
    folder = bench.new_folder(name)
    for below in (WAREHOUSE, TEMP):
        (folder / below).mkdir()
    kept, rows = template(bench, RESTORED)
    expected = [] if disk.work == NEW else rows
    schema = folder / WAREHOUSE / "dev" / SCHEMA

    def require_sound(when: str) -> None:
        require_rows(only(rows_in(bench, schema / "orders")[0], ["id", "day", "n"]), expected, when)

    with _mounted(folder / disk.below) as mount:
        if disk.work != NEW:
            schema.parent.mkdir(exist_ok=True)
            copy_tables(kept, schema, SCHEMA)
        before = digest(schema / BYSTANDER)
        _write_project(folder, 'partitioned_by=["day"]' if disk.work == REWRITTEN else "")
        with _broken(mount, disk):
            _require_answer(folder, disk)
        require_sound("while the disk was broken")
        age(schema / "orders")
        for mode in ("apply", "drift"):
            answer = _pytest(folder, mode)
            require(answer.returncode == 0, f"a second {mode}, on a sound disk: {answer.stdout[-1500:]}")
        require_sound("after a second apply")
        require(digest(schema / BYSTANDER) == before, "the table of somebody else has changed")
    bench.clean(folder)


def _write_project(folder: Path, options: str) -> None:
    (folder / "models.py").write_text(MODELS.format(schema=SCHEMA, options=options), "utf-8")
    consent = f'"--delta-allow=rewrite dev.{SCHEMA}.orders"' if options else ""
    write_settings(folder, 'models = ["models"]', 'warehouse = "warehouse"', addopts=consent)


def _require_answer(folder: Path, disk: Disk) -> None:
    """Apply on the broken disk: it works, or reports in one line what stops it."""
    answer = _pytest(folder, "apply")
    output, tail = answer.stdout, answer.stdout[-1500:]
    require_clean(output, "the output")
    require("INTERNALERROR" not in output, f"pytest broke: {tail}")
    if answer.returncode:
        cause = rf"dev\.{SCHEMA}\.orders|{disk.below}|no space|read-only|not a directory"
        require(re.search(cause, output, re.IGNORECASE), f"nothing is said of the table or the disk: {tail}")
        require("Py4JNetworkError" not in output, f"the output speaks of py4j: {tail}")
    else:
        takes_nothing = disk.is_read_only or disk.free == 0 or disk.is_file
        require(not (disk.below == WAREHOUSE and takes_nothing), f"a disk that takes nothing is green: {tail}")


def _pytest(folder: Path, mode: str) -> subprocess.CompletedProcess[str]:
    environment = {"TMPDIR": str(folder / TEMP), "PYTHONDONTWRITEBYTECODE": "1"}

    args = [f"--delta-{mode}", "-m", f"delta_{mode}"]
    return run_pytest(folder, args, environment, seconds=400)


@contextmanager
def _mounted(mounted: Path) -> Iterator[Path]:
    """Mount a separate file system at a place, with what is there already."""
    there = mounted.with_name(f"{mounted.name}-before")
    mounted.rename(there)
    mounted.mkdir()
    answer = _call("mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", str(mounted))
    if answer.returncode:
        mounted.rmdir()
        there.rename(mounted)
        raise NotTriedError(f"no file system can be mounted here: {answer.stderr.strip()}")
    try:
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
            raise NotTriedError(f"the file system cannot be made read-only: {answer.stderr.strip()}")
    try:
        yield
    finally:
        if disk.is_read_only:
            _call("mount", "-o", "remount,rw", str(mount))
        if disk.is_file:
            mount.unlink()
            mount.mkdir()
        filler.unlink(missing_ok=True)


def _call(*args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(args, capture_output=True, text=True, check=False)


AREA = Area(
    name="disks",
    title="full and read-only disks",
    cases=lambda: {name: partial(_run, name, disk) for name, disk in DISKS.items()},
    needs_jvm=True,
    sample=1,
)
