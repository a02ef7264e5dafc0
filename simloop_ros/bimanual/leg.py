"""A part of the plan: what one task does, step by step."""

from __future__ import annotations

from dataclasses import dataclass

import pinocchio as pin

from ..core.values import Array
from .contact import ContactTarget


@dataclass(frozen=True)
class Insertion:
    """The force at which a motion of the object ends.

    :ivar direction: of the motion, in world axes, of length 1, shape ``(3,)``.
    :ivar max_force: force from outside against it at which it ends [N].
    """

    direction: Array
    max_force: float


@dataclass(frozen=True)
class Leg:
    """One task from rest to rest; arrays have a row for the end of each of its steps.

    :ivar name: of the task in messages, for instance ``task 2 (grasp)``.
    :ivar joints: nominal positions [rad], shape ``(steps, n)``.
    :ivar objects: pose of the object in the world, where it should be, one for each step.
    :ivar targets: of the contact, one for each step.
    :ivar cartesian: whether the hands must be able to move in every direction on it.
    :ivar bound: whether the arms are bound to each other on it.
    :ivar holds: from which of its steps on the object must be in the hands; None: never.
    :ivar slower: key of the configuration that makes it slower.
    :ivar at_object: share of the object's displacement that the hands take part in, one for each
        step, shape ``(steps,)``.
    :ivar insertion: of an object that is pushed on until something resists.
    :ivar hinge: whether it turns about a line in the world, also an object that is displaced.
    """

    name: str
    joints: Array
    objects: tuple[pin.SE3, ...]
    targets: tuple[ContactTarget, ...]
    at_object: Array
    cartesian: bool = True
    bound: bool = False
    holds: int | None = None
    slower: str = 'duration'
    insertion: Insertion | None = None
    hinge: bool = False

    @property
    def steps(self) -> int:
        """Return the number of its steps."""
        return len(self.joints)
