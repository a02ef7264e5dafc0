"""Calibration of the collision monitors by free motion."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import msgspec
import numpy as np

from ..assembly.plant import build_simulated_robot
from ..collision.build import PLAIN, build_monitor
from ..collision.calibration import Calibration, model_hash
from ..collision.collision_monitor import LARGEST, ROUNDING, CollisionMonitor
from ..collision.disturbance_observer import DisturbanceObserver
from ..collision.explanation import Explanation
from ..collision.learning import average, learn
from ..collision.observation import Observation
from ..collision.tail import BlockMaxima, thresholds
from ..collision.wrist_torque import WristTorque
from ..control.control_simulation import ControlSimulation
from ..core.errors import ConfigError
from ..core.values import Array, JointState
from ..plants.plant import Plant
from ..robot.fit_robot import load_fit_robot
from ..robot.model import RobotModel
from ..scenario.scenario import Scenario
from .free_motion import UNLIMITED_SPEED, FreeMotion, random_motion

DURATION = 360.0
"""Free motion that a calibration watches where nothing is said [s]."""
ALARMS_PER_HOUR = 0.1
"""Rate of false alarms where nothing is said."""
LEARNING = 1.0 / 3.0
"""Part of the motion from which the explanation is learnt; thresholds come from the rest, so that
they hold for motion that nothing was learnt from."""
SHORTEST = 120.0
"""Least duration of a calibration [s]."""
TRUST = 0.3
"""Part of the friction at full speed that no learnt threshold is below: friction changes with
temperature and load, and motion that was not seen has more of it."""
WRONG_WAY = 2.2
"""Multiple of the dry friction by which a joint that turns can differ from one that slides: twice,
where its direction is taken wrong, and some more for its own error."""
HELD = 1.0 / np.sqrt(3.0)
"""Part of the dry friction that is the rms error of the torque while a joint turns or sticks: then
friction may be anything between its two directions."""
JUMP_MARGIN = 4.0
"""Multiple of the largest second difference seen that is taken for a jump."""
PIECE = 4096
"""Steps between two looks at the progress."""

Rows = tuple[tuple[tuple[float, ...], ...], ...]
Progress = Callable[[float], bool]


def calibrate(
    scenario: Scenario,
    alarms_per_hour: float = ALARMS_PER_HOUR,
    duration: float = DURATION,
    progress: Progress = lambda _: True,
) -> Calibration:
    """Drive the robot of a scenario through free motion and learn from it.

    Robot, plant, control and period are the scenario's; its motion, pushes, hands and obstacles
    are not, nor what two hands shall hold.

    :param progress: told the share that is done; returns whether to go on.
    :raises ConfigError: the scenario's robot cannot move freely for so long, or it was stopped.
    """
    model = load_fit_robot(scenario.robot)
    config = msgspec.structs.replace(
        scenario.plant, pushes=(), hands=(), obstacles=(), object=None, stops=()
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
    try:
        return Calibrator(model, scenario.period, alarms_per_hour, wrist_torque).run(
            control, built.plant, motion, duration, progress
        )
    finally:
        built.plant.close()


class Calibrator:
    """Learns from the first part of a motion, then watches every monitor in the rest.

    :param wrist_torque: of a robot with wrist sensors; none without.
    """

    def __init__(
        self,
        model: RobotModel,
        period: float,
        alarms_per_hour: float,
        wrist_torque: WristTorque | None = None,
    ):
        self._model = model
        self._period = period
        self._rate = alarms_per_hour
        self._wrist_torque = wrist_torque

    def run(
        self,
        control: ControlSimulation,
        plant: Plant,
        motion: FreeMotion,
        duration: float,
        progress: Progress = lambda _: True,
    ) -> Calibration:
        """Return the calibration; control and plant start at the motion's begin."""
        if duration < SHORTEST:
            raise ConfigError(f'duration: {duration:g} s; a calibration needs {SHORTEST:g} s')
        model, period = self._model, self._period
        steps = round(duration / period)
        first = round(LEARNING * duration / period)
        rows = follow(control, plant, motion, period, steps, progress)
        if self._wrist_torque is not None:
            rows = _explained(rows, plant, self._wrist_torque)
        efforts, positions = np.empty((2, first, model.n))
        for i in range(first):
            row = next(rows)
            efforts[i], positions[i] = row.effort, row.measured
        explanation = learn(model, average(efforts, positions, period))
        monitors = [
            *(build_monitor(kind, model, period) for kind in PLAIN),
            DisturbanceObserver(model, period, explanation=explanation),
        ]
        jump = JUMP_MARGIN * np.abs(np.diff(positions, n=2, axis=0)).max(axis=0)
        watched, noise = _watch(rows, monitors)
        return Calibration(
            robot=model.name,
            model=model_hash(model),
            joint_names=model.joint_names,
            period=period,
            false_alarms_per_hour=self._rate,
            duration=(steps - first) * period,
            thresholds={
                monitor.kind: self._thresholds(
                    watched[monitor.kind],
                    monitor.least,
                    explanation if monitor.kind == DisturbanceObserver.kind else None,
                )
                for monitor in monitors
            },
            jump=_positive(jump),
            noise={
                monitor.kind: self._noise(
                    noise[monitor.kind],
                    explanation if monitor.kind == DisturbanceObserver.kind else None,
                )
                for monitor in monitors
            },
            explanation=explanation,
        )

    def _thresholds(self, maxima: Array, least: Array, explanation: Explanation | None) -> Rows:
        found = thresholds(maxima, self._rate, least)
        if explanation is not None:
            limit = self._model.velocity_limit
            speed = np.where(np.isfinite(limit), limit, UNLIMITED_SPEED)
            dry = np.abs(explanation.coulomb)
            # An exponential tail would go on beyond what friction can do.
            found[1] = np.minimum(found[1], found[0] + WRONG_WAY * dry)
            found = np.maximum(found, TRUST * explanation.friction(speed))
        return msgspec.convert(found.tolist(), Rows)

    def _noise(self, rms: Array, explanation: Explanation | None) -> tuple[tuple[float, ...], ...]:
        """Return the noise of each regime; one that did not occur has the largest of the others.

        :param rms: of the estimated torque [N m], shape ``(regimes, n)``; NaN where unknown.
        """
        found = np.where(np.isnan(rms), np.nanmax(rms, axis=0), rms)
        if explanation is not None:
            found[1] = np.maximum(found[1], HELD * np.abs(explanation.coulomb))
        least = ROUNDING * np.minimum(self._model.effort_limit, LARGEST)
        return tuple(_positive(row) for row in np.maximum(found, least))


def _watch(
    rows: Iterator[Observation], monitors: Sequence[CollisionMonitor]
) -> tuple[dict[str, Array], dict[str, Array]]:
    """Return the block maxima of each monitor's signs, and the rms of its torques [N m].

    The rms has the shape ``(regimes, n)``, with NaN where a joint was never in a regime.
    """
    blocks = {
        monitor.kind: BlockMaxima(
            monitor.period, (monitor.regimes, monitor.channels, monitor.model.n)
        )
        for monitor in monitors
    }
    sums = {monitor.kind: np.zeros((2, monitor.regimes, monitor.model.n)) for monitor in monitors}
    for row in rows:
        readings = {monitor.kind: monitor.step(row) for monitor in monitors}
        if any(reading.verdict == 'unknown' for reading in readings.values()):
            continue
        for monitor in monitors:
            blocks[monitor.kind].add(monitor.signs, monitor.regime)
            squares, counts = sums[monitor.kind]
            joints = np.arange(monitor.model.n)
            squares[monitor.regime, joints] += readings[monitor.kind].torque ** 2
            counts[monitor.regime, joints] += 1.0
    return (
        {kind: block.maxima for kind, block in blocks.items()},
        {
            kind: np.sqrt(squares / np.where(counts, counts, np.nan))
            for kind, (squares, counts) in sums.items()
        },
    )


def _positive(values: Array) -> tuple[float, ...]:
    """Return the values, with the least number there is for a robot without any noise."""
    return tuple(np.maximum(values, np.finfo(float).tiny).tolist())


def _explained(
    rows: Iterator[Observation], plant: Plant, wrist_torque: WristTorque
) -> Iterator[Observation]:
    """Yield what a monitor is told of a robot with wrist sensors.

    :param rows: of the plant, each after its step.
    """
    for row in rows:
        wrenches = plant.report().wrenches
        assert wrenches is not None
        yield wrist_torque.explain(row, wrenches)


def follow(
    control: ControlSimulation,
    plant: Plant,
    motion: FreeMotion,
    period: float,
    steps: int,
    progress: Progress = lambda _: True,
) -> Iterator[Observation]:
    """Yield what a monitor is told while the robot follows a motion from its start.

    :raises ConfigError: ``progress`` said to stop.
    """
    start = JointState(motion.home, np.zeros_like(motion.home))
    plant.start(start)
    control.start(start)
    for begin in range(0, steps, PIECE):
        count = min(PIECE, steps - begin)
        if not progress(begin / steps):
            raise ConfigError('stopped before the end: nothing was learnt')
        yield from observe(control, plant, motion.positions(period, begin, count), period, begin)


def observe(
    control: ControlSimulation, plant: Plant, positions: Array, period: float, first: int = 0
) -> Iterator[Observation]:
    """Yield what a monitor is told of each step while the robot follows desired positions.

    :param positions: [rad], shape ``(steps, n)``.
    :param first: index of the first step.
    """
    for i, desired in enumerate(positions, start=first + 1):
        command = control.step(desired)
        plant.step(command.effort)
        measured = plant.observe()
        rollback = control.rollback(command, measured)
        yield Observation(
            i * period, desired, command.effort, measured, rollback.state, rollback.effort
        )
