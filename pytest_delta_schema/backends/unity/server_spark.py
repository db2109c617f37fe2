"""The Spark session that runs statements on the tables of a server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.backends.spark.compat.pyspark_compat import is_connect_session
from pytest_delta_schema.backends.spark_session.catalog import SessionCatalog
from pytest_delta_schema.backends.unity.capabilities import BY_TRANSACTION
from pytest_delta_schema.diagnostics.errors import BackendUnavailableError
from pytest_delta_schema.diagnostics.redaction import Uri

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import SparkSession

    from pytest_delta_schema.backends.unity.http.client import UnityClient


class SparkOfServer:
    """Opens the Spark session of a server when it is first needed, and checks that it uses that server.

    ``session`` returns the session; ``None`` if none is configured.

    Attributes:
        opened: The catalog of the session; ``None`` before it was needed.
    """

    def __init__(self, client: UnityClient, session: Callable[[], SparkSession] | None) -> None:
        self.opened: SessionCatalog | None = None
        self._client = client
        self._session = session

    def catalog(self, name: str | None = None) -> SessionCatalog:
        """Return the catalog of the session, which must have the catalog of the server of that name, too.

        Raises:
            BackendUnavailableError: If no session is configured, or its catalog is not the server's.
        """
        if self.opened is None:
            self.opened = self._open()
        if name is not None:
            self._require_same_server(self.opened.spark, name)
        return self.opened

    def _open(self) -> SessionCatalog:
        if self._session is None:
            msg = (
                f"Spark runs the statements for the catalogs at {self._client.uri}, and no session is configured;"
                " override the fixture delta_spark, or give UnityCatalog a session"
            )
            raise BackendUnavailableError(msg)
        spark = self._session()
        if is_connect_session(spark):
            msg = (
                "the unity backend changes tables by transactions, which Spark Connect cannot reach; give it a"
                " classic session"
            )
            raise BackendUnavailableError(msg)
        return SessionCatalog(spark, _by_commit=BY_TRANSACTION, _redacted=self._client.scrub)

    def _require_same_server(self, spark: SparkSession, name: str) -> None:
        key = f"spark.sql.catalog.{name}.uri"
        uri = Uri(str(spark.conf.get(key, "") or ""))
        if uri.reveal().rstrip("/") != self._client.uri:
            configured = f"is {uri}" if uri else "is not set"
            msg = (
                f"the Spark session's catalog {name} is not the one at {self._client.uri} ({key} {configured});"
                f" configure spark.sql.catalog.{name} and its uri and token in the fixture delta_spark"
            )
            raise BackendUnavailableError(msg)
