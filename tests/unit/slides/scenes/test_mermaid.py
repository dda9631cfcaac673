"""Diagrams of mermaid: what is read of them, what is drawn, and what stays text."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slides.deck import Code, Scene
from slides.drawing.text import plain
from slides.palette import DARK
from slides.problems import Mistake
from slides.reading.parse import parse_blocks
from slides.reading.split import load
from slides.scenes import mermaid
from slides.scenes.composition import told
from slides.scenes.mermaid import flowchart, sequence_diagram
from slides.scenes.painting import lines
from slides.scenes.shapes import Box, Label
from tui.deck.contents import Contents


def chart(*lines: str) -> tuple[dict[str, str], list[tuple[str, str, str]]]:
    found = flowchart.read(list(lines))
    nodes = {name: node.words for name, node in found.nodes.items()}
    return nodes, [(edge.source, edge.target, edge.words) for edge in found.edges]


@pytest.mark.parametrize(
    ("line", "nodes", "edges"),
    [
        ("a --> b", {"a": "a", "b": "b"}, [("a", "b", "")]),
        ("a[Load data] --> b(Train)", {"a": "Load data", "b": "Train"}, [("a", "b", "")]),
        ("a{Fits?} -->|yes| b", {"a": "Fits?", "b": "b"}, [("a", "b", "yes")]),
        ("a -- no --> b", {"a": "a", "b": "b"}, [("a", "b", "no")]),
        ("a --> b --> c", {"a": "a", "b": "b", "c": "c"}, [("a", "b", ""), ("b", "c", "")]),
        ("a & b --> c", {"a": "a", "b": "b", "c": "c"}, [("a", "c", ""), ("b", "c", "")]),
        ("a ==> b; b -.-> c", {"a": "a", "b": "b", "c": "c"}, [("a", "b", ""), ("b", "c", "")]),
        ('a["all-reduce (sum)"] --- b', {"a": '"all-reduce (sum)"', "b": "b"}, [("a", "b", "")]),
        ("a[(Disk)]:::big --> b((End))", {"a": "Disk", "b": "End"}, [("a", "b", "")]),
        ("a <-- b", {"a": "a", "b": "b"}, [("b", "a", "")]),
    ],
)
def test_lines_of_a_flowchart(line: str, nodes: dict[str, str], edges: list[tuple[str, str, str]]) -> None:
    assert chart("flowchart LR", line) == (nodes, edges)


def test_groups_and_what_only_styles_a_chart() -> None:
    found = flowchart.read(
        ["graph TD", "subgraph one [Machine A]", "a --> b", "end", "classDef big fill:#f00", "c --> a"]
    )
    assert found.direction == "TB" and found.groups == {"Machine A": ["a", "b"]}
    assert list(found.nodes) == ["a", "b", "c"]


def test_lines_of_a_sequence() -> None:
    found = sequence_diagram.read(
        [
            "participant T as Trainer", "T->>P: pull", "P-->>T: weights", "Note over T,P: both",
            "loop each step", "T-)T: log", "end",
        ]
    )  # fmt: skip
    assert found.people == {"T": "Trainer", "P": "P"}
    said = [(row.ends, row.words, row.dashed, row.note, row.part) for row in found.rows]
    assert said == [
        (("T", "P"), "pull", False, False, ""),
        (("P", "T"), "weights", True, False, ""),
        (("T", "P"), "both", False, True, ""),
        (("", ""), "each step", False, False, "loop"),
        (("T", "T"), "log", False, False, ""),
    ]


def test_a_diagram_is_a_picture_and_another_kind_stays_code() -> None:
    (drawn,) = parse_blocks("```mermaid\nflowchart LR\na[One] --> b[Two]\n```")
    assert isinstance(drawn, Scene) and drawn.name == "mermaid"
    (left,) = parse_blocks('```mermaid\npie title Pets\n"Dogs" : 3\n```')
    assert isinstance(left, Code) and left.lang == "mermaid"


def test_what_cannot_be_drawn_is_told_with_its_line(tmp_path: Path) -> None:
    deck = tmp_path / "deck.md"
    deck.write_text("# One\n\n```mermaid\nflowchart LR\na => b\n```\n")
    contents = Contents(load(deck))
    (problem,) = contents.slide(0).problems
    assert problem.line == 3 and "is no edge" in problem.message and "-->" in problem.mend


def test_the_words_of_every_node_stand_in_the_picture_and_boxes_do_not_overlap() -> None:
    pairs = ((1, 2), (1, 3), (2, 4), (3, 4), (4, 1), (2, 5), (5, 6))
    text = "flowchart LR\n" + "\n".join(f"n{a}[Node {a}] --> n{b}[Node {b}]" for a, b in pairs)
    state = mermaid.scene(text).state(0, {})
    words = {shape.text for shape in state.shapes if isinstance(shape, Box | Label)}
    assert {f"Node {n}" for n in range(1, 7)} <= words
    boxes = [shape for shape in state.shapes if isinstance(shape, Box) and shape.id.startswith("box ")]
    assert len(boxes) == 6
    for n, one in enumerate(boxes):
        for other in boxes[n + 1 :]:
            apart = [
                one.at[axis] + one.size[axis] <= other.at[axis] + 1e-6
                or other.at[axis] + other.size[axis] <= one.at[axis] + 1e-6
                for axis in (0, 1)
            ]
            assert any(apart), (one.id, other.id)


def test_step_by_step_a_layer_or_a_message_comes() -> None:
    assert mermaid.scene("flowchart LR\na --> b --> c", True).steps({}) == 3
    assert mermaid.scene("sequenceDiagram\nA->>B: one\nB->>A: two", True).steps({}) == 2


@given(st.text('ab-=.>|[](){}<&;"\n :', max_size=120))
def test_no_text_does_more_than_be_refused(text: str) -> None:
    for head in ("flowchart LR\n", "sequenceDiagram\n"):
        try:
            mermaid.scene(head + text).state(0, {})
        except Mistake:
            pass


@pytest.mark.parametrize("token", ["a-->b\n", "a & ", "-", "[", "(", "a[", "A->>B: x\n", "<", "%%\n", "a-- "])
def test_time_grows_with_the_text_only(token: str) -> None:
    for head in ("flowchart LR\n", "sequenceDiagram\n"):
        small, large = (
            # The best of three: whatever else the machine does makes one of them slower.
            min(took(head + token * (size // len(token))) for _ in range(3))
            for size in (9_000, 18_000)
        )
        assert large < max(0.2, 4 * small), (head, token, small, large)


def took(text: str) -> float:
    mermaid.scene.cache_clear()
    begun = time.process_time()
    try:
        mermaid.scene(text)
    except Mistake:
        pass
    return time.process_time() - begun


EIGHT = (
    "Load batch,Tokenize text,Forward pass,Compute loss,Backward pass,All-reduce,Optimizer step,"
    "Save checkpoint"
)


def drawn(text: str, columns: int, rows: int) -> list[str]:
    state = mermaid.scene(text).state(0, {})
    return [plain(line) for line in lines(state, columns, rows, DARK, "characters")]


@pytest.mark.parametrize("size", [(76, 14), (92, 20), (60, 20), (150, 30)])
def test_a_long_chain_is_folded_and_no_word_of_it_is_cut(size: tuple[int, int]) -> None:
    names = EIGHT.split(",")
    text = "flowchart LR\n" + " --> ".join(f"n{n}[{name}]" for n, name in enumerate(names))
    picture = "\n".join(drawn(text, *size))
    assert all(word in picture for name in names for word in name.split()) and "…" not in picture
    assert picture.count("▶") + picture.count("▼") == len(names) - 1


def test_a_chain_that_begins_anew_says_where() -> None:
    steps = "-->".join(f"n{n}[Step {n} of it]" for n in range(7))
    picture = "\n".join(drawn(f"flowchart LR\n{steps}-->n0", 70, 20))
    assert "↺ Step 0 of it" in picture


def test_an_edge_from_a_node_to_itself_says_its_words() -> None:
    assert "↻ retry" in "\n".join(drawn("flowchart TD\na[Idle]-->b[Run]\nb-->|retry|b", 60, 14))
    assert "↻ retry" in "\n".join(drawn("flowchart LR\na[Idle]-->b[Run]\nb-->|retry|b", 60, 14))


def test_an_edge_to_a_group_leads_to_a_node_of_it() -> None:
    text = ["flowchart LR", "subgraph h [Host A]", "r0 --> r1", "r2", "end", "store --> h", "h -->|NCCL| x"]
    nodes, edges = chart(*text)
    assert set(nodes) == {"r0", "r1", "r2", "store", "x"}
    assert edges == [("r0", "r1", ""), ("store", "r0", ""), ("r1", "x", "NCCL")]


def test_the_words_of_an_edge_lie_on_no_corner_and_no_head() -> None:
    text = "flowchart LR\na[Load a batch]-->b{Fits?}\nb-->|yes|c[Train]\nb-->|no|d[Shard]\nd-->c"
    for columns in range(70, 160, 7):
        picture = "\n".join(drawn(text, columns, columns // 5))
        assert picture.count("▶") == 4, columns
        assert re.search(r"─ yes ─*▶", picture) and re.search(r"─ no ─*▶", picture), columns


def test_the_caption_does_not_say_again_what_the_picture_shows() -> None:
    state = mermaid.scene("flowchart LR\na --> b").state(0, {})
    assert state.caption == "" and told(state, 0, 1)[0] == "a → b"


def test_people_of_a_sequence_may_have_names_of_several_words() -> None:
    found = sequence_diagram.read(["participant SQS queue", "actor T as The teacher", "SQS queue->>T: poll"])
    assert found.people == {"SQS queue": "SQS queue", "T": "The teacher"}
    assert found.rows[0].ends == ("SQS queue", "T")


@pytest.mark.parametrize(("columns", "rows"), [(74, 17), (74, 20), (94, 23), (152, 36)])
def test_every_word_of_a_chart_of_six_layers_is_there_at_every_size(columns: int, rows: int) -> None:
    body = """flowchart LR
  load[Load a batch] --> tok[Tokenize and pack] --> fit{Fits in memory?}
  fit -->|yes| train[Train one step] --> save[Checkpoint]
  fit -->|no| cut[Shard the parameters] --> train"""
    state = mermaid.scene(body).state(0, {})
    text = " ".join("".join(span.text for span in line) for line in lines(state, columns, rows, DARK))
    words = (
        "Load",
        "Tokenize",
        "pack",
        "Fits",
        "memory?",
        "yes",
        "no",
        "Shard",
        "parameters",
        "Train",
        "step",
    )
    assert [word for word in words if word not in text] == []
    assert sum(text.count(head) for head in "▼▶") >= 5  # two edges may come in by one head


def test_the_picture_of_a_sequence_has_no_second_list_of_its_messages_under_it() -> None:
    scene = mermaid.scene("sequenceDiagram\n  a->>b: hello\n  b-->>a: good")
    state = scene.state(0, {})
    assert not state.caption and state.unseen == "a → b: hello; b → a: good"
