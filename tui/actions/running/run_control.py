"""What is done with a run while it runs: held, stepped, slowed, broken on purpose, looked into."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from runtime.protocol import link_speeds
from runtime.protocol.figures import Steering as Held
from runtime.protocol.link_speeds import in_words
from runtime.protocol.messages import Harm, Snapshot
from tui.actions.action_group import ActionGroup
from tui.classroom.runs.replay import SPEEDS
from tui.classroom.runs.start_on_slide import no_demo
from tui.figures import link_words, numbers
from tui.keys.table import key_of

if TYPE_CHECKING:
    from tui.screens.overlay import Overlay

PACES = {"1": 0.5, "2": 1.0, "3": 2.0, "0": 0.0}  # seconds a step
SOME = 5  # steps of a key
_STANDS_OUT = 3.0  # a slowdown of so many times what the ranks differ by anyway is seen


class Wish(NamedTuple):
    """A harm to do; `amount` as `messages.Break` has it."""

    harm: Harm
    amount: float
    text: str
    follows: str
    ranks: tuple[int, ...] = ()  # those it makes sense for; () all


class RunControlActions(ActionGroup):
    """Keys for a run that goes on: hold and pace, harms, X-ray."""

    # --- hold, step, pace -------------------------------------------------------------------------------

    async def steer(self) -> None:
        """Hold, single-step or slow the run; of a recorded one, its speed."""
        from tui.screens.run_menus import Bar

        painter, replay = self._screen.painter, self._screen.replay
        if replay.playback is not None:
            bar = Bar(painter, self._plays, self._speed_keys, self._play_key)
            bar.moot = lambda: replay.playback is None
            await self._screen.cover(bar)
        elif (snapshot := self._running("held")) is not None:
            await self._ask(Bar(painter, self._stands, self._steer_keys, self._steer_key), snapshot.block)

    def _held(self) -> Held:
        snapshot = self._room.snapshot()
        return (snapshot.steering if snapshot is not None else None) or Held()

    def _stands(self) -> str:
        held, snapshot = self._held(), self._room.snapshot()
        pace = f", a step takes {numbers.ms(held.pace_s)} at least" if held.pace_s else ""
        if snapshot is None or not self._room.alive(snapshot.block):
            return "the run has ended"
        if held.until is None:
            return "runs on its own" + (pace or ", as fast as it can")
        begun = min((row.step for row in snapshot.rows if row.step is not None), default=-1)
        word = "held" if begun >= held.until else "goes on, and will be held"
        where = f"after step {held.until}" if held.until >= 0 else "before the first step"
        return f"{word} {where}{pace}"

    def _steer_keys(self) -> Sequence[tuple[str, str]]:
        held = self._held()
        first = ("Enter", "one step") if held.held else ("Enter", "hold")
        go_on = (("P", "go on"),) if held.held else ()
        return (
            first,
            (str(SOME), f"{SOME} steps"),
            *go_on,
            ("1 2 3", "0.5, 1, 2 s a step"),
            ("0", "no pace"),
        )

    def _steer_key(self, key: str) -> bool:
        held = self._held()
        steps = None if held.until is None else 0
        if key in ("enter", "space"):
            self._room.of_run.steer(1 if held.held else 0, held.pace_s)
        elif key == str(SOME):
            self._room.of_run.steer(SOME, held.pace_s)
        elif key == "P":
            self._room.of_run.steer(None if held.held else 0, held.pace_s)
        elif key in PACES:
            self._room.of_run.steer(steps, PACES[key])
        else:
            return False
        return True

    # --- the links between nodes ------------------------------------------------------------------------

    async def link(self) -> None:
        """Set how fast the links between nodes are, while the run goes on."""
        from tui.screens.run_menus import Bar

        snapshot = self._running("given slower links")
        if snapshot is None:
            return
        if not snapshot.link:
            apart = len({row.node for row in snapshot.rows}) > 1
            why = "a real network cannot be slowed: simulate the nodes on this machine with nodes=2"
            none = f"this run has no link between nodes: {key_of('reveal')} and nodes=2 gives it one"
            self._screen.say(why if apart else none, "dim")
            return
        bar = Bar(self._screen.painter, self._speed, self._link_keys, self._link_key)
        await self._ask(bar, snapshot.block)

    def _speed(self) -> str:
        snapshot = self._room.snapshot()
        if snapshot is None or not self._room.alive(snapshot.block):
            return "the run has ended"
        size = f", {numbers.size(snapshot.crossing)} cross in a step" if snapshot.crossing is not None else ""
        return f"links between nodes: {link_words.held_to(snapshot)}{size}"

    def _link_keys(self) -> Sequence[tuple[str, str]]:
        speeds = " · ".join(in_words(speed) for speed in link_speeds.SPEEDS)
        return ((f"1 … {len(link_speeds.SPEEDS)}", speeds), ("< >", "slower, faster"))

    def _link_key(self, key: str) -> bool:
        names = list(link_speeds.SPEEDS)
        snapshot = self._room.snapshot()
        if snapshot is None or snapshot.link not in names:
            return False
        at = names.index(snapshot.link)
        if key in ("left", "less_than_sign", "right", "greater_than_sign"):
            at += 1 if key in ("left", "less_than_sign") else -1
            at = min(max(at, 0), len(names) - 1)
        elif key.isdecimal() and 1 <= int(key) <= len(names):
            at = int(key) - 1
        else:
            return False
        self._room.of_run.set_link(names[at])
        return True

    # --- a recorded run ---------------------------------------------------------------------------------

    def _plays(self) -> str:
        playback = self._screen.replay.playback
        if playback is None:
            return "nothing is played back any more"
        speed = f"at {playback.speed:g} times its speed" if playback.speed else "paused"
        return f"{numbers.clock(playback.at_s)} of {numbers.clock(playback.length_s)}, {speed}"

    def _speed_keys(self) -> Sequence[tuple[str, str]]:
        speeds = ("1 … 5", " ".join(f"{speed:g}×" for speed in SPEEDS))
        return (("Space", "pause, go on"), speeds, ("{ }", "back, on"))

    def _play_key(self, key: str) -> bool:
        replay = self._screen.replay
        if key in ("space", "enter", "P"):
            return replay.toggle()
        if key in ("right_curly_bracket", "right", "left_curly_bracket", "left"):
            return replay.scrub(1 if key.startswith("right") else -1)
        if key.isdecimal() and 1 <= int(key) <= len(SPEEDS):
            replay.pace(SPEEDS[int(key) - 1])
            return True
        return False

    # --- harm -------------------------------------------------------------------------------------------

    async def faults(self) -> None:
        """Ask which harm, then which rank, and do it."""
        from tui.screens.run_menus import Item, Menu
        from tui.views.parts import run_activity

        snapshot = self._running("broken")
        if snapshot is not None:
            say = self._room.session.say  # what it is called is what the lessons call it
            items = [Item(wish, wish.text, say(wish.follows)) for wish in wishes(snapshot)]
            noise = run_activity.noise_s(snapshot)
            differ = f"; their steps differ by {numbers.ms(noise)} anyway" if noise is not None else ""
            title = f"break a rank{differ}"
            await self._ask(Menu(self._screen.painter, title, items, self._chosen), snapshot.block)

    async def _ask(self, overlay: Overlay, block: str) -> None:
        """Ask about the live run of a block, for as long as it is one and is shown."""

        def over() -> bool:
            demo = self._room.demo()
            return demo is None or demo.id != block or not self._room.alive(block)

        overlay.moot = over
        await self._screen.cover(overlay)

    async def _chosen(self, wish: Wish) -> None:
        from tui.screens.run_menus import WhichRank

        snapshot = self._running("broken")
        if snapshot is None:
            return
        if snapshot.world == 1 or len(wish.ranks) == 1:
            self._room.of_run.harm(wish.ranks[0] if wish.ranks else 0, wish.harm, wish.amount)
            return
        picked = self._session.state.look.rank

        async def done(rank: int) -> None:
            self._room.of_run.harm(rank, wish.harm, wish.amount)

        usual = picked if picked is not None and picked < snapshot.world else None
        word = "" if usual is None else f"rank {usual}"
        asked = f"{wish.text}: which rank?"
        which = WhichRank(self._screen.painter, asked, snapshot.world, done, usual=usual, word=word)
        await self._ask(which, snapshot.block)

    # --- a look into it ---------------------------------------------------------------------------------

    def x_ray(self) -> None:
        """Of the next step, with the profiler; the class goes on watching."""
        if self._running("looked into") is not None:
            self._room.of_run.x_ray()
            self._screen.say("x-ray of a step: 3 shows it when it is ready", "dim")

    def _running(self, what: str) -> Snapshot | None:
        """The live run of this slide, or the word that there is none."""
        demo, snapshot = self._room.demo(), self._room.snapshot()
        if demo is None:
            self._screen.say(no_demo(self._room), "dim")
        elif snapshot is None or not self._room.alive(demo.id):
            self._screen.say(f"only a running demo can be {what}: {key_of('demo')} starts it", "dim")
        elif snapshot.comparison is not None or not (
            snapshot.badge.startswith("LIVE") or snapshot.badge == link_speeds.SIMULATED_LINK
        ):
            self._screen.say(f"this one cannot be {what}: its badge is {snapshot.badge}", "dim")
        else:
            return snapshot
        return None


class Slowdown(NamedTuple):
    """Milliseconds a step, and what that is beside the step as it was measured."""

    ms: float
    text: str


def wishes(snapshot: Snapshot) -> list[Wish]:
    """What makes sense with this run; its mends last, so that a harm keeps its digit."""
    others = snapshot.world > 1
    waits = "the others wait for it in every step" if others else "every step takes longer"
    stops = "the others wait in their next collective" if others else "nothing happens any more"
    dies = "the run fails, or comes back from a checkpoint"
    found = [
        *(Wish("slow", by.ms, by.text, waits) for by in slowdowns(snapshot)),
        Wish("stop", 0, "stop it (SIGSTOP)", stops),
        Wish("kill", 0, "kill it (SIGKILL)", dies),
        Wish("seed", 0, "another seed", "its parameters start from other values: checksums differ"),
        Wish("oom", 0, "out of memory", "an allocation is refused: an error in its log"),
    ]
    if others:
        found.append(Wish("desync", 0, "skip a collective", "ranks pair up wrongly: a hang or wrong sums"))
    if _writes(snapshot):
        found.append(Wish("disk", 0, "disk full", "no file over 64 KiB: its checkpoint fails"))
    slowed, stopped = (_with(snapshot, harm) for harm in ("slowed", "stopped"))
    if stopped:
        found.append(Wish("go on", 0, "let it go on (SIGCONT)", "it joins the others' collective", stopped))
    if slowed:
        found.append(Wish("slow", 0, "no longer slow", "as fast as the others again", slowed))
    return found


def slowdowns(snapshot: Snapshot) -> list[Slowdown]:
    """Two that stand out: half a step and two, or more where the ranks differ by much anyway."""
    from runtime.supervision.steering.injected_faults import LONGEST_MS
    from tui.views.parts import run_activity

    known = [row.step_s for row in snapshot.rows if row.step_s]
    if not known:
        return [Slowdown(50.0, "slow it by 50 ms a step"), Slowdown(200.0, "slow it by 200 ms a step")]
    step_ms, noise_ms = 1000 * median(known), 1000 * (run_activity.noise_s(snapshot) or 0.0)
    half = max(step_ms / 2, _STANDS_OUT * noise_ms)
    found = []
    for wanted in (half, max(2 * step_ms, 2 * half)):
        ms = min(LONGEST_MS, max(1.0, float(f"{wanted:.2g}")))
        found.append(Slowdown(ms, f"slow it {1 + ms / step_ms:.2g} times (+{ms:g} ms)"))
    return found


def _with(snapshot: Snapshot, harm: str) -> tuple[int, ...]:
    return tuple(row.rank for row in snapshot.rows if harm in row.harm)


def _writes(snapshot: Snapshot) -> bool:
    """Whether it writes checkpoints, as far as its parameters tell; of a script nobody knows."""
    from runtime.catalog import registry

    spec = registry.find(snapshot.demo)
    return spec is None or any("checkpoint" in f"{param.name} {param.help}" for param in spec.params)
