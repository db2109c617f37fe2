"""The signatures of public names: each change is reviewed, and has its line in the changelog."""

from __future__ import annotations

from support.signatures import (
    CHANGELOG,
    CURRENT,
    LAST_RELEASE,
    SECTION,
    changes,
    newest_changes,
    signatures,
    unnamed,
)

REMEDY = (
    "review it, run python -m support.signatures in tests/, and name it in CHANGELOG.md below Changed names and calls"
)
OLD = ["a.errors.Fault(text)", "a.kit.rows_of(model, n=3)", "a.kit.Table(name)", "a.kit.Table.name"]
NEW = ["a.diagnostics.errors.Fault(text)", "a.kit.rows_of(model, rows=3)", "a.kit.Table(name)", "a.kit.Table.path"]


def test_the_signatures_of_public_names_are_the_reviewed_ones() -> None:
    changed = changes(CURRENT.read_text("utf-8").splitlines(), signatures())

    assert [f"{name}: {was or 'new'} -> {now or 'gone'}; {REMEDY}" for name, (was, now) in changed.items()] == []


def test_the_changelog_names_each_change_since_the_last_release() -> None:
    before, after = (path.read_text("utf-8").splitlines() for path in (LAST_RELEASE, CURRENT))

    assert unnamed(changes(before, after), before, after, newest_changes(CHANGELOG.read_text("utf-8"))) == []


def test_each_name_that_is_new_gone_or_called_in_another_way_is_a_change() -> None:
    assert changes(OLD, NEW) == {
        "a.diagnostics.errors.Fault": ("", "a.diagnostics.errors.Fault(text)"),
        "a.errors.Fault": ("a.errors.Fault(text)", ""),
        "a.kit.Table.name": ("a.kit.Table.name", ""),
        "a.kit.Table.path": ("", "a.kit.Table.path"),
        "a.kit.rows_of": ("a.kit.rows_of(model, n=3)", "a.kit.rows_of(model, rows=3)"),
    }


def test_a_change_that_the_changelog_does_not_name_is_found() -> None:
    text = "| `a.errors` | `a.diagnostics.errors` |\n| `table.name` | `Table.path` |"

    assert unnamed(changes(OLD, NEW), OLD, NEW, text) == ["a.kit.Table.name", "a.kit.rows_of"]
    assert unnamed(changes(OLD, NEW), OLD, NEW, "") == [*changes(OLD, NEW)]


def test_a_changed_class_is_named_once_with_its_members() -> None:
    old, new = ["a.Table(name)", "a.Table.name"], ["a.Table(path)", "a.Table.path"]

    assert unnamed(changes(old, new), old, new, "`Table(path)`") == []
    assert unnamed(changes(old, [old[0], new[1]]), old, new, "`Table(name)`") == ["a.Table.name", "a.Table.path"]


def test_only_the_newest_version_of_the_changelog_counts() -> None:
    changelog = f"# Changelog\n\n## 2\n\n{SECTION}\n`new`\n\n### Other\n\n`x`\n\n## 1\n\n{SECTION}\n`old`\n"

    assert newest_changes(changelog).strip() == "`new`"
    assert newest_changes(changelog.replace(SECTION, "### More\n", 1)) == ""
