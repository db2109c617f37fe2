"""The Java classes of this package in the JVM of a session, which reads and runs statements by them."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.backends.local.launch import (
    CATALOG_CLASS,
    LISTER_CLASS,
    READER_CLASS,
    SETTINGS_CLASS,
    classes_jar,
    delta_jars,
)
from pytest_delta_schema.backends.local.start import catalog_conf
from pytest_delta_schema.backends.local.warehouse import SESSION_CATALOG, translate
from pytest_delta_schema.backends.logs.files import LocalFiles
from pytest_delta_schema.backends.spark.compat import Gateway, java_session
from pytest_delta_schema.backends.spark.errors import cancel_on_interrupt, stop_jobs, translate_errors
from pytest_delta_schema.backends.spark.logs import HadoopFiles
from pytest_delta_schema.backends.spark.sessions import SUBSTITUTE, setting
from pytest_delta_schema.backends.spark.versions import SparkVersions
from pytest_delta_schema.progress import step

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    from pyspark.sql import SparkSession

    from pytest_delta_schema.backends.logs.files import LogFiles


_LAST_COMMIT = "spark.databricks.delta.lastCommitVersionInSession"
"""Delta sets it after each commit (Delta 4.4.0)."""


def open_bridge(spark: SparkSession, warehouse: Path) -> Bridge:
    """Load the Java classes of this package into the JVM of a session."""
    with translate_errors(str, spark), step("opening the catalog"):
        return Bridge(spark, warehouse)


class Bridge:
    """Calls the Java classes of this package in the JVM of one classic session."""

    def __init__(self, spark: SparkSession, warehouse: Path) -> None:
        self.spark = spark
        self.warehouse = warehouse
        self.gateway = Gateway(spark)
        self.jvm = self.gateway.jvm
        self._loader = self._find_loader()
        self._catalogs: dict[str, bool] = {}
        self._lock = threading.Lock()
        self._seen = threading.local()
        self._reader: Any = self._new(READER_CLASS)
        self._lister: Any = self._new(LISTER_CLASS)

    def versions(self) -> SparkVersions:
        """Return the versions of Spark and Delta in the session."""
        with translate_errors(str, self.spark):
            return SparkVersions.of(self.spark, self.gateway)

    def sql(self, text: str) -> Any:
        """Return the frame of a statement, whose text is used exactly as it is."""
        with self.stopping(), setting(self.spark, SUBSTITUTE, "false"):
            return self.spark.sql(text)

    def stopping(self) -> AbstractContextManager[None]:
        """Stop the jobs of the block if it is interrupted."""
        return cancel_on_interrupt(lambda: stop_jobs(self.spark))

    def translate_errors(self) -> AbstractContextManager[None]:
        """Use the names of users in the errors of the block."""
        return translate_errors(self.with_logical_names, self.spark)

    @contextmanager
    def using(self, catalog: str) -> Iterator[None]:
        """Register a catalog in the session, and use the names of users in errors."""
        with self.translate_errors():
            self.register([catalog])
            yield

    def with_logical_names(self, text: str) -> str:
        """Replace physical names in a message of Spark by the names that users write."""
        return translate(text, [name for name, is_warehouse in self._catalogs.items() if is_warehouse])

    def register(self, names: Iterable[str]) -> None:
        """Configure catalogs in the session, and activate the session in this thread, unless that was done before."""
        if not hasattr(self._seen, "session"):
            # Spark takes settings from the active session of a thread, and each Python thread has its own Java thread.
            self.jvm.org.apache.spark.sql.SparkSession.setActiveSession(java_session(self.spark))
            self._seen.session = self.spark
        with self._lock:
            for name in names:
                if name not in self._catalogs:
                    self._catalogs[name] = self._register(name)

    def is_warehouse(self, catalog: str) -> bool:
        """Whether a registered catalog is one of the warehouse folder, with physical names."""
        return self._catalogs[catalog]

    def read(self, request: str) -> str:
        """Read tables by ``StateReader.java``."""
        return str(self._reader.read(java_session(self.spark), request))

    def log(self, location: str) -> LogFiles:
        """Return the files of a log; the location is as ``StateReader.java`` returns it."""
        return LocalFiles(location) if location.startswith("/") else HadoopFiles(self.spark, location)

    def list_files(self, path: str) -> tuple[str, str, list[str]]:
        """List the files below a path: the format of the first, what shows a lost Delta log, and all paths."""
        head, *files = str(self._lister.list(java_session(self.spark), path)).split("\n")
        kind, sign = head.split("\t")
        return kind, sign, files

    def settings_hash(self) -> str:
        """Return a hash of the settings on which the log of a new table may depend, by ``SettingsHash.java``."""
        return str(self._settings.of(java_session(self.spark), f"{_LAST_COMMIT}\n{SUBSTITUTE}"))

    def mark(self, path: str) -> None:
        """Write a file to the folder of a table that prevents its conversion if its log is lost."""
        self._lister.mark(java_session(self.spark), path)

    def list_schema(self, catalog: str, schema: str, physical: str) -> tuple[list[str], list[str]]:
        """Return the views, and all tables and views, of a schema, without the temporary views that Spark lists."""
        state = java_session(self.spark).sessionState()
        manager = state.catalogManager()
        namespace = self.gateway.array(self.jvm.java.lang.String, [schema])
        if not manager.catalog(catalog).namespaceExists(namespace):
            return [], []
        listed = manager.catalog(catalog).listTables(namespace)
        tables = [identifier.name() for identifier in listed if len(identifier.namespace())]
        session = state.catalog()
        if not session.databaseExists(physical):
            return [], tables
        views = session.listViews(physical, "*")
        named = [views.apply(index) for index in range(views.size())]
        return [view.table() for view in named if view.database().isDefined()], tables

    @cached_property
    def _settings(self) -> Any:
        return self._new(SETTINGS_CLASS)

    def _register(self, name: str) -> bool:
        if name == SESSION_CATALOG:
            return False
        configured = self.spark.conf.get(f"spark.sql.catalog.{name}", None)
        if configured is None:
            for key, value in catalog_conf([name], self.warehouse).items():
                self.spark.conf.set(key, value)
        elif configured != CATALOG_CLASS:
            return False
        # Spark loads the class of a catalog when the catalog is first used, by the context class loader.
        thread = self.jvm.java.lang.Thread.currentThread()
        before = thread.getContextClassLoader()
        thread.setContextClassLoader(self._loader)
        try:
            java_session(self.spark).sessionState().catalogManager().catalog(name)
        finally:
            thread.setContextClassLoader(before)
        return True

    def _find_loader(self) -> Any:
        """Return a class loader with the Java classes of this package: that of the session, or a child of it."""
        loader = self.jvm.java.lang.Thread.currentThread().getContextClassLoader()
        if loader.getResource(f"{CATALOG_CLASS.replace('.', '/')}.class") is not None:
            return loader
        jar = classes_jar(delta_jars())
        urls = self.gateway.array(self.jvm.java.net.URL, [self.jvm.java.io.File(str(jar)).toURI().toURL()])
        return self.jvm.java.net.URLClassLoader(urls, loader)

    def _new(self, name: str) -> Any:
        none = self.gateway.array(self.jvm.java.lang.Class)
        constructor = self._loader.loadClass(name).getDeclaredConstructor(none)
        return constructor.newInstance(self.gateway.array(self.jvm.java.lang.Object))
