"""Measured torques or currents as the signal of a monitor, instead of the commands."""

from __future__ import annotations

import msgspec
import numpy as np
import pinocchio as pin

from ..core.errors import ConfigError
from ..core.values import Array
from ..robot.model import RobotModel
from .config import MonitorConfig
from .observation import Observation


class MeasuredTorque:
    """The torque of the joints, from what a robot reports as its effort.

    ::

        torque                    tau = effort
        torque_without_gravity    tau = effort + g(q)
        current                   tau = k effort,    k: drive gains

    A sensor behind the gear does not feel its friction: a calibration with it finds next to none,
    and has thresholds that are as much lower. Gravity is that of the robot at the beginning:
    one that leaves it out knows nothing of what it is given to carry later.

    :param config: with the meaning of the effort, and the drive gains of currents.
    :raises ConfigError: a drive gain is missing, or there are gains of what is not a current.
    """

    def __init__(self, model: RobotModel, config: MonitorConfig):
        self._meaning = config.effort
        self._model = model.copy().pin_model
        self._data = self._model.createData()
        missing = [name for name in model.joint_names if name not in config.drive_gains]
        if config.effort == 'current' and missing:
            raise ConfigError(
                f'monitor.drive_gains: none of {missing[0]}; currents need the torque per current '
                'of every joint [N m/A]'
            )
        unknown = [name for name in config.drive_gains if name not in model.joint_names]
        if unknown or (config.drive_gains and config.effort != 'current'):
            why = f'no joint {unknown[0]}' if unknown else f'monitor.effort is {config.effort}'
            raise ConfigError(f'monitor.drive_gains: {why}; they are for currents, by joint')
        self._gains = np.array([config.drive_gains.get(name, 1.0) for name in model.joint_names])

    def explain(self, seen: Observation, effort: Array) -> Observation:
        """Return an observation with the measured torque as its effort.

        :param effort: as the robot reports it, shape ``(n,)``; NaN where it is lost.
        """
        torque = effort
        if self._meaning == 'current':
            torque = self._gains * effort
        elif self._meaning == 'torque_without_gravity':
            gravity = pin.computeGeneralizedGravity(self._model, self._data, seen.measured)
            torque = effort + gravity
        return msgspec.structs.replace(seen, effort=torque)


def measured_torque(config: MonitorConfig, model: RobotModel) -> MeasuredTorque | None:
    """Return what makes measured torques the signal of a monitor; none for that of commands."""
    return MeasuredTorque(model, config) if config.signal == 'measured' else None
