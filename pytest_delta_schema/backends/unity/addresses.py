"""Where a server is and how long a call may take: addresses, proxies of the environment, deadlines."""

from __future__ import annotations

import re
import time
from importlib.util import find_spec
from typing import NamedTuple
from urllib.parse import quote, unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from pytest_delta_schema.diagnostics.errors import BackendUnavailableError
from pytest_delta_schema.diagnostics.redaction import Uri, redacted_uri

_EXAMPLE = "write it as in https://unity.example.com"
_PROXIES = ("http", "https", "socks5", "socks5h")
_HARMLESS = ("Port out of range", "Invalid IPv6 URL")
"""Messages of Python about a URI that repeat no part of it."""

_HOST = re.compile(r"[A-Za-z0-9._:%-]*")

_SOCKS = ("socks5", "socks5h")


class Address(NamedTuple):
    """The parts of a URI."""

    scheme: str
    """``http`` or ``https``; for proxies also ``socks5``."""
    host: str
    """The host in ASCII (IDNA)."""
    port: int | None
    """``None`` for the default port of the scheme."""
    path: str
    """The quoted path, without a slash at its end."""

    @property
    def authority(self) -> str:
        """Host and port in the form of the header ``Host``."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port is None else f"{host}:{self.port}"


class Proxy(NamedTuple):
    """A proxy of the environment."""

    address: Address
    uri: Uri

    def credentials(self) -> tuple[bytes, bytes] | None:
        """Return user and password; ``None`` if there are none."""
        parts = urlsplit(self.uri.reveal())
        if parts.username is None:
            return None
        return unquote(parts.username).encode(), unquote(parts.password or "").encode()


def server_address(uri: Uri) -> Address:
    """Return the address of a server."""
    shown = str(uri)
    address, fault = _parsed(uri)
    if address is None or address.scheme not in ("http", "https") or not address.host:
        fact = f"the setting unity_uri is {shown!r}, which is not an address{f' ({fault})' if fault else ''}"
        msg = f"{fact}; {_EXAMPLE}"
        raise BackendUnavailableError(msg)
    if "@" in urlsplit(uri.reveal()).netloc:
        msg = (
            f"the setting unity_uri has a user or a password in it, at {address.scheme}://{address.authority}; keep"
            " secrets out of it, and give a token"
        )
        raise BackendUnavailableError(msg)
    if "?" in shown or "#" in shown:
        fact = f"the setting unity_uri is {shown!r}, which has more than an address and a path"
        msg = f"{fact}; {_EXAMPLE}, and give a token"
        raise BackendUnavailableError(msg)
    return address


def environment_proxy(address: Address) -> Proxy | None:
    """Return the proxy that the environment names for a server; ``None`` if there is none."""
    uri = Uri(getproxies().get(address.scheme) or getproxies().get("all") or "")
    if not uri or proxy_bypass(address.host):
        return None
    if "://" not in uri.reveal():
        uri = Uri(f"http://{uri.reveal()}")
    proxy, _ = _parsed(uri)
    if proxy is None or proxy.scheme not in _PROXIES or not proxy.host:
        msg = f"the environment names the proxy {uri}, which cannot be used; see HTTPS_PROXY and NO_PROXY"
        raise BackendUnavailableError(msg)
    if proxy.scheme in _SOCKS and find_spec("socksio") is None:
        msg = f"the environment names the proxy {uri}, which needs socksio; pip install 'httpcore[socks]'"
        raise BackendUnavailableError(msg)
    return Proxy(proxy, uri)


def redirect_host(location: str) -> str:
    """Return scheme and host of a redirect, without secrets."""
    address, _ = _parsed(Uri(location))
    return f"{address.scheme}://{address.authority}" if address and address.host else redacted_uri(location)


def _parsed(uri: Uri) -> tuple[Address | None, str]:
    """Parse a URI, or return why it is not valid; an exception would show the whole URI in its frames."""
    try:
        parts = urlsplit(uri.reveal())
        host = (parts.hostname or "").encode("idna").decode()
        if _HOST.fullmatch(host) is None:
            return None, ""
        return Address(parts.scheme, host, parts.port, quote(parts.path, safe="/%:@!$&'()*+,;=~").rstrip("/")), ""
    except ValueError as error:
        fault = str(error)
    return None, fault if fault.startswith(_HARMLESS) else ""


class Deadline:
    """The time by which a call has to end."""

    __slots__ = ("_end", "seconds")

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """Seconds that are left, at least 0."""
        return max(0.0, self._end - time.monotonic())

    def pause(self, seconds: float) -> bool:
        """Wait before another try; ``False``, at once, if no time would be left for it."""
        if self.left <= seconds:
            return False
        time.sleep(seconds)
        return True
