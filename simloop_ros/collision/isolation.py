"""Which link was hit, where, and how hard: from the torques that a contact makes in the joints."""

from __future__ import annotations

import msgspec
import numpy as np
import numpy.typing as npt
import pinocchio as pin

from ..core.values import Array
from ..robot.chain import carried_link, leaves
from ..robot.model import RobotModel
from .chain_surface import ChainSurface, LinkFrames
from .link_surface import link_surfaces
from .surface_pieces import FORCE_SLANT, SIZE_SPREAD, IntArray
from .wrench_evidence import likely_modes, log_density

FORCE_SIZES: Array = 2.0 * 2.2 ** np.arange(8.0)
"""Sizes of force that are tried [N]: each reaches to the next by its spread."""
GAIN_ERROR = 0.02
"""Relative error of the torques: joints move while the filters rise, and masses are learnt."""
TEMPERATURE = 1.1
"""By which the logarithms of the links' densities are divided: the errors of several joints are
not as independent, nor as normally distributed, as they are taken to be."""
SLIP = 0.01
"""Probability that the torques have another cause, and tell nothing about the link."""
NEGLIGIBLE = 6.0
"""Logarithm of the ratio of densities from which on a group is not looked at piece by piece."""
TESTED = 6.0
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

        E = diag(sigma^2 + (g tau)^2) + U

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
    of action does not meet the nearer ones. ``T`` and ``e`` were fitted once, to 380 simulated
    collisions of four robots; ``benchmarks/isolation.py`` judges them on others.

    :param noise: rms error of the estimated torque in each regime [N m], shape ``(regimes, n)``.
    """

    def __init__(self, model: RobotModel, noise: Array):
        self._model = model
        self._data = model.pin_model.createData()
        self._squares = noise**2
        self._joints = np.arange(model.n)
        surfaces = link_surfaces(model)
        self._chains = [ChainSurface(model, leaf, surfaces) for leaf in leaves(model)]
        self._names = [carried_link(model, joint) for joint in range(model.n)]

    def locate(self, clue: Clue) -> Hit:
        """Return the likeliest hit."""
        variance = self._variance(clue)
        ratio = clue.torque / np.sqrt(variance)
        chain = self._busiest(ratio)
        last = _last_joint(ratio, chain)
        if last is None:
            return Hit(None)
        if not len(chain.links):
            return Hit(last, self._names[last], last=last)
        found = self._explain(chain, clue)
        odds = found.odds()
        link = int(odds.argmax())
        joint = chain.joints[link]
        return found.hit(link, joint, self._names[joint], float(odds[link]), last)

    def last_joint(self, clue: Clue) -> int | None:
        """Return the last joint with a significant torque on the chain that has most of them."""
        ratio = clue.torque / np.sqrt(self._variance(clue))
        return _last_joint(ratio, self._busiest(ratio))

    def _variance(self, clue: Clue) -> Array:
        """Return the variance of the torques [N^2 m^2], shape ``(n,)``."""
        variance: Array = self._squares[clue.regime, self._joints]
        return variance if clue.unrest is None else variance + clue.unrest.diagonal()

    def _busiest(self, ratio: Array) -> ChainSurface:
        """Return the chain with most torque against its noise, which is ``ratio``."""
        if len(self._chains) == 1:
            return self._chains[0]
        squares = ratio**2
        return max(self._chains, key=lambda each: float(squares[each.columns].sum()))

    def _explain(self, chain: ChainSurface, clue: Clue) -> _Explained:
        """Weigh the pieces of a chain."""
        data, columns = self._data, chain.columns
        pin.computeJointJacobians(self._model.pin_model, data, clue.position)
        torque = clue.torque[columns]
        error = chain.blank.copy() if clue.unrest is None else clue.unrest[chain.block]
        diagonal = np.einsum('ii->i', error)
        diagonal += self._squares[clue.regime, self._joints][columns]
        diagonal += (GAIN_ERROR * torque) ** 2
        places = chain.places(data)
        to_local = np.array([place.actionInverse for place in places])
        jacobian = to_local @ (data.J.reshape(6, -1)[:, columns] * chain.moved)
        weighed = jacobian @ np.linalg.inv(error)
        information = weighed @ jacobian.transpose(0, 2, 1)
        return _Explained.of(chain, LinkFrames.of(places), information, weighed @ torque)


def _last_joint(ratio: Array, chain: ChainSurface) -> int | None:
    """Return the last joint of a chain, else any, whose torque is significant."""
    size = np.abs(ratio)
    largest = int(size.argmax())
    if size[largest] <= SIGNIFICANT_SIGMAS:
        return None
    on_chain = (size[chain.columns] > SIGNIFICANT_SIGMAS).nonzero()[0]
    return int(chain.columns[on_chain[-1]]) if len(on_chain) else largest


class _Explained(msgspec.Struct, frozen=True):
    """Pieces of a chain's surface that may explain torques, each with some sizes of force.

    :ivar pieces: that were tried, shape ``(tried,)``.
    :ivar gram: of their wrenches, see ``log_density``, shape ``(m + 1, m + 1, tried)``.
    :ivar pull: likewise, shape ``(m + 1, tried)``.
    :ivar pair: index of the tried piece of each pair of a piece and a size of force.
    :ivar size: index of the size of force of each pair.
    :ivar evidence: logarithm of the density, of each pair; minus infinity where it is hidden.
    :ivar rest: sum of the densities of all other pairs, over that of ``top``, ``(links,)``.
    :ivar top: logarithm of the largest density of a group.
    """

    chain: ChainSurface
    frames: LinkFrames
    pieces: IntArray
    gram: Array
    pull: Array
    pair: IntArray
    size: IntArray
    evidence: Array
    rest: Array
    top: float

    @classmethod
    def of(
        cls, chain: ChainSurface, frames: LinkFrames, information: Array, drawn: Array
    ) -> _Explained:
        """Weigh groups, then the pieces of the likely ones.

        :param information: ``H`` of each link, shape ``(links, 6, 6)``.
        :param drawn: ``J E^-1 tau`` of each link, shape ``(links, 6)``.
        """
        gram, pull = chain.group_grams(information, drawn)
        rough = log_density(gram[..., None], pull[..., None], FORCE_SIZES)
        rough += chain.group_counts[:, :, None]
        top = float(rough.max())
        alive = rough > top - NEGLIGIBLE
        rough[alive] = -np.inf
        rest = np.exp(rough - top).sum(axis=(1, 2))
        alive = alive.reshape(-1, len(FORCE_SIZES))[chain.homes]
        pieces = alive.any(axis=1).nonzero()[0]
        gram, pull = chain.piece_grams(pieces, information, drawn)
        pair, size = alive[pieces].nonzero()
        evidence = log_density(gram[:, :, pair], pull[:, pair], FORCE_SIZES[size])
        tested = np.zeros(len(pieces), bool)
        tested[pair[evidence > evidence.max() - TESTED]] = True
        chosen = tested.nonzero()[0]
        hidden = chain.hides(pieces[chosen], frames)
        if hidden.any() and not hidden.all():
            tested[chosen] = hidden
            evidence[tested[pair]] = -np.inf
        return cls(chain, frames, pieces, gram, pull, pair, size, evidence, rest, top)

    def link_evidence(self) -> Array:
        """Return the logarithm of the mean density on each link, shape ``(links,)``."""
        links = self.chain.links[self.pieces[self.pair]]
        top = self.evidence.max()
        tried = np.bincount(links, np.exp(self.evidence - top), len(self.chain.joints))
        sums: Array = (tried + np.exp(self.top - top) * self.rest) * self.chain.shares
        return np.asarray(top + np.log(np.maximum(sums, np.finfo(float).tiny)))

    def odds(self) -> Array:
        """Return the probability of each link, shape ``(links,)``."""
        evidence = self.link_evidence() / TEMPERATURE
        odds = np.exp(evidence - evidence.max())
        odds *= (1.0 - SLIP) / odds.sum()
        odds += SLIP / len(odds)
        return np.asarray(odds)

    def hit(self, link: int, joint: int, name: str, probability: float, last: int) -> Hit:
        """Return the best piece of a link, with the likeliest point and force on it."""
        chain = self.chain
        pieces = self.pieces[self.pair]
        own = (chain.links[pieces] == link).nonzero()[0]
        if not len(own):
            return Hit(joint, name, probability, last=last)
        pieces, evidence = pieces[own], self.evidence[own]
        i = int(evidence.argmax())
        tried, force = self.pair[own[i]], FORCE_SIZES[self.size[own[i]]]
        off = likely_modes(self.gram[:, :, tried], self.pull[:, tried], force)
        sides, width = chain.sides[pieces[i]], chain.widths[link]
        point = chain.points[pieces[i]] + width * off[3:] @ sides
        inward = (1.0 + SIZE_SPREAD * off[0]) * chain.inward[pieces[i]]
        share = np.exp(evidence - evidence[i])
        apart = chain.points[pieces] - point
        rotation = self.frames.rotations[link]
        return Hit(
            joint=joint,
            link=name,
            probability=probability,
            point=self.frames.places[link] + rotation @ point,
            force=rotation @ (force * (inward + FORCE_SLANT * off[1:3] @ sides)),
            spread=float(np.sqrt(share @ (apart * apart).sum(axis=1) / share.sum())),
            last=last,
        )
