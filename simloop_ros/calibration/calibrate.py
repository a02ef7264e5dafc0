"""Calibration of the collision monitors by free motion."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec
import numpy as np

from ..assembly.plant import build_simulated_robot
from ..collision.build import PLAIN, build_monitor
from ..collision.calibration import Calibration, model_hash
from ..collision.collision_monitor import EFFORT_ROUNDING, UNLIMITED_EFFORT, CollisionMonitor
from ..collision.disturbance_observer import BANDWIDTHS, DisturbanceObserver
from ..collision.explanation import Explanation
from ..collision.measured_torque import MeasuredTorque, measured_torque
from ..collision.observation import Observation
from ..collision.residual_noise import ResidualNoise
from ..collision.tail import USUAL_TAIL, BlockMaxima, Tail, thresholds
from ..collision.wrist_torque import WristTorque
from ..control.control_simulation import ControlSimulation
from ..core.errors import ConfigError
from ..core.values import Array
from ..identification.identify import explain
from ..identification.motion import Stretch
from ..plants.plant import Plant
from ..robot.carried_payload import without_later_payloads
from ..robot.fit_robot import load_fit_robot
from ..robot.model import RobotModel
from ..scenario.scenario import Scenario
from .config import ALARMS_PER_HOUR, DURATION
from .following import Progress, follow
from .free_motion import UNLIMITED_SPEED, FreeMotion, random_motion

LEARNING_SHARE = 1.0 / 3.0
"""Part of the motion from which the explanation is learnt; thresholds come from the rest, so that
they hold for motion that nothing was learnt from."""
LEAST_DURATION = 120.0
"""Least duration of a calibration [s]."""
FRICTION_CHANGE = 0.3
"""Part of the friction at full speed that no learnt threshold is below: friction changes with
temperature and load, and other motion has more of it."""
REVERSED_FRICTION = 2.2
"""Multiple of the dry friction by which a joint that turns can differ from one that slides: twice,
where its direction is taken wrong, and some more for its own error."""
STICKING_RMS = 1.0 / np.sqrt(3.0)
"""Part of the dry friction that is the rms error of the torque while a joint turns or sticks: then
friction may be anything between its two directions."""
CURVE_SHARE = 0.03
"""Part of the dry friction that no curve of friction tells, at least: that of a gear also depends
on load and posture, and no calibration may promise more than that for another day."""
JUMP_FACTOR = 4.0
"""Multiple of the largest measured second difference beyond which a sample is a jump."""

Rows = tuple[tuple[tuple[float, ...], ...], ...]


def calibrate(
    scenario: Scenario,
    alarms_per_hour: float = ALARMS_PER_HOUR,
    duration: float = DURATION,
    progress: Progress = lambda _: True,
) -> Calibration:
    """Drive the robot of a scenario through free motion and learn from it.

    Robot, plant, control and period are the scenario's; its motion, pushes, hands and obstacles
    are not, nor what two hands shall hold.

    :param progress: gets the share that is done; returns whether to go on.
    :raises ConfigError: the scenario's robot cannot move freely for so long, or it was stopped.
    """
    model = without_later_payloads(load_fit_robot(scenario.robot))
    config = msgspec.structs.replace(
        scenario.plant, pushes=(), payloads=(), hands=(), obstacles=(), object=None, stops=()
    )
    built = build_simulated_robot(config, model, scenario.period, scenario.seed, scenario.safety)
    control_config = scenario.control.resolved(
        noisy=config.encoder_error > 0.0, flexible=config.flexible_joints
    )
    control = ControlSimulation(model, control_config, scenario.period)
    motion = random_motion(model, duration, np.random.default_rng(scenario.seed))
    wrist_torque, tare_time = None, scenario.wrist_tare()
    if tare_time is not None:
        wrist_torque = WristTorque(model, tare_time, scenario.period)
    measured = measured_torque(scenario.monitor, model)
    calibrator = Calibrator(model, scenario.period, alarms_per_hour, wrist_torque, measured)
    try:
        return calibrator.run(control, built.plant, motion, duration, progress)
    finally:
        built.plant.close()


class Calibrator:
    """Learns from the first part of a motion, then runs every monitor in the rest.

    :param wrist_torque: of a robot with wrist sensors; none without.
    :param tail: what thresholds come from.
    :param measured: makes measured torques the signal; none for commands.
    """

    def __init__(
        self,
        model: RobotModel,
        period: float,
        alarms_per_hour: float,
        wrist_torque: WristTorque | None = None,
        measured: MeasuredTorque | None = None,
        tail: Tail = USUAL_TAIL,
    ):
        self._measured = measured
        self._model = model
        self._period = period
        self._rate = alarms_per_hour
        self._wrist_torque = wrist_torque
        self._tail = tail

    def run(
        self,
        control: ControlSimulation,
        plant: Plant,
        motion: FreeMotion,
        duration: float,
        progress: Progress = lambda _: True,
    ) -> Calibration:
        """Return the calibration; control and plant start where the motion does."""
        if duration < LEAST_DURATION:
            raise ConfigError(
                f'duration: {duration:g} s; a calibration needs {LEAST_DURATION:g} s'
            )
        model, period = self._model, self._period
        steps = round(duration / period)
        first = round(LEARNING_SHARE * duration / period)
        rows = follow(control, plant, motion, period, steps, progress)
        if self._measured is not None:
            rows = _measured(rows, plant, self._measured)
        if self._wrist_torque is not None:
            rows = _explained(rows, plant, self._wrist_torque)
        efforts, positions = np.empty((2, first, model.n))
        for i in range(first):
            row = next(rows)
            efforts[i], positions[i] = row.effort, row.measured
        # An effort moves the robot from the position of the row before it.
        stretch = Stretch(period, period, positions[:-1], efforts[1:])
        explanation = explain(model, [stretch])
        return self.from_motion(
            rows, explanation, largest_jump(positions), (steps - first) * period
        )

    def from_motion(
        self,
        rows: Iterator[Observation],
        explanation: Explanation,
        jump: Array,
        duration: float,
        kinds: Sequence[str] = tuple(PLAIN),
    ) -> Calibration:
        """Return the calibration by free motion, from which nothing was learnt before.

        :param jump: second difference of positions that no valid sample exceeds [rad], ``(n,)``.
        :param duration: of the motion [s].
        :param kinds: monitors to calibrate beside the one that uses the explanation.
        """
        model, period = self._model, self._period
        plain = [build_monitor(kind, model, period) for kind in kinds]
        learnt = DisturbanceObserver(model, period, explanation=explanation)
        records = _record(rows, [*plain, learnt])
        return Calibration(
            robot=model.name,
            model=model_hash(model),
            joint_names=model.joint_names,
            period=period,
            false_alarms_per_hour=self._rate,
            duration=duration,
            thresholds={
                **{each.kind: self._thresholds(records[each.kind], each) for each in plain},
                learnt.kind: self._thresholds(records[learnt.kind], learnt, explanation),
            },
            jump=_positive(jump),
            noise={
                **{each.kind: self._noise(records[each.kind]) for each in plain},
                learnt.kind: self._noise(records[learnt.kind], explanation),
            },
            explanation=explanation,
            signal='command' if self._measured is None else 'measured',
            roughness=tuple(tuple(row) for row in records[learnt.kind].roughness.tolist()),
        )

    def _thresholds(
        self, record: _Record, monitor: CollisionMonitor, explanation: Explanation | None = None
    ) -> Rows:
        """Return the thresholds of a monitor; with an explanation, bounded by friction."""
        least, maxima = monitor.least_threshold, record.blocks.maxima
        found = thresholds(maxima, self._rate, least, self._tail)
        if explanation is not None:
            limit = self._model.velocity_limit
            speed = np.where(np.isfinite(limit), limit, UNLIMITED_SPEED)
            dry = np.abs(explanation.coulomb)
            # An exponential tail would go on beyond what friction can do; a joint that hardly
            # turned may do all of that.
            turned = np.isfinite(maxima[:, 1]).sum(axis=0)
            most = found[0] + REVERSED_FRICTION * dry
            found[1] = np.where(self._tail.fits(turned), np.minimum(found[1], most), most)
            found = np.maximum(found, FRICTION_CHANGE * explanation.friction(speed))
        return msgspec.convert(found.tolist(), Rows)

    def _noise(
        self, record: _Record, explanation: Explanation | None = None
    ) -> tuple[tuple[float, ...], ...]:
        """Return the rms error of the torque in each regime [N m].

        A regime that did not occur has the largest of the others.
        """
        rms = record.torque_rms
        found = np.where(np.isnan(rms), np.nanmax(rms, axis=0), rms)
        if explanation is not None:
            dry = np.abs(explanation.coulomb)
            found = np.hypot(found, CURVE_SHARE * dry)
            found[1] = np.maximum(found[1], STICKING_RMS * dry)
        least = EFFORT_ROUNDING * np.minimum(self._model.effort_limit, UNLIMITED_EFFORT)
        return tuple(_positive(row) for row in np.maximum(found, least))


class _Record:
    """Residuals and torques of one monitor in free motion.

    :ivar blocks: maxima of the residuals.
    """

    def __init__(self, monitor: CollisionMonitor):
        n = monitor.model.n
        self.blocks = BlockMaxima(monitor.period, (monitor.regimes, monitor.channels, n))
        self._monitor = monitor
        self._squares, self._counts = np.zeros((2, monitor.regimes, n))
        self._joints = np.arange(n)
        self._steps = 0
        self._noise: ResidualNoise | None = None
        if isinstance(monitor, DisturbanceObserver):
            self._noise = ResidualNoise(monitor.period, BANDWIDTHS, n)

    def add(self, torque: Array) -> None:
        """Add the last step of the monitor, with its estimated torque [N m], shape ``(n,)``."""
        regime = self._monitor.regime
        self.blocks.add(self._monitor.residuals, regime)
        self._squares[regime, self._joints] += torque**2
        self._counts[regime, self._joints] += 1.0
        if self._noise is not None:
            if self._steps % self._noise.stride == 0:
                self._noise.sample(self._monitor.residuals, regime)
            self._steps += 1

    @property
    def roughness(self) -> Array:
        """Return the variance of the residuals by noise [(N m)^2], shape ``(channels, n)``."""
        assert self._noise is not None
        return self._noise.variance

    @property
    def torque_rms(self) -> Array:
        """Return the rms of the torques [N m], shape ``(regimes, n)``; NaN without any."""
        return np.sqrt(self._squares / np.where(self._counts, self._counts, np.nan))


def _record(
    rows: Iterator[Observation], monitors: Sequence[CollisionMonitor]
) -> dict[str, _Record]:
    """Return the records of monitors, by kind, in the steps in which all have a verdict."""
    records = {monitor.kind: _Record(monitor) for monitor in monitors}
    for row in rows:
        readings = {monitor.kind: monitor.step(row) for monitor in monitors}
        if any(reading.verdict == 'unknown' for reading in readings.values()):
            continue
        for kind, record in records.items():
            record.add(readings[kind].torque)
    return records


def largest_jump(positions: Array) -> Array:
    """Return the second difference that no valid sample exceeds [rad], shape ``(n,)``.

    :param positions: of valid samples [rad], shape ``(steps, n)``.
    """
    found: Array = JUMP_FACTOR * np.abs(np.diff(positions, n=2, axis=0)).max(axis=0)
    return found


def _positive(values: Array) -> tuple[float, ...]:
    """Return the values, with the least positive number in place of zero."""
    return tuple(np.maximum(values, np.finfo(float).tiny).tolist())


def _measured(
    rows: Iterator[Observation], plant: Plant, measured: MeasuredTorque
) -> Iterator[Observation]:
    """Yield the observations of a robot whose joints measure their torque.

    :raises ConfigError: they do not.
    """
    for row in rows:
        torque = plant.report().torque
        if torque is None:
            raise ConfigError(
                'monitor.signal: measured, but this robot measures no torques; give for instance '
                'plant.torque_sensors={noise: 0.05}'
            )
        yield measured.explain(row, torque)


def _explained(
    rows: Iterator[Observation], plant: Plant, wrist_torque: WristTorque
) -> Iterator[Observation]:
    """Yield the observations of a robot with wrist sensors.

    :param rows: of the plant, each after its step.
    """
    for row in rows:
        wrenches = plant.report().wrenches
        assert wrenches is not None
        yield wrist_torque.explain(row, wrenches)
