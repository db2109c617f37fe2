"""Read the options and settings of a run, from the command line and ``pyproject.toml``, and check them."""

from __future__ import annotations

import re
from dataclasses import replace
from glob import glob
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_delta_schema._lazy import NO_PYSPARK, lacks_pyspark
from pytest_delta_schema.backends.backend import BackendSettings, find_backend
from pytest_delta_schema.configuration.files import misspelt_sections, read_project_file, shown_path
from pytest_delta_schema.configuration.report_targets import ReportTarget, faults_of_reports, report_files
from pytest_delta_schema.configuration.settings import Settings
from pytest_delta_schema.configuration.sources import from_sources
from pytest_delta_schema.diagnostics.errors import BackendUnavailableError, DeclarationError
from pytest_delta_schema.diagnostics.text import escaped, printed
from pytest_delta_schema.models.ownership import ASPECTS, IGNORE
from pytest_delta_schema.plugin.compat import command_line, is_distributed, is_worker
from pytest_delta_schema.plugin.options import (
    ADOPT,
    AGAINST,
    APPLY,
    DRIFT,
    ENFORCE,
    IMPORT,
    SELECTING,
    SYNC,
    WITHOUT_PLANS,
    WRITES_MODELS,
    Options,
    aspects_of,
    import_request,
    only_shows,
    option_of,
    without_scratch_catalog,
)
from pytest_delta_schema.plugin.registration import files_of_pytest, is_on_github, project_folder
from pytest_delta_schema.plugin.terminal import write_lines
from pytest_delta_schema.report.formats import EXTENSIONS, missing_packages
from pytest_delta_schema.settings.table import (
    BACKENDS,
    BY_NAME,
    CHECKS_FOLLOW,
    OPTIONS,
    SETTINGS,
    WORKER,
    arguments_of,
    toml_setting,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pytest_delta_schema.backends.backend import Backend
    from pytest_delta_schema.configuration.report_targets import ReportFile
    from pytest_delta_schema.rules.consent import Consent
    from pytest_delta_schema.settings.table import RunMode


def checked_options(config: pytest.Config) -> Options:
    """Read the options; where they are wrong, a run that only shows something takes the defaults and ends with why."""
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
    """Read the settings from the command line and ``pyproject.toml``, and check them."""
    folder = project_folder(config)
    project = read_project_file(folder, config.rootpath)
    given = {setting.name: config.getoption(setting.dest) for setting in OPTIONS}
    sources = from_sources(given, project, config.invocation_params.dir)
    values, faults = {**sources.values}, [*sources.faults, *_misspelt_sections(config)]
    modes = [mode for mode in (DRIFT, APPLY, SYNC, ENFORCE, AGAINST) if values[mode.replace("-", "_")]]
    modes[:0] = [mode for mode in WRITES_MODELS if values[mode]]
    mode = modes[0] if modes else None
    values["warehouse"] = str(folder / values["warehouse"])
    values["sync"] = _sync(values["sync"], modes)
    faults += option_faults(config, values, modes)
    reports: tuple[ReportFile, ...] = ()
    if values["report"] or is_on_github():
        reports = reports_to_write(config, values["report"], faults)
    settings, expired_consents = _consents(values["allow"], modes, faults)
    models, packages = dict[Path, str](), dict[str, frozenset[Path]]()
    if (values["models"] or mode is not None) and find_spec("pyspark") is None:
        faults.append(NO_PYSPARK)
    elif values["models"]:
        from pytest_delta_schema.plugin.model_files import model_files

        models, packages, missing = model_files(values["models"], config.rootpath)
        faults += missing
    contracts = _data_contracts(values["odcs"], folder, config.rootpath, faults)
    if faults:
        raise pytest.UsageError("\n".join(faults))
    return _options(
        values,
        # Snapshots are those of the project, whatever backend one run of it has.
        replace(settings, checks_follow=sources.project.get("backend", values["backend"]) == CHECKS_FOLLOW),
        mode=mode,
        contracts_only=_contracts_only(config, modes),
        enforces=ENFORCE in modes,
        project_file=project.path,
        models=models,
        packages=packages,
        data_contracts=contracts,
        reports=reports,
        expired_consents=expired_consents,
    )


def _data_contracts(patterns: Iterable[str], folder: Path, root: Path, faults: list[str]) -> dict[str, Path]:
    """Return the files that the patterns of the setting ``odcs`` match, by the names that messages have for them."""
    files: dict[str, Path] = {}
    for pattern in patterns:
        found = [Path(file) for file in sorted(glob(str(folder / pattern), recursive=True))]  # noqa: PTH207 - may be absolute
        files |= {shown_path(file, root): file for file in found}
        if not found:
            faults.append(f"odcs: {pattern} matches no file; name data contracts, from the folder of pyproject.toml")
    if files:
        from pytest_delta_schema.exchange.contract_file import missing_extra

        faults += [f"odcs: {fault}" for fault in missing_extra()]
    return files


def _consents(
    consents: tuple[Consent, ...], modes: list[RunMode], faults: list[str]
) -> tuple[Settings, tuple[str, ...]]:
    """Return the consents of a run by what they have to do, and those that have expired, which permit nothing."""
    if not consents:
        return Settings(), ()
    from pytest_delta_schema.configuration.section import expired

    plans = (modes[0] if modes else None) not in WITHOUT_PLANS
    faults += expired(consent for consent in consents if (AGAINST in modes if consent.is_for_contracts else plans))
    current = tuple(consent for consent in consents if not expired([consent]))
    settings = Settings(
        consents=current,
        project_consents=tuple(consent for consent in current if consent.is_pattern),
        must_match=tuple(consent for consent in current if not consent.is_pattern),
    )
    return settings, tuple(str(consent) for consent in consents if consent not in current)


def _misspelt_sections(config: pytest.Config) -> Iterator[str]:
    """Yield a message for each section whose name is nearly ours."""
    for path in files_of_pytest(config):
        yield from (f"{shown_path(path, config.rootpath)}: {message}" for message in misspelt_sections(path))


def default_options(config: pytest.Config) -> Options:
    """Return the options of a run without any settings."""
    values = {setting.name: setting.default for setting in SETTINGS}
    return _options({**values, "warehouse": str(project_folder(config) / str(values["warehouse"]))}, Settings())


_OF_OPTIONS = (
    "backend", "warehouse", "scratch_catalog", "unmanaged_ignore", "release_tags", "report_samples", "adopt",
    "import_owns", "against", "witness",
)  # fmt: skip
"""The settings that options have under the same name."""


def _options(values: Mapping[str, Any], consents: Settings, **derived: Any) -> Options:
    return Options(
        values=values,
        settings=replace(consents, **arguments_of(values)),
        unmanaged=values["unmanaged"] if derived.get("mode") == DRIFT else IGNORE,
        imports=values["import"],
        **{name: values[name] for name in _OF_OPTIONS},
        **derived,
    )


def _sync(sync: tuple[str, ...], modes: list[RunMode]) -> tuple[str, ...]:
    """Return when entries are synchronised: a gate writes only if the command line asks for it."""
    if modes[:1] != [DRIFT]:
        return sync
    return (*(["on-read"] if SYNC in modes else []), *(value for value in sync if value != "on-read"))


def _contracts_only(config: pytest.Config, modes: list[RunMode]) -> bool:
    """Whether the command line has one of the modes of a run, and not only ``addopts``."""
    if not modes or IMPORT in modes or only_shows(config):
        return False
    given = command_line(config)
    return any(getattr(given, BY_NAME[mode.replace("-", "_")].dest) for mode in modes)


def reports_to_write(
    config: pytest.Config, targets: Iterable[ReportTarget], faults: list[str]
) -> tuple[ReportFile, ...]:
    """Return the reports to write; the command line turns off what the section asks for."""
    by_itself = [ReportTarget("github", "", "")] if is_on_github() else []
    reports = report_files((*by_itself, *targets), EXTENSIONS)
    # A worker of xdist writes no report.
    if not is_worker(config):
        faults += map(escaped, (*faults_of_reports(reports, EXTENSIONS), *missing_packages(reports)))
    return reports


def rule_faults(names: tuple[str, ...]) -> list[str]:
    """Return a message for each rule that cannot be loaded; called where tables are collected, because it imports."""
    from pytest_delta_schema.configuration.project_settings import load_rules

    try:
        load_rules(names)
    except DeclarationError as error:
        return str(error).splitlines()
    return []


def option_faults(config: pytest.Config, values: Mapping[str, Any], modes: list[RunMode]) -> Iterator[str]:
    """Yield a message for each option that does not fit a different one, a check, the backend or the warehouse."""
    yield from _faults_of_modes(modes)
    yield from _faults_of_import(values, modes)
    yield from _faults_of_writing(config, values, modes)
    yield from _faults_of_plans(config, values, modes)
    yield from _options_without_mode(config, modes[0] if modes else None)
    yield from _checks_without_mode(config, modes)
    yield from _faults_of_backend(config, values, modes)
    yield from _faults_of_warehouse(config, values["warehouse"])


def _faults_of_modes(modes: list[RunMode]) -> Iterator[str]:
    if AGAINST in modes and not {*modes} <= {DRIFT, AGAINST, *WRITES_MODELS}:
        yield (
            "--delta-against compares declarations, without a catalog; give it alone, or with --delta-drift, and the"
            " other modes in a run of their own"
        )
        return
    exclusive = [mode for mode in modes if mode not in {ENFORCE, AGAINST, *WRITES_MODELS}]
    if len(exclusive) > 1 and exclusive != [DRIFT, SYNC]:
        yield (
            "--delta-drift only compares, --delta-apply changes the catalog, --delta-sync-metadata only its entries;"
            " give one of them, or --delta-drift --delta-sync-metadata to synchronise the entries of what is read first"
        )


def _faults_of_import(values: Mapping[str, Any], modes: list[RunMode]) -> Iterator[str]:
    if IMPORT not in modes:
        if values["import_owns"]:
            yield "--delta-import-owns has no effect without --delta-import; give that, too"
        return
    yield from (request for request in map(import_request, values["import"]) if isinstance(request, str))
    unknown = [aspect for aspect in aspects_of(values["import_owns"]) if aspect not in ASPECTS]
    if unknown:
        yield f"--delta-import-owns: there is no aspect {', '.join(unknown)}; aspects are {', '.join(ASPECTS)}"


def _faults_of_writing(config: pytest.Config, values: Mapping[str, Any], modes: list[RunMode]) -> Iterator[str]:
    """Yield what does not fit a mode that writes models."""
    if values["witness"] and AGAINST not in modes:
        yield "--delta-witness has no effect without --delta-against; give that, too"
    if not modes or modes[0] not in WRITES_MODELS:
        return
    option = f"--delta-{modes[0]}"
    if len(modes) > 1:
        yield f"{option} writes models, and --delta-{modes[1]} is a different run; run one after the other"
    if is_worker(config) or is_distributed(config):
        yield f"{option} writes files in one process; leave out -n, or give -n 0"
    if config.getoption(BY_NAME["report"].dest):
        yield f"{option} checks no table, so --delta-report has nothing to show; leave it out"


def _faults_of_plans(config: pytest.Config, values: Mapping[str, Any], modes: list[RunMode]) -> Iterator[str]:
    """Yield what does not fit a plan that is written to a file, or applied from one."""
    for name in ("plan_out", "plan"):
        if config.getoption(BY_NAME[name].dest) == "":
            yield f"{BY_NAME[name].option}= names no file; write {BY_NAME[name].option}=plan.json"
    if values["plan_out"] and modes[:1] not in ([DRIFT], [AGAINST]):
        yield "--delta-plan-out has no effect without --delta-drift or --delta-against; give one of them, too"
    elif values["plan_out"] and modes[0] == AGAINST and len(values["against"]) > 1:
        yield "--delta-plan-out plans from one contract of each table; give --delta-against once"
    if values["plan"] and APPLY not in modes:
        yield "--delta-plan has no effect without --delta-apply; give that, too"
    elif values["plan"]:
        given = command_line(config)
        used = [option for name, option in SELECTING.items() if getattr(given, name, None)]
        if used:
            yield f"--delta-plan is applied as a whole, and {' and '.join(used)} may leave out tables; leave that out"


def _options_without_mode(config: pytest.Config, mode: RunMode | None) -> Iterator[str]:
    """Yield a message for each option that only a run with a catalog needs; in a file these settings may wait."""
    for name in ("allow", "max_risk", "preflight"):
        setting = BY_NAME[name]
        if name == "allow" and mode == AGAINST:
            continue
        if mode in WITHOUT_PLANS and config.getoption(setting.dest):
            yield f"{setting.option} has no effect without --delta-drift or --delta-apply; give one of them, too"


_MODES_OF_CHECKS: Mapping[str, tuple[RunMode, ...]] = {
    "drift": (DRIFT,),
    "unmanaged": (DRIFT,),
    "metadata": (DRIFT, SYNC, APPLY),
    "apply": (APPLY,),
    "enforces": (ENFORCE,),
    "compat": (AGAINST,),
    "import": (IMPORT,),
    "adopt": (ADOPT,),
}
"""The checks that exist in some modes only, each with them."""


def _checks_without_mode(config: pytest.Config, modes: list[RunMode]) -> Iterator[str]:
    """Yield a message for each node id, and for a mark, that selects a check which this mode does not have."""
    remedy = f"give that instead of --delta-{modes[0]}" if modes else "give that, too"
    marks = set(re.findall(r"\w+", config.getoption("markexpr", "") or ""))
    for check, modes_of_check in _MODES_OF_CHECKS.items():
        if not set(modes_of_check).isdisjoint(modes):
            continue
        option = f"--delta-{modes_of_check[0]}"
        for argument in config.args:
            _, *names = argument.split("::")
            if len(names) == 2 and "." in names[0] and names[1].partition("[")[0] == check:  # noqa: PLR2004
                yield f"{argument}: the check {check} exists with {option} only; {remedy}"
        if f"delta_{check}" in marks and marks.isdisjoint({"not", "or"}):
            yield f"-m delta_{check} selects nothing without {option}; {remedy}"


def _faults_of_backend(config: pytest.Config, values: Mapping[str, Any], modes: list[RunMode]) -> Iterator[str]:
    """Yield the faults that a backend finds in its settings; a built-in one is imported only in a run with a mode."""
    name = values["backend"]
    if {*modes} <= {AGAINST} and name in BACKENDS:
        return
    try:
        backend = find_backend(name)
    except BackendUnavailableError as error:
        yield str(error)
        return
    if SYNC in modes and not backend.keeps_entries:
        yield f"--delta-sync-metadata needs catalog entries, and the backend {name} keeps none"
    if APPLY in modes and backend.only_reads:
        yield (
            f"--delta-apply changes tables, and the backend {name} only reads them; apply with a session that knows"
            " them by these names: --delta-backend=session, with an override of delta_spark"
        )
    settings = BackendSettings(
        values=values,
        option=option_of(config),
        mode=modes[0] if modes else None,
        shares_warehouse=WORKER not in values["warehouse"] and not is_worker(config) and is_distributed(config),
    )
    if ENFORCE in modes:
        yield from _faults_of_enforcing(name, backend, settings)
    if modes and modes not in ([AGAINST], [ENFORCE]):
        yield from backend.faults(settings)


def _faults_of_enforcing(name: str, backend: Backend, settings: BackendSettings) -> Iterator[str]:
    """Yield what forbids scratch tables on the backend of the run, or, if that only reads, of the setting."""
    remedy = "--delta-backend=local"
    if backend.only_reads:
        name, remedy = settings.values["scratch_backend"], toml_setting("scratch_backend", "local")
        try:
            backend = find_backend(name)
        except BackendUnavailableError as error:
            yield f"scratch_backend: {error}"
            return
    if backend.scratch_tables == "nowhere":
        yield (f"--delta-enforce writes rows to scratch tables, which the backend {name} cannot; run it with {remedy}")
    elif backend.needs_scratch_catalog(ENFORCE) and not settings.values["scratch_catalog"]:
        yield without_scratch_catalog("--delta-enforce", name)
    if settings.mode == ENFORCE:
        yield from backend.faults(settings)


def _faults_of_warehouse(config: pytest.Config, warehouse: str) -> Iterator[str]:
    given, here = config.getoption("delta_schema_warehouse"), config.invocation_params.dir
    # pytest takes the value of an option that it does not know yet for a path, and looks for its ini file there.
    misled = config.inipath is None or not here.is_relative_to(config.rootpath)
    if misled and given and given in config.invocation_params.args and Path(warehouse).exists():
        yield f"pytest took the warehouse for the project; write it with an equals sign: --delta-warehouse={given}"
