"""How late the collision monitor notices a contact."""

from __future__ import annotations

from ...loop.step_record import StepRecord
from ...scenario.scenario import Scenario
from ..frame import Force

NOTICED = 0.5
"""Force from which something is a contact [N]."""
MEMORY = 0.2
"""Time after its end in which a contact may still be noticed [s]."""


class ContactWatch:
    """Keeps when the present contact began, and when it was noticed."""

    def __init__(self, scenario: Scenario):
        self._h = scenario.period
        self._pushes = [(push.start, push.start + push.duration) for push in scenario.plant.pushes]
        self.forget()

    def forget(self) -> None:
        """Forget the past: time was set back."""
        self._began = self._touched = -MEMORY  # the present contact, or the last one [s]
        self._is_noticed = False
        self.delay: float | None = None
        """From the beginning of the contact to that of the alarm [s]; ``None`` without alarm."""

    def take(self, record: StepRecord, forces: tuple[Force, ...]) -> None:
        """Take a step.

        :param forces: of persons and balls.
        """
        end = (record.index + 1) * self._h
        if self._touches(record, forces):
            if end - self._touched > MEMORY:
                self._began = end - self._h
            self._touched = end
        detection = record.monitor
        if detection is None or detection.kind == 'none':
            self._is_noticed, self.delay = False, None
        elif not self._is_noticed and detection.contact:
            self._is_noticed = True
            if end - self._touched <= MEMORY:
                self.delay = end - self._began

    def _touches(self, record: StepRecord, forces: tuple[Force, ...]) -> bool:
        """Return whether something acts on the robot in a step."""
        plant = record.plant
        if forces and any(force.vector @ force.vector > NOTICED**2 for force in forces):
            return True
        if plant.contacts and any(contact.force > NOTICED for contact in plant.contacts):
            return True
        if plant.hands and any(hand.force @ hand.force > NOTICED**2 for hand in plant.hands):
            return True
        begin = record.index * self._h
        return any(start <= begin < end for start, end in self._pushes)
