"""Random collisions: who is hit where, from which direction, how fast and how hard."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simloop_ros.calibration.free_motion import FreeMotion, random_motion
from simloop_ros.collision.link_surface import LinkSurface, link_surfaces
from simloop_ros.core.values import Array, JointState
from simloop_ros.plants.spring_contact import Spring, point_jacobian
from simloop_ros.robot.chain import carried_link, chain
from simloop_ros.robot.model import RobotModel

LEAD = 0.3
"""Time from the start of a trial to the contact [s], in which the monitors settle."""
AFTER = 0.3
"""Time after the contact in which it may be found [s]."""
TIP_SPEED = 0.1, 1.0
"""Range of the speed of the hit arm's tip at the contact [m/s]."""
CLOSING = 0.02
"""Least speed of the hit point into the obstacle [m/s]: else there is no collision."""
STIFFNESS = 1e3, 1e5
"""Range of the contact's stiffness [N/m]."""
SLIDING = 0.5
"""Coefficient of friction: the force may be this steep against the surface's normal."""
MOTION = 12.0
"""Length of the motion in which a moment for the contact is sought [s]."""


@dataclass(frozen=True)
class Trial:
    """One collision.

    :ivar joint: index of the joint that carries the hit link, from 0.
    :ivar depth: number of joints between base and hit link, that joint included.
    :ivar tip_speed: of the arm at the contact [m/s].
    :ivar closing_speed: of the hit point into the obstacle [m/s].
    :ivar start: joint state at the start of the trial.
    :ivar positions: desired positions [rad], shape ``(steps, n)``.
    """

    joint: int
    depth: int
    tip_speed: float
    closing_speed: float
    spring: Spring
    start: JointState
    positions: Array


class TrialMaker:
    """Draws collisions of a robot; the same seed gives the same collision."""

    def __init__(self, model: RobotModel):
        self._model = model
        self._data = model.pin_model.createData()
        self._surfaces = link_surfaces(model)
        self._joints = sorted(self._surfaces)
        self._tips = {joint: self._tip_of(joint) for joint in self._joints}

    def draw(self, period: float, seed: int, after: float = AFTER, before: float = LEAD) -> Trial:
        """Return a collision: link, moment, point and direction are drawn until they fit.

        The link is drawn once; then a moment at which the tip has a speed within its range, and a
        point of the surface that moves into an obstacle there.

        :param after: time that the motion goes on after the contact [s].
        :param before: time from the start of the trial to the contact [s].
        """
        rng = np.random.default_rng(seed)
        joint = self._joints[int(rng.integers(len(self._joints)))]
        low, high = np.log(STIFFNESS)
        stiffness = float(np.exp(rng.uniform(low, high)))
        while True:
            motion = random_motion(self._model, MOTION, rng)
            for _ in range(100):
                trial = self._try(period, motion, joint, stiffness, rng, after, before)
                if trial is not None:
                    return trial

    def _try(
        self,
        period: float,
        motion: FreeMotion,
        joint: int,
        stiffness: float,
        rng: np.random.Generator,
        after: float,
        before: float,
    ) -> Trial | None:
        model = self._model
        lead = round(before / period)
        at = int(rng.integers(lead + 2, round(motion.duration / period)))
        last, q = motion.positions(period, at - 2, 2)
        v = (q - last) / period
        tip = self._tips[joint]
        tip_jacobian, _ = point_jacobian(model.pin_model, self._data, q, tip, np.zeros(3))
        tip_speed = float(np.linalg.norm(tip_jacobian @ v))
        if not TIP_SPEED[0] <= tip_speed <= TIP_SPEED[1]:
            return None
        seen = self._surfaces[joint].points(rng.random((1, 3)))
        tilt = rng.normal(size=3)
        slope = SLIDING * np.sqrt(rng.random())
        if not len(seen.points):
            return None
        link = carried_link(model, joint)
        frame = model.frame(link)
        in_frame = model.pin_model.frames[frame].placement.inverse()
        jacobian, point = point_jacobian(
            model.pin_model, self._data, q, frame, in_frame.act(seen.points[0])
        )
        if self._covered(joint, point):
            return None
        normal = self._data.oMi[joint + 1].rotation @ seen.normals[0]
        tilt -= (tilt @ normal) * normal
        direction = normal + slope * tilt / np.linalg.norm(tilt)
        direction /= np.linalg.norm(direction)
        closing = float(direction @ (jacobian @ v))
        if closing < CLOSING:
            return None
        spring = Spring(link, in_frame.act(seen.points[0]), point, direction, stiffness)
        steps = lead + round(after / period)
        positions = motion.positions(period, at - lead - 2, steps + 2)
        for early in positions[2 : lead + 1 : 4]:
            _, place = point_jacobian(model.pin_model, self._data, early, frame, spring.point)
            if direction @ (place - point) > 0.0:
                return None
        start = JointState(positions[1], (positions[1] - positions[0]) / period)
        depth = len(chain(model, joint))
        return Trial(joint, depth, tip_speed, closing, spring, start, positions[2:])

    def _covered(self, joint: int, point: Array) -> bool:
        """Return whether a point in the world is inside another link."""
        others: list[tuple[int, LinkSurface]] = [
            (other, surface) for other, surface in self._surfaces.items() if other != joint
        ]
        return any(
            surface.holds(self._data.oMi[other + 1].actInv(point)) for other, surface in others
        )

    def _tip_of(self, joint: int) -> int:
        """Return the frame of the tip beyond a joint."""
        frames = self._model.pin_model.frames
        for frame in self._model.tip_frames:
            if joint in chain(self._model, frames[frame].parentJoint - 1):
                return frame
        return int(self._model.tip_frames[0])
