"""What sums up two hands on one object: worked out by hand, or by another formula."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.bimanual.contact import ContactTarget
from simloop_ros.bimanual.internal_force import split
from simloop_ros.bimanual.leg import Insertion, Leg
from simloop_ros.bimanual.plan import BimanualPlan
from simloop_ros.core.values import Array
from simloop_ros.record.columns import COLUMNS
from simloop_ros.record.hands_log import HANDS_COLUMNS
from simloop_ros.record.hands_summary import hands_summary, true_squeezes, turn_angles
from simloop_ros.record.log import LogReader, LogWriter
from simloop_ros.record.planned_rows import planned_rows
from simloop_ros.robot.model import RobotModel

H = 0.01
ROUNDING = 1e-10  # [N], of forces of some 10 N
STEPS = (4, 4, 2, 2)  # of approach, hold, move, release
SQUEEZE = 10.0
FORCES = (*(0.0,) * 4, 50.0, 30.0, 10.5, 10.0, 10.9, 9.5, 2.0, 0.0)  # [N], after each step


@pytest.fixture(scope='module')
def workerbot(shipped: Callable[[str], RobotModel]) -> RobotModel:
    return shipped('workerbot')


def written(path: Path, columns: tuple[str, ...], n: int, **values: Array) -> LogReader:
    """Return a log with some columns, each of shape ``(rows, n)``; the others are zero."""
    with LogWriter(path, n, columns) as log:
        for k in range(len(next(iter(values.values())))):
            log.append([values[name][k] if name in values else np.zeros(n) for name in columns])
    return LogReader(path, n, columns)


def test_the_true_squeeze_is_that_of_the_split(tmp_path: Path, workerbot: RobotModel) -> None:
    """In random poses, with random wrenches at random sensors."""
    random = np.random.default_rng(3)
    count, n = 50, workerbot.n
    joints = random.uniform(workerbot.lower, workerbot.upper, (count, n))
    wrenches = 30.0 * random.standard_normal((count, 2, 6))
    log = written(tmp_path / 'log', COLUMNS, n, true_position=joints)
    hands = written(
        tmp_path / 'hands',
        HANDS_COLUMNS,
        6,
        true_wrench_1=wrenches[:, 0],
        true_wrench_2=wrenches[:, 1],
    )
    expected = []
    for q, both in zip(joints, wrenches, strict=True):
        poses = workerbot.frame_poses(q, workerbot.sensors)
        turned = [
            np.concatenate((pose.rotation @ wrench[:3], pose.rotation @ wrench[3:]))
            for pose, wrench in zip(poses, both, strict=True)
        ]
        points = np.array([pose.translation for pose in poses])
        expected.append(split(points, np.array(turned)).squeeze)
    found = true_squeezes(workerbot, log, hands)
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=ROUNDING)
    assert np.ptp(found) > 10.0


def plan_of(model: RobotModel, insertion: Insertion | None = None) -> BimanualPlan:
    """Return free hands, hands that hold still, that carry the object up, and that let go.

    On its way up it turns by almost half a turn.
    """
    low, middle, high = (
        pin.SE3(pin.exp3(np.array([0.0, 0.0, turn])), np.array([0.0, 0.0, height]))
        for turn, height in ((0.0, 0.0), (1.5, 0.05), (np.pi - 0.004, 0.1))
    )
    objects = ([low] * 4, [low] * 4, [middle, high], [high] * 2)
    free, held, loose = ContactTarget(None), ContactTarget(SQUEEZE), ContactTarget(0.0)
    legs = tuple(
        Leg(
            name,
            np.tile(model.home, (steps, 1)),
            tuple(poses),
            targets,
            np.ones(steps),
            bound=name != 'approach',
            insertion=insertion if name == 'move' else None,
        )
        for name, steps, poses, targets in zip(
            ('approach', 'hold', 'move', 'release'),
            STEPS,
            objects,
            ((free,) * 4, (held,) * 4, (held,) * 2, (loose, free)),
            strict=True,
        )
    )
    rows = sum(STEPS) + 1
    poses = [low, *(pose for leg in legs for pose in leg.objects)]
    return BimanualPlan(
        joints=np.tile(model.home, (rows, 1)),
        object_position=np.array([pose.translation for pose in poses]),
        object_rotation=np.array([pose.rotation for pose in poses]),
        targets=(free, *(target for leg in legs for target in leg.targets)),
        legs=legs,
        ends=np.cumsum(STEPS),
        leg_of=(0, *(i for i, steps in enumerate(STEPS) for _ in range(steps))),
        held=(False,) * rows,
        hinged=np.tile(np.eye(3), (rows, 1, 1)),
        at_object=np.ones(rows),
        stop_steps=(1,) * rows,
    )


def summed_up(
    folder: Path,
    model: RobotModel,
    forces: Sequence[float],
    halted: int | None = None,
    insertion: Insertion | None = None,
) -> dict:
    """Return the summary of hands that press with forces [N] along the line between them."""
    first, second = model.frame_poses(model.home, model.sensors)
    line = first.translation - second.translation
    line /= np.linalg.norm(line)
    press = np.array(forces)[:, None] * line
    nothing = np.zeros((len(forces), 3))
    plan = plan_of(model, insertion)
    # 1 m off where nothing is carried, 3 mm and 4 mm in the first step of the move.
    pose = np.zeros((sum(STEPS), 6))
    pose[:, :3] = plan.object_position[1:]
    pose[:8, 0], pose[10:, 0] = 1.0, 1.0
    pose[8, :2] = 0.003, 0.004
    # Half a turn off where nothing is carried; at the end of the move 7 mrad too far, so that its
    # vector points the other way.
    pose[:8, 3], pose[10:, 3] = np.pi, np.pi
    pose[8:10, 5] = 1.5, 0.003 - np.pi
    pose = pose[: len(forces)]
    log = written(
        folder / 'log', COLUMNS, model.n, true_position=np.tile(model.home, (len(forces), 1))
    )
    hands = written(
        folder / 'hands',
        HANDS_COLUMNS,
        6,
        true_wrench_1=np.hstack((press @ first.rotation, nothing)),
        true_wrench_2=np.hstack((-press @ second.rotation, nothing)),
        object_pose=pose,
    )
    return hands_summary(model, log, hands, plan, H, halted)


def test_the_plan_row_by_row(workerbot: RobotModel) -> None:
    """Row k of a log is the end of step k + 1; two rows are after the end of the plan."""
    insertion = Insertion(np.array([0.0, 0.0, 1.0]), 10.0)
    rows = planned_rows(plan_of(workerbot), 14)
    np.testing.assert_array_equal(rows.index, [*range(1, 13), 12, 12])
    np.testing.assert_array_equal(rows.leg, [0] * 4 + [1] * 4 + [2] * 2 + [3] * 4)
    nothing = [np.nan] * 4
    np.testing.assert_array_equal(rows.squeeze, [*nothing, *[SQUEEZE] * 6, 0.0, *nothing[:3]])
    np.testing.assert_array_equal(rows.holding, (rows.leg == 1) | (rows.leg == 2))
    np.testing.assert_array_equal(rows.moving, rows.leg == 2)
    assert rows.foreseen.all()
    assert rows.going.all()
    inserted = planned_rows(plan_of(workerbot, insertion), 14)
    np.testing.assert_array_equal(inserted.foreseen, rows.leg < 2)


def test_hands_that_are_halted_follow_the_plan_no_more(workerbot: RobotModel) -> None:
    rows, before = planned_rows(plan_of(workerbot), 14, halted=9), np.arange(14) < 9
    np.testing.assert_array_equal(rows.going, before)
    np.testing.assert_array_equal(rows.foreseen, before)
    np.testing.assert_array_equal(rows.moving, before & (rows.leg == 2))


def test_the_figures_of_a_carry(tmp_path: Path, workerbot: RobotModel) -> None:
    """2 % of the peak is 1 N: from the third step of the contact on all are that near to 10 N."""
    summary = summed_up(tmp_path, workerbot, FORCES)
    assert summary == pytest.approx(
        {
            'touched': 0.05,
            'internal_force_peak': 50.0,
            'internal_force_end': 0.0,
            'internal_force_least': 9.5,
            'internal_force_settling': 0.02,
            'dropped': None,
            'squeeze_error_max': 0.9,
            'object_error_max': 0.005,
            'object_turn_error_max': 0.007,
        },
        abs=ROUNDING,
    )


def test_a_force_that_does_not_settle_says_so(tmp_path: Path, workerbot: RobotModel) -> None:
    forces = (*FORCES[:9], 12.0, *FORCES[10:])  # in the last step that the object is held
    summary = summed_up(tmp_path, workerbot, forces)
    assert summary['internal_force_settling'] is None
    assert summary['squeeze_error_max'] == pytest.approx(2.0)


def test_a_pull_is_less_than_nothing(tmp_path: Path, workerbot: RobotModel) -> None:
    forces = (*FORCES[:6], -3.0, *FORCES[7:])
    summary = summed_up(tmp_path, workerbot, forces)
    assert summary['internal_force_least'] == pytest.approx(-3.0)
    assert summary['internal_force_settling'] == pytest.approx(0.03)


def test_an_object_that_is_not_there_any_more_was_dropped(
    tmp_path: Path, workerbot: RobotModel
) -> None:
    bounced = (*FORCES[:6], 0.0, *FORCES[7:])
    assert summed_up(tmp_path, workerbot, bounced)['dropped'] is None
    lost = (*FORCES[:8], 0.0, 0.0, 0.0, 0.0)  # as the move begins
    assert summed_up(tmp_path, workerbot, lost)['dropped'] == pytest.approx(0.08)


def test_hands_that_touch_nothing(tmp_path: Path, workerbot: RobotModel) -> None:
    summary = summed_up(tmp_path, workerbot, (0.0,) * 12)
    assert summary == {'internal_force_peak': 0.0, 'internal_force_end': 0.0, 'touched': None}


def test_a_run_that_ends_while_the_object_is_held(tmp_path: Path, workerbot: RobotModel) -> None:
    summary = summed_up(tmp_path, workerbot, FORCES[:7])
    assert summary['internal_force_end'] == pytest.approx(10.5)
    assert 'squeeze_error_max' not in summary
    assert summary['internal_force_settling'] == pytest.approx(0.02)


def test_what_is_carried_counts_until_the_hands_are_halted(
    tmp_path: Path, workerbot: RobotModel
) -> None:
    forces = (*FORCES[:9], 5.0, *FORCES[10:])  # 5 N too little in the second step of the move
    assert summed_up(tmp_path, workerbot, forces)['squeeze_error_max'] == pytest.approx(5.0)
    halted = summed_up(tmp_path, workerbot, forces, halted=9)
    assert halted['squeeze_error_max'] == pytest.approx(0.9)
    assert 'squeeze_error_max' not in summed_up(tmp_path, workerbot, forces, halted=8)


def test_an_insertion_ends_nobody_knows_where(tmp_path: Path, workerbot: RobotModel) -> None:
    insertion = Insertion(np.array([0.0, 0.0, 1.0]), 10.0)
    summary = summed_up(tmp_path, workerbot, FORCES, insertion=insertion)
    assert summary['squeeze_error_max'] == pytest.approx(0.9)
    assert 'object_error_max' not in summary
    assert 'object_turn_error_max' not in summary


def test_the_angle_between_two_attitudes() -> None:
    """A turn after another about the same axis; half a turn about x and one about z."""
    axis = np.array([2.0, -1.0, 2.0]) / 3.0
    angles = np.array([0.0, 1e-9, 0.4, np.pi - 1e-3, np.pi + 1e-3, 6.0])
    vectors = np.array([0.3 * axis] * len(angles))
    rotations = np.array([pin.exp3((0.3 + angle) * axis) for angle in angles])
    shortest = np.minimum(angles, 2.0 * np.pi - angles)
    np.testing.assert_allclose(turn_angles(vectors, rotations), shortest, rtol=0.0, atol=1e-8)
    x, z = np.array([[np.pi, 0.0, 0.0]]), np.diag([-1.0, -1.0, 1.0])[None]
    assert turn_angles(x, z) == pytest.approx(np.pi)  # together one about y
