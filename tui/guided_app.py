"""The guided triage: which step the strip on every screen tells, and the keys that lead from one to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.i18n import _
from tui.judged_app import JudgedApp

if TYPE_CHECKING:
    from tui.guide import GuideStep
    from tui.model.timeline import Timeline
    from widgets.glyphs import GlyphSet


class GuidedApp(JudgedApp, inherit_bindings=False):
    """The place in the guide. What a key does is never changed by it."""

    glyphs: GlyphSet

    def __init__(self, ansi_color: bool | None = None) -> None:
        super().__init__(ansi_color=ansi_color)
        self.guide_at = -1
        """Place of the step shown; −1 while there is no guide."""
        self._iterations_of: tuple[Timeline | None, bool] = (None, False)
        """Whether a timeline marks several iterations, remembered for the last one."""

    @property
    def guide(self) -> tuple[GuideStep, ...]:
        """The steps as they are now; none before anything is read, or without a guide."""
        if self.guide_at < 0 or self.overview is None:
            return ()
        from tui.guide import Triage, guide_steps

        session, others = self.session, self.others
        within = session.within.text if session is not None and session.within is not None else ""
        comparison = others.compared.comparison if others.compared is not None else None
        known = Triage(
            self.overview, self.findings, self._has_iterations, within, comparison, others.dumps,
            self.glyphs.name,  # type: ignore[arg-type]
        )  # fmt: skip
        return guide_steps(known)

    @property
    def _has_iterations(self) -> bool:
        timeline = self.timeline.timeline if self.timeline is not None else None
        if timeline is not None and timeline is not self._iterations_of[0]:
            from tui.model.steps import steps_of

            self._iterations_of = (timeline, len(steps_of(timeline)) > 1)
        return timeline is not None and self._iterations_of[1]

    def command_guide(self, text: str) -> str:
        """Begins the guide, goes on to the next step, back, to a step by its number, or ends it."""
        from tui.guide import STEP_NAMES

        last = len(STEP_NAMES) - 1
        if text == "off" or (not text and self.guide_at == last):
            self._guide_to(-1)
        elif text == "back":
            self._guide_to(max(self.guide_at - 1, 0))
        elif text.isdecimal() and 1 <= int(text) <= last + 1:
            self._guide_to(int(text) - 1)
        elif text:
            return _("one of {names}").format(names=f"1-{last + 1} back off")
        else:
            self._begin_or_go_on()
        return ""

    def command_iter(self, text: str) -> str:
        """Looks only at some iterations; without a text asks which ones. Returns why it cannot, or empty."""
        problem = super().command_iter(text)
        if not problem:
            self.did(":iter")
        return problem

    def _begin_or_go_on(self) -> None:
        if self.guide_at < 0:
            self.go("1")
        self._guide_to(self.guide_at + 1)

    def _guide_to(self, place: int) -> None:
        self.guide_at = place
        self._tell_frames(lambda frame: frame.guide_changed())

    def did(self, what: str) -> None:
        """A key or command was used: the guide goes on where that is what its next step says.

        Args:
            what: Digit of a screen, a command such as `:iter`, or the id of an action.
        """
        steps = self.guide
        following = self.guide_at + 1
        if steps and following < len(steps) and what in steps[following].keys:
            self._guide_to(following)
