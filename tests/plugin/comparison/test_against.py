"""``--delta-against``: what a user types and sees."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from pytest_delta_schema.settings.table import ROLE_WORDS

ORDERS = 'orders = table("dev.silver.orders", Column("id", LongType()), Column("note", StringType()){})\n'
CUSTOMERS = 'customers = table("dev.silver.customers", Column("id", LongType()))\n'
WITHOUT_NOTE = 'orders = table("dev.silver.orders", Column("id", LongType()))\n'
DATES = "from datetime import date\nfrom pytest_delta_schema import Deprecated\n"
DEPRECATED = (
    'orders = table("dev.silver.orders", Column("id", LongType()),'
    ' Column("note", StringType(), deprecated=Deprecated({})))\n'
)
NOTHING_BROKEN = {"dev.silver.customers": "PASSED", "dev.silver.orders": "PASSED"}


def ends(result):
    """Return how the comparisons ended, by table."""
    outcomes = {}
    for line in result.outlines:
        words = line.replace("[gw0]", "").split()
        names = [word for word in words if word.endswith("::compat")]
        verdicts = [word for word in words if word in {"PASSED", "FAILED", "SKIPPED", "ERROR"}]
        if names and verdicts:
            outcomes[names[0].split("::")[-2]] = verdicts[0]
    return outcomes


def section(result):
    """Return the lines of the section at the end."""
    lines = result.outlines
    at = next(number for number, line in enumerate(lines) if line.strip("= ") == "delta schema")
    shown = [line for line in lines[at + 1 :] if line.startswith(("against", "  "))]
    return [re.sub(r"\b[0-9a-f]{12}\b", "COMMIT", line) for line in shown]


def test_a_dropped_column_fails_and_says_whom_it_breaks_and_what_lets_it_through(released):
    released.declare(WITHOUT_NOTE + CUSTOMERS)

    result = released.run()

    result.assert_outcomes(passed=5, failed=1)
    assert result.ret == 1
    assert section(result) == [
        "against main: 1 compatible, 1 incompatible",
        "  incompatible  dev.silver.orders: breaks readers, streams, writers: columns.note",
        (
            "  dangerous   dev.silver.orders: columns.note: string -> (not in the model): clients that do not know columnMapping"
            " can neither read nor write the table; check clients before this release; list the clients of the table in"
            " clients [DC101 ColumnRemoved]"
        ),
        "  note        compared with main: merge base COMMIT, 0 commits before HEAD",
        "  note        the work tree has uncommitted changes: models.py",
    ]
    text = result.stdout.str()
    assert "delta schema: against main: merge base" in text
    assert "declared at models.py:7" in text
    assert (
        "  breaking    columns.note: string -> (not in the model): readers do not find it; streams fail again after every"
        " start [DELTA_STREAMING_INCOMPATIBLE_SCHEMA_CHANGE_USE_SCHEMA_LOG]; writers by save, save in mode overwrite,"
        " saveAsTable, saveAsTable in mode overwrite, writeTo, writeStream, INSERT BY NAME, INSERT OVERWRITE BY NAME,"
        " INSERT of columns, INSERT OVERWRITE of columns, UPDATE are refused [extra-column, unresolved-column];"
        " upgrade readers, writers before this release; upgrade streams with this release; set the option"
        " schemaTrackingLocation to <folder> and the option allowSourceColumnDrop to always; or deprecate it first, or"
        ' consent with --delta-allow "break dev.silver.orders.note" [DC101 ColumnRemoved]\n'
    ) in text
    assert (
        "\nIf it has to pass: the setting roles says whom a change may not break, and pyproject.toml can consent to it:\n\n"
        '[[tool.pytest_delta_schema.allow]]\naction = "break"\npath = "dev.silver.orders.note"\nreason = ""\nexpires = '
    ) in text


def test_what_breaks_nobody_passes(released, workers):
    released.declare(ORDERS.format(', comment="All orders"') + CUSTOMERS)
    released.repository.commit()

    result = released.run("-v", *workers, subprocess=bool(workers))

    result.assert_outcomes(passed=6)
    assert ends(result) == NOTHING_BROKEN
    assert section(result)[0] == "against main: 2 compatible"


@pytest.mark.parametrize(
    ("ref", "label"),
    [
        ("main", "main: merge base * of HEAD and main"),
        ("tip:main", "tip:main: * the tip of main"),
        ("v1.0", "v1.0: *"),
        ("HEAD~1", "HEAD~1: *"),
        ("last-release", "last-release: *v1.0*"),
        ("./old", "./old: a folder"),
    ],
)
def test_each_form_of_ref_finds_the_released_contracts(released, ref, label):
    folder = released.path / "old"
    folder.mkdir()
    for file in (released.path / "__snapshots__/models").iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    released.declare(WITHOUT_NOTE + CUSTOMERS)
    released.repository.commit()

    result = released.run(f"--delta-against={ref}", "-v")

    assert ends(result) == {"dev.silver.customers": "PASSED", "dev.silver.orders": "FAILED"}
    assert f"delta schema: against {label.partition(':')[0]}" in result.stdout.str()


def test_a_consent_lets_one_change_through_and_it_is_still_shown(released):
    released.declare(WITHOUT_NOTE + CUSTOMERS)
    released.settings(
        '[tool.pytest_delta_schema]\nmodels = ["models"]\n'
        "[[tool.pytest_delta_schema.allow]]\n"
        'action = "break"\npath = "dev.silver.orders.note"\nreason = "nobody reads it"\nexpires = 2999-12-31\n',
    )

    result = released.run("-v")

    assert ends(result) == NOTHING_BROKEN
    (line,) = [line for line in section(result) if line.startswith("  breaking ") and "columns.note" in line][:1]
    assert "columns.note: string -> (not in the model): readers do not find it; streams fail again" in line
    assert "; allowed by the consent 'break dev.silver.orders.note' until 2999-12-31 (nobody reads it); upgrade" in line


def test_a_consent_on_the_command_line_lets_a_change_through_or_is_a_fault(released):
    released.declare(WITHOUT_NOTE + CUSTOMERS)

    assert released.run("--delta-allow=break dev.silver.orders.note").ret == 0
    refused = released.run("--delta-allow=break dev.silver.orders.nothing")
    assert refused.ret == 4
    assert "break dev.silver.orders.nothing" in refused.stderr.str()


CHECKED = ORDERS.format(', partitioned_by=["note"], checks=[Check("filled", "note <> \'\'")]')


def test_a_consent_for_a_part_lets_nothing_else_through(released):
    released.declare("from pytest_delta_schema import Check\n" + CHECKED + CUSTOMERS)

    of_check = released.run("--delta-allow=break dev.silver.orders.checks.filled")
    of_both = released.run(
        "--delta-allow=break dev.silver.orders.checks.FILLED", "--delta-allow=break dev.silver.orders.layout"
    )
    of_all = released.run("--delta-allow=break dev.silver.orders")

    assert section(of_check)[1] == "  incompatible  dev.silver.orders: breaks streams: layout"
    assert of_both.ret == 0
    assert of_all.ret == 4
    assert (
        "consent 'break dev.silver.orders' names a table, and would permit that anything in it breaks, and that it is"
        ' removed; write "break dev.silver.orders.layout" or "break dev.silver.orders.checks.filled"'
    ) in of_all.stderr.str()


def test_a_consent_for_all_columns_does_not_let_a_table_go(released):
    released.declare(ORDERS.format(""))
    entry = (
        '[tool.pytest_delta_schema]\nmodels = ["models"]\n[[tool.pytest_delta_schema.allow]]\n'
        'action = "break"\npath = "dev.silver.customers.{}"\nreason = "it moves"\nexpires = 2999-12-31\n'
    )
    released.settings(entry.format("**"))
    assert ends(released.run("-v")) == {"dev.silver.customers": "FAILED", "dev.silver.orders": "PASSED"}
    released.settings(entry.format("table"))
    assert ends(released.run("-v")) == NOTHING_BROKEN


def test_a_consent_that_nothing_needs_is_a_note_until_its_last_day_and_a_fault_after_it(released):
    entry = (
        '[tool.pytest_delta_schema]\nmodels = ["models"]\n'
        "[[tool.pytest_delta_schema.allow]]\n"
        'action = "break"\npath = "dev.silver.orders.note"\nreason = "nobody reads it"\nexpires = {}\n'
    )
    released.declare(ORDERS.format("") + CUSTOMERS + 'new = table("dev.silver.new", Column("id", LongType()))\n')
    released.settings(entry.format("2999-12-31"))

    unused = released.run()

    assert unused.ret == 0
    assert (
        "  unused      consent 'break dev.silver.orders.note' (nobody reads it) lets no change through; remove it, or leave"
        " it until its last day, 2999-12-31"
    ) in section(unused)
    released.settings(entry.format("2020-01-31"))
    expired = released.run()
    assert expired.ret == 4
    assert "break dev.silver.orders.note" in expired.stderr.str()
    assert "2020-01-31" in expired.stderr.str()


@pytest.mark.parametrize(
    ("deprecated", "notice", "end", "reason"),
    [
        ("date(2020, 1, 31)", 0, "PASSED", "allowed by its deprecation of 2020-01-31"),
        ("date(2020, 1, 31), sunset=date(2020, 6, 30)", 90, "PASSED", "allowed by its deprecation of 2020-01-31"),
        ("date(2020, 1, 31), sunset=date(2999, 12, 31)", 0, "FAILED", "its sunset is 2999-12-31, and today is "),
        ("date(2020, 1, 31)", 999_999, "FAILED", " of 999999 days of notice"),
    ],
)
def test_a_deprecated_column_may_go_after_its_sunset_and_notice(released, deprecated, notice, end, reason):
    released.release(DATES + DEPRECATED.format(deprecated) + CUSTOMERS)
    released.declare(WITHOUT_NOTE + CUSTOMERS)
    released.settings(
        '[tool.pytest_delta_schema]\nmodels = ["models"]\n'
        f'[[tool.pytest_delta_schema.compatibility]]\npath = "dev.**"\nmin_notice = {notice}\n',
    )

    result = released.run("-v")

    assert ends(result)["dev.silver.orders"] == end
    assert reason in result.stdout.str()


def test_a_deprecation_of_this_change_does_not_count(released):
    released.declare(DATES + DEPRECATED.format("date(2020, 1, 31)") + CUSTOMERS)
    released.repository.commit()
    released.declare(WITHOUT_NOTE + CUSTOMERS)

    assert "or deprecate it first, or consent with" in released.run().stdout.str()


def test_notice_counts_from_the_release_of_an_announcement(released, tmp_path):
    released.release(DATES + DEPRECATED.format("date(2020, 1, 31)") + CUSTOMERS)
    released.declare(WITHOUT_NOTE + CUSTOMERS)
    released.settings(
        '[tool.pytest_delta_schema]\nmodels = ["models"]\n'
        '[[tool.pytest_delta_schema.compatibility]]\npath = "dev.**"\nmin_notice = 99999\n',
    )

    text = released.run().stdout.str()

    assert "it is deprecated since 2020-01-31, and released 2026-01-31, which is " in text
    assert " of 99999 days of notice" in text
    released.repository.git("worktree", "add", "--quiet", tmp_path / "old", "main")
    folder = released.run(f"--delta-against={tmp_path / 'old'}/").stdout.str()
    assert "a folder does not tell since when it is announced; compare with a commit, such as last-release" in folder


def test_a_deprecation_that_claims_to_be_older_than_the_released_contract_is_dangerous(released):
    released.declare(DATES + DEPRECATED.format("date(2020, 1, 31)") + CUSTOMERS)

    text = (
        "  dangerous   dev.silver.orders: deprecation of note: (absent) on 2026-01-31 -> since 2020-01-31: readers,"
        " streams, writers, writers by MERGE are told later than it says; check readers, streams, writers, writers by"
        " MERGE before this release [DC148 DeprecationBackdated]"
    )
    assert text in section(released.run())
    released.declare(DATES + DEPRECATED.format("date(2026, 1, 31)") + CUSTOMERS)
    assert "DC148" not in released.run().stdout.str()


def test_a_sunset_that_moves_nearer_is_dangerous(released):
    released.release(DATES + DEPRECATED.format("date(2020, 1, 31), sunset=date(2999, 12, 31)") + CUSTOMERS)
    released.declare(DATES + DEPRECATED.format("date(2020, 1, 31), sunset=date(2999, 6, 30)") + CUSTOMERS)

    result = released.run()

    assert result.ret == 0
    assert (
        "  dangerous   dev.silver.orders: sunset of note: 2999-12-31 -> 2999-06-30: readers, streams, writers, writers"
        " by MERGE have less time to do without it than was announced; check readers, streams, writers, writers by MERGE"
        " before this release [DC146 SunsetMovedNearer]"
    ) in section(result)


def test_a_table_that_is_gone_is_an_item_of_the_project(released, workers):
    released.declare(ORDERS.format(""))

    result = released.run("-v", *workers, subprocess=bool(workers))

    assert ends(result) == {"dev.silver.customers": "FAILED", "dev.silver.orders": "PASSED"}
    assert "pyproject.toml::dev.silver.customers::compat" in result.stdout.str()
    assert (
        "  breaking    the table: declared -> (absent): readers, streams, writers, writers by MERGE find no table; upgrade"
        " readers, streams, writers, writers by MERGE before this release; or deprecate it first, or consent with"
        ' --delta-allow "break dev.silver.customers.table"'
        " [DC142 TableRemoved]"
    ) in result.stdout.str()


@pytest.mark.parametrize("argument", ["models.py", "--ignore=x", "--deselect=models.py::x"])
def test_a_run_of_a_part_counts_no_table_as_gone(released, argument):
    released.declare(ORDERS.format(""))

    result = released.run("-v", argument)

    assert ends(result) == {"dev.silver.orders": "PASSED"}
    assert "  note        this run looks at a part of the project, so no table counts as gone" in section(result)


def test_a_module_that_cannot_be_imported_makes_no_table_gone(released):
    released.project.models("raise RuntimeError\n")

    result = released.run("--continue-on-collection-errors", "-v")

    assert ends(result) == {}
    assert result.ret != 0


def test_a_table_that_moves_to_another_module_stays_itself(released):
    released.project.models(CUSTOMERS)
    released.project.models(WITHOUT_NOTE, "others")
    released.settings('[tool.pytest_delta_schema]\nmodels = ["models", "others"]\n')
    released.project.run("--snapshot-update")

    result = released.run("-v")

    assert ends(result) == {"dev.silver.customers": "PASSED", "dev.silver.orders": "FAILED"}


@pytest.mark.parametrize("staged", [True, False])
def test_a_project_whose_folder_moves_is_compared_with_where_it_was(released, monkeypatch, staged):
    git, path = released.repository.git, released.path
    git("checkout", "--quiet", "main")
    (path / "a").mkdir()
    (path / "tox.ini").unlink()
    released.settings(
        '[tool.pytest.ini_options]\npythonpath = ["."]\n[tool.pytest_delta_schema]\nmodels = ["models"]\n'
    )
    git("mv", "models.py", "__snapshots__", "pyproject.toml", "a")
    git("commit", "--quiet", "--all", "--message=Move")
    git("checkout", "--quiet", "-B", "feature")
    if staged:
        git("mv", "a", "b")
    else:
        (path / "a").rename(path / "b")
    monkeypatch.chdir(path / "b")
    models = path / "b" / "models.py"
    models.write_text(models.read_text("utf-8").replace(', Column("note", StringType())', ""), "utf-8")
    released.project.run("--snapshot-update", "-q")

    result = released.run("-v")

    assert ends(result) == {"dev.silver.customers": "PASSED", "dev.silver.orders": "FAILED"}
    assert "dev.silver.orders: breaks readers, streams, writers: columns.note" in result.stdout.str()


ID = 'Column("id", "bigint", is_nullable=False)'
V, MORE = 'Column("v", "int")', 'Column("more", "int")'
DEPRECATED_V = 'Column("v", "int", deprecated=Deprecated(date(2025, 1, 31)))'
MAPPED = 'table_properties={"delta.columnMapping.mode": "name"}'
WIDENS = 'table_properties={"delta.enableTypeWidening": "true"}'
DEFAULTS = 'table_properties={"delta.feature.allowColumnDefaults": "supported"}'
CHANGES = {
    "add a column": (f"{ID}, {V}", f"{ID}, {V}, {MORE}"),
    "add a column that is NOT NULL and has a default": (
        f"{ID}, {V}, {DEFAULTS}",
        f'{ID}, {V}, Column("more", "int", is_nullable=False, default=0), {DEFAULTS}',
    ),
    "add a field to a struct": (
        f'{ID}, Column("v", "struct<a: int>")',
        f'{ID}, Column("v", "struct<a: int, b: int>")',
    ),
    "drop a column": (f"{ID}, {V}, {MAPPED}", f"{ID}, {MAPPED}"),
    "drop a column that the release deprecates": (f"{ID}, {DEPRECATED_V}, {MAPPED}", f"{ID}, {MAPPED}"),
    "rename a column": (f"{ID}, {V}, {MAPPED}", f'{ID}, Column("w", "int", renamed_from="v"), {MAPPED}'),
    "move a column": (f"{ID}, {V}", f"{V}, {ID}"),
    "widen a type (int to bigint)": (f"{ID}, {V}, {WIDENS}", f'{ID}, Column("v", "bigint"), {WIDENS}'),
    "narrow a type (int to smallint)": (f"{ID}, {V}", f'{ID}, Column("v", "smallint")'),
    "forbid NULL": (f"{ID}, {V}", f'{ID}, Column("v", "int", is_nullable=False)'),
    "allow NULL": (f"{ID}, {V}", f'Column("id", "bigint"), {V}'),
    "add a CHECK": (f"{ID}, {V}", f'{ID}, {V}, checks=[Check("positive", "v > 0")]'),
    "loosen a CHECK (`v > 0` to `v >= 0`)": (
        f'{ID}, {V}, checks=[Check("positive", "v > 0")]',
        f'{ID}, {V}, checks=[Check("positive", "v >= 0")]',
    ),
    "add a primary key": (f"{ID}, {V}", f'{ID}, {V}, primary_key=["id"]'),
    "change the partitioning": (f"{ID}, {V}", f'{ID}, {V}, partitioned_by=["v"]'),
    "set a property that enables no table feature": (f"{ID}, {V}", f'{ID}, {V}, table_properties={{"team": "x"}}'),
    "enable deletion vectors": (
        f"{ID}, {V}",
        f'{ID}, {V}, table_properties={{"delta.enableDeletionVectors": "true"}}',
    ),
    "change comments": (f"{ID}, {V}", f'{ID}, Column("v", "int", comment="Value"), comment="All"'),
    "add a table": ("", f"{ID}, {V}"),
    "move a table to another module": (f"{ID}, {V}", f"{ID}, {V}"),
    "remove a table": (f"{ID}, {V}", ""),
}
"""The commonest changes of pull requests: a table as it is released, and as it will be."""


def declared(tables):
    """Return the declarations of tables, which are none where there are no arguments."""
    given = {name: arguments for name, arguments in tables.items() if arguments}
    return DATES + "".join(f'{name} = table("dev.silver.{name}", {text})\n' for name, text in given.items())


def test_each_change_does_what_the_page_says_by_default(released):
    """One row for each change: the exit status, whom it breaks, for whom it is dangerous, and what fails nothing."""
    heading = "from pytest_delta_schema import Check\n"
    names = {f"t{at}": title for at, title in enumerate(CHANGES)}
    before, after = ({name: CHANGES[title][side] for name, title in names.items()} for side in (0, 1))
    (moved,) = (name for name, title in names.items() if "another module" in title)
    released.project.models(heading + declared({"kept": ID}), "others")
    released.settings('[tool.pytest_delta_schema]\nmodels = ["models", "others"]\n')
    released.release(heading + declared(before))
    released.project.models(heading + declared({"kept": ID, moved: after.pop(moved)}), "others")
    released.declare(heading + declared(after))

    result = released.run("-q", "--delta-report=json:report.json")

    assert result.ret == 1
    page = (Path(__file__).parents[3] / "docs/guides/pull-requests.md").read_text("utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| ") and line.count("|") == 6]
    tables = json.loads((released.path / "report.json").read_text("utf-8"))["tables"]
    outcomes = {table["name"].rpartition(".")[2]: table for table in tables}
    assert rows[1:] == [_row(title, outcomes[name]) for name, title in names.items()]


def _row(title, table):
    """Return the row of the page for a change."""
    cells: dict[str, list[str]] = {"error": [], "warning": [], "note": []}
    for part in (*table["diagnostics"], *table["notes"]):
        cells[part["severity"]] += [ROLE_WORDS[role] for role in part["roles"] if part["verdict"]]
    status = {"incompatible": "1", "compatible": "0"}[table["outcome"]]
    shown = (", ".join(dict.fromkeys(words)) or "nobody" for words in cells.values())
    return f"| {title} | {status} | {' | '.join(shown)} |"


def test_several_refs_are_judged_at_once_and_named(released):
    released.release('orders = table("dev.silver.orders", Column("id", LongType()))\n' + CUSTOMERS, "v2.0")
    released.declare(ORDERS.format("").replace('"note"', '"id2"') + CUSTOMERS)

    result = released.run("--delta-against=v1.0", "--delta-against=v2.0")

    text = result.stdout.str()
    (line,) = [line for line in text.splitlines() if "columns.note" in line and line.startswith("  breaking ")]
    assert "(not in the model): readers do not find it; streams fail again after every start" in line
    assert " (compared with v1.0); upgrade readers before this release; " in line
    assert "(compared with v1.0, v2.0)" in text


def test_what_cannot_be_judged_is_skipped_and_counted(released, workers):
    file = released.path / "__snapshots__/models/dev.silver.orders.state.json"
    good = file.read_bytes()
    released.repository.git("checkout", "--quiet", "main")
    released.repository.commit({"__snapshots__/models/dev.silver.orders.state.json": b"<<<<<<< a\n" + good})
    released.repository.git("checkout", "--quiet", "-B", "feature")
    file.write_bytes(good)
    released.repository.commit()

    result = released.run("-v", "-rs", *workers, subprocess=bool(workers))

    assert ends(result) == {"dev.silver.customers": "PASSED", "dev.silver.orders": "SKIPPED"}
    assert result.ret == 0
    assert section(result)[:2] == [
        "against main: 1 compatible, 1 not judged",
        (
            "  not judged  dev.silver.orders: not judged: __snapshots__/models/dev.silver.orders.state.json cannot be read:"
            " it has the marks of a merge conflict; compare with a commit or a folder that has one readable snapshot of the"
            " table"
        ),
    ]
    assert "it has the marks of a merge conflict" in result.stdout.str()


def test_a_snapshot_without_a_table_is_an_item_of_its_own(released):
    released.repository.git("checkout", "--quiet", "main")
    released.repository.commit({"__snapshots__/models/nobody.state.json": "{}"})
    released.repository.git("checkout", "--quiet", "-B", "feature")
    released.repository.git("rm", "--quiet", "__snapshots__/models/nobody.state.json")
    released.repository.commit()

    result = released.run("-v")

    assert ends(result)["__snapshots__%2Fmodels%2Fnobody.state.json"] == "SKIPPED"


def test_a_base_without_snapshots_has_nothing_to_compare(released):
    released.repository.git("checkout", "--quiet", "--orphan", "empty")
    released.repository.git("rm", "--quiet", "-r", "--cached", "__snapshots__")
    released.repository.git("commit", "--quiet", "--message=empty")
    released.repository.git("checkout", "--quiet", "--force", "-B", "feature2")
    released.declare(ORDERS.format("") + CUSTOMERS)
    released.repository.commit()

    result = released.run("--delta-against=empty", "-v")

    assert ends(result) == NOTHING_BROKEN
    assert any("nothing to compare: commit" in line for line in section(result))


def test_a_base_with_sql_only_is_read_from_it(released):
    released.repository.git("checkout", "--quiet", "main")
    released.repository.git("rm", "--quiet", "__snapshots__/models/dev.silver.orders.state.json")
    released.repository.commit()
    released.repository.git("checkout", "--quiet", "-B", "feature")
    released.declare(WITHOUT_NOTE + CUSTOMERS)

    result = released.run("-v")

    assert ends(result) == {"dev.silver.customers": "PASSED", "dev.silver.orders": "FAILED"}
    assert any("read from SQL, without state files" in line for line in section(result))


@pytest.mark.parametrize(
    ("entry", "end"),
    [
        ("", "FAILED"),
        ('fail_on = "never"', "PASSED"),
        ('roles = ["streams"]', "FAILED"),
        ('roles = ["writers-by-merge"]', "PASSED"),
    ],
)
def test_the_policy_of_the_longest_path_decides(released, entry, end):
    released.declare(WITHOUT_NOTE + CUSTOMERS)
    released.settings(
        '[tool.pytest_delta_schema]\nmodels = ["models"]\n'
        '[[tool.pytest_delta_schema.compatibility]]\npath = "**"\nfail_on = "dangerous"\n'
        f'[[tool.pytest_delta_schema.compatibility]]\npath = "dev.silver.*"\n{entry}\n',
    )

    result = released.run("-v")

    assert ends(result) == {"dev.silver.customers": "PASSED", "dev.silver.orders": end}


MOVED = (
    "  breaking    dev.silver.orders: the order of columns: id, note -> note, id: readers by position, writers by position"
    " have values in the wrong columns as soon as the table is created again; that fails nothing, as the setting roles"
    " does not list readers-by-position, writers-by-position; upgrade readers by position, writers by position before"
    " this release [DC114 ColumnOrderNotKept]"
)
ADDED = (
    "  breaking    dev.silver.orders: columns.more: (absent) -> int: readers by position, writers by position meet another"
    " number of columns; writers by MERGE with UPDATE SET *, INSERT * are refused [unresolved-column]; that fails"
    " nothing, as the setting roles does not list readers-by-position, writers-by-position, writers-by-merge; upgrade"
    " readers by position, writers by position, writers by MERGE before this release [DC105 NullableColumnAdded]"
)


@pytest.mark.parametrize(
    ("columns", "line"),
    [
        ('Column("note", StringType()), Column("id", LongType())', MOVED),
        ('Column("id", LongType()), Column("note", StringType()), Column("more", "int")', ADDED),
    ],
)
def test_what_breaks_writers_and_readers_by_position_and_by_merge_only_is_a_note(released, columns, line):
    released.declare(
        ORDERS.format("").replace('Column("id", LongType()), Column("note", StringType())', columns) + CUSTOMERS
    )

    result = released.run("-v")

    assert ends(result) == NOTHING_BROKEN
    assert line in section(result)


def test_a_required_column_breaks_writers_by_merge_wherever_writers_are_judged(released):
    """A MERGE fills no column that its source lacks, whether the table has a default for it or not (Delta 4.4.0)."""
    defaults = ORDERS.format(', table_properties={"delta.feature.allowColumnDefaults": "supported"}')
    released.release(defaults + CUSTOMERS)
    filled = 'StringType()), Column("n", LongType(), is_nullable=False, default=0)'
    released.declare(defaults.replace("StringType())", filled) + CUSTOMERS)

    result = released.run("-v")

    assert ends(result) == {"dev.silver.customers": "PASSED", "dev.silver.orders": "FAILED"}
    assert "dev.silver.orders: breaks streams, writers by MERGE: columns.n" in section(result)[1]


def test_roles_of_no_interest_are_shown_with_v(released):
    released.declare(WITHOUT_NOTE + CUSTOMERS)

    quiet, verbose = released.run(), released.run("-v")

    assert "readers by path" not in quiet.stdout.str()
    assert "readers by position, readers by path do not find it; " in verbose.stdout.str()


def test_with_a_drift_gate_in_one_run(released):
    released.project.catalog('MemoryCatalog([stored("dev.silver.customers", OLD)])')
    released.declare(CUSTOMERS)

    result = released.run("--delta-drift", "-v")

    assert ends(result) == {"dev.silver.customers": "PASSED", "dev.silver.orders": "FAILED"}
    assert [line for line in section(result) if not line.startswith("  ")][-1] == (
        "against main: 1 compatible, 1 incompatible"
    )
    assert "models.py::dev.silver.customers::drift PASSED" in result.stdout.str()


def test_reports_name_the_role_the_verdict_and_the_base_at_the_line_of_the_table(released):
    released.declare(WITHOUT_NOTE + CUSTOMERS)

    released.run(
        "--delta-report=json:report.json",
        "--delta-report=markdown:report.md",
        "--delta-report=gitlab:gl.json",
    )

    report = json.loads((released.path / "report.json").read_text("utf-8"))
    assert [run["mode"] for run in report["runs"]] == ["against"]
    assert report["runs"][0]["against"][0].startswith("main: merge base ")
    orders = next(table for table in report["tables"] if table["name"] == "dev.silver.orders")
    assert orders["outcome"] == "incompatible"
    assert orders["backend"] == ""
    first = orders["diagnostics"][0]
    assert {key: first[key] for key in ("code", "roles", "verdict", "upgrade_first", "severity")} == {
        "code": "DC101",
        "roles": ["readers", "streams", "writers"],
        "verdict": "breaking",
        "upgrade_first": "upgrade readers, writers before this release; upgrade streams with this release",
        "severity": "error",
    }
    assert first["location"]["file"] == "models.py"
    assert first["location"]["line"] == 7
    markdown = (released.path / "report.md").read_text("utf-8")
    assert "compared with main: merge base" in markdown
    assert "* **breaking** <code>DC101</code> dev.silver.orders: columns.note: string" in markdown
    issues = json.loads((released.path / "gl.json").read_text("utf-8"))
    assert len({issue["fingerprint"] for issue in issues}) == len(issues)


def test_every_format_of_report_shows_a_change_at_the_line_of_its_column(released):
    model = (
        'orders = Table(\n    "dev",\n    "silver",\n    "orders",\n    [\n        Column("id", LongType()),\n'
        '        Column("note", StringType(), is_nullable=False),\n    ],\n)\n'
    )
    released.declare(model + CUSTOMERS)
    lines = (released.path / "models.py").read_text("utf-8").splitlines()
    line = next(number for number, text in enumerate(lines, 1) if '"note"' in text)

    result = released.run(
        *(f"--delta-report={kind}:r.{kind}" for kind in ("html", "sarif", "gitlab")),
        "--delta-report=github",
        "--delta-report=azure",
    )

    (first, *_) = json.loads((released.path / "r.gitlab").read_text("utf-8"))
    assert (first["check_name"], first["location"]) == ("DC109", {"path": "models.py", "lines": {"begin": line}})
    (run,) = json.loads((released.path / "r.sarif").read_text("utf-8"))["runs"]
    region = run["results"][0]["locations"][0]["physicalLocation"]["region"]
    assert (run["results"][0]["ruleId"], region["startLine"]) == ("DC109", line)
    text = result.stdout.str()
    assert f"::error file=models.py,line={line}," in text
    assert f"type=error;sourcepath=models.py;linenumber={line};" in text
    page = (released.path / "r.html").read_text("utf-8")
    assert f"models.py:{line}" in page
    assert "are refused where they write NULL" in page
    assert "<strong>breaking</strong>" in page


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--delta-against="], "--delta-against needs a value"),
        (["--delta-against=nowhere"], "nowhere"),
        (["--delta-against=main", "--delta-apply"], "--delta-against compares declarations, without a catalog"),
        (["--delta-against=main", "--delta-enforce"], "--delta-against compares declarations, without a catalog"),
        (["--delta-against=main", "--delta-preflight=count"], "--delta-preflight has no effect without --delta-drift"),
        (["--delta-against=main", "--delta-import=dev.silver"], "--delta-import writes models"),
        (["--delta-against=HEAD"], "nothing was compared"),
    ],
)
def test_what_cannot_be_compared_is_a_usage_error(released, arguments, message):
    result = released.run(*arguments)

    assert result.ret == 4
    assert message in result.stderr.str()
    assert "Traceback" not in result.stderr.str()


def test_a_path_of_the_policy_that_matches_no_table_is_a_usage_error_of_a_complete_run(released):
    released.settings(
        '[tool.pytest_delta_schema]\nmodels = ["models"]\n'
        '[[tool.pytest_delta_schema.compatibility]]\npath = "dev.sliver.*"\n',
    )
    released.declare(WITHOUT_NOTE + CUSTOMERS)

    whole, part = released.run(), released.run("models.py", "-v")

    assert whole.ret == 4
    assert (
        "the path dev.sliver.* of the setting compatibility matches no table of this run; fix or remove it"
    ) in whole.stderr.str()
    assert ends(part) == {"dev.silver.customers": "PASSED", "dev.silver.orders": "FAILED"}


def test_a_mark_without_the_option_selects_nothing_and_says_so(project):
    project.models(ORDERS.format(""))

    result = project.run("-m", "delta_compat")

    assert result.ret == 4
    assert "-m delta_compat selects nothing without --delta-against" in result.stderr.str()


def test_a_model_that_breaks_a_rule_is_not_compared(released):
    released.project.models(ORDERS.format(', primary_key=["nothing"]') + CUSTOMERS)

    result = released.run("-v")

    assert ends(result)["dev.silver.customers"] == "PASSED"
    assert "Traceback" not in result.stdout.str()


def test_a_member_of_a_workspace_is_compared_with_its_own_snapshots(released):
    released.repository.git("checkout", "--quiet", "main")
    member = released.path / "packages/a"
    member.mkdir(parents=True)
    head = (released.path / "models.py").read_text("utf-8").partition("orders =")[0]
    (member / "pyproject.toml").write_text("[project]\nname = 'a'\n", "utf-8")
    (member / "test_a.py").write_text(f"{head}{ORDERS.format('')}delta_tables = [orders]\n", "utf-8")
    released.project.models(CUSTOMERS)
    released.project.run("--snapshot-update")
    released.repository.commit()
    released.repository.git("checkout", "--quiet", "-B", "feature")
    (member / "test_a.py").write_text(f"{head}{WITHOUT_NOTE}delta_tables = [orders]\n", "utf-8")
    released.project.run("--snapshot-update")

    result = released.run("-v")

    assert ends(result) == {"dev.silver.customers": "PASSED", "dev.silver.orders": "FAILED"}
