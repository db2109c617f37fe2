"""Find the backend of a pytest run, and open it with the run's settings and fixtures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_delta_schema.backends.registry import find_backend

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pytest

    from pytest_delta_schema.backends.backend import BackendSettings
    from pytest_delta_schema.plugin.options.option_values import Options


SESSION_FIXTURES = ("delta_catalog", "delta_spark", "delta_spark_conf")
"""The fixtures that decide which session a run has."""


def location(config: pytest.Config, options: Options) -> str:
    """Return where the catalog is, without secrets; ``""`` if there is nothing to add to the name of the backend."""
    return find_backend(options.backend).location(backend_settings(config, options))


def without_scratch_catalog(subject: str, backend: str) -> str:
    """Return the message for tables that would be created in a catalog which others may use."""
    return (
        f"{subject} creates tables, and others may use the catalogs of the backend {backend}; name one for scratch"
        ' tables in pyproject.toml: [tool.pytest_delta_schema] scratch_catalog = "scratch"; or run it with'
        " --delta-backend=local"
    )


def backend_settings(config: pytest.Config, options: Options) -> BackendSettings:
    """Return the settings of a run as backends take them."""
    from pytest_delta_schema.backends.backend import BackendSettings

    values: Mapping[str, Any] = {
        "warehouse": options.warehouse,
        "read_threads": options.read_threads,
        "unity_uri": options.unity.uri,
        "unity_token_variable": options.unity.token_variable,
        "unity_timeout": options.unity.timeout,
        "sync_on_read": options.unity.sync_on_read,
        "sync_recreate": options.unity.sync_recreate,
        "databricks_warehouse": options.databricks_warehouse,
        "databricks_start_timeout": options.databricks_start_timeout,
        "storage": options.stores,
        "jvm_archive": options.jvm_archive,
    }
    return BackendSettings(values=values, option=option_of(config), mode=options.mode)


def option_of(config: pytest.Config) -> Callable[[str], Any]:
    """Return a function that looks up the options and ini keys of other plugins; options take precedence."""

    def option(name: str) -> Any:
        is_option = hasattr(config.option, name)
        given = config.getoption(name) if is_option else None
        if given is not None:
            return given
        try:
            return config.getini(name)
        except ValueError:
            if is_option:
                return None
            raise KeyError(name) from None

    return option
