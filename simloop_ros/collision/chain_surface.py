"""The surface of all links between the base and one leaf of a robot, prepared for isolation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
import numpy as np
import numpy.typing as npt
import pinocchio as pin

from ..core.values import Array
from ..robot.chain import chain
from ..robot.model import RobotModel
from .link_cover import LinkCover
from .link_surface import LinkSurface, low_discrepancy
from .surface_pieces import GROUP_MODES, PIECE_MODES, IntArray, SurfacePieces

LINK_SAMPLES = 160
"""Points on the surface of every link, hidden ones included."""
LINK_GROUPS = 12
"""Groups of pieces of every link, which are tried first."""
COVER_POSTURES = 64
"""Postures in which it is tested how much of a link can be touched."""
TOUCHABLE_SHARE = 0.05
"""Share of these postures in which a piece must be free to be kept at all."""
UPPER = np.triu_indices(6)
GROUP_UPPER = np.triu_indices(GROUP_MODES + 1)
GROUP_FULL = np.zeros((GROUP_MODES + 1, GROUP_MODES + 1), np.int64)
"""Place of each element of a symmetric matrix among those of its upper half."""
GROUP_FULL[GROUP_UPPER] = GROUP_FULL.T[GROUP_UPPER] = np.arange(len(GROUP_UPPER[0]))


class LinkFrames(msgspec.Struct, frozen=True):
    """The links of a chain at one posture.

    :ivar rotations: of their joints in the world, shape ``(links, 3, 3)``.
    :ivar places: of their joints in the world [m], shape ``(links, 3)``.
    """

    rotations: Array
    places: Array

    @classmethod
    def of(cls, places: Sequence[pin.SE3]) -> LinkFrames:
        """Return the frames of joints in the world."""
        found = np.array([place.homogeneous for place in places]).reshape(-1, 4, 4)
        return cls(found[:, :3, :3], found[:, :3, 3])


class ChainSurface:
    """Pieces of the surface of all links of a chain, and groups of them.

    :ivar joints: that carry links with shapes, the outermost first; what counts links below.
    :ivar columns: all joints of the chain, in the order of joint arrays.
    :ivar block: index of their rows and columns in a matrix of all joints.
    :ivar blank: zeros, shape ``(columns, columns)``.
    :ivar moved: whether a joint of ``columns`` moves a link, as 1 or 0, ``(links, 1, columns)``.
    :ivar links: link of each piece, shape ``(pieces,)``.
    :ivar homes: group of each piece, counted through all links, shape ``(pieces,)``.
    :ivar points: in the axes of their joints [m], shape ``(pieces, 3)``.
    :ivar inward: normals, shape ``(pieces, 3)``.
    :ivar sides: tangents, shape ``(pieces, 2, 3)``.
    :ivar widths: of the pieces of each link [m], shape ``(links,)``.
    :ivar group_counts: logarithm of the number of pieces, shape ``(links, LINK_GROUPS)``.
    :ivar shares: inverse of the number of pieces of each link that can be touched, on average.
    """

    def __init__(self, model: RobotModel, leaf: int, surfaces: Mapping[int, LinkSurface]):
        on_chain = chain(model, leaf)
        self.columns = np.sort(on_chain)
        self.block = np.ix_(self.columns, self.columns)
        self.blank = np.zeros((len(on_chain), len(on_chain)))
        self.joints = [joint for joint in on_chain if joint in surfaces]
        self._model = model.pin_model
        own = {joint: surfaces[joint] for joint in self.joints}
        supports = [set(chain(model, joint)) for joint in self.joints]
        self.moved = np.array(
            [[float(column in support) for column in self.columns] for support in supports]
        ).reshape(-1, 1, len(on_chain))
        if not own:
            self.links: IntArray = np.empty(0, np.int64)
            return
        self.cover = LinkCover(own)
        numbers = low_discrepancy(LINK_SAMPLES)
        widths = [float(np.sqrt(each.area)) for each in own.values()]
        pieces = [
            SurfacePieces.of(each.points(numbers), 0.5 * width / np.sqrt(LINK_SAMPLES))
            for each, width in zip(own.values(), widths, strict=True)
        ]
        self._collect(pieces)
        free = self._free_share(model)
        parts = np.split(free, np.cumsum([len(each.points) for each in pieces])[:-1])
        pieces = [
            each.keep(part >= TOUCHABLE_SHARE) for each, part in zip(pieces, parts, strict=True)
        ]
        counts = [float(part[part >= TOUCHABLE_SHARE].sum()) for part in parts]
        self.shares = 1.0 / np.maximum(counts, TOUCHABLE_SHARE)
        self._collect(pieces)
        self._group(pieces, widths)

    def places(self, data: pin.Data) -> list[pin.SE3]:
        """Return where the joints of the links are, from data in which that was computed."""
        found = data.oMi
        return [found[joint + 1] for joint in self.joints]

    def hides(self, chosen: IntArray, frames: LinkFrames) -> npt.NDArray[np.bool_]:
        """Return which of some pieces are inside another link."""
        return self.cover.hides(
            self.links[chosen], self.points[chosen], frames.rotations, frames.places
        )

    def group_grams(self, information: Array, drawn: Array) -> tuple[Array, Array]:
        """Return what ``log_density`` takes for all groups: ``(m + 1, [m + 1,] links, groups)``.

        :param information: ``H`` of each link, shape ``(links, 6, 6)``.
        :param drawn: ``g`` of each link, shape ``(links, 6)``.
        """
        links = len(self.joints)
        upper = information[:, UPPER[0], UPPER[1]]
        products = (self._group_products @ upper[:, :, None]).reshape(links, -1, LINK_GROUPS)
        pull = (self._group_wrenches @ drawn[:, :, None]).reshape(links, -1, LINK_GROUPS)
        return products.transpose(1, 0, 2)[GROUP_FULL], pull.transpose(1, 0, 2)

    def piece_grams(
        self, pieces: IntArray, information: Array, drawn: Array
    ) -> tuple[Array, Array]:
        """Return the same for some pieces: ``(m + 1, [m + 1,] pieces)``."""
        links, wrenches = self.links[pieces], self._wrenches[pieces]
        turned = wrenches.transpose(0, 2, 1)
        gram = turned @ (information[links] @ wrenches)
        pull = turned @ drawn[links][:, :, None]
        return gram.transpose(1, 2, 0), pull[:, :, 0].T

    def _collect(self, pieces: list[SurfacePieces]) -> None:
        """Join the pieces of all links."""
        counts = [len(each.points) for each in pieces]
        self.links = np.repeat(np.arange(len(pieces)), counts)
        nothing = np.empty((0, 3))
        self.points = np.concatenate([nothing, *(each.points for each in pieces)])
        self.inward = np.concatenate([nothing, *(each.inward for each in pieces)])
        self.sides = np.concatenate([np.empty((0, 2, 3)), *(each.sides for each in pieces)])
        self.widths = np.array([each.width for each in pieces])
        self._wrenches = np.concatenate(
            [np.empty((0, 6, PIECE_MODES + 1)), *(each.wrenches for each in pieces)]
        )

    def _group(self, pieces: list[SurfacePieces], widths: list[float]) -> None:
        """Group the pieces of each link."""
        count, links = LINK_GROUPS, len(pieces)
        homes = [
            each.home(count, width / np.sqrt(count))
            for each, width in zip(pieces, widths, strict=True)
        ]
        self.homes = np.concatenate(
            [np.empty(0, np.int64), *(count * link + home for link, home in enumerate(homes))]
        )
        with np.errstate(divide='ignore'):
            self.group_counts = np.log(
                np.bincount(self.homes, minlength=links * count).reshape(links, count)
            )
        groups = np.array(
            [each.groups(home, count) for each, home in zip(pieces, homes, strict=True)]
        ).reshape(links, count, 6, GROUP_MODES + 1)
        own = groups.transpose(0, 3, 1, 2)  # (links, modes + 1, groups, 6)
        self._group_wrenches = own.reshape(links, -1, 6).copy()
        # S^T H S is linear in H: of symmetric matrices only the upper halves are multiplied.
        first, second = own[:, GROUP_UPPER[0]], own[:, GROUP_UPPER[1]]
        i, j = UPPER
        products = first[..., i] * second[..., j] + first[..., j] * second[..., i]
        products *= np.where(i == j, 0.5, 1.0)
        self._group_products = products.reshape(links, -1, len(i)).copy()

    def _free_share(self, model: RobotModel) -> Array:
        """Return the share of postures in which each piece is not hidden, shape ``(pieces,)``."""
        from scipy.stats import qmc  # here, as it takes a second

        data, n = self._model.createData(), model.n
        low = np.where(model.endless, -np.pi, model.lower)
        high = np.where(model.endless, np.pi, model.upper)
        everything = np.arange(len(self.links))
        free = np.zeros(len(everything))
        for numbers in qmc.Sobol(n, scramble=False).random(COVER_POSTURES):
            pin.forwardKinematics(self._model, data, low + numbers * (high - low))
            free += ~self.hides(everything, LinkFrames.of(self.places(data)))
        return free / COVER_POSTURES
