"""What a user may say: options on the command line, their twins in the ini file, and the marks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pytest

    from pytest_delta_schema.execute.preflight import Preflight
    from pytest_delta_schema.models.modes import PropertyMode, UnmanagedMode
    from pytest_delta_schema.redaction import Uri
    from pytest_delta_schema.rules.consent import Consent

PREFLIGHTS = ("count", "limit", "off")
"""How the data can be asked, as :class:`~pytest_delta_schema.Preflight` says it."""

FEATURES = ("typeWidening", "columnMapping")
"""Table features that a plan may raise where it needs them."""

LEAVE, RESTORE = "leave", "restore"
"""What an apply does with a table that stops midway."""

RISKS = ("metadata", "feature", "scan", "rewrite", "destructive")
"""Classes of risk, the lower ones first."""

LOCAL, MEMORY, SESSION, UNITY, DATABRICKS = "local", "memory", "session", "unity", "databricks"

BACKENDS = (LOCAL, MEMORY, SESSION, UNITY, DATABRICKS)
"""Catalogs that can be chosen by name."""

WORKER = "{worker}"
"""Stands in the warehouse's path for the name of the xdist worker."""

DRIFT, APPLY, SYNC = "drift", "apply", "sync-metadata"
"""What a run with a catalog does."""

MARKS = {
    "delta": "every check of a declared table",
    "delta_rules": "the check that a declaration breaks no rule",
    "delta_ddl": "the snapshot of the SQL that would create the table",
    "delta_drift": "the check that the catalog holds what the model wants (--delta-drift)",
    "delta_unmanaged": "the check that a schema holds no table that no model declares (--delta-drift)",
    "delta_metadata": "the check that a catalog's record of a table is level with the table's Delta log (unity)",
    "delta_apply": "brings the catalog in line with the model (--delta-apply)",
}


class Unity(NamedTuple):
    """How a Unity Catalog server is reached, and what may be done to its records.

    Args:
        uri: Where it is, shown without secrets; ``None`` if nobody has said.
        token_variable: The environment variable that holds its token.
        timeout: Seconds to wait for it.
        sync_on_read: Whether records are brought level whenever they are read; in a gate only by the command line.
        sync_recreate: Whether a sync that is asked for may delete a record and create it again, where a server has no
            updates.
    """

    uri: Uri | None
    token_variable: str
    timeout: float
    sync_on_read: bool
    sync_recreate: bool


class Options(NamedTuple):
    """One run's options, checked; a named tuple, because a dataclass would cost every pytest run a millisecond.

    Args:
        mode: ``drift``, ``apply``, ``sync-metadata``, or ``None`` for a run without a catalog.
        backend: Name of the catalog.
        read_threads: How many tables a backend reads at once that reads them one by one.
        unity: How a Unity Catalog server is reached, and what may be done to its records.
        databricks_warehouse: The id of a SQL warehouse; ``""`` to enter Databricks by a session.
        stores: What is known of places where files lie, each as the arguments of a ``Storage``.
        warehouse: Folder of the local catalog, absolute; may hold :data:`WORKER`.
        enable: Table features that plans may raise without their being declared.
        max_risk: The highest class of risk that plans may have.
        protected: Patterns of tables that an apply may not change.
        restores: Whether an apply brings a table back that stops midway.
        preflight: How the data is asked before an apply; ``None`` if a run that only looks does not ask it.
        consents: What somebody has agreed to.
        entries: Those of them that the project's ``pyproject.toml`` has, all of which have to be of use.
        naming: Those of them that must name something in this run: all but those of the ini file when explicit paths
            leave tables out.
        bindings: Names in models, each with what stands in its place.
        properties: Patterns of table properties, each with its mode.
        owned_properties: Whether tables keep a record of the properties that their models have set.
        unmanaged: What a gate does about tables that no model declares.
        unmanaged_ignore: Patterns of tables that are left to others.
        jvm_archive: Whether the JVM's classes are kept for the next start.
    """

    mode: str | None
    backend: str
    read_threads: int
    unity: Unity
    databricks_warehouse: str
    stores: tuple[Mapping[str, Any], ...]
    warehouse: str
    enable: tuple[str, ...]
    max_risk: str
    protected: tuple[str, ...]
    restores: bool
    preflight: Preflight | None
    consents: tuple[Consent, ...]
    entries: tuple[Consent, ...]
    naming: tuple[Consent, ...]
    bindings: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]
    properties: tuple[tuple[str, PropertyMode], ...]
    owned_properties: bool
    unmanaged: UnmanagedMode
    unmanaged_ignore: tuple[str, ...]
    jvm_archive: bool


def add_options(parser: pytest.Parser) -> None:
    """Declare all options and ini keys."""
    group = parser.getgroup("delta", "schema contracts for Delta Lake")

    def add(flag: str, **settings: Any) -> None:
        group.addoption(flag, dest=f"delta_schema_{flag.removeprefix('--delta-').replace('-', '_')}", **settings)

    add("--delta-drift", action="store_true", help="fail every declared table that the catalog does not hold as is")
    add("--delta-apply", action="store_true", help="bring the catalog in line with the declared tables, and prove it")
    add(
        "--delta-sync-metadata",
        action="store_true",
        help="bring the catalog's records of tables level with their logs; beside --delta-drift before it looks",
    )
    add("--delta-unity-uri", metavar="URI", help="where the Unity Catalog server is (ini: delta_unity_uri)")
    parser.addini("delta_unity_uri", "where the Unity Catalog server is", default="")
    parser.addini("delta_unity_token_variable", "environment variable of its token", default="UNITY_CATALOG_TOKEN")
    parser.addini("delta_unity_timeout", "seconds to wait for it", default="30")
    parser.addini("delta_sync_on_read", "bring records level when applies and tests read", type="bool", default=False)
    parser.addini("delta_sync_recreate", "delete records and make them anew on old servers", type="bool", default=False)
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
        "--delta-bind",
        metavar="NAME=NAME",
        action="append",
        help="let models stand for tables elsewhere, as in dev.silver=ci.pr_42_silver; the longest name wins;"
        " may be given several times, and wins over the ini key delta_bind",
    )
    parser.addini("delta_bind", "names that stand for others, one pair a line", type="linelist", default=[])
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
    parser.addini("delta_backend", f"the catalog to use: {', '.join(BACKENDS)}", default=LOCAL)
    parser.addini("delta_databricks_warehouse", "id of the SQL warehouse to enter Databricks by", default="")
    parser.addini("delta_read_threads", "how many tables are read at once", default="8")
    parser.addini("delta_warehouse", "folder of the local catalog, beside the ini file", default=".delta-warehouse")
    parser.addini("delta_allow", "destructive changes that are allowed, one a line", type="linelist", default=[])
    parser.addini("delta_models", "dotted modules whose tables are collected", type="args", default=[])
    parser.addini("delta_default_properties", "key=value, one a line, for every table", type="linelist", default=[])
    parser.addini("delta_unmanaged", "tables that no model declares: ignore, report or fail", default="ignore")
    parser.addini("delta_unmanaged_ignore", "patterns of tables that are left to others", type="args", default=[])
    parser.addini("delta_owned_properties", "keep a record of properties that models set", type="bool", default=False)
    parser.addini("delta_jvm_archive", "keep the JVM's classes, for faster starts", type="bool", default=True)


def worker_id(config: pytest.Config) -> str:
    """Return the name of the xdist worker, ``main`` without xdist."""
    return str(getattr(config, "workerinput", {}).get("workerid", "main"))


def is_worker(config: pytest.Config) -> bool:
    """Whether this process is an xdist worker."""
    return hasattr(config, "workerinput")
