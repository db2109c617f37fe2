"""``--delta-against``: what a user types and sees; which change breaks whom is decided in ``compatibility``."""

from __future__ import annotations

import json
import re
from pathlib import Path

from pytest_delta_schema.settings.table import ROLE_WORDS
from support.plugin_project import MODELS, consent

ORDERS = 'orders = table("dev.silver.orders", Column("id", LongType()), Column("note", StringType()){})\n'
CUSTOMERS = 'customers = table("dev.silver.customers", Column("id", LongType()))\n'
WITHOUT_NOTE = 'orders = table("dev.silver.orders", Column("id", LongType()))\n'
NEW = 'new = table("dev.silver.new", Column("id", LongType()){})\n'
DATES = "from datetime import date\nfrom pytest_delta_schema import Deprecated\n"


def ends(result):
    """Return how the comparisons ended, by table."""
    outcomes = {}
    for line in result.outlines:
        words = line.replace("[gw0]", "").split()
        names = [word for word in words if word.endswith("::compat")]
        verdicts = [word for word in words if word in {"PASSED", "FAILED", "SKIPPED", "ERROR"}]
        if names and verdicts:
            outcomes[names[0].split("::")[-2].removeprefix("dev.silver.")] = verdicts[0]
    return outcomes


def section(result):
    """Return the lines of the section at the end."""
    lines = result.outlines
    at = next(number for number, line in enumerate(lines) if line.strip("= ") == "delta schema")
    shown = [line for line in lines[at + 1 :] if line.startswith(("against", "  "))]
    return [re.sub(r"\b[0-9a-f]{12}\b", "COMMIT", line) for line in shown]


def test_a_dropped_column_fails_and_says_whom_it_breaks_and_what_lets_it_through(released):
    released.project.models(WITHOUT_NOTE + CUSTOMERS)

    result = released.run()

    result.assert_outcomes(passed=3, failed=1, skipped=2)
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
    (breaking,) = (line for line in text.splitlines() if line.startswith("  breaking    columns.note"))
    assert breaking.endswith('or consent with --delta-allow "break dev.silver.orders.note" [DC101 ColumnRemoved]')
    assert (
        "\nIf it has to pass: the setting roles says whom a change may not break, and pyproject.toml can consent to it:\n\n"
        '[[tool.pytest_delta_schema.allow]]\naction = "break"\npath = "dev.silver.orders.note"\nreason = ""\nexpires = '
    ) in text
    assert "readers by path" not in text
    assert "readers by position, readers by path do not find it; " in released.run("-v").stdout.str()


def test_tables_pass_fail_are_gone_or_are_not_judged(released):
    released.release(ORDERS.format("") + CUSTOMERS + NEW.format(""))
    state, nobody = (f"__snapshots__/models/{name}.state.json" for name in ("dev.silver.orders", "nobody"))
    good = (released.path / state).read_bytes()
    released.git("checkout", "--quiet", "main")
    released.repository.commit({state: b"<<<<<<< a\n" + good, nobody: "{}"})
    released.git("checkout", "--quiet", "-B", "feature")
    released.project.models(ORDERS.format("") + NEW.format(', comment="All"'))

    result = released.run("-v", "-n1")

    assert ends(result) == {
        "__snapshots__%2Fmodels%2Fnobody.state.json": "SKIPPED",
        "customers": "FAILED",
        "new": "PASSED",
        "orders": "SKIPPED",
    }
    shown = section(result)
    assert shown[0] == "against main: 1 compatible, 2 not judged, 1 incompatible"
    assert (
        "  not judged  dev.silver.orders: not judged: __snapshots__/models/dev.silver.orders.state.json cannot be read:"
        " it has the marks of a merge conflict; compare with a commit or a folder that has one readable snapshot of the"
        " table"
    ) in shown
    text = result.stdout.str()
    assert "pyproject.toml::dev.silver.customers::compat" in text
    assert (
        "  breaking    the table: declared -> (absent): readers, streams, writers, writers by MERGE find no table; "
        in text
    )


def test_several_refs_are_judged_at_once_and_named(released):
    folder = released.path / "old"
    folder.mkdir()
    for file in (released.path / "__snapshots__/models").iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    released.release(WITHOUT_NOTE + CUSTOMERS, "v2.0")
    released.project.models(ORDERS.format("").replace('"note"', '"id2"') + CUSTOMERS)
    released.repository.commit()
    refs = ["v1.0", "v2.0", "main", "tip:main", "HEAD~1", "last-release", "./old"]

    result = released.run(*(f"--delta-against={ref}" for ref in refs))

    text = result.stdout.str()
    (line,) = [line for line in text.splitlines() if "columns.note" in line and line.startswith("  breaking ")]
    assert "(not in the model): readers do not find it; streams fail again after every start" in line
    assert " (compared with v1.0, ./old); upgrade readers before this release; " in line
    assert "(compared with v1.0, v2.0, main, tip:main, HEAD~1, last-release, ./old)" in text
    headers = [line for line in result.outlines if line.startswith("delta schema: against ")]
    assert [line.removeprefix("delta schema: against ").partition(": ")[0] for line in headers] == refs


def test_a_consent_lets_one_change_through_until_its_last_day_and_it_is_still_shown(released):
    released.project.models(WITHOUT_NOTE)
    entry = consent("dev.silver.orders.note", action="break")
    # A pattern of a table does not name its removal.
    released.project.settings(MODELS, entry, consent("dev.silver.customers.**", action="break"))
    assert ends(released.run("-v")) == {"customers": "FAILED", "orders": "PASSED"}
    released.project.settings(MODELS, entry)

    allowed = released.run("-v", "--delta-allow=break dev.silver.customers.table")
    released.project.models(ORDERS.format("") + CUSTOMERS)
    unused = released.run()
    released.project.settings(MODELS, consent("dev.silver.orders.note", action="break", expires="2020-01-31"))
    (expired,) = released.project.faults("--delta-against=main")

    assert ends(allowed) == {"customers": "PASSED", "orders": "PASSED"}
    (line,) = [line for line in section(allowed) if line.startswith("  breaking ") and "columns.note" in line][:1]
    assert (
        "; allowed by the consent 'break dev.silver.orders.note' until 2999-12-31 (moved to payments); upgrade" in line
    )
    assert unused.ret == 0
    assert (
        "  unused      consent 'break dev.silver.orders.note' (moved to payments) lets no change through; remove it, or leave"
        " it until its last day, 2999-12-31"
    ) in section(unused)
    assert expired.startswith("consent 'break dev.silver.orders.note' expired at the end of 2020-01-31 in UTC")


def noted(name, arguments):
    """Return the declaration of a table with a deprecated column."""
    note = f'Column("note", StringType(), deprecated=Deprecated({arguments}))'
    return f'{name} = table("dev.silver.{name}", Column("id", LongType()), {note})\n'


def without_note(names):
    return "".join(f'{name} = table("dev.silver.{name}", Column("id", LongType()))\n' for name in names)


DROPPED = {
    # the deprecation that is released, how the drop ends, and why
    "old": ("date(2020, 1, 31)", "PASSED", "allowed by its deprecation of 2020-01-31"),
    "sunset": ("date(2020, 1, 31), sunset=date(2020, 6, 30)", "PASSED", "allowed by its deprecation of 2020-01-31"),
    "early": ("date(2020, 1, 31), sunset=date(2999, 12, 31)", "FAILED", "its sunset is 2999-12-31, and today is "),
    "noticed": (
        "date(2020, 1, 31)",
        "FAILED",
        " it is deprecated since 2020-01-31, and released 2026-01-31, which is ",
    ),
}


def test_a_deprecated_column_may_go_after_its_sunset_and_notice(released, tmp_path):
    released.release(DATES + "".join(noted(name, text) for name, (text, *_) in DROPPED.items()))
    released.project.models(DATES + without_note(DROPPED))
    policy = '[[tool.pytest_delta_schema.compatibility]]\npath = "{}"\nmin_notice = {}\n'
    released.project.settings(MODELS, policy.format("dev.**", 0), policy.format("dev.silver.noticed", 99_999))

    result = released.run("-v")

    assert ends(result) == {name: end for name, (_, end, _) in DROPPED.items()}
    for reason in (*(reason for *_, reason in DROPPED.values()), " of 99999 days of notice"):
        assert reason in result.stdout.str()
    released.git("worktree", "add", "--quiet", tmp_path / "old", "main")
    folder = released.run(f"--delta-against={tmp_path / 'old'}/").stdout.str()
    assert "a folder does not tell since when it is announced; compare with a commit, such as last-release" in folder


def test_a_run_of_a_part_counts_no_table_as_gone(released):
    released.project.models(ORDERS.format(""))

    result = released.run("-v", "models.py")

    assert ends(result) == {"orders": "PASSED"}
    assert "  note        this run looks at a part of the project, so no table counts as gone" in section(result)


def test_a_project_whose_folder_moves_is_compared_with_where_it_was(released, monkeypatch):
    git, path = released.git, released.path
    git("checkout", "--quiet", "main")
    (path / "a").mkdir()
    (path / "tox.ini").unlink()
    released.project.settings(MODELS, '[tool.pytest.ini_options]\npythonpath = ["."]')
    git("mv", "models.py", "__snapshots__", "pyproject.toml", "a")
    git("commit", "--quiet", "--all", "--message=Move")
    git("checkout", "--quiet", "-B", "feature")
    git("mv", "a", "b")
    monkeypatch.chdir(path / "b")
    models = path / "b" / "models.py"
    models.write_text(models.read_text("utf-8").replace(', Column("note", StringType())', ""), "utf-8")

    result = released.run("-v")

    assert ends(result) == {"customers": "PASSED", "orders": "FAILED"}


def test_a_member_of_a_workspace_is_compared_with_its_own_snapshots(released):
    released.git("checkout", "--quiet", "main")
    member = released.path / "packages/a"
    member.mkdir(parents=True)
    head = (released.path / "models.py").read_text("utf-8").partition("orders =")[0]
    (member / "pyproject.toml").write_text("[project]\nname = 'a'\n", "utf-8")
    (member / "test_a.py").write_text(f"{head}{ORDERS.format('')}delta_tables = [orders]\n", "utf-8")
    released.project.models(CUSTOMERS)
    released.commit(released.path / "models.py", member / "test_a.py")
    released.git("checkout", "--quiet", "-B", "feature")
    (member / "test_a.py").write_text(f"{head}{WITHOUT_NOTE}delta_tables = [orders]\n", "utf-8")

    assert ends(released.run("-v")) == {"customers": "PASSED", "orders": "FAILED"}


ID = 'Column("id", "bigint", is_nullable=False)'
V, MORE = 'Column("v", "int")', 'Column("more", "int")'
DEPRECATED_V = 'Column("v", "int", deprecated=Deprecated(date(2025, 1, 31)))'
MAPPED = 'table_properties={"delta.columnMapping.mode": "name"}'
WIDENS = 'table_properties={"delta.enableTypeWidening": "true"}'
DEFAULTS = 'table_properties={"delta.feature.allowColumnDefaults": "supported"}'
VECTORS = 'table_properties={"delta.enableDeletionVectors": "true"}'
WITH_DEFAULT = 'Column("more", "int", is_nullable=False, default=0)'
CHANGES = {
    "add a column": (f"{ID}, {V}", f"{ID}, {V}, {MORE}"),
    "add a column that is NOT NULL and has a default": (f"{ID}, {V}, {DEFAULTS}", f"{ID}, {V}, {WITH_DEFAULT}, {DEFAULTS}"),
    "add a field to a struct": (f'{ID}, Column("v", "struct<a: int>")', f'{ID}, Column("v", "struct<a: int, b: int>")'),
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
    "enable deletion vectors": (f"{ID}, {V}", f"{ID}, {V}, {VECTORS}"),
    "change comments": (f"{ID}, {V}", f'{ID}, Column("v", "int", comment="Value"), comment="All"'),
    "add a table": ("", f"{ID}, {V}"),
    "move a table to another module": (f"{ID}, {V}", f"{ID}, {V}"),
    "remove a table": (f"{ID}, {V}", ""),
}  # fmt: skip
"""The commonest changes of pull requests: a table as it is released, and as it will be."""


def declared(tables):
    """Return the declarations of tables, which are none where there are no arguments."""
    heading = f"{DATES}from pytest_delta_schema import Check\n"
    return heading + "".join(f'{name} = table("dev.silver.{name}", {text})\n' for name, text in tables.items() if text)


def test_each_change_does_what_the_page_says_by_default(released):
    """One row for each change: the exit status, whom it breaks, for whom it is dangerous, and what fails nothing."""
    names = {f"t{at}": title for at, title in enumerate(CHANGES)}
    before, after = ({name: CHANGES[title][side] for name, title in names.items()} for side in (0, 1))
    (moved,) = (name for name, title in names.items() if "another module" in title)
    released.project.models(declared({"kept": ID}), "others")
    released.project.settings('models = ["models", "others"]')
    released.release(declared(before))
    released.project.models(declared({"kept": ID, moved: after.pop(moved)}), "others")
    released.project.models(declared(after))

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


def test_a_path_of_a_policy_that_matches_no_table_ends_a_run_of_everything(released):
    released.project.models(WITHOUT_NOTE + CUSTOMERS)
    head = "[[tool.pytest_delta_schema.compatibility]]\n"
    never = f'{head}path = "dev.silver.orders"\nfail_on = "never"\n'
    released.project.settings(MODELS, never, f'{head}path = "dev.sliver.*"\n')

    whole, part = released.run(), released.run("models.py", "-v")

    assert whole.ret == 4
    fault = "the path dev.sliver.* of the setting compatibility matches no table of this run; fix or remove it"
    assert fault in whole.stderr.str()
    assert ends(part) == {"customers": "PASSED", "orders": "PASSED"}


def test_with_a_drift_gate_and_a_model_that_breaks_a_rule_in_one_run(released):
    released.project.catalog('MemoryCatalog([stored("dev.silver.customers", OLD)])')
    released.project.models(CUSTOMERS + ORDERS.format(', primary_key=["nothing"]'))

    result = released.run("--delta-drift", "-v")

    assert ends(result) == {"customers": "PASSED", "orders": "SKIPPED"}
    assert "against main: 1 compatible, 1 blocked" in section(result)
    assert "models.py::dev.silver.customers::drift PASSED" in result.stdout.str()
    assert "Traceback" not in result.stdout.str()


REQUIRED = """\
orders = Table(
    "dev",
    "silver",
    "orders",
    [
        Column("id", LongType()),
        Column("note", StringType(), is_nullable=False),
    ],
)
"""


def test_reports_name_the_role_the_verdict_and_the_base_at_the_line_of_the_column(released):
    released.project.models(REQUIRED + CUSTOMERS)

    result = released.run("--delta-report=json:r.json", "--delta-report=github")

    lines = (released.path / "models.py").read_text("utf-8").splitlines()
    line = next(number for number, text in enumerate(lines, 1) if '"note"' in text)
    report = json.loads((released.path / "r.json").read_text("utf-8"))
    assert [run["mode"] for run in report["runs"]] == ["against"]
    assert report["runs"][0]["against"][0].startswith("main: merge base ")
    orders = next(table for table in report["tables"] if table["name"] == "dev.silver.orders")
    assert (orders["outcome"], orders["backend"]) == ("incompatible", "")
    first = orders["diagnostics"][0]
    assert {key: first[key] for key in ("code", "roles", "verdict", "upgrade_first", "severity")} == {
        "code": "DC109",
        "roles": ["streams", "writers", "writers-by-merge"],
        "verdict": "breaking",
        "upgrade_first": "upgrade streams with this release; upgrade writers, writers by MERGE before this release",
        "severity": "error",
    }
    assert (first["location"]["file"], first["location"]["line"]) == ("models.py", line)
    assert f"::error file=models.py,line={line}," in result.stdout.str()


def test_what_cannot_be_compared_is_a_usage_error(released):
    result = released.project.run("--delta-against=HEAD")

    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: --delta-against=HEAD*nothing was compared*"])
    assert "Traceback" not in result.stderr.str()
