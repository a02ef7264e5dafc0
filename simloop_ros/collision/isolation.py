"""Which link was hit, where, and how hard: from the torques that a contact makes in the joints."""

from __future__ import annotations

import msgspec
import numpy as np
import pinocchio as pin

from ..model import RobotModel
from ..values import Array
from .link_surface import link_surfaces, sphere_directions
from .tree import carried_link, chain, leaves

VIEWS = 48
"""Directions in which every shape is sampled."""
SLIDING = 0.5
"""Coefficient of friction: how steep a force may be against the surface."""
RINGS = ((0.0, 1), (0.45, 4), (0.85, 6))
"""Directions of force in the cone of friction: part of its opening, and how many."""
USUAL_FORCE = 50.0
"""Size of a contact force before anything is known [N]; it only has to be of the right order."""
NOISE = 0.25
"""Part of the free motion's noise that is left while joints move: most of it is of turns."""
GAIN_ERROR = 0.1
"""Relative error of the torques that a sampled point and a filter that still rises make."""
SIGNIFICANT = 4.0
"""Multiple of its noise at which a joint's torque counts."""
CERTAIN_POINT = 0.05
"""Spread of the likely points up to which a place is named [m]."""


class Hit(msgspec.Struct, frozen=True):
    """What is known of a contact.

    :ivar joint: index of the joint that carries the hit link, from 0; ``None`` where no torque is
        significant.
    :ivar link: name of the link; empty where none is known.
    :ivar probability: of this link among all, given that something touches the robot once.
    :ivar point: likeliest place in the world [m], shape ``(3,)``; ``None`` without shapes.
    :ivar force: force on the robot there, in world axes [N], shape ``(3,)``.
    :ivar spread: rms distance of other likely places from it [m]; infinite without shapes.
    """

    joint: int | None
    link: str = ''
    probability: float = 0.0
    point: Array | None = None
    force: Array | None = None
    spread: float = np.inf

    @property
    def observable(self) -> bool:
        """Return whether the torques tell the place, not only the link."""
        return self.spread <= CERTAIN_POINT


class Isolation:
    """Explains torques by one force on one point of the robot's surface.

    A force ``f`` on a point ``p`` of a link makes ``tau_ext = J_p(q)^T f``: torques in the joints
    up to that link's, and none beyond it nor in another arm. Every link's surface is sampled by
    points, the cone of friction at each point by directions ``d``. For each of them the evidence
    of the estimated torques, with ``f = F d`` and a normal prior of the size ``F``, is in closed
    form::

        log e = b^2 / (2 g) - log(g s^2) / 2,  b = d^T J W tau,  g = d^T J W J^T d + 1/s^2

    with the weights ``W = 1/sigma^2``. A link's probability is its mean evidence: a link on which
    the torques would be a coincidence gives way to one on which they are to be expected. So the
    hit link can be further out than the last joint with a torque, where the line of action does
    not meet the nearer ones.

    :param noise: rms of the estimated torque in free motion [N m], shape ``(n,)``.
    """

    def __init__(self, model: RobotModel, noise: Array):
        self._model = model
        self._data = model.pin_model.createData()
        self._noise = noise
        views = sphere_directions(VIEWS)
        self._surfaces = {
            joint: surface.seen_from(views) for joint, surface in link_surfaces(model).items()
        }

    def locate(self, q: Array, torque: Array) -> Hit:
        """Return the likeliest hit.

        :param q: joint positions [rad], shape ``(n,)``.
        :param torque: estimated torque from outside [N m], shape ``(n,)``.
        """
        last = self.last_joint(torque)
        if last is None:
            return Hit(None)
        if not self._surfaces:
            return Hit(last, carried_link(self._model, last))
        weight = 1.0 / np.hypot(NOISE * self._noise, GAIN_ERROR * torque)
        pin.computeJointJacobians(self._model.pin_model, self._data, q)
        looks = {joint: self._look(joint, weight, torque) for joint in self._surfaces}
        means = {joint: _log_mean(look.evidence) for joint, look in looks.items()}
        joint = max(means, key=lambda key: means[key])
        total = np.logaddexp.reduce(list(means.values()))
        return looks[joint].hit(
            joint, carried_link(self._model, joint), float(np.exp(means[joint] - total))
        )

    def last_joint(self, torque: Array) -> int | None:
        """Return the last joint with a significant torque on the chain that has most of them."""
        size = np.abs(torque) / self._noise
        significant = size > SIGNIFICANT
        if not significant.any():
            return None
        chains = [chain(self._model, leaf) for leaf in leaves(self._model)]
        busiest = max(chains, key=lambda joints: float((size[joints] ** 2).sum()))
        return next(joint for joint in (*busiest, int(np.argmax(size))) if significant[joint])

    def _look(self, joint: int, weight: Array, torque: Array) -> _Look:
        """Return the evidence of every point and direction of one link."""
        surface = self._surfaces[joint]
        place = self._data.oMi[joint + 1]
        jacobian = pin.getJointJacobian(
            self._model.pin_model,
            self._data,
            joint + 1,
            pin.ReferenceFrame.LOCAL_WORLD_ALIGNED,
        ).reshape(6, -1)
        arms = surface.points @ place.rotation.T
        turned = np.cross(arms[:, :, None], jacobian[None, 3:], axis=1)
        rows = (jacobian[None, :3] - turned) * weight  # (points, 3, n)
        directions = cone(-surface.normals @ place.rotation.T)  # (points, directions, 3)
        seen = directions @ rows  # (points, directions, n)
        g = np.einsum('pdn,pdn->pd', seen, seen) + USUAL_FORCE**-2
        size = seen @ (weight * torque) / g
        # A surface pushes and does not pull.
        gained = 0.5 * g * np.maximum(size, 0.0) ** 2
        evidence = gained - 0.5 * np.log(g * USUAL_FORCE**2)
        return _Look(evidence, place.translation + arms, size[:, :, None] * directions)


class _Look(msgspec.Struct, frozen=True):
    """One link's candidates.

    :ivar evidence: logarithm, shape ``(points, directions)``.
    :ivar points: in the world [m], shape ``(points, 3)``.
    :ivar forces: best force on each [N], shape ``(points, directions, 3)``.
    """

    evidence: Array
    points: Array
    forces: Array

    def hit(self, joint: int, link: str, probability: float) -> Hit:
        """Return the best candidate."""
        point, direction = np.unravel_index(np.argmax(self.evidence), self.evidence.shape)
        share = np.exp(self.evidence - self.evidence.max()).sum(axis=1)
        squares = ((self.points - self.points[point]) ** 2).sum(axis=1)
        return Hit(
            joint=joint,
            link=link,
            probability=probability,
            point=self.points[point],
            force=self.forces[point, direction],
            spread=float(np.sqrt(share @ squares / share.sum())),
        )


def cone(axes: Array) -> Array:
    """Return directions in the cones of friction around unit vectors, ``(count, d, 3)``."""
    helper = np.where(np.abs(axes[:, :1]) < 0.9, [[1.0, 0.0, 0.0]], [[0.0, 1.0, 0.0]])
    first = np.cross(axes, helper)
    first /= np.linalg.norm(first, axis=1, keepdims=True)
    second = np.cross(axes, first)
    found = []
    for opening, count in RINGS:
        for angle in 2.0 * np.pi * (np.arange(count) + 0.5 * opening) / count:
            side = np.cos(angle) * first + np.sin(angle) * second
            found.append(axes + SLIDING * opening * side)
    directions = np.stack(found, axis=1)
    unit: Array = directions / np.linalg.norm(directions, axis=2, keepdims=True)
    return unit


def _log_mean(values: Array) -> float:
    return float(np.logaddexp.reduce(values, axis=None) - np.log(values.size))
