"""The targets of a recorded motion, thinned to the move time and checked before any is sent."""

from __future__ import annotations

import math

import numpy as np

from ..core.errors import ConfigError, UnsafeCommandError
from ..record.recording import Recording
from .axes import Axes
from .packet import Target, time_field

MOST_TARGETS = 100_000
"""Number of targets of one motion at most: at the default move time half a day."""


def plan_targets(recording: Recording, axes: Axes, every: float, approach: float) -> list[Target]:
    """Return the targets of a motion: its start, then where it is after each move time.

    Between two samples positions are on the straight line. The last target is the end of the
    motion; its move may be slower than the motion was, because it has a full move time.

    :param every: time from target to target [s].
    :param approach: time of the first move, whose start is not known [s].
    :raises ConfigError: a joint is missing, a time does not fit a packet, or there are more than
        ``MOST_TARGETS``.
    :raises UnsafeCommandError: a target must not reach the robot; the message has its number.
    """
    for seconds in (every, approach):
        time_field(seconds)
    positions = recording.columns(axes.names)
    begin, end = float(recording.time[0]), float(recording.time[-1])
    # A sample that is the end but for rounding is not taken twice.
    moves = (end - begin) / every * (1.0 - 1e-9)
    if moves > MOST_TARGETS - 1:
        raise ConfigError(
            f'{recording.source}: {end - begin:g} s with --every {every:g} s are {moves + 1:.7g} '
            f'targets; {MOST_TARGETS} are allowed: give a longer --every or a shorter motion, and '
            'check that its time is in seconds'
        )
    count = math.ceil(moves)
    times = np.minimum(begin + every * np.arange(count + 1), end)
    picked = np.stack([np.interp(times, recording.time, column) for column in positions.T], axis=1)
    targets: list[Target] = []
    for i, position in enumerate(picked):
        before = targets[-1] if targets else None
        try:
            target = axes.target(position, every if before else approach, before)
        except UnsafeCommandError as error:
            raise UnsafeCommandError(
                f'target {i + 1} of {len(picked)}, at {times[i]:g} s: {error}; nothing was sent',
                error.kind,
                error.joint,
            ) from error
        targets.append(target)
    return targets
