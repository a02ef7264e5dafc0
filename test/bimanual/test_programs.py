"""Whole programmes of tasks in the simulated loop: what happens to the object, in truth."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
import importlib.util
from pathlib import Path
import re
import time
from typing import Any

import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.assembly.assemble import Assembly, assemble
from simloop_ros.assembly.run import run
from simloop_ros.bimanual.plan import BimanualPlan
from simloop_ros.core.errors import ConfigError, GoalError
from simloop_ros.record.hands_summary import true_squeezes
from simloop_ros.record.mcap import McapReader, read_mcap
from simloop_ros.robot.model import RobotModel
from simloop_ros.scenario.loading import load_scenario

H = 0.002
MASS, G, STIFFNESS = 0.5, 9.82, 5e4
WEIGHT = MASS * G
TABLE = 2.0 * STIFFNESS  # four corners of half the beam's stiffness each [N/m]
GRIP = 1e-4
"""How far the beam may be from its place in the hands [m]: its weight shears eight corners of a
third of its stiffness by 0.04 mm, and the arms give way a little."""
ASKEW = 1e-3  # the same, over the beam's half length of 40 mm [rad]
SQUEEZE = 1.0  # issue 7: kept within 1 N

SETTINGS = (
    f'period={H}',
    'control={}',
    'rest=0',
    'bimanual.impedance={}',
    f'bimanual.object.mass={MASS}',
    f'plant.object.mass={MASS}',
    f'plant.object.stiffness={STIFFNESS}',
)
PYBULLET = ('plant.engine=pybullet', f'plant.step={H / 2}')
TAKE = (
    '{do: approach, path: cp, clearance: 0.002, durations: [0.15]}',
    '{do: grasp, press: 0.0005, squeeze: 20, durations: [0.15]}',
    '{do: hold, duration: 0.25}',
)
LIFT = '{do: move, by: [0, 0, 0.02], duration: 0.3}'
LIFTED = 0.85  # when that is done [s]


@dataclass(frozen=True)
class Seen:
    """What happened, by step: ``(rows, ...)``.

    :ivar position: of the object [m].
    :ivar turn: its rotation vector [rad].
    :ivar forces: true ones on the hands, their sizes [N], ``(rows, 2)``.
    :ivar squeeze: true internal force [N].
    :ivar joints: true ones [rad].
    """

    model: RobotModel
    plan: BimanualPlan
    summary: dict[str, Any]
    position: np.ndarray
    turn: np.ndarray
    forces: np.ndarray
    squeeze: np.ndarray
    joints: np.ndarray

    def rows(self, *tasks: int) -> slice:
        """Return the rows of tasks, from the first of them to the last; they count from 1."""
        ends = [0, *self.plan.ends]
        return slice(int(ends[tasks[0] - 1]), int(ends[tasks[-1]]))

    def at_end(self, task: int) -> int:
        return int(self.plan.ends[task - 1]) - 1


Play = Callable[..., Seen]


def programme(tasks: Sequence[str]) -> str:
    return f'bimanual.tasks=[{", ".join(tasks)}]'


@pytest.fixture
def play(tmp_path: Path) -> Play:
    """Return what runs tasks on a shipped scenario, to their end and without a halt."""

    def made(*tasks: str, scenario: str = 'workerbot_hold', settings: Sequence[str] = ()) -> Seen:
        found = load_scenario(scenario, [*SETTINGS, *settings, programme(tasks)])
        prepared = assemble(found)
        summary = run(prepared, tmp_path, time.perf_counter)
        assert summary['status'] == 'reached'
        assert not [event for event in summary['events'] if 'stopped' in str(event)]
        log, hands = (McapReader(tmp_path / name) for name in ('log.mcap', 'hands.mcap'))
        model, plan = prepared.facts.model, prepared.facts.plan
        assert plan is not None
        rows = read_mcap(tmp_path / 'hands.mcap')
        pose = rows.columns[:, rows.names.index('object_pose')]
        wrench = [rows.names.index(f'true_wrench_{i}') for i in (1, 2)]
        motion = read_mcap(tmp_path / 'log.mcap')
        return Seen(
            model,
            plan,
            summary,
            pose[:, :3],
            pose[:, 3:],
            np.linalg.norm(rows.columns[:, wrench, :3], axis=2),
            true_squeezes(model, log, hands),
            motion.columns[:, motion.names.index('true_position')],
        )

    return made


def with_bullet() -> None:
    if importlib.util.find_spec('pybullet') is None:
        pytest.skip('pybullet is not installed')


@pytest.mark.parametrize(
    ('scenario', 'settings'),
    [
        ('workerbot_hold', ()),
        ('workerbot_hold', PYBULLET),
        pytest.param('yumi_hold', (), marks=pytest.mark.long),
    ],
    ids=['workerbot', 'pybullet', 'yumi'],
)
def test_pick_and_place(play: Play, scenario: str, settings: Sequence[str]) -> None:
    """Up, aside and turned, down on the table again; the hands let it lie there and go home."""
    if settings:
        with_bullet()
    seen = play(
        *TAKE,
        '{do: move, by: [0.05, 0, 0.04], turn: [0, 0, 0.2], duration: 0.6}',
        '{do: move, by: [0, 0, -0.04], duration: 0.6}',
        '{do: release, clearance: 0.01, durations: [0.3]}',
        '{do: retract, path: cp, durations: [0.5]}',
        scenario=scenario,
        settings=settings,
    )
    begin = seen.position[0]
    away = np.array([0.05, 0.0, 0.0])
    np.testing.assert_allclose(seen.position[-1] - begin, away, atol=GRIP)
    np.testing.assert_allclose(seen.turn[-1], [0.0, 0.0, 0.2], atol=ASKEW)
    # It rises and sinks along two quintics, never dropped: one period late at 0.13 m/s at most.
    u = np.arange(1, 301) / 300.0
    rise = 0.04 * (6 * u**5 - 15 * u**4 + 10 * u**3)
    height = seen.position[seen.rows(4, 5), 2] - begin[2]
    late = 0.13 * H + GRIP
    np.testing.assert_allclose(height, [*rise, *(0.04 - rise)], atol=late)
    # Put down and let go without a knock: each hand presses, and bears half of the weight.
    bearing = np.hypot(20.0 + SQUEEZE, 0.5 * WEIGHT)
    assert seen.forces[seen.rows(5, 6)].max() < bearing + SQUEEZE
    assert not seen.forces[seen.rows(7)].any()
    assert np.ptp(seen.position[seen.rows(7)], axis=0).max() < 1e-6
    np.testing.assert_allclose(seen.joints[-1], seen.model.home, atol=1e-3)


@pytest.fixture
def of_the_docs(tmp_path: Path) -> Assembly:
    """Return the programme of the documentation, planned."""
    page = (Path(__file__).parents[2] / 'docs' / 'bimanual.md').read_text()
    (text,) = re.findall(r'```yaml\n(description:.*?)```', page, re.DOTALL)
    file = tmp_path / 'pick.yaml'
    file.write_text(text)
    return assemble(load_scenario(str(file)))


def test_the_programme_of_the_docs_can_be_planned(of_the_docs: Assembly) -> None:
    plan = of_the_docs.facts.plan
    assert plan is not None
    assert len(plan.ends) >= 7


@pytest.mark.long
def test_the_programme_of_the_docs(tmp_path: Path, of_the_docs: Assembly) -> None:
    """Noisy sensors, the place of the table known by its force only."""
    prepared = of_the_docs
    summary = run(prepared, tmp_path / 'out', time.perf_counter)
    assert summary['status'] == 'reached'
    rows = read_mcap(tmp_path / 'out' / 'hands.mcap')
    pose = rows.columns[:, rows.names.index('object_pose')]
    np.testing.assert_allclose(pose[-1, :3], [0.5, 0.0, 0.82], atol=GRIP)
    np.testing.assert_allclose(pose[-1, 3:], [0.0, 0.0, 0.3], atol=ASKEW)
    pressed = WEIGHT + TABLE * (0.82 - pose[:, 2])
    assert pressed.max() < 15.0
    wrenches = [rows.names.index(f'true_wrench_{i}') for i in (1, 2)]
    assert not rows.columns[-1, wrenches].any()
    motion = read_mcap(tmp_path / 'out' / 'log.mcap')
    home = motion.columns[-1, motion.names.index('true_position')]
    np.testing.assert_allclose(home, prepared.facts.model.home, atol=1e-3)


@pytest.mark.parametrize(
    ('gives', 'settings'),
    [(True, ()), (False, ()), (True, PYBULLET)],
    ids=['yield', 'hold', 'yield-pybullet'],
)
def test_a_push_on_the_object(play: Play, gives: bool, settings: Sequence[str]) -> None:
    """4 N on 1.5 kg of impedance and 0.5 kg of beam, 80 N s/m and 800 N/m: critically damped.

    x = F/K (1 - (1 + w t) exp(-w t)) with w = sqrt(800/2) = 20/s.
    """
    if settings:
        with_bullet()
    soft = (
        'mass: [1.5, 1.5, 1.5, 0.02, 0.02, 0.02], damping: [80, 80, 80, 2, 2, 2], '
        'stiffness: [800, 800, 800, 50, 50, 50]'
    )
    task = f'{{do: yield, duration: 0.5, impedance: {{{soft}}}}}'
    push = f'plant.pushes=[{{link: object, start: {LIFTED}, duration: 1, force: [4, 0, 0]}}]'
    seen = play(
        *TAKE, LIFT, task if gives else '{do: hold, duration: 0.5}', settings=(*settings, push)
    )
    pushed = seen.rows(5)
    way = seen.position[pushed] - seen.position[pushed.start - 1]
    t = H * np.arange(1, len(way) + 1)
    expected = 4.0 / 800.0 * (1.0 - (1.0 + 20.0 * t) * np.exp(-20.0 * t)) if gives else 0.0 * t
    # Readings are a period old, and so is the motion: two periods at 37 mm/s at most.
    late = 2 * H * 0.037 if gives else 0.0
    np.testing.assert_allclose(way[:, 0], expected, atol=late + GRIP)
    np.testing.assert_allclose(way[-1], [5e-3 if gives else 0.0, 0.0, 0.0], atol=GRIP)
    assert np.abs(seen.squeeze[pushed] - 20.0).max() < SQUEEZE


def test_another_squeeze(play: Play) -> None:
    """20, 40 and 10 N: each is reached, and none is left on the other side."""
    seen = play(
        *TAKE,
        LIFT,
        '{do: hold, squeeze: 40, duration: 0.4}',
        '{do: hold, squeeze: 10, duration: 0.4}',
    )
    force, past = seen.squeeze, 0.1
    assert force[seen.rows(3, 4)].min() > 20.0 - past
    up, down = force[seen.rows(5)], force[seen.rows(6)]
    assert up.min() > 20.0 - past
    assert down.min() > 10.0 - past
    assert max(up.max(), down.max()) < 40.0 + past
    ends = [force[seen.at_end(task)] for task in (4, 5, 6)]
    np.testing.assert_allclose(ends, [20.0, 40.0, 10.0], atol=0.5 * SQUEEZE)


def table_force(seen: Seen) -> np.ndarray:
    """Return the table's force on the beam [N]: at its begin it bears the weight."""
    sunk = WEIGHT / TABLE + seen.position[0, 2] - seen.position[:, 2]
    return TABLE * np.maximum(0.0, sunk)


def test_insert_slide_and_lift(play: Play) -> None:
    """Down until the table resists with 15 N, along it, and up again from there."""
    seen = play(
        *TAKE,
        '{do: move, by: [0.02, 0, 0.01], duration: 0.3}',
        '{do: insert, by: [0, 0, -0.03], max_force: 15, duration: 0.8}',
        '{do: slide, by: [0.05, 0, 0], impedance: {damping: low, stiffness: medium}, '
        'duration: 0.6}',
        LIFT,
    )
    force, height = table_force(seen), seen.position[:, 2]
    # The arms need some 10 ms to stop at 0.06 m/s, on a table of 1e5 N/m; then they go back.
    assert force[seen.rows(5)].max() < 60.0
    assert 10.0 < force[seen.at_end(5)] < 15.5
    # 1000 N/m against the table's 1e5 leave a hundredth; the rest is the grip's.
    assert force[seen.at_end(6)] < 2.0
    np.testing.assert_allclose(
        seen.position[seen.at_end(6)] - seen.position[seen.at_end(5)],
        [0.05, 0.0, 15.0 / TABLE],
        atol=GRIP,
    )
    assert height[-1] - height[seen.at_end(6)] == pytest.approx(0.02, abs=GRIP)
    assert np.abs(seen.squeeze[seen.rows(4, 7)] - 20.0).max() < SQUEEZE


@pytest.mark.long
def test_what_was_inserted_is_taken_again(play: Play) -> None:
    """Its place is known only by the force that ended the insertion, 20 mm above the plan."""
    seen = play(
        *TAKE,
        '{do: move, by: [0.03, 0, 0.02], duration: 0.4}',
        '{do: insert, by: [0, 0, -0.04], max_force: 15, duration: 0.8}',
        '{do: release, clearance: 0.01, durations: [0.3]}',
        '{do: grasp, press: 0.0005, durations: [0.2]}',
        '{do: hold, duration: 0.25}',
        '{do: move, by: [-0.03, 0, 0.05], duration: 0.5}',
    )
    begin = seen.position[0]
    np.testing.assert_allclose(seen.position[-1] - begin, [0.0, 0.0, 0.05], atol=2 * GRIP)
    np.testing.assert_allclose(seen.turn[-1], 0.0, atol=ASKEW)


def test_a_hinge(play: Play) -> None:
    """By Rodrigues' formula about the line, and never nearer to it or farther from it."""
    pivot, turn = np.array([0.3, 0.05, 0.84]), np.array([0.0, -0.3, 0.2])
    seen = play(
        *TAKE, LIFT, '{do: hinge, pivot: [0.3, 0.05, 0.84], turn: [0, -0.3, 0.2], duration: 0.6}'
    )
    angle = np.linalg.norm(turn)
    axis = turn / angle
    arm = np.array([0.4, 0.0, 0.84]) - pivot
    turned = (
        np.cos(angle) * arm
        + np.sin(angle) * np.cross(axis, arm)
        + (1.0 - np.cos(angle)) * (axis @ arm) * axis
    )
    np.testing.assert_allclose(seen.position[-1], pivot + turned, atol=GRIP)
    np.testing.assert_allclose(seen.turn[-1], turn, atol=ASKEW)
    arms = seen.position[seen.rows(5)] - pivot
    distance = np.linalg.norm(np.cross(axis, arms), axis=1)
    np.testing.assert_allclose(distance, np.linalg.norm(np.cross(axis, arm)), atol=GRIP)


def test_jogs_of_free_hands(play: Play) -> None:
    """One before the grasp, one after the release: they do not affect the object."""
    seen = play(
        '{do: jog, tip: palm_l, by: [0, 0.03, 0.02], duration: 0.2}',
        *TAKE,
        '{do: release, clearance: 0.01, durations: [0.2]}',
        '{do: jog, tip: palm_r, by: [0, -0.03, 0.02], duration: 0.2}',
        '{do: retract, path: cp, durations: [0.2]}',
    )
    assert not seen.forces[seen.rows(1, 2)].any()
    assert not seen.forces[seen.rows(6, 7)].any()
    np.testing.assert_allclose(seen.position[-1], seen.position[0], atol=GRIP)
    for task, hand, by in ((1, 0, [0.0, 0.03, 0.02]), (6, 1, [0.0, -0.03, 0.02])):
        rows = seen.rows(task)
        before = seen.joints[rows.start - 1] if rows.start else seen.model.home
        way = seen.model.tip_positions(seen.joints[rows.stop - 1]) - seen.model.tip_positions(
            before
        )
        np.testing.assert_allclose(way[hand], by, atol=GRIP)
        np.testing.assert_allclose(way[1 - hand], 0.0, atol=GRIP)
    np.testing.assert_allclose(seen.joints[-1], seen.model.home, atol=1e-3)


def test_paths_of_one_arm_and_a_curve_of_the_object(play: Play) -> None:
    """A hand goes round and back, the other one turns its wrist; then they hop with the beam.

    Of three points at equal distances the natural spline is known: with u = min(s, 1 - s) it is
    0.1 s along and 0.12 u - 0.16 u^3 up, which is 40 mm in the middle.
    """
    seen = play(
        '{do: reach, tip: palm_l, path: cp, through: [[0.42, 0.1, 0.84]], '
        'position: [0.38, 0.12, 0.9], rpy: [1.4, 0.2, 0.1], duration: 0.5}',
        '{do: jog, tip: palm_r, joints: {wb_joint_2_r: -0.1, wb_joint_6_r: 0.2}, duration: 0.3}',
        '{do: reach, tip: palm_l, position: [0.4, 0.06, 0.82], rpy: [1.5708, 0, 0], '
        'duration: 0.5}',
        '{do: approach, durations: [0.4]}',
        *TAKE,
        LIFT,
        '{do: move, by: [0.1, 0, 0], through: [[0.05, 0, 0.04]], turn: [0, 0, 0.2], duration: 1}',
        '{do: hold, duration: 0.1}',
    )
    assert not seen.forces[seen.rows(1, 5)].any()
    left = seen.model.frame_poses(seen.joints[seen.at_end(2)], seen.model.tips)[0]
    np.testing.assert_allclose(left.translation, [0.38, 0.12, 0.9], atol=GRIP)
    np.testing.assert_allclose(
        left.rotation, pin.rpy.rpyToMatrix(np.array([1.4, 0.2, 0.1])), atol=ASKEW
    )
    turned = seen.joints[seen.at_end(2)] - seen.model.home
    named = [seen.model.joint_names.index(name) for name in ('wb_joint_2_r', 'wb_joint_6_r')]
    np.testing.assert_allclose(turned[named], [-0.1, 0.2], atol=ASKEW)
    np.testing.assert_allclose(np.delete(turned[7:], np.subtract(named, 7)), 0.0, atol=ASKEW)
    hop = seen.rows(9)
    way = seen.position[hop] - seen.position[hop.start - 1]
    t = np.arange(1, 501) / 500.0
    s = 6 * t**5 - 15 * t**4 + 10 * t**3
    u = np.minimum(s, 1.0 - s)
    curve = np.stack((0.1 * s, 0.0 * s, 0.12 * u - 0.16 * u**3), axis=1)
    np.testing.assert_allclose(way, curve, atol=GRIP)
    np.testing.assert_allclose(seen.turn[-1], [0.0, 0.0, 0.2], atol=ASKEW)
    assert np.abs(seen.squeeze[seen.rows(9, 10)] - 20.0).max() < SQUEEZE


JOG = '{do: jog, tip: palm_l, by: [0, 0.01, 0]}'


@pytest.mark.parametrize(
    ('tasks', 'message'),
    [
        (('{do: fly}',), r"tasks\[0\].do: unknown value 'fly': .*valid: approach, grasp, hinge"),
        ((*TAKE, '{do: move, to: [0, 0, 1]}'), r"key of .*do move '.*tasks\[3\].to': .*by"),
        (('{do: approach, path: straight}',), r"path: .*approach 'straight': .*cp, ptp"),
        ((*TAKE, '{do: slide}'), r'tasks\[3\]: the key by is missing'),
        ((*TAKE, '{do: hold, duration: -1}'), r'tasks\[3\].duration: .* > 0'),
        ((*TAKE, '{do: move, by: [0, 0, .nan]}'), r'tasks\[3\].by\[2\]: nan is not a finite'),
        (
            (*TAKE, '{do: move, through: [0, 0, 1]}'),
            r'tasks\[3\].through\[0\]: a list.*; 0 was',
        ),
        ((*TAKE, '{do: move, through: [[0, 0]]}'), r'tasks\[3\].through\[0\]: .*length 3'),
        (('{do: reach, tip: palm_l}',), r'tasks\[0\]: the key position is missing'),
        (
            ('{do: jog, tip: palm_l, joints: {wb_joint_4_l: far}}',),
            r'tasks\[0\].joints.wb_joint_4_l: a number',
        ),
        (
            ('{do: jog, tip: palm_l, joints: {wb_joint_4_l: .nan}}',),
            r'tasks\[0\].joints.wb_joint_4_l: nan is not a finite',
        ),
        ((*TAKE, JOG), r'task 4 \(jog\): both arms hold the object since task 2 \(grasp\)'),
        ((*TAKE, LIFT, JOG), r'task 5 \(jog\): both arms hold the object since task 2'),
        (
            (*TAKE, '{do: hold, squeeze: 0}', LIFT),
            r'task 5 \(move\): the hands do not press the object',
        ),
        (
            (
                *TAKE,
                '{do: move, by: [0, 0.06, 0]}',
                '{do: release, clearance: 0.01}',
                '{do: retract}',
            ),
            r'task 6 \(retract\): palm_l would sweep the object from its place',
        ),
        (
            (*TAKE, '{do: yield, impedance: {stiffness: [0, 1, 1, 1, 1, 1]}}'),
            r'tasks\[3\].impedance.stiffness\[0\]: .* > 0',
        ),
    ],
)
def test_what_makes_no_sense_is_refused(tasks: tuple[str, ...], message: str) -> None:
    with pytest.raises((ConfigError, GoalError), match=message):
        assemble(load_scenario('workerbot_hold', [*SETTINGS, programme(tasks)]))
