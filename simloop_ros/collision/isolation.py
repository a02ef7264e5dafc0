"""Which link was hit, where, and how hard: from the torques that a contact makes in the joints."""

from __future__ import annotations

from itertools import pairwise

import msgspec
import numpy as np
import numpy.typing as npt
import pinocchio as pin

from ..core.values import Array
from ..robot.chain import carried_link, leaves
from ..robot.model import RobotModel
from .chain_surface import LINK_GROUPS, ChainSurface, LinkFrames
from .link_surface import link_surfaces
from .surface_pieces import FORCE_SLANT, SIZE_SPREAD, IntArray
from .wrench_evidence import likely_modes, log_density

FORCE_SIZES = 2.0 * 1.8 ** np.arange(11)
"""Sizes of force that are tried [N]: each reaches to the next by its spread."""
GAIN_ERROR = 0.02
"""Relative error of the torques: joints move while the filters rise, and masses are learnt."""
NOISE_FACTOR = 1.0
TEMPERATURE = 1.0
SLIP = 0.0
NEGLIGIBLE = 12.0
"""Logarithm of the ratio of densities from which on a group of pieces is left out."""
TESTED = 8.0
"""The same, from which on it does not matter whether a piece is hidden."""
SIGNIFICANT_SIGMAS = 4.0
"""Multiple of its noise at which a joint's torque counts."""
CERTAIN_SPREAD = 0.05
"""Spread of the likely points up to which a place is named [m]."""


class Clue(msgspec.Struct, frozen=True, gc=False):
    """What a contact is located by.

    :ivar position: of the joints [rad], shape ``(n,)``.
    :ivar torque: estimated external torque [N m], shape ``(n,)``.
    :ivar regime: of each joint, on which the noise of the estimate depends, shape ``(n,)``.
    :ivar unrest: mean of ``tau tau^T`` of what was estimated shortly before, without a contact
        [N^2 m^2], shape ``(n, n)``; none where it is not known.
    """

    position: Array
    torque: Array
    regime: npt.NDArray[np.int64]
    unrest: Array | None = None


class Hit(msgspec.Struct, frozen=True):
    """What is known of a contact.

    :ivar joint: index of the joint that carries the hit link, from 0; ``None`` where no torque is
        significant.
    :ivar link: name of the link; empty where none is known.
    :ivar probability: of this link among all, given that something touches the robot once.
    :ivar point: likeliest place in the world [m], shape ``(3,)``; ``None`` without shapes.
    :ivar force: force on the robot there, in world axes [N], shape ``(3,)``.
    :ivar spread: rms distance of other likely places from it [m]; infinite without shapes.
    :ivar last: index of the last joint with a significant torque; ``None`` where there is none.
    """

    joint: int | None
    link: str = ''
    probability: float = 0.0
    point: Array | None = None
    force: Array | None = None
    spread: float = np.inf
    last: int | None = None

    @property
    def observable(self) -> bool:
        """Return whether the torques tell the place, not only the link."""
        return self.spread <= CERTAIN_SPREAD


class Isolation:
    """Explains torques by one force on one point of the robot's surface.

    A force on a point of a link makes the wrench ``w`` at its joint and ``tau_ext = J(q)^T w``:
    torques in the joints up to that link's, and none beyond it nor in another arm. Every link's
    surface is cut into pieces (``SurfacePieces``), each with its normal, the cone of friction and
    its width; for each piece and size of force the estimated torque has a normal distribution
    (``log_density``) with the error::

        E = diag((k sigma)^2 + (g tau)^2) + U

    ``sigma`` is the noise of the calibration in the regime of each joint: small for one that
    slides, more than half of the dry friction for one that turns or sticks, which a contact makes
    many joints do. ``g`` is the relative error while the filters rise, ``U`` the unrest: what the
    estimate was lately, without a contact. All that depends on the posture and the torques is,
    for each link, ``H = J E^-1 J^T`` and ``J E^-1 tau``: wrenches in the axes of the links are
    prepared once, and all pieces are weighed together.

    First groups of pieces are weighed, by the mean and covariance of their wrenches; then the
    pieces of those that can still win, of which those inside another link are left out. The
    density of a link is the mean over its pieces and sizes of force, ``P``; it is said with the
    probability::

        p = (1 - e) P^(1/T) / sum P^(1/T) + e / links

    A link on which the torques would be a coincidence gives way to one on which they are to be
    expected. So the hit link can be further out than the last joint with a torque, where the line
    of action does not meet the nearer ones. ``k``, ``g``, ``T``, ``e`` were fitted once, to
    simulated collisions of four robots (``benchmarks/isolation.py`` judges them on others).

    :param noise: rms error of the estimated torque in each regime [N m], shape ``(regimes, n)``.
    """

    def __init__(self, model: RobotModel, noise: Array):
        self._model = model
        self._data = model.pin_model.createData()
        self._noise = noise
        surfaces = link_surfaces(model)
        self._chains = [ChainSurface(model, leaf, surfaces) for leaf in leaves(model)]
        self._names = [carried_link(model, joint) for joint in range(model.n)]

    def locate(self, clue: Clue) -> Hit:
        """Return the likeliest hit."""
        last = self.last_joint(clue)
        if last is None:
            return Hit(None)
        chain = self._busiest(clue)
        if not len(chain.links):
            return Hit(last, self._names[last], last=last)
        found = self._explain(chain, clue)
        odds = found.odds()
        link = int(odds.argmax())
        joint = chain.joints[link]
        return found.hit(link, joint, self._names[joint], float(odds[link]), last)

    def _explain(self, chain: ChainSurface, clue: Clue) -> _Explained:
        """Weigh the pieces of a chain."""
        pin.computeJointJacobians(self._model.pin_model, self._data, clue.position)
        columns = chain.columns
        torque = clue.torque[columns]
        error = np.diag(self._variance(clue)[columns] + (GAIN_ERROR * torque) ** 2)
        if clue.unrest is not None:
            error += clue.unrest[columns][:, columns]
        to_local = np.array([self._data.oMi[joint + 1].actionInverse for joint in chain.joints])
        jacobian = to_local @ (self._data.J.reshape(6, -1)[:, columns] * chain.moved)
        weighed = jacobian @ np.linalg.inv(error)
        information = weighed @ jacobian.transpose(0, 2, 1)
        return _Explained.of(chain, chain.frames(self._data), information, weighed @ torque)

    def last_joint(self, clue: Clue) -> int | None:
        """Return the last joint with a significant torque on the chain that has most of them."""
        size = np.abs(clue.torque) / np.sqrt(self._total_variance(clue))
        significant = size > SIGNIFICANT_SIGMAS
        if not significant.any():
            return None
        joints = (*self._busiest(clue).columns[::-1], int(np.argmax(size)))
        return int(next(joint for joint in joints if significant[joint]))

    def _variance(self, clue: Clue) -> Array:
        return (NOISE_FACTOR * np.take_along_axis(self._noise, clue.regime[None], axis=0)[0]) ** 2

    def _total_variance(self, clue: Clue) -> Array:
        own = self._variance(clue)
        return own if clue.unrest is None else own + clue.unrest.diagonal()

    def _busiest(self, clue: Clue) -> ChainSurface:
        """Return the chain with most torque against its noise."""
        squares = clue.torque**2 / self._total_variance(clue)
        return max(self._chains, key=lambda each: float(squares[each.columns].sum()))


class _Explained(msgspec.Struct, frozen=True):
    """Pieces of a chain's surface that may explain torques, each with some sizes of force.

    :ivar pieces: that were tried, shape ``(tried,)``.
    :ivar gram: of their wrenches, see ``log_density``, shape ``(m + 1, m + 1, tried)``.
    :ivar pull: likewise, shape ``(m + 1, tried)``.
    :ivar pair: index of the tried piece of each pair of a piece and a size of force.
    :ivar size: index of the size of force of each pair.
    :ivar evidence: logarithm of the density, of each pair; minus infinity where it is hidden.
    """

    chain: ChainSurface
    frames: LinkFrames
    pieces: IntArray
    gram: Array
    pull: Array
    pair: IntArray
    size: IntArray
    evidence: Array

    @classmethod
    def of(
        cls, chain: ChainSurface, frames: LinkFrames, information: Array, drawn: Array
    ) -> _Explained:
        links = len(chain.joints)
        modes = (6, -1, LINK_GROUPS)
        wrenches = chain.group_wrenches.reshape(links, *modes)
        turned = (information @ chain.group_wrenches).reshape(links, *modes)
        gram = np.einsum('liag,libg->ablg', wrenches, turned)
        pull = np.einsum('liag,li->alg', wrenches, drawn)
        rough = log_density(gram[..., None], pull[..., None], FORCE_SIZES)
        rough[chain.empty] = -np.inf
        alive = (rough > rough.max() - NEGLIGIBLE).reshape(-1, len(FORCE_SIZES))
        pieces = alive.any(axis=1)[chain.homes].nonzero()[0]
        wrenches = chain.wrenches[:, :, pieces]
        gram, pull = _grams(wrenches, chain.links[pieces], information, drawn)
        pair, size = alive[chain.homes[pieces]].nonzero()
        evidence = log_density(gram[:, :, pair], pull[:, pair], FORCE_SIZES[size])
        tested = np.zeros(len(pieces), bool)
        tested[pair[evidence > evidence.max() - TESTED]] = True
        tested = tested.nonzero()[0]
        hidden = np.zeros(len(pieces), bool)
        hidden[tested] = chain.hides(pieces[tested], frames)
        if not hidden[tested].all():
            evidence[hidden[pair]] = -np.inf
        return cls(chain, frames, pieces, gram, pull, pair, size, evidence)

    def link_evidence(self) -> Array:
        """Return the logarithm of the mean density on each link, shape ``(links,)``."""
        links = self.chain.links[self.pieces[self.pair]]
        top = self.evidence.max()
        sums = np.bincount(links, np.exp(self.evidence - top), len(self.chain.joints))
        with np.errstate(divide='ignore'):
            return top + np.log(sums / (self.chain.areas * len(FORCE_SIZES)))

    def odds(self) -> Array:
        """Return the probability of each link, shape ``(links,)``."""
        evidence = self.link_evidence() / TEMPERATURE
        odds = np.exp(evidence - evidence.max())
        odds /= odds.sum()
        return (1.0 - SLIP) * odds + SLIP / len(odds)

    def hit(self, link: int, joint: int, name: str, probability: float, last: int) -> Hit:
        """Return the best piece of a link, with the likeliest point and force on it."""
        pieces, chain = self.pieces[self.pair], self.chain
        own = np.where(chain.links[pieces] == link, self.evidence, -np.inf)
        best = int(own.argmax())
        tried, force = self.pair[best], FORCE_SIZES[self.size[best]]
        off = likely_modes(self.gram[:, :, tried], self.pull[:, tried], force)
        local = chain.pieces[link]
        i = pieces[best] - chain.starts[link]
        sides = local.sides[i]
        point = local.points[i] + local.width * off[3:] @ sides
        pushed = force * (
            (1.0 + SIZE_SPREAD * off[0]) * local.inward[i] + FORCE_SLANT * off[1:3] @ sides
        )
        share = np.exp(own - own[best])
        squares = ((chain.points[pieces] - point) ** 2).sum(axis=1)
        rotation = self.frames.rotations[link]
        return Hit(
            joint=joint,
            link=name,
            probability=probability,
            point=self.frames.places[link] + rotation @ point,
            force=rotation @ pushed,
            spread=float(np.sqrt(share @ squares / share.sum())),
            last=last,
        )


def _grams(
    wrenches: Array, links: IntArray, information: Array, drawn: Array
) -> tuple[Array, Array]:
    """Return what ``log_density`` takes for pieces, which are sorted by their links."""
    turned = np.empty_like(wrenches)
    pull = np.empty(wrenches.shape[1:])
    ends = np.searchsorted(links, np.arange(len(information) + 1))
    for link, (begin, end) in enumerate(pairwise(ends)):
        if begin < end:
            own = wrenches[:, :, begin:end]
            flat = own.reshape(6, -1)
            turned[:, :, begin:end] = (information[link] @ flat).reshape(own.shape)
            pull[:, begin:end] = (drawn[link] @ flat).reshape(own.shape[1:])
    return np.einsum('iap,ibp->abp', wrenches, turned), pull
