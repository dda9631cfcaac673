"""All that can be done at one screen, by idea, each in a file of its name: `actions.demo.restart_demo()`."""

from __future__ import annotations

from typing import Protocol

from tui.actions.moving.camera import CameraActions
from tui.actions.moving.links import LinkActions
from tui.actions.moving.mouse import MouseActions
from tui.actions.moving.navigation import NavigationActions
from tui.actions.moving.next_question import NextQuestionActions
from tui.actions.moving.playback import PlaybackActions
from tui.actions.moving.search import SearchActions
from tui.actions.running.code import CodeActions
from tui.actions.running.demo import DemoActions
from tui.actions.running.exercise import ExerciseActions
from tui.actions.running.machines import MachineActions
from tui.actions.running.number_keys import NumberActions
from tui.actions.running.run_control import RunControlActions
from tui.actions.showing.appearance import AppearanceActions
from tui.actions.showing.pointing import PointingActions
from tui.actions.showing.preferences import PreferenceActions, PreferenceContext
from tui.actions.showing.recording import RecordingActions
from tui.actions.teaching.answers_so_far import AnswersSoFarActions
from tui.actions.teaching.audience import AudienceActions
from tui.actions.teaching.clock import ClockActions
from tui.actions.teaching.co_teaching import CoTeachingActions
from tui.actions.teaching.deck_editing import DeckEditingActions, EditingContext
from tui.actions.teaching.leave import LeaveActions
from tui.actions.teaching.phones import PhoneActions
from tui.actions.teaching.question_keys import QuestionActions


class ActionContext(EditingContext, PreferenceContext, Protocol):
    """The screen as all groups together need it."""


class Actions:
    """The groups of one screen. One that needs another is given it; none knows the app."""

    def __init__(self, screen: ActionContext) -> None:
        self._screen = screen
        self.code = CodeActions(screen)
        self.navigation = self._navigation(self.code)
        self.question = self._questions()
        self.answers_so_far = AnswersSoFarActions(screen)
        self.demo = DemoActions(screen, self.code)
        self.number = NumberActions(screen, self.question, self.demo)
        self.exercise = ExerciseActions(screen)
        self.pointing = PointingActions(screen)
        self.camera = CameraActions(screen)
        self.run_control = RunControlActions(screen)
        self.machines = MachineActions(screen)
        self.playback = PlaybackActions(screen)
        self.next_question = NextQuestionActions(screen)
        self.search = SearchActions(screen)
        self.links = LinkActions(screen)
        self.appearance = AppearanceActions(screen)
        self.phones = PhoneActions(screen)
        self.audience = AudienceActions(screen, self.appearance, self.demo, self.phones)
        self.clock = ClockActions(screen)
        self.co_teaching = CoTeachingActions(screen)
        self.recording = RecordingActions(screen)
        self.preferences = PreferenceActions(screen, self.appearance)
        self.deck_editing = self._deck_editing()
        self.leave = self._leave()
        self.mouse = MouseActions(screen, self.pointing, self.links, self.code, self.demo, self.number)

    # Groups that are others where somebody studies alone (`tui.actions.teaching.study`).

    def _navigation(self, code: CodeActions) -> NavigationActions:
        return NavigationActions(self._screen, code)

    def _questions(self) -> QuestionActions:
        return QuestionActions(self._screen)

    def _deck_editing(self) -> DeckEditingActions:
        return DeckEditingActions(self._screen)

    def _leave(self) -> LeaveActions:
        return LeaveActions(self._screen)
