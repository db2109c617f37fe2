"""Foreign keys are drawn in layers, without overlaps, and are told to Mermaid in a text that no name can leave."""

from __future__ import annotations

import re
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from pytest_delta_schema.report.diagram import (
    HEIGHT,
    MERMAID_EDGES,
    WIDTH,
    drawn,
    mermaid,
    references,
)
from support.reports import BLOCKED, DRIFTED, IN_SYNC

NAMES = st.integers(0, 12).map(str)


@given(st.lists(st.tuples(NAMES, NAMES), min_size=1, max_size=40), st.randoms(use_true_random=False))
def test_no_nodes_overlap_and_the_order_of_edges_does_not_matter(edges, shuffled):
    drawing = drawn(edges)
    corners = sorted(drawing.nodes.values())
    other = list(edges)
    shuffled.shuffle(other)

    assert drawing.nodes.keys() == {name for edge in edges for name in edge}
    assert {(line.child, line.parent) for line in drawing.lines} == set(edges)
    for number, one in enumerate(corners):
        assert 0 <= one.x <= drawing.width - WIDTH
        assert 0 <= one.y <= drawing.height - HEIGHT
        for two in corners[number + 1 :]:
            assert abs(one.x - two.x) >= WIDTH or abs(one.y - two.y) >= HEIGHT
    assert drawn(other) == drawing


def child(name, *parents, base=IN_SYNC):
    keys = [{"name": f"fk{number}", "columns": ["id"], "parent": parent} for number, parent in enumerate(parents)]
    return replace(base, name=name, stored_as=f"ci.{name}", declared={"foreign_keys": keys})


def test_references_are_those_of_the_models_and_name_tables_as_the_report_does():
    keys = child("b", "CI.a", "elsewhere").declared
    seen = replace(IN_SYNC, name="c", declared=None, observed=keys)
    tables = [seen, child("a"), replace(IN_SYNC, name="b", declared=keys, observed={"foreign_keys": []})]

    assert [(reference.child, reference.parent) for reference in references(tables)] == [
        ("b", "a"),
        ("b", "elsewhere"),
        ("c", "a"),
        ("c", "elsewhere"),
    ]


def test_a_flowchart_has_an_edge_for_each_pair_of_tables_and_the_state_of_those_that_do_not_pass():
    tables = [child("s.a"), child("s.b", "s.a", "s.a", "x", base=DRIFTED), child("s.c", "s.a", "s.c", base=BLOCKED)]

    assert mermaid(tables) == (
        """\
flowchart RL
t1["s.b #40;drifted#41;"]
t2["s.a"]
t1 --> t2
t3["x"]
t1 --> t3
t4["s.c #40;blocked#41;"]
t4 --> t2
t4 --> t4""",
        "",
    )
    assert mermaid([IN_SYNC]) == ("", "")


LABELS = [
    ('a"] --> b', "a#34;#93; #45;#45;#62; b"),
    ("%%{init: {}}%%", "#37;#37;#123;init#58; #123;#125;#125;#37;#37;"),
    ("<img src=x>", "#60;img src#61;x#62;"),
    ("_a_ __b", "#95;a#95; #95;#95;b"),
    ("caf\u00e9\u202e", "caf#233;#92;u202e"),
]


def test_no_name_leaves_its_label():
    texts = [(name, mermaid([child(name, name)])[0]) for name, _ in LABELS]

    assert texts == [(name, f'flowchart RL\nt1["{label}"]\nt1 --> t1') for name, label in LABELS]


@given(st.text(max_size=20))
def test_names_become_labels_of_plain_characters_only(name):
    text, _ = mermaid([child(f"x{name}", "p")])

    assert re.fullmatch(r'flowchart RL\nt1\["(?:[A-Za-z0-9._ ]|#\d+;)+"\]\nt2\["p"\]\nt1 --> t2', text)


def test_what_mermaid_does_not_draw_is_left_out_and_the_tables_that_fail_come_first():
    passing = [child(f"a{number:04}", "parent") for number in range(MERMAID_EDGES)]
    text, remark = mermaid([*passing, child("b", "parent", base=DRIFTED)])

    assert text.count("-->") == MERMAID_EDGES
    assert text.splitlines()[1] == 't1["b #40;drifted#41;"]'
    assert remark == "1 more pair of tables with foreign keys left out, because Mermaid draws no more."
    assert mermaid(passing)[1] == ""
