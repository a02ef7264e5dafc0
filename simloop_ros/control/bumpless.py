"""Desired positions that go on without a jump where the plan does not."""

from __future__ import annotations

import numpy as np

from ..core.state import Remembering
from ..core.values import Array, Setpoint

RETURN_FREQUENCY = 10.0
"""Natural frequency with which the robot returns to the plan [rad/s]: a speed of 0.1 rad/s too
much is taken back with 2 rad/s^2, and after 0.6 s nothing is left of it."""
NEGLIGIBLE = 1e-12
"""Difference below which the robot is back on the plan [rad, rad/s]."""


class BumplessReference(Remembering):
    """Adds to the setpoints what keeps position and velocity of the reference continuous.

    ::

        d = r + e,    e'' = -2 w e' - w^2 e        w: RETURN_FREQUENCY

    Where the plan ``r`` goes on steadily, ``e`` is zero and the setpoints are passed on as they
    are. At a break (setpoints came late, a joint state was lost) ``e`` takes up the difference
    between the plan and where the reference was going. A plan without any velocity is passed on as
    it is: it says to stay, and may say so from where the robot is (000, section 6.1.4).

    A second difference over a break would be an acceleration: a jump of 0.1 mrad at 500 Hz is
    25 rad/s^2, of a robot that a person may hold.

    :param period: h [s].
    """

    _remembered = ('_last', '_velocity', '_offset', '_offset_velocity')

    def __init__(self, period: float):
        self._h = period
        self._decay = float(np.exp(-RETURN_FREQUENCY * period))
        self.reset()

    def reset(self) -> None:
        """Forget the past: the next setpoint is passed on as it is."""
        self._last: Array | None = None
        self._velocity: Array | None = None
        self._offset: Array | None = None
        self._offset_velocity: Array | None = None

    def coast(self, way: float, rate: float) -> Array | None:
        """Go on without a setpoint; return the position [rad], shape ``(n,)``, if there is one.

        :param way: as time at the present velocity [s].
        :param rate: velocity afterwards, as a share of the present one.
        """
        if self._last is None or self._velocity is None:
            return None
        self._last = self._last + way * self._velocity
        self._velocity = rate * self._velocity
        return self._last

    def step(self, setpoint: Setpoint, *, broken: bool) -> Setpoint:
        """Return the setpoint of the next step.

        :param broken: whether the plan does not go on from the last setpoint.
        """
        if setpoint.effort is not None or setpoint.restart:
            self.reset()
            return setpoint
        last, velocity = self._last, self._velocity
        if broken and last is not None and velocity is not None and setpoint.velocity.any():
            self._offset = last + self._h * velocity - setpoint.position
            self._offset_velocity = velocity - setpoint.velocity
        else:
            self._return()
        if self._offset is not None and self._offset_velocity is not None:
            position = setpoint.position + self._offset
            setpoint = Setpoint(position, setpoint.velocity + self._offset_velocity)
        self._last = setpoint.position
        self._velocity = (
            setpoint.velocity if last is None else (setpoint.position - last) / self._h
        )
        return setpoint

    def _return(self) -> None:
        """Take one step of the offset, exactly; forget it once it is negligible."""
        offset, speed = self._offset, self._offset_velocity
        if offset is None or speed is None:
            return
        w, h = RETURN_FREQUENCY, self._h
        drive = speed + w * offset
        self._offset = self._decay * (offset + h * drive)
        self._offset_velocity = self._decay * (speed - w * h * drive)
        if max(np.abs(self._offset).max(), np.abs(self._offset_velocity).max()) < NEGLIGIBLE:
            self._offset = self._offset_velocity = None
