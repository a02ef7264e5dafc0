"""What a run in real time did: how late its commands were, and whether it left its bounds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pinocchio as pin

from ..core.values import Array, Flags
from ..robot.model import RobotModel
from .columns import DESIRED_POSITION, EFFORT, TRUE_POSITION
from .deviation import AT_LIMIT
from .evidence import Evidence
from .log import LogRows
from .timing import NORMAL, RunTiming
from .touches import untouched
from .wording import span

LARGEST_RATIO = 10.0
"""Acceleration of a tip, as a multiple of its setpoints' largest one, beyond which it jerked."""
LEAST_ACCELERATION = 1.0
"""What is added to that: below it nobody notices [m/s^2]."""
TOUCH_MARGIN = 0.5
"""Time before and after a touch in which it is the cause of an acceleration [s]."""


@dataclass(frozen=True)
class RunAccelerations:
    """Accelerations in a run, row by row of its log; each array has the shape ``(rows,)``.

    They are second differences of positions at the times that the stamps tell; a row for which
    there is none has 0.
    """

    model: RobotModel
    log: LogRows
    period: float
    timing: RunTiming

    @cached_property
    def tips(self) -> Array:
        """Return the largest acceleration of a tip [m/s^2]."""
        return self._of(TRUE_POSITION, self._row_steps, self._tip_points)

    @cached_property
    def setpoints(self) -> Array:
        """Return the same of where the setpoints put the tips."""
        return self._of(DESIRED_POSITION, self.command_steps, self._tip_points)

    @cached_property
    def times(self) -> Array:
        """Return the time of the robot at the end of each row [s]."""
        times: Array = self.period * np.cumsum(self._row_steps)
        return times

    @property
    def _row_steps(self) -> Array:
        return np.array(self.timing.row_steps[: self.log.rows], dtype=np.float64)

    @property
    def command_steps(self) -> Array:
        """Return the periods from one command to the next; 0 where there was no new one."""
        return np.array(self.timing.command_steps[: self.log.rows], dtype=np.float64)

    def summary(self) -> dict[str, Any]:
        """Return the additional keys of a run in real time."""
        joints = self._of(TRUE_POSITION, self._row_steps, lambda q: q[:, :, None])
        return {
            'late_share': self.timing.late_share,
            'longest_gap': self.timing.longest_gap,
            'lateness_levels': self.timing.level_times,
            'largest_acceleration': {
                'joints': float(joints.max(initial=0.0)),
                'tips': float(self.tips.max(initial=0.0)),
            },
        }

    def _tip_points(self, positions: Array) -> Array:
        return np.array([self.model.tip_positions(q) for q in positions])

    def _of(self, column: int, steps: Array, points: Callable[[Array], Array]) -> Array:
        blocks = (points(block[:, column]) for block in self.log.chunks())
        return accelerations(blocks, steps, self.period)


def accelerations(blocks: Iterable[Array], steps: Array, period: float) -> Array:
    """Return the largest acceleration of any point at each row, shape ``(rows,)``::

        v_k = (x_k - x_k-1) / t_k,    a_k = 2 (v_k - v_k-1) / (t_k + t_k-1)

    :param blocks: positions, each of shape ``(some rows, points, axes)``.
    :param steps: periods ``t_k / period`` since the row before; 0: the row is left out.
    """
    found, first = np.zeros(len(steps)), 0
    kept, rows = np.empty(0), np.empty(0, dtype=np.intp)
    for block in blocks:
        new = np.flatnonzero(steps[first : first + len(block)])
        kept = np.concatenate((kept.reshape(-1, *block.shape[1:]), block[new]))
        rows = np.concatenate((rows, first + new))
        first += len(block)
        if len(rows) > 2:
            times = period * steps[rows][1:, None, None]
            velocity = np.diff(kept, axis=0) / times
            change = 2.0 * np.diff(velocity, axis=0) / (times[1:] + times[:-1])
            found[rows[2:]] = np.linalg.norm(change, axis=2).max(axis=1)
        kept, rows = kept[-2:], rows[-2:]
    return found


def timing_words(timing: RunTiming) -> str:
    """Return how late the commands were."""
    late, gap = 100.0 * timing.late_share, span(timing.longest_gap)
    words = f'{late:.3g} % of the periods were late, the longest gap was {gap}'
    slower = [
        f'{name} for {span(time)}' for name, time in timing.level_times.items() if name != NORMAL
    ]
    return f'{words}; because of that it was {", ".join(slower)}' if slower else words


def bounds_left(evidence: Evidence, motion: RunAccelerations) -> str:
    """Return how the robot left its bounds in real time, in words; empty if it did not.

    What happened while something other than a guiding hand touched it does not count, nor do
    accelerations of a real robot, which are those of its encoders' noise.
    """
    touches = [touch for touch in evidence.touches if not touch.guiding]
    rows: Array = evidence.period * np.arange(1.0, evidence.log.rows + 1.0)
    free = untouched(touches, rows, TOUCH_MARGIN) & untouched(touches, motion.times, TOUCH_MARGIN)
    words = [*(_jerk(evidence, motion, free) if evidence.facts.simulated else ())]
    if evidence.results['effort_limited_steps']:
        words += _at_limit(evidence, motion, free)
    return '; '.join(words)


def _jerk(evidence: Evidence, motion: RunAccelerations, free: Flags) -> Iterator[str]:
    """Yield how much more a tip accelerated than its setpoints, if it is out of bounds."""
    tips, planned = np.where(free, motion.tips, 0.0), motion.setpoints.max(initial=0.0)
    if tips.max(initial=0.0) <= LARGEST_RATIO * planned + LEAST_ACCELERATION:
        return
    row = int(tips.argmax())
    at = evidence.moment((row + 1) * evidence.period)
    yield (
        f'the tip accelerated with {tips[row]:.3g} m/s^2 at {at}; '
        f'its setpoints with {planned:.2g} m/s^2'
    )


def _at_limit(evidence: Evidence, motion: RunAccelerations, free: Flags) -> Iterator[str]:
    """Yield which joint was at its effort limit first though its setpoints need less."""
    model, first = evidence.facts.model, 0
    data, steps = model.pin_model.createData(), motion.command_steps
    for block in evidence.log.chunks():
        rows = slice(first, first + len(block))
        new = np.flatnonzero(steps[rows])
        limited = np.abs(block[new, EFFORT]) >= AT_LIMIT * model.effort_limit
        limited &= free[rows][new][:, None]
        if limited.any() and len(new) > 1:
            times, q = evidence.period * np.cumsum(steps[rows][new]), block[new, DESIRED_POSITION]
            v = np.gradient(q, times, axis=0)
            a = np.gradient(v, times, axis=0)
            for k in np.flatnonzero(limited.any(axis=1)):
                needed = np.abs(pin.rnea(model.pin_model, data, q[k], v[k], a[k]))
                needed /= model.effort_limit
                for joint in np.flatnonzero(limited[k] & (needed < AT_LIMIT)):
                    at = evidence.moment((first + new[k] + 1) * evidence.period)
                    yield (
                        f'{model.joint_names[joint]} was at its effort limit at {at}; '
                        f'its setpoints need {100.0 * needed[joint]:.2g} % of it'
                    )
                    return
        first += len(block)
