"""Observations for a collision detector, with the steps that were not observed."""

from __future__ import annotations

from collections import deque

import msgspec

from ...collision.gaps import filled
from ...collision.observation import Observation
from ...core.values import Array, JointState
from ..messages.stamps import step_of

MAX_GAP = 10
"""Real time: largest gap that is filled [steps]; after a longer one the detector sees a jump of
the time, and starts again."""


class GapFiller:
    """Numbers observations; in real time it fills the steps whose messages were lost.

    The robot kept its command in those steps; their positions are interpolated.

    :param period: length of a step [s].
    :ivar filled: number of steps that were filled.
    """

    def __init__(self, period: float, *, realtime: bool):
        self._period = period
        self._realtime = realtime
        self._step = 0
        self._last_stamp = 0
        self._positions: deque[Array] = deque(maxlen=2)
        self.filled = 0

    def steps(self, stamp: int, observation: Observation) -> list[Observation]:
        """Return the observations that are due, with their times: filled ones, then the present.

        :param stamp: of the present one [ns].
        :param observation: the present one; its time is not known yet.
        """
        gap = self._fill(stamp, observation) if self._realtime else []
        return [self._timed(each) for each in (*gap, observation)]

    def _fill(self, stamp: int, now: Observation) -> list[Observation]:
        positions, gap = self._positions, []
        steps = step_of(stamp - self._last_stamp, self._period) if positions else 1
        self._last_stamp = stamp
        if len(positions) == 2 and 1 < steps <= MAX_GAP:
            before, last = positions
            for position in filled(before, last, now.measured, steps):
                state = JointState(position, now.state.velocity)
                gap.append(msgspec.structs.replace(now, measured=position, state=state))
                positions.append(position)
            self.filled += len(gap)
        elif steps != 1:
            positions.clear()
            self._step += MAX_GAP
        positions.append(now.measured)
        return gap

    def _timed(self, observation: Observation) -> Observation:
        """Return an observation as that of the next step."""
        self._step += 1
        return msgspec.structs.replace(observation, time=self._step * self._period)
