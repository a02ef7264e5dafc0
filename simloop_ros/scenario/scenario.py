"""A scenario: all that a run depends on, as typed data."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

import msgspec

from ..bimanual.config import BimanualConfig
from ..bimanual.task_config import MoveTask
from ..collision.config import MonitorConfig
from ..control.config import ControlConfig
from ..core.config_types import NAME_PATTERN, NonNegative, Period, Positive, Seed
from ..goals.config import GoalLimits
from ..goals.goal import AnyGoal
from ..guiding.config import AdmittanceConfig
from ..planning.config import AnyPlannerConfig, OnlineConfig
from ..plants.config import Obstacle, PlantConfig, as_obstacle, in_world
from ..reaction.config import ReactionConfig
from ..robot.config import RobotConfig
from ..safety.config import SafetyConfig
from ..world.config import WorldConfig

HandsGraph = Literal['internal_force', 'path_correction', 'hand_positions', 'carried_object']
Graph = Literal[
    'force_comparison',
    'force_difference',
    'path_comparison',
    'path_difference',
    'velocity_comparison',
    'velocity_difference',
    'external_torque',
    'residual',
    'tip_path_3d',
    'tip_path_plane',
    'joint_angles',
    'joint_velocities',
    HandsGraph,
]
SIX_GRAPHS: tuple[Graph, ...] = get_args(Graph)[:6]
"""Those of 000, section 6.2, which every run can draw."""
HANDS_GRAPHS: tuple[HandsGraph, ...] = get_args(HandsGraph)
"""Those of 003, chapter 4, of two hands on one object."""


class Scenario(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """All that a run depends on.

    :ivar name: name of the scenario.
    :ivar description: one line about it.
    :ivar period: length h of one step [s].
    :ivar duration: simulated time [s]; the planned motion and ``rest`` where none is given.
    :ivar rest: time at the goal after a planned motion [s].
    :ivar goal_tolerance: distance of a tip from its goal at which it has reached it [m].
    :ivar seed: of the random generator.
    :ivar world: what planning knows to be around the robot; a plant whose engine has contact has
        it, too. Also the name of a file with the keys of this section.
    :ivar goals: that the robot is given while it runs, each `at` its time; `do` says which kind.
    :ivar graphs: the figures to draw; where none are given, those that fit the motion. There are
        the six of 000 section 6.2; where a hand guides the robot, ``external_torque``; where
        contacts are detected, ``residual``; those of 002 section VII, ``tip_path_3d``,
        ``tip_path_plane``, ``joint_angles`` and ``joint_velocities``; those of 003 chapter 4 for
        two hands, ``internal_force``, ``path_correction``, ``hand_positions`` and
        ``carried_object``.
    """

    name: Annotated[str, msgspec.Meta(pattern=NAME_PATTERN)]
    description: str
    robot: RobotConfig
    period: Period = 0.005
    duration: Positive | None = None
    rest: NonNegative = 0.5
    goal_tolerance: Positive = 0.001
    seed: Seed = 0
    planner: AnyPlannerConfig = OnlineConfig()
    goals: tuple[AnyGoal, ...] = ()
    goal_limits: GoalLimits = GoalLimits()
    control: ControlConfig = ControlConfig()
    plant: PlantConfig = PlantConfig()
    world: WorldConfig = WorldConfig()
    safety: SafetyConfig = SafetyConfig()
    monitor: MonitorConfig = MonitorConfig()
    reaction: ReactionConfig = ReactionConfig()
    admittance: AdmittanceConfig = AdmittanceConfig()
    bimanual: BimanualConfig = BimanualConfig()
    graphs: tuple[Graph, ...] | None = None

    @property
    def drawn_graphs(self) -> tuple[Graph, ...]:
        """Return the figures to draw: those that are given, or those that fit the motion."""
        if self.graphs is not None:
            return self.graphs
        space: tuple[Graph, ...] = ('tip_path_3d',) if self.robot.tips else ()
        if self.planner.kind == 'bimanual':
            if any(isinstance(task, MoveTask) for task in self.bimanual.tasks):
                return ('carried_object', 'internal_force', 'path_correction', *space)
            return ('internal_force', 'path_correction', 'hand_positions', 'joint_angles')
        if self.admittance.guides:
            return ('external_torque', 'path_comparison', *space)
        if self.planner.kind in ('cartesian', 'free', 'task'):
            return (*space, 'tip_path_plane', 'joint_angles', 'joint_velocities')
        if self.monitor.calibration:
            return ('residual', 'force_difference', 'path_comparison', 'path_difference')
        return SIX_GRAPHS

    @property
    def obstacles(self) -> tuple[Obstacle, ...]:
        """Return those that only the plant knows, and the bodies of the world."""
        return (*self.plant.obstacles, *map(as_obstacle, self.world.bodies))

    @property
    def plant_in_world(self) -> PlantConfig:
        """Return the plant with the bodies of the world, if its engine has contact."""
        return in_world(self.plant, self.world)

    def resolved_control(self) -> ControlConfig:
        """Return the control with the choices that depend on the plant made."""
        return self.control.resolved(
            noisy=self.plant.encoder_error > 0.0, flexible=self.plant.flexible_joints
        )

    @property
    def contact_stiffness(self) -> float | None:
        """Return the stiffness of the object between two hands [N/m], where it is known."""
        return None if self.plant.object is None else self.plant.object.stiffness

    def wrist_tare(self, *, simulated: bool = True) -> float | None:
        """Return the time in which a monitor learns the bias of wrist sensors [s]; None without.

        A monitor with thresholds always gets the wrenches of the hands, as in its calibration.

        :param simulated: whether the robot is: a real one has sensors if two hands need them.
        """
        sensed = self.plant.sensors is not None if simulated else self.planner.kind == 'bimanual'
        return self.bimanual.tare_time if sensed else None
