"""`teachrun ctl`: a console without a screen, for scripts and other programs: one act, then it leaves."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tui.command_line.exit_codes import DONE, FAILED, INTERRUPTED
from tui.command_line.refusals import check_class, complain
from tui.rendering.escape_filter import dumps

if TYPE_CHECKING:
    from runtime.classroom.actions import ShowMode
    from tui.classroom.room import Room

ANSWER_WITHIN_S = 5.0
WITHIN_S = 30.0  # for a demo to run, or to end: a stage that is only warming takes its time

ACTIONS = {
    "next": "to the next step",
    "prev": "to the previous step",
    "goto": "to a slide: its number, id or title",
    "run": "start the demo of the slide, or its code",
    "stop": "end it, or the one running on another slide",
    "blank": "the room sees black",
    "white": "the room sees white",
    "freeze": "the room keeps what it sees",
    "live": "the room sees the class again",
    "status": "where the class stands, and nothing else",
}
SHOWN: dict[str, ShowMode] = {"blank": "black", "white": "white", "freeze": "frozen", "live": "live"}


class Failed(Exception):
    """It was not done; the text says why, for people."""


def configure(parser: argparse.ArgumentParser) -> None:
    what = ", ".join(f"{name} ({line})" for name, line in ACTIONS.items())
    parser.add_argument("action", metavar="ACTION", choices=tuple(ACTIONS), help=what)
    parser.add_argument("slide", nargs="*", metavar="SLIDE", help="for goto: 12, an id, or words of a title")
    parser.add_argument("--class", dest="class_id", metavar="ID", help="the class (default: the newest)")
    parser.add_argument("--json", action="store_true", help="the status afterwards as one JSON object")


def main(args: argparse.Namespace) -> int:
    """Exit status 0: done; 1: not done, or no class; 2: wrong usage."""
    from runtime import paths

    if problem := check_class(args.class_id):
        return complain(problem)
    slide = " ".join(args.slide).strip()
    if (args.action == "goto") != bool(slide) or (args.slide and not slide):
        return complain("goto takes a slide, and nothing else does: `teachrun ctl goto 12`")
    live = paths.live_classes()
    if args.class_id and args.class_id not in live:
        return _fail(f"class {args.class_id} is not running; `teachrun ps` shows what is")
    if not live:
        return _fail("no class is running. Start one with `teachrun present`")
    try:
        status = asyncio.run(errand(args.class_id or live[0], args.action, slide))
    except Failed as why:
        return _fail(str(why))
    except KeyboardInterrupt:
        return INTERRUPTED
    print(dumps(status) if args.json else in_words(status))
    return DONE


def _fail(why: str) -> int:
    return complain(why, FAILED)


async def errand(class_id: str, action: str, slide: str) -> dict[str, Any]:
    """Attach as a console, do it, wait until the host has ordered it; the status then. Raises `Failed`."""
    from runtime.host.client import Visitor
    from slides.reading.split import split
    from tui.classroom import host_link
    from tui.classroom.room import Room
    from tui.classroom.session import Session
    from tui.deck.contents import Contents, parse_received

    screen = host_link.new_screen_name()
    session = Session(Contents(split("", ""), parse_received), screen=screen)
    news = asyncio.Event()
    told: list[str] = []  # what only a person at the console would see

    def changed(what: str) -> None:
        told.append(what)
        news.set()

    room = Room(session, changed, joining=True)

    async def until(there: Callable[[], object], within_s: float, otherwise: str) -> None:
        loop = asyncio.get_running_loop()
        end = loop.time() + within_s
        while True:
            if room.refused or room.link_word == "lost":
                raise Failed(room.refused or "the host of the class was lost")
            if "locked" in told:
                raise Failed(f"{room.driver} drives this class alone; L there gives it back")
            if there():
                return
            news.clear()
            try:
                await asyncio.wait_for(news.wait(), max(0.0, end - loop.time()))
            except TimeoutError:
                raise Failed(otherwise) from None

    await room.open(lambda receive, word: Visitor(class_id, "console", screen, receive, word, "teachrun ctl"))
    try:
        # The host says who is attached after everything else that it tells a new screen.
        await until(lambda: room.seats, ANSWER_WITHIN_S, f"the host of class {class_id} does not answer")
        if action != "status":
            if not room.has_deck:
                raise Failed("no screen has given this class its deck yet")
            done = _do(room, action, slide)
            await until(done, WITHIN_S, f"{action} is not done yet; `teachrun ps` shows what runs")
            if refused := room.refusals.values():
                raise Failed(": ".join(next(iter(refused))))
        return status_of(room)
    finally:
        await room.close()


def _do(room: Room, action: str, slide: str) -> Callable[[], bool]:
    """What the key of that name does; the function tells whether it is done. Raises `Failed` where there is
    nothing to do."""
    from runtime.classroom.actions import Show

    session = room.session
    if action == "run":
        return _run(room)
    if action == "stop":
        return _stop(room)
    if action in SHOWN:
        if session.state.shown != SHOWN[action]:
            session.act(Show(SHOWN[action]))
        return lambda: session.settled
    if action == "goto":
        found = session.contents.search(slide)
        if not found:
            raise Failed(f"no slide {slide!r}; the talk has {len(session.contents.visible)}")
        session.go((found[0], 0))
    elif not (session.next() if action == "next" else session.previous()):
        raise Failed(f"there is nothing {'after' if action == 'next' else 'before'} this step")
    if not session.driving:  # a console that does not drive only looks around
        room.changed("locked")
    room.arrived()
    return lambda: session.settled


def _run(room: Room) -> Callable[[], bool]:
    from tui.classroom.runs.start_on_slide import start_code, start_demo, startable

    here = startable(room)
    if here.measuring:
        raise Failed("a prediction is measured by a console that stays: press d there")
    if here.code is not None:
        return start_code(room, here.code)
    if here.demo is None:
        raise Failed("no demo and no code that runs on this slide")
    if why := room.trouble(here.demo):
        raise Failed(why)
    return start_demo(room, here.demo)


def _stop(room: Room) -> Callable[[], bool]:
    demo, living = room.demo(), room.living()
    blocks = [demo.id] if demo is not None and demo.id in living else living
    if not blocks:
        raise Failed("nothing runs")
    for block in blocks:
        room.stop(block)
    return lambda: not any(room.alive(block) for block in blocks)


def status_of(room: Room) -> dict[str, Any]:
    """Where the class stands, without this visit. Names end in their unit; None is not known."""
    session = room.session
    state, contents, demo = session.state, session.contents, room.demo()
    known = room.has_deck
    snapshot = room.snapshot()
    current = room.answering.current()
    steps = [row.step for row in snapshot.rows if row.step is not None] if snapshot is not None else []
    shown_demo = demo and {
        "block": demo.id,
        "name": demo.name,
        "state": room.run_state(demo.id) or "not started",
        "step": min(steps, default=None),
        "steps": snapshot.steps if snapshot is not None else None,
    }
    question = current and {
        "id": current[0].id,
        "phase": current[1].phase,
        "answers": current[1].answered,
    }
    return {
        "class": room.class_id,
        "title": state.title,
        "slide": {
            "id": state.pos.slide,
            "number": contents.label(session.index) if known else None,
            "of": len(contents.visible) if known else None,
            "title": contents.heads[session.index].title if known else None,
        },
        "step": state.pos.step + 1,
        "steps": session.slide.steps if known else None,
        "timer": {
            "started": state.timer.started,
            "running": state.timer.running,
            "elapsed_s": round(session.elapsed, 1),
        },
        "shown": state.shown,
        "demo": shown_demo,
        "running": room.living(),
        "question": question,
        "attached": {"consoles": max(0, room.consoles - 1), "audiences": room.audiences},
        "lead": room.driver,
        "recording": state.recording,
    }


def in_words(status: dict[str, Any]) -> str:
    """The same on one line."""
    from slides.drawing.cells import clean
    from tui.figures.numbers import clock

    slide, timer, attached = status["slide"], status["timer"], status["attached"]
    said = [f"class {status['class']}"]
    if slide["number"] is None:
        said.append("no deck yet")
    else:
        said.append(f"slide {slide['number']}/{slide['of']} {slide['title']}".rstrip())
        said += [f"step {status['step']}/{status['steps']}"] if status["steps"] > 1 else []
    if timer["started"]:
        said.append(clock(timer["elapsed_s"]) + ("" if timer["running"] else " paused"))
    if status["shown"] != "live":
        said.append(f"room {status['shown']}")
    if demo := status["demo"]:
        at = "" if demo["step"] is None else f", step {demo['step']}"
        said.append(f"{demo['name']} {demo['state']}{at}")
    shown = demo["block"] if demo else ""
    if others := [block for block in status["running"] if block != shown]:
        said.append(f"runs {', '.join(others)}")
    if question := status["question"]:
        said.append(f"question {question['phase']}")
    said += [f"{status['lead']} drives"] if status["lead"] else []
    said += ["recording"] if status["recording"] else []
    said.append(f"consoles {attached['consoles']}, audience {attached['audiences']}")
    return clean(" · ".join(said))
