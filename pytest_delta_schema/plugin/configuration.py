"""Check what a user has said, before anything is collected."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_delta_schema.models.modes import IGNORE, UNMANAGED_MODES
from pytest_delta_schema.plugin.options import (
    APPLY,
    BACKENDS,
    DRIFT,
    FEATURES,
    LEAVE,
    LOCAL,
    PREFLIGHTS,
    RESTORE,
    RISKS,
    SYNC,
    UNITY,
    WORKER,
    Options,
    Unity,
    is_worker,
)
from pytest_delta_schema.plugin.project_section import expired, read_project

if TYPE_CHECKING:
    from pytest_delta_schema.execute.preflight import Preflight
    from pytest_delta_schema.models.modes import UnmanagedMode
    from pytest_delta_schema.redaction import Uri
    from pytest_delta_schema.rules.consent import Consent


_GATE_THAT_SYNCS = [DRIFT, SYNC]


def read_options(config: pytest.Config) -> Options:
    """Check what was given, and put it into one value.

    Raises:
        pytest.UsageError: If options contradict each other or name what does not exist.
    """
    mode = _mode(config)
    backend = config.getoption("delta_schema_backend") or config.getini("delta_backend")
    if backend not in BACKENDS:
        msg = f"there is no delta backend {backend!r}; choose one of {', '.join(BACKENDS)}"
        raise pytest.UsageError(msg)
    given, written = _consents(config, mode)
    project = read_project(config)
    over = expired(project.allow) if mode is not None else []
    if over:
        raise pytest.UsageError("\n".join(over))
    options = Options(
        mode=mode,
        backend=backend,
        read_threads=_read_threads(config),
        unity=_unity(config, mode, backend),
        databricks_warehouse=config.getini("delta_databricks_warehouse"),
        stores=project.stores,
        warehouse=_warehouse(config),
        enable=_features(config),
        max_risk=_max_risk(config, mode),
        protected=tuple(config.getini("delta_protected")) if mode == APPLY else (),
        restores=_on_failure(config, mode) == RESTORE,
        preflight=_preflight(config, mode),
        consents=(*given, *written, *project.allow),
        entries=project.allow,
        bindings=_bindings(config),
        naming=given if config.args_source is config.ArgsSource.ARGS else (*given, *written),
        properties=project.properties,
        owned_properties=config.getini("delta_owned_properties"),
        unmanaged=_unmanaged(config, mode),
        unmanaged_ignore=tuple(config.getini("delta_unmanaged_ignore")),
        jvm_archive=config.getini("delta_jvm_archive"),
    )
    if mode == APPLY and backend == LOCAL and WORKER not in options.warehouse and _distributes(config):
        msg = (
            "--delta-apply changes a catalog, and xdist would change one from several processes;"
            " run it without -n, or give each worker a warehouse of its own:"
            f" --delta-warehouse .delta-warehouse/{WORKER}"
        )
        raise pytest.UsageError(msg)
    return options


def default_properties(config: pytest.Config) -> dict[str, str]:
    """Return the properties that the ini file gives to every table.

    Raises:
        pytest.UsageError: If a line is not ``key=value``.
    """
    lines: list[str] = config.getini("delta_default_properties")
    wrong = [line for line in lines if not line.partition("=")[0].strip() or "=" not in line]
    if wrong:
        msg = f"delta_default_properties: {', '.join(map(repr, wrong))} is not of the form key=value"
        raise pytest.UsageError(msg)
    pairs = (line.partition("=") for line in lines)
    return {key.strip(): value.strip() for key, _, value in pairs}


def _distributes(config: pytest.Config) -> bool:
    return not is_worker(config) and config.getoption("dist", "no") != "no" and bool(config.getoption("tx", None))


def _mode(config: pytest.Config) -> str | None:
    given = _given_modes(config)
    if len(given) > 1 and given != _GATE_THAT_SYNCS:
        msg = (
            "--delta-drift only looks, --delta-apply changes the catalog, and --delta-sync-metadata only its records;"
            " give one of them, or --delta-drift --delta-sync-metadata to bring the records of what is read level first"
        )
        raise pytest.UsageError(msg)
    return given[0] if given else None


def _given_modes(config: pytest.Config) -> list[str]:
    return [mode for mode in (DRIFT, APPLY, SYNC) if config.getoption(f"delta_schema_{mode.replace('-', '_')}")]


def _read_threads(config: pytest.Config) -> int:
    said: str = config.getini("delta_read_threads")
    if not said.isdecimal() or int(said) < 1:
        msg = f"delta_read_threads is {said!r}; write how many tables may be read at once, 1 or more"
        raise pytest.UsageError(msg)
    return int(said)


def _unity(config: pytest.Config, mode: str | None, backend: str) -> Unity:
    uri = _unity_uri(config)
    syncs = SYNC in _given_modes(config)
    if syncs and backend != UNITY:
        msg = f"--delta-sync-metadata needs catalog entries, and the backend {backend} keeps none; only unity does"
        raise pytest.UsageError(msg)
    if mode is not None and backend == UNITY and uri is None:
        msg = "the unity backend needs the address of its server; say delta_unity_uri, or --delta-unity-uri"
        raise pytest.UsageError(msg)
    said: str = config.getini("delta_unity_timeout")
    try:
        timeout = float(said)
    except ValueError:
        timeout = 0
    if timeout <= 0:
        msg = f"delta_unity_timeout is {said!r}; write how many seconds to wait"
        raise pytest.UsageError(msg)
    return Unity(
        uri=uri,
        token_variable=config.getini("delta_unity_token_variable"),
        timeout=timeout,
        # A gate writes only where the command line says so.
        sync_on_read=syncs if mode == DRIFT else config.getini("delta_sync_on_read"),
        sync_recreate=config.getini("delta_sync_recreate"),
    )


def _unity_uri(config: pytest.Config) -> Uri | None:
    said: str = config.getoption("delta_schema_unity_uri") or config.getini("delta_unity_uri")
    if not said:
        return None
    from pytest_delta_schema.redaction import Uri

    return Uri(said)


def _warehouse(config: pytest.Config) -> str:
    given = config.getoption("delta_schema_warehouse")
    if given:
        here = config.invocation_params.dir
        warehouse = here / Path(given).expanduser()
        # pytest looks for its ini file beside every existing path that stands alone among options it does not know yet.
        misled = config.inipath is None or not here.is_relative_to(config.rootpath)
        if misled and given in config.invocation_params.args and warehouse.exists():
            msg = f"pytest took the warehouse for the project; write it with an equals sign: --delta-warehouse={given}"
            raise pytest.UsageError(msg)
        return str(warehouse)
    beside = config.inipath.parent if config.inipath else config.rootpath
    return str(beside / Path(config.getini("delta_warehouse")).expanduser())


def _unmanaged(config: pytest.Config, mode: str | None) -> UnmanagedMode:
    unmanaged: UnmanagedMode = config.getini("delta_unmanaged")
    if unmanaged not in UNMANAGED_MODES:
        msg = f"delta_unmanaged is {unmanaged!r}; choose one of {', '.join(UNMANAGED_MODES)}"
        raise pytest.UsageError(msg)
    return unmanaged if mode == DRIFT else IGNORE


def _bindings(config: pytest.Config) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
    said: list[str] = [*config.getini("delta_bind"), *(config.getoption("delta_schema_bind") or [])]
    if not said:
        return ()
    from pytest_delta_schema.errors import DeclarationError
    from pytest_delta_schema.models.binding import parse_binding

    pairs, faults = {}, []
    for text in said:
        try:
            prefix, place = parse_binding(text)
        except DeclarationError as error:
            faults.append(str(error))
        else:
            pairs[prefix] = place
    if faults:
        raise pytest.UsageError("\n".join(faults))
    return tuple(pairs.items())


def _features(config: pytest.Config) -> tuple[str, ...]:
    said: list[str] = config.getini("delta_enable_features")
    strangers = [name for name in said if name not in FEATURES]
    if strangers:
        msg = f"delta_enable_features: there is no {', '.join(strangers)}; choose among {', '.join(FEATURES)}"
        raise pytest.UsageError(msg)
    return tuple(said)


def _on_failure(config: pytest.Config, mode: str | None) -> str:
    given: str | None = config.getoption("delta_schema_on_failure")
    if given and mode != APPLY:
        msg = "--delta-on-failure says what --delta-apply does; give that, too"
        raise pytest.UsageError(msg)
    said: str = given or config.getini("delta_on_failure")
    if said not in (LEAVE, RESTORE):
        msg = f"delta_on_failure is {said!r}; choose {LEAVE} or {RESTORE}"
        raise pytest.UsageError(msg)
    return said


def _max_risk(config: pytest.Config, mode: str | None) -> str:
    given: str | None = config.getoption("delta_schema_max_risk")
    if given and mode is None:
        msg = "--delta-max-risk says what --delta-drift or --delta-apply may plan; give one of them, too"
        raise pytest.UsageError(msg)
    risk: str = given or config.getini("delta_max_risk")
    if risk not in RISKS:
        msg = f"there is no class of risk {risk!r}; choose one of {', '.join(RISKS)}"
        raise pytest.UsageError(msg)
    return risk


def _preflight(config: pytest.Config, mode: str | None) -> Preflight | None:
    given = config.getoption("delta_schema_preflight")
    if given and mode is None:
        msg = "--delta-preflight says how --delta-drift or --delta-apply ask the data; give one of them, too"
        raise pytest.UsageError(msg)
    said = given or config.getini("delta_preflight")
    if said and said not in PREFLIGHTS:
        msg = f"there is no preflight {said!r}; choose one of {', '.join(PREFLIGHTS)}"
        raise pytest.UsageError(msg)
    samples: str = config.getini("delta_preflight_samples")
    if not samples.isdecimal():
        msg = f"delta_preflight_samples is {samples!r}; write how many rows may be named, 0 for none"
        raise pytest.UsageError(msg)
    if mode is None or (mode == DRIFT and said in ("", "off")):
        return None
    from pytest_delta_schema.execute.preflight import COUNT, Preflight

    return Preflight(said or COUNT, int(samples))


def _consents(config: pytest.Config, mode: str | None) -> tuple[tuple[Consent, ...], tuple[Consent, ...]]:
    """Return the consents of the command line and those of the ini file."""
    given: list[str] = config.getoption("delta_schema_allow") or []
    if given and mode is None:
        msg = "--delta-allow says what --delta-drift or --delta-apply may do; give one of them, too"
        raise pytest.UsageError(msg)
    written: list[str] = config.getini("delta_allow")
    if not given and not written:
        return (), ()
    from pytest_delta_schema.rules.consent import ConsentError, parse_consent

    consents, faults = [], []
    for text in (*given, *written):
        try:
            consents.append(parse_consent(text))
        except ConsentError as error:
            faults.append(str(error))
    if faults:
        raise pytest.UsageError("\n".join(faults))
    return tuple(consents[: len(given)]), tuple(consents[len(given) :])
