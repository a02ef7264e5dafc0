"""Input and output of a collision monitor."""

from __future__ import annotations

from typing import Literal

import msgspec

from ..core.values import Array, JointState

Verdict = Literal['free', 'contact', 'unknown']


class Observation(msgspec.Struct, frozen=True, gc=False):
    """One step of the loop as the control simulation knows it.

    :ivar time: end of the step [s].
    :ivar desired: ``q_d`` of the step [rad], shape ``(n,)``.
    :ivar effort: ``tau`` that was sent [N m], 000 (5.2), shape ``(n,)``; of a robot with wrist
        sensors, plus the torque of what they measured.
    :ivar measured: position at the end of the step [rad], shape ``(n,)``.
    :ivar state: the control state after the rollback, 000 (5.6).
    :ivar rollback_effort: ``tau'`` that explains the step [N m], 000 (5.7), shape ``(n,)``.
    """

    time: float
    desired: Array
    effort: Array
    measured: Array
    state: JointState
    rollback_effort: Array


class Reading(msgspec.Struct, frozen=True, gc=False):
    """Output of a monitor for a step.

    :ivar residual: of its first channel, shape ``(n,)``: [rad] for ``position_difference``,
        [N m] for the others.
    :ivar torque: estimated external torque [N m], shape ``(n,)``.
    :ivar verdict: ``unknown`` where the step could not be judged: it was rejected, or a filter is
        still settling.
    :ivar margin: what is left to the threshold, as a part of it: 1 for a residual of zero, 0 at
        the threshold, negative beyond.
    :ivar doubt: why a monitor that adapts is no longer to be trusted; empty where it is. Then no
        step is ``free``.
    """

    residual: Array
    torque: Array
    verdict: Verdict
    margin: float
    doubt: str = ''
