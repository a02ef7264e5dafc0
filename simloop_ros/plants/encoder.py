"""Noise and resolution of the joint encoders."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np

from ..core.values import Array, JointState
from .plant import Plant
from .wrapper import PlantWrapper


class EncoderState(msgspec.Struct, frozen=True):
    """The plant's state, the present reading [rad] and where the generator stands."""

    plant: Any
    reading: Array
    generator: Any


class Encoder(PlantWrapper):
    """Measure positions with noise, in steps of a finite size.

    One reading per step, however often it is asked for: ``round((q + e) / r) r``, where ``e`` is
    normal with standard deviation ``noise`` and ``r`` is the resolution.

    :param plant: the plant that is measured.
    :param noise: standard deviation [rad].
    :param resolution: size of an encoder step [rad]; 0 for none.
    :param rng: generator that nobody else draws from: a reset rewinds it.
    """

    def __init__(self, plant: Plant, noise: float, resolution: float, rng: np.random.Generator):
        super().__init__(plant)
        self._noise = noise
        self._resolution = resolution
        self._rng = rng
        self._start = rng.bit_generator.state
        self._reading = self._measure()

    @property
    def state(self) -> EncoderState:
        """Return the plant's state, the reading and the generator's state."""
        return EncoderState(self._plant.state, self._reading, self._rng.bit_generator.state)

    def reset(self, state: JointState | EncoderState) -> None:
        """Go to a state; a ``JointState`` starts the same sequence of noise again."""
        if isinstance(state, EncoderState):
            self._plant.reset(state.plant)
            self._rng.bit_generator.state = state.generator
            self._reading = state.reading
        else:
            self._plant.reset(state)
            self._rng.bit_generator.state = self._start
            self._reading = self._measure()

    def step(self, effort: Array, external: Array | None = None) -> None:
        """Apply efforts and torques [N m] for one period, then take a reading."""
        self._plant.step(effort, external)
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
