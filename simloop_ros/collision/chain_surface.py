"""The surface of all links between the base and one leaf of a robot, prepared for isolation."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
import numpy as np
import numpy.typing as npt
import pinocchio as pin
from scipy.stats import qmc

from ..core.values import Array
from ..robot.chain import chain
from ..robot.model import RobotModel
from .link_cover import LinkCover
from .link_surface import LinkSurface, low_discrepancy
from .surface_pieces import GROUP_MODES, IntArray, SurfacePieces

LINK_SAMPLES = 240
"""Points on the surface of every link, hidden ones included."""
LINK_GROUPS = 24
"""Groups of pieces of every link, which are tried first."""
COVER_POSTURES = 64
"""Postures in which it is tested how much of a link can be touched."""
TOUCHABLE_SHARE = 0.05
"""Share of these postures in which a piece must be free to be kept at all."""


class LinkFrames(msgspec.Struct, frozen=True):
    """The links of a chain at one posture.

    :ivar rotations: of their joints in the world, shape ``(links, 3, 3)``.
    :ivar places: of their joints in the world [m], shape ``(links, 3)``.
    """

    rotations: Array
    places: Array


class ChainSurface:
    """Pieces of the surface of all links of a chain, and groups of them.

    :ivar joints: that carry links with shapes, the outermost first; what counts links below.
    :ivar columns: all joints of the chain, in the order of joint arrays.
    :ivar moved: whether a joint of ``columns`` moves a link, as 1 or 0, ``(links, 1, columns)``.
    :ivar links: link of each piece, shape ``(pieces,)``.
    :ivar homes: group of each piece, counted through all links, shape ``(pieces,)``.
    :ivar points: in the axes of their joints [m], shape ``(pieces, 3)``.
    :ivar pieces: all of them by link.
    :ivar wrenches: of the pieces, shape ``(6, PIECE_MODES + 1, pieces)``.
    :ivar group_wrenches: shape ``(links, 6, (GROUP_MODES + 1) LINK_GROUPS)``, groups last.
    :ivar empty: which groups have no piece, shape ``(links, LINK_GROUPS)``.
    :ivar areas: pieces of each link that can be touched, on average, shape ``(links,)``.
    """

    def __init__(self, model: RobotModel, leaf: int, surfaces: Mapping[int, LinkSurface]):
        on_chain = chain(model, leaf)
        self.columns = np.sort(on_chain)
        self.joints = [joint for joint in on_chain if joint in surfaces]
        self._model = model.pin_model
        own = {joint: surfaces[joint] for joint in self.joints}
        supports = [set(chain(model, joint)) for joint in self.joints]
        self.moved = np.array(
            [[float(column in support) for column in self.columns] for support in supports]
        ).reshape(-1, 1, len(on_chain))
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
        shares = [float(part[part >= TOUCHABLE_SHARE].sum()) for part in parts]
        self.areas = np.maximum(shares, TOUCHABLE_SHARE)
        self._collect(pieces)
        self._group(pieces, widths)

    def frames(self, data: pin.Data) -> LinkFrames:
        """Return where the links are, from data in which that was computed."""
        places = [data.oMi[joint + 1] for joint in self.joints]
        return LinkFrames(
            np.array([place.rotation for place in places]),
            np.array([place.translation for place in places]),
        )

    def hides(self, chosen: IntArray, frames: LinkFrames) -> npt.NDArray[np.bool_]:
        """Return which of some pieces are inside another link."""
        return self.cover.hides(
            self.links[chosen], self.points[chosen], frames.rotations, frames.places
        )

    def _collect(self, pieces: list[SurfacePieces]) -> None:
        self.pieces = pieces
        self.starts = np.cumsum([0, *(len(each.points) for each in pieces)])
        self.links = np.repeat(np.arange(len(pieces)), np.diff(self.starts))
        self.points = np.concatenate([each.points for each in pieces] or [np.empty((0, 3))])

    def _group(self, pieces: list[SurfacePieces], widths: list[float]) -> None:
        count = LINK_GROUPS
        homes = [
            each.home(count, width / np.sqrt(count))
            for each, width in zip(pieces, widths, strict=True)
        ]
        self.homes = np.concatenate(
            [count * link + home for link, home in enumerate(homes)] or [np.empty(0, np.int64)]
        )
        groups = np.array(
            [each.groups(home, count) for each, home in zip(pieces, homes, strict=True)]
        ).reshape(len(pieces), count, 6, GROUP_MODES + 1)
        self.group_wrenches = groups.transpose(0, 2, 3, 1).reshape(len(pieces), 6, -1).copy()
        self.empty = np.array(
            [np.bincount(home, minlength=count) == 0 for home in homes], bool
        ).reshape(len(pieces), count)
        all_of_them = [each.wrenches for each in pieces]
        self.wrenches = np.concatenate(all_of_them).transpose(1, 2, 0).copy() if pieces else None

    def _free_share(self, model: RobotModel) -> Array:
        """Return the share of postures in which each piece is not hidden, shape ``(pieces,)``."""
        data, n = self._model.createData(), model.n
        low = np.where(model.endless, -np.pi, model.lower)
        high = np.where(model.endless, np.pi, model.upper)
        everything = np.arange(len(self.links))
        free = np.zeros(len(everything))
        for numbers in qmc.Sobol(n, scramble=False).random(COVER_POSTURES):
            pin.forwardKinematics(self._model, data, low + numbers * (high - low))
            free += ~self.hides(everything, self.frames(data))
        return free / COVER_POSTURES
