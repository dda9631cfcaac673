"""What would go wrong in a class that shows this deck, found without running anything: what `check` says.

Problems fail a check; notes (`unrecorded`, `unmeasured`) are only told.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from runtime.catalog.params import Refusal
    from slides.deck import Deck, Demo, Slide
    from slides.problems import Problem
    from slides.screen_size import Size
    from tui.deck.contents import Contents
    from tui.rendering.pages.offscreen import Offscreen


def examine(contents: Contents, size: Size) -> list[Problem]:
    """All problems of a deck that show without running anything."""
    from slides.check import reading
    from tui.rendering.pages.offscreen import Offscreen

    slides = [contents.slide(n) for n in range(len(contents))]
    still = Offscreen(contents)
    found = reading(contents.deck, slides)
    for slide in slides:
        found += questions(still, slide.index)
        found += unrunnable(contents, slide.index)
        found += undrawn(contents, slide)
        found += uncomputed(contents, slide)
        found += uncharted(contents, slide)
        found += unpractised(contents, slide)
        found += [p for demo in contents.demos(slide.index) if (p := refused(still, demo)) is not None]
        found += fit(still, slide.index, size)
    return found


def unrunnable(contents: Contents, index: int) -> Iterator[Problem]:
    """Code blocks and terminals that nothing on this machine runs."""
    from runtime.catalog.params import Refusal
    from runtime.snippets import terminal
    from runtime.snippets.language_commands import choice, executor
    from slides.problems import Problem

    for block in contents.snippets(index):
        runs = terminal.command(block.source) if block.terminal else executor(block.lang)
        asked = runs if block.terminal else choice(block.lang)
        refused = next((one for one in (runs, asked) if isinstance(one, Refusal)), None)
        if refused is not None:
            file = block.file or contents.deck.path
            yield Problem(file, block.line, refused.why, f"{refused.mend[0].upper()}{refused.mend[1:]}.")


def replaced(contents: Contents) -> Iterator[Problem]:
    """Which program runs a block in place of one before it on the PATH that runs nothing: a note."""
    from runtime.catalog.params import Refusal
    from runtime.snippets.language_commands import choice
    from slides.problems import Problem

    told = set()
    for block in (block for index in range(len(contents)) for block in contents.snippets(index)):
        found = None if block.terminal else choice(block.lang)
        if found is None or isinstance(found, Refusal) or found.runs is None:
            continue
        for broken in found.passed_over:
            if broken.path not in told:
                told.add(broken.path)
                what = f"{broken.path} does not work ({broken.trouble})"
                runs = f"{found.runs.path} {found.runs.version}".strip()
                yield Problem(block.file or contents.deck.path, block.line, what, f"{runs} runs it instead.")


def uncomputed(contents: Contents, slide: Slide) -> Iterator[Problem]:
    """Estimates whose words do not go together."""
    from slides.deck import Estimate
    from slides.reading_order import blocks

    for block in blocks(slide.blocks):
        if isinstance(block, Estimate):
            from tui.views.blocks.estimate import trouble

            if (problem := trouble(block, contents.deck.path)) is not None:
                yield problem


def uncharted(contents: Contents, slide: Slide) -> Iterator[Problem]:
    """Charts of a run that no demo makes."""
    from slides.deck import Chart
    from slides.problems import Problem
    from slides.reading_order import blocks

    for block in blocks(slide.blocks):
        if isinstance(block, Chart) and block.run:
            from tui.classroom.runs import run_charts

            if (why := run_charts.trouble(block, contents, slide.index)) is not None:
                yield Problem(block.file or contents.deck.path, block.line, why.message, why.mend)


def unpractised(contents: Contents, slide: Slide) -> Iterator[Problem]:
    """Exercises that there are not."""
    from slides.deck import Exercise
    from slides.reading_order import blocks

    for block in blocks(slide.blocks):
        if isinstance(block, Exercise):
            from tui.views.blocks.exercise import trouble

            if (problem := trouble(block, contents.deck.path)) is not None:
                yield problem


def undrawn(contents: Contents, slide: Slide) -> Iterator[Problem]:
    """Pictures that will be a box with their words, where what decodes them is missing."""
    from slides import deck, reading_order
    from slides.drawing.blocks import image
    from slides.problems import Problem

    if image.available():
        return
    for block in reading_order.blocks(slide.blocks):
        parts = reading_order.inlines(block)
        made = isinstance(block, deck.Code) and block.gives == "picture"
        if made or isinstance(block, deck.Image) or any(part.image for part in parts):
            file = block.file or contents.deck.path
            yield Problem(
                file, block.line, "this picture will be a box with its description", image.no_pillow()
            )


def unrun(contents: Contents) -> list[Problem]:
    """Scenes by Python files that have not run, since nobody has agreed to them: notes."""
    from slides.drawing.cells import clean
    from slides.problems import Problem
    from tui.deck import scene_files

    mend = "Agree to it when the deck is opened, or: teachrun check --run --trust"
    why = "was not run, so its steps were not looked at"
    found = scene_files.not_run(contents)
    return [Problem(contents.deck.path, line, f"{clean(file)} {why}", mend) for line, file in found]


def unrecorded(contents: Contents) -> list[Problem]:
    """Demos for which `s` has no run of their parameters to show: notes, for the deck itself is right."""
    from runtime.catalog import registry, scripts
    from runtime.recordings import files, run_choice
    from slides.problems import Problem
    from tui.classroom.runs import demo_requests

    notes = []
    for slide in contents.deck.slides:
        for demo in contents.demos(slide.index):
            asked = demo_requests.asked(demo)
            if scripts.is_script(demo.name) or not isinstance(
                registry.check(demo.name, asked), registry.Launchable
            ):
                continue
            try:
                differs = run_choice.fitting(demo.name, asked).differs
                why = f"s would show a run with {', '.join(differs)}" if run_choice.distance(differs) else ""
            except (files.Unreadable, OSError) as error:
                why = f"s would show nothing: {error}"
            if why:
                line = " ".join((demo.name, *(f"{key}={value}" for key, value in asked.items())))
                mend = f"Run it here once, every run is recorded: teachrun run {line}"
                notes.append(Problem(demo.file or contents.deck.path, demo.line, why, mend))
    return notes


def unmeasured(contents: Contents) -> list[Problem]:
    """Predictions whose answers will be neither right nor wrong, for one run says nothing of how much it
    varies: notes, for a class may want no more."""
    from slides.problems import Problem
    from tui.classroom.answering.prediction import FIGURES, Prediction, predicted
    from tui.deck import question_of_block

    notes = []
    for quiz in (quiz for index in range(len(contents)) for quiz in contents.quizzes(index)):
        plan = predicted(contents, quiz) if quiz.directive == "predict" else None
        if not isinstance(plan, Prediction) or plan.runs > 1 or FIGURES.get(plan.figure) == "B":
            continue
        question = question_of_block.question(quiz)
        if question is not None and not question.keyed:
            what = "one run does not say how much it varies, so no answer will be right or wrong"
            notes.append(Problem(quiz.file or contents.deck.path, quiz.line, what, "Write `runs=3`."))
    return notes


def questions(still: Offscreen, index: int) -> Iterator[Problem]:
    """Questions that cannot be asked, and words on their line that mean nothing."""
    from quiz.parse import ATTRIBUTES
    from slides.problems import Problem, did_you_mean, quoted
    from tui.classroom.answering.prediction import ATTRIBUTES as MEASURED

    for quiz in still.contents.quizzes(index):
        file = quiz.file or still.contents.deck.path
        known = (*ATTRIBUTES, *(MEASURED if quiz.directive == "predict" else ()))
        for word in quiz.attrs.keys() - set(known):
            near = did_you_mean(word, known)
            mend = f"Did you mean {quoted(near)}?" if near else f"Known are {', '.join(known)}."
            message = f"{quoted(word)} means nothing to a question"
            yield Problem(file, quiz.line, message, mend)
        parsed = still.room.answering.parsed(quiz)
        for trouble in parsed if isinstance(parsed, tuple) else ():
            yield Problem(file, trouble.line, trouble.message, _sentence(trouble.mend))


def refused(still: Offscreen, demo: Demo) -> Problem | None:
    """Why a demo block cannot be started as it is written."""
    from runtime.catalog.registry import Refusal
    from runtime.host.blocks.comparison import check
    from slides.problems import Problem
    from tui.classroom.runs import demo_requests

    asked = _unseen(demo) or check(demo.name, demo_requests.asked(demo), still.folder)
    if not isinstance(asked, Refusal):
        return None
    deck = still.contents.deck
    column = None if demo.file else _column(deck, demo, asked.why)
    return Problem(demo.file or deck.path, demo.line, asked.why, _sentence(asked.mend), column)


def _unseen(demo: Demo) -> Refusal | None:
    """Why it cannot be looked at as it is written: it names a view that there is not."""
    from runtime.catalog.params import Refusal
    from tui.views import registry

    name = demo.params.get("view", "")
    known = [view.name for view in registry.every()] if name else [""]
    if name in known:
        return None
    mend = (
        f"write view= one of: {', '.join(known)}; a parameter of the run's own that is called so is run.view="
    )
    return Refusal(f"no view is called {name}", mend)


def _column(deck: Deck, demo: Demo, why: str) -> int | None:
    """Where on its line the word stands that the refusal is about, if it names one that stands there."""
    line = deck.source.split("\n")[demo.line - 1 : demo.line] if not deck.places else []
    words = [key for key in (*demo.params, demo.name) if key in why.split() or f"{key}=" in why]
    at = line[0].find(words[0]) if line and words else -1
    return at + 1 if at >= 0 else None


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text[-1:] in ".?!" else ".")


def fit(still: Offscreen, index: int, size: Size) -> Iterator[Problem]:
    """What of a slide does not fit a terminal of this size."""
    from slides.deck import Code, Scene
    from slides.overflow import overflow, unnamed, wrapped
    from slides.reading_order import blocks

    deck, slide = still.contents.deck, still.contents.slide(index)
    problem = overflow(deck, slide, still.pages(index, size), size)
    if problem is not None:
        yield problem
    for block, cells in still.widths(index, size):
        if isinstance(block, Code) and (problem := wrapped(deck, block, cells)) is not None:
            yield problem
    if any(isinstance(block, Scene) for block in blocks(slide.blocks)):
        said: dict[tuple[str, int], Problem] = {}  # of a scene the first step that loses names
        for place in still.pictures_of_scenes(index, size):
            problem = unnamed(deck, place.block, place.step, (place.columns, place.rows), size)
            if problem is not None:
                said.setdefault((problem.file, problem.line), problem)
        yield from said.values()
