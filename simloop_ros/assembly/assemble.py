"""From a scenario to its blocks: the one builder of runs, nodes, calibration and benches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import msgspec

from ..collision.detector import build_detector
from ..collision.measured_torque import measured_torque
from ..collision.wrist_torque import WristTorque
from ..control.control_simulation import ControlSimulation
from ..core.errors import ConfigError
from ..core.values import Array
from ..goals.goal import AnyGoal
from ..loop.loop import Loop
from ..loop.sensing import CarryingSensing, MonitoredSensing, Sensing, TakingSensing
from ..plants.build import used_engine
from ..plants.carrying import Carrying
from ..record.facts import RunFacts
from ..robot.carried_payload import later_payloads
from ..robot.fit_robot import load_fit_robot
from ..robot.model import RobotModel
from ..scenario.contradictions import refuse_contradictions, refuse_graphs
from ..scenario.plausibility import doubts
from ..scenario.scenario import Scenario
from .motion import Motion, MotionSettings, build_motion
from .plant import build_simulated_robot

REAL_ROBOT = 'robot'
"""Engine of a run whose robot is not simulated."""
LONGEST_RUN = 10**9
"""Number of steps beyond which a duration is refused as a mistake."""
MOST_FORECAST = 300
"""Goals of a run that are forecast again at its end."""


@dataclass(frozen=True)
class Assembly:
    """A scenario whose every block is built and valid, ready to move.

    :ivar carrying: the part of the plant that carries payloads, if there is any.
    :ivar lag: of the plant, see ``plants.hand_force.HandForces``.
    """

    facts: RunFacts
    loop: Loop
    motion: Motion
    carrying: Carrying | None = None
    lag: float = 0.0


def assemble(scenario: Scenario, *, interactive: bool = False) -> Assembly:
    """Build every block of a scenario; the robot rests at its home.

    :param interactive: whether goals and payloads may come while it runs. As long as none come,
        the run is the same, bit for bit.
    :raises SimloopError: the scenario cannot be run, with the reason.
    """
    refuse_contradictions(scenario)
    refuse_graphs(scenario)
    model = load_fit_robot(scenario.robot)
    period = scenario.period
    takes = scenario.monitor.payload == 'take' and scenario.monitor.adapt
    carries = bool(later_payloads(model)) or takes
    known = model.copy() if carries else model  # results are of the first one
    settings = MotionSettings.of(scenario, takes_goals=interactive)
    motion = build_motion(settings, known, model.home)
    built = build_simulated_robot(
        scenario.plant_in_world,
        model,
        period,
        scenario.seed,
        scenario.safety,
        picks_up=interactive,
    )
    control = ControlSimulation(known, scenario.resolved_control(), period)
    facts = _facts(scenario, model, motion, built.engine, built.notes)
    sensing = _sensing(scenario, known, motion, built.plant.report().wrenches)
    if later_payloads(model):
        sensing = CarryingSensing(sensing, known)
    elif takes:
        sensing = TakingSensing(sensing, known)
    loop = Loop(motion.planner, control, built.plant, sensing)
    return Assembly(facts, loop, motion, built.carrying, built.lag)


def run_facts(
    scenario: Scenario, *, simulated: bool = True, model: RobotModel | None = None
) -> RunFacts:
    """Return the facts of a run, without building its plant.

    :param simulated: whether the robot is; of a real one goals and end are not known before it is
        known where it starts, see ``started_facts``.
    :param model: of the robot, where it is not to be read from its description again.
    """
    model = model or load_fit_robot(scenario.robot)
    if simulated:
        motion = build_motion(MotionSettings.of(scenario), model, model.home)
        return _facts(scenario, model, motion, *used_engine(scenario.plant))
    steps = round(scenario.duration / scenario.period) if scenario.duration else LONGEST_RUN
    rollback = scenario.control.rollback or 'measured'
    return RunFacts(scenario, model, REAL_ROBOT, rollback, steps, None, simulated=False)


def started_facts(facts: RunFacts, start: Array) -> RunFacts:
    """Return the facts of a real robot's run, once it is known where it starts.

    Tasks of two hands, and what has no end of its own, go on until they are stopped.

    :param start: position [rad], shape ``(n,)``.
    :raises SimloopError: the motion cannot be planned from there.
    """
    scenario = facts.scenario
    if scenario.planner.kind == 'bimanual':
        return facts
    motion = build_motion(MotionSettings.of(scenario), facts.model, start)
    ends = scenario.duration is None and motion.duration is not None
    return replace(
        facts,
        steps=count_steps(scenario, motion.duration) if ends else facts.steps,
        goals=motion.goals,
        planned=motion.duration,
        course=motion.course,
        forecast=motion.forecast,
    )


def facts_with_goals(facts: RunFacts, given: Sequence[AnyGoal], start: Array) -> RunFacts:
    """Return the facts of a run whose robot was given further goals, each at its time.

    Of very many goals, as jogs are, none is forecast: that would take long.

    :param start: position at the begin of the run [rad], shape ``(n,)``.
    :raises SimloopError: they cannot be forecast.
    """
    goals = sorted((*facts.scenario.goals, *given), key=lambda goal: goal.at)
    scenario = msgspec.structs.replace(facts.scenario, goals=tuple(goals))
    facts = replace(facts, scenario=scenario, goals=None, planned=None, course=None, forecast=None)
    if len(goals) > MOST_FORECAST:
        return facts
    motion = build_motion(MotionSettings.of(scenario), facts.model, start)
    return replace(facts, goals=motion.goals, planned=motion.duration, forecast=motion.forecast)


def count_steps(scenario: Scenario, planned: float | None) -> int:
    """Return the number of steps of a run.

    :param planned: how long the planned motion takes [s], if it has an end.
    :raises ConfigError: there are none, or far too many.
    """
    if scenario.duration is None and planned is None:
        raise ConfigError('duration: needed, because this motion has no end of its own')
    duration = scenario.duration or (planned or 0.0) + scenario.rest
    steps = round(duration / scenario.period)
    if not 1 <= steps <= LONGEST_RUN:
        raise ConfigError(
            f'duration: {duration:g} s are {steps:g} steps of {scenario.period:g} s; '
            f'1 to {LONGEST_RUN} are possible'
        )
    if scenario.plant.delay >= steps:
        raise ConfigError(
            f'plant.delay: {scenario.plant.delay} periods, but the run has only {steps} steps'
        )
    return steps


def _facts(
    scenario: Scenario, model: RobotModel, motion: Motion, engine: str, notes: tuple[str, ...]
) -> RunFacts:
    steps = count_steps(scenario, motion.duration)
    facts = RunFacts(
        scenario=scenario,
        model=model,
        engine=engine,
        rollback=str(scenario.resolved_control().rollback),
        steps=steps,
        goals=motion.goals,
        planned=motion.duration,
        notes=(*notes, *motion.notes, *doubts(scenario, model, steps * scenario.period)),
        course=motion.course,
        plan=motion.plan,
        forecast=motion.forecast,
    )
    _ = facts.tip_masses  # validated now, not at the end of the run
    return facts


def _sensing(
    scenario: Scenario, model: RobotModel, motion: Motion, wrenches: Array | None
) -> Sensing:
    """Return the monitor and the sensors of the loop.

    :param wrenches: readings of the wrist sensors before the first step.
    """
    monitor, period = scenario.monitor, scenario.period
    if not (monitor.watches or scenario.admittance.guides or motion.plan is not None):
        return Sensing()
    tare_time = scenario.wrist_tare() if monitor.watches else None
    return MonitoredSensing(
        build_detector(monitor, model, period),
        by_truth=scenario.admittance.source == 'truth',
        wrenches=wrenches,
        wrist_torque=None if tare_time is None else WristTorque(model, tare_time, period),
        measured=measured_torque(monitor, model),
    )
