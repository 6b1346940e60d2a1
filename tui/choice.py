"""What is looked at of a path: a profile, a device, iterations, a part of the time. Nothing is read for it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tui.errors import BadExpression
from tui.i18n import _
from tui.model.iterations import StepScope
from tui.model.sources import Device, Profile, Sources
from tui.model.window import window_of

if TYPE_CHECKING:
    from tui.readers.timelines import TimelineRequest


class Choice:
    """One open path, and what of it is looked at."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.device = ""
        """Device that tables are limited to; empty takes all."""
        self.iteration = ""
        """Iterations exported as files of their own, as `parse_steps` reads them; empty takes the first."""
        self.within: StepScope | None = None
        """Iterations that everything is limited to, where they share files; None takes the whole run."""
        self.window: tuple[int, int] | None = None
        """(start, end) of the part of the time that the timeline is read of, ns; None reads all of it."""
        self.takes_any_size = False
        """Whether the timeline is to be read however large it is."""
        self._sources: Sources | None = None
        self._chosen = 0

    @property
    def sources(self) -> Sources:
        """Everything found at the path.

        Raises:
            NotAProfile: nothing there is known.
        """
        if self._sources is None:
            from tui.readers.discover import discover

            self._sources = discover(self.path)
        return self._sources

    @property
    def profiles(self) -> tuple[Profile, ...]:
        """The profiles at the path, best first."""
        return self.sources.profiles

    @property
    def profile(self) -> Profile:
        """The chosen profile."""
        return self.profiles[self._chosen]

    @property
    def profile_index(self) -> int:
        """Place of the chosen profile among `profiles`."""
        return self._chosen

    def choose(self, profile: int | None = None, device: str | None = None, iteration: str | None = None) -> None:
        """Changes what is looked at; None keeps. Tables are read again when asked for."""
        if profile is not None and profile != self._chosen:
            self._chosen = min(max(0, profile), len(self.profiles) - 1)
            self.device, self.iteration, self.within, self.window = "", "", None, None
        self.device = self.device if device is None else device
        self.iteration = self.iteration if iteration is None else iteration
        self.forget()

    def forget(self) -> None:
        """Drops what was read of what was looked at before."""

    def has_files_of(self, other: Choice) -> bool:
        """Whether both look at the same files, if not at the same part of them."""
        mine, others = ((one._chosen, one.device, one.iteration, one.window) for one in (self, other))
        return mine == others

    def narrow(self, device: str = "", window: str = "") -> None:
        """Looks at one device, and reads only a part of the time of the timeline, as they are typed.

        Args:
            window: `FROM..TO` since the start of the timeline, or absolute after `@`; empty reads all of it.

        Raises:
            BadExpression: there is no such device, or the window cannot be read.
        """
        known = [entry.id for entry in self.profile.devices]
        if device and device not in known:
            text = _("no device {device}; there is {known}")
            raise BadExpression(text.format(device=device, known=", ".join(known) or _("none")))
        self.choose(device=device)
        self.takes_any_size = bool(device or window)
        if window:
            from tui.readers.trace_glance import glance

            self.window = window_of(window, glance(self.timeline_request()).start_ns)

    @property
    def target(self) -> str:
        """The path that a command takes to open the chosen profile: of several, the profile's own."""
        return str(self.path if self._chosen == 0 else self.profile.root)

    @property
    def scope_options(self) -> tuple[str, ...]:
        """The options by which a command looks at the same part."""
        chosen = (
            ("--device", self.device),
            ("--iter", self.iteration if self.within is None else self.within.text),
            ("--window", "@{}..@{}".format(*self.window) if self.window else ""),
        )
        return tuple(word for name, value in chosen if value for word in (name, value))

    def timeline_request(self) -> TimelineRequest:
        """What the timeline of the chosen device, iteration and part of the time is imported from.

        Raises:
            NoSuchTable: the profile has none.
        """
        from tui.readers.timelines import timeline_request

        request = timeline_request(self.profile, self.device, self.iteration)
        start_ns, end_ns = self.window or (None, None)
        return replace(request, start_ns=start_ns, end_ns=end_ns)

    def facts(self) -> tuple[str, ...]:
        """Short facts for the title: device and chip, CANN version, iteration; what is not known is left out."""
        version = self.profile.environment.cann_version
        iterations = self.iterations_text
        facts = (
            self._device_fact(),
            f"CANN {version}" if version else "",
            _("iter {number}").format(number=iterations) if iterations else "",
        )
        return tuple(fact for fact in facts if fact)

    @property
    def iterations_text(self) -> str:
        """The iterations looked at; empty for the whole run."""
        exported = self.profile.iterations
        return self.within.text if self.within is not None else self.iteration or (exported[0] if exported else "")

    def _device_fact(self) -> str:
        devices = self.profile.devices
        chosen = [device for device in devices if device.id == self.device] or list(devices)
        if len(chosen) > 1:
            chips = {device.chip for device in chosen if device.chip}
            return _("{count} NPUs {chip}").format(count=len(chosen), chip=", ".join(sorted(chips))).strip()
        return f"npu{chosen[0].id} {chosen[0].chip}".strip() if chosen else ""

    def device_of(self, device_id: str) -> Device | None:
        """What is known of one device; the only one of the profile where rows name none."""
        devices = self.profile.devices
        if not device_id and len(devices) == 1:
            return devices[0]
        return next((device for device in devices if device.id == device_id), None)
