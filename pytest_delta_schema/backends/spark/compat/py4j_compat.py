"""The private names of py4j, and of pyspark's use of it, by which this package launches a JVM and connects to one.

Nothing else in the package uses one.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from contextlib import contextmanager, suppress
from functools import wraps
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.backends.spark.compat.pyspark_compat import forget_session

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

VERSIONS = {"py4j": ">=0.10.9.7,<0.10.10"}
"""The versions with which these names were tested."""


@contextmanager
def end_interrupted_launch() -> Iterator[None]:
    """End a JVM that pyspark launches in this block, if the block fails before pyspark is connected to it.

    Else it would run for good after Ctrl-C: pyspark keeps its process nowhere before (pyspark 4.2).
    """
    from pyspark import SparkContext, java_gateway

    launched: list[subprocess.Popen[bytes]] = []

    def launch(*args: Any, **options: Any) -> subprocess.Popen[bytes]:
        launched.append(subprocess.Popen(*args, **options))  # noqa: S603 - what pyspark starts
        return launched[-1]

    gateway: Any = java_gateway
    original, gateway.Popen = gateway.Popen, launch
    try:
        yield
    except BaseException:
        for process in launched if SparkContext._gateway is None else ():
            with process:
                process.kill()
        raise
    finally:
        gateway.Popen = original


def import_numpy_late() -> None:
    """Convert arguments of Java calls without numpy as long as nothing has imported it.

    The converters of pyspark import numpy, pandas and pyspark's own tools for tests in the first call of a JVM. Without
    them a start takes 1.3 s of processor time less (pyspark 4.2). Before numpy is imported, no argument is one of its
    values.
    """
    from pyspark.sql import types

    kinds: Any = types
    for kind in (kinds.NumpyScalarConverter, kinds.NumpyArrayConverter):
        if not hasattr(kind.can_convert, "__wrapped__"):
            kind.can_convert = _if_imported("numpy", kind.can_convert)


def _if_imported(module: str, can_convert: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    @wraps(can_convert)
    def checked(converter: Any, value: Any) -> bool:
        return module in sys.modules and can_convert(converter, value)

    return checked


def launch_jvm(conf: Mapping[str, str]) -> tuple[subprocess.Popen[bytes], int, str]:
    """Start a JVM without a session, and return its process, the port and the secret of py4j."""
    from pyspark import SparkConf, java_gateway

    launcher: Any = java_gateway
    gateway = launcher.launch_gateway(SparkConf(loadDefaults=False).setAll(list(conf.items())))
    parameters = gateway.gateway_parameters
    gateway.close(keep_callback_server=True)
    return gateway.proc, parameters.port, parameters.auth_token


def connect_jvm(port: int, secret: str) -> Any:
    """Connect to a JVM that another process has started, and return the connection; the next session starts in it."""
    from pyspark import SparkContext, java_gateway

    launcher: Any = java_gateway
    variables = {"PYSPARK_GATEWAY_PORT": str(port), "PYSPARK_GATEWAY_SECRET": secret}
    os.environ.update(variables)
    try:
        gateway = launcher.launch_gateway()
    finally:
        for name in variables:
            del os.environ[name]
    SparkContext._ensure_initialized(gateway=gateway)
    return gateway


def leave_jvm(gateway: Any) -> None:
    """Close the connections to a JVM, which keeps running; the next session starts its own JVM."""
    forget_session()
    # A thread that foreachBatch has called reads from its connection, and to close that would wait for the thread, as
    # would the end of the server for such calls (py4j 0.10.9.9).
    for connection in list(gateway._gateway_client.deque):
        with suppress(OSError, AttributeError):
            connection.socket.shutdown(socket.SHUT_RDWR)
    gateway.close(keep_callback_server=True)


def gateway_bindings(gateway: Any) -> Any:
    """Return the objects of the JVM to which py4j refers, a Java map by their ids."""
    from py4j.java_gateway import JavaObject

    return JavaObject("GATEWAY_SERVER", gateway._gateway_client).getGateway().getBindings()
