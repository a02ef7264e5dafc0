"""The scene of a page: robot, twin, goals, paths, bodies, forces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import viser

from ...core.values import Array
from ...robot.model import RobotModel
from ..description import Description
from ..frame import Frame
from .arrows import ForceArrows, MassArrows
from .body_nodes import BodyNodes
from .link_shapes import LinkShape, collision_shapes, visual_shapes
from .robot_nodes import RobotNodes

ROBOT, TWIN, COLLISION = '/robot', '/twin', '/collision'
TWIN_COLOUR, TWIN_OPACITY = (0, 119, 187), 0.35
COLLISION_COLOUR, COLLISION_OPACITY = (204, 51, 17), 0.35
SKY, GROUND, SKY_INTENSITY = (255, 255, 255), (170, 170, 175), 1.4
GOAL_COLOUR, PATH_COLOUR = (0, 153, 136), (0, 153, 136)
GOAL_RADIUS = 0.012
"""Of the ball that marks a goal [m]."""


class Scene:
    """All nodes of a scene; ``show`` draws a frame.

    :ivar robot: the robot as it is.
    :ivar notes: what there is to say about its shapes.
    :ivar bounds: lowest and highest coordinates of what there is to see at the start [m], shape
        ``(2, 3)``.
    """

    def __init__(self, api: viser.SceneApi, description: Description):
        self._api, self._description = api, description
        model = description.model
        api.reset()
        api.set_up_direction('+z')
        # Without a GPU surroundings cost seconds a frame, and shadows tenths.
        api.configure_environment_map(None)
        api.configure_default_lights(cast_shadow=False)
        api.add_light_hemisphere(
            '/sky', sky_color=SKY, ground_color=GROUND, intensity=SKY_INTENSITY
        )
        shapes, self.notes = visual_shapes(model)
        self.bounds = bounds(model, shapes, description)
        floor = min(0.0, float(self.bounds[0, 2]))
        api.add_grid(
            '/grid', 4.0, 4.0, cell_size=0.1, section_size=0.5, position=(0.0, 0.0, floor)
        )
        self.robot = RobotNodes(api, ROBOT, model, shapes)
        self.twin = RobotNodes(
            api,
            TWIN,
            model,
            shapes,
            colour=TWIN_COLOUR,
            opacity=TWIN_OPACITY,
            beside=self.robot,
        )
        self.collision: RobotNodes | None = None
        self._bodies = BodyNodes(api, '/bodies', description.bodies)
        self.forces = ForceArrows(api, '/forces')
        self.masses = MassArrows(api, '/masses', model.tips)
        self._add_goals()
        self._joints = model.home
        self.robot.move(model.home)
        self.twin.move(model.home)

    def show(self, frame: Frame, cursors: Mapping[str, Array]) -> None:
        """Draw a frame.

        :param cursors: of the persons that hold the robot, by link [m], shape ``(3,)`` each.
        """
        self._joints = frame.joints
        self.robot.move(frame.joints)
        if self.twin.visible:
            self.twin.move(frame.twin)
        if self.collision is not None and self.collision.visible:
            self.collision.move(frame.joints)
        self._bodies.move(frame.bodies)
        self.forces.show(frame.forces, cursors)
        tips = self._description.model.tip_positions(frame.joints)
        self.masses.show(tips, frame.effective_masses)
        alarm = frame.alarm
        self.robot.light_up('' if alarm is None or alarm.kind == 'none' else alarm.link)

    def show_collision(self, shown: bool) -> None:
        """Draw the collision shapes, or not."""
        if shown and self.collision is None:
            model = self._description.model
            self.collision = RobotNodes(
                self._api,
                COLLISION,
                model,
                collision_shapes(model),
                colour=COLLISION_COLOUR,
                opacity=COLLISION_OPACITY,
            )
        if self.collision is not None:
            self.collision.visible = shown
            self.collision.move(self._joints)

    def _add_goals(self) -> None:
        description = self._description
        goals = np.zeros((0, 3)) if description.goals is None else description.goals
        for i, goal in enumerate(goals):
            self._api.add_icosphere(f'/goals/{i}', GOAL_RADIUS, GOAL_COLOUR, position=goal)
        for i, path in enumerate(description.paths):
            if len(path) > 1:
                points = np.stack([path[:-1], path[1:]], axis=1).astype(np.float32)
                self._api.add_line_segments(
                    f'/paths/{i}', points, np.array(PATH_COLOUR, np.uint8), thickness=0.003
                )


def bounds(model: RobotModel, shapes: Sequence[LinkShape], description: Description) -> Array:
    """Return the lowest and highest coordinates of robot, goals and paths [m], shape ``(2, 3)``.

    Bodies are not counted: a wall may be large.
    """
    tips = model.tip_positions(model.home)
    points = [np.zeros((1, 3)), tips, *description.paths]
    if description.goals is not None:
        points.append(description.goals)
    poses = model.frame_poses(model.home, [shape.link for shape in shapes])
    points += [
        shape.vertices @ pose.rotation.T + pose.translation
        for shape, pose in zip(shapes, poses, strict=True)
    ]
    every = np.concatenate(points)
    return np.stack([every.min(axis=0), every.max(axis=0)])
