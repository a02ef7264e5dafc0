"""Which link was hit, where, and how hard: from the torques that a contact makes in the joints."""

from __future__ import annotations

import msgspec
import numpy as np
import numpy.typing as npt
import pinocchio as pin

from ..core.values import Array
from ..robot.chain import carried_link, chain, leaves
from ..robot.model import RobotModel
from .link_surface import (
    INSIDE_DEPTH,
    SurfacePoints,
    link_surfaces,
    low_discrepancy,
    sphere_directions,
)

LINK_SAMPLES = 240
"""Points on the surface of every link, hidden ones included."""
VIEW_DIRECTIONS = 100
"""Directions in which it is tested whether a point is inside another link."""
FORCE_SLANT = 0.25
"""Spread of a force in every direction, as a part of its size: a cone of friction with a
coefficient of 0.5 that is filled evenly has it to each side."""
FORCE_SIZES = 2.0 * 1.5 ** np.arange(16)
"""Sizes of force that are tried [N]: each reaches to the next by its spread."""
GAIN_ERROR = 0.02
"""Relative error of the torques: joints move while the filters rise, and masses are learnt."""
SIGNIFICANT_SIGMAS = 4.0
"""Multiple of its noise at which a joint's torque counts."""
CERTAIN_SPREAD = 0.05
"""Spread of the likely points up to which a place is named [m]."""


class Clue(msgspec.Struct, frozen=True, gc=False):
    """What a contact is located by.

    :ivar position: of the joints [rad], shape ``(n,)``.
    :ivar torque: estimated external torque [N m], shape ``(n,)``.
    :ivar regime: of each joint, on which the noise of the estimate depends, shape ``(n,)``.
    """

    position: Array
    torque: Array
    regime: npt.NDArray[np.int64]


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
        return self.spread <= CERTAIN_SPREAD


class Isolation:
    """Explains torques by one force on one point of the robot's surface.

    A force ``f`` on a point ``p`` of a link makes ``tau_ext = J_p(q)^T f``: torques in the joints
    up to that link's, and none beyond it nor in another arm. Every link's surface is sampled by
    points, of which those inside another link are left out: there wrist and hand overlap. Around
    each sample, with the normal ``d`` into the robot and for each size ``F``, the point may be off
    by half the distance ``s`` of the samples and the force be slanted by friction::

        f = F (d + c x),   p = p_0 + s (y_1 t_1 + y_2 t_2),   x, y ~ N(0, 1)
        tau = F (a + B^T (x, y)) + noise,   a = J^T d,   B = (c J, s J_w^T (t_i x d))

    to first order, so that the estimated torques are normally distributed with the mean ``F a``
    and the covariance ``F^2 B^T B + diag(sigma^2)``. A link's probability is its mean density: a
    link on which the torques would be a coincidence gives way to one on which they are to be
    expected. So the hit link can be further out than the last joint with a torque, where the
    line of action does not meet the nearer ones.

    ``sigma`` is small for a joint that slides and more than half of its dry friction for one that
    turns or sticks, which a contact makes many joints do: they must not count alike.

    :param noise: rms error of the estimated torque in each regime [N m], shape ``(regimes, n)``.
    """

    def __init__(self, model: RobotModel, noise: Array):
        self._model = model
        self._data = model.pin_model.createData()
        self._noise = noise
        self._views = sphere_directions(VIEW_DIRECTIONS)
        surfaces = link_surfaces(model)
        numbers = low_discrepancy(LINK_SAMPLES)
        self._surfaces = {joint: each.points(numbers) for joint, each in surfaces.items()}
        self._sizes = {
            joint: 0.5 * np.sqrt(s.area / LINK_SAMPLES) for joint, s in surfaces.items()
        }
        self._reach = {joint: each.reach(self._views) for joint, each in surfaces.items()}

    def locate(self, clue: Clue) -> Hit:
        """Return the likeliest hit."""
        last = self.last_joint(clue)
        if last is None:
            return Hit(None)
        joints = [joint for joint in self._busiest(clue) if joint in self._surfaces]
        pin.computeJointJacobians(self._model.pin_model, self._data, clue.position)
        weight = 1.0 / np.hypot(self._sigma(clue), GAIN_ERROR * clue.torque)
        patches = {joint: self._patches(joint, joints, weight) for joint in joints}
        evidence = {
            joint: _LinkEvidence.of(patch, weight * clue.torque)
            for joint, patch in patches.items()
            if len(patch.points)
        }
        if not evidence:
            return Hit(last, carried_link(self._model, last))
        means = {joint: _log_mean(each.evidence) for joint, each in evidence.items()}
        joint = max(means, key=lambda key: means[key])
        total = np.logaddexp.reduce(list(means.values()))
        return evidence[joint].hit(
            joint, carried_link(self._model, joint), float(np.exp(means[joint] - total))
        )

    def last_joint(self, clue: Clue) -> int | None:
        """Return the last joint with a significant torque on the chain that has most of them."""
        size = np.abs(clue.torque) / self._sigma(clue)
        significant = size > SIGNIFICANT_SIGMAS
        if not significant.any():
            return None
        joints = (*self._busiest(clue), int(np.argmax(size)))
        return next(joint for joint in joints if significant[joint])

    def _sigma(self, clue: Clue) -> Array:
        return np.take_along_axis(self._noise, clue.regime[None], axis=0)[0]

    def _busiest(self, clue: Clue) -> list[int]:
        """Return the chain with most torque against its noise, the outermost joint first."""
        squares = (clue.torque / self._sigma(clue)) ** 2
        chains = [chain(self._model, leaf) for leaf in leaves(self._model)]
        return max(chains, key=lambda joints: float(squares[joints].sum()))

    def _patches(self, joint: int, others: list[int], weight: Array) -> _Patches:
        """Return the samples of one link that no other link covers, at the present posture."""
        place = self._data.oMi[joint + 1]
        surface = self._uncovered(joint, others)
        jacobian = weight * pin.getJointJacobian(
            self._model.pin_model, self._data, joint + 1, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        ).reshape(6, -1)
        arms = surface.points @ place.rotation.T
        inward = -surface.normals @ place.rotation.T
        shifts = self._sizes[joint] * tangents(inward)
        turned = np.cross(arms[:, :, None], jacobian[None, 3:], axis=1)
        straight = jacobian[None, :3] - turned  # (points, 3, n)
        shifted = np.cross(shifts, inward[:, None]) @ jacobian[3:]  # (points, 2, n)
        return _Patches(
            points=place.translation + arms,
            inward=inward,
            shifts=shifts,
            mean=np.einsum('pi,pin->pn', inward, straight),
            spread=np.concatenate((FORCE_SLANT * straight, shifted), axis=1),
        )

    def _uncovered(self, joint: int, others: list[int]) -> SurfacePoints:
        surface, place = self._surfaces[joint], self._data.oMi[joint + 1]
        free = np.ones(len(surface.points), bool)
        for other in others:
            if other != joint:
                to_other = self._data.oMi[other + 1].actInv(place)
                seen = surface.points @ to_other.rotation.T + to_other.translation
                heights = seen @ self._views.T  # (points, views)
                for reach in self._reach[other]:
                    free &= (heights > reach - INSIDE_DEPTH).any(axis=1)
        return SurfacePoints(surface.points[free], surface.normals[free])


class _Patches(msgspec.Struct, frozen=True):
    """Pieces of one link's surface, and the torques by their weights that a force there makes.

    :ivar points: in the world [m], shape ``(points, 3)``.
    :ivar inward: normals, shape ``(points, 3)``.
    :ivar shifts: to the sides, as long as a piece is wide [m], shape ``(points, 2, 3)``.
    :ivar mean: ``a`` of ``Isolation``, shape ``(points, n)``.
    :ivar spread: ``B``, shape ``(points, 5, n)``.
    """

    points: Array
    inward: Array
    shifts: Array
    mean: Array
    spread: Array


class _LinkEvidence(msgspec.Struct, frozen=True):
    """How well one link's pieces explain torques.

    :ivar torque: by its weights, shape ``(n,)``.
    :ivar evidence: logarithm of the density, shape ``(sizes of force, points)``.
    """

    patches: _Patches
    torque: Array
    evidence: Array

    @classmethod
    def of(cls, patches: _Patches, torque: Array) -> _LinkEvidence:
        """Return the evidence of every size of force on every piece.

        In the axes in which ``B B^T`` is diagonal, ``e = diag(lambda)``, and with ``u = V^T B``::

            r^T (1 + F^2 B^T B)^-1 r = r^2 - sum_k F^2 (u_k r)^2 / (1 + F^2 lambda_k)
        """
        spread = patches.spread
        stretch, axes = np.linalg.eigh(spread @ spread.transpose(0, 2, 1))
        u = axes.transpose(0, 2, 1) @ spread  # (points, 5, n)
        force = FORCE_SIZES[:, None]
        mean = patches.mean
        rest = (
            torque @ torque
            - 2.0 * force * (mean @ torque)
            + force**2 * np.einsum('pn,pn->p', mean, mean)
        )
        force = force[:, :, None]
        along = u @ torque - force * np.einsum('pkn,pn->pk', u, mean)
        grown = 1.0 + force**2 * np.maximum(stretch, 0.0)
        explained = (force**2 * along**2 / grown).sum(axis=2)
        return cls(patches, torque, -0.5 * (rest - explained + np.log(grown).sum(axis=2)))

    def hit(self, joint: int, link: str, probability: float) -> Hit:
        """Return the best piece, with the likeliest point and force on it."""
        patches = self.patches
        size, best = np.unravel_index(np.argmax(self.evidence), self.evidence.shape)
        force, spread = FORCE_SIZES[size], FORCE_SIZES[size] * patches.spread[best]
        rest = self.torque - force * patches.mean[best]
        off = np.linalg.solve(spread @ spread.T + np.eye(len(spread)), spread @ rest)
        point = patches.points[best] + off[3:] @ patches.shifts[best]
        share = np.exp(self.evidence - self.evidence.max()).sum(axis=0)
        squares = ((patches.points - point) ** 2).sum(axis=1)
        return Hit(
            joint=joint,
            link=link,
            probability=probability,
            point=point,
            force=force * (patches.inward[best] + FORCE_SLANT * off[:3]),
            spread=float(np.sqrt(share @ squares / share.sum())),
        )


def tangents(normals: Array) -> Array:
    """Return two unit vectors across each of some unit vectors, shape ``(count, 2, 3)``."""
    helper = np.where(np.abs(normals[:, :1]) < 0.9, [[1.0, 0.0, 0.0]], [[0.0, 1.0, 0.0]])
    first = np.cross(normals, helper)
    first /= np.linalg.norm(first, axis=1, keepdims=True)
    return np.stack((first, np.cross(normals, first)), axis=1)


def _log_mean(values: Array) -> float:
    return float(np.logaddexp.reduce(values, axis=None) - np.log(values.size))
