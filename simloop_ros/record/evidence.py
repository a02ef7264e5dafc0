"""All that the verdict of a run is based on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .deviation import Deviation, LimitedJoint, largest_deviation, most_limited
from .events import END_WINDOW
from .facts import RunFacts
from .log import LogReader
from .touches import Events, Incident, TouchSpan, describe, find_alarms, find_touches, join
from .wording import moment

DISTURBED = 0.005
"""Distance from its setpoint at which a part of the robot has left its path [m]. In free motion
every shipped scenario stays below 0.2 mm, a control law without the masses of the robot and 10 %
wrong ones below 4 mm, and a robot that reacts to what it hits below 3.5 mm."""


@dataclass(frozen=True)
class Evidence:
    """Facts, log and events of a run.

    :ivar results: keys of the summary that are known already.
    """

    facts: RunFacts
    log: LogReader
    events: Events
    results: Mapping[str, Any]

    @property
    def period(self) -> float:
        """Return the length of a step [s]."""
        return self.facts.scenario.period

    @property
    def end(self) -> float:
        """Return the duration of the run [s]."""
        return self.log.rows * self.period

    def moment(self, time: float) -> str:
        """Return a time [s] as text."""
        return moment(time, self.period)

    @cached_property
    def touches(self) -> tuple[TouchSpan, ...]:
        """Return what acted on the robot, as far as it is known."""
        return find_touches(self.facts.scenario, self.events)

    @cached_property
    def incidents(self) -> tuple[Incident, ...]:
        """Return touches and alarms."""
        return join(self.touches, find_alarms(self.facts.scenario, self.events))

    def describe(self, incident: Incident) -> str:
        """Return an incident in words."""
        alarms = [other.alarm.time for other in self.incidents if other.alarm]
        until = min((time for time in alarms if time > incident.last), default=self.end)
        scenario, simulated = self.facts.scenario, self.facts.simulated
        words = describe(incident, until, self.log, scenario, simulated=simulated)
        return f'{words}, {self._pressed}' if incident.touch in self._lasting else words

    @cached_property
    def _lasting(self) -> tuple[TouchSpan, ...]:
        """Return the contacts at the end that have lasted long enough to tell their force."""
        since = self.end - END_WINDOW
        return tuple(
            t for t in self.touches if t.obstacle and t.start <= since and t.end > self.end
        )

    @property
    def _pressed(self) -> str:
        """Return the force at the end of all contacts that last, in words."""
        names = ' and '.join(touch.obstacle for touch in self._lasting)
        return f'presses on {names} with {self.results["contact_force_end"]:.2g} N at the end'

    @property
    def stands_stopped(self) -> bool:
        """Return whether, in real time, the robot was stopped at the end and not released."""
        last = [e['kind'] for e in self.events if e['kind'] in ('stop', 'release')][-1:]
        return self.realtime and last == ['stop']

    @property
    def realtime(self) -> bool:
        """Return whether the run went on in real time."""
        return 'late_share' in self.results

    @property
    def hand_leads(self) -> bool:
        """Return whether a hand may lead a real robot; where it is, nobody knows."""
        return not self.facts.simulated and self.facts.scenario.admittance.guides

    @cached_property
    def deviation(self) -> Deviation | None:
        """Return by how far the robot left its path, if it did."""
        return largest_deviation(self.facts.model, self.log, DISTURBED)

    @cached_property
    def limited(self) -> LimitedJoint | None:
        """Return the joint that was at its effort limit most often, if a limit was applied."""
        if not self.results['effort_limited_steps']:
            return None
        return most_limited(self.facts.model, self.log)
