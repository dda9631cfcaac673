"""Where a screen stands: moves, the host's order, reloads. No Textual, no host, no clock but ours."""

from __future__ import annotations

from runtime.classroom.actions import AnyAction, Drop, Entry, Lead, Move, Show, Timer, Undo
from runtime.classroom.state import ClassState, Position, apply
from slides.deck import Deck, Head, Slide
from tui.classroom.session import Session
from tui.deck.contents import Contents


def make_deck(
    steps: dict[str, int], rev: str = "r1", hidden: tuple[str, ...] = (), backup: tuple[str, ...] = ()
) -> Contents:
    """A deck of slides with so many steps each; no file is read."""
    heads = tuple(
        Head(id, n, n + 1, id.title(), "", hidden=id in hidden, backup=id in backup)
        for n, id in enumerate(steps)
    )

    def parse(deck: Deck, index: int) -> Slide:
        head = deck.slides[index]
        return Slide(
            id=head.id,
            index=index,
            line=1,
            title=head.title,
            blocks=(),
            steps=steps[head.id],
            hidden=head.id in hidden,
        )

    return Contents(Deck("deck.md", rev, "A deck", heads), parse)


class Host:
    """Orders actions as the host does, when it is told to."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.sent: list[tuple[int, AnyAction]] = []
        self.state = ClassState()
        self.seq = 0

    def send(self, n: int, action: AnyAction) -> None:
        self.sent.append((n, action))

    def welcome(self) -> None:
        self.session.welcome(self.state, self.send)

    def order(self, action: AnyAction, screen: str, n: int = 0, t: float = 0.0) -> None:
        self.seq += 1
        entry = Entry(self.seq, t, screen, "all", action)
        self.state = apply(self.state, entry)
        self.session.ordered(entry, n, None)

    def order_all(self) -> None:
        for n, action in self.sent:
            self.order(action, self.session.screen, n)
        self.sent.clear()


def start(steps: dict[str, int] | None = None, **kwargs: object) -> tuple[Session, Host]:
    session = Session(make_deck(steps or {"one": 1, "two": 3, "three": 1}), screen="me", now=lambda: 100.0)
    return session, Host(session)


def place(session: Session) -> tuple[int, int]:
    return session.index, session.step


def test_next_walks_steps_then_slides_and_back_the_same_way() -> None:
    session, _ = start()
    walked = [place(session)]
    while session.next():
        walked.append(place(session))
    assert walked == [(0, 0), (1, 0), (1, 1), (1, 2), (2, 0)]
    back = [place(session)]
    while session.previous():
        back.append(place(session))
    assert back == walked[::-1]


def test_skipping_goes_to_the_first_step_of_another_slide() -> None:
    session, _ = start()
    session.skip(1)
    session.next()
    assert place(session) == (1, 1)
    session.skip(-1)
    assert place(session) == (0, 0)
    assert not session.skip(-1)
    session.last()
    assert place(session) == (2, 0)


def test_scrubbing_stays_on_the_slide() -> None:
    session, _ = start()
    session.skip(1)
    assert [session.scrub(1), session.scrub(1), session.scrub(1)] == [True, True, False]
    assert place(session) == (1, 2)
    assert session.scrub(-1) and place(session) == (1, 1)


def test_hidden_slides_are_skipped_and_do_not_count_but_can_be_gone_to() -> None:
    session = Session(make_deck({"a": 1, "b": 1, "c": 1}, hidden=("b",)), screen="me")
    assert len(session.contents.visible) == 2
    session.next()
    assert session.slide.id == "c" and session.number == 2 and session.percent == 100
    session.go((1, 0))
    assert session.slide.id == "b" and session.number == 1
    assert [session.contents.label(n) for n in range(3)] == ["1", "–", "2"]


def test_the_talk_ends_before_the_backup_slides() -> None:
    contents = make_deck({"a": 1, "b": 2, "c": 1, "x": 1, "d": 1}, hidden=("x",), backup=("c", "x", "d"))
    session = Session(contents, screen="me")
    assert [contents.label(n) for n in range(5)] == ["1", "2", "+1", "–", "+2"]
    assert (contents.visible, contents.backup) == ((0, 1), (2, 4))
    session.last()
    session.next()
    assert place(session) == (1, 1) and session.after() is None and not session.skip(1)
    session.previous()
    assert session.skip(1) and place(session) == (1, 1), "no slide is next: what is left of this one"
    assert contents.search("+2") == [4] and contents.search("+3") == []
    session.go((2, 0))
    assert session.after() == (4, 0) and session.percent == 100
    session.next()
    assert place(session) == (4, 0) and session.after() is None
    session.previous()
    session.previous()
    assert place(session) == (1, 1)  # back into the talk, as it was left


def test_a_deck_of_nothing_but_backup_is_a_talk() -> None:
    contents = make_deck({"a": 1, "b": 1}, backup=("a", "b"))
    assert contents.visible == (0, 1) and contents.backup == () and contents.label(1) == "2"


def test_a_key_counts_at_once_and_the_host_hears_of_it_later_in_order() -> None:
    session, host = start()
    session.next()
    session.next()
    assert place(session) == (1, 1)
    host.welcome()
    assert [action for _, action in host.sent] == [Move("one", 0), Move("two", 0), Move("two", 1)]
    assert [n for n, _ in host.sent] == [1, 2, 3]
    assert place(session) == (1, 1)
    host.order_all()
    assert place(session) == (1, 1) and host.state.pos == Position("two", 1)


def test_a_class_with_a_place_keeps_it() -> None:
    session, host = start()
    host.state = ClassState(pos=Position("three", 0))
    host.welcome()
    assert host.sent == [] and place(session) == (2, 0)


def test_the_hosts_order_wins() -> None:
    session, host = start()
    host.welcome()
    host.order_all()
    session.next()  # ours is on its way …
    host.order(Move("three", 0), "other")  # … and another console's came first
    assert place(session) == (1, 0)  # ours still stands: the host will order it after the other one
    n, action = host.sent.pop()
    host.order(action, "me", n)
    assert place(session) == (1, 0)
    host.order(Move("three", 0), "other")
    assert place(session) == (2, 0)


def test_the_clock_starts_on_the_first_move_off_the_first_slide() -> None:
    now = [100.0]
    session = Session(make_deck({"a": 2, "b": 1}), now=lambda: now[0])
    session.next()
    assert not session.state.timer.running
    session.next()
    now[0] = 160.0
    assert session.state.timer.running and session.elapsed == 60.0
    session.act(Timer("pause"))
    now[0] = 500.0
    assert session.elapsed == 60.0


def test_undo_names_the_hosts_number_of_this_screens_last_answer() -> None:
    from runtime.classroom.actions import Answer, Open

    session, host = start()
    host.welcome()
    session.act(Open("q", "single", 2))
    session.act(Answer("q", (1,)))
    assert not session.undo()  # the host has not ordered it yet: it has no number to name
    host.order_all()
    assert session.undo()
    ((_, action),) = host.sent
    assert action == Undo(3)
    assert not session.undo()


def test_a_reload_keeps_the_place_by_id_and_else_by_number() -> None:
    session, _ = start()
    session.go((1, 2))
    session.replace_deck(make_deck({"new": 1, "one": 1, "two": 3}, "r2"))
    assert session.slide.id == "two" and session.step == 2
    session.replace_deck(make_deck({"x": 1, "y": 1, "z": 1, "u": 1}, "r3"))
    assert session.index == 2 and session.step == 0
    assert session.next() and session.slide.id == "u"


def test_an_audience_moves_only_with_the_host() -> None:
    session = Session(make_deck({"a": 1, "b": 1}), role="audience", screen="me")
    host = Host(session)
    host.welcome()
    assert not session.next() and host.sent == []
    host.order(Move("b", 0), "console")
    assert session.index == 1
    host.order(Show("black"), "console")
    assert session.state.shown == "black"


def test_search_by_number_and_title() -> None:
    contents = make_deck({"ring": 1, "the ring again": 1, "buckets": 1})
    assert contents.search("2") == [1]
    assert contents.search("9") == []
    assert contents.search("ring") == [0, 1]
    assert contents.search("bkt") == [2]
    assert contents.search("zzz") == []
    last = contents.heads[-1].id
    assert contents.search(last)[0] == len(contents.heads) - 1  # an id, as `ctl goto` always took it
    assert make_deck({"distributed": 1, "the ring": 1}).search("ri") == [1, 0]


def test_a_deck_without_slides_has_one_empty_one() -> None:
    session = Session(Contents(Deck("d.md", "r", "Nothing", ())))
    assert session.slide.steps == 1 and not session.next() and session.percent == 100


def two_consoles() -> tuple[Session, Host]:
    """This screen and, by the host's word, another console `bob` that has taken the lead."""
    session, host = start()
    host.welcome()
    session.next()
    host.order_all()
    host.order(Lead("bob"), "bob")
    return session, host


def test_who_does_not_drive_looks_around_without_moving_the_class() -> None:
    session, host = two_consoles()
    assert not session.driving
    assert session.next() and place(session) == (1, 1) and session.looking
    assert host.sent == [] and session.state.pos == Position("two", 0)
    host.order(Move("three", 0), "bob")
    assert place(session) == (1, 1)  # the class goes on; this screen stays where it looks
    assert session.rejoin() and place(session) == (2, 0)
    session.previous()
    session.next()
    assert not session.looking and not session.rejoin()  # back where the class is


def test_what_only_the_driver_does_is_refused_here_before_it_is_sent() -> None:
    session, host = two_consoles()
    refused: list[str] = []
    session.on_locked = lambda: refused.append("locked")
    session.act(Show("black"))
    assert (refused, host.sent, session.state.shown) == (["locked"], [], "live")


def test_taking_over_drives_from_where_the_class_is() -> None:
    session, host = two_consoles()
    session.next()
    session.lead()
    assert session.driving and place(session) == (1, 0)
    session.next()
    host.order_all()
    assert session.state.lead == "me" and session.state.pos == Position("two", 1)
    session.lead()
    host.order_all()
    assert session.state.lead == "" and session.driving


def test_losing_the_lead_takes_back_what_the_host_had_not_ordered() -> None:
    session, host = start()
    host.welcome()
    host.order_all()
    session.next()
    host.order(Lead("bob"), "bob")
    assert session.state.pos == Position("one", 0) and not session.driving


def test_dropped_slides_are_stepped_over_both_ways_and_can_be_gone_to() -> None:
    session, _ = start({"a": 1, "b": 2, "c": 1, "d": 1})
    session.act(Drop(("b", "c")))
    session.next()
    assert session.slide.id == "d"
    assert session.skip(-1) and session.slide.id == "a"
    session.go((1, 0))
    session.next()
    assert place(session) == (1, 1)
    assert session.next() and session.slide.id == "d"
    assert session.previous() and session.slide.id == "a"


def test_the_clock_of_a_screen_does_not_go_back_when_the_host_was_standing_still() -> None:
    """Its own keys are applied anew with every entry of the host: at the time when they were pressed."""
    time = [100.0]
    session = Session(make_deck({"a": 1, "b": 1}), screen="me", now=lambda: time[0])
    host = Host(session)
    host.welcome()
    session.act(Timer("start"))
    time[0] = 130.0
    assert session.elapsed == 30.0
    n, entry = host.sent[-1][0], Entry(host.seq + 1, 101.0, "other", "all", Show("black"))
    session.ordered(entry, 0, None)
    assert session.elapsed == 30.0
    session.ordered(Entry(host.seq + 2, session.done_at(n), "me", "all", Timer("start")), n, None)
    assert session.elapsed == 30.0 and session.settled
