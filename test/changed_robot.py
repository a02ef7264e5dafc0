"""A robot that swings on all joints and is not what was calibrated, as a monitor is told of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

import msgspec
import numpy as np
import pinocchio as pin

from simloop_ros.collision.adaptive_observer import AdaptiveObserver
from simloop_ros.collision.collision_monitor import MonitorLimits
from simloop_ros.collision.config import DriftConfig
from simloop_ros.collision.disturbance_observer import BANDWIDTHS, DisturbanceObserver
from simloop_ros.collision.explanation import Explanation, nothing_learnt
from simloop_ros.collision.observation import Observation
from simloop_ros.collision.residual_noise import ResidualNoise
from simloop_ros.core.values import JointState
from simloop_ros.robot.fit_robot import load_fit_robot
from simloop_ros.robot.model import RobotModel
from simloop_ros.scenario.robot_files import robot_config

H = 1.0 / 250.0
DRY = 0.02  # dry friction, as a part of the effort limit; viscous friction is as much at 1 rad/s
SMOOTHING = 2e-3  # [rad/s]
NOISE = 1e-5  # of the encoders [rad]
SHAKE = 125.0  # [rad/s]
MARGIN = 1.5  # of the thresholds over the largest residuals of free motion


@dataclass(frozen=True)
class ChangedRobot:
    """Inverse dynamics along sines: what the drives must have given for this motion.

    :ivar friction: multiple of all friction, by time [s].
    :ivar load: ten inertial parameters of what the first tip carries, in its frame, by time.
    :ivar outside: external joint torque [N m] by time, position and velocity.
    :ivar lag: periods that the robot obeys later.
    :ivar shake: amplitude of a fast motion of all joints [rad], as feedback makes.
    :ivar resolution: of the encoders [rad].
    """

    model: RobotModel
    friction: Callable[[float], float] = lambda _: 1.0
    load: Callable[[float], np.ndarray | None] = lambda _: None
    outside: Callable[[float, np.ndarray], np.ndarray | float] = lambda _t, _q: 0.0
    lag: int = 0
    shake: float = 0.0
    resolution: float = 0.0
    speed: float = 1.0
    still: bool = False

    def observations(self, duration: float, seed: int = 0) -> Iterator[Observation]:
        """Yield the steps of a motion, as a monitor is told of them."""
        model, n = self.model, self.model.n
        rng = np.random.default_rng(seed)
        turns = self.speed * (1.0 + 0.37 * np.arange(n)) / np.sqrt(n)
        phases = rng.uniform(0.0, 2.0 * np.pi, n)
        wide = 0.0 if self.still else np.minimum(0.7, 0.4 * (model.upper - model.lower))
        steps = round(duration / H)
        times = H * np.arange(-2, steps)
        q = model.home + wide * np.sin(np.outer(times, turns) + phases)
        v = wide * turns * np.cos(np.outer(times, turns) + phases)
        q += self.shake * np.sin(SHAKE * times)[:, None]
        v += self.shake * SHAKE * np.cos(SHAKE * times)[:, None]
        seen = q + NOISE * rng.standard_normal(q.shape)
        if self.resolution:
            seen = np.rint(seen / self.resolution) * self.resolution
        data = model.pin_model.createData()
        for k in range(2, steps + 2):
            # The effort of step k moves the robot over the position before its end.
            a = (q[k] - 2.0 * q[k - 1] + q[k - 2]) / H**2
            sent = self._effort(data, H * (k - 2), q[k - 1], v[k - 1], a)
            state = JointState(q[k], v[k])
            yield Observation(H * (k - 1), q[k], sent, seen[k], state, sent)

    def late(self, duration: float, seed: int = 0) -> Iterator[Observation]:
        """Yield the steps of a robot that obeys ``lag`` periods later than it is told."""
        rows = list(self.observations(duration, seed))
        for row, later in zip(rows, rows[self.lag :], strict=False):
            yield msgspec.structs.replace(row, effort=later.effort, rollback_effort=later.effort)

    def _effort(
        self, data: pin.Data, time: float, q: np.ndarray, v: np.ndarray, a: np.ndarray
    ) -> np.ndarray:
        dry = viscous = dry_friction(self.model)
        pin_model = self.model.pin_model
        effort = pin.rnea(pin_model, data, q, v, a)
        effort += self.friction(time) * (dry * np.tanh(v / SMOOTHING) + viscous * v)
        load = self.load(time)
        if load is not None:
            frame = self.model.tip_frames[0]
            body = pin.frameBodyRegressor(pin_model, data, frame)
            jacobian = pin.computeFrameJacobian(pin_model, data, q, frame, pin.LOCAL)
            effort += jacobian.T @ (body @ load)
        return effort - self.outside(time, q)


@lru_cache(maxsize=4)
def robot(name: str) -> RobotModel:
    """Return a shipped robot."""
    return load_fit_robot(robot_config(name))


def dry_friction(model: RobotModel) -> np.ndarray:
    """Return the dry friction of each joint [N m]; the viscous one is as much at 1 rad/s."""
    return DRY * np.minimum(model.effort_limit, 200.0)


def calibrated(model: RobotModel) -> Explanation:
    """Return what a calibration would have found: the model, and friction."""
    dry = dry_friction(model)
    return msgspec.structs.replace(
        nothing_learnt(model),
        coulomb=tuple(dry.tolist()),
        viscous=tuple(dry.tolist()),
        smoothing=(SMOOTHING,) * model.n,
        fastest=(2.0,) * model.n,
    )


@lru_cache(maxsize=4)
def _limits(name: str) -> tuple[MonitorLimits, np.ndarray, np.ndarray]:
    """Return thresholds of free motion, the rms of the torque in it, and the noise."""
    model = robot(name)
    monitor = DisturbanceObserver(model, H, explanation=calibrated(model))
    largest = np.zeros((2, monitor.channels, model.n))
    noise = ResidualNoise(H, BANDWIDTHS, model.n)
    torques = []
    for row in ChangedRobot(model).observations(8.0, seed=99):
        if monitor.step(row).verdict == 'unknown':
            continue
        largest = np.maximum(largest, np.abs(monitor.residuals))
        torques.append(monitor.reading.torque)
        if len(torques) % noise.stride == 0:
            noise.sample(monitor.residuals, monitor.regime)
    dry = np.array(calibrated(model).coulomb)
    largest = MARGIN * np.maximum(largest, 0.2 * dry)
    largest[1] += 2.0 * dry
    jump = np.full(model.n, 1e-2)
    rms = np.sqrt(np.mean(np.square(torques), axis=0))
    return MonitorLimits(largest, jump), rms, noise.variance


def fixed(name: str) -> DisturbanceObserver:
    """Return the monitor that does not adapt."""
    return DisturbanceObserver(robot(name), H, _limits(name)[0], calibrated(robot(name)))


def adaptive(name: str, payload: str = 'none', **drift: float) -> AdaptiveObserver:
    """Return the monitor that adapts."""
    limits, noise, roughness = _limits(name)
    model = robot(name)
    return AdaptiveObserver(
        model,
        H,
        limits,
        calibrated(model),
        noise,
        roughness,
        DriftConfig(**drift),
        payload,  # type: ignore[arg-type]
    )


def with_changes(name: str, **changes: object) -> ChangedRobot:
    """Return a shipped robot that has changed."""
    return replace(ChangedRobot(robot(name)), **changes)  # type: ignore[arg-type]
