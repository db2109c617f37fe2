"""A gate or an apply on the command line runs contracts only; other tests run where a node id names them."""

from __future__ import annotations

import pytest

from support.plugin_project import ORDERS

TESTS = """
import pytest

def test_sum(): pass

@pytest.mark.parametrize("value", ["a", "b::c"])
def test_value(value): pass

class TestGroup:
    def test_one(self): pass
    def test_two(self): pass
"""
MODES = ["drift", "apply", "enforce"]
ONE_LINE = "5 other tests did not run: with --delta-{} on the command line only contracts do, and what a node id names"


@pytest.fixture
def shop(project):
    project.ini("delta_models = models", "delta_backend = memory", "markers = slow")
    project.models(ORDERS)
    project.pytester.makepyfile(test_shop=TESTS)
    project.run("--snapshot-update")
    return project


@pytest.mark.parametrize("mode", MODES)
def test_a_mode_on_the_command_line_runs_contracts_only(shop, mode):
    result = shop.run(f"--delta-{mode}", "-v")

    ran = {line.split("::")[-1].split()[0] for line in result.outlines if "::" in line and "test_shop" in line}
    assert ran == set()
    assert [line for line in result.outlines if "other test" in line] == [ONE_LINE.format(mode)]
    assert "1 snapshot unused" not in result.stdout.str()


def test_a_sync_runs_contracts_only(shop):
    result = shop.run("--delta-sync-metadata", "-o", "delta_backend=unity", "-o", "delta_unity_uri=http://127.0.0.1:9")

    result.assert_outcomes(passed=2, failed=1, deselected=5)
    result.stdout.fnmatch_lines([ONE_LINE.format("sync-metadata")])


@pytest.mark.parametrize(
    ("chosen", "ran"),
    [
        pytest.param(["test_shop.py::test_sum"], {"test_sum"}, id="a test"),
        pytest.param(["test_shop.py::test_value"], {"test_value[a]", "test_value[b::c]"}, id="all parameters"),
        pytest.param(["test_shop.py::test_value[b::c]"], {"test_value[b::c]"}, id="one parameter"),
        pytest.param(["test_shop.py::TestGroup"], {"test_one", "test_two"}, id="a class"),
        pytest.param(["test_shop.py::TestGroup::test_two"], {"test_two"}, id="a method"),
        pytest.param(["./../{folder}/test_shop.py::test_sum"], {"test_sum"}, id="by another path"),
        pytest.param(["test_shop.py"], set(), id="a file"),
        pytest.param(["."], set(), id="a folder"),
    ],
)
def test_a_node_id_chooses_a_test_next_to_contracts(shop, chosen, ran):
    named = [argument.format(folder=shop.path.name) for argument in chosen]

    result = shop.run("--delta-apply", "-v", "models.py", *named)

    lines = [line for line in result.outlines if "PASSED" in line]
    assert {name for name in TEST_NAMES if any(f"::{name}" in line for line in lines)} == ran
    assert sum("models.py::dev.silver.orders::" in line for line in lines) == 3
    assert result.ret == 0


TEST_NAMES = ["test_sum", "test_value[a]", "test_value[b::c]", "test_one", "test_two"]


@pytest.mark.parametrize(
    ("args", "passed"),
    [
        pytest.param(["-k", "orders"], 3, id="a table"),
        pytest.param(["-k", "rules or apply or test_sum"], 2, id="checks and a test"),
        pytest.param(["-m", "delta_apply"], 1, id="a mark"),
        pytest.param(["-m", "not slow"], 3, id="all"),
        pytest.param(["-p", "no:terminal", "-p", "no:syrupy"], 3, id="without plugins"),
        pytest.param(["-p", "cacheprovider", "--lf"], 3, id="the last failed"),
    ],
)
def test_what_selects_chooses_among_contracts(shop, args, passed):
    result = shop.run("--delta-apply", *args, "--junitxml=report.xml")

    report = (shop.path / "report.xml").read_text()
    assert report.count("<testcase ") == passed
    assert "test_shop" not in report
    assert result.ret == 0


def test_the_last_failed_tests_are_no_contracts(shop):
    shop.pytester.makepyfile(test_shop="def test_sum(): assert False")
    shop.run("-p", "cacheprovider")

    result = shop.run("-p", "cacheprovider", "--delta-apply", "--lf")

    result.assert_outcomes(deselected=1, warnings=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED


@pytest.mark.parametrize("given", ["ini", "variable", "override"])
def test_a_mode_in_addopts_runs_all_tests(shop, monkeypatch, given):
    if given == "ini":
        shop.ini("delta_models = models", "delta_backend = memory", "addopts = --delta-apply")
    elif given == "variable":
        monkeypatch.setenv("PYTEST_ADDOPTS", "--delta-apply")
    override = ["-o", "addopts=--delta-apply"] if given == "override" else []

    result = shop.run(*override)

    result.assert_outcomes(passed=8)


def test_a_mode_in_a_file_of_arguments_is_on_the_command_line(shop):
    (shop.path / "gate.txt").write_text("--delta-apply\n")

    result = shop.run("@gate.txt")

    assert ONE_LINE.format("apply") in result.outlines


def test_nothing_but_other_tests_is_no_green_gate(shop):
    shop.ini("delta_backend = memory")

    result = shop.run("--delta-drift")

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["--delta-drift found no table, so nothing was checked.*", ONE_LINE.format("drift")])


def test_only_contracts_are_shown_by_collect_only(shop):
    result = shop.run("--delta-drift", "--collect-only", "-q")

    assert [line.rpartition("::")[2] for line in result.outlines if "::" in line] == ["rules", "ddl", "drift"]
    result.stdout.fnmatch_lines(["3/8 tests collected (5 deselected)*"])


def test_snapshots_of_other_tests_stay(shop):
    shop.pytester.makepyfile(test_shop="def test_sum(snapshot): assert 1 == snapshot")
    shop.run("--snapshot-update")

    gate = shop.run("--delta-apply")
    update = shop.run("--delta-apply", "--snapshot-update")

    assert "unused" not in gate.stdout.str() + update.stdout.str()
    shop.run("test_shop.py").assert_outcomes(passed=1)
