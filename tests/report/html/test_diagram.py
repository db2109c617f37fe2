"""Graphs are laid out in layers, without overlaps, and equal graphs equally."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_delta_schema.report.html.diagram import HEIGHT, WIDTH, drawn

NAMES = st.integers(0, 12).map(str)


def layers(edges):
    """Return the names of nodes from left to right, and from top to bottom inside of a layer."""
    columns: dict[float, list[str]] = {}
    for name, corner in sorted(drawn(edges).nodes.items(), key=lambda item: item[1].y):
        columns.setdefault(corner.x, []).append(name)
    return [columns[x] for x in sorted(columns)]


@pytest.mark.parametrize(
    ("edges", "expected"),
    [
        pytest.param([("b", "a")], [["a"], ["b"]], id="a child stands right of its parent"),
        pytest.param([("c", "b"), ("b", "a"), ("c", "a")], [["a"], ["b"], ["c"]], id="the longest way counts"),
        pytest.param([("a", "a")], [["a"]], id="to itself"),
        pytest.param([("a", "b"), ("b", "a")], [["b"], ["a"]], id="a cycle of two"),
        pytest.param([("a", "b"), ("b", "c"), ("c", "a")], [["c"], ["b"], ["a"]], id="a cycle of three"),
        pytest.param(
            [("c", "b"), ("b", "a"), ("c", "late")],
            [["a"], ["b", "late"], ["c"]],
            id="a parent stands near its child",
        ),
        pytest.param(
            [("x1", "a"), ("y1", "b"), ("x2", "a"), ("y2", "b"), ("x1", "top"), ("y1", "top")],
            [["a", "top", "b"], ["x2", "x1", "y1", "y2"]],
            id="neighbours stand beside each other",
        ),
    ],
)
def test_the_layers_of_a_graph(edges, expected):
    assert layers(edges) == expected


def test_parts_without_a_connection_stand_beside_each_other_and_the_largest_comes_first():
    assert layers([("x", "b"), ("y", "a"), ("z", "b")]) == [["b"], ["x", "z"], ["a"], ["y"]]


def test_parts_that_are_wider_than_a_page_together_stand_below_each_other():
    drawing = drawn([(f"{part}{number}", f"{part}{number - 1}") for part in "ab" for number in range(1, 4)])

    assert drawing.nodes["a0"].x == drawing.nodes["b0"].x
    assert drawing.nodes["a0"].y < drawing.nodes["b0"].y


def test_a_route_goes_from_the_child_to_the_parent():
    drawing = drawn([("b", "a"), ("a", "a")])
    a, b = drawing.nodes["a"], drawing.nodes["b"]

    assert drawing.routes["b", "a"] == ((b.x, b.y + HEIGHT / 2), (a.x + WIDTH, a.y + HEIGHT / 2))
    assert drawing.routes["a", "a"] == ()


def test_a_route_of_a_cycle_ends_at_the_left_side_of_the_parent():
    drawing = drawn([("a", "b"), ("b", "a")])
    a, b = drawing.nodes["a"], drawing.nodes["b"]

    assert drawing.routes["a", "b"] == ((a.x, a.y + HEIGHT / 2), (b.x + WIDTH, b.y + HEIGHT / 2))
    assert drawing.routes["b", "a"] == ((b.x + WIDTH, b.y + HEIGHT / 2), (a.x, a.y + HEIGHT / 2))


def test_a_long_route_bends_around_the_nodes_between():
    edges = [("c", "b"), ("b", "a"), ("c", "a")]
    drawing = drawn(edges)
    start, left, right, end = drawing.routes["c", "a"]

    assert start.x > left.x > right.x > end.x
    assert not drawing.nodes["b"].y <= left.y <= drawing.nodes["b"].y + HEIGHT


def test_a_very_long_route_has_no_bends():
    chain = [(str(number), str(number - 1)) for number in range(1, 16)]
    drawing = drawn([*chain, ("15", "0")])

    assert len(drawing.routes["15", "0"]) == 2


@given(st.lists(st.tuples(NAMES, NAMES), min_size=1, max_size=40), st.randoms(use_true_random=False))
def test_no_nodes_overlap_and_the_order_of_edges_does_not_matter(edges, shuffled):
    drawing = drawn(edges)
    corners = sorted(drawing.nodes.values())
    other = list(edges)
    shuffled.shuffle(other)

    assert drawing.nodes.keys() == {name for edge in edges for name in edge}
    assert drawing.routes.keys() == set(edges)
    for number, one in enumerate(corners):
        assert 0 <= one.x <= drawing.width - WIDTH
        assert 0 <= one.y <= drawing.height - HEIGHT
        for two in corners[number + 1 :]:
            assert abs(one.x - two.x) >= WIDTH or abs(one.y - two.y) >= HEIGHT
    assert drawn(other) == drawing
