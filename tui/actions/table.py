"""Which method does which action of `tui.keys.table`: a row there has its line here."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial

from tui.actions.groups import Actions

Handler = Callable[[], Awaitable[None] | None]

NO_KEY = ("edit",)  # done by another action, `reveal`, where its slide has a demo


def handlers(of: Actions) -> dict[str, Handler]:
    """What is done at a screen, by the names of the key table; sync or async."""
    return {
        "next_step": of.navigation.next_step,
        "previous_step": of.navigation.previous_step,
        "down": of.navigation.down,
        "up": of.navigation.up,
        "next_slide": of.navigation.next_slide,
        "previous_slide": of.navigation.previous_slide,
        "first_slide": of.navigation.first_slide,
        "last_slide": of.navigation.last_slide,
        "scrub_forward": of.navigation.scrub_forward,
        "scrub_back": of.navigation.scrub_back,
        "go_to": of.search.go_to,
        "overview": of.search.overview,
        "search": of.search.search,
        "history": of.search.history,
        "bookmark": of.search.bookmark,
        "next_question": of.search.next_question,
        "links": of.links.links,
        "play": of.playback.play,
        "narrate": of.playback.narrate,
        "blank": of.audience.blank,
        "white": of.audience.white,
        "freeze": of.audience.freeze,
        "spotlight": of.pointing.spotlight,
        "pen": of.pointing.pen,
        "cell_left": of.pointing.cell_left,
        "cell_right": of.pointing.cell_right,
        "timer": of.clock.timer,
        "reset_timer": of.clock.reset_timer,
        "end_time": of.clock.end_time,
        "drop": of.clock.drop,
        "start_talk": of.clock.start_talk,
        "lead": of.co_teaching.lead,
        "attached": of.co_teaching.attached,
        "record": of.recording.record,
        "demo": of.demo.demo,
        "restart_demo": of.demo.restart_demo,
        "edit": of.demo.edit,
        "recall": of.demo.recall,
        "panel": of.demo.panel,
        **{f"digit({n})": partial(of.demo.digit, n) for n in range(10)},
        "views": of.demo.views,
        "rank": of.demo.rank,
        "run_code": of.code.run_code,
        "next_code": of.code.next_code,
        "copy_code": of.code.copy_code,
        "steer": of.run_control.steer,
        "faults": of.run_control.faults,
        "x_ray": of.run_control.x_ray,
        "reveal": of.question.reveal,
        "answer": of.question.answer,
        "hands": of.question.hands,
        "hint": of.question.hint,
        "again": of.question.again,
        "undo": of.question.undo,
        "layout": of.audience.layout,
        "notes_larger": of.audience.notes_larger,
        "notes_smaller": of.audience.notes_smaller,
        "notes_down": of.audience.notes_down,
        "notes_up": of.audience.notes_up,
        "theme": of.appearance.theme,
        "text_size": of.appearance.text_size,
        "transition": of.appearance.transition,
        "full_screen": of.appearance.full_screen,
        "reload": of.deck_editing.reload,
        "edit_deck": of.deck_editing.edit_deck,
        "palette": of.audience.palette,
        "help": of.audience.help,
        "close": of.audience.close,
        "quit": of.leave.quit,
        "interrupt": of.leave.interrupt,
    }
