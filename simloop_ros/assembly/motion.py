"""From configurations to a motion: a planner with its decorators."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec
import numpy as np

from ..bimanual.config import BimanualConfig
from ..bimanual.plan import BimanualPlan, plan_bimanual
from ..bimanual.planner import BimanualPlanner
from ..collision.calibration import load_calibration
from ..collision.config import MonitorConfig
from ..collision.detector import find_calibration
from ..core.values import Array, JointState
from ..goals.config import GoalLimits
from ..goals.goal import AnyGoal
from ..goals.goal_list import GoalForecast, forecast
from ..goals.goal_planner import GoalPlanner
from ..goals.motion_generator import MotionGenerator
from ..guiding.config import AdmittanceConfig, live_parameters
from ..guiding.guidance import Guidance
from ..planning.build import NOISE_MARGIN, PlannedMotion, build_planner
from ..planning.config import PlannerConfig, TaskConfig
from ..planning.offline import Stay
from ..planning.planner import HaltablePlanner, Planner
from ..planning.tip_path import TipCourse
from ..reaction.config import ReactionConfig
from ..reaction.guided import Guided
from ..reaction.halting import Halting
from ..reaction.reacting import Reacting
from ..reaction.reactive import ReactivePlanner
from ..robot.model import RobotModel
from ..robot.weight import weight_notes
from ..scenario.scenario import Scenario
from ..teaching.planner import TaskPlace, TaskPlanner, plan_task
from ..teaching.task_file import load_task
from ..world.config import WorldConfig

LIVE_KEYS = frozenset({'monitor.reaction', 'monitor.push', *live_parameters('admittance')})
"""Keys that can change while the robot moves."""
TIP_LEVER = 1.0
"""Bound of a tip's displacement per joint angle, for arms on a table [m/rad]."""


class MotionSettings(msgspec.Struct, frozen=True, kw_only=True):
    """All that a motion depends on, beside the robot and where it starts.

    :ivar period: length of a step [s].
    :ivar goals: that are given by themselves, each at its time.
    :ivar takes_goals: whether goals may also come while it runs.
    :ivar world: what is known to be around the robot.
    :ivar seed: of a search for a free motion.
    :ivar noise: standard deviation of a measured position [rad].
    :ivar compliance: position error that the control law leaves per acceleration that the model
        does not explain [s^2]; that of deadbeat control where none is given.
    :ivar contact_stiffness: of the object between two hands [N/m], where it is known.
    """

    period: float
    planner: PlannerConfig
    goals: tuple[AnyGoal, ...] = ()
    goal_limits: GoalLimits = GoalLimits()
    takes_goals: bool = False
    bimanual: BimanualConfig = BimanualConfig()
    monitor: MonitorConfig = MonitorConfig()
    reaction: ReactionConfig = ReactionConfig()
    admittance: AdmittanceConfig = AdmittanceConfig()
    noise: float = 0.0
    compliance: float | None = None
    contact_stiffness: float | None = None
    world: WorldConfig = WorldConfig()
    seed: int = 0

    @classmethod
    def of(cls, scenario: Scenario, *, takes_goals: bool = False) -> MotionSettings:
        """Return the settings of a scenario."""
        return cls(
            period=scenario.period,
            planner=scenario.planner,
            goals=scenario.goals,
            goal_limits=scenario.goal_limits,
            takes_goals=takes_goals,
            bimanual=scenario.bimanual,
            monitor=scenario.monitor,
            reaction=scenario.reaction,
            admittance=scenario.admittance,
            noise=scenario.plant.encoder_error,
            compliance=scenario.resolved_control().compliance(scenario.period),
            contact_stiffness=scenario.contact_stiffness,
            world=scenario.world,
            seed=scenario.seed,
        )


@dataclass(frozen=True)
class Motion:
    """A motion that is known to be possible.

    :ivar planner: with its decorators.
    :ivar base: the planner without reaction and guidance.
    :ivar goal_planner: the same, where it takes goals: not of two hands, and not where none come.
    :ivar base_goals: of ``base`` alone, without the list [m], shape ``(tips, 3)``.
    :ivar forecast: what becomes of the goals of the list, if there is one.
    :ivar start: joint position at its beginning [rad], shape ``(n,)``.
    :ivar duration: [s], where it is known beforehand.
    :ivar goals: positions of the tips [m], shape ``(tips, 3)``, if it has goals.
    :ivar course: of the tip along a Cartesian path, over time.
    :ivar reactive: the decorator that reacts to contacts, if there is a monitor.
    :ivar guided: the decorator that yields to external torques, if there is guidance.
    :ivar notes: what a user should know about it, one line each.
    """

    planner: Planner
    base: Planner
    start: Array
    goal_planner: GoalPlanner | None = None
    forecast: GoalForecast | None = None
    base_goals: Array | None = None
    duration: float | None = None
    goals: Array | None = None
    course: TipCourse | None = None
    plan: BimanualPlan | None = None
    reactive: ReactivePlanner | None = None
    guided: Guided | None = None
    notes: tuple[str, ...] = ()

    @property
    def nominal(self) -> Planner:
        """Return the planner without any decorators: of the motion that the scenario asks for."""
        return self.base if self.goal_planner is None else self.goal_planner.base

    def configure(self, monitor: MonitorConfig, admittance: AdmittanceConfig) -> None:
        """Apply other reactions to the next contact, and another admittance."""
        if self.reactive is not None:
            self.reactive.choose(*monitor.reactions)
            self.reactive.configure(admittance)
        if self.guided is not None:
            self.guided.guidance.configure(admittance)

    def resume(self, control: JointState) -> bool:
        """Continue to the goal after a reaction, see ``ReactivePlanner.resume``."""
        if self.reactive is None:
            return False
        if self.guided is not None:
            control = self.guided.undeflected(control)
        return self.reactive.resume(control)


def build_motion(
    settings: MotionSettings,
    model: RobotModel,
    start: Array,
    before: Motion | None = None,
) -> Motion:
    """Return the motion from a position, once it is known to be possible.

    :param start: where the robot rests [rad], shape ``(n,)``.
    :param before: the motion that is planned again, not that of two hands, whose tasks begin at
        home: its goals stay, what became of them stays, the last one that was accepted is gone on
        to, and a task that was taught goes on where it was.
    :raises GoalError: the motion is refused, or the robot cannot bear its own weight.
    """
    notes = weight_notes(model, start[None], 'at the start')
    rest = JointState(start, np.zeros_like(start))
    earlier = None if before is None else before.goal_planner
    taken_over = earlier is not None and earlier.taken_over
    goals = None if before is None else before.base_goals
    place = None if before is None else _place_near(before.nominal, start)
    plan = _Plan(Stay(rest)) if taken_over else _plan(settings, model, start, goals, place)
    error = _torque_error(settings, model)
    base, goal_planner, foreseen = plan.planner, None, None
    if earlier is not None:
        base = goal_planner = earlier.with_base(plan.planner)
        if taken_over:
            goal_planner.restart(rest)
    elif plan.haltable is None and (settings.goals or settings.takes_goals):
        generator = MotionGenerator(model, settings.goal_limits, settings.period, start)
        base = goal_planner = GoalPlanner(plan.planner, generator, settings.goals)
        foreseen = forecast(goal_planner) if settings.goals else None
    planner, reactive, guided = base, None, None
    if settings.monitor.watches:
        planner = reactive = _reactive(settings, model, plan, goal_planner, error)
    if settings.admittance.guides:
        guidance = Guidance(model, settings.admittance, settings.period, error)
        planner = guided = Guided(planner, guidance)
    end = None if foreseen is None else foreseen.position
    return Motion(
        planner=planner,
        base=base,
        start=start,
        goal_planner=goal_planner,
        forecast=foreseen,
        base_goals=plan.goals,
        duration=plan.duration if end is None or foreseen is None else foreseen.duration,
        goals=plan.goals if end is None else model.tip_positions(end),
        course=plan.course if end is None else None,
        plan=plan.bimanual,
        reactive=reactive,
        guided=guided,
        notes=plan.notes or notes,
    )


@dataclass(frozen=True)
class _Plan(PlannedMotion):
    """A planner without decorators; of two hands also their plan, and that they can be halted."""

    bimanual: BimanualPlan | None = None
    haltable: HaltablePlanner | None = None


def _plan(
    settings: MotionSettings,
    model: RobotModel,
    start: Array,
    goals: Array | None,
    place: TaskPlace | None,
) -> _Plan:
    config, period = settings.planner, settings.period
    rest = JointState(start, np.zeros_like(start))
    if isinstance(config, TaskConfig):
        planned = plan_task(load_task(config.file), config, model, period, start, place)
        tips = None if planned.goal is None else model.tip_positions(planned.goal)
        return _Plan(planned.planner, planned.planner.duration, tips if model.tips else None)
    if config.kind != 'bimanual':
        built = build_planner(
            config,
            model,
            period,
            rest,
            settings.noise,
            settings.compliance,
            goals,
            settings.world,
            settings.seed,
        )
        return _Plan(built.planner, built.duration, built.goals, built.course, built.notes)
    tasks = settings.bimanual
    plan = plan_bimanual(tasks, model, period, rest)
    slack = period**2 if settings.compliance is None else settings.compliance
    leash = tasks.leash * slack + NOISE_MARGIN * settings.noise * TIP_LEVER
    planner = BimanualPlanner(plan, tasks, model, period, leash)
    return _Plan(planner, period * plan.last, bimanual=plan, haltable=planner)


def _reactive(
    settings: MotionSettings,
    model: RobotModel,
    plan: _Plan,
    goal_planner: GoalPlanner | None,
    error: Array | None,
) -> ReactivePlanner:
    monitor, period = settings.monitor, settings.period
    after = monitor.resume_after
    resume_after = None if after is None else round(after / period)

    def replan(position: Array) -> Planner:
        place = _place_near(plan.planner, position)
        planner = _plan(settings, model, position, plan.goals, place).planner
        return planner if goal_planner is None else goal_planner.with_base(planner)

    if plan.haltable is not None:
        return Halting(plan.haltable, *monitor.reactions, replan=replan, resume_after=resume_after)
    return Reacting(
        plan.planner if goal_planner is None else goal_planner,
        model,
        period,
        *monitor.reactions,
        settings.reaction,
        compliance=settings.compliance,
        admittance=settings.admittance,
        torque_error=error,
        replan=replan,
        resume_after=resume_after,
    )


def _place_near(planner: Planner, position: Array) -> TaskPlace | None:
    """Return where a task goes on from a position [rad], shape ``(n,)``; none without one."""
    return planner.place_near(position) if isinstance(planner, TaskPlanner) else None


def _torque_error(settings: MotionSettings, model: RobotModel) -> Array | None:
    """Return the error of the estimated torques, where the calibration gives the dead zone."""
    monitor, period = settings.monitor, settings.period
    if settings.admittance.dead_zone is not None or not monitor.calibration:
        return None
    path = find_calibration(monitor.calibration, period)
    return load_calibration(path, model, period).torque_error(monitor.kind)
