"""External torques as they come: what is not believed of them."""

from __future__ import annotations

import msgspec
import numpy as np

from ..core.errors import MessageError
from ..core.values import Array


class TorqueFaults(msgspec.Struct, frozen=True, gc=False):
    """Torques that were not believed so far.

    :ivar not_finite: steps with a number that is not finite, taken for no touch.
    :ivar bounded: steps in which a torque was beyond the effort limit, and cut to it.
    :ivar stuck: steps in which the sensor counted as stuck, and its torque was faded out.
    """

    not_finite: int = 0
    bounded: int = 0
    stuck: int = 0


class IntakeSnapshot(msgspec.Struct, frozen=True, gc=False):
    """What the next torque is compared with.

    :ivar torque: the last one as it came [N m], shape ``(n,)``.
    :ivar repeats: how many times it has come again, bit for bit, while joints moved.
    :ivar faults: all faults so far.
    """

    torque: Array
    repeats: int
    faults: TorqueFaults


class TorqueIntake:
    """Turn measured torques into ones that can be used.

    A vector with a number that is not finite counts as no touch at all. Each torque is cut to the
    joint's effort limit. A vector that is not zero and comes again and again, bit for bit, for
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

    def start(self) -> IntakeSnapshot:
        """Return the memory of a sensor that has not been read yet."""
        return IntakeSnapshot(self._none, 0, TorqueFaults())

    def read(
        self, memory: IntakeSnapshot, torque: Array, moving: bool
    ) -> tuple[Array, IntakeSnapshot]:
        """Return the torque to be used [N m], shape ``(n,)``, and the memory for the next one.

        :param moving: whether any joint moves.
        :raises MessageError: the torque is not one number per joint.
        """
        if torque.shape != self._limit.shape:
            raise MessageError(
                f'external torque of shape {torque.shape}: {len(self._limit)} numbers are needed, '
                'one per joint of the robot'
            )
        if not np.isfinite(torque).all():
            return self._none, _count(memory, self._none, 0, not_finite=1)
        used = np.minimum(np.maximum(torque, -self._limit), self._limit)
        same = torque.tobytes() == memory.torque.tobytes() and torque.any()
        repeats = memory.repeats + int(moving) if same else 0
        over = repeats - self._patience
        bounded = used.tobytes() != torque.tobytes()
        if over > 0.0:
            used = used * np.exp(-over / self._patience)
        elif not bounded:
            return used, IntakeSnapshot(torque, repeats, memory.faults)
        return used, _count(memory, torque, repeats, bounded=int(bounded), stuck=int(over > 0.0))


def _count(
    memory: IntakeSnapshot,
    torque: Array,
    repeats: int,
    not_finite: int = 0,
    bounded: int = 0,
    stuck: int = 0,
) -> IntakeSnapshot:
    faults = memory.faults
    return IntakeSnapshot(
        torque,
        repeats,
        TorqueFaults(
            faults.not_finite + not_finite, faults.bounded + bounded, faults.stuck + stuck
        ),
    )
