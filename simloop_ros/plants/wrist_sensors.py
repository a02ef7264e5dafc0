"""Force sensors between arms and hands, with noise, bias and faults."""

from __future__ import annotations

import msgspec
import numpy as np

from ..core.errors import ConfigError, UnknownNameError
from ..core.values import UNDISTURBED, Array, Disturbance, PlantReport
from ..robot.model import RobotModel
from .config import SensorFault, WristSensors
from .plant import Plant
from .wrapper import PlantWrapper


class _Fault(msgspec.Struct, frozen=True):
    """A sensor that fails with the reading after ``first`` steps."""

    sensor: int
    first: int
    lost: bool


class ForceSensors(PlantWrapper):
    """Measure the wrenches on the hands.

    One reading per step, however often it is asked for::

        w_read = w + b + e

    ``b`` is constant: force and torque of given sizes, in directions that are drawn once for each
    sensor. ``e`` is normal, drawn in every step. From its time on a lost sensor reads NaN, and a
    frozen one what it read before. A robot that holds nothing has ``w = 0``.

    :param model: the robot; it has one sensor for each tip.
    :param period: time of one ``step`` [s].
    :param rng: generator for it alone: ``start`` rewinds it.
    :raises ConfigError: the robot has no tips, or a sensor fails twice.
    :raises UnknownNameError: a fault names a tip that the robot does not have.
    """

    _remembered = ('_plant', '_index', '_readings', '_rng')

    def __init__(
        self,
        plant: Plant,
        model: RobotModel,
        period: float,
        config: WristSensors,
        rng: np.random.Generator,
    ):
        super().__init__(plant)
        if not model.tips:
            raise ConfigError('plant.sensors: the robot has no tips to carry them; see robot.tips')
        self._zero: Array = np.zeros((len(model.tips), 6))
        self._faults = tuple(_timed(fault, model, period) for fault in config.faults)
        failing = [fault.tip for fault in config.faults]
        for tip in failing:
            if failing.count(tip) > 1:
                raise ConfigError(f'plant.sensors.faults: {tip} fails twice; once is enough')
        self._bias = np.hstack(
            [
                size * _directions(rng, len(model.tips))
                for size in (config.bias, config.torque_bias)
            ]
        )
        self._noise = np.repeat([config.noise, config.torque_noise], 3)
        self._rng = rng
        self._first_draw = rng.bit_generator.state
        self._begin()

    def _begin(self) -> None:
        self._rng.bit_generator.state = self._first_draw
        self._index = 0
        self._readings: Array = self._measure(None)

    def step(self, effort: Array, disturbance: Disturbance = UNDISTURBED) -> None:
        """Apply efforts [N m] and a disturbance for one period, then take a reading."""
        self._plant.step(effort, disturbance)
        self._index += 1
        self._readings = self._measure(self._readings)

    def report(self) -> PlantReport:
        """Return the plant's report, with the readings and what perfect sensors would read."""
        report = self._plant.report()
        return msgspec.structs.replace(
            report, wrenches=self._readings, true_wrenches=self._truth(report)
        )

    def _truth(self, report: PlantReport) -> Array:
        """Return what perfect sensors would read [N, N m], shape ``(tips, 6)``."""
        return self._zero if report.true_wrenches is None else report.true_wrenches

    def _measure(self, before: Array | None) -> Array:
        """Return new readings; a sensor that is frozen from the start on has the first one."""
        readings = self._truth(self._plant.report()) + self._bias
        if self._noise.any():
            readings += self._noise * self._rng.standard_normal(self._zero.shape)
        for fault in self._faults:
            if self._index < fault.first:
                continue
            if fault.lost:
                readings[fault.sensor] = np.nan
            elif before is not None:
                readings[fault.sensor] = before[fault.sensor]
        return readings


def _directions(rng: np.random.Generator, count: int) -> Array:
    """Draw unit vectors, all directions alike, shape ``(count, 3)``."""
    vectors: Array = rng.standard_normal((count, 3))
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def _timed(fault: SensorFault, model: RobotModel, period: float) -> _Fault:
    if fault.tip not in model.tips:
        raise UnknownNameError('tip in plant.sensors.faults', fault.tip, model.tips)
    sensor, first = model.tips.index(fault.tip), round(fault.start / period)
    return _Fault(sensor, first, fault.kind == 'lost')
