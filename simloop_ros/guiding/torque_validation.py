"""Validation of measured external torques."""

from __future__ import annotations

import msgspec
import numpy as np

from ..core.errors import MessageError
from ..core.values import Array


class TorqueFaults(msgspec.Struct, frozen=True, gc=False):
    """Invalid torques so far.

    :ivar not_finite: steps with a number that is not finite, which count as zero.
    :ivar bounded: steps in which a torque was beyond the effort limit, and clipped to it.
    :ivar stuck: steps in which the sensor counted as stuck, and its torque was faded out.
    """

    not_finite: int = 0
    bounded: int = 0
    stuck: int = 0


class TorqueValidatorSnapshot(msgspec.Struct, frozen=True, gc=False):
    """What the next torque is compared with.

    :ivar torque: the last one as it came [N m], shape ``(n,)``.
    :ivar repeats: how many times it has come again, bit for bit, while joints moved.
    :ivar faults: all faults so far.
    """

    torque: Array
    repeats: int
    faults: TorqueFaults


class TorqueValidator:
    """Turns measured torques into valid ones.

    A vector with a number that is not finite counts as zero. Each torque is clipped to the joint's
    effort limit. A vector that is not zero and comes again and again, bit for bit, for
    longer than ``stuck_time`` of motion fades with that time constant. (While nothing moves a
    torque may rightly stay the same, and does no harm.) The torque may jump by all this; the mass
    of the admittance sees to it that neither position nor velocity does.

    :param effort_limit: [N m], shape ``(n,)``; may be infinite.
    :param stuck_time: [s].
    :param period: time between two torques [s].
    """

    def __init__(self, effort_limit: Array, stuck_time: float, period: float):
        self._limit = effort_limit
        self._patience = stuck_time / period
        self._none = np.zeros(len(effort_limit))

    def initial(self) -> TorqueValidatorSnapshot:
        """Return the state of a sensor that has not been read yet."""
        return TorqueValidatorSnapshot(self._none, 0, TorqueFaults())

    def validate(
        self, state: TorqueValidatorSnapshot, torque: Array, moving: bool
    ) -> tuple[Array, TorqueValidatorSnapshot]:
        """Return the torque to be used [N m], shape ``(n,)``, and the state for the next one.

        :param moving: whether any joint moves.
        :raises MessageError: the torque is not one number per joint.
        """
        if torque.shape != self._limit.shape:
            raise MessageError(
                f'external torque of shape {torque.shape}: {len(self._limit)} numbers are needed, '
                'one per joint of the robot'
            )
        if not np.isfinite(torque).all():
            return self._none, _count(state, self._none, 0, not_finite=1)
        used = np.minimum(np.maximum(torque, -self._limit), self._limit)
        same = torque.tobytes() == state.torque.tobytes() and torque.any()
        repeats = state.repeats + int(moving) if same else 0
        over = repeats - self._patience
        bounded = used.tobytes() != torque.tobytes()
        if over > 0.0:
            used = used * np.exp(-over / self._patience)
        elif not bounded:
            return used, TorqueValidatorSnapshot(torque, repeats, state.faults)
        return used, _count(state, torque, repeats, bounded=int(bounded), stuck=int(over > 0.0))


def _count(
    state: TorqueValidatorSnapshot,
    torque: Array,
    repeats: int,
    not_finite: int = 0,
    bounded: int = 0,
    stuck: int = 0,
) -> TorqueValidatorSnapshot:
    faults = state.faults
    return TorqueValidatorSnapshot(
        torque,
        repeats,
        TorqueFaults(
            faults.not_finite + not_finite, faults.bounded + bounded, faults.stuck + stuck
        ),
    )
