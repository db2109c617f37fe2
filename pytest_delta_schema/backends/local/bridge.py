"""The bridge to our classes in the JVM of any classic session: catalogs by name, states of tables, listings."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.backends.local.jars import delta_jars
from pytest_delta_schema.backends.local.java import find_java
from pytest_delta_schema.backends.local.java_classes import CATALOG_CLASS, LISTER_CLASS, READER_CLASS, classes_jar
from pytest_delta_schema.backends.local.physical_names import SESSION_CATALOG, translate
from pytest_delta_schema.backends.local.session import catalog_conf
from pytest_delta_schema.backends.local_log import LocalLog
from pytest_delta_schema.backends.log_damage import damage_of
from pytest_delta_schema.backends.spark.compat import java_session
from pytest_delta_schema.backends.spark.gateway import Gateway
from pytest_delta_schema.backends.spark.hadoop_log import HadoopLog

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from pyspark.sql import SparkSession

    from pytest_delta_schema.errors import ReadProblem
    from pytest_delta_schema.models.names import QualifiedName


class Bridge:
    """Reaches into the JVM of one classic session.

    Args:
        spark: The session.
        warehouse: The folder that holds all catalogs.
    """

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

    def in_users_words(self, text: str) -> str:
        """Turn physical names in a message of Spark back to those that users write."""
        return translate(text, [name for name, ours in self._catalogs.items() if ours])

    def register(self, names: Iterable[str]) -> None:
        """Make catalogs known to the session, and the session to this thread; what is known is left as it is."""
        if not hasattr(self._seen, "session"):
            # Spark takes its settings from the session of the running thread; a thread of Python's is a new one there.
            self.jvm.org.apache.spark.sql.SparkSession.setActiveSession(java_session(self.spark))
            self._seen.session = self.spark
        with self._lock:
            for name in names:
                if name not in self._catalogs:
                    self._catalogs[name] = self._register(name)

    def is_ours(self, catalog: str) -> bool:
        """Whether a registered catalog is one of ours, with physical names and folders."""
        return self._catalogs[catalog]

    def read(self, request: str) -> str:
        """Ask the reader in the JVM; see ``StateReader.java``."""
        return str(self._reader.read(java_session(self.spark), request))

    def damage(self, name: QualifiedName, place: str) -> ReadProblem | None:
        """Return the damage in the log of a table, which its metadata may be read without.

        Args:
            name: The table.
            place: Where it lies, as ``StateReader.java`` says it.
        """
        damage = damage_of(LocalLog(place) if place.startswith("/") else HadoopLog(self.spark, place))
        return None if damage is None else damage.of(name)

    def list_files(self, path: str) -> tuple[str, str, list[str]]:
        """List the files below a path; see ``FileLister.java``.

        Returns:
            What the first is; which file says that they belong to a Delta table without a log, or ``""``; their paths.
        """
        head, *files = str(self._lister.list(java_session(self.spark), path)).split("\n")
        kind, sign = head.split("\t")
        return kind, sign, files

    def mark(self, path: str) -> None:
        """Leave a file in the folder of a table that protects it from conversion if its log is lost."""
        self._lister.mark(java_session(self.spark), path)

    def list_schema(self, catalog: str, schema: str, physical: str) -> tuple[list[str], list[str]]:
        """Return the views and then all tables and views of a schema; both are empty if it is not there.

        Args:
            catalog: Registered before.
            schema: In it.
            physical: The schema of the session catalog that stands for it.
        """
        state = java_session(self.spark).sessionState()
        manager = state.catalogManager()
        namespace = self.gateway.array(self.jvm.java.lang.String, [schema])
        if not manager.catalog(catalog).namespaceExists(namespace):
            return [], []
        tables = [identifier.name() for identifier in manager.catalog(catalog).listTables(namespace)]
        session = state.catalog()
        found = session.listViews(physical, "*") if session.databaseExists(physical) else None
        views = [] if found is None else [found.apply(index).table() for index in range(found.size())]
        return views, tables

    def _register(self, name: str) -> bool:
        if name == SESSION_CATALOG:
            return False
        configured = self.spark.conf.get(f"spark.sql.catalog.{name}", None)
        if configured is None:
            for key, value in catalog_conf([name], self.warehouse).items():
                self.spark.conf.set(key, value)
        elif configured != CATALOG_CLASS:
            return False
        # Spark makes a catalog when it is first asked for, by the class loader of that moment.
        thread = self.jvm.java.lang.Thread.currentThread()
        before = thread.getContextClassLoader()
        thread.setContextClassLoader(self._loader)
        try:
            java_session(self.spark).sessionState().catalogManager().catalog(name)
        finally:
            thread.setContextClassLoader(before)
        return True

    def _find_loader(self) -> Any:
        """Return a class loader that has our classes: the session's own, or one that is laid over it."""
        loader = self.jvm.java.lang.Thread.currentThread().getContextClassLoader()
        if loader.getResource(f"{CATALOG_CLASS.replace('.', '/')}.class") is not None:
            return loader
        jar = classes_jar(delta_jars(), find_java())
        urls = self.gateway.array(self.jvm.java.net.URL, [self.jvm.java.io.File(str(jar)).toURI().toURL()])
        return self.jvm.java.net.URLClassLoader(urls, loader)

    def _new(self, name: str) -> Any:
        none = self.gateway.array(self.jvm.java.lang.Class)
        constructor = self._loader.loadClass(name).getDeclaredConstructor(none)
        return constructor.newInstance(self.gateway.array(self.jvm.java.lang.Object))
