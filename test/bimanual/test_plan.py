"""The plan of two arms: where the hands go, when, and what is refused beforehand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.bimanual.config import BimanualConfig, KnownObject
from simloop_ros.bimanual.pace import stop_steps
from simloop_ros.bimanual.plan import BimanualPlan, plan_bimanual
from simloop_ros.bimanual.task_config import (
    ApproachTask,
    GraspTask,
    HingeTask,
    HoldTask,
    ImpedanceConfig,
    InsertTask,
    JogTask,
    MoveTask,
    ReachTask,
    ReleaseTask,
    RetractTask,
    SlideTask,
    Task,
    YieldTask,
)
from simloop_ros.core.errors import ConfigError, GoalError, UnknownNameError
from simloop_ros.core.values import JointState
from simloop_ros.robot.model import RobotModel

H = 4e-3
ON_THE_WAY = 1e-9  # of a tip from its place, as asked for [m, rad]
CARRY = MoveTask(by=(0.12, 0.02, 0.1), turn=(0.1, 0.0, 0.5), duration=1.0)
LIGHT = ImpedanceConfig(
    mass=(1.0, 1.0, 1.0, 0.01, 0.01, 0.01),
    damping=(30.0, 30.0, 30.0, 1.0, 1.0, 1.0),
    stiffness=(300.0, 300.0, 300.0, 1.0, 1.0, 1.0),
)
CHAIN = (
    ApproachTask(clearance=0.02, durations=(0.4, 0.2)),
    GraspTask(press=0.001, durations=(0.3,)),
    HoldTask(duration=0.1, squeeze=15.0),
    CARRY,
    ReleaseTask(clearance=0.015, durations=(0.2, 0.3)),
    RetractTask(durations=(0.8,)),
)

Configured = Callable[..., BimanualConfig]


def rest(position: np.ndarray) -> JointState:
    return JointState(position, np.zeros_like(position))


def planned(model: RobotModel, config: BimanualConfig, period: float = H) -> BimanualPlan:
    return plan_bimanual(config, model, period, rest(model.home))


def in_object(model: RobotModel, plan: BimanualPlan, row: int) -> list[pin.SE3]:
    """Return the poses of the tips in axes of the planned object."""
    object_ = pin.SE3(plan.object_rotation[row], plan.object_position[row])
    return [object_.actInv(pose) for pose in model.frame_poses(plan.joints[row], model.tips)]


def rows_of(plan: BimanualPlan, name: str) -> range:
    (i,) = (i for i, leg in enumerate(plan.legs) if name in leg.name)
    end = int(plan.ends[i])
    return range(end - plan.legs[i].steps, end + 1)


@pytest.fixture(scope='module')
def chain(workerbot: RobotModel, configured: Configured) -> BimanualPlan:
    return planned(workerbot, configured(workerbot, *CHAIN))


def test_hands_keep_their_places_on_the_object(
    two_arms: RobotModel, configured: Configured
) -> None:
    plan = planned(two_arms, configured(two_arms, GraspTask(press=0.002), CARRY, HoldTask()))
    expected = [[0.0, 0.038, 0.0], [0.0, -0.038, 0.0]]
    for row in (*rows_of(plan, 'move')[::10], plan.last):
        left, right = in_object(two_arms, plan, row)
        np.testing.assert_allclose(
            [left.translation, right.translation], expected, atol=ON_THE_WAY
        )
        np.testing.assert_allclose(left.rotation[:, 2], [0.0, -1.0, 0.0], atol=ON_THE_WAY)
        np.testing.assert_allclose(right.rotation[:, 2], [0.0, 1.0, 0.0], atol=ON_THE_WAY)
        np.testing.assert_allclose(left.rotation[:, 0], [1.0, 0.0, 0.0], atol=ON_THE_WAY)


def test_the_object_goes_where_it_shall(chain: BimanualPlan) -> None:
    rows = rows_of(chain, 'move')
    first, last = rows[0], rows[-1]
    way = chain.object_position[last] - chain.object_position[first]
    np.testing.assert_allclose(way, CARRY.by, atol=1e-15)
    turned = chain.object_rotation[last] @ chain.object_rotation[first].T
    np.testing.assert_allclose(turned, pin.exp3(np.array(CARRY.turn)), atol=1e-14)
    # 6 u^5 - 15 u^4 + 10 u^3 is a half in the middle, and 0.101418 at 0.248.
    x = chain.object_position[rows, 0] - chain.object_position[first, 0]
    np.testing.assert_allclose(x[[62, 125]] / x[-1], [0.101418, 0.5], atol=1e-6)


def test_all_rest_between_tasks(chain: BimanualPlan) -> None:
    """On a quintic the first step of n is 10/n^3 of the way; nothing moves at the border."""
    fastest = np.abs(np.diff(chain.joints, axis=0)).max()
    for end in chain.ends[:-1]:
        around = np.abs(np.diff(chain.joints[end - 1 : end + 2], axis=0)).max()
        assert around < 1e-3 * fastest
    np.testing.assert_array_equal(chain.joints[-1], chain.joints[0])  # retract: the start


def test_times(chain: BimanualPlan) -> None:
    """A task lasts as long as its slower hand; its time is rounded up to whole steps."""
    seconds = np.diff([0, *chain.ends]) * H
    np.testing.assert_allclose(seconds, [0.4, 0.3, 0.1, 1.0, 0.3, 0.8], atol=1e-12)
    rows = rows_of(chain, 'approach')
    resting = np.abs(np.diff(chain.joints[rows], axis=0)) == 0.0
    assert resting[50:, 7:].all()  # the right arm is there after 0.2 s, and waits
    assert not resting[50:-1, :7].all(axis=1).any()


def test_places_of_the_palms(workerbot: RobotModel, chain: BimanualPlan) -> None:
    """Distance from the middle of a beam of 80 mm: clearance before, press beyond its end."""
    for task, half in (('approach', 0.06), ('grasp', 0.039), ('release', 0.055)):
        left, right = in_object(workerbot, chain, rows_of(chain, task)[-1])
        np.testing.assert_allclose(
            [left.translation, right.translation],
            [[0.0, half, 0.0], [0.0, -half, 0.0]],
            atol=ON_THE_WAY,
        )


def test_hands_close_straight(workerbot: RobotModel, chain: BimanualPlan) -> None:
    for row in rows_of(chain, 'grasp')[::7]:
        for pose in in_object(workerbot, chain, row):
            assert np.abs(pose.translation[[0, 2]]).max() < ON_THE_WAY


def test_a_continuous_path_is_straight(workerbot: RobotModel, configured: Configured) -> None:
    """From a hand that was jogged away: in joint space its way back is bent."""
    away = JogTask(tip='palm_l', by=(-0.05, 0.1, 0.05), turn=(0.0, 0.3, 0.0), duration=0.5)
    bows = {}
    for path in ('cp', 'ptp'):
        tasks = (away, ApproachTask(path=path, durations=(0.5,)))
        plan = planned(workerbot, configured(workerbot, *tasks))
        rows = rows_of(plan, 'approach')
        tips = np.array([workerbot.tip_positions(plan.joints[row])[0] for row in rows])
        along = (tips[-1] - tips[0]) / np.linalg.norm(tips[-1] - tips[0])
        bows[path] = np.linalg.norm(np.cross(tips - tips[0], along), axis=1).max()
    assert bows['cp'] < ON_THE_WAY
    assert bows['ptp'] > 1e-4


def test_a_straight_way_home_ends_in_the_joints_of_the_start(
    two_arms: RobotModel, configured: Configured
) -> None:
    """Seven joints leave an elbow free: it comes home as well, and the hands go straight."""
    tip = two_arms.tips[0]
    away = (
        JogTask(tip=tip, by=(-0.05, 0.1, 0.05), turn=(0.0, 0.3, 0.0), duration=0.5),
        JogTask(tip=tip, by=(0.08, 0.0, 0.05), duration=0.5),
    )
    task = RetractTask(path='cp', durations=(0.6, 0.3))
    plan = planned(two_arms, configured(two_arms, *away, task))
    np.testing.assert_allclose(plan.joints[-1], two_arms.home, atol=1e-14)
    rows = rows_of(plan, 'retract')
    tips = np.array([two_arms.tip_positions(plan.joints[row])[0] for row in rows])
    along = (tips[-1] - tips[0]) / np.linalg.norm(tips[-1] - tips[0])
    assert np.linalg.norm(np.cross(tips - tips[0], along), axis=1).max() < ON_THE_WAY
    # As smooth as the quintic of 150 steps: its largest step is 1.875/150 of the way, and from
    # one step to the next it changes by 5.77/150^2.
    steps = np.diff(plan.joints[rows], axis=0)
    total = np.abs(plan.joints[rows[0]] - two_arms.home).max()
    assert np.abs(steps).max() < 2 * 1.875 / 150 * total
    assert np.abs(np.diff(steps, axis=0)).max() < 3 * 5.77 / 150**2 * total


def test_a_jog_moves_one_hand(workerbot: RobotModel, configured: Configured) -> None:
    by, turn = (0.01, -0.02, 0.03), (0.0, 0.1, 0.2)
    plan = planned(workerbot, configured(workerbot, JogTask(tip='palm_r', by=by, turn=turn)))
    before, after = (workerbot.frame_poses(plan.joints[row], workerbot.tips) for row in (0, -1))
    np.testing.assert_allclose(after[1].translation - before[1].translation, by, atol=ON_THE_WAY)
    np.testing.assert_allclose(
        after[1].rotation @ before[1].rotation.T, pin.exp3(np.array(turn)), atol=ON_THE_WAY
    )
    assert np.abs(plan.joints[:, :7] - workerbot.home[:7]).max() < 1e-14


def test_a_hinge_is_a_door(workerbot: RobotModel, configured: Configured) -> None:
    pivot, turn = (0.7, 0.0, 0.0), (0.0, 0.0, 0.4)
    task = HingeTask(pivot=pivot, turn=turn, duration=1.0)
    plan = planned(workerbot, configured(workerbot, GraspTask(), task))
    radii = np.linalg.norm((plan.object_position - pivot)[:, :2], axis=1)
    np.testing.assert_allclose(radii, 0.3, atol=1e-14)
    np.testing.assert_allclose(plan.object_rotation[-1], pin.exp3(np.array(turn)), atol=1e-14)


def test_what_is_wanted_of_the_forces(chain: BimanualPlan) -> None:
    at = {leg.name.split('(')[1][:-1]: rows_of(chain, leg.name) for leg in chain.legs}
    squeeze = [target.squeeze for target in chain.targets]
    assert {squeeze[row] for row in at['approach']} == {None}
    assert {squeeze[row] for row in at['grasp'][1:]} == {20.0}
    assert {squeeze[row] for row in at['hold'][1:]} == {15.0}
    assert {squeeze[row] for row in at['move'][1:]} == {15.0}
    assert {squeeze[row] for row in at['retract'][1:]} == {None}
    # A release yields to every force until the palms are half of the clearance away.
    loose = [row for row in at['release'][1:] if squeeze[row] == 0.0]
    assert all(squeeze[row] is None for row in at['release'][len(loose) + 1 :])
    assert loose == list(at['release'][1 : len(loose) + 1])
    assert len(loose) > 0.5 * 0.3 / H
    tared = [row for row, target in enumerate(chain.targets) if target.tare]
    assert tared == list(range(25))  # 0.1 s
    held = [row for row, held in enumerate(chain.held) if held]
    assert held == list(range(at['grasp'][-1], at['move'][-1] + 1))


def test_a_first_grasp_waits_for_the_bias(workerbot: RobotModel, configured: Configured) -> None:
    config = configured(workerbot, GraspTask(durations=(0.2,)), tare_time=0.1)
    plan = planned(workerbot, config)
    assert plan.last * H == pytest.approx(0.3)
    np.testing.assert_array_equal(plan.joints[:26], np.tile(workerbot.home, (26, 1)))
    assert plan.targets[24].tare
    assert plan.targets[26].squeeze == 20.0


def test_a_stop_is_within_the_efforts(workerbot: RobotModel, configured: Configured) -> None:
    """From the fastest place of a quick way home: the motors can do it, and not much faster."""
    h = 1e-3
    tasks = (
        JogTask(tip='palm_l', by=(0.0, 0.15, 0.15), duration=0.7),
        RetractTask(durations=(0.5,)),
    )
    plan = planned(workerbot, configured(workerbot, *tasks), h)
    row = int(np.argmax(plan.stop_steps))
    steps = plan.stop_steps[row]
    assert steps > 10
    q, v = plan.joints[row], (plan.joints[row + 1] - plan.joints[row - 1]) / (2.0 * h)
    model, data = workerbot.pin_model, workerbot.pin_model.createData()
    steady = pin.rnea(model, data, q, v, 0.0 * v)
    for share, within in ((1.11, True), (2.22, False)):
        tau = steady - share / (steps * h) * pin.crba(model, data, q) @ v
        assert bool((np.abs(tau) <= workerbot.effort_limit).all()) is within


@pytest.mark.parametrize(
    ('tasks', 'message'),
    [
        ((), 'tasks is empty'),
        ((MoveTask(by=(0.1, 0.0, 0.0)),), r'task 1 \(move\): the hands do not hold'),
        ((HoldTask(),), r'task 1 \(hold\): the hands do not hold'),
        ((HoldTask(squeeze=3.0),), r'task 1 \(hold\): the hands do not hold'),
        ((YieldTask(),), r'task 1 \(yield\): the hands do not hold'),
        ((ReleaseTask(),), r'task 1 \(release\): the hands do not hold'),
        ((GraspTask(), ReleaseTask(), HoldTask()), r'task 3 \(hold\): the hands do not hold'),
        ((GraspTask(), GraspTask()), r'task 2 \(grasp\): both arms hold .* second one'),
        (
            (GraspTask(), JogTask(tip='palm_l', by=(0.0, 0.1, 0.0))),
            r'task 2 \(jog\): both arms hold',
        ),
        ((GraspTask(), ApproachTask()), r'task 2 \(approach\): both arms hold'),
        ((GraspTask(), RetractTask()), r'task 2 \(retract\): both arms hold'),
        (
            (JogTask(tip='palm_l', by=(0.0, 0.0, 0.01)), GraspTask()),
            r'task 2 \(grasp\): the palm palm_l is not before .* 10.0 mm beside',
        ),
        (
            (JogTask(tip='palm_r', turn=(0.0, 0.1, 0.0)), GraspTask()),
            r'task 2 \(grasp\): the palm palm_r .* turned by 0.100 rad',
        ),
        ((JogTask(tip='hand', by=(0.0, 0.1, 0.0)),), "unknown tip of task 1 .*'hand'"),
        ((JogTask(tip='palm_l'),), r'task 1 \(jog\): neither by nor turn nor joints'),
        (
            (JogTask(tip='palm_l', joints={'wb_joint_4_l': 0.0}),),
            r'task 1 \(jog\): neither by nor turn nor joints',
        ),
        (
            (JogTask(tip='palm_l', by=(0.0, 0.1, 0.0), joints={'wb_joint_4_l': 0.1}),),
            r'task 1 \(jog\): joints are given, and by or turn as well; make two jogs',
        ),
        (
            (JogTask(tip='palm_l', joints={'wb_joint_4_r': 0.1}),),
            r"unknown joint of palm_l in task 1 \(jog\) 'wb_joint_4_r': .*wb_joint_7_l$",
        ),
        (
            (JogTask(tip='palm_l', joints={'wb_joint_4_l': 5.0}, duration=5.0),),
            r'task 1 \(jog\): wb_joint_4_l would leave its range by',
        ),
        (
            (JogTask(tip='palm_l', joints={'wb_joint_4_l': 0.5}, duration=0.1),),
            r'task 1 \(jog\): wb_joint_4_l would have to go at .* raise its duration ',
        ),
        (
            (GraspTask(), JogTask(tip='palm_l', joints={'wb_joint_4_l': 0.1})),
            r'task 2 \(jog\): both arms hold',
        ),
        (
            (GraspTask(), ReachTask(tip='palm_l', position=(0.4, 0.2, 0.9))),
            r'task 2 \(reach\): both arms hold .* since task 1 \(grasp\)',
        ),
        ((ReachTask(tip='hand', position=(0.4, 0.2, 0.9)),), "unknown tip of task 1 .*'hand'"),
        (
            (ReachTask(tip='palm_l', position=(0.4, 0.2, 0.9), through=((0.4, 0.2, 0.8),)),),
            r'task 1 \(reach\): path is ptp, which does not go through points; set path: cp',
        ),
        (
            (ReachTask(tip='palm_l', position=(0.4, 0.2, 2.9)),),
            r'task 1 \(reach\): palm_l at \(0.400, 0.200, 2.900\) m: .*out of reach',
        ),
        (
            (ReachTask(tip='palm_l', position=(0.4, 0.2, 2.9), path='cp'),),
            r'task 1 \(reach\): palm_l at .* m: ',
        ),
        (
            (ReachTask(tip='palm_l', position=(0.4, 0.15, 0.9), duration=0.1),),
            r'task 1 \(reach\): wb_joint_\d_l would (need|have to go at) .* raise its duration\b',
        ),
        (
            # below the other hand, which is 0.1 m away
            (ReachTask(tip='palm_l', position=(0.4, -0.05, 0.8), path='cp'),),
            r'task 1 \(reach\): the robot would run into itself',
        ),
        *(
            (
                (
                    ReachTask(tip='palm_l', position=(0.46, 0.05, 0.82), path='cp'),
                    ReachTask(tip='palm_l', position=(0.4, 0.039, 0.82), path=path),
                ),
                r'task 2 \(reach\): palm_l would sweep the object .* a jog or a reach before',
            )
            for path in ('ptp', 'cp')
        ),
        (
            (GraspTask(), MoveTask(by=(0.0, 0.0, 0.1), through=((0.0, 0.0, 0.1),))),
            r'task 2 \(move\): through\[0\] and its end coincide',
        ),
        (
            (GraspTask(), MoveTask(through=((0.0, 0.0, 0.0),))),
            r'task 2 \(move\): its start and through\[0\] coincide',
        ),
        (
            (GraspTask(), MoveTask(by=(0.1, 0.0, 0.0), through=((0.0, 0.0, 2.0),))),
            r'task 2 \(move\): palm_\w at .* m: .* robot.home',
        ),
        (
            (GraspTask(squeeze=0.0), MoveTask(through=((0.0, 0.0, 0.1),))),
            r'task 2 \(move\): the hands do not press the object',
        ),
        (
            (MoveTask(by=(0.1, 0.0, 0.0), through=((0.0, 0.0, 0.1),)),),
            r'task 1 \(move\): the hands do not hold',
        ),
        ((GraspTask(), MoveTask()), r'task 2 \(move\): neither by nor turn'),
        ((GraspTask(), SlideTask(by=(0.0, 0.0, 0.0))), r'task 2 \(slide\): by is zero'),
        ((GraspTask(), SlideTask(by=(0.1, 0.0, 0.1))), r'only slide along one of them'),
        ((GraspTask(), InsertTask(by=(0.0, 0.0, 0.0))), r'task 2 \(insert\): by is zero'),
        (
            (GraspTask(), HingeTask(pivot=(0.0, 0.0, 0.0), turn=(0.0, 0.0, 0.0))),
            r'task 2 \(hinge\): turn is zero',
        ),
        ((ApproachTask(durations=(1.0, 1.0, 1.0)),), r'task 1 \(approach\): 3 durations for 2'),
        ((ApproachTask(durations=(1e5,)),), r'task 1 \(approach\): .* at most 1000000'),
        (
            (GraspTask(), MoveTask(by=(2.0, 0.0, 0.0))),
            r'task 2 \(move\): palm_\w at .* m: .* robot.home',
        ),
        (
            (JogTask(tip='palm_l', by=(0.0, 0.2, 0.0)), RetractTask(durations=(0.1,))),
            r'task 2 \(retract\): wb_joint_\d_l would have to go at .* raise its durations',
        ),
        (
            (GraspTask(), MoveTask(by=(0.1, 0.0, 0.1), duration=0.12)),
            r'task 2 \(move\): wb_joint_\w+ would (need|have)',
        ),
        (
            (GraspTask(squeeze=5000.0),),
            r'task 1 \(grasp\): wb_joint_\w+ would need .* lower squeeze',
        ),
        (
            (JogTask(tip='palm_l', by=(0.0, -0.12, 0.0)),),
            r'task 1 \(jog\): the robot would run into itself: .*_l touches .*_r',
        ),
        (
            (GraspTask(), MoveTask(by=(0.0, 0.06, 0.0)), ReleaseTask(), RetractTask(path='cp')),
            r'task 4 \(retract\): palm_l would sweep the object',
        ),
        (
            (GraspTask(), InsertTask(by=(0.0, 0.06, 0.0)), ReleaseTask(), RetractTask(path='cp')),
            r'task 4 \(retract\): palm_l would sweep the object',
        ),
        (
            (GraspTask(), InsertTask(by=(0.0, 0.0, -1e-200))),
            r'task 2 \(insert\): by is zero, or as good as that: 1e-200 m',
        ),
        (
            (GraspTask(), InsertTask(by=(0.0, 0.0, -0.01), max_force=2.0)),
            r'task 2 \(insert\): max_force 2 N is below bimanual.contact_force, 3 N',
        ),
        (
            (GraspTask(), YieldTask(impedance=LIGHT)),
            # 1 kg + 4 ms x 30 N s/m, for 0.5 kg
            r'task 2 \(yield\): an impedance as light as 1.12 kg .* of 0.5 kg; at least 3 times',
        ),
        (
            (GraspTask(), SlideTask(by=(0.05, 0.0, 0.0), impedance=LIGHT)),
            r'task 2 \(slide\): an impedance as light as 1.12 kg',
        ),
        (
            (GraspTask(press=0.02),),
            r'task 1 \(grasp\): press 20 mm is not less than bimanual.max_correction, 20 mm',
        ),
        (
            # its edge is 30 mm from its middle, that of the object 20 mm
            (
                JogTask(tip='palm_r', by=(0.045, 0.0, 0.0)),
                JogTask(tip='palm_r', by=(0.0, 0.03, 0.0)),
            ),
            r'task 2 \(jog\): palm_r would sweep the object',
        ),
    ],
)
def test_refused(
    workerbot: RobotModel, configured: Configured, tasks: tuple[Task, ...], message: str
) -> None:
    with pytest.raises((ConfigError, GoalError), match=message):
        planned(workerbot, configured(workerbot, *tasks))


def test_an_object_out_of_reach_is_refused(workerbot: RobotModel, configured: Configured) -> None:
    far = KnownObject(position=(1.5, 0.0, 0.8))
    with pytest.raises(GoalError, match=r'task 1 \(approach\): palm_l at .* out of reach') as info:
        planned(workerbot, configured(workerbot, ApproachTask(), object=far))
    assert info.value.tip == 'palm_l'
    assert info.value.missing > 0.3


def test_a_heavy_object_is_refused(workerbot: RobotModel, configured: Configured) -> None:
    heavy = KnownObject(position=(0.4, 0.0, 0.82), mass=400.0)
    with pytest.raises(GoalError, match=r'task 1 \(grasp\): wb_joint_\w+ would need'):
        planned(workerbot, configured(workerbot, GraspTask(squeeze=1.0), object=heavy))


def test_a_joint_that_ends_is_refused(workerbot: RobotModel, configured: Configured) -> None:
    config = configured(workerbot, GraspTask(), CARRY)
    joints = planned(workerbot, config).joints
    joint = int(np.argmax(joints.max(axis=0) - workerbot.home))
    upper = workerbot.upper.copy()
    upper[joint] = 0.5 * (joints[:, joint].max() + workerbot.home[joint])
    with pytest.raises(GoalError, match=r'task 2 \(move\): .* leave its range by') as info:
        planned(replace(workerbot, upper=upper), config)
    assert info.value.joints == (workerbot.joint_names[joint],)


def test_a_singular_arm_is_refused(workerbot: RobotModel, configured: Configured) -> None:
    """With the elbow stretched a hand cannot go on outwards."""
    home = workerbot.home.copy()
    home[3] = 0.0
    stretched = replace(workerbot, home=home)
    tasks = (JogTask(tip='palm_l', by=(0.0, 0.001, 0.0)),)
    with pytest.raises(GoalError, match=r'task 1 \(jog\): .*(singular|reach|limit)'):
        planned(stretched, configured(workerbot, *tasks))


def test_hands_that_may_hold_the_object_do_not_begin(
    workerbot: RobotModel, configured: Configured
) -> None:
    """A grasp from 10 mm away is within 0.02 rad of home: joints alone do not tell."""
    config = configured(workerbot, ApproachTask(clearance=0.005), GraspTask(press=0.0), HoldTask())
    plan = planned(workerbot, config)
    pressed = plan.joints[-1]
    assert np.abs(pressed - workerbot.home).max() < 0.02
    with pytest.raises(GoalError, match=r'palm_l is -?[\d.e-]+ mm before its end .* may hold it'):
        plan_bimanual(config, workerbot, H, rest(pressed))
    before = plan.joints[plan.ends[0]]  # 5 mm away
    plan_bimanual(config, workerbot, H, rest(before))


def test_the_robot_must_be_home(workerbot: RobotModel, configured: Configured) -> None:
    start = workerbot.home.copy()
    start[4] += 0.03
    with pytest.raises(GoalError, match=r'wb_joint_5_l is 0.03 rad away from robot.home'):
        plan_bimanual(configured(workerbot, ApproachTask()), workerbot, H, rest(start))
    start[4] -= 0.02
    plan = plan_bimanual(configured(workerbot, ApproachTask()), workerbot, H, rest(start))
    np.testing.assert_array_equal(plan.joints[0], start)


@pytest.mark.parametrize('tips', [('palm_l',), ('palm_l', 'palm_r', 'sensor_l')])
def test_two_tips_are_needed(
    workerbot: RobotModel, configured: Configured, tips: tuple[str, ...]
) -> None:
    with pytest.raises(ConfigError, match=f'robot.tips: {len(tips)} for planner.kind bimanual'):
        planned(replace(workerbot, tips=tips), configured(workerbot, ApproachTask()))


def test_tips_of_one_arm_are_not_two_hands(workerbot: RobotModel, configured: Configured) -> None:
    with pytest.raises(ConfigError, match='not on two arms'):
        planned(
            replace(workerbot, tips=('palm_l', 'sensor_l')), configured(workerbot, ApproachTask())
        )


def test_unknown_tips_carry_the_valid_ones(workerbot: RobotModel, configured: Configured) -> None:
    with pytest.raises(UnknownNameError) as info:
        planned(workerbot, configured(workerbot, JogTask(tip='palm', by=(0.1, 0.0, 0.0))))
    assert info.value.valid == ('palm_l', 'palm_r')


@pytest.mark.parametrize('speed', [0.5, -0.5])
def test_gravity_helps_to_stop_upwards_and_not_downwards(sphere: RobotModel, speed: float) -> None:
    """Of a point mass: ``m (g - v d)`` is within 90 % of the limit, and d is 1.11/T."""
    h, mass, g = 1e-3, sphere.total_mass, -sphere.gravity[2]
    limit = 1.5 * mass * g
    weak = replace(sphere, effort_limit=np.array([limit]))
    path = h * speed * np.arange(5.0)[:, None]
    largest = (0.9 * limit + np.sign(speed) * mass * g) / (mass * abs(speed))
    expected = np.ceil(1.0 / 0.9 / largest / h)
    assert expected > 10
    assert stop_steps(weak, h, path, 0.001) == (expected,) * 5
