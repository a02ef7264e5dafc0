"""Contacts that are added to a log of a real robot: injected ones, not real ones."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec
import numpy as np
import pinocchio as pin

from ..core.config_messages import convert
from ..core.config_types import NonNegative, Positive, Seed, Vector
from ..core.errors import ConfigError
from ..core.values import Array
from ..robot.model import RobotModel, wrench_torque
from ..scenario.keys import check_keys, check_leaves
from ..scenario.robot_files import read_mapping

DURATION = 0.3
"""Of an injected contact where none is given [s]."""
RAMP = 0.01
"""Time in which an injected force rises where none is given [s]."""
Count = Annotated[int, msgspec.Meta(ge=1, le=100_000)]


class ContactConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A force on a link for some time.

    :ivar link: that it acts on.
    :ivar time: at which it begins, from the first sample of the log [s].
    :ivar force: in world axes [N]; or ``size`` and ``direction``.
    :ivar size: of the force [N].
    :ivar direction: of the force, in world axes.
    :ivar duration: [s].
    :ivar ramp: time in which it rises to its full size [s].
    :ivar point: where it acts, in the frame of the link [m]; the link's centre of mass where none
        is given.
    """

    link: str
    time: NonNegative
    force: Vector | None = None
    size: Positive | None = None
    direction: Vector | None = None
    duration: Positive = DURATION
    ramp: NonNegative = RAMP
    point: Vector | None = None

    @property
    def vector(self) -> Array:
        """Return the force in world axes [N], shape ``(3,)``."""
        if self.force is not None:
            return np.array(self.force)
        direction = np.array(self.direction)
        length = float(np.linalg.norm(direction))
        return (self.size or 0.0) * direction / (length or 1.0)


class RandomContacts(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Forces at random times of the judged part, in random directions: trials of their own.

    Each link and each force has the same times and directions.

    :ivar links: that they act on, at their centres of mass.
    :ivar forces: sizes [N].
    :ivar count: trials for each link and force.
    :ivar seed: of the times and directions.
    :ivar duration: [s].
    :ivar ramp: time in which each rises to its full size [s].
    """

    links: tuple[str, ...]
    forces: tuple[Positive, ...]
    count: Count = 100
    seed: Seed = 1
    duration: Positive = DURATION
    ramp: NonNegative = RAMP


class InjectionConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What is injected into a log.

    :ivar contacts: at given times, all in one pass over the log.
    :ivar random: at random times, each in a trial of its own.
    """

    contacts: tuple[ContactConfig, ...] = ()
    random: RandomContacts | None = None


def load_injection(path: Path, model: RobotModel, duration: float) -> InjectionConfig:
    """Read a file of contacts to inject.

    :param duration: of the log [s].
    :raises ConfigError: a key, a link or a time is not valid.
    """
    raw = read_mapping(path)
    try:
        check_keys(raw, InjectionConfig, '')
        check_leaves(raw)
        config = convert(raw, InjectionConfig, 'the whole')
        _refuse(config, model, duration)
    except ConfigError as error:
        raise ConfigError(f'{path}: {error}') from error
    return config


def _refuse(config: InjectionConfig, model: RobotModel, duration: float) -> None:
    """Raise ConfigError for values that contradict each other, or the log."""
    if not config.contacts and config.random is None:
        raise ConfigError('nothing to inject: give contacts: [...], or random: {...}')
    for i, contact in enumerate(config.contacts):
        where = f'contacts[{i}]'
        _moving(model, contact.link)
        by_size = contact.size is not None and contact.direction is not None
        any_size = contact.size is not None or contact.direction is not None
        if (contact.force is None) != by_size or (contact.force is not None and any_size):
            raise ConfigError(f'{where}: give the force, or its size with a direction')
        if not np.linalg.norm(contact.vector) > 0.0:
            raise ConfigError(f'{where}: a force of zero is no contact')
        if contact.time > duration:
            raise ConfigError(f'{where}: begins at {contact.time:g} s; the log has {duration:g} s')
    if config.random is not None:
        for link in config.random.links:
            _moving(model, link)
        if not config.random.links or not config.random.forces:
            raise ConfigError('random: name at least one link and one force')


def _moving(model: RobotModel, link: str) -> None:
    if model.pin_model.frames[model.frame(link)].parentJoint == 0:
        raise ConfigError(f'link {link} does not move: no joint feels a force on it')


class ContactTorque:
    """Computes the joint torque of a force on a link."""

    def __init__(self, model: RobotModel):
        self._model = model
        self._data = model.pin_model.createData()

    def torque(self, q: Array, link: str, force: Array, point: Array | None = None) -> Array:
        """Return ``J(q)^T f`` [N m], shape ``(n,)``.

        :param q: positions [rad], shape ``(n,)``.
        :param force: in world axes [N], shape ``(3,)``.
        :param point: in the frame of the link [m]; its centre of mass where none is given.
        """
        model, frame = self._model.pin_model, self._model.frame(link)
        if point is None:
            point = self.centre(link)
        pin.framesForwardKinematics(model, self._data, q)
        arm = self._data.oMf[frame].rotation @ point
        wrench = np.concatenate((force, np.cross(arm, force)))
        return wrench_torque(model, self._data, q, frame, wrench)

    def centre(self, link: str) -> Array:
        """Return the centre of mass of a link, in its frame [m]; its origin without a mass."""
        inertia = self._model.pin_model.frames[self._model.frame(link)].inertia
        return np.array(inertia.lever) if inertia.mass > 0.0 else np.zeros(3)


def rise(since: float, duration: float, ramp: float) -> float:
    """Return the share of a force at a time since its beginning [s]: 0 to 1."""
    if since < 0.0 or since >= duration:
        return 0.0
    return 1.0 if ramp <= 0.0 else min(1.0, since / ramp)
