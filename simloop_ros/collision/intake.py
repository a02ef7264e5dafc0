"""What a monitor does not eat: numbers that are none, encoder glitches, lost steps."""

from __future__ import annotations

from typing import Literal

import msgspec
import numpy as np

from ..core.values import Array

Taken = Literal['good', 'suspect', 'returned', 'rejected', 'restart']

TOLERANCE = 2.0
"""Multiple of the speed limit that two samples may differ by where nothing was learnt."""
LARGEST = 1e6
"""In SI units; no robot has a joint position, velocity or torque of that size."""
RETURN = 3.0
"""A glitch is over when the next sample is this many tolerances near to the extrapolation, which
is then two steps old: an acceleration has three times its effect."""


class IntakeSnapshot(msgspec.Struct, frozen=True):
    """All that the next judgement depends on.

    :ivar last: time of the last accepted sample [s]; NaN before the first one.
    :ivar position: what stands for the last sample's position [rad].
    :ivar expected: where the next sample is if the speed stays [rad].
    :ivar deviation: second difference of the positions with the last sample [rad].
    :ivar suspect: whether the last sample was put aside as a jump.
    :ivar calm: whether the last sample was near to where it was expected.
    """

    last: float
    position: Array
    expected: Array
    deviation: Array
    suspect: bool
    calm: bool
    not_finite: int
    jumps: int
    gaps: int


class Intake:
    """Accepts samples one by one, and counts what it rejects.

    A sample is rejected if

    - a number is not finite, or larger than any robot has;
    - its stamp is not one period after the last one: a gap, or the same step again;
    - it is a jump: the second difference of a position exceeds the tolerance, and the next sample
      is back. Until that is known, the expected position stands for the sample. A real impact
      goes on, so the next sample is accepted whatever it is, and the ones after it too until
      the motion is calm again.

    :ivar position: of the last sample, or what stands for it [rad], shape ``(n,)``.
    :ivar expected: where the next one is if the speed stays [rad], shape ``(n,)``.
    :ivar deviation: second difference of the positions with the last sample [rad], ``(n,)``.
    :ivar suspect: whether the last sample is put aside as a jump.
    :ivar calm: whether the last sample was near to where it was expected.
    :param tolerance: largest second difference of honest samples [rad], shape ``(n,)``.
    """

    def __init__(self, period: float, tolerance: Array):
        self._h = period
        self._inverse = 1.0 / tolerance
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        self._last = np.nan
        self.position = self.expected = self.deviation = np.zeros(self._inverse.size)
        self.suspect, self.calm = False, True
        self.not_finite = self.jumps = self.gaps = 0

    @property
    def rejected(self) -> int:
        """Return how many samples were rejected."""
        return self.not_finite + self.jumps + self.gaps

    def snapshot(self) -> IntakeSnapshot:
        """Return all that the next judgement depends on."""
        return IntakeSnapshot(
            self._last,
            self.position,
            self.expected,
            self.deviation,
            self.suspect,
            self.calm,
            self.not_finite,
            self.jumps,
            self.gaps,
        )

    def restore(self, snapshot: IntakeSnapshot) -> None:
        """Go back to an earlier snapshot."""
        self._last = snapshot.last
        self.position, self.expected = snapshot.position, snapshot.expected
        self.deviation = snapshot.deviation
        self.suspect, self.calm = snapshot.suspect, snapshot.calm
        self.not_finite, self.jumps, self.gaps = snapshot.not_finite, snapshot.jumps, snapshot.gaps

    def start(self, time: float, measured: Array, velocity: Array) -> None:
        """Begin at a sample that is known to be good."""
        self._last = time
        self.position = measured
        self.expected = measured + self._h * velocity
        self.suspect, self.calm = False, True

    def take(self, time: float, measured: Array, probe: float) -> Taken:
        """Judge a sample.

        :param measured: position [rad], shape ``(n,)``.
        :param probe: a sum of products of everything else that is read: as large as they are.
        :return: ``suspect`` if it may be a jump, ``returned`` if the one before it was, and
            ``restart`` if it is good but does not follow on the last good one.
        """
        self.deviation = deviation = measured - self.expected
        scaled = deviation * self._inverse
        # Sufficient for finite, in time and within every tolerance; the rest is rare.
        if (
            scaled.dot(scaled) <= 1.0
            and abs(probe) < LARGEST**2
            and abs(time - self._last - self._h) < 0.5 * self._h
            and not self.suspect
        ):
            self._last = time
            expected = measured + measured
            expected -= self.position
            self.expected, self.position = expected, measured
            self.calm = True
            return 'good'
        return self._judge(time, measured, deviation, scaled, probe)

    def _judge(
        self, time: float, measured: Array, deviation: Array, scaled: Array, probe: float
    ) -> Taken:
        sane = np.abs(measured).max() < LARGEST and abs(probe) < LARGEST**2
        if not (sane and np.isfinite(time)):
            self.not_finite += 1
            self._last = np.nan
            return 'rejected'
        if np.isnan(self._last):
            return 'restart'
        behind = time - self._last
        if abs(behind - self._h) >= 0.5 * self._h:
            self.gaps += 1
            # A step that was seen before is left out; the rest follows on it.
            return 'rejected' if behind < 0.5 * self._h else 'restart'
        largest = np.abs(scaled).max()
        returned = self.suspect and largest <= RETURN
        if largest > 1.0 and self.calm and not self.suspect:
            self._follow(time, self.expected, np.zeros_like(deviation))
            self.suspect = True
            return 'suspect'
        self._follow(time, measured, deviation)
        self.calm = bool(largest <= 1.0)
        self.jumps += returned
        return 'returned' if returned else 'good'

    def _follow(self, time: float, measured: Array, deviation: Array) -> None:
        self._last = time
        self.expected = 2.0 * measured - self.position
        self.position = measured
        self.deviation = deviation
        self.suspect, self.calm = False, True


def speed_tolerance(velocity_limit: Array, period: float) -> Array:
    """Return how far positions may be from where they are expected, if only limits are known."""
    return TOLERANCE * velocity_limit * period
