"""The six axes of the controller: their joints and limits."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from ..core.errors import ConfigError, UnknownNameError, UnsafeCommandError
from ..core.values import Array
from ..robot.model import RobotModel
from .config import LinkConfig
from .packet import JOINTS, LARGEST_ANGLE, RESOLUTION, ROUNDING, Target, fitting_time


class Axes(msgspec.Struct, frozen=True):
    """Limits of the six joints, in the order of the controller's axes.

    :ivar index: of the joints in the model, shape ``(6,)``.
    :ivar lower: ends of the ranges [deg], shape ``(6,)``; ``upper`` likewise.
    :ivar velocity_limit: largest speeds [deg/s], shape ``(6,)``; infinite where none is given.
    """

    names: tuple[str, ...]
    index: tuple[int, ...]
    lower: Array
    upper: Array
    velocity_limit: Array

    def target(self, position: Array, seconds: float, before: Target | None) -> Target:
        """Return a target that may be sent to the robot.

        Angles are rounded to the resolution of a packet, but not beyond the end of a range.

        :param position: of the six joints [rad], shape ``(6,)``.
        :param seconds: time for the move [s].
        :param before: where the robot is; ``None`` if that is not known.
        :raises UnsafeCommandError: a position is not finite or out of range, or the move takes
            longer at the velocity limit.
        """
        angles = self._angles(position)
        needed = self._times(angles, before)
        if needed.max() * (1.0 - ROUNDING) > seconds:
            i = int(np.argmax(needed))
            way = 'cross its range' if before is None else 'get there'
            raise UnsafeCommandError(
                f'joint {self.names[i]}: {seconds:g} s to {way} given; at its velocity limit of '
                f'{self.velocity_limit[i]:g} deg/s it takes {needed[i]:.4g} s: give a longer time',
                'velocity_limit',
                self.names[i],
            )
        return Target(tuple(angles.tolist()), seconds)

    def reachable_target(self, position: Array, seconds: float, before: Target) -> Target:
        """Return the same with a longer time where the move needs it."""
        needed = float(self._times(self._angles(position), before).max())
        return self.target(position, max(seconds, fitting_time(needed)), before)

    def _angles(self, position: Array) -> Array:
        degrees = np.degrees(position)
        for i in np.flatnonzero(~((degrees >= self.lower) & (degrees <= self.upper))):
            given = f'joint {self.names[i]}: {degrees[i]:g} deg'
            if not np.isfinite(degrees[i]):
                raise UnsafeCommandError(
                    f'{given} is not a finite number', 'not_finite', self.names[i]
                )
            raise UnsafeCommandError(
                f'{given} given; its range is from {self.lower[i]:g} to {self.upper[i]:g} deg',
                'position_range',
                self.names[i],
            )
        steps = np.clip(
            np.rint(degrees / RESOLUTION),
            np.ceil(self.lower / RESOLUTION),
            np.floor(self.upper / RESOLUTION),
        )
        return np.asarray(np.round(steps * RESOLUTION, 3))

    def _times(self, angles: Array, before: Target | None) -> Array:
        """Return the shortest time of each joint [s], without the rounding of its angle."""
        if before is None:
            return np.asarray((self.upper - self.lower) / self.velocity_limit)
        way = np.abs(angles - np.array(before.angles))
        return np.asarray(np.maximum(way - RESOLUTION, 0.0) / self.velocity_limit)


def find_axes(model: RobotModel, names: Sequence[str] = ()) -> Axes:
    """Return the axes of a robot.

    :param names: of six joints, in the order of the axes; empty if the robot has just six.
    :raises ConfigError: there are not six, one comes twice, or one does not turn.
    """
    chosen = tuple(names) or model.joint_names
    for name in chosen:
        if name not in model.joint_names:
            raise UnknownNameError('joint', name, model.joint_names)
    if len(chosen) != JOINTS or len(set(chosen)) != JOINTS:
        given = f'{len(set(chosen))} given' if names else f'the robot has {model.n}'
        raise ConfigError(
            f'joints: {given}, a packet has {JOINTS}: name {JOINTS} different ones '
            f"in the order of the controller's axes, of {', '.join(model.joint_names)}"
        )
    index = [model.joint_names.index(name) for name in chosen]
    units = model.joint_units
    for name, i in zip(chosen, index, strict=True):
        if units[i] != 'rad':
            raise ConfigError(f'joint {name}: slides, but a packet has angles only')
    return Axes(
        names=chosen,
        index=tuple(index),
        lower=np.maximum(np.degrees(model.lower[index]), -LARGEST_ANGLE),
        upper=np.minimum(np.degrees(model.upper[index]), LARGEST_ANGLE),
        velocity_limit=np.degrees(model.velocity_limit[index]),
    )


def linked_axes(model: RobotModel, link: LinkConfig) -> Axes:
    """Return the axes of a robot that is to be followed.

    :raises ConfigError: its joints are no axes.
    :raises UnsafeCommandError: the first move is too short, refused here and not by the first
        position.
    """
    axes = find_axes(model, link.joints)
    axes.target(model.home[list(axes.index)], link.approach_time, None)
    return axes
