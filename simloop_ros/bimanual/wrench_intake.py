"""Readings of wrist force sensors as they come: bias taken off, and what is not believed."""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot, isfinite

import msgspec
import numpy as np

from ..core.errors import MessageError
from ..core.values import Array

LEVER = 0.1
"""Largest torque of a sensor per largest force [m]: about that of sensors that are sold."""
REPEATS = 10
"""Steps after which a noisy sensor that says the same, bit for bit, counts as frozen."""
UNFELT = 50e-6
"""Way of a hand in contact that a sensor without noise must feel [m]: on the softest beam, of
5e4 N/m, it is 2.5 N."""
LATE = 3
"""Steps by which a reading may be late: so long it may rightly not change."""
ROW = 6 * 8
"""Bytes of one sensor's reading."""


class IntakeSnapshot(msgspec.Struct, frozen=True, gc=False):
    """What the next readings are compared with.

    :ivar readings: the last believed ones as they came [N, N m], shape ``(hands, 6)``.
    :ivar bias: what free hands read, shape ``(hands, 6)``.
    :ivar tared: how many readings the bias is the mean of.
    :ivar repeats: for each hand, how many times its reading has come again, bit for bit.
    :ivar unfelt: for each hand, its way in contact since its reading last changed [m].
    """

    readings: Array
    bias: Array
    tared: int
    repeats: tuple[int, ...]
    unfelt: tuple[float, ...]


class Intake(msgspec.Struct, frozen=True, gc=False):
    """What came in.

    :ivar wrenches: to be used: without bias, and the last believed ones where these are none
        [N, N m], shape ``(hands, 6)``.
    :ivar memory: for the next readings.
    :ivar fault: what is wrong with the sensors; '' where all is well.
    :ivar known: whether the wrenches are those of now.
    """

    wrenches: Array
    memory: IntakeSnapshot
    fault: str
    known: bool


class WrenchIntake:
    """Turn readings into wrenches, and find sensors that are lost or frozen.

    Lost: no reading, or a number that is not finite. Frozen: a noisy sensor that repeats itself
    ``REPEATS`` times; a sensor without noise that does not change for more than ``LATE`` steps in
    which its hand, in contact, goes ``UNFELT`` (unless all read nothing at all: then it is the
    object that is gone). Not plausible: beyond the sensors' range, unless all feel about as much:
    then they are right, and too much is pressed. The bias is the mean of the
    readings of free hands; of equal readings it is that reading exactly, so that what is left is
    exactly zero.

    :param tips: names of the hands.
    :param noisy: whether the sensors are known to be noisy.
    :param period: time between two readings [s].
    :param largest: force beyond which a reading is none [N]; of torques ``LEVER`` times as much.
    """

    def __init__(self, tips: Sequence[str], noisy: bool, period: float, largest: float):
        self._tips, hands = tuple(tips), len(tips)
        self._shape = (hands, 6)
        self._noisy = noisy
        self._period = period
        self._limits = largest, LEVER * largest
        self._small = (LEVER * largest) ** 2
        self._none, self._no_way = (0,) * hands, (0.0,) * hands

    def start(self) -> IntakeSnapshot:
        """Return the memory of sensors that have not been read yet."""
        none = np.zeros(self._shape)
        return IntakeSnapshot(none, none, 0, self._none, self._no_way)

    def read(
        self, memory: IntakeSnapshot, readings: Array | None, tare: bool, velocity: Array | None
    ) -> Intake:
        """Return what came in.

        :param readings: [N, N m], shape ``(hands, 6)``; None where there is none.
        :param tare: whether the hands are surely free.
        :param velocity: of each hand in contact, since the last reading, six axes each
            [m/s, rad/s], shape ``(6 hands,)``; None without contact.
        :raises MessageError: the readings are not six numbers per hand.
        """
        if readings is None:
            return self._unread(memory, 'wrist sensors lost: there is no reading')
        if readings.shape != self._shape:
            raise MessageError(
                f'wrist wrenches of shape {readings.shape}: {self._shape} is needed, force and '
                'torque for each hand'
            )
        readings = np.asarray(readings, dtype=float)
        flat = readings.ravel()
        overload = ''
        # One product tells that all are finite and small; the rest is looked at one by one.
        if not flat.dot(flat) < self._small:
            sizes = _sizes(readings)
            overload = self._overload(sizes)
            fault = '' if overload else self._unbelievable(sizes)
            if fault:
                return self._unread(memory, fault)
        bias, tared = memory.bias, memory.tared
        if tare:
            tared += 1
            bias = bias + (readings - bias) / tared
        wrenches = readings - bias
        repeats, unfelt, fault = self._none, self._no_way, ''
        new, old = readings.tobytes(), memory.readings.tobytes()
        same = [new[i : i + ROW] == old[i : i + ROW] for i in range(0, len(new), ROW)]
        if True in same:
            repeats = tuple(k + 1 if s else 0 for k, s in zip(memory.repeats, same, strict=True))
            if velocity is not None and wrenches.any():
                rows = velocity.reshape(self._shape)[:, :3].tolist()
                ways = [self._period * hypot(*row) for row in rows]
                unfelt = tuple(
                    u + w if s else 0.0 for u, w, s in zip(memory.unfelt, ways, same, strict=True)
                )
            fault = self._frozen(repeats, unfelt)
        fresh = IntakeSnapshot(readings, bias, tared, repeats, unfelt)
        return Intake(wrenches, fresh, fault or overload, known=not fault)

    def _frozen(self, repeats: tuple[int, ...], unfelt: tuple[float, ...]) -> str:
        for i, (times, way) in enumerate(zip(repeats, unfelt, strict=True)):
            if self._noisy and times >= REPEATS:
                return f'wrist sensor of {self._tips[i]} frozen: {times + 1} readings are the same'
            if not self._noisy and times > LATE and way > UNFELT:
                return (
                    f'wrist sensor of {self._tips[i]} frozen: it did not feel {1e6 * way:.0f} um '
                    'in contact'
                )
        return ''

    def _overload(self, sizes: list[tuple[float, float]]) -> str:
        """Return that all sensors feel about as much as they can, and one more; '' if not so."""
        limit = self._limits[0]
        alike = all(0.5 <= force / limit <= 2.0 and isfinite(torque) for force, torque in sizes)
        if not (alike and any(self._beyond(*size) for size in sizes)):
            return ''
        largest = max(force for force, _ in sizes)
        return (
            f'the hands press with {largest:.3g} N: beyond the range of their sensors, {limit:g} N'
        )

    def _unbelievable(self, sizes: list[tuple[float, float]]) -> str:
        """Return which sensor is not to be believed; '' where all are."""
        for tip, (force, torque) in zip(self._tips, sizes, strict=True):
            if not (isfinite(force) and isfinite(torque)):
                return f'wrist sensor of {tip} lost: it reads no number'
            if self._beyond(force, torque):
                return (
                    f'wrist sensor of {tip} reads {force:.3g} N and {torque:.3g} N m: '
                    f'beyond its range of {self._limits[0]:g} N, {self._limits[1]:g} N m'
                )
        return ''

    def _beyond(self, force: float, torque: float) -> bool:
        return force > self._limits[0] or torque > self._limits[1]

    def _unread(self, memory: IntakeSnapshot, fault: str) -> Intake:
        return Intake(memory.readings - memory.bias, memory, fault, known=False)


def _sizes(readings: Array) -> list[tuple[float, float]]:
    """Return the largest component of force and of torque of each hand; NaN if one is."""
    halves = np.abs(readings).reshape(-1, 2, 3).max(axis=2).tolist()
    return [(force, torque) for force, torque in halves]
