"""A way through joint space that touches nothing: RRT-Connect and shortcuts, by OMPL."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count, pairwise
from typing import Any

import numpy as np

from ..core.errors import MissingDependencyError
from ..core.values import Array
from ..robot.model import RobotModel
from ..world.clearance import Clearance
from .config import FreeConfig

SEARCHES = 4
"""Searches of which the shortest way is taken."""
GROWTH = 0.3
"""Length by which a tree grows at once, per root of the number of joints [rad]."""
SHORTCUTS = 200
"""Shortcuts that are tried on the shortest way."""
TURN = np.pi
"""How far beyond start and goals a joint without ends may turn [rad]."""


@dataclass(frozen=True)
class SearchedWay:
    """What a search came to.

    :ivar corners: of the way [rad], shape ``(k, n)``, straight in joint space between two.
    :ivar complete: whether it ends at a goal; else at the posture nearest to one.
    """

    corners: Array
    complete: bool


def search_way(
    config: FreeConfig,
    model: RobotModel,
    clearance: Clearance,
    start: Array,
    goals: Array,
    seed: int,
) -> SearchedWay:
    """Return a way from the start to one of the goals.

    If the straight way to a goal is free, the first such one. Else RRT-Connect (Kuffner, LaValle:
    RRT-Connect, ICRA 2000) within the limits of the joints, made shorter by shortcuts; the
    shortest of several searches. Each ends after a number of growths, never by a clock: the same
    seed gives the same way.

    :param start: free joints [rad], shape ``(n,)``.
    :param goals: free, likewise, shape ``(k, n)``, nearest first.
    :raises MissingDependencyError: OMPL is not installed.
    """
    for goal in goals:
        straight = np.array((start, goal))
        if way_is_free(clearance, straight, config.resolution):
            return SearchedWay(straight, True)
    return _RrtConnect(config, model, clearance, start, goals, seed).shortest()


def way_is_free(clearance: Clearance, corners: Array, resolution: float) -> bool:
    """Return whether a way is free at points that are at most ``resolution`` [rad] apart."""
    return all(clearance.free(q) for q in points_along(corners, resolution))


def points_along(corners: Array, resolution: float) -> Array:
    """Return points of a way, its corners among them [rad], shape ``(k, n)``."""
    points = [corners[:1]]
    for a, b in pairwise(corners):
        parts = max(1, int(np.ceil(np.linalg.norm(b - a) / resolution)))
        points.append(a + np.arange(1, parts + 1)[:, None] / parts * (b - a))
    return np.concatenate(points)


class _RrtConnect:
    """Searches in the joint space around a start and its goals.

    Every generator of random numbers in it begins at the seed. What OMPL calls back holds nothing
    of OMPL's: such a cycle would never be freed.
    """

    def __init__(
        self,
        config: FreeConfig,
        model: RobotModel,
        clearance: Clearance,
        start: Array,
        goals: Array,
        seed: int,
    ):
        try:
            from ompl import base, geometric, util
        except ImportError as error:
            raise MissingDependencyError(
                "planner.kind free needs ompl: pip install 'simloop_ros[free]'"
            ) from error
        util.setLogLevel(util.LogLevel.LOG_NONE)
        util.RNG.setSeed(1 + seed % (2**32 - 1))  # OMPL takes 1 to 2^32 - 1
        self._base, self._geometric = base, geometric
        self._start, self._goals, self._growths = start, goals, config.growths
        space = base.RealVectorStateSpace(model.n)
        space.setBounds(_bounds(base, model, np.vstack((start, goals))))
        self._information = base.SpaceInformation(space)
        self._information.setStateValidityChecker(_checker(clearance, model.n))
        space.setup()
        self._information.setStateValidityCheckingResolution(
            min(1.0, config.resolution / space.getMaximumExtent())
        )
        self._information.setup()
        self._simplifier = geometric.PathSimplifier(self._information)

    def shortest(self) -> SearchedWay:
        """Return the shortest way of several searches, or how near the first came."""
        first, complete = self._search()
        if not complete:
            return SearchedWay(self._corners(first), False)
        others = [self._search() for _ in range(SEARCHES - 1)]
        paths = [first, *(path for path, complete in others if complete)]
        best = min(paths, key=lambda path: path.length())
        self._simplifier.partialShortcutPath(best, SHORTCUTS, SHORTCUTS)
        self._simplifier.reduceVertices(best)
        return SearchedWay(self._corners(best), True)

    def _search(self) -> tuple[Any, bool]:
        """Return a path of OMPL, if there is one, and whether it is complete."""
        base, information = self._base, self._information
        problem, goals = base.ProblemDefinition(information), base.GoalStates(information)
        problem.addStartState(self._state(self._start))
        for goal in self._goals:
            goals.addState(self._state(goal))
        problem.setGoal(goals)
        planner = self._geometric.RRTConnect(information)
        planner.setProblemDefinition(problem)
        planner.setRange(GROWTH * float(np.sqrt(len(self._start))))
        planner.setup()
        planner.solve(base.PlannerTerminationCondition(_ends_after(self._growths)))
        if not problem.hasExactSolution():
            return problem.getSolutionPath(), False
        path = problem.getSolutionPath()
        self._simplifier.reduceVertices(path)
        self._simplifier.partialShortcutPath(path)
        return path, True

    def _corners(self, path: Any) -> Array:
        states = [] if path is None else path.getStates()
        n = len(self._start)
        return np.array([_joints(state, n) for state in states] or [self._start])

    def _state(self, q: Array) -> Any:
        state = self._information.allocState()
        for i, value in enumerate(q.tolist()):
            state[i] = value
        return state


def _bounds(base: Any, model: RobotModel, postures: Array) -> Any:
    """Return the limits of the joints; those without ends may turn around start and goals."""
    least, most = postures.min(axis=0), postures.max(axis=0)
    bounds = base.RealVectorBounds(model.n)
    for i in range(model.n):
        low = least[i] - TURN if model.endless[i] else min(model.lower[i], least[i])
        high = most[i] + TURN if model.endless[i] else max(model.upper[i], most[i])
        bounds.setLow(i, float(low))
        bounds.setHigh(i, float(high))
    return bounds


def _checker(clearance: Clearance, n: int) -> Callable[[Any], bool]:
    return lambda state: clearance.free(_joints(state, n))


def _ends_after(growths: int) -> Callable[[], bool]:
    asked = count(1)
    return lambda: next(asked) > growths


def _joints(state: Any, n: int) -> Array:
    return np.array([state[i] for i in range(n)])
