"""Alarms in a record of verdicts, and the rate that they stand for."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
from scipy.special import gammaincinv

from ..collision.tail import BLOCK_DURATION
from ..core.values import Array, Flags

CONFIDENCE = 0.95
"""Of the intervals of rates."""
APART = BLOCK_DURATION
"""Time without contact after which another one is another alarm [s]."""


class LogAlarm(msgspec.Struct, frozen=True):
    """A time in which a monitor reported contact.

    :ivar start: [s].
    :ivar end: [s].
    :ivar share: largest residual as a share of its threshold.
    :ivar joint: with the largest estimated torque, against its noise.
    """

    start: float
    end: float
    share: float
    joint: str


class AlarmRate(msgspec.Struct, frozen=True):
    """The rate of alarms that a number of them in a time stands for.

    :ivar alarms: their number.
    :ivar judged: time that had a verdict [s].
    :ivar per_hour: number by time [1/h].
    :ivar lowest: of the 95 % interval [1/h].
    :ivar highest: likewise; without any alarm the rate that is exceeded with 5 % only.
    """

    alarms: int
    judged: float
    per_hour: float
    lowest: float
    highest: float

    def line(self) -> str:
        """Return this in words."""
        number = 'alarm' if self.alarms == 1 else 'alarms'
        said = f'{self.alarms} {number} in {self.judged:.3g} s: '
        if not self.judged:
            return 'nothing was judged'
        if not self.alarms:
            return f'{said}at most {self.highest:.3g} per hour with 95 % confidence'
        return (
            f'{said}{self.per_hour:.3g} per hour, with 95 % confidence between '
            f'{self.lowest:.3g} and {self.highest:.3g}'
        )


def alarm_rate(alarms: int, judged: float) -> AlarmRate:
    """Return the rate of a Poisson process by the number of its events (Garwood 1936).

    :param judged: time in which they were counted [s].
    """
    if judged <= 0.0:
        return AlarmRate(alarms, 0.0, np.nan, 0.0, np.inf)
    hours = judged / 3600.0
    outside = (1.0 - CONFIDENCE) / (2.0 if alarms else 1.0)
    highest = float(gammaincinv(alarms + 1.0, 1.0 - outside))
    lowest = float(gammaincinv(float(alarms), outside)) if alarms else 0.0
    return AlarmRate(alarms, judged, alarms / hours, lowest / hours, highest / hours)


def find_alarms(
    time: Array, contact: Flags, share: Array, loudness: Array, joints: Sequence[str]
) -> tuple[LogAlarm, ...]:
    """Return the alarms in a record; contacts less than ``APART`` from each other are one.

    :param time: [s], shape ``(rows,)``.
    :param contact: the verdicts, shape ``(rows,)``.
    :param share: largest residual by its threshold, shape ``(rows,)``.
    :param loudness: of the estimated torques against their noise, shape ``(rows, n)``.
    """
    rows = np.flatnonzero(contact)
    if not rows.size:
        return ()
    breaks = np.flatnonzero(np.diff(time[rows]) > APART) + 1
    found = []
    for part in np.split(rows, breaks):
        peak = part[int(np.argmax(share[part]))]
        found.append(
            LogAlarm(
                float(time[part[0]]),
                float(time[part[-1]]),
                float(share[peak]),
                joints[int(np.argmax(loudness[peak]))],
            )
        )
    return tuple(found)
