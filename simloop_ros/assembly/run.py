"""A scenario from its data to its results on disk."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cached_property
import json
from pathlib import Path
from typing import Any, get_args

import msgspec
import numpy as np

from ..bimanual.plan import BimanualPlan
from ..collision.detector import build_detector
from ..collision.wrist_torque import WristTorque
from ..control.control_simulation import ControlSimulation
from ..core.errors import ConfigError, DivergenceError, ModelError
from ..core.resources import resource_folder
from ..core.values import Array, Flags, JointState
from ..guiding.tip_masses import TipMasses
from ..loop.loop import Loop
from ..loop.protection import Protection
from ..planning.planner import Planner
from ..planning.tip_path import TipCourse
from ..plants.build import BuiltPlant, build_plant
from ..plants.config import PlantConfig
from ..plants.overlap import refuse_overlap
from ..record.events import EventRecorder, described
from ..record.guided_summary import guided_summary
from ..record.hands_log import AXES, HANDS_COLUMNS
from ..record.hands_summary import hands_summary
from ..record.log import COLUMNS, GUIDED_COLUMNS, TRUE_POSITION, LogReader, LogWriter
from ..record.mcap import DerivedTopic, write_mcap
from ..record.metrics import compute_metrics
from ..record.tasks_left import tasks_left
from ..record.tip_error import tip_summary
from ..robot.check import check_robot
from ..robot.model import RobotConfig, RobotModel, load_robot
from ..safety.brake import Brake
from ..safety.config import SafetyConfig
from ..scenario.contradictions import refuse_contradictions, refuse_graphs, refuse_pushes
from ..scenario.scenario import Graph, Scenario
from .motion import build_motion
from .reflex import build_reflex

HANDS_LOG, RAW_HANDS = 'hands.mcap', 'hands.raw'
"""Names of the log of two hands, and of its raw form while a run goes on."""
LONGEST_RUN = 10**9
"""Number of steps beyond which a duration is taken for a slip of the pen."""

EFFECTIVE_MASS = '/effective_mass'
"""Topic of the log: a JointState whose joints are the tips and whose effort is the mass [kg]."""


@dataclass(frozen=True)
class RunFacts:
    """What a run is, beside its log.

    :ivar engine: the physics engine that is really used.
    :ivar rollback: the kind of rollback that is really used.
    :ivar steps: how many steps the run has.
    :ivar goals: where the tips shall be at the end [m], shape ``(tips, 3)``; ``None`` if nowhere.
    :ivar notes: what differs from what was asked for, one line each.
    :ivar simulated: whether the robot is.
    :ivar course: where a tip shall be at any time, of a Cartesian path.
    :ivar plan: of two hands.
    """

    scenario: Scenario
    model: RobotModel
    engine: str
    rollback: str
    steps: int
    goals: np.ndarray | None
    notes: tuple[str, ...] = ()
    simulated: bool = True
    course: TipCourse | None = None
    plan: BimanualPlan | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the columns of the log; a real robot does not tell the true torques."""
        guided = self.scenario.admittance.guides and self.simulated
        return GUIDED_COLUMNS if guided else COLUMNS

    @cached_property
    def tip_masses(self) -> TipMasses | None:
        """Return what tells the effective masses; none of a robot that is not guided."""
        admittance = self.scenario.admittance
        return TipMasses(self.model, admittance) if self.columns is GUIDED_COLUMNS else None


@dataclass(frozen=True)
class Prepared:
    """A scenario whose every part is built and valid, ready to move."""

    facts: RunFacts
    loop: Loop


def load_fit_robot(config: RobotConfig) -> RobotModel:
    """Load a robot that is fit for control.

    :raises ModelError: it is not, with the reason.
    """
    urdf_folder = resource_folder('urdf')
    unfit = [problem for problem in check_robot(config, urdf_folder) if problem.fatal]
    if unfit:
        more = f' (and {len(unfit) - 1} more: simloop check)' if len(unfit) > 1 else ''
        # A key of the robot's configuration is no fault of its description.
        whose = (
            '' if unfit[0].where.startswith('robot.') else f'{config.urdf}: not fit for control: '
        )
        raise ModelError(f'{whose}{unfit[0].where}: {unfit[0].what}; {unfit[0].remedy}{more}')
    return load_robot(config, urdf_folder)


def build_simulated_robot(
    config: PlantConfig, model: RobotModel, period: float, seed: int, safety: SafetyConfig
) -> BuiltPlant:
    """Build the plant, at rest at its home, which no obstacle may fill."""

    def brakes(joints: Flags) -> Brake:
        return Brake(model, period, safety, joints)

    refuse_pushes(config, model)
    built = build_plant(config, model, period, np.random.default_rng(seed), brakes)
    refuse_overlap(model, config.obstacles, model.home)
    built.plant.start(JointState(model.home, np.zeros(model.n)))
    return built


def prepare(scenario: Scenario) -> Prepared:
    """Build every block of a scenario; the robot rests at its home.

    :raises SimloopError: the scenario cannot be run, with the reason.
    """
    refuse_contradictions(scenario)
    refuse_graphs(scenario)
    model = load_fit_robot(scenario.robot)
    period = scenario.period
    built = build_simulated_robot(scenario.plant, model, period, scenario.seed, scenario.safety)
    start = JointState(model.home, np.zeros(model.n))
    noise = scenario.plant.encoder_error
    control_config = scenario.control.resolved(
        noisy=noise > 0.0, flexible=scenario.plant.flexible_joints
    )
    compliance = control_config.compliance(period)
    motion = build_motion(
        scenario.planner, model, period, start, noise, compliance, bimanual=scenario.bimanual
    )
    control = ControlSimulation(model, control_config, period)
    facts = RunFacts(
        scenario=scenario,
        model=model,
        engine=built.engine,
        rollback=str(control.rollback_kind),
        steps=count_steps(scenario, motion.duration),
        goals=motion.goals,
        notes=built.notes,
        course=motion.course,
        plan=motion.plan,
    )
    protection, _ = None, facts.tip_masses  # refused now if it makes no sense
    tare_time = scenario.wrist_tare() if scenario.monitor.watches else None
    if scenario.monitor.watches or scenario.admittance.guides or motion.plan is not None:

        def replan(position: Array) -> Planner:
            rest = JointState(position, np.zeros_like(position))
            return build_motion(
                scenario.planner,
                model,
                period,
                rest,
                noise,
                compliance,
                motion.goals,
                scenario.bimanual,
            ).planner

        protection = Protection(
            build_detector(scenario.monitor, model, period),
            build_reflex(
                motion.planner,
                model,
                period,
                scenario.monitor,
                scenario.reaction,
                scenario.admittance,
                compliance=compliance,
                replan=replan,
            ),
            by_truth=scenario.admittance.source == 'truth',
            wrenches=built.plant.report().wrenches,
            wrist_torque=None if tare_time is None else WristTorque(model, tare_time, period),
        )
    return Prepared(facts, Loop(motion.planner, control, built.plant, protection))


def run(
    prepared: Prepared,
    folder: Path,
    clock: Callable[[], float],
    proceed: Callable[[int], bool] = lambda _: True,
    progress: Callable[[float], None] | None = None,
) -> dict[str, Any]:
    """Run a prepared scenario, write ``log.mcap`` and ``summary.json``, return the summary.

    A run that diverges or is stopped keeps what it has: a valid log and a summary whose
    ``status`` says so.

    :param proceed: asked now and then, with the number of steps taken, whether to go on.
    :param progress: told the share of the log that is written, 0 to 1.
    """
    facts, loop = prepared.facts, prepared.loop
    recorder = EventRecorder(facts.scenario)
    loop.on_saturation = recorder.saturation
    if facts.scenario.plant.obstacles:
        loop.on_contact = recorder.contacts
    if loop.protection is not None:
        loop.on_alarm = lambda step, alarm: recorder.collision(
            step, alarm.kind, alarm.reading.margin, described(alarm.hit)
        )
    raw = clean_folder(folder)
    status, costs = 'completed', {}
    begin = clock()
    try:
        with LogWriter(raw, facts.model.n, facts.columns) as log, hands_log(facts, raw) as hands:
            if hands is not None:
                loop.on_hands = _hands_into(hands, recorder)
            try:
                # Numbers that run away are reported as a divergence, not as warnings.
                with np.errstate(over='ignore', invalid='ignore'):
                    costs = loop.run(facts.steps, log, proceed, clock)
                if loop.index < facts.steps:
                    status = 'interrupted'
            except DivergenceError as error:
                status = 'diverged'
                recorder.add(error.step, 'divergence', joint=error.joint, message=str(error))
        elapsed = clock() - begin
        return write_results(facts, raw, recorder, status, elapsed, costs, progress)
    finally:
        remove_raw(raw)
        loop.plant.close()


def _hands_into(
    log: LogWriter, recorder: EventRecorder
) -> Callable[[int, tuple[Array, ...], str], None]:
    """Return what takes the rows of two hands: into a log, and what they do as events."""

    def take(step: int, row: tuple[Array, ...], doing: str) -> None:
        log.append(*row)
        recorder.task(step, doing)

    return take


def hands_log(facts: RunFacts, raw: Path) -> AbstractContextManager[LogWriter | None]:
    """Return the log of two hands beside the raw log, if there are any."""
    if facts.plan is None:
        return nullcontext()
    return LogWriter(raw.with_name(RAW_HANDS), len(AXES), HANDS_COLUMNS)


def remove_raw(raw: Path) -> None:
    """Remove the raw log, and that of the hands."""
    raw.unlink(missing_ok=True)
    raw.with_name(RAW_HANDS).unlink(missing_ok=True)


def clean_folder(folder: Path) -> Path:
    """Make an output folder without results of an earlier run; return where the raw log goes."""
    make_folder(folder)
    _remove_results(folder)
    return folder / 'log.raw'


def write_results(
    facts: RunFacts,
    raw: Path,
    recorder: EventRecorder,
    status: str,
    elapsed: float,
    costs: dict[str, float],
    progress: Callable[[float], None] | None = None,
) -> dict[str, Any]:
    """Write ``log.mcap`` and ``summary.json`` beside the raw log, return the summary.

    :param status: how the run ended: ``completed``, ``interrupted`` or ``diverged``.
    :param elapsed: how long it took [s].
    :param costs: mean cost of each part of a step [s].
    :param progress: told the share of the log that is written, 0 to 1.
    """
    reader = LogReader(raw, facts.model.n, facts.columns)
    hands = None
    if facts.plan is not None:
        hands = LogReader(raw.with_name(RAW_HANDS), len(AXES), HANDS_COLUMNS)
    with np.errstate(over='ignore', invalid='ignore'):
        summary = _summary(facts, reader, hands, recorder, status, elapsed, costs)
    content = _as_json(summary)
    metadata = {'scenario': facts.scenario.name, 'summary': json.dumps(content)}
    period, urdf = facts.scenario.period, facts.model.urdf
    names, path = facts.model.joint_names, raw.with_name('log.mcap')
    write_mcap(reader, path, names, period, metadata, urdf, progress, _derived(facts))
    if hands is not None:
        write_mcap(hands, raw.with_name(HANDS_LOG), AXES, period, metadata, urdf)
    write_text(raw.with_name('summary.json'), json.dumps(content, indent=2) + '\n')
    return summary


def _derived(facts: RunFacts) -> tuple[DerivedTopic, ...]:
    """Return what the log of a guided robot has beside its columns."""
    masses = facts.tip_masses
    if masses is None:
        return ()
    return (
        DerivedTopic(
            EFFECTIVE_MASS, masses.tips, lambda block: masses.along(block[:, TRUE_POSITION])
        ),
    )


def make_folder(folder: Path) -> None:
    """Make an output folder and see that it can be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / '.writable'
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise ConfigError(f'{folder}: cannot be written: {error.strerror}') from error


def _remove_results(folder: Path) -> None:
    """Remove what an earlier run left, so that nothing stands beside results of another run."""
    figures = (f'{graph}.png' for graph in get_args(Graph))
    for name in ('log.mcap', HANDS_LOG, 'summary.json', *figures):
        (folder / name).unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write a file that is either whole or not there."""
    partial = path.with_name(path.name + '.part')
    try:
        partial.write_text(text)
        partial.replace(path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise ConfigError(f'{path}: cannot be written: {error.strerror}') from error


def _as_json(value: Any) -> Any:
    """Return the value with null for infinities and NaN, which JSON does not have."""
    if isinstance(value, dict):
        return {key: _as_json(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_as_json(item) for item in value]
    return None if isinstance(value, float) and not np.isfinite(value) else value


def count_steps(scenario: Scenario, planned: float | None) -> int:
    """Return the number of steps of a run.

    :param planned: how long the planned motion takes [s], if it has an end.
    :raises ConfigError: there are none, or far too many.
    """
    if scenario.duration is None and planned is None:
        raise ConfigError('duration: needed, because hand guiding has no end of its own')
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


def _summary(
    facts: RunFacts,
    log: LogReader,
    hands: LogReader | None,
    recorder: EventRecorder,
    status: str,
    elapsed: float,
    costs: dict[str, float],
) -> dict[str, Any]:
    scenario, model, plan = facts.scenario, facts.model, facts.plan
    metrics = compute_metrics(log, hands)
    duration = log.rows * scenario.period
    events = recorder.events(duration)
    tip_errors: dict[str, float] = {}
    if facts.goals is not None and log.rows:
        truth = log.read(log.rows - 1)[0, COLUMNS.index('true_position')]
        missing = facts.goals - model.tip_positions(truth)
        lengths = np.linalg.norm(missing, axis=1)
        tip_errors = dict(zip(model.tips, lengths.tolist(), strict=True))
    return {
        'scenario': scenario.name,
        'robot': model.name,
        'plant': facts.engine,
        'planner': scenario.planner.kind,
        'rollback': facts.rollback,
        'status': status,
        'period': scenario.period,
        'steps': log.rows,
        'duration': duration,
        'seed': scenario.seed,
        'mass_bias': scenario.plant.mass_bias,
        'path_error_rms': metrics.path_error_rms,
        'path_error_max': metrics.path_error_max,
        'true_path_error_rms': metrics.true_path_error_rms,
        'true_path_error_max': metrics.true_path_error_max,
        'force_difference_rms': metrics.force_difference_rms,
        'force_difference_max': metrics.force_difference_max,
        'force_difference_end': dict(
            zip(model.joint_names, metrics.force_difference_end, strict=True)
        ),
        'velocity_difference_rms': metrics.velocity_difference_rms,
        'tip_error_end': tip_errors,
        **({} if facts.course is None else tip_summary(log, model, facts.course, scenario.period)),
        'effort_share_max': max(
            e / limit for e, limit in zip(metrics.effort_max, model.effort_limit, strict=True)
        ),
        'effort_limited_steps': recorder.limited_steps,
        **recorder.contact_summary(log),
        **({} if facts.tip_masses is None else guided_summary(log, facts.tip_masses)),
        **(
            {}
            if hands is None or plan is None
            else {
                **hands_summary(model, log, hands, plan, scenario.period, recorder.halted),
                'tasks_left': tasks_left(plan, events, log.rows, scenario.period),
            }
        ),
        'real_time_factor': duration / elapsed if elapsed > 0.0 else 0.0,
        'step_cost_us': {part: round(1e6 * cost, 2) for part, cost in costs.items()},
        'joint_names': list(model.joint_names),
        'joint_units': list(model.joint_units),
        'graphs': list(scenario.graphs),
        'notes': list(facts.notes),
        'settings': msgspec.json.decode(msgspec.json.encode(scenario)),
        'events': events,
        'digest': metrics.digest,
    }
