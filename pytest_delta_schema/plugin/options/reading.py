"""Read the options of one run from all sources, or report all their faults."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import pytest

from pytest_delta_schema._lazy import NO_PYSPARK, lacks_pyspark
from pytest_delta_schema.configuration.project_file import read_project_file
from pytest_delta_schema.configuration.settings import Settings
from pytest_delta_schema.diagnostics.escaping import printed
from pytest_delta_schema.models.modes import IGNORE
from pytest_delta_schema.plugin.compat.pytest_compat import command_line
from pytest_delta_schema.plugin.options.option_faults import WITHOUT_PLANS, option_faults
from pytest_delta_schema.plugin.options.option_values import (
    AGAINST,
    APPLY,
    DRIFT,
    ENFORCE,
    IMPORT,
    SYNC,
    WRITES_MODELS,
    Options,
    Unity,
)
from pytest_delta_schema.plugin.options.registration import is_on_github, project_folder
from pytest_delta_schema.plugin.options.sources import Sources
from pytest_delta_schema.plugin.output.terminal import write_lines
from pytest_delta_schema.settings.table import BY_NAME, SETTINGS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_delta_schema.configuration.report_targets import ReportFile
    from pytest_delta_schema.diagnostics.redaction import Uri
    from pytest_delta_schema.settings.kinds import RunMode


def checked_options(config: pytest.Config) -> Options:
    """Read the options; where they are wrong, a run that only shows something takes the defaults and ends with why.

    Raises:
        pytest.UsageError: With all faults, in any other run.
    """
    fault: object
    try:
        return read_options(config)
    except pytest.UsageError as error:
        fault = error
    except ModuleNotFoundError as error:
        if not lacks_pyspark(error):
            raise
        fault = NO_PYSPARK
    text = printed(fault)
    if not only_shows(config):
        raise pytest.UsageError(text)
    config.add_cleanup(lambda: write_lines(config, f"delta schema: {text}"))
    return default_options(config)


def read_options(config: pytest.Config) -> Options:
    """Read the settings from the command line, the ini file and ``pyproject.toml``, and check them.

    Raises:
        pytest.UsageError: With all faults.
    """
    folder = project_folder(config)
    project = read_project_file(folder, config.rootpath)
    sources = Sources(config, project, folder)
    values, faults = sources.values(), sources.faults
    modes = [mode for mode in (DRIFT, APPLY, SYNC, ENFORCE, AGAINST) if values[mode.replace("-", "_")]]
    modes[:0] = [mode for mode in WRITES_MODELS if values[mode]]
    mode = modes[0] if modes else None
    given = sources.given["allow"]
    command_line, ini, toml = (tuple(consents or ()) for consents in given)
    warehouse = str(folder / values["warehouse"])
    faults += option_faults(config, values, modes, warehouse)
    reports: tuple[ReportFile, ...] = ()
    expired_consents: tuple[str, ...] = ()
    if values["report"] or is_on_github():
        from pytest_delta_schema.plugin.options.report_options import reports_to_write

        reports = reports_to_write(config, sources)
    if toml:
        from pytest_delta_schema.configuration.section import expired

        faults += expired(
            consent for consent in toml if (AGAINST in modes if consent.is_for_contracts else mode not in WITHOUT_PLANS)
        )
        # An expired consent permits nothing; only a gate is stopped by it.
        expired_consents = tuple(str(consent) for consent in toml if expired([consent]))
        toml = tuple(consent for consent in toml if not expired([consent]))
    models, packages = dict[Path, str](), dict[str, frozenset[Path]]()
    if (values["models"] or mode is not None) and find_spec("pyspark") is None:
        faults.append(NO_PYSPARK)
    elif values["models"]:
        from pytest_delta_schema.plugin.options.model_files import model_files

        models, packages, missing = model_files(values["models"], config.rootpath)
        faults += missing
    if faults:
        raise pytest.UsageError("\n".join(faults))
    return _options(
        values,
        warehouse,
        Settings(
            consents=(*command_line, *ini, *toml),
            project_consents=toml,
            must_match=command_line if config.args_source is config.ArgsSource.ARGS else (*command_line, *ini),
        ),
        mode=mode,
        contracts_only=_contracts_only(config, modes),
        enforces=ENFORCE in modes,
        project_file=project.path,
        models=models,
        packages=packages,
        # A gate writes only if the command line asks for it.
        sync_on_read=SYNC in modes if mode == DRIFT else values["sync_on_read"],
        reports=reports,
        expired_consents=expired_consents,
    )


def default_options(config: pytest.Config) -> Options:
    """Return the options of a run without any settings."""
    values = {setting.name: setting.default for setting in SETTINGS}
    return _options(values, str(project_folder(config) / str(values["warehouse"])), Settings())


def only_shows(config: pytest.Config) -> bool:
    """Whether a run only shows something about pytest or the project, and runs no test.

    Such a run has no use for correct settings, and its user may need it to correct them.
    """
    option = config.option
    return bool(option.help or option.version or option.markers or option.showfixtures or option.show_fixtures_per_test)


def _options(  # noqa: PLR0913 - the parts of the options
    values: Mapping[str, Any],
    warehouse: str,
    consents: Settings,
    *,
    mode: RunMode | None = None,
    contracts_only: bool = False,
    enforces: bool = False,
    project_file: Path | None = None,
    models: Mapping[Path, str] = MappingProxyType({}),
    packages: Mapping[str, frozenset[Path]] = MappingProxyType({}),
    sync_on_read: bool = False,
    reports: tuple[ReportFile, ...] = (),
    expired_consents: tuple[str, ...] = (),
) -> Options:
    return Options(
        mode=mode,
        contracts_only=contracts_only,
        enforces=enforces,
        project_file=project_file,
        models=models,
        packages=packages,
        backend=values["backend"],
        read_threads=values["read_threads"],
        unity=Unity(
            uri=_uri(values["unity_uri"]),
            token_variable=values["unity_token_variable"],
            timeout=values["unity_timeout"],
            sync_on_read=sync_on_read,
            sync_recreate=values["sync_recreate"],
        ),
        databricks_warehouse=values["databricks_warehouse"],
        databricks_start_timeout=values["databricks_start_timeout"],
        stores=values["storage"],
        warehouse=warehouse,
        scratch_catalog=values["scratch_catalog"],
        settings=replace(
            consents,
            properties=values["properties"],
            default_properties=values["default_properties"],
            enable_features=values["enable_features"],
            owned_properties=values["owned_properties"],
            clients=values["clients"],
            client_features=values["client_features"],
            compatibility=values["compatibility"],
            max_risk=values["max_risk"],
            protected=values["protected"],
            bindings=values["bind"],
            preflight=values["preflight"],
            preflight_samples=values["preflight_samples"],
            on_failure=values["on_failure"],
            rules=values["rules"],
        ),
        unmanaged=values["unmanaged"] if mode == DRIFT else IGNORE,
        unmanaged_ignore=values["unmanaged_ignore"],
        release_tags=values["release_tags"],
        jvm_archive=values["jvm_archive"],
        keep_jvm=values["keep_jvm"],
        reports=reports,
        report_samples=values["report_samples"],
        expired_consents=expired_consents,
        adopt=values["adopt"],
        imports=values["import"],
        against=values["against"],
        witness=values["witness"],
        import_owns=values["import_owns"],
    )


def _contracts_only(config: pytest.Config, modes: list[RunMode]) -> bool:
    """Whether the command line has one of the modes of a run, and not only ``addopts``."""
    if not modes or IMPORT in modes or only_shows(config):
        return False
    given = command_line(config)
    return any(getattr(given, BY_NAME[mode.replace("-", "_")].dest) for mode in modes)


def rule_faults(names: tuple[str, ...]) -> list[str]:
    """Return a message for each rule that cannot be loaded; called where tables are collected, because it imports."""
    from pytest_delta_schema.configuration.project_rules import load_rules
    from pytest_delta_schema.diagnostics.errors import DeclarationError

    try:
        load_rules(names)
    except DeclarationError as error:
        return str(error).splitlines()
    return []


def _uri(text: str | None) -> Uri | None:
    if not text:
        return None
    from pytest_delta_schema.diagnostics.redaction import Uri

    return Uri(text)
