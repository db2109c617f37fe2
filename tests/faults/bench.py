"""What cases share: a folder to work in, one long-lived local catalog, and runs of pytest."""

from __future__ import annotations

import itertools
import logging
import os
import random
import shutil
import statistics
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pytest_delta_schema import LocalCatalog

ROOT = Path(__file__).resolve().parents[2]
OPTIMIZED = {"spark.master": "local[2]", "spark.driver.extraJavaOptions": "-XX:+UseSerialGC -Xms512m -Xmn256m"}
INTERPRETED = {"spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN"}


class Bench:
    """Where cases are run: a folder that the caller removes, and a local catalog that is started for the first who needs it."""

    def __init__(self, folder: Path, seed: int, local: LocalCatalog | None = None) -> None:
        self.folder = folder
        self.seed = seed
        self._session: Any = None
        self._lock = threading.RLock()
        self._made: dict[str, Any] = {} if local is None else {"local": local}
        self._numbers = itertools.count(1)

    def once(self, key: str, make: Callable[[], Any]) -> Any:
        """Return what is made when it is first asked for."""
        with self._lock:
            if key not in self._made:
                self._made[key] = make()
            return self._made[key]

    @property
    def local(self) -> LocalCatalog:
        """The local catalog of this process, which no fault hits."""
        catalog: LocalCatalog = self.once("local", self._start)
        return catalog

    def _start(self) -> LocalCatalog:
        from pytest_delta_schema import LocalCatalog  # noqa: PLC0415 - only where a JVM is needed
        from pytest_delta_schema.backends.local import session_conf  # noqa: PLC0415 - as above
        from pytest_delta_schema.backends.local.start import start_session  # noqa: PLC0415 - as above

        warehouse = self.folder / "warehouse"
        conf = {**session_conf(warehouse), **OPTIMIZED, **INTERPRETED}
        self._session = start_session(warehouse, conf, archive=False)
        # What Spark and py4j log of faults that were injected says nothing new.
        self._session.spark.sparkContext.setLogLevel("OFF")
        logging.getLogger("py4j").setLevel(logging.CRITICAL)
        return LocalCatalog(self._session.spark, warehouse=warehouse)

    @property
    def warehouse(self) -> Path:
        """The folder of the local catalog."""
        return self.local.warehouse

    def schema(self) -> str:
        """Return the name of a schema that is not in use, always of eight characters."""
        return f"s{next(self._numbers):07d}"

    def new_folder(self, case: str) -> Path:
        """Return an empty folder for a case."""
        name = "".join(character if character.isalnum() else "-" for character in case)[:80]
        folder = self.folder / "cases" / f"{next(self._numbers):05d}-{name}"
        folder.mkdir(parents=True)
        return folder

    def moment(self, case: str, number: int, count: int) -> float:
        """Return a random moment between 0 and 1, in one of some parts; the same for the same seed."""
        return (number + random.Random(f"{self.seed}/{case}").random()) / count  # noqa: S311 - reproducible

    def durations(self, what: str) -> list[float]:
        """Return the list of the seconds that something took, to be continued."""
        known: list[float] = self.once(f"durations of {what}", list)
        return known

    def expected(self, what: str) -> float:
        """Return how many seconds something takes, if that is known."""
        return statistics.median(self.durations(what)[-5:] or [1.0])

    def close(self) -> None:
        """Stop the local catalog if it was started here."""
        if self._session is not None:
            self._session.close()

    def clean(self, *folders: Path) -> None:
        """Remove the folders of a case."""
        for folder in folders:
            shutil.rmtree(folder, ignore_errors=True)


def write_settings(folder: Path, *lines: str, addopts: str = "") -> None:
    """Write the ini file of pytest, and the section with these lines."""
    (folder / "pytest.ini").write_text(f"[pytest]\npythonpath = .\naddopts = {addopts}\n", "utf-8")
    (folder / "pyproject.toml").write_text("\n".join(["[tool.pytest_delta_schema]", *lines, ""]), "utf-8")


def run_pytest(
    folder: Path,
    args: Sequence[str],
    environment: Mapping[str, str] | None = None,
    *,
    seconds: float = 180,
) -> subprocess.CompletedProcess[str]:
    """Run pytest in a folder, without workers; ``stdout`` is all that it wrote."""
    from support.plugin_project import ALONE  # noqa: PLC0415 - imports the whole package

    outer = {name: value for name, value in os.environ.items() if not name.startswith(("COVERAGE_", "PYTEST_"))}
    return subprocess.run(
        [sys.executable, "-m", "pytest", *ALONE, "-p", "no:xdist", *args],
        cwd=folder,
        env={**outer, "PYTHONPATH": str(ROOT), **(environment or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        timeout=seconds,
        check=False,
    )
