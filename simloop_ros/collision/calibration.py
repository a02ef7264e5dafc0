"""A calibration: what was identified about one robot at one period, as a file."""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec
import numpy as np

from ..core.config_messages import convert
from ..core.config_types import NonNegative, Period, Positive
from ..core.errors import ConfigError, UnknownNameError, warn_renamed
from ..core.files import load_yaml, read_text
from ..core.values import Array
from ..robot.model import RobotModel
from .collision_monitor import MonitorLimits
from .config import RENAMED_KINDS, MonitorSignal
from .explanation import Explanation

PERIOD_TOLERANCE = 1e-6
"""Relative difference up to which two periods are the same."""
NOISE_SIGMAS = 3.0
"""Multiple of its rms that a noise hardly ever exceeds."""


class Calibration(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Thresholds of every monitor for free motion without alarm.

    :ivar robot: name of the robot in its URDF.
    :ivar model: hash of joints, limits, kinematics and inertia that control was given.
    :ivar joint_names: in the order of everything below.
    :ivar period: of the loop [s].
    :ivar false_alarms_per_hour: the rate that the thresholds are for.
    :ivar duration: free motion that the thresholds come from [s].
    :ivar thresholds: by kind of monitor, regime and channel, ``n`` each.
    :ivar jump: second difference of positions that no valid sample exceeds [rad].
    :ivar noise: rms error of the estimated torque [N m], by kind and regime, ``n`` each.
    :ivar roughness: variance of the residuals of ``disturbance_observer`` by noise alone
        [(N m)^2], by channel, ``n`` each; none in older files.
    :ivar signal: what the efforts were: commands, or measured torques.
    """

    robot: str
    model: str
    joint_names: tuple[str, ...]
    period: Period
    false_alarms_per_hour: Positive
    duration: Positive
    thresholds: dict[str, tuple[tuple[tuple[Positive, ...], ...], ...]]
    jump: tuple[Positive, ...]
    noise: dict[str, tuple[tuple[Positive, ...], ...]]
    explanation: Explanation
    roughness: tuple[tuple[NonNegative, ...], ...] = ()
    signal: MonitorSignal = 'command'

    def limits(self, kind: str) -> MonitorLimits:
        """Return the limits of one kind of monitor."""
        if kind not in self.thresholds:
            raise UnknownNameError('monitor', kind, self.thresholds)
        return MonitorLimits(np.array(self.thresholds[kind]), np.array(self.jump))

    def torque_error(self, kind: str) -> Array:
        """Return the error that the estimated torque hardly ever exceeds [N m], shape ``(n,)``.

        The noise, and the dry friction: a joint that sticks holds any torque up to it.

        :param kind: of monitor that estimates it.
        """
        if kind not in self.noise:
            raise UnknownNameError('monitor', kind, self.noise)
        return np.abs(self.explanation.coulomb) + NOISE_SIGMAS * np.array(self.noise[kind][0])

    def check_fits(self, model: RobotModel, period: float, source: str) -> None:
        """Refuse a calibration that was made for something else.

        :param source: its name in the message.
        :raises ConfigError: it is for another robot, model or period.
        """
        again = 'run simloop calibrate again'
        if self.robot != model.name:
            raise ConfigError(f'{source}: made for robot {self.robot!r}, not {model.name!r}')
        if self.joint_names != model.joint_names:
            raise ConfigError(
                f'{source}: made for joints {", ".join(self.joint_names)}; the robot has '
                f'{", ".join(model.joint_names)}: {again}'
            )
        if self.model != model_hash(model):
            raise ConfigError(
                f'{source}: the description of {model.name} has changed since it was made: {again}'
            )
        if abs(self.period - period) > PERIOD_TOLERANCE * period:
            raise ConfigError(
                f'{source}: made for a period of {self.period:g} s, not {period:g} s: {again}'
            )


def model_hash(model: RobotModel) -> str:
    """Return a hash of what the dynamics depend on, as 16 hexadecimal digits."""
    digest = hashlib.sha256()
    pin_model = model.pin_model
    for name in model.joint_names:
        digest.update(name.encode())
    for values in (
        *(pin_model.inertias[i].toDynamicParameters() for i in range(1, pin_model.njoints)),
        *(pin_model.jointPlacements[i].homogeneous for i in range(1, pin_model.njoints)),
        pin_model.gravity.linear,
        model.effort_limit,
        model.velocity_limit,
        *([pin_model.armature] if np.any(pin_model.armature) else []),
    ):
        # Rounded: the same URDF read on another machine may differ in the last digit.
        digest.update((np.round(np.asarray(values, np.float64), 9) + 0.0).tobytes())
    return digest.hexdigest()[:16]


def load_calibration(path: Path, model: RobotModel, period: float) -> Calibration:
    """Read a calibration for this robot and period.

    :raises ConfigError: the file cannot be read, is not a calibration, or is for something else.
    """
    text = read_text(path)
    try:
        calibration = convert(load_yaml(text), Calibration, 'the whole')
    except ConfigError as error:
        raise ConfigError(f'{path}: not a calibration: {error}') from error
    calibration = _with_new_kinds(calibration, str(path))
    calibration.check_fits(model, period, str(path))
    return calibration


def _with_new_kinds(calibration: Calibration, source: str) -> Calibration:
    """Return a calibration in which monitors have their present names."""
    for old, new in RENAMED_KINDS.items():
        if old in calibration.thresholds or old in calibration.noise:
            warn_renamed(source, old, new)
            calibration = msgspec.structs.replace(
                calibration,
                thresholds={new if k == old else k: v for k, v in calibration.thresholds.items()},
                noise={new if k == old else k: v for k, v in calibration.noise.items()},
            )
    return calibration
