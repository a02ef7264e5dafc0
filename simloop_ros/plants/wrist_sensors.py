"""Force sensors between arms and hands, and what is wrong with them."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np

from ..core.errors import ConfigError, UnknownNameError
from ..core.values import Array, JointState
from ..robot.model import RobotModel
from .config import SensorFault, WristSensors
from .plant import Plant
from .wrapper import PlantWrapper


class ForceSensorsState(msgspec.Struct, frozen=True):
    """The plant's state, and that of the sensors.

    :ivar index: number of steps taken so far.
    :ivar readings: of this step [N, N m], shape ``(tips, 6)``.
    :ivar generator: where the generator of the noise stands.
    """

    plant: Any
    index: int
    readings: Array
    generator: Any


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
    sensor. ``e`` is normal, anew in every step. From its time on a lost sensor reads NaN, and a
    frozen one what it read before. A robot that holds nothing has ``w = 0``.

    :param plant: the plant that is measured.
    :param model: the robot; it has one sensor for each tip.
    :param period: time of one ``step`` [s].
    :param config: noise, bias and faults.
    :param rng: generator that nobody else draws from: a reset rewinds it.
    :raises ConfigError: the robot has no tips, or a sensor fails twice.
    :raises UnknownNameError: a fault names a tip that the robot has not.
    """

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
        self._shape = (len(model.tips), 6)
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
        self._start = rng.bit_generator.state
        self._begin()

    @property
    def state(self) -> ForceSensorsState:
        """Return the plant's state and that of the sensors."""
        generator = self._rng.bit_generator.state
        return ForceSensorsState(self._plant.state, self._index, self._readings, generator)

    def reset(self, state: JointState | ForceSensorsState) -> None:
        """Go to a state; a ``JointState`` starts the same sequence of noise again."""
        if isinstance(state, ForceSensorsState):
            self._plant.reset(state.plant)
            self._rng.bit_generator.state = state.generator
            self._index, self._readings = state.index, state.readings
        else:
            self._plant.reset(state)
            self._rng.bit_generator.state = self._start
            self._begin()

    def step(self, effort: Array, external: Array | None = None) -> None:
        """Apply efforts and torques [N m] for one period, then take a reading."""
        self._plant.step(effort, external)
        self._index += 1
        self._readings = self._measure(self._readings)

    def wrenches(self) -> Array:
        """Return the readings of this step [N, N m], shape ``(tips, 6)``."""
        return self._readings

    def true_wrenches(self) -> Array:
        """Return what perfect sensors would read [N, N m], shape ``(tips, 6)``."""
        truth = self._plant.true_wrenches()
        return np.zeros(self._shape) if truth is None else truth

    def _begin(self) -> None:
        self._index = 0
        self._readings = self._measure(None)

    def _measure(self, before: Array | None) -> Array:
        """Return new readings; a sensor that is frozen from the start on has the first one."""
        readings = self.true_wrenches() + self._bias
        if self._noise.any():
            readings += self._noise * self._rng.standard_normal(self._shape)
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
