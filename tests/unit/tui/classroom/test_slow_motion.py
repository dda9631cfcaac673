"""Where the film of a step stands: slowed, again and again, by hand, and on to the next one."""

from __future__ import annotations

import made_snapshots as made
from msgspec.structs import replace

from runtime.protocol.figures import Film, RankStep
from runtime.protocol.messages import Snapshot
from tui.classroom.runs.slow_motion import REST_S, FilmClock, Playing


class Watch:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def snapshot(step: int = 10, span_s: float = 0.2, **changes: object) -> Snapshot:
    return replace(made.running(), film=Film(step, span_s, (RankStep(),)), **changes)


def shown(clock: FilmClock, of: Snapshot) -> Playing:
    playing = clock.playing(of)
    assert playing is not None
    return playing


def test_a_step_is_shown_as_many_times_slower_as_it_says() -> None:
    watch = Watch()
    clock = FilmClock(watch)
    first = shown(clock, snapshot())
    assert (first.at, first.slowed) == (0.0, 30.0)  # 0.2 s in 6 s
    watch.now += 3.0
    assert abs(shown(clock, snapshot()).at - 3.0 / 30.0) < 1e-9
    assert shown(FilmClock(watch), snapshot(span_s=20.0)).slowed == 1.0


def test_the_next_step_is_taken_when_this_one_is_over() -> None:
    watch = Watch()
    clock = FilmClock(watch)
    shown(clock, snapshot(10))
    watch.now += 5.0
    assert shown(clock, snapshot(20)).film.step == 10
    watch.now += 1.0 + REST_S / 2
    at_end = shown(clock, snapshot(20))
    assert (at_end.film.step, at_end.at) == (10, 0.2)  # its end stands for a while
    watch.now += REST_S
    after = shown(clock, snapshot(20))
    assert (after.film.step, after.at) == (20, 0.0)


def test_by_hand_it_stands_goes_on_and_is_looked_through() -> None:
    watch = Watch()
    clock = FilmClock(watch)
    shown(clock, snapshot())
    watch.now += 3.0
    clock.toggle()
    watch.now += 50.0
    assert shown(clock, snapshot(20)).at == 0.1 and clock.paused
    clock.scrub(1)
    assert abs(shown(clock, snapshot()).at - 0.105) < 1e-9
    moved = [clock.scrub(1) for _ in range(60)]
    assert moved == [True] * 19 + [False] * 41
    assert shown(clock, snapshot()).at == 0.2
    clock.toggle()
    assert shown(clock, snapshot()).at == 0.0 and not clock.paused
    assert not clock.scrub(-1) and shown(clock, snapshot()).at == 0.0
    clock.scrub(1)
    clock.leave()
    after = shown(clock, snapshot(20))
    assert (after.film.step, after.at, after.paused) == (20, 0.0, True)


def test_slower_and_faster_end_somewhere_and_come_back() -> None:
    clock = FilmClock(Watch())
    shown(clock, snapshot())
    clock.faster(1)
    assert shown(clock, snapshot()).slowed == 20.0
    for _ in range(50):
        clock.faster(1)
    assert shown(clock, snapshot()).slowed == 1.0
    clock.faster(-1)
    assert shown(clock, snapshot()).slowed == 2.0


def test_another_run_begins_anew() -> None:
    watch = Watch()
    clock = FilmClock(watch)
    shown(clock, snapshot())
    clock.scrub(5)
    other = shown(clock, snapshot(3, run="another"))
    assert (other.film.step, other.at, other.paused) == (3, 0.0, False)


def test_a_run_whose_ranks_told_of_no_step_has_no_film() -> None:
    assert FilmClock(Watch()).playing(made.running()) is None
    assert FilmClock(Watch()).playing(snapshot(span_s=0.0)) is None
