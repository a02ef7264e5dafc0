"""Validation of wrist force readings: bias removed, implausible readings rejected."""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot, isfinite

import msgspec
import numpy as np

from ..core.errors import MessageError
from ..core.state import StateValue
from ..core.values import Array

LEVER = 0.1
"""Torque range of a sensor per force range [m]: about that of commercial sensors."""
REPEATS = 10
"""Steps after which a noisy sensor whose reading repeats, bit for bit, counts as frozen."""
UNDETECTED_TRAVEL = 50e-6
"""Travel of a hand in contact that a noise-free sensor must show [m]: on the softest beam, of
5e4 N/m, it is 2.5 N."""
DELAY_STEPS = 3
"""Steps by which a reading may be delayed: for so long it may rightly not change."""
ROW_BYTES = 6 * 8
"""Bytes of one sensor's reading."""


class WrenchValidatorSnapshot(msgspec.Struct, frozen=True, gc=False):
    """What the next readings are compared with.

    :ivar readings: the last valid ones as they came [N, N m], shape ``(hands, 6)``.
    :ivar bias: mean reading of free hands, shape ``(hands, 6)``.
    :ivar tare_count: number of readings in that mean.
    :ivar repeats: for each hand, how often its reading has repeated, bit for bit.
    :ivar travels: for each hand, its travel in contact since its reading last changed [m].
    """

    readings: Array
    bias: Array
    tare_count: int
    repeats: tuple[int, ...]
    travels: tuple[float, ...]


class ValidatedWrenches(msgspec.Struct, frozen=True, gc=False):
    """Wrenches that can be used.

    :ivar wrenches: without bias; the last valid ones where the present ones are not
        [N, N m], shape ``(hands, 6)``.
    :ivar fault: what is wrong with the sensors; empty if nothing is.
    :ivar current: whether the wrenches are the present ones.
    """

    wrenches: Array
    fault: str
    current: bool


class WrenchValidator(StateValue):
    """Turn readings into wrenches, and detect lost and frozen sensors.

    Lost: no reading, or a number that is not finite. Frozen: a noisy sensor that repeats itself
    ``REPEATS`` times; a noise-free sensor that does not change for more than ``DELAY_STEPS`` steps
    in which its hand, in contact, travels ``UNDETECTED_TRAVEL`` (unless all read zero: then the
    object is gone). Out of range: beyond the sensors' range, unless all sensors read about as
    much: then they are right, and the hands press too much. The bias is the mean reading of free
    hands; of equal readings it is that reading exactly, so that the rest is exactly zero.

    :param tips: names of the hands.
    :param noisy: whether the sensors are known to be noisy.
    :param period: time between two readings [s].
    :param force_range: largest force of a sensor [N]; the largest torque is ``LEVER`` times that.
    """

    _state: WrenchValidatorSnapshot

    def __init__(self, tips: Sequence[str], noisy: bool, period: float, force_range: float):
        self._tips, hands = tuple(tips), len(tips)
        self._shape = (hands, 6)
        self._noisy = noisy
        self._period = period
        self._limits = force_range, LEVER * force_range
        self._surely_in_range = (LEVER * force_range) ** 2
        self._no_repeats, self._no_travel = (0,) * hands, (0.0,) * hands
        none = np.zeros(self._shape)
        self._state = WrenchValidatorSnapshot(none, none, 0, self._no_repeats, self._no_travel)

    def step(
        self, readings: Array | None, tare: bool, velocity: Array | None, *, held: bool = False
    ) -> ValidatedWrenches:
        """Validate the readings of one step.

        :param readings: [N, N m], shape ``(hands, 6)``; None if there is none.
        :param tare: whether the hands are surely free.
        :param velocity: of each hand in contact, since the last reading, six axes each
            [m/s, rad/s], shape ``(6 hands,)``; None without contact.
        :param held: whether these are earlier readings, because the next ones are late.
        :raises MessageError: the readings are not six numbers per hand.
        """
        if readings is None:
            return self._rejected('wrist sensors lost: there is no reading')
        if readings.shape != self._shape:
            raise MessageError(
                f'wrist wrenches of shape {readings.shape}: {self._shape} is needed, force and '
                'torque for each hand'
            )
        readings = np.asarray(readings, dtype=float)
        flat = readings.ravel()
        overload = ''
        # One product shows that all are finite and in range; else they are checked one by one.
        if not flat.dot(flat) < self._surely_in_range:
            sizes = _sizes(readings)
            overload = self._overload(sizes)
            fault = '' if overload else self._implausible(sizes)
            if fault:
                return self._rejected(fault)
        state = self._state
        bias, tare_count = state.bias, state.tare_count
        if tare:
            tare_count += 1
            bias = bias + (readings - bias) / tare_count
        wrenches = readings - bias
        repeats, travels, fault = self._no_repeats, self._no_travel, ''
        new, old, size = readings.tobytes(), state.readings.tobytes(), ROW_BYTES
        same = [new[i : i + size] == old[i : i + size] for i in range(0, len(new), size)]
        if held:
            repeats, travels = state.repeats, state.travels
        elif True in same:
            repeats = tuple(k + 1 if s else 0 for k, s in zip(state.repeats, same, strict=True))
            if velocity is not None and wrenches.any():
                travels = self._travels(same, velocity)
            fault = self._frozen(repeats, travels)
        self._state = WrenchValidatorSnapshot(readings, bias, tare_count, repeats, travels)
        return ValidatedWrenches(wrenches, fault or overload, current=not fault)

    def _travels(self, same: Sequence[bool], velocity: Array) -> tuple[float, ...]:
        rows = velocity.reshape(self._shape)[:, :3].tolist()
        steps = [self._period * hypot(*row) for row in rows]
        before = self._state.travels
        return tuple(t + d if s else 0.0 for t, d, s in zip(before, steps, same, strict=True))

    def _frozen(self, repeats: tuple[int, ...], travels: tuple[float, ...]) -> str:
        for tip, count, travel in zip(self._tips, repeats, travels, strict=True):
            if self._noisy and count >= REPEATS:
                return f'wrist sensor of {tip} frozen: {count + 1} readings are the same'
            if not self._noisy and count > DELAY_STEPS and travel > UNDETECTED_TRAVEL:
                return (
                    f'wrist sensor of {tip} frozen: its reading did not change over '
                    f'{1e6 * travel:.0f} um in contact'
                )
        return ''

    def _overload(self, sizes: list[tuple[float, float]]) -> str:
        """Return that all sensors are near the end of their range, and one beyond; '' if not."""
        limit = self._limits[0]
        alike = all(0.5 <= force / limit <= 2.0 and isfinite(torque) for force, torque in sizes)
        if not (alike and any(self._beyond(*size) for size in sizes)):
            return ''
        largest = max(force for force, _ in sizes)
        return (
            f'the hands press with {largest:.3g} N: beyond the range of their sensors, {limit:g} N'
        )

    def _implausible(self, sizes: list[tuple[float, float]]) -> str:
        """Return which sensor is not plausible; '' if all are."""
        for tip, (force, torque) in zip(self._tips, sizes, strict=True):
            if not (isfinite(force) and isfinite(torque)):
                return f'wrist sensor of {tip} lost: its reading is not finite'
            if self._beyond(force, torque):
                return (
                    f'wrist sensor of {tip} reads {force:.3g} N and {torque:.3g} N m: '
                    f'beyond its range of {self._limits[0]:g} N, {self._limits[1]:g} N m'
                )
        return ''

    def _beyond(self, force: float, torque: float) -> bool:
        return force > self._limits[0] or torque > self._limits[1]

    def _rejected(self, fault: str) -> ValidatedWrenches:
        state = self._state
        return ValidatedWrenches(state.readings - state.bias, fault, current=False)


def _sizes(readings: Array) -> list[tuple[float, float]]:
    """Return the largest component of force and of torque of each hand; NaN if one is."""
    halves = np.abs(readings).reshape(-1, 2, 3).max(axis=2).tolist()
    return [(force, torque) for force, torque in halves]
