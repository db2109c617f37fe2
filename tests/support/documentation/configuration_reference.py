"""The reference page of the configuration, made from the table of settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.configuration.section import COMPATIBILITY_KEYS, CONSENT_KEYS, STORE_KEYS
from pytest_delta_schema.configuration.values import one_of
from pytest_delta_schema.settings.table import DEFAULT_ROLES, SECTION, SETTINGS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_delta_schema.settings.table import Setting, SettingKind

_TYPES: Mapping[SettingKind, str] = {
    "flag": "`true` or `false`",
    "count": "whole number",
    "seconds": "number of seconds",
    "text": "text",
    "uri": "address",
    "backend": "text",
    "folder": "path",
    "choice": "text",
    "list": "list of texts",
    "rules": "list of texts",
    "clients": "list of texts",
    "bindings": "table of texts",
    "pairs": "table of texts, numbers and booleans",
    "client features": "table of texts",
    "modes": "table of texts",
    "consents": "array of tables",
    "policies": "array of tables",
    "stores": "array of tables",
    "reports": "list of texts",
}
"""The types of TOML by kind."""

_INTRODUCTION = f"""\
A project has one place for its settings: the section `[{SECTION}]` of its `pyproject.toml`. It works with every
version of pytest, and without pytest.

The section is read from the nearest `pyproject.toml`: in the folder of pytest's ini file or above it, or from the root
folder where there is no ini file. The nearest file ends the search, whether it has the section or not, so each
project of a monorepo has its own settings. The header of a run names the file. Paths in it start in its folder.

Most settings are ini keys as well, with the prefix `delta_`, and some are options of the command line. Where a setting
is given more than once:

* The command line takes precedence, `-o delta_backend=memory` included.
* Lists and tables of several sources add up. A list given with `-o` replaces those of the files.
* A single value that the ini file and `pyproject.toml` give differently is a usage error.

A setting that cannot be used is a usage error (exit code 4). All of them are shown at once; for an unknown key, the
nearest name is shown. So is a section that nothing reads: one whose name is nearly right, such as
`[tool.pytest-delta-schema]`, and one in `pytest.ini`, `tox.ini`, `setup.cfg` or `pytest.toml`.
"""

_SCRIPTS = """\
`Settings.from_project(folder)` reads the section in a script. It cannot see ini keys, so it raises if an ini file of
the project has keys that begin with `delta_`.
"""

EXAMPLE = f"""\
[{SECTION}]
models = ["shop.models"]
backend = "unity"
unity_uri = "https://unity.example.com"
max_risk = "rewrite"
protected = ["prod.*"]
enable_features = ["typeWidening"]
rules = ["shop.rules:NoFloats"]
clients = ["databricks>=15.4", "trino>=470 (read)"]
unmanaged = "report"
read_threads = 16

[{SECTION}.bind]
"dev.silver" = "ci.pr_42_silver"

[{SECTION}.default_properties]
"delta.logRetentionDuration" = "interval 30 days"

[{SECTION}.client_features]
"trino.clustering" = "482"

[{SECTION}.properties]
"delta.autoOptimize.*" = "ignore"

[[{SECTION}.allow]]
action = "drop-column"
path = "dev.silver.*.legacy_id"
reason = "moved to payments, DATA-412"
expires = 2999-12-31

[[{SECTION}.compatibility]]
path = "prod.gold.**"
roles = ["readers", "streams", "writers", "clients"]
fail_on = "dangerous"
min_notice = 90

[[{SECTION}.storage]]
prefix = "s3://lake"
endpoint = "http://127.0.0.1:9000"
path_style = true
access_key_variable = "LAKE_KEY"
secret_key_variable = "LAKE_SECRET"
"""

_ENTRIES = """\
An entry of `allow` has the keys {consent}, all of them required. In its path `*` matches one part or a piece of it, and
`**` any number of parts. `expires` is the last day, in UTC. An expired entry, and one that a complete run
does not need, fails the run; an entry with the action `break` is judged by `--delta-against` only, and an unused one is
a note until its last day. An entry of `storage` has the keys {store}; only `prefix` is required.

An entry of `compatibility` has the keys {policy}; only `path` is required, which matches the names of tables in models
as the paths of `allow` do. `roles` are those that a change may not break, without it {roles}. `fail_on` is
`breaking`, `dangerous` or `never`, without it `breaking`. `min_notice` is for how many days a column or a table has to
be deprecated before it may be dropped, without it 0.

In an ini file, `delta_bind`, `delta_default_properties` and `delta_client_features` have one `name=value` on each line,
`delta_clients` one client, `delta_report` one report, and `delta_allow` one consent, such as
`drop-column dev.silver.orders.legacy`.
"""


def configuration_reference() -> str:
    """Return the reference page in Markdown, without a title: rules, an example, and one row for each setting."""
    rows = [
        "| setting | option | ini key | type | default | what it does |",
        "|---|---|---|---|---|---|",
        *map(_row, SETTINGS),
    ]
    entries = _ENTRIES.format(
        consent=_codes(CONSENT_KEYS),
        store=_codes(STORE_KEYS),
        policy=_codes(COMPATIBILITY_KEYS),
        roles=_codes(DEFAULT_ROLES),
    )
    example = f"```toml\n{EXAMPLE}```\n"
    return "\n".join([_INTRODUCTION, _SCRIPTS, example, "\n".join(rows), "", entries])


def _row(setting: Setting) -> str:
    cells = (
        f"`{setting.name}`" if setting.in_toml else "",
        _option(setting) if setting.on_command_line else "",
        f"`{setting.ini_key}`" if setting.in_ini else "",
        _type(setting),
        _default(setting.default),
        f"{setting.help[0].upper()}{setting.help[1:]}.",
    )
    return f"| {' | '.join(cells)} |"


def _option(setting: Setting) -> str:
    """Return the forms of an option, in back-quotes."""
    if setting.without_value is None:
        return f"`{setting.option}`"
    return f"`{setting.option}`, `{setting.option}={setting.metavar}`"


def _type(setting: Setting) -> str:
    if not setting.in_toml:
        return "option only"
    if not setting.choices:
        return _TYPES[setting.kind]
    choices = one_of(f"`{choice}`" for choice in setting.choices)
    if setting.kind == "backend":
        return f"{choices}, or the name of an installed backend"
    return choices if setting.kind == "choice" else f"{_TYPES[setting.kind]}: {choices}"


def _default(value: object) -> str:
    match value:
        case None | () | "":
            return ""
        case tuple():
            return _codes(value)
        case bool():
            return f"`{str(value).lower()}`"
        case float():
            return f"`{value:g}`"
        case _:
            return f"`{value}`"


def _codes(names: Mapping[str, object] | tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)
