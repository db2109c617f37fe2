"""Describe the stores that hold files of tables, for Spark and for deltalake."""

from __future__ import annotations

import os
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pytest_delta_schema.backends.secret import Secret
from pytest_delta_schema.diagnostics.errors import StatementError
from pytest_delta_schema.diagnostics.redaction import HiddenValues, without_secrets

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_PATIENCE = {"timeout": "30s", "connect_timeout": "5s", "max_retries": "3", "retry_timeout": "30s"}
"""Time limits of deltalake for a store; by default it would wait three minutes for each table."""

_S3 = ("s3", "s3a", "s3n")


@dataclass(frozen=True, slots=True, kw_only=True)
class Storage:
    """One S3-compatible store.

    Args:
        prefix: The locations in the store: ``s3://bucket`` or ``s3://bucket/folder``. The longest prefix of a location
            decides.
        endpoint: The address of the server; ``""`` for Amazon S3.
        region: The region; ``""`` for that of the environment.
        path_style: Whether the bucket is part of the path, as most other servers need it, and not of the host name.
        access_key_variable: The environment variable with the access key, for tables without vended credentials.
        secret_key_variable: The environment variable with the secret key, also for those tables.
    """

    prefix: str
    endpoint: str = ""
    region: str = ""
    path_style: bool = False
    access_key_variable: str = ""
    secret_key_variable: str = ""

    def __repr__(self) -> str:
        return f"Storage({without_secrets(self.prefix)!r}, endpoint={without_secrets(self.endpoint)!r})"

    @property
    def bucket(self) -> str:
        """The bucket of the prefix."""
        return urlsplit(self.prefix).netloc


@dataclass(frozen=True, slots=True, kw_only=True)
class Credentials:
    """Credentials that a server vends for the files of one table."""

    values: Mapping[str, Secret]
    """The credentials by the names of deltalake's options."""
    expires: int | None = None
    """When they expire, in milliseconds since 1970; ``None`` if they do not."""


NO_CREDENTIALS = Credentials(values={})


def needs_credentials(location: str) -> bool:
    """Whether a location is not local, so credentials are needed."""
    return urlsplit(location).scheme not in ("", "file")


def deltalake_options(
    location: str,
    stores: Iterable[Storage],
    credentials: Credentials = NO_CREDENTIALS,
    limits: Mapping[str, str] = MappingProxyType({}),
) -> HiddenValues:
    """Return the options with which deltalake opens a table; ``limits`` may replace some of the usual time limits."""
    options = HiddenValues()
    if not needs_credentials(location):
        return options
    options.update(_PATIENCE)
    options.update(limits)
    options.update((key, secret.reveal()) for key, secret in credentials.values.items())
    store = store_of(location, stores)
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
        options.update((key, _required(variable, store)) for key, variable in keys.items() if variable)
    return options


def _required(variable: str, store: Storage) -> str:
    """Return the value of an environment variable of a store."""
    value = os.environ.get(variable)
    if not value:
        prefix = without_secrets(store.prefix)
        msg = f"the environment variable {variable}, which the entry of storage for {prefix} names, is not set; set it"
        raise StatementError(msg, condition="NO_KEY")
    return value


def access_remedy(location: str, stores: Iterable[Storage], keys: str = "its keys") -> str:
    """Return what to do if the files at a location cannot be read; ``keys`` names those that were used."""
    if not needs_credentials(location):
        return "restore it, or the permission to read it"
    store = store_of(location, stores)
    endpoint = "its store" if store is None or not store.endpoint else f"the endpoint {without_secrets(store.endpoint)}"
    return f"check that {endpoint} answers and that {keys} may read the folder, or restore it"


_KEYS = (
    "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AZURE_CLIENT_SECRET",
    "AZURE_STORAGE_ACCOUNT_KEY", "AZURE_STORAGE_SAS_TOKEN", "AZURE_STORAGE_TOKEN", "GOOGLE_SERVICE_ACCOUNT_KEY",
)  # fmt: skip
"""The environment variables with secrets from which deltalake's stores take credentials by themselves."""


def without_keys(text: str, stores: Iterable[Storage]) -> str:
    """Redact the keys of stores, which environment variables hold, in a text of a store."""
    named = (variable for store in stores for variable in (store.access_key_variable, store.secret_key_variable))
    for variable in filter(os.environ.get, (*_KEYS, *named)):
        text = Secret(os.environ[variable]).scrub(text)
    return text


_OF_AZURE = (
    "AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY, or AZURE_STORAGE_SAS_TOKEN, or AZURE_TENANT_ID,"
    " AZURE_CLIENT_ID and AZURE_CLIENT_SECRET, or AZURE_USE_AZURE_CLI=true after az login"
)
_CREDENTIALS = {
    "s3": "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or name variables in an entry of storage",
    **dict.fromkeys(("abfss", "abfs", "az"), _OF_AZURE),
    "gs": "GOOGLE_APPLICATION_CREDENTIALS to the file of a service account",
}
_SIGNS = {"s3": ("AWS_ACCESS_KEY_ID", "AWS_PROFILE", "AWS_WEB_IDENTITY_TOKEN_FILE"), "gs": ("GOOGLE_",)}


def missing_credentials(location: str, stores: Iterable[Storage]) -> str:
    """Return what to set for a location if no credentials are given for it; ``""`` if some are."""
    scheme = urlsplit(_one_scheme(location)).scheme
    store = store_of(location, stores)
    if scheme not in _CREDENTIALS or (store is not None and store.access_key_variable):
        return ""
    signs = _SIGNS.get(scheme, ("AZURE_",))
    if any(variable.startswith(signs) for variable in os.environ):
        return ""
    return f"set {_CREDENTIALS[scheme]}, or let the role of this machine read the folder"


def spark_options(stores: Iterable[Storage]) -> HiddenValues:
    """Return the settings of Spark's S3A file system for the same stores; Hadoop has them by bucket."""
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
            if os.environ.get(variable):  # an empty key would be used instead of those of the environment
                options[f"{prefix}{key}"] = os.environ[variable]
    return options


def store_of(location: str, stores: Iterable[Storage]) -> Storage | None:
    """Return the store that holds a location; ``None`` if no entry of the setting ``storage`` describes it."""
    uri = _one_scheme(location)
    fitting = [store for store in stores if f"{uri}/".startswith(f"{_one_scheme(store.prefix)}/")]
    return max(fitting, key=lambda store: len(store.prefix), default=None)


def _one_scheme(uri: str) -> str:
    """Return a URI with ``s3`` for all schemes of S3, without a slash at the end."""
    scheme, mark, rest = uri.partition("://")
    return f"{'s3' if scheme in _S3 else scheme}{mark}{rest}".rstrip("/")
