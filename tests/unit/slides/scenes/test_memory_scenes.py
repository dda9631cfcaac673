"""The figures of ZeRO's paper, the memory of a step, and the time that buckets hide."""

import itertools

import pytest

from slides.drawing.text import plain
from slides.palette import THEMES
from slides.scenes.library.data_parallel import buckets
from slides.scenes.library.one_device import training_step
from slides.scenes.library.sharded import zero
from slides.scenes.painting import lines
from slides.scenes.shapes import Axis, Box, Label, Number


@pytest.mark.parametrize(("stage", "gb"), enumerate([120.0, 31.4, 16.6, 1.9]))
def test_zero_is_figure_1_of_its_paper(stage: int, gb: float) -> None:
    """Rajbhandari et al. 2020, figure 1: 7.5 billion parameters, 64 ranks."""
    values = zero.SCENE.values({})
    assert round(sum(zero.gigabytes(stage, values).values()), 1) == gb


@pytest.mark.parametrize(
    ("billions", "ranks", "stage", "gb"),
    [
        ("128", "1024", 1, 513.5),
        ("128", "1024", 2, 257.75),
        ("128", "1024", 3, 2.0),
        ("1000", "16", 3, 1000.0),
        ("7.5", "4", 1, 52.5),
        ("7.5", "16", 2, 21.56),
    ],
)
def test_zero_is_table_1_of_its_paper(billions: str, ranks: str, stage: int, gb: float) -> None:
    """The same paper, table 1, to its printed digits."""
    values = zero.SCENE.values({"billions": billions, "ranks": ranks})
    assert sum(zero.gigabytes(stage, values).values()) == pytest.approx(gb, rel=0.004)


def test_bars_of_zero_are_their_bytes() -> None:
    values = zero.SCENE.values({})
    for stage in range(4):
        state = zero.SCENE.state(stage, values)
        held = zero.gigabytes(stage, values)
        high = {s.ink: s.size[1] for s in state.shapes if isinstance(s, Box) and s.id.endswith("@0")}
        scales = [high[ink] / held[ink] for ink in held]
        assert max(scales) == pytest.approx(min(scales))


@pytest.mark.parametrize(("activations", "said"), [("3", True), ("0.5", False)])
def test_no_moment_is_said_to_hold_most_that_does_not(activations: str, said: bool) -> None:
    values = training_step.SCENE.values({"activations": activations})
    scene = training_step.SCENE
    captions = [scene.state(step, values).caption for step in range(scene.steps(values))]
    assert any("No moment holds more" in caption for caption in captions) is said


def test_the_memory_of_a_step_by_hand() -> None:
    """4 blocks of 1, Adam 2 each, activations 3 a block: forward ends at 4 + 8 + 12, and backward adds the
    gradients of a block while its activations are still there."""
    total = [sum(training_step.held(4, *moment, 3.0).values()) for moment in training_step.moments(4)]
    assert total == [12, 15, 18, 21, 24, 25, 23, 21, 19, 16, 12]


def test_the_most_is_named_where_it_is() -> None:
    values = training_step.SCENE.values({"block_mb": "10"})
    states = [training_step.SCENE.state(step, values) for step in range(training_step.SCENE.steps(values))]
    peaks = [
        next(s.value for s in state.shapes if isinstance(s, Number) and s.id == "peak") for state in states
    ]
    assert max(peaks) == peaks[-1] == pytest.approx(250) and peaks == sorted(peaks)


@pytest.mark.parametrize("layers", [2, 8, 16])
@pytest.mark.parametrize("size", [1, 2, 5, 16])
@pytest.mark.parametrize("link", [0.0, 0.3, 0.9, 4.0])
def test_buckets_go_out_in_turn_as_soon_as_they_can(layers: int, size: int, link: float) -> None:
    found = buckets.buckets(layers, size, link)
    assert sorted(layer for bucket in found for layer in bucket.layers) == list(range(layers))
    for before, after in itertools.pairwise([None, *found]):
        assert after is not None
        assert after.ready == layers - min(after.layers)  # its lowest layer is the last to have gradients
        assert after.start == max(after.ready, before.end if before else 0)
    busy = sum(bucket.end - bucket.start for bucket in found)
    assert busy == pytest.approx(layers * link)
    # The last bucket is never ready before backward has ended: its time on the wire is always exposed.
    assert buckets.exposed(layers, size, link) >= len(found[-1].layers) * link - 1e-9


def test_hidden_and_exposed_pieces_are_the_time_on_the_wire() -> None:
    values = buckets.SCENE.values({})
    last = buckets.SCENE.state(buckets.SCENE.steps(values) - 1, values)
    share = next(s.value for s in last.shapes if isinstance(s, Number) and s.id == "exposed")
    assert share == pytest.approx(100 * buckets.exposed(6, 2, 0.6) / (6 + buckets.exposed(6, 2, 0.6)))
    names = {s.id for s in last.shapes}
    assert {"hidden0", "hidden1", "exposed2"} <= names and "exposed1" not in names


def test_a_bucket_has_no_more_layers_than_the_model() -> None:
    with pytest.raises(ValueError, match="bucket=4"):
        buckets.SCENE.values({"layers": "4", "bucket": "5"})


@pytest.mark.parametrize(
    ("billions", "ranks", "unit", "whole"),
    [
        ("7.5", "64", "GB", "120.0 GB"),
        ("6249", "64", "GB", "99984.0 GB"),
        ("1e5", "65536", "TB", "1600.0 TB"),
    ],
)
def test_one_picture_of_zero_has_one_unit(billions: str, ranks: str, unit: str, whole: str) -> None:
    values = zero.SCENE.values({"billions": billions, "ranks": ranks})
    for stage in range(4):
        state = zero.SCENE.state(stage, values)
        figures = [
            f"{one.value:.{one.decimals}f}{one.after}" for one in state.shapes if isinstance(one, Number)
        ]
        [axis] = [one for one in state.shapes if isinstance(one, Axis)]
        [limit] = [one for one in state.shapes if isinstance(one, Label) and one.id == "limit.text"]
        told = " ".join([*figures, axis.unit, limit.text, limit.short, state.caption])
        assert unit in told and {"GB": "TB", "TB": "GB"}[unit] not in told
        assert figures[0] in state.caption and not figures[0].startswith("0.0 ")
        assert stage or figures[0] == whole
        high = zero.gigabytes(0, values)
        assert axis.high * (1e3 if unit == "TB" else 1.0) == pytest.approx(max(sum(high.values()), 80.0))


@pytest.mark.parametrize("size", [(76, 19), (76, 18), (96, 22), (70, 15)])
def test_the_most_stands_over_its_bar_and_textures_are_those_of_the_legend(size: tuple[int, int]) -> None:
    """In characters: never upon a piece of a bar, and what is past has the texture of its kind, too."""
    values = training_step.SCENE.values({})
    for step in range(training_step.SCENE.steps(values)):
        state = training_step.SCENE.state(step, values)
        rows = lines(state, *size, THEMES["mono"], "characters")
        [word] = [span for row in rows for span in row if "most" in span.text]
        assert word.style.ground == "", step
    bottom = next(row for row in reversed([plain(row) for row in rows]) if "█" in row)
    assert not {"▓", "▒", "░"} & set(bottom), "parameters are at the foot of every bar"
