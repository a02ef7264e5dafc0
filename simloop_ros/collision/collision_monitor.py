"""What every collision monitor can do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from ..core.values import Array
from ..robot.model import RobotModel
from .intake import Intake, IntakeSnapshot, speed_tolerance
from .observation import Observation, Reading, Verdict

IntArray = npt.NDArray[np.int64]
ROUNDING = 1e-6
"""Part of an effort limit that may be rounding: engines and solvers agree better than that."""
LARGEST = 1e6
"""Stands for the effort limit of a joint that has none [N m]."""


class Limits(msgspec.Struct, frozen=True):
    """What free motion does not exceed.

    :ivar thresholds: of each sign, shape ``(regimes, channels, n)``.
    :ivar jump: largest second difference of honest positions [rad], shape ``(n,)``.
    """

    thresholds: Array
    jump: Array


class MonitorSnapshot(msgspec.Struct, frozen=True):
    """All that the next step of a monitor depends on.

    :ivar filters: what the signs remember.
    :ivar signs: of the last step, shape ``(channels, n)``.
    :ivar regime: of each joint in the last step, shape ``(n,)``.
    :ivar waiting: steps that are still without a verdict.
    :ivar reading: the last one.
    """

    intake: IntakeSnapshot
    filters: Any
    signs: Array
    regime: IntArray
    waiting: int
    reading: Reading


class CollisionMonitor(ABC):
    """Compares signs with thresholds, step by step.

    A monitor has one or more channels, each a sign per joint; contact is a sign beyond its
    threshold. A joint may have another threshold in another regime, for instance while it turns.
    Steps that ``Intake`` rejects leave everything as it is, and so do the first steps
    after a start, a gap or a rejected step, for as long as the signs need to settle.

    :cvar kind: its name in configurations and calibrations.
    :cvar channels: signs per joint.
    :cvar regimes: thresholds per sign.
    :cvar settling: time without a verdict after a start or a gap [s].
    :cvar shaken: time without a verdict after a rejected sample [s]: as long as the control state
        that the signs are made of remembers it.
    :ivar signs: of the last step, shape ``(channels, n)``.
    :ivar regime: index of each joint's regime in the last step, shape ``(n,)``.
    :ivar reading: the last one.
    :param limits: without them there is no threshold, and never a contact.
    """

    kind: str
    channels: int = 1
    regimes: int = 1
    settling: float = 0.1
    shaken: float = 0.1
    signs: Array

    def __init__(self, model: RobotModel, period: float, limits: Limits | None = None):
        self.model = model
        self.period = period
        if limits is None:
            limits = Limits(
                np.full((self.regimes, self.channels, model.n), np.inf),
                speed_tolerance(model.velocity_limit, period),
            )
        self._inverse = 1.0 / limits.thresholds
        self.intake = Intake(period, limits.jump)
        self._nothing: Array = np.zeros(model.n)
        self.reset()

    def reset(self) -> None:
        """Forget the past; the next sample is the first one."""
        self.intake.reset()
        self._filters: Any = None
        self._waiting = 0
        self.signs = np.zeros((self.channels, self.model.n))
        self.regime: IntArray = np.zeros(self.model.n, np.int64)
        self.reading = Reading(self._nothing, self._nothing, 'unknown', 1.0)

    @property
    def least(self) -> Array:
        """Return what rounding alone may make of the signs, shape ``(n,)``."""
        return ROUNDING * np.minimum(self.model.effort_limit, LARGEST)

    def snapshot(self) -> MonitorSnapshot:
        """Return all that the next step depends on."""
        return MonitorSnapshot(
            self.intake.snapshot(),
            self._filters,
            self.signs,
            self.regime,
            self._waiting,
            self.reading,
        )

    def restore(self, snapshot: MonitorSnapshot) -> None:
        """Go back to an earlier snapshot."""
        self.intake.restore(snapshot.intake)
        self._filters = snapshot.filters
        self.signs, self.regime = snapshot.signs, snapshot.regime
        self._waiting = snapshot.waiting
        self.reading = snapshot.reading

    def step(self, observation: Observation) -> Reading:
        """Return the reading of one step."""
        taken = self.intake.take(observation.time, observation.measured, self._probe(observation))
        if taken == 'returned':
            self._wait(self.shaken)
        elif taken != 'good':
            return self._unjudged(taken, observation)
        self._update(observation)
        share = self.signs * self._inverse_thresholds()
        largest = float(np.maximum.reduce(np.abs(share, share), None))
        verdict: Verdict = 'free' if largest < 1.0 else 'contact'
        if self._waiting:
            self._waiting -= 1
            verdict = 'unknown'
        self.reading = reading = Reading(self._residual(), self._torque(), verdict, 1.0 - largest)
        return reading

    def _unjudged(self, taken: str, observation: Observation) -> Reading:
        """Return the last reading without its verdict."""
        if taken == 'restart':
            self.intake.start(observation.time, observation.measured, observation.state.velocity)
            self._filters = self._start(observation)
            self._wait(self.settling)
        elif taken == 'suspect':
            self._update(observation)
        old = self.reading
        self.reading = Reading(old.residual, old.torque, 'unknown', old.margin)
        return self.reading

    def _wait(self, time: float) -> None:
        self._waiting = max(self._waiting, round(time / self.period))

    @abstractmethod
    def _probe(self, observation: Observation) -> float:
        """Return a number that is finite if everything that is read is, beside the positions."""

    def _inverse_thresholds(self) -> Array:
        """Return the inverse of the thresholds that hold now, shape ``(channels, n)``."""
        return self._inverse[0]

    def _start(self, observation: Observation) -> Any:  # noqa: ARG002 - most remember nothing
        """Return what the signs remember at their first sample."""
        return None

    @abstractmethod
    def _update(self, observation: Observation) -> None:
        """Take a sample in: set ``signs``, and ``_filters`` to a new value.

        The position is that of ``intake``, which is not the measured one after a jump.
        """

    @abstractmethod
    def _residual(self) -> Array:
        """Return the sign that a reading shows, shape ``(n,)``."""

    @abstractmethod
    def _torque(self) -> Array:
        """Return the estimated torque from outside [N m], shape ``(n,)``."""
