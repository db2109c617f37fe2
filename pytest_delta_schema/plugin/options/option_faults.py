"""Check that the options of a run fit each other, its checks, its backend and its warehouse."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.plugin.compat.xdist_compat import is_distributed, is_worker
from pytest_delta_schema.plugin.options.option_values import (
    ADOPT,
    AGAINST,
    APPLY,
    DRIFT,
    ENFORCE,
    IMPORT,
    SYNC,
    WRITES_MODELS,
)
from pytest_delta_schema.settings.table import BACKENDS, BY_NAME, WORKER

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import pytest

    from pytest_delta_schema.settings.kinds import RunMode

WITHOUT_PLANS = (None, ENFORCE, AGAINST, *WRITES_MODELS)
"""The modes in which no table is compared with its model."""

_GATE_THAT_SYNCS = [DRIFT, SYNC]


def option_faults(
    config: pytest.Config, values: Mapping[str, Any], modes: list[RunMode], warehouse: str
) -> Iterator[str]:
    """Yield a message for each option that does not fit a different one, a check, the backend or the warehouse."""
    yield from _faults_of_modes(modes)
    yield from _faults_of_import(values, modes)
    yield from _faults_of_writing(config, modes)
    yield from _options_without_mode(config, modes[0] if modes else None)
    yield from _checks_without_mode(config, modes)
    yield from _faults_of_backend(config, values, modes, warehouse)
    yield from _faults_of_warehouse(config, warehouse)


def _faults_of_import(values: Mapping[str, Any], modes: list[RunMode]) -> Iterator[str]:
    if IMPORT not in modes:
        if values["import_owns"]:
            yield "--delta-import-owns has no effect without --delta-import; give that, too"
        return
    from pytest_delta_schema.plugin.options.import_requests import import_faults

    yield from import_faults(values["import"], values["import_owns"])


def _faults_of_writing(config: pytest.Config, modes: list[RunMode]) -> Iterator[str]:
    """Yield what does not fit a mode that writes models."""
    if "" in (config.getoption(BY_NAME[AGAINST].dest) or ()):
        yield "--delta-against has no value; give a branch, a tag or a commit, such as --delta-against=main"
    if config.getoption(BY_NAME[ADOPT].dest) == "":
        yield "--delta-adopt has no value; give --delta-adopt=diff, or --delta-adopt=write"
    witness = config.getoption(BY_NAME["witness"].dest)
    if witness == "":
        yield "--delta-witness has no value; give a folder, such as --delta-witness=witnesses"
    if witness and AGAINST not in modes:
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


def _faults_of_modes(modes: list[RunMode]) -> Iterator[str]:
    if AGAINST in modes and not {*modes} <= {DRIFT, AGAINST, *WRITES_MODELS}:
        yield (
            "--delta-against compares declarations, without a catalog; give it alone, or with --delta-drift, and the"
            " other modes in a run of their own"
        )
        return
    exclusive = [mode for mode in modes if mode not in {ENFORCE, AGAINST, *WRITES_MODELS}]
    if len(exclusive) > 1 and exclusive != _GATE_THAT_SYNCS:
        yield (
            "--delta-drift only compares, --delta-apply changes the catalog, --delta-sync-metadata only its entries;"
            " give one of them, or --delta-drift --delta-sync-metadata to synchronise the entries of what is read first"
        )


def _options_without_mode(config: pytest.Config, mode: RunMode | None) -> Iterator[str]:
    """Yield a message for each option that only a run with a catalog needs; in a file these settings may wait."""
    for name in ("allow", "max_risk", "preflight"):
        setting = BY_NAME[name]
        if name == "allow" and mode == AGAINST:
            continue
        if mode in WITHOUT_PLANS and config.getoption(setting.dest):
            yield f"{setting.option} has no effect without --delta-drift or --delta-apply; give one of them, too"
    on_failure = BY_NAME["on_failure"]
    if mode != APPLY and config.getoption(on_failure.dest):
        yield f"{on_failure.option} has no effect without --delta-apply; give that, too"


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


def _faults_of_backend(
    config: pytest.Config, values: Mapping[str, Any], modes: list[RunMode], warehouse: str
) -> Iterator[str]:
    """Yield the faults that a backend finds in its settings; a built-in one is imported only in a run with a mode."""
    name = values["backend"]
    if {*modes} <= {AGAINST} and name in BACKENDS:
        return
    from pytest_delta_schema.backends.backend import BackendSettings
    from pytest_delta_schema.backends.registry import find_backend
    from pytest_delta_schema.diagnostics.errors import BackendUnavailableError
    from pytest_delta_schema.plugin.options.backend import option_of, without_scratch_catalog

    try:
        backend = find_backend(name)
    except BackendUnavailableError as error:
        yield str(error)
        return
    if SYNC in modes and not backend.keeps_entries:
        yield f"--delta-sync-metadata needs catalog entries, and the backend {name} keeps none"
    if ENFORCE in modes and backend.scratch_tables == "nowhere":
        yield (
            f"--delta-enforce writes rows to scratch tables, which the backend {name} cannot; run it with"
            " --delta-backend=local"
        )
    elif ENFORCE in modes and backend.needs_scratch_catalog(ENFORCE) and not values["scratch_catalog"]:
        yield without_scratch_catalog("--delta-enforce", name)
    if modes and modes != [AGAINST]:
        yield from backend.faults(
            BackendSettings(
                values={**values, "warehouse": warehouse},
                option=option_of(config),
                mode=modes[0],
                shares_warehouse=WORKER not in warehouse and _distributes(config),
            )
        )


def _faults_of_warehouse(config: pytest.Config, warehouse: str) -> Iterator[str]:
    given, here = config.getoption("delta_schema_warehouse"), config.invocation_params.dir
    # pytest takes the value of an option that it does not know yet for a path, and looks for its ini file there.
    misled = config.inipath is None or not here.is_relative_to(config.rootpath)
    if misled and given and given in config.invocation_params.args and Path(warehouse).exists():
        yield f"pytest took the warehouse for the project; write it with an equals sign: --delta-warehouse={given}"


def _distributes(config: pytest.Config) -> bool:
    return not is_worker(config) and is_distributed(config)
