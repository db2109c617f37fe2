"""Dependencies: parents first, circles together, and always the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_delta_schema import ForeignKey
from pytest_delta_schema.models.sets import dependency_groups
from support.tables import column, table


def pointing(edges: dict[str, str]):
    """Make one table for each key, with a foreign key to each table that its value spells."""
    return [
        table(
            column(),
            name=f"dev.silver.{name}",
            foreign_keys=[ForeignKey(["id"], f"dev.silver.{parent}", name=f"to_{parent}") for parent in parents],
        )
        for name, parents in edges.items()
    ]


def shown(models) -> str:
    return " ".join("".join(table.table_name for table in group) for group in dependency_groups(models))


@pytest.mark.parametrize(
    ("edges", "expected"),
    [
        ({}, ""),
        ({"a": ""}, "a"),
        ({"b": "", "a": ""}, "a b"),
        ({"a": "b", "b": ""}, "b a"),
        ({"a": "a"}, "a"),
        ({"a": "z"}, "a"),
        ({"a": "bc", "b": "c", "c": ""}, "c b a"),
        ({"a": "b", "b": "a"}, "ab"),
        ({"a": "b", "b": "c", "c": "a", "d": "a", "e": ""}, "abc e d"),
        ({"a": "b", "b": "a", "c": "ad", "d": "c"}, "ab cd"),
        ({"a": "b", "b": "ac", "c": "bd", "d": ""}, "d abc"),
    ],
)
def test_parents_come_first(edges, expected):
    assert shown(pointing(edges)) == expected


GRAPHS = st.dictionaries(st.sampled_from("abcdef"), st.text("abcdef", max_size=3).map(lambda text: "".join(set(text))))


@given(edges=GRAPHS)
def test_every_table_has_one_place_behind_its_parents(edges):
    groups = dependency_groups(pointing(edges))
    position = {table.table_name: index for index, group in enumerate(groups) for table in group}

    assert sorted(position) == sorted(edges)
    assert all(
        position[parent] <= position[name]
        for name, parents in edges.items()
        for parent in parents
        if parent in position
    )


@given(edges=GRAPHS, seed=st.randoms())
def test_the_order_of_the_models_does_not_matter(edges, seed):
    models = pointing(edges)
    shuffled = list(models)
    seed.shuffle(shuffled)

    assert shown(models) == shown(shuffled)


def reached(edges, start) -> set[str]:
    seen, todo = set(), list(edges[start])
    while todo:
        name = todo.pop()
        if name in edges and name not in seen:
            seen.add(name)
            todo.extend(edges[name])
    return seen


@given(edges=GRAPHS)
def test_only_circles_stand_together(edges):
    together = {frozenset(table.table_name for table in group) for group in dependency_groups(pointing(edges))}

    assert together == {
        frozenset({name, *(other for other in reached(edges, name) if name in reached(edges, other))}) for name in edges
    }
