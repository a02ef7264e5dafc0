"""A disturbance observer that stays calibrated while the robot changes."""

from __future__ import annotations

from typing import ClassVar

import msgspec
import numpy as np

from ..core.values import Array
from ..robot.model import RobotModel
from .adaptation import CAUTION, Belief, DriftFilter
from .collision_monitor import CollisionMonitor, MonitorLimits
from .config import DriftConfig, PayloadMode
from .disturbance_observer import BANDWIDTHS, DisturbanceObserver, FilterState
from .drift_state import DriftState, Window
from .drifting_explainer import DriftingExplainer
from .explanation import Explanation
from .load import Load
from .load_hypothesis import LoadHypothesis
from .monitor import IntArray
from .observation import Observation
from .residual_noise import ResidualNoise

WINDOW = 0.04
"""Time over which the unexplained torque is averaged for one measurement [s]."""
SETTLED_WINDOWS = 250
"""Windows after the start from which on fewer of them are taken."""
TAKEN = 3
"""Of so many windows one is taken then."""
SPEED_AHEAD = 0.08
"""Time over which a change of speed counts for the threshold [s]."""
MARGIN = 1.2
"""Of the calibrated thresholds: minutes of motion were extended to hours, of other motion."""
FADING = 0.5
"""Share of the unknown variance that is left a window later, at least."""
WIDENING = 3.0
"""Standard deviations of what is not known that a threshold is wider."""
NOISE_SIGMAS = 6.0
"""Multiple of its rms that noise never exceeds in an hour of all joints and channels."""
TURNED_FRICTION = 2.2
"""Multiple of the friction that may be wrong where a joint turns, as in the calibration."""
WHITENESS_WINDOWS = 200
"""Windows over which innovations are averaged."""
WHITE = 1.0
"""Mean squared innovation over its variance beyond which the model is not trusted."""
SUSPICION_WINDOWS = 25
"""Windows after the last contact for which a load is still suspected."""


class AdaptiveObserver(DisturbanceObserver):
    """A disturbance observer whose explanation follows friction and load.

    Every 40 ms the mean of ``e`` over a window is a measurement of the changes ``x`` of friction
    and load (``DriftFilter``). Their mean is added to the explanation; what is not known of them
    widens the threshold of the joint at its present speed::

        threshold^2 = calibrated^2 + 9 H P H^T + 36 (s^2 - s_0^2)

    The last term is noise beyond that of the calibration, of coarser encoders, a heavier load or
    commands that come later (``ResidualNoise``).

    :param noise: rms of the torque that the calibration leaves unexplained [N m], shape ``(n,)``.
    :param roughness: variance of the residuals by noise in the calibration [(N m)^2], shape
        ``(channels, n)``; none where it is not known: then noise is not followed.
    """

    _remembered: ClassVar[tuple[str, ...]] = (
        *CollisionMonitor._remembered,
        '_drift',
        '_window',
        '_noise',
    )

    def __init__(
        self,
        model: RobotModel,
        period: float,
        limits: MonitorLimits,
        explanation: Explanation,
        noise: Array,
        roughness: Array | None,
        config: DriftConfig,
        payload: PayloadMode = 'none',
    ):
        self._noise = ResidualNoise(period, BANDWIDTHS, model.n)
        stride = self._noise.stride
        self._half = stride * max(1, round(0.5 * WINDOW / (stride * period)))
        shift = np.abs(np.arange(2 * self._half) - self._half)
        self._weights = [np.array(each) for each in (self._half - shift) / self._half**2]
        self.adaptation = DriftFilter(
            explanation, noise, config, 2 * self._half * period, len(model.tip_frames)
        )
        self._payload = payload
        self._hypothesis = LoadHypothesis(
            self.adaptation, 1.0 / noise**2, 2 * self._half * period, model.tips
        )
        self._squares = (MARGIN * limits.thresholds) ** 2
        self._roughness = roughness
        self._of_inverse: Array | None = None
        self._explainer: DriftingExplainer
        self._dry = np.abs(explanation.coulomb)
        super().__init__(model, period, limits, explanation)

    def _make_explainer(self, model: RobotModel, explanation: Explanation) -> DriftingExplainer:
        return DriftingExplainer(model, explanation)

    def reset(self) -> None:
        """Forget the past; the next sample is the first one."""
        super().reset()
        self._noise.reset()
        zero, belief = self._zero, self.adaptation.prior
        self._drift = DriftState(
            belief=belief,
            inverse=self._inverse,
            unknown=zero,
            whiteness=zero,
            doubt='',
            quiet=SUSPICION_WINDOWS,
            suspicion=None,
            load=None,
        )
        self._window = Window(0, 0, zero, zero, zero)
        self._explainer.change(belief.mean)
        self._drift = self._widened(self._drift, self.model.home, zero, zero)

    @property
    def belief(self) -> Belief:
        """Return what is known of the changes since the calibration."""
        return self._drift.belief

    @property
    def thresholds(self) -> Array:
        """Return the thresholds that hold now, shape ``(regimes, channels, n)``."""
        return 1.0 / self._drift.inverse

    @property
    def recognised(self) -> Load | None:  # type: ignore[override]
        """Return the load that a contact turned out to be, as it was first known."""
        return self._drift.load

    def accept(self) -> Load | None:
        """Take over the load that is proposed with the next window, and return it; none if none.

        It is the one that is known by then.
        """
        load = self._drift.load
        if load is None or load.taken:
            return None
        self._drift = msgspec.structs.replace(self._drift, accepted=True)
        return load

    @property
    def load(self) -> Load | None:
        """Return the load that a tip carries, as it is known now."""
        drift = self._drift
        if self._payload == 'ask' and drift.suspicion is not None:
            return self._hypothesis.load(drift.suspicion.belief) if drift.load else None
        return self._hypothesis.load(drift.belief)

    @property
    def doubt(self) -> str:  # type: ignore[override]
        """Return why the monitor is no longer to be trusted; empty where it is."""
        return self._drift.doubt

    def _doubt(self, belief: Belief, whiteness: Array) -> str:
        bounded, rough = self.adaptation.at_bounds(belief), whiteness > WHITE
        if not (bounded.any() or rough.any()):
            return ''
        names = np.array(self.model.joint_names)
        if bounded.any():
            return f'friction of {", ".join(names[bounded])} is beyond what adapts'
        return f'torque of {", ".join(names[rough])} is not explained'

    def restore(self, snapshot: object) -> None:
        """Go back to an earlier snapshot."""
        super().restore(snapshot)
        self._explainer.change(self._drift.belief.mean)

    def _start(self, observation: Observation) -> FilterState:
        self._window = Window(self._window.number, 0, self._zero, self._zero, self._zero)
        self._noise.pause()
        return super()._start(observation)

    def _unexplained(self, old: FilterState, a: Array, observation: Observation) -> Array:
        unexplained = super()._unexplained(old, a, observation)
        window = self._window
        step, total = window.step, self._weights[window.step] * unexplained
        if step:
            total += window.total
        begin = window.begin if step else old.position
        middle = old.position if step == self._half else window.middle
        self._window = Window(window.number, step + 1, total, begin, middle)
        return unexplained

    def _update(self, observation: Observation) -> None:
        super()._update(observation)
        window, stride = self._window, self._noise.stride
        if window.step % stride:
            return
        contact = self.reading.verdict == 'contact'
        number = window.number
        settled = number >= SETTLED_WINDOWS and self._drift.suspicion is None
        # Once much is known, two samples and one window of three are enough.
        if not settled or window.step <= 2 * stride:
            if window.step == stride:
                self._noise.pause()
            self._noise.sample(self.residuals, self.regime, CAUTION if contact else 1.0)
        if window.step == 2 * self._half:
            if not settled or number % TAKEN == 0:
                self._adapt(window, contact=contact, windows=TAKEN if settled else 1)
            self._window = Window(number + 1, 0, self._zero, self._zero, self._zero)

    def _adapt(self, window: Window, *, contact: bool, windows: int) -> None:
        """Take a window as a measurement.

        :param windows: since the last one that was taken.
        """
        drift, span = self._drift, self._half * self.period
        begin, middle, end = window.begin, window.middle, self.validator.position
        unexplained = window.total
        q = (begin + 10.0 * middle + end) / 12.0
        v = (end - begin) / (2.0 * span)
        a = (end - 2.0 * middle + begin) / span**2
        loads = drift.suspicion is not None or not self.adaptation.knows_load(drift.belief)
        columns = self._explainer.regressor.rows(q, v, a, loads=loads)
        rows = np.flatnonzero(self.regime == 0)
        belief, normalised = self.adaptation.update(
            drift.belief, columns, unexplained, rows, contact=contact, windows=windows
        )
        whiteness = drift.whiteness.copy()
        whiteness[rows] += (normalised - whiteness[rows]) / WHITENESS_WINDOWS
        drift = msgspec.structs.replace(
            drift,
            whiteness=whiteness,
            doubt=self._doubt(belief, whiteness),
            quiet=0 if contact else min(drift.quiet + 1, SUSPICION_WINDOWS),
        )
        if self._payload != 'none':
            drift = self._suspect(drift, columns, unexplained, rows)
        if drift.belief is self._drift.belief:  # no load was taken over
            drift = msgspec.structs.replace(drift, belief=belief)
        self._explainer.change(drift.belief.mean)
        self._shift(columns @ (drift.belief.mean - self._drift.belief.mean))
        self._drift = self._widened(drift, end, v, a, columns)

    def _shift(self, torque: Array) -> None:
        """Let the filters be as if the explanation had always been larger by a torque [N m].

        One that is constant ends in the disturbance of every channel, and in nothing else.
        """
        filters = self._filters.filters.copy()
        filters[5::3] += torque
        self._filters = msgspec.structs.replace(self._filters, filters=filters)
        self.residuals = filters[5::3]

    def _suspect(
        self, drift: DriftState, columns: Array, unexplained: Array, rows: IntArray
    ) -> DriftState:
        """Return the state after a look for a load."""
        replace, suspicion = msgspec.structs.replace, drift.suspicion
        if drift.quiet >= SUSPICION_WINDOWS:
            kept = drift.load if drift.load is not None and drift.load.taken else None
            return replace(drift, suspicion=None, load=kept, accepted=False)
        if suspicion is None:
            return replace(drift, suspicion=self._hypothesis.begin(drift.belief))
        takes = self._payload == 'take'
        known = drift.load is not None and (takes or not drift.load.taken)
        suspicion = self._hypothesis.step(
            suspicion, drift.belief, columns, unexplained, rows, known=known
        )
        load, accepted = self._hypothesis.load(suspicion.belief), drift.accepted
        if load is None or not (accepted or self._hypothesis.found(suspicion)):
            return replace(drift, suspicion=suspicion)
        if takes or accepted:
            return replace(
                drift,
                belief=suspicion.belief,
                suspicion=None,
                load=replace(load, taken=True),
                quiet=SUSPICION_WINDOWS,
                accepted=False,
            )
        return replace(drift, suspicion=suspicion, load=drift.load if known else load)

    def _widened(
        self, drift: DriftState, q: Array, v: Array, a: Array, columns: Array | None = None
    ) -> DriftState:
        """Return the state with the thresholds of what is known now."""
        belief, regressor = drift.belief, self._explainer.regressor
        if columns is None:
            loads = not self.adaptation.knows_load(belief)
            columns = regressor.rows(q, v, a, loads=loads)
        n = q.size
        # At the speeds until the next window, and those that the filters remember.
        speed, change = np.abs(v), SPEED_AHEAD * np.abs(a)
        reached = np.array((np.maximum(0.0, speed - change), speed + change))
        speeds = np.stack((np.tanh(reached * regressor.bend), reached), axis=1)
        unknown = self.adaptation.variance(belief, columns, tuple(speeds))
        # What was not known a moment ago is still in the filters.
        unknown = np.maximum(unknown, FADING * drift.unknown)
        variance = np.diag(belief.covariance)[:n]
        more = TURNED_FRICTION * np.maximum(0.0, belief.mean[:n])
        turning = (np.sqrt(self._squares[1]) + more) ** 2 + (2 * WIDENING) ** 2 * variance
        squares = np.stack((self._squares[0], np.maximum(turning, self._squares[1])))
        squares += WIDENING**2 * unknown
        if self._roughness is not None:
            more = np.maximum(0.0, self._noise.variance - self._roughness)
            squares += NOISE_SIGMAS**2 * self._noise.known * more
        return msgspec.structs.replace(drift, unknown=unknown, inverse=1.0 / np.sqrt(squares))

    def _inverse_thresholds(self) -> Array:
        inverse = self._drift.inverse
        if self.regime is not self._of_regime or inverse is not self._of_inverse:
            self._of_regime, self._of_inverse = self.regime, inverse
            self._chosen = np.where(self.regime, inverse[1], inverse[0])
        return self._chosen
