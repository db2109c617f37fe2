"""The modes and options of a run, checked, and what is derived from them."""

from __future__ import annotations

import glob
import re
import shlex
from dataclasses import dataclass
from fnmatch import fnmatchcase
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, cast, get_args

from pytest_delta_schema.backends.backend import BackendSettings, find_backend
from pytest_delta_schema.delta.names import folded, nearest_name, split_path
from pytest_delta_schema.diagnostics.redaction import without_secrets
from pytest_delta_schema.settings.table import OPTIONS, RunMode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    import pytest

    from pytest_delta_schema.configuration.report_targets import ReportFile
    from pytest_delta_schema.configuration.settings import Settings
    from pytest_delta_schema.delta.names import Aspect
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.settings.table import UnmanagedMode


DRIFT, APPLY, SYNC, ENFORCE, AGAINST, IMPORT, ADOPT = get_args(RunMode)

WRITES_MODELS = (IMPORT, ADOPT)
"""The modes that write models, and check no table."""

WITHOUT_PLANS = (None, ENFORCE, AGAINST, *WRITES_MODELS)
"""The modes in which no table is compared with its model."""


SELECTING = {"keyword": "-k", "markexpr": "-m", "deselect": "--deselect", "lf": "--lf", "stepwise": "--stepwise"}
"""The options of pytest that deselect items, by their names in its configuration."""


class Options(NamedTuple):
    """One run's options, checked."""

    values: Mapping[str, Any]
    """The value of every setting by its name; the warehouse is absolute, and ``sync`` what this run does."""
    settings: Settings
    """Everything that changes a verdict, besides the rules that hooks return."""
    backend: str
    warehouse: str
    """Folder of the local catalog, absolute; may hold :data:`WORKER`."""
    scratch_catalog: str
    """The catalog of scratch tables; ``""`` for that of the model."""
    unmanaged: UnmanagedMode
    unmanaged_ignore: tuple[str, ...]
    """Glob patterns of tables that ``unmanaged`` leaves out."""
    release_tags: tuple[str, ...]
    """Glob patterns of the tags that are releases."""
    report_samples: bool
    adopt: str
    """``diff`` or ``write`` in a run that accepts drift."""
    imports: tuple[str, ...]
    """The values of ``--delta-import``."""
    import_owns: tuple[str, ...]
    """The values of ``--delta-import-owns``; without one all aspects are managed."""
    against: tuple[str, ...]
    """The values of ``--delta-against``."""
    witness: str
    """The folder for scripts that show what a change breaks, as it was given; ``""`` for none."""
    mode: RunMode | None = None
    """``import``, ``drift``, ``apply`` or ``sync-metadata``, ``enforce`` or ``against`` if it is none of these, or
    ``None`` for a run that only checks declarations."""
    contracts_only: bool = False
    """Whether tests are deselected that no node id names, because the command line has a mode."""
    enforces: bool = False
    """Whether scratch tables have to stop rows that break their constraints, in any mode."""
    project_file: Path | None = None
    """The ``pyproject.toml`` whose section was read; ``None`` if there is no section."""
    models: Mapping[Path, str] = MappingProxyType({})
    """The modules whose tables are collected: their files, each with its dotted name."""
    packages: Mapping[str, frozenset[Path]] = MappingProxyType({})
    """The packages among the setting ``models``, each with the files of all its modules."""
    data_contracts: Mapping[str, Path] = MappingProxyType({})
    """The files of the setting ``odcs``, by the names that messages have for them."""
    reports: tuple[ReportFile, ...] = ()
    expired_consents: tuple[str, ...] = ()


def only_shows(config: pytest.Config) -> bool:
    """Whether a run only shows something about pytest or the project, and runs no test."""
    option = config.option
    return bool(option.help or option.version or option.markers or option.showfixtures or option.show_fixtures_per_test)


_IMPORT_FORM = "write --delta-import=dev.silver, or --delta-import=dev.silver.ord*=contracts/orders.py"
_SCHEMA_PARTS, _TABLE_PARTS = 2, 3
_GLOB = re.compile(r"[*?[]")


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportRequest:
    """One value of ``--delta-import``: a schema, or some of its tables, and the file or folder to write."""

    text: str
    """The name as it was given."""
    catalog: str
    """The catalog to read, in lower case."""
    schema: str
    """Its schema, in lower case."""
    pattern: str
    """A glob pattern of names of tables, in lower case."""
    path: str
    """The file or the folder to write; ``""`` for ``contracts``."""

    def matching(self, names: Iterable[QualifiedName]) -> list[QualifiedName]:
        """Return the names that are asked for."""
        return [name for name in names if fnmatchcase(name.table, self.pattern)]

    def fault(self, names: Iterable[QualifiedName], why_empty: str = "") -> str:
        """Return the message if no name of the schema is asked for; ``""`` if one is.

        ``why_empty`` is what the catalog says about a schema without tables.
        """
        known = list(names)
        if self.matching(known):
            return ""
        schema = f"{self.catalog}.{self.schema}"
        if not known:
            reason = f": {why_empty}" if why_empty else "; check its name"
            return f"--delta-import={self.text}: the schema {schema} does not exist, or holds no table{reason}"
        from pytest_delta_schema.report.text import first_few

        tables = [name.table for name in known]
        near = nearest_name(self.pattern, tables)
        proposal = f"did you mean {schema}.{near}?" if near else f"its tables are {first_few(tables, 5)}"
        return f"--delta-import={self.text}: no table of {schema} has this name; {proposal}"


def import_request(value: str) -> ImportRequest | str:
    """Return what a value of the option asks for, or what is wrong with it."""
    text, _, path = value.partition("=")
    parts = split_path(text)
    if len(parts) not in {_SCHEMA_PARTS, _TABLE_PARTS} or not all(part.name for part in parts):
        return f"--delta-import={value} does not name a schema; {_IMPORT_FORM}"
    if any(not part.is_quoted and _GLOB.search(part.name) for part in parts[:_SCHEMA_PARTS]):
        return f"--delta-import={value} has a pattern in the name of the schema; {_IMPORT_FORM}"
    catalog, schema = (folded(part.name) for part in parts[:_SCHEMA_PARTS])
    tables = [glob.escape(part.name) if part.is_quoted else part.name for part in parts[_SCHEMA_PARTS:]]
    pattern = folded(tables[0]) if tables else "*"
    return ImportRequest(text=text, catalog=catalog, schema=schema, pattern=pattern, path=path)


def import_requests(values: Iterable[str]) -> list[ImportRequest]:
    """Return what the values of ``--delta-import`` ask for; there is nothing wrong with them."""
    return [request for request in map(import_request, values) if isinstance(request, ImportRequest)]


def aspects_of(owns: Iterable[str]) -> list[Aspect]:
    """Return the aspects of ``--delta-import-owns``, which has commas between them."""
    return [cast("Aspect", aspect.strip()) for text in owns for aspect in text.split(",")]


SESSION_FIXTURES = ("delta_catalog", "delta_spark", "delta_spark_conf")
"""The fixtures that decide which session a run has."""


def location(config: pytest.Config, options: Options) -> str:
    """Return where the catalog is, without secrets; ``""`` if there is nothing to add to the name of the backend."""
    return find_backend(options.backend).location(backend_settings(config, options))


def backend_and_location(config: pytest.Config, options: Options) -> str:
    """Return the name of the backend of a run, and where its catalog is."""
    where = location(config, options)
    return f"{options.backend}{f', {where}' if where else ''}"


_OF_CATALOG = ("backend", "warehouse", "bind", "set")
"""The settings that choose the catalog of a run, and have an option."""


def chosen_catalog(config: pytest.Config) -> str:
    """Return the options that chose the catalog of a run, for a command that is to use the same one."""
    parts = []
    for setting in OPTIONS:
        if setting.name in _OF_CATALOG:
            value = getattr(config.option, setting.dest)
            values = value if isinstance(value, list) else [value] if value else []
            parts += [shlex.quote(f"{setting.option}={_shown(item)}") for item in values]
    return "".join(f" {part}" for part in parts)


def _shown(item: str) -> str:
    return without_secrets(item) if "://" in item else item


def backend_settings(config: pytest.Config, options: Options) -> BackendSettings:
    """Return the settings of a run as backends take them."""
    return BackendSettings(values=options.values, option=option_of(config), mode=options.mode)


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


def without_scratch_catalog(subject: str, backend: str) -> str:
    """Return the message for tables that would be created in a catalog which others may use."""
    return (
        f"{subject} creates tables, and others may use the catalogs of the backend {backend}; name one for scratch"
        ' tables in pyproject.toml: [tool.pytest_delta_schema] scratch_catalog = "scratch"; or run it with'
        " --delta-backend=local"
    )
