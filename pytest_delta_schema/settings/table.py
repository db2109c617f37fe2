"""The settings of a project, in one table: the options and the keys of the TOML section come from it.

Every pytest run loads this module with the plugin, so it imports no other module of this package.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, get_args

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

SECTION = "tool.pytest_delta_schema"
"""The section of ``pyproject.toml`` that holds the settings of a project."""

Feature = Literal["typeWidening", "columnMapping"]
"""The table features that a plan may enable by itself."""

PreflightMode = Literal["count", "limit", "off"]
"""``count``: all rows that forbid a change are counted. ``limit``: the first one is enough. ``off``: none is run."""

FailurePolicy = Literal["leave", "restore"]
"""``leave``: a table that fails midway stays as it is. ``restore``: it is restored to its version before the apply."""

RiskLabel = Literal["metadata", "feature", "scan", "rewrite", "destructive"]
"""The risks of changes, from the lowest to the highest."""

RISKS: tuple[str, ...] = get_args(RiskLabel)
"""The same labels, in the same order."""

PropertyMode = Literal["manage", "report", "ignore", "require", "forbid"]
"""The modes of a contract; besides, every model has to declare a key (``require``), or none may (``forbid``)."""

UnmanagedMode = Literal["ignore", "report", "fail"]
"""What a gate does about a table that no model declares."""

ReportType = Literal["json", "html", "markdown", "sarif", "gitlab", "github", "azure"]
"""The types of reports; ``report/formats.py`` says how each is written."""

CheckMode = Literal["drift", "apply", "sync-metadata", "enforce", "against"]
"""How a run checks tables beyond their declarations: with a catalog, or ``against`` earlier contracts."""

RunMode = Literal[CheckMode, "import", "adopt"]
"""What a run with a mode does."""

Role = Literal[
    "readers",
    "readers-by-position",
    "readers-by-path",
    "streams",
    "tracked-streams",
    "change-feed",
    "writers",
    "writers-by-position",
    "writers-by-merge",
    "clients",
]
"""Who uses a table: queries that name its columns, use their positions, or read its path; streams without a tracking
location, with one, and of the change data feed; jobs that write frames by name, by position, and by MERGE; and the
clients that the contract lists."""

ROLES: tuple[Role, ...] = get_args(Role)

ROLE_WORDS: Mapping[Role, str] = {
    "readers": "readers",
    "readers-by-position": "readers by position",
    "readers-by-path": "readers by path",
    "streams": "streams",
    "tracked-streams": "streams that track schemas",
    "change-feed": "streams of the change data feed",
    "writers": "writers",
    "writers-by-position": "writers by position",
    "writers-by-merge": "writers by MERGE",
    "clients": "clients",
}
"""How messages name the roles."""

DEFAULT_ROLES: tuple[Role, ...] = ("readers", "streams", "writers", "clients")
"""The roles that are judged where nobody chooses."""

NOTED_ROLES: tuple[Role, ...] = ("readers-by-position", "writers-by-position", "writers-by-merge")
"""The roles that are shown where they are not judged: the commonest change, a new column, concerns them."""

FailOn = Literal["breaking", "dangerous", "never"]
"""The least verdict that fails a change of a contract."""

FAIL_ON: tuple[FailOn, ...] = get_args(FailOn)

SettingKind = Literal[
    "flag", "count", "seconds", "text", "uri", "backend", "folder", "choice", "list", "rules", "clients", "bindings",
    "pairs", "client features", "modes", "consents", "policies", "locations", "stores", "store options", "reports",
]  # fmt: skip
"""The types of settings. What a value looks like in each source is written down in ``configuration/values.py``."""

LISTS: tuple[SettingKind, ...] = (
    "list", "rules", "clients", "bindings", "pairs", "client features", "modes", "consents", "policies", "locations",
    "stores", "store options", "reports",
)  # fmt: skip
"""The kinds whose values from several sources are joined."""

NO_VALUE = "\0"
"""What an option of a choice has that was given without a value."""

CHECKS_FOLLOW = "databricks"
"""The backend that takes the checks of a new table after its creation only."""

BACKENDS = ("local", "memory", "session", "unity", "locations", CHECKS_FOLLOW)
"""The built-in backends."""

WORKER = "{worker}"
"""The part of the warehouse's path that the name of the xdist worker replaces."""


class Setting:
    """One row of the table; to make a named tuple or a dataclass of it would cost every pytest run half a millisecond.

    The name is the key in the section of ``pyproject.toml``, unless only an option gives the setting
    (``is_option_only``). The help is one sentence without a full stop, and ``metavar`` what help texts call the value
    of the option; a setting without one has no option. A default of ``None`` is none. Of the ``choices``, all values if
    empty, those of ``backend`` are only the built-in ones.
    """

    __slots__ = ("choices", "default", "help", "is_option_only", "kind", "metavar", "name")

    def __init__(  # noqa: PLR0913 - the columns of the table
        self,
        name: str,
        kind: SettingKind,
        help: str,  # noqa: A002 - as argparse calls it
        default: object = None,
        *,
        choices: tuple[str, ...] = (),
        metavar: str = "",
        is_option_only: bool = False,
    ) -> None:
        self.name = name
        self.kind = kind
        self.help = help
        self.default = default
        self.choices = choices
        self.metavar = metavar
        self.is_option_only = is_option_only

    @property
    def option(self) -> str:
        """The option on the command line."""
        return f"--delta-{self.name.replace('_', '-')}"

    @property
    def dest(self) -> str:
        """Where pytest keeps the value of the option."""
        return f"delta_schema_{self.name}"


def _mode(name: str, help_text: str) -> Setting:
    """Return a row for an option that chooses what a run does, which no file can choose."""
    return Setting(name, "flag", help_text, default=False, is_option_only=True)


SETTINGS = (
    _mode("drift", "compare the declared tables with the catalog, and fail each table that differs"),
    _mode("apply", "change the catalog until it matches the declared tables, and verify the result"),
    _mode(
        "sync_metadata",
        "write the metadata of Delta logs to the catalog entries of a Unity Catalog server;"
        " with --delta-drift, before tables are compared",
    ),
    _mode(
        "enforce",
        "write rows that break each constraint to scratch tables, and fail each table that takes one; can be"
        " combined with the other modes",
    ),
    Setting(
        "import", "list",
        "write models for the tables of a schema, or for those that match a pattern, to contracts or to PATH, and prove"
        " that nothing differs",
        (), metavar="NAME[=PATH]", is_option_only=True,
    ),
    Setting(
        "import_owns", "list",
        "the aspects that models written by --delta-import declare, such as columns,types; without it all of them",
        (), metavar="ASPECTS", is_option_only=True,
    ),
    Setting(
        "adopt", "choice",
        "accept into the source of each model how its table differs from it: diff shows the edits, write makes them",
        "", choices=("diff", "write"), metavar="diff|write", is_option_only=True,
    ),
    Setting(
        "against", "list",
        "compare the declared tables with those of a branch, a tag, a commit or a folder (./old), and fail each change"
        " that breaks somebody; last-release is the newest tag of a release, and auto the target of a pull request",
        (), metavar="REF", is_option_only=True,
    ),
    Setting(
        "witness", "text",
        "write a script for each change that breaks somebody, and run it on local Delta before the change and after it;"
        " with --delta-against", "", metavar="FOLDER", is_option_only=True,
    ),
    Setting(
        "plan_out", "text",
        "write the plan to a file that is reviewed and applied later; with --delta-drift or --delta-against", "",
        metavar="FILE", is_option_only=True,
    ),
    Setting(
        "plan", "text", "apply exactly the plan of a file, to all of its tables or to none; with --delta-apply", "",
        metavar="FILE", is_option_only=True,
    ),
    Setting(
        "set", "list", f"give a setting of [{SECTION}] for this run; VALUE is as there, or a text without quotes", (),
        metavar="NAME=VALUE", is_option_only=True,
    ),
    Setting(
        "models", "list",
        "names of modules and packages whose tables are collected, besides those in delta_tables of test files", (),
    ),
    Setting(
        "backend", "backend", "the catalog that models are compared with", "local",
        choices=BACKENDS, metavar="NAME",
    ),
    Setting(
        "warehouse", "folder",
        f"folder of the local catalog; {WORKER} in it is replaced by the name of the xdist worker",
        ".delta-warehouse", metavar="FOLDER",
    ),
    Setting(
        "scratch_catalog", "text",
        "catalog in which make_delta_table and --delta-enforce create their tables, instead of that of the model", "",
    ),
    Setting(
        "scratch_backend", "backend",
        "backend on which make_delta_table and --delta-enforce create their tables, where the backend of the run"
        " only reads", "local", choices=BACKENDS,
    ),
    Setting(
        "bind", "bindings",
        "map names in models to other names in the catalog, such as dev.silver=ci.pr_42_silver; the longest is used",
        (), metavar="NAME=NAME",
    ),
    Setting(
        "allow", "consents",
        "consent by name to one column drop, one rewrite or one break of a contract, such as"
        " 'drop-column dev.silver.orders.legacy'",
        (), metavar="CONSENT",
    ),
    Setting(
        "max_risk", "choice", "refuse every plan that has a change with a higher risk", "destructive",
        choices=RISKS, metavar="CLASS",
    ),
    Setting("protected", "list", "glob patterns of dotted table names that no apply changes", ()),
    Setting(
        "preflight", "choice",
        "how data checks run before a change: count all rows that forbid it, stop at the first one (limit), or off;"
        " by default an apply counts, and --delta-drift runs none",
        choices=get_args(PreflightMode), metavar="MODE",
    ),
    Setting("preflight_samples", "count", "how many rows a failed data check names by their keys; 0 names none", 5),
    Setting(
        "on_failure", "choice",
        "what an apply does with a table that it could not finish: leave it and print the statement that restores it,"
        " or restore it unless somebody else has committed since",
        "leave", choices=get_args(FailurePolicy),
    ),
    Setting(
        "enable_features", "list", "table features that a plan enables where it needs them, without a declaration",
        (), choices=get_args(Feature),
    ),
    Setting("rules", "rules", "rules of the project, each as 'module:Name', besides the standard ones", ()),
    Setting("default_properties", "pairs", "table properties that every model has unless it declares the key", ()),
    Setting(
        "properties", "modes", "glob patterns of table properties, each with its mode; the longest pattern is used",
        (), choices=get_args(PropertyMode),
    ),
    Setting(
        "owned_properties", "flag",
        "record on each table the properties that its model has set, so a key which leaves the model is removed",
        default=False,
    ),
    Setting(
        "clients", "clients",
        "clients that read and write the tables, such as 'trino>=470' or, if it only reads, 'trino>=470 (read)'; a"
        " table feature that one of them lacks is refused",
        (),
    ),
    Setting(
        "client_features", "client features",
        "corrections of the table of clients: 'client.feature', each with the versions that support it", (),
    ),
    Setting(
        "compatibility", "policies",
        "what --delta-against accepts when a contract changes, by paths of tables; the longest path is used", (),
    ),
    Setting(
        "release_tags", "list", "glob patterns of the tags that are releases; last-release is the newest before HEAD",
        ("v*",),
    ),
    Setting(
        "unmanaged", "choice", "what --delta-drift does about tables that no model declares, in schemas with models",
        "ignore", choices=get_args(UnmanagedMode),
    ),
    Setting("unmanaged_ignore", "list", "glob patterns of dotted table names that unmanaged leaves out", ()),
    Setting("odcs", "list", "glob patterns of the data contracts (ODCS) that the models have to agree with", ()),
    Setting("odcs_comments", "flag", "compare the descriptions of data contracts with comments", default=False),
    Setting("unity_uri", "uri", "address of the Unity Catalog server"),
    Setting(
        "unity_token_variable", "text", "environment variable that holds the token of that server",
        "UNITY_CATALOG_TOKEN",
    ),
    Setting("unity_timeout", "seconds", "seconds that one call of that server may take", 30.0),
    Setting(
        "sync", "list",
        "on-read: write the metadata of Delta logs to catalog entries whenever an apply or a test reads tables;"
        " recreate: let a metadata sync delete an entry and create it again, on servers without updates",
        (), choices=("on-read", "recreate"),
    ),
    Setting(
        "databricks_warehouse", "text",
        "id of the SQL warehouse that runs statements on Databricks; without it, a Spark session runs them", "",
    ),
    Setting(
        "databricks_start_timeout", "seconds", "seconds that a SQL warehouse on Databricks may take to start", 600.0,
    ),
    Setting(
        "locations", "locations",
        "folders with one folder a table, by the names of schemas, and folders of single tables, for the backend"
        " locations; the longest name is used", (),
    ),
    Setting("storage", "stores", "S3-compatible stores that hold files of tables", ()),
    Setting(
        "storage_options", "store options",
        "how long stores are waited for, and how often a request that failed is sent again", (),
        choices=("connect_timeout", "max_retries", "retry_timeout", "timeout"),
    ),
    Setting(
        "report", "reports",
        "write a report of the run, without FILE to delta-report with the extension of its type; TYPE:off turns off"
        " what a file or addopts asks for",
        (), choices=get_args(ReportType), metavar="TYPE[:FILE]",
    ),
    Setting(
        "report_samples", "flag", "show in reports which rows fail a data check, by their keys", default=False,
    ),
)  # fmt: skip
"""All settings, in the order of the reference page."""

BY_NAME = {setting.name: setting for setting in SETTINGS}

OPTIONS = tuple(setting for setting in SETTINGS if setting.is_option_only or setting.metavar)
"""The settings that have an option."""

TOML_KEYS = tuple(setting.name for setting in SETTINGS if not setting.is_option_only)
"""The keys of the section."""

_OF_VERDICTS = (
    "properties", "default_properties", "enable_features", "owned_properties", "clients", "client_features",
    "compatibility", "max_risk", "protected", "preflight", "preflight_samples", "on_failure", "rules",
)  # fmt: skip
"""The settings of a project that are arguments of ``Settings`` under the same name."""


def arguments_of(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of ``Settings`` that are settings of a project, apart from consents."""
    return {name: values[name] for name in _OF_VERDICTS} | {"bindings": values["bind"]}


def nearest(name: str, settings: Sequence[str]) -> str | None:
    """Return the setting whose name resembles a key most; ``None`` if none does."""
    from difflib import get_close_matches  # noqa: PLC0415 - only a fault needs it

    return next(iter(get_close_matches(name.lower().replace("-", "_").removeprefix("delta_"), settings, n=1)), None)


def toml_setting(name: str, value: object) -> str:
    """Return a setting with its value and its section."""
    return f"{name} = {toml_value(value)} in [{SECTION}]"


def toml_value(value: object) -> str:
    """Return a value as TOML has it."""
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{toml_value(key)} = {toml_value(item)}' for key, item in value.items())} }}"
    return json.dumps(value, ensure_ascii=False)


INI_FILES = ("pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg")
"""The files in which pytest 9 looks for its configuration: somebody may have written our section to one of them."""


def project_file_of(folder: Path) -> Path | None:
    """Return the ``pyproject.toml`` that may hold the section: the nearest one, in a folder or above it."""
    candidates = (parent / "pyproject.toml" for parent in (folder, *folder.parents))
    return next((path for path in candidates if path.is_file()), None)


def may_have_misspelt_section(content: bytes) -> bool:
    """Whether a file may have a section, or a key, whose name is nearly ours; a quick look without false negatives."""
    plain = re.sub(rb"[-_. \t'\"]", b"", content)
    names = re.findall(rb"(?m)^[\[\w:]*[\]=]", plain.lower())
    return any(part in name for name in names for part in (b"pytestd", b"eltas", b"chema"))
