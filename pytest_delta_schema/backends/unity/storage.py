"""Where files lie and how they are reached: one description, said to Spark and to deltalake alike."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pytest_delta_schema.backends.unity.secret import Secret
from pytest_delta_schema.redaction import HiddenValues, redacted_uris

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pytest_delta_schema.backends.unity.answers import VendedCredentials

_PATIENCE = {"timeout": "30s", "connect_timeout": "5s", "max_retries": "3", "retry_timeout": "30s"}
"""How long deltalake waits for a store; its own patience of three minutes would be spent on every table."""

_S3 = ("s3", "s3a", "s3n")


@dataclass(frozen=True, slots=True, kw_only=True)
class Storage:
    """One S3-compatible store.

    Args:
        prefix: What lies there: ``s3://bucket`` or ``s3://bucket/folder``. The longest prefix of a place decides.
        endpoint: The server's address; ``""`` for Amazon's own.
        region: ``""`` to leave it to the environment.
        path_style: Whether the bucket is part of the path, as most servers want it, and not of the host's name.
        access_key_variable: The environment variable that holds the access key, where no credentials are vended.
        secret_key_variable: Likewise, for the secret key.
    """

    prefix: str
    endpoint: str = ""
    region: str = ""
    path_style: bool = False
    access_key_variable: str = ""
    secret_key_variable: str = ""

    def __repr__(self) -> str:
        return f"Storage({redacted_uris(self.prefix)!r}, endpoint={redacted_uris(self.endpoint)!r})"

    @property
    def bucket(self) -> str:
        """The bucket in which it lies."""
        return urlsplit(self.prefix).netloc


@dataclass(frozen=True, slots=True, kw_only=True)
class Credentials:
    """What a server vends for the files of one table.

    Args:
        values: By deltalake's own names of options.
        expires: When they end, in milliseconds since 1970; ``None`` if they do not.
    """

    values: Mapping[str, Secret]
    expires: int | None = None


NO_CREDENTIALS = Credentials(values={})


_VENDED = {
    ("aws_temp_credentials", "access_key_id"): "aws_access_key_id",
    ("aws_temp_credentials", "secret_access_key"): "aws_secret_access_key",
    ("aws_temp_credentials", "session_token"): "aws_session_token",
    ("azure_user_delegation_sas", "sas_token"): "azure_storage_sas_token",
    ("gcp_oauth_token", "oauth_token"): "google_application_token",
}
"""Where a server's answer has what is an option of deltalake."""


def vended(answer: VendedCredentials) -> Credentials:
    """Read the credentials that a server has answered with; none for files that need none."""
    parts: Mapping[str, Any] = answer
    values = {option: Secret((parts.get(part) or {}).get(key) or "") for (part, key), option in _VENDED.items()}
    expires = answer.get("expiration_time") or None
    return Credentials(values={option: secret for option, secret in values.items() if secret}, expires=expires)


def is_remote(location: str) -> bool:
    """Whether files lie elsewhere, so that credentials are needed."""
    return urlsplit(location).scheme not in ("", "file")


def deltalake_options(location: str, stores: Iterable[Storage], credentials: Credentials) -> HiddenValues:
    """Return the options with which deltalake opens a table.

    Args:
        location: Where the table lies.
        stores: What is known of stores.
        credentials: What was vended for the table; it goes before keys of the environment.
    """
    options = HiddenValues()
    if not is_remote(location):
        return options
    options.update(_PATIENCE)
    options.update((key, secret.reveal()) for key, secret in credentials.values.items())
    store = _store_of(location, stores)
    if store is None:
        return options
    if store.endpoint:
        options["aws_endpoint_url"] = store.endpoint
        options["aws_allow_http"] = str(store.endpoint.startswith("http://")).lower()
    if store.region:
        options["aws_region"] = store.region
    options["aws_virtual_hosted_style_request"] = str(not store.path_style).lower()
    if not credentials.values:
        keys = {"aws_access_key_id": store.access_key_variable, "aws_secret_access_key": store.secret_key_variable}
        options.update((key, os.environ.get(variable, "")) for key, variable in keys.items() if variable)
    return options


def spark_options(stores: Iterable[Storage]) -> HiddenValues:
    """Return the settings with which Spark's S3A reaches the same stores; Hadoop keeps them by bucket."""
    options = HiddenValues()
    for store in stores:
        prefix = f"spark.hadoop.fs.s3a.bucket.{store.bucket}."
        options[f"{prefix}path.style.access"] = str(store.path_style).lower()
        if store.endpoint:
            options[f"{prefix}endpoint"] = store.endpoint
            options[f"{prefix}connection.ssl.enabled"] = str(not store.endpoint.startswith("http://")).lower()
        if store.region:
            options[f"{prefix}endpoint.region"] = store.region
        for key, variable in (("access.key", store.access_key_variable), ("secret.key", store.secret_key_variable)):
            if variable:
                options[f"{prefix}{key}"] = os.environ.get(variable, "")
    return options


def _store_of(location: str, stores: Iterable[Storage]) -> Storage | None:
    place = _one_scheme(location)
    fitting = [store for store in stores if f"{place}/".startswith(f"{_one_scheme(store.prefix)}/")]
    return max(fitting, key=lambda store: len(store.prefix), default=None)


def _one_scheme(place: str) -> str:
    """Write the schemes of S3 as one, without a slash at the end."""
    scheme, mark, rest = place.partition("://")
    return f"{'s3' if scheme in _S3 else scheme}{mark}{rest}".rstrip("/")
