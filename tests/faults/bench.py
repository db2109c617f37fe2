"""What cases share: a folder to work in, one long-lived local catalog, a planted secret, and runs of pytest."""

from __future__ import annotations

import itertools
import logging
import os
import shutil
import subprocess
import sys
import threading
from functools import cached_property
from typing import TYPE_CHECKING, Any

from faults.cases import BrokenInvariantError
from support.plugin_project import ALONE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from pytest_delta_schema import LocalCatalog


SECRET = "dapi-7fc1Zq93-fault-injection-secret"  # noqa: S105 - planted, to be looked for in every text
SECRET_VARIABLE = "UNITY_CATALOG_TOKEN"  # noqa: S105 - a name

OPTIMIZED = {"spark.master": "local[2]", "spark.driver.extraJavaOptions": "-XX:+UseSerialGC -Xms512m -Xmn256m"}
INTERPRETED = {"spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN"}


class Bench:
    """Where cases are run.

    Args:
        folder: For everything that they write; removed by the caller.
        seed: Of the run.
        local: A local catalog to use; left out, one is started when a case first needs it.
    """

    def __init__(self, folder: Path, seed: int, local: LocalCatalog | None = None) -> None:
        self.folder = folder
        self.seed = seed
        self.lock = threading.RLock()
        self.shared: dict[str, Any] = {}
        self._given = local
        self._session: Any = None
        self._numbers = itertools.count(1)

    @cached_property
    def _local(self) -> LocalCatalog:
        if self._given is not None:
            return self._given
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
    def local(self) -> LocalCatalog:
        """The local catalog of this process, which no fault hits."""
        with self.lock:
            return self._local

    @property
    def warehouse(self) -> Path:
        """Its folder."""
        return self.local.warehouse

    def schema(self, area: str) -> str:
        """Return the name of a schema that is not in use, always of eight characters."""
        return f"{area[0]}{next(self._numbers):07d}"

    def new_folder(self, case: str) -> Path:
        """Return an empty folder for a case."""
        folder = (
            self.folder / "cases" / f"{next(self._numbers):05d}-{''.join(c if c.isalnum() else '-' for c in case)[:80]}"
        )
        folder.mkdir(parents=True)
        return folder

    def close(self) -> None:
        """Stop the local catalog if it was started here."""
        if self._session is not None:
            self._session.close()
            self._session = None

    def clean(self, *folders: Path) -> None:
        """Remove the folders of a case."""
        for folder in folders:
            shutil.rmtree(folder, ignore_errors=True)


def require(condition: object, reason: str) -> None:
    """Fail the case if an invariant does not hold."""
    if not condition:
        raise BrokenInvariantError(reason)


def require_clean(text: str, where: str) -> None:
    """Fail the case if a text for people holds a secret or a traceback."""
    require(SECRET not in text, f"{where} holds the secret: {_shortened(text)}")
    require("Traceback (most recent call last)" not in text, f"{where} holds a traceback: {_shortened(text)}")


def _shortened(text: str, limit: int = 1500) -> str:
    return text if len(text) <= limit else f"{text[: limit // 2]} ... {text[-limit // 2 :]}"


WITHOUT_WORKERS = (*ALONE, "-p", "no:xdist")
"""Options of runs that are neither workers nor have any."""
SECONDS = 180


def write_settings(folder: Path, *lines: str, addopts: str = "") -> None:
    """Write the ini file of pytest, and the section with these lines."""
    (folder / "pytest.ini").write_text(f"[pytest]\npythonpath = .\naddopts = {addopts}\n", "utf-8")
    (folder / "pyproject.toml").write_text("\n".join(["[tool.pytest_delta_schema]", *lines, ""]), "utf-8")


def run_pytest(folder: Path, args: Sequence[str], environment: Mapping[str, str]) -> str:
    """Run pytest in a folder; return all that it wrote.

    Raises:
        TimeoutExpired: If it does not end.
    """
    outer = {name: value for name, value in os.environ.items() if not name.startswith(("COVERAGE_", "PYTEST_"))}
    return subprocess.run(
        [sys.executable, "-m", "pytest", *WITHOUT_WORKERS, *args],
        cwd=folder,
        env={**outer, **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        timeout=SECONDS,
        check=False,
    ).stdout
