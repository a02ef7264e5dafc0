"""Validation of measured samples: values that are not finite, encoder glitches, lost steps."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ..core.state import Remembering
from ..core.values import Array

Validity = Literal['valid', 'suspect', 'returned', 'rejected', 'restart']
"""Of a sample: ``suspect`` if it may be a jump, ``returned`` if the one before it was a jump and
this one is valid again, ``restart`` if it is valid but does not follow on the last valid one."""

SPEED_TOLERANCE = 2.0
"""Multiple of the speed limit that two samples may differ by where nothing was learnt."""
LARGEST_VALUE = 1e6
"""In SI units; no robot has a joint position, velocity or torque of that size."""
RETURN_TOLERANCE = 3.0
"""A jump is over when the next sample is this many tolerances near to the extrapolation, which
is then two steps old: an acceleration has three times its effect."""


class SampleValidator(Remembering):
    """Checks samples one by one, and counts what it rejects.

    A sample is rejected if

    - a number is not finite, or larger than any robot has;
    - its stamp is not one period after the last one: a gap, or the same step again;
    - it is a jump: the second difference of a position exceeds the tolerance, and the next sample
      is back. Until that is known, the expected position replaces the sample. A real impact
      goes on, so the next sample is accepted whatever it is, and the ones after it too until
      the motion is calm again.

    :ivar position: of the last sample, or what replaces it [rad], shape ``(n,)``.
    :ivar expected: of the next sample if the speed stays [rad], shape ``(n,)``.
    :ivar deviation: second difference of the positions with the last sample [rad], ``(n,)``.
    :ivar suspect: whether the last sample is put aside as a jump.
    :ivar calm: whether the last sample was near to where it was expected.
    :param tolerance: largest second difference of valid samples [rad], shape ``(n,)``.
    """

    _counters = ('not_finite', 'jumps', 'gaps')
    _remembered = ('_last', 'position', 'expected', 'deviation', 'suspect', 'calm', *_counters)

    def __init__(self, period: float, tolerance: Array):
        self._h = period
        self._inverse = 1.0 / tolerance
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        self._last = np.nan  # time of the last accepted sample [s]
        self.position = self.expected = self.deviation = np.zeros(self._inverse.size)
        self.suspect, self.calm = False, True
        self.not_finite = self.jumps = self.gaps = 0

    @property
    def rejected(self) -> int:
        """Return how many samples were rejected."""
        return self.not_finite + self.jumps + self.gaps

    def start(self, time: float, measured: Array, velocity: Array) -> None:
        """Begin at a sample that is known to be valid."""
        self._last = time
        self.position = measured
        self.expected = measured + self._h * velocity
        self.suspect, self.calm = False, True

    def check(self, time: float, measured: Array, probe: float) -> Validity:
        """Return the validity of a sample.

        :param measured: position [rad], shape ``(n,)``.
        :param probe: a sum of products of everything else that is read: as large as they are.
        """
        self.deviation = deviation = measured - self.expected
        scaled = deviation * self._inverse
        # Sufficient for finite, in time and within every tolerance; the rest is rare.
        if (
            scaled.dot(scaled) <= 1.0
            and abs(probe) < LARGEST_VALUE**2
            and abs(time - self._last - self._h) < 0.5 * self._h
            and not self.suspect
        ):
            self._last = time
            expected = measured + measured
            expected -= self.position
            self.expected, self.position = expected, measured
            self.calm = True
            return 'valid'
        return self._check_closely(time, measured, deviation, scaled, probe)

    def _check_closely(
        self, time: float, measured: Array, deviation: Array, scaled: Array, probe: float
    ) -> Validity:
        finite = np.abs(measured).max() < LARGEST_VALUE and abs(probe) < LARGEST_VALUE**2
        if not (finite and np.isfinite(time)):
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
        returned = self.suspect and largest <= RETURN_TOLERANCE
        if largest > 1.0 and self.calm and not self.suspect:
            self._follow(time, self.expected, np.zeros_like(deviation))
            self.suspect = True
            return 'suspect'
        self._follow(time, measured, deviation)
        self.calm = bool(largest <= 1.0)
        self.jumps += int(returned)
        return 'returned' if returned else 'valid'

    def _follow(self, time: float, measured: Array, deviation: Array) -> None:
        self._last = time
        self.expected = 2.0 * measured - self.position
        self.position = measured
        self.deviation = deviation
        self.suspect, self.calm = False, True


def speed_tolerance(velocity_limit: Array, period: float) -> Array:
    """Return how far positions may be from where they are expected, if only limits are known."""
    return SPEED_TOLERANCE * velocity_limit * period
