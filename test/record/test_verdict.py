"""What the status of a run says is so, whichever way the run went."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simloop_ros.assembly.assemble import assemble
from simloop_ros.assembly.run import run
from simloop_ros.record.columns import TRUE_POSITION
from simloop_ros.record.mcap import read_mcap
from simloop_ros.record.wording import length
from simloop_ros.robot.model import RobotModel
from simloop_ros.scenario.loading import load_scenario

PUSH = 'plant.pushes=[{{link: yumi_link_7_l, start: 0.7, duration: 0.2, force: [0, 0, -{}]}}]'
WEAK = 'control.law=pd_gravity'


def go(folder: Path, name: str, *settings: str) -> dict[str, Any]:
    prepared = assemble(load_scenario(name, [*settings, 'graphs=[]']))
    return run(prepared, folder, lambda: 0.0)


def test_a_goal_is_reached_within_its_tolerance(tmp_path: Path) -> None:
    """Under PD control a robot 10 % heavier hangs 3 mm below its goal."""
    settings = (WEAK, 'plant.mass_bias=0.1')
    missed = go(tmp_path, 'yumi_step', *settings)
    distance = max(missed['tip_error_end'].values())
    assert 1e-3 < distance < 5e-3
    assert missed['status'] == 'missed'
    assert missed['verdict'][0].startswith(f'missed its goal by {1e3 * distance:.3g} mm: ')
    assert 'does not follow' in missed['verdict'][0]
    assert '10 % heavier' in missed['verdict'][1]
    reached = go(tmp_path, 'yumi_step', *settings, f'goal_tolerance={1.01 * distance}')
    assert reached['status'] == 'reached'
    assert reached['digest'] == missed['digest']


def test_a_joint_is_not_blamed_for_setpoints_that_end_elsewhere(tmp_path: Path) -> None:
    """As of a motion that was held: the joints are within 0.1 um of setpoints 0.1 m away."""
    made = assemble(load_scenario('sphere_step', ['graphs=[]']))
    assert made.facts.goals is not None
    facts = replace(made.facts, goals=made.facts.goals + 0.1)
    summary = run(replace(made, facts=facts), tmp_path, lambda: 0.0)
    words = (
        'missed its goal by 0.173 m: the robot followed its setpoints; these did not lead there'
    )
    assert summary['status'] == 'missed'
    assert summary['verdict'][0] == words


def test_a_motion_that_was_cut_off_has_ended(tmp_path: Path) -> None:
    """Also where the path is closed, and the robot at its goal from the beginning."""
    for name in ('yumi_step', 'irb120_rectangle', 'workerbot_hold'):
        summary = go(tmp_path, name, 'duration=0.1')
        assert summary['status'] == 'ended'
        assert 'the motion takes' in summary['verdict'][0]
    assert 'task 1 (approach) and 2 more not done' in summary['verdict'][0]


def test_without_a_goal_a_run_has_ended(tmp_path: Path) -> None:
    summary = go(tmp_path, 'sphere_guiding')
    assert summary['status'] == 'ended'
    assert summary['verdict'] == [
        'ended after 3 s',
        'slide drifted by 0.0147 m; nothing touched it',
        'the robot is about 10 % heavier than its model (10.00 +- 0.01 %)',
    ]


def test_a_joint_that_cannot_bear_its_load_is_named(tmp_path: Path) -> None:
    """The model bears its weight of 9.82 N with 10.2 N; the robot is heavier by a tenth."""
    urdf = Path(tmp_path, 'weak.urdf')
    folder = Path(__file__).parents[2] / 'urdf'
    text = (folder / 'sphere.urdf').read_text()
    assert 'effort="' in text
    before, _, after = text.partition('effort="')
    urdf.write_text(f'{before}effort="10.2"{after.partition(chr(34))[2]}')
    summary = go(
        tmp_path / 'run', 'sphere_step', f'robot.urdf={urdf}', 'duration=7', 'plant.mass_bias=0.1'
    )
    assert summary['status'] == 'missed'
    assert 'slide at its effort limit from 0.0 s' in summary['verdict'][0]


def test_a_robot_thrown_off_its_path_was_disturbed(tmp_path: Path) -> None:
    """The same push with a third of the force is held: the robot leaves its path by 3 mm."""
    held = go(tmp_path, 'yumi_step', PUSH.format(60))
    assert held['status'] == 'reached'
    assert held['verdict'][1] == 'pushed at yumi_link_7_l at 0.7 s'
    thrown = go(tmp_path, 'yumi_step', PUSH.format(200))
    assert max(thrown['tip_error_end'].values()) < 1e-3
    assert thrown['status'] == 'disturbed'
    assert 'mm off its path at 0.71 s: pushed at yumi_link_7_l at 0.7 s' in thrown['verdict'][0]
    assert len(thrown['verdict']) == 1


def test_what_cannot_be_passed_is_named(tmp_path: Path) -> None:
    """The leash of the planner lets the sphere press with 20 N."""
    pytest.importorskip('pybullet')
    summary = go(tmp_path, 'sphere_collision')
    assert summary['status'] == 'missed'
    expected = 'missed its goal by 0.5 m: sphere hit ceiling at 3.16 s, found at once'
    assert summary['verdict'] == [f'{expected}, presses on ceiling with 20 N at the end']
    brief = go(tmp_path, 'sphere_collision', 'duration=3.4', 'planner.acceleration=0.1')
    assert 'presses' not in ' '.join(brief['verdict'])  # for less than the force is averaged over
    passed = go(tmp_path, 'sphere_collision', 'planner.move=[[0, 0, 0.3]]')
    assert passed['status'] == 'reached'
    nearest = 'nothing was touched: the nearest obstacle stayed 0.2 m away'
    assert passed['verdict'][1] == nearest  # 0.6 m less 0.3 m and a radius of 0.1 m


def test_a_collision_that_the_robot_reacts_to(tmp_path: Path) -> None:
    """It stands where it was hit; a reaction that resumes brings it to its goal all the same."""
    pytest.importorskip('pybullet')
    settings = ('monitor.reaction=stop', 'monitor.push=stop')
    stopped = go(tmp_path, 'sphere_collision', *settings)
    assert stopped['status'] == 'stopped'
    words = stopped['verdict'][0]
    assert words.startswith('stopped 0.')
    expected = ' m from its goal: sphere hit ceiling at 3.16 s, found at once, stopped at once'
    assert words.endswith(f'{expected}, presses on ceiling with 2.4 N at the end')
    push = 'plant.pushes=[{link: sphere, start: 2, duration: 0.2, force: [0, 0, -20]}]'
    free = ('plant.obstacles=[]', 'plant.engine=pinocchio', push, 'monitor.resume_after=0.2')
    resumed = go(tmp_path, 'sphere_collision', *settings, *free, 'duration=12')
    assert resumed['status'] == 'reached'
    assert resumed['verdict'][1].startswith('pushed at sphere at 2 s, found ')
    assert resumed['verdict'][1].endswith(', resumed')


def test_a_false_alarm_is_told_as_such(tmp_path: Path) -> None:
    """A robot 10 % heavier, and thresholds of one that is as its model."""
    free = ('plant.obstacles=[]', 'plant.engine=pinocchio', 'plant.mass_bias=0.1')
    summary = go(tmp_path, 'sphere_collision', *free, 'monitor.reaction=stop')
    assert summary['status'] == 'stopped'
    assert 'the monitor reported a collision at 0.17 s' in summary['verdict'][0]
    assert ', but nothing touched the robot, ' in summary['verdict'][0]


def test_a_divergence_says_where(tmp_path: Path) -> None:
    summary = go(tmp_path, 'yumi_step', 'plant.delay=1')
    assert summary['status'] == 'diverged'
    (line,) = summary['verdict']
    assert line.startswith('diverged at step ')


def test_a_kept_pose_is_kept_within_what_is_told(tmp_path: Path, lwr: RobotModel) -> None:
    """Of the true joints in every step, though the elbow is pushed away."""
    summary = go(tmp_path, 'lwr_full_body', 'duration=2')
    wanted, way, angle = lwr.frame_poses(lwr.home, ['flange'])[0], 0.0, 0.0
    for q in read_mcap(tmp_path / 'log.mcap').columns[:, TRUE_POSITION]:
        pose = lwr.frame_poses(q, ['flange'])[0]
        way = max(way, float(np.linalg.norm(pose.translation - wanted.translation)))
        sine = np.linalg.norm(pose.rotation - wanted.rotation) / np.sqrt(8.0)  # of half the angle
        angle = max(angle, float(np.degrees(2.0 * np.arcsin(sine))))
    assert 0.0 < way < 1e-3
    kept = f' while flange stayed within {length(way)} and {angle:.2g} degrees, '
    assert kept in summary['verdict'][1]
