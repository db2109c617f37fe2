"""What a user may say: options on the command line, their twins in the ini file, and the marks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from pytest_delta_schema.contracts.project import expired, read_project

if TYPE_CHECKING:
    from pytest_delta_schema.execute.preflight import Preflight
    from pytest_delta_schema.rules.consent import Consent

PREFLIGHTS = ("count", "limit", "off")
"""How the data can be asked, as :class:`~pytest_delta_schema.Preflight` says it."""

FEATURES = ("typeWidening", "columnMapping")
"""Table features that a plan may raise where it needs them."""

LEAVE, RESTORE = "leave", "restore"
"""What an apply does with a table that stops midway."""

RISKS = ("metadata", "feature", "scan", "rewrite", "destructive")
"""Classes of risk, the lower ones first."""

BACKENDS = ("local", "memory")
"""Catalogs that can be chosen by name."""

WORKER = "{worker}"
"""Stands in the warehouse's path for the name of the xdist worker."""

DRIFT, APPLY = "drift", "apply"

MARKS = {
    "delta": "every check of a declared table",
    "delta_rules": "the check that a declaration breaks no rule",
    "delta_ddl": "the snapshot of the SQL that would create the table",
    "delta_drift": "the check that the catalog holds what the model wants (--delta-drift)",
    "delta_apply": "brings the catalog in line with the model (--delta-apply)",
}


class Options(NamedTuple):
    """One run's options, checked; a named tuple, because a dataclass would cost every pytest run a millisecond.

    Args:
        mode: ``drift``, ``apply``, or ``None`` for a run without a catalog.
        backend: Name of the catalog.
        warehouse: Folder of the local catalog, absolute; may hold :data:`WORKER`.
        enable: Table features that plans may raise without their being declared.
        max_risk: The highest class of risk that plans may have.
        protected: Patterns of tables that an apply may not change.
        restores: Whether an apply brings a table back that stops midway.
        preflight: How the data is asked before an apply; ``None`` if a run that only looks does not ask it.
        consents: What somebody has agreed to.
        entries: Those of them that the project's ``pyproject.toml`` has, all of which have to be of use.
        binding: Those of them that must name something in this run: all but those of the ini file when explicit paths
            leave tables out.
        properties: Patterns of table properties, each with its mode.
        owned_properties: Whether tables keep a record of the properties that their models have set.
        jvm_archive: Whether the JVM's classes are kept for the next start.
    """

    mode: str | None
    backend: str
    warehouse: str
    enable: tuple[str, ...]
    max_risk: str
    protected: tuple[str, ...]
    restores: bool
    preflight: Preflight | None
    consents: tuple[Consent, ...]
    entries: tuple[Consent, ...]
    binding: tuple[Consent, ...]
    properties: tuple[tuple[str, str], ...]
    owned_properties: bool
    jvm_archive: bool


def add_options(parser: pytest.Parser) -> None:
    """Declare all options and ini keys."""
    group = parser.getgroup("delta", "schema contracts for Delta Lake")

    def add(flag: str, **settings: Any) -> None:
        group.addoption(flag, dest=f"delta_schema_{flag.removeprefix('--delta-').replace('-', '_')}", **settings)

    add("--delta-drift", action="store_true", help="fail every declared table that the catalog does not hold as is")
    add("--delta-apply", action="store_true", help="bring the catalog in line with the declared tables, and prove it")
    add("--delta-backend", metavar="NAME", help=f"the catalog: {', '.join(BACKENDS)} (ini: delta_backend)")
    add(
        "--delta-warehouse",
        metavar="FOLDER",
        help=f"where the local catalog lives; {WORKER} stands for the xdist worker (ini: delta_warehouse)",
    )
    add(
        "--delta-allow",
        metavar="CONSENT",
        action="append",
        help="allow one destructive change by name, such as 'drop-column dev.silver.orders.legacy';"
        " may be given several times, and adds to the ini key delta_allow",
    )
    add(
        "--delta-preflight",
        metavar="MODE",
        help="ask the data before the DDL: count every row that breaks something, limit to the first one, or off;"
        " with --delta-drift the data is asked only if this is given (ini: delta_preflight)",
    )
    add(
        "--delta-on-failure",
        metavar="WHAT",
        help="what an apply does with a table that stops midway: leave it and name the way back, or restore it unless"
        " somebody else has committed since (ini: delta_on_failure)",
    )
    parser.addini("delta_on_failure", "what an apply does with a table that stops midway", default=LEAVE)
    add(
        "--delta-max-risk",
        metavar="CLASS",
        help=f"refuse every plan with a change that is riskier: {', '.join(RISKS)} (ini: delta_max_risk)",
    )
    parser.addini("delta_max_risk", "the highest class of risk that plans may have", default=RISKS[-1])
    parser.addini("delta_protected", "patterns of tables that no apply may change", type="args", default=[])
    parser.addini("delta_enable_features", "table features that plans may raise undeclared", type="args", default=[])
    parser.addini("delta_preflight", "how the data is asked before the DDL: count, limit or off", default="")
    parser.addini("delta_preflight_samples", "rows that are named by their keys at most; 0 for none", default="5")
    parser.addini("delta_backend", "the catalog to use: local or memory", default="local")
    parser.addini("delta_warehouse", "folder of the local catalog, beside the ini file", default=".delta-warehouse")
    parser.addini("delta_allow", "destructive changes that are allowed, one a line", type="linelist", default=[])
    parser.addini("delta_models", "dotted modules whose tables are collected", type="args", default=[])
    parser.addini("delta_default_properties", "key=value, one a line, for every table", type="linelist", default=[])
    parser.addini("delta_owned_properties", "keep a record of properties that models set", type="bool", default=False)
    parser.addini("delta_jvm_archive", "keep the JVM's classes, for faster starts", type="bool", default=True)


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
        warehouse=_warehouse(config),
        enable=_features(config),
        max_risk=_max_risk(config, mode),
        protected=tuple(config.getini("delta_protected")) if mode == APPLY else (),
        restores=_on_failure(config, mode) == RESTORE,
        preflight=_preflight(config, mode),
        consents=(*given, *written, *project.allow),
        entries=project.allow,
        binding=given if config.args_source is config.ArgsSource.ARGS else (*given, *written),
        properties=project.properties,
        owned_properties=config.getini("delta_owned_properties"),
        jvm_archive=config.getini("delta_jvm_archive"),
    )
    if mode == APPLY and backend == "local" and WORKER not in options.warehouse and _distributes(config):
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


def worker_id(config: pytest.Config) -> str:
    """Return the name of the xdist worker, ``main`` without xdist."""
    return str(getattr(config, "workerinput", {}).get("workerid", "main"))


def is_worker(config: pytest.Config) -> bool:
    """Whether this process is an xdist worker."""
    return hasattr(config, "workerinput")


def _distributes(config: pytest.Config) -> bool:
    return not is_worker(config) and config.getoption("dist", "no") != "no" and bool(config.getoption("tx", None))


def _mode(config: pytest.Config) -> str | None:
    drift, apply = config.getoption("delta_schema_drift"), config.getoption("delta_schema_apply")
    if drift and apply:
        msg = "--delta-drift only looks and --delta-apply changes the catalog; give one of the two"
        raise pytest.UsageError(msg)
    if drift:
        return DRIFT
    return APPLY if apply else None


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
