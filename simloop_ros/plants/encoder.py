"""Noise and resolution of the joint encoders."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np

from ..core.values import UNDISTURBED, Array, Disturbance, JointState
from .plant import Plant
from .wrapper import PlantWrapper


class EncoderSnapshot(msgspec.Struct, frozen=True):
    """The plant's snapshot, the present reading [rad] and the state of the generator."""

    plant: Any
    reading: Array
    generator: Any


class Encoder(PlantWrapper):
    """Measure positions with noise, in steps of a finite size.

    One reading per step, however often it is asked for: ``round((q + e) / r) r``, where ``e`` is
    normal with standard deviation ``noise`` and ``r`` is the resolution.

    :param noise: standard deviation [rad].
    :param resolution: size of an encoder step [rad]; 0 for none.
    :param rng: generator for it alone: ``start`` rewinds it.
    """

    def __init__(self, plant: Plant, noise: float, resolution: float, rng: np.random.Generator):
        super().__init__(plant)
        self._noise = noise
        self._resolution = resolution
        self._rng = rng
        self._first_draw = rng.bit_generator.state
        self._reading = self._measure()

    def start(self, state: JointState) -> None:
        """Begin at a joint state, with the same sequence of noise."""
        self._plant.start(state)
        self._rng.bit_generator.state = self._first_draw
        self._reading = self._measure()

    def step(self, effort: Array, disturbance: Disturbance = UNDISTURBED) -> None:
        """Apply efforts [N m] and a disturbance for one period, then take a reading."""
        self._plant.step(effort, disturbance)
        self._reading = self._measure()

    def observe(self) -> Array:
        """Return the reading of this step [rad], shape ``(n,)``."""
        return self._reading

    def snapshot(self) -> EncoderSnapshot:
        """Return the plant's snapshot, the reading and the generator's state."""
        return EncoderSnapshot(
            self._plant.snapshot(), self._reading, self._rng.bit_generator.state
        )

    def restore(self, snapshot: EncoderSnapshot) -> None:
        """Go back to an earlier snapshot."""
        self._plant.restore(snapshot.plant)
        self._reading = snapshot.reading
        self._rng.bit_generator.state = snapshot.generator

    def _measure(self) -> Array:
        q = self._plant.observe()
        if self._noise > 0.0:
            q = q + self._noise * self._rng.standard_normal(q.shape)
        if self._resolution > 0.0:
            q = np.rint(q / self._resolution) * self._resolution
        return q
