"""A recorded motion as the observations that monitors take, with causal filters only."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import numpy as np
import pinocchio as pin

from ..collision.disturbance_observer import MOTION_BANDWIDTH
from ..collision.observation import Observation
from ..core.values import Array, JointState
from ..logs.recording import Signal
from ..logs.segments import Segment
from ..maths.kalman import motion_filter
from ..robot.model import RobotModel


class Seen(msgspec.Struct, frozen=True):
    """A segment as monitors see it, row by row.

    :ivar time: [s], shape ``(rows,)``.
    :ivar measured: positions [rad], shape ``(rows, n)``.
    :ivar position: filtered [rad], shape ``(rows, n)``.
    :ivar velocity: filtered [rad/s], shape ``(rows, n)``.
    :ivar effort: torque that belongs to the acceleration that a row shows [N m], ``(rows, n)``.
    :ivar explained: by the model, from the filtered motion [N m], shape ``(rows, n)``.
    """

    period: float
    time: Array
    measured: Array
    position: Array
    velocity: Array
    effort: Array
    explained: Array

    @property
    def rows(self) -> int:
        """Return the number of samples."""
        return len(self.time)

    def observation(self, row: int, more: Array | None = None) -> Observation:
        """Return the observation of a row.

        :param more: torque to add to the effort [N m], shape ``(n,)``.
        """
        effort = self.effort[row]
        return Observation(
            float(self.time[row]),
            self.measured[row],
            effort if more is None else effort + more,
            self.measured[row],
            JointState(self.position[row], self.velocity[row]),
            self.explained[row],
        )

    def observations(self, begin: float = -np.inf, end: float = np.inf) -> Iterator[Observation]:
        """Yield the observations of the rows between two times [s], the end not included."""
        for row in range(self.rows):
            if begin <= self.time[row] < end:
                yield self.observation(row)


def seen(segment: Segment, model: RobotModel, signal: Signal) -> Seen:
    """Return a segment as monitors see it.

    The second difference of positions at row ``k`` is the acceleration at ``k - 1``. A measured
    torque is of its own row, so the one of ``k - 1`` belongs to it: the price is one period of
    delay. A command of row ``k`` acts from ``k - 1`` to ``k`` and belongs to it as it is.

    There is no control simulation in a log. Its state is replaced by the Kalman filter that the
    ``disturbance_observer`` has, on positions alone.
    """
    recording = segment.recording
    torque = recording.torque(signal)
    assert torque is not None
    effort = torque if signal == 'command' else np.concatenate((torque[:1], torque[:-1]))
    motion = filtered_motion(recording.position, segment.period)
    position, velocity = motion[:, 0], motion[:, 1]
    robot, data = model.pin_model, model.pin_model.createData()
    explained = np.zeros_like(position)
    for row in range(1, len(explained)):
        a = (velocity[row] - velocity[row - 1]) / segment.period
        explained[row] = pin.rnea(robot, data, position[row - 1], velocity[row - 1], a)
    explained[0] = explained[1]
    return Seen(
        segment.period, recording.time, recording.position, position, velocity, effort, explained
    )


def filtered_motion(position: Array, period: float, bandwidth: float = MOTION_BANDWIDTH) -> Array:
    """Return position, velocity and acceleration by a causal filter, shape ``(rows, 3, n)``.

    It starts at the first position, with the velocity to the second one.

    :param position: [rad], shape ``(rows, n)``.
    :param period: [s].
    :param bandwidth: of the filter [rad/s].
    """
    step = motion_filter(period, bandwidth)
    state = np.zeros((3, position.shape[1]))
    state[0], state[1] = position[0], (position[1] - position[0]) / period
    states = np.empty((len(position), 3, position.shape[1]))
    states[0] = state
    for row in range(1, len(position)):
        state = step[:, :3] @ state + step[:, 3:] * position[row]
        states[row] = state
    return states
