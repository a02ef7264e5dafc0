"""Collision monitors that compare residuals with calibrated thresholds."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import msgspec
import numpy as np

from ..core.state import Remembering
from ..core.values import Array
from ..robot.model import RobotModel
from .monitor import Monitor
from .observation import Observation, Reading, Verdict
from .sample_validation import SampleValidator, speed_tolerance

EFFORT_ROUNDING = 1e-6
"""Part of an effort limit that may be rounding: engines and solvers agree better than that."""
UNLIMITED_EFFORT = 1e6
"""Stands for the effort limit of a joint that has none [N m]."""


class MonitorLimits(msgspec.Struct, frozen=True):
    """What free motion does not exceed.

    :ivar thresholds: of each residual, shape ``(regimes, channels, n)``.
    :ivar jump: largest second difference of valid positions [rad], shape ``(n,)``.
    """

    thresholds: Array
    jump: Array


class CollisionMonitor(Remembering, Monitor):
    """Compares residuals with thresholds, step by step.

    A monitor has one or more channels, each with one residual per joint; contact is a residual
    beyond its threshold. A joint may have another threshold in another regime, for instance while
    it turns. Steps that ``SampleValidator`` rejects change nothing. They have no verdict, nor have
    the first steps after a start, a gap or a rejected step, until the residuals have settled.

    :cvar channels: residuals per joint; the first one is shown in readings.
    :cvar regimes: thresholds per residual.
    :cvar settling: time without a verdict after a start or a gap [s].
    :cvar recovery: time without a verdict after a rejected jump [s]: as long as the control state
        that the residuals are made of is affected by it.
    :ivar residuals: of the last step, shape ``(channels, n)``.
    :ivar reading: the last one.
    :param limits: without them there is no threshold, and never a contact.
    """

    _remembered: ClassVar[tuple[str, ...]]
    _remembered = ('validator', '_filters', 'residuals', 'regime', '_waiting', 'reading')
    channels: int = 1
    regimes: int = 1
    settling: float = 0.1
    recovery: float = 0.1
    residuals: Array

    def __init__(self, model: RobotModel, period: float, limits: MonitorLimits | None = None):
        super().__init__(model, period)
        if limits is None:
            limits = MonitorLimits(
                np.full((self.regimes, self.channels, model.n), np.inf),
                speed_tolerance(model.velocity_limit, period),
            )
        self._inverse = 1.0 / limits.thresholds
        self.validator = SampleValidator(period, limits.jump)
        self._zero: Array = np.zeros(model.n)
        self.reset()

    def reset(self) -> None:
        """Forget the past; the next sample is the first one."""
        self.validator.reset()
        self._filters: Any = None
        self._waiting = 0  # steps that are still without a verdict
        self.residuals = np.zeros((self.channels, self.model.n))
        self.regime = np.zeros(self.model.n, np.int64)
        self.reading = Reading(self._zero, self._zero, 'unknown', 1.0)

    @property
    def least_threshold(self) -> Array:
        """Return what rounding alone may make of the residuals, shape ``(n,)``."""
        return EFFORT_ROUNDING * np.minimum(self.model.effort_limit, UNLIMITED_EFFORT)

    @property
    def rejected(self) -> int:  # type: ignore[override]
        """Return the number of samples that were not valid."""
        return self.validator.rejected

    def step(self, observation: Observation) -> Reading:
        """Return the reading of one step."""
        validity = self.validator.check(
            observation.time, observation.measured, self._probe(observation)
        )
        if validity == 'returned':
            self._wait(self.recovery)
        elif validity != 'valid':
            return self._without_verdict(validity, observation)
        self._update(observation)
        share = self.residuals * self._inverse_thresholds()
        largest = float(np.maximum.reduce(np.abs(share, share), None))
        verdict: Verdict = 'free' if largest < 1.0 else 'contact'
        doubt = self.doubt
        if self._waiting:
            self._waiting -= 1
            verdict = 'unknown'
        elif doubt and verdict == 'free':
            verdict = 'unknown'
        self.reading = reading = Reading(
            self.residuals[0], self._torque(), verdict, 1.0 - largest, doubt
        )
        return reading

    def _without_verdict(self, validity: str, observation: Observation) -> Reading:
        if validity == 'restart':
            self.validator.start(
                observation.time, observation.measured, observation.state.velocity
            )
            self._filters = self._start(observation)
            self._wait(self.settling)
        elif validity == 'suspect':
            self._update(observation)
        old = self.reading
        self.reading = Reading(old.residual, old.torque, 'unknown', old.margin)
        return self.reading

    def _wait(self, time: float) -> None:
        self._waiting = max(self._waiting, round(time / self.period))

    @abstractmethod
    def _probe(self, observation: Observation) -> float:
        """Return a number that is finite if all that is read is, beside the positions."""

    def _inverse_thresholds(self) -> Array:
        """Return the inverse of the thresholds that hold now, shape ``(channels, n)``."""
        return self._inverse[0]

    def _start(self, observation: Observation) -> Any:  # noqa: ARG002 - most have no filters
        return None

    @abstractmethod
    def _update(self, observation: Observation) -> None:
        """Process a sample: set ``residuals``, and ``_filters`` to a new value.

        The position is that of ``validator``, which is not the measured one after a jump.
        """

    @abstractmethod
    def _torque(self) -> Array:
        """Return the estimated external torque [N m], shape ``(n,)``."""
