"""The events of a run: contacts, pushes, hands, effort limits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
import numpy as np

from ..bimanual.planner import STOPPED
from ..collision.isolation import Hit
from ..collision.load import Load
from ..core.values import Contact, ContactNature
from ..loop.step_record import StepRecord
from ..scenario.scenario import Scenario
from .log import LogReader
from .metrics import DIFFERENCES, difference

RESIDUAL_WINDOW = 0.1
"""Time before and after a contact in which residuals are compared [s]."""
TIME_DECIMALS = 9
"""Decimals of times: without the rounding of a number of periods [s]."""
DISTURBANCES = ('push_start', 'contact', 'collision', 'stop')
"""Kinds of events after which an internal force settles anew."""
SETTLING = 0.5
"""Time in which an internal force settles after a disturbance: what is later is noise [s]."""
CAUSES = ('push_start', 'contact')
"""Kinds of events that come before those of the same time, which may follow from them."""
END_WINDOW = 0.5
"""Time at the end of a run over which the remaining contact force is averaged [s]."""


class Located(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Location of a contact, for files and messages.

    :ivar point: in the world [m]; none where it does not follow from the torques.
    :ivar force: on the robot there, in the world [N].
    """

    link: str
    probability: float
    point: tuple[float, float, float] | None = None
    force: tuple[float, float, float] | None = None


def described(hit: Hit | None) -> Located | None:
    """Return the location of a hit: link, and where they are observable, point and force."""
    if hit is None:
        return None
    if not hit.observable or hit.point is None or hit.force is None:
        return Located(hit.link, hit.probability)
    return Located(hit.link, hit.probability, tuple(hit.point.tolist()), tuple(hit.force.tolist()))


def halt_reason(event: Mapping[str, Any]) -> str | None:
    """Return why two hands stop; ``None`` if the event is another."""
    doing = str(event['doing']) if event['kind'] == 'task' else ''
    stopped, colon, why = doing.partition(': ')
    return why if colon and stopped == STOPPED else None


def halt_step(events: Iterable[Mapping[str, Any]], period: float) -> int | None:
    """Return the step in which two hands begin to stop, from the events of a summary."""
    times = (float(event['time']) for event in events if halt_reason(event) is not None)
    first = next(times, None)
    return None if first is None else round(first / period)


def is_disturbed(events: Iterable[Mapping[str, Any]], start: float, end: float) -> bool:
    """Return whether something acted on the robot between two times [s]."""
    return any(e['kind'] in DISTURBANCES and start < e['time'] <= end for e in events)


def follows_disturbance(events: Iterable[Mapping[str, Any]], time: float) -> bool:
    """Return whether a disturbance, or the end of one, was just before a time [s]."""
    kinds = (*DISTURBANCES, 'push_end', 'contact_end')
    return any(e['kind'] in kinds and 0.0 <= time - float(e['time']) <= SETTLING for e in events)


class EventRecorder:
    """Collects events while the loop runs; times are the ends of steps.

    :ivar limited_steps: number of steps in which an effort limit was applied.
    :ivar halted: step in which two hands began to stop; none if they did not.
    """

    def __init__(self, scenario: Scenario):
        self._period = scenario.period
        self._obstacles = bool(scenario.plant_in_world.obstacles)
        self._events: list[dict[str, Any]] = []
        self.limited_steps = 0
        self._touching: set[tuple[str, str]] = set()
        self._first_contact: int | None = None
        self._forces: list[float] = []
        self._end_steps = max(1, round(END_WINDOW / scenario.period))
        self._force_max = 0.0
        self._collision: ContactNature = 'none'
        self._doing = self._doubt = ''
        self.halted: int | None = None
        self._planned: list[dict[str, Any]] = [
            {'time': round(time, TIME_DECIMALS), 'kind': kind, 'link': push.link}
            for push in scenario.plant.pushes
            for time, kind in (
                (push.start, 'push_start'),
                (push.start + push.duration, 'push_end'),
            )
        ] + [
            {'time': time, 'kind': kind, 'link': hand.link}
            for hand in scenario.plant.hands
            for time, kind in ((hand.start, 'hand_start'), (hand.end, 'hand_end'))
            if time is not None
        ]

    def add(self, step: int, kind: str, **details: Any) -> None:
        """Add an event at the end of a step."""
        time = round((step + 1) * self._period, TIME_DECIMALS)
        self._events.append({'time': time, 'kind': kind, **details})

    def take(self, record: StepRecord) -> None:
        """Add the events of a step."""
        step = record.index
        if record.planner is not None:
            self.task(step, record.planner.activity)
        monitor = record.monitor
        if monitor is not None:
            self.collision(step, monitor.kind, monitor.reading.margin, described(monitor.hit))
            self.monitor(step, monitor.load, monitor.reading.doubt)
        if record.command.saturated:
            self.saturation(step)
        if self._obstacles:
            self.contacts(step, record.plant.contacts)

    def saturation(self, step: int) -> None:
        """Count a step with an effort limit; the first is an event."""
        if not self.limited_steps:
            self.add(step, 'effort_limit')
        self.limited_steps += 1

    def contacts(self, step: int, contacts: tuple[Contact, ...]) -> None:
        """Take the contacts after a step; a new pair and a parted one are events."""
        now = {(contact.link, contact.obstacle) for contact in contacts}
        force = sum(contact.force for contact in contacts)
        for pair in sorted(now - self._touching):
            self.add(step, 'contact', link=pair[0], obstacle=pair[1], force=force)
        for pair in sorted(self._touching - now):
            self.add(step, 'contact_end', link=pair[0], obstacle=pair[1])
        if now and self._first_contact is None:
            self._first_contact = step
        self._touching = now
        self._force_max = max(self._force_max, force)
        self._forces.append(force)
        if len(self._forces) > 2 * self._end_steps:
            del self._forces[: self._end_steps]

    def task(self, step: int, doing: str) -> None:
        """Take the activity of two hands; a change is an event."""
        if doing != self._doing:
            self._doing = doing
            if doing.startswith(STOPPED) and self.halted is None:
                self.halted = step
            self.add(step - 1, 'task', doing=doing)

    def collision(
        self, step: int, kind: ContactNature, margin: float, located: Located | None
    ) -> None:
        """Take the output of the monitor; begin, nature, location and end of a contact are events.

        :param located: in the step in which the contact was located.
        """
        if kind != self._collision:
            if kind == 'none':
                self.add(step, 'collision_end')
            else:
                self.add(step, 'collision', nature=kind, margin=margin)
            self._collision = kind
        if located is not None:
            self.add(step, 'collision_located', **msgspec.to_builtins(located))

    def monitor(self, step: int, load: Load | None, doubt: str) -> None:
        """Take what a monitor that adapts found: a load, and whether it trusts itself."""
        if load is not None:
            found = {'tip': load.tip, 'mass': round(load.mass, 4), 'taken': load.taken}
            self.add(step, 'load', **found, centre=[round(x, 4) for x in load.centre])
        if doubt != self._doubt:
            self._doubt = doubt
            self.add(step, 'monitor', doubt=doubt)

    def events(self, end: float) -> list[dict[str, Any]]:
        """Return all events in the order of time; pushes and hands if they came before ``end``."""
        planned = [event for event in self._planned if event['time'] < end + 0.5 * self._period]

        def order(event: dict[str, Any]) -> tuple[float, bool]:
            return float(event['time']), event['kind'] not in CAUSES

        return sorted(self._events + planned, key=order)

    def contact_summary(self, log: LogReader) -> dict[str, Any]:
        """Return contact forces and residuals, if there was a contact.

        The residuals are those of 000, section 7.1: the largest position and force difference,
        before and after the first contact.
        """
        if self._first_contact is None:
            return {}
        step, width = self._first_contact, max(1, round(RESIDUAL_WINDOW / self._period))
        before = log.read(max(0, step - width), step)
        after = log.read(step, min(log.rows, step + width))
        residuals = {}
        for name, key in (
            ('position_difference', 'path_difference'),
            ('force_difference', 'force_difference'),
        ):
            pair = DIFFERENCES[key]
            residuals[name] = {
                when: float(np.abs(difference(block, *pair)).max()) if len(block) else 0.0
                for when, block in (('before', before), ('after', after))
            }
        return {
            'contact_force_max': self._force_max,
            'contact_force_end': float(np.mean(self._forces[-self._end_steps :])),
            'contact_residuals': residuals,
        }
