"""Noise, resolution and delay of the joint encoders."""

from __future__ import annotations

import numpy as np

from ..core.values import UNDISTURBED, Array, Disturbance
from .plant import Plant
from .wrapper import PlantWrapper


class Encoder(PlantWrapper):
    """Measure positions with noise, in steps of a finite size.

    One reading per step, however often it is asked for: ``round((q + e) / r) r``, where ``e`` is
    normal with standard deviation ``noise`` and ``r`` is the resolution.

    :param noise: standard deviation [rad].
    :param resolution: size of an encoder step [rad]; 0 for none.
    :param rng: generator for it alone: ``start`` rewinds it.
    """

    _remembered = ('_plant', '_reading', '_rng')

    def __init__(self, plant: Plant, noise: float, resolution: float, rng: np.random.Generator):
        super().__init__(plant)
        self._noise = noise
        self._resolution = resolution
        self._rng = rng
        self._first_draw = rng.bit_generator.state
        self._begin()

    def _begin(self) -> None:
        self._rng.bit_generator.state = self._first_draw
        self._reading = self._measure()

    def step(self, effort: Array, disturbance: Disturbance = UNDISTURBED) -> None:
        """Apply efforts [N m] and a disturbance for one period, then take a reading."""
        self._plant.step(effort, disturbance)
        self._reading = self._measure()

    def observe(self) -> Array:
        """Return the reading of this step [rad], shape ``(n,)``."""
        return self._reading

    def _measure(self) -> Array:
        q = self._plant.observe()
        if self._noise > 0.0:
            q = q + self._noise * self._rng.standard_normal(q.shape)
        if self._resolution > 0.0:
            q = np.rint(q / self._resolution) * self._resolution
        return q


class Delay(PlantWrapper):
    """Give each reading a whole number of periods later.

    ``observe`` after step ``k`` is what the plant inside showed after step ``k - delay``, or its
    first reading where there was no such step. Readings are positions [rad], shape ``(n,)``.

    :param plant: the plant that is measured.
    :param delay: age of a reading, in whole periods.
    """

    _remembered = ('_plant', '_readings')

    def __init__(self, plant: Plant, delay: int):
        super().__init__(plant)
        self._delay = delay
        self._begin()

    def _begin(self) -> None:
        self._readings = (self._plant.observe(),) * (self._delay + 1)

    def step(self, effort: Array, disturbance: Disturbance = UNDISTURBED) -> None:
        """Apply efforts [N m] and a disturbance for one period, and take a reading."""
        self._plant.step(effort, disturbance)
        self._readings = (*self._readings[1:], self._plant.observe())

    def observe(self) -> Array:
        """Return the reading that arrives now [rad], shape ``(n,)``."""
        return self._readings[0]
