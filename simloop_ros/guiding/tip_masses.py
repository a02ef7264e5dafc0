"""The effective mass of each tip along one direction, as it is logged and shown."""

from __future__ import annotations

from typing import Literal

import msgspec
import numpy as np

from ..core.errors import ConfigError, UnknownNameError
from ..core.values import Array
from ..robot.model import RobotModel
from .config import AdmittanceConfig
from .effective_mass import EffectiveMass, GuidingHint


class TipHint(msgspec.Struct, frozen=True):
    """How heavy a tip is, and how to make it lighter.

    :ivar tip: its name.
    :ivar elbow: link to push.
    :ivar hint: where to push it, and the mass now.
    """

    tip: str
    elbow: str
    hint: GuidingHint


class TipMasses:
    """001, section 5.2, for all tips of a robot.

    The elbow of a tip is the link that its middle joint moves, of the joints between base and tip,
    unless the configuration names another. The hint leaves the tip's pose as it is, or only its
    position if that is what the robot keeps.

    :ivar direction: unit vector in world axes, shape ``(3,)``.
    :raises ConfigError: the direction has no length.
    :raises UnknownNameError: there is no such tip or link.
    """

    def __init__(self, model: RobotModel, config: AdmittanceConfig):
        self.direction = _unit(config.mass_direction)
        for tip in config.elbows:
            if tip not in model.tips:
                raise UnknownNameError('tip in admittance.elbows', tip, model.tips)
        self.tips = model.tips
        self.elbows = tuple(config.elbows.get(tip) or _elbow(model, tip) for tip in model.tips)
        task: Literal['position', 'pose'] = 'position' if config.keep == 'position' else 'pose'
        self._masses = tuple(
            EffectiveMass(model, tip, elbow, task)
            for tip, elbow in zip(self.tips, self.elbows, strict=True)
        )

    def at(self, q: Array, direction: Array | None = None) -> Array:
        """Return the masses [kg], shape ``(tips,)``, infinite where a tip cannot move that way.

        :param q: joint positions [rad], shape ``(n,)``.
        :param direction: a unit vector to take instead of that of the configuration.
        """
        along = self.direction if direction is None else direction
        return np.array([mass.mass(q, along) for mass in self._masses])

    def along(self, path: Array) -> Array:
        """Return the masses at each of some positions [rad], shape ``(rows, n)``.

        :returns: [kg], shape ``(rows, tips)``; NaN where a position is not finite.
        """
        none = np.full(len(self.tips), np.nan)
        rows = [self.at(q) if np.isfinite(q).all() else none for q in path]
        return np.array(rows).reshape(len(path), len(self.tips))

    def hints(self, q: Array) -> tuple[TipHint, ...]:
        """Return the mass of each tip and how to make it smaller, at joints ``q`` [rad]."""
        return tuple(
            TipHint(tip, elbow, mass.hint(q, self.direction))
            for tip, elbow, mass in zip(self.tips, self.elbows, self._masses, strict=True)
        )


def _unit(direction: tuple[float, float, float]) -> Array:
    vector = np.array(direction)
    size = float(np.abs(vector).max())
    if not (np.isfinite(size) and size > 0.0):
        raise ConfigError(
            f'admittance.mass_direction: {list(direction)} is no direction; three finite numbers '
            'are needed, not all zero'
        )
    vector = vector / size
    return vector / float(np.linalg.norm(vector))


def _elbow(model: RobotModel, tip: str) -> str:
    """Return the link that the middle joint of a tip's chain moves."""
    pin_model = model.pin_model
    chain = pin_model.supports[_moved_by(model, tip)][1:]
    if not chain:
        return tip  # no joint moves it
    middle = chain[len(chain) // 2]
    return next(
        link
        for link in model.links
        if pin_model.existFrame(link) and _moved_by(model, link) == middle
    )


def _moved_by(model: RobotModel, link: str) -> int:
    return int(model.pin_model.frames[model.frame(link)].parentJoint)
