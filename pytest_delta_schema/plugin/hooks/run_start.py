"""Begin a run: register its hooks, and what collects and reports its outcomes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_delta_schema.plugin.compat.pytest_compat import added_arguments
from pytest_delta_schema.plugin.compat.xdist_compat import is_worker
from pytest_delta_schema.plugin.hooks.run_hooks import RunHooks
from pytest_delta_schema.plugin.options.option_values import ADOPT, APPLY, IMPORT, SYNC, WRITES_MODELS
from pytest_delta_schema.plugin.options.reading import checked_options, only_shows
from pytest_delta_schema.plugin.run.contract_run import ContractRun
from pytest_delta_schema.plugin.run.stash_keys import ADOPT_RUN, COMPARISON, PUSHED, REPORTS, RUN, SUMMARY
from pytest_delta_schema.plugin.summary.colours import Colours

if TYPE_CHECKING:
    import pytest

    from pytest_delta_schema.configuration.settings import Settings


def contract_run(config: pytest.Config) -> ContractRun:
    """Return the state of a run; its options are read at the first use."""
    run = config.stash.get(RUN, None)
    if run is None:
        run = config.stash[RUN] = ContractRun(config, checked_options(config), config.stash[PUSHED])
        config.pluginmanager.register(RunHooks(run), "delta_schema_run")
        if not is_worker(config):
            config.pluginmanager.register(Colours(), "delta_schema_colours")
        # Hooks of a conftest in a folder are known from the first table of that folder on.
        if run.options.mode not in WRITES_MODELS and (
            run.options.reports or config.hook.pytest_delta_schema_report.get_hookimpls()
        ):
            from pytest_delta_schema.plugin.reports.report_writer import ReportWriter

            config.pluginmanager.register(ReportWriter(config), REPORTS)
    return run


def start_run(config: pytest.Config) -> None:
    """Begin a run that is configured: check its options, and collect and report what they name.

    Raises:
        pytest.UsageError: With all faults of the options.
    """
    run = contract_run(config)
    options = run.options
    if options.mode == IMPORT:
        from pytest_delta_schema.plugin.adoption.import_run import ImportRun

        config.pluginmanager.register(ImportRun(config, run), "delta_schema_import")
        return
    if options.models and config.args_source is not config.ArgsSource.ARGS:
        config.args.extend(added_arguments(config.args, options.models))
    if options.mode == ADOPT:
        from pytest_delta_schema.plugin.adoption.adopt_run import AdoptRun

        config.pluginmanager.register(AdoptRun(config, run), ADOPT_RUN)
    elif options.mode is not None and not only_shows(config):
        from pytest_delta_schema.plugin.summary.terminal_summary import Summary

        if options.against:
            from pytest_delta_schema.plugin.hooks.comparison_hooks import ComparisonHooks

            config.pluginmanager.register(ComparisonHooks(config, run), COMPARISON)
        summary = Summary(config, options)
        config.pluginmanager.register(summary, SUMMARY)
        if options.mode == APPLY and not config.option.collectonly:
            from pytest_delta_schema.plugin.summary.interruption_report import Interrupted

            config.pluginmanager.register(Interrupted(config, summary), "delta_schema_interrupted")
        if options.mode == SYNC and not is_worker(config):
            from pytest_delta_schema.plugin.items.joint_syncs import SharedOutcomes

            config.pluginmanager.register(SharedOutcomes(), "delta_schema_shared_outcomes")


def with_hook_rules(settings: Settings, config: pytest.Config) -> Settings:
    """Return settings with the rules that the hooks of a project return."""
    model_rules = config.hook.pytest_delta_schema_model_rules(config=config)
    plan_rules = config.hook.pytest_delta_schema_plan_rules(config=config)
    return replace(
        settings,
        model_rules=tuple(rule for rules in model_rules for rule in rules),
        plan_rules=tuple(rule for rules in plan_rules for rule in rules),
    )
