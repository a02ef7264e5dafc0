"""Desired positions that go on without a jump where the plan does not."""

from __future__ import annotations

from math import exp

import numpy as np

from ..core.state import Remembering
from ..core.values import Array, Setpoint
from ..maths.coasting import coasting_rate, coasting_time

RETURN_FREQUENCY = 10.0
"""Natural frequency with which the robot returns to the plan [rad/s]: a speed of 0.1 rad/s too
much is taken back with 2 rad/s^2, and after 0.6 s nothing is left of it. Faster is worse where a
hand leads the robot: what the hand feels of the return comes back as a torque."""
PREDICTED_FREQUENCY = 100.0
"""The same after a prediction [rad/s]. Hands that were predicted to close at 0.05 m/s, and have
met an object, press it by 0.2 mm too much; with ``RETURN_FREQUENCY`` it would be 2 mm."""
NEGLIGIBLE = 1e-12
"""Difference below which the robot is back on the plan [rad, rad/s]."""


class BumplessReference(Remembering):
    """Coasts while there is no plan, and returns to it without a jump.

    ::

        d = r + e,    e'' = -2 w e' - w^2 e        w: RETURN_FREQUENCY, PREDICTED_FREQUENCY

    Where the plan ``r`` goes on steadily, ``e`` is zero and the setpoints are passed on as they
    are. While there is no setpoint, ``d`` coasts (``maths.coasting``). When the plan is there
    again, ``e`` takes up the difference between it and where ``d`` was going, with the
    acceleration that it had: else breaks in quick succession would leave it behind. So it does
    where the plan rests: a robot that was led elsewhere would jump back to it. What says to stay
    where the robot is (000, 6.1.4) restarts the reference.

    A second difference over the break would be an acceleration: a jump of 0.1 mrad at 500 Hz is
    25 rad/s^2, of a robot that a person may hold.

    :param period: h [s].
    """

    _remembered = (
        '_last',
        '_velocity',
        '_change',
        '_coasted',
        '_first',
        '_frequency',
        '_offset',
        '_offset_velocity',
    )

    def __init__(self, period: float):
        self._h = period
        self.reset()

    def reset(self) -> None:
        """Forget the past: the next setpoint is passed on as it is."""
        self._last: Array | None = None
        self._velocity: Array | None = None
        self._change: Array | float = 0.0  # of the velocity in the last step
        self._coasted = 0  # steps
        self._first: Array | None = None  # velocity before them
        self._frequency = RETURN_FREQUENCY
        self._offset: Array | None = None
        self._offset_velocity: Array | None = None

    @property
    def coasts(self) -> bool:
        """Return whether the last step was without a setpoint."""
        return self._coasted > 0

    def predict(self, setpoint: Setpoint, *, again: bool = True) -> Setpoint:
        """Go on for a step with a setpoint that is only predicted.

        :param again: whether the prediction is that of the step before; a new one may be
            elsewhere.
        """
        coasted = self._coasted
        if self._first is None:  # it has not coasted: the same prediction goes on steadily
            self._coasted = 0 if again else 1
        setpoint = self.step(setpoint)
        self._coasted = coasted + 1
        return setpoint

    def coast(self, stop_time: float) -> Setpoint | None:
        """Go on for a step without a setpoint; return where to, if there was a motion.

        :param stop_time: in which the reference comes to rest [s].
        """
        if self._last is None or self._velocity is None:
            return None
        if self._first is None:
            self._first, self._coasted = self._velocity, 0
            self._offset = self._offset_velocity = None
        before, now = self._coasted * self._h, (self._coasted + 1) * self._h
        way = coasting_time(now, stop_time) - coasting_time(before, stop_time)
        self._coasted += 1
        self._last = self._last + way * self._first
        velocity = coasting_rate(now, stop_time) * self._first
        self._velocity, self._change = velocity, velocity - self._velocity
        return Setpoint(self._last, self._velocity)

    def step(self, setpoint: Setpoint) -> Setpoint:
        """Return the setpoint of the next step from that of the plan."""
        if setpoint.effort is not None or setpoint.restart:
            self.reset()
            return setpoint
        last, velocity = self._last, self._velocity
        if self._coasted and last is not None and velocity is not None:
            going = velocity + self._change
            self._offset = last + self._h * going - setpoint.position
            self._offset_velocity = going - setpoint.velocity
            predicted = self._first is None
            self._frequency = PREDICTED_FREQUENCY if predicted else RETURN_FREQUENCY
        else:
            self._return()
        self._coasted, self._first = 0, None
        if self._offset is not None and self._offset_velocity is not None:
            position = setpoint.position + self._offset
            setpoint = Setpoint(position, setpoint.velocity + self._offset_velocity)
        self._last = setpoint.position
        moved = setpoint.velocity if last is None else (setpoint.position - last) / self._h
        self._velocity, self._change = moved, 0.0 if velocity is None else moved - velocity
        return setpoint

    def _return(self) -> None:
        """Take one step of the offset, exactly; forget it once it is negligible."""
        offset, speed = self._offset, self._offset_velocity
        if offset is None or speed is None:
            return
        w, h = self._frequency, self._h
        drive, decay = speed + w * offset, exp(-w * h)
        self._offset = decay * (offset + h * drive)
        self._offset_velocity = decay * (speed - w * h * drive)
        if max(np.abs(self._offset).max(), np.abs(self._offset_velocity).max()) < NEGLIGIBLE:
            self._offset = self._offset_velocity = None
