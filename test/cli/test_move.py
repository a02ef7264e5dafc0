"""The goals of ``simloop move``, and arguments that it refuses in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from simloop_ros.cli.main import main, make_parser
from simloop_ros.cli.move import read_goal
from simloop_ros.goals.goal import JogGoal, PoseGoal, TrajectoryGoal

BAD = {
    'no goal given': (),
    'more than one goal': ('home', '--cancel'),
    'not of the form JOINT=VALUE': ('--joints', 'elbow'),
    'not a finite number': ('--joints', 'elbow=nan'),
    '3 or 6 are needed': ('--jog', '0.1'),
    'only with --pose': ('home', '--straight'),
    'a number is not finite': ('--pose', 'nan', '0', '0'),
    'a time above 0': ('--joints', 'elbow=1', '--time', '-1'),
}


@pytest.mark.parametrize('reason', BAD)
def test_bad_arguments_are_refused_in_a_line(reason: str, capsys: pytest.CaptureFixture) -> None:
    assert main(['move', *BAD[reason]]) == 2
    error = capsys.readouterr().err
    assert reason in error
    assert error.count('\n') == 1


def test_arguments_make_goals() -> None:
    def goal(*words: str) -> object:
        return read_goal(make_parser('move').parse_args(['move', *words]))

    pose = goal('--pose', '0.1', '0', '0.2', '--rpy', '0', '0', '1', '--straight', '--tip', 'a')
    assert pose == PoseGoal(position=(0.1, 0.0, 0.2), rpy=(0.0, 0.0, 1.0), straight=True, tip='a')
    assert goal('--jog', '0', '0', '0.1') == JogGoal(linear=(0.0, 0.0, 0.1))
    joints = goal('--joints', 'a=1', 'b=-2', '--time', '3')
    assert isinstance(joints, TrajectoryGoal)
    assert (joints.joints, joints.points[0].positions) == (('a', 'b'), (1.0, -2.0))
    assert joints.points[0].time == 3.0


def test_goals_of_a_file_that_is_no_list_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    path = tmp_path / 'goals.yaml'
    path.write_text('do: named')
    assert main(['run', 'lwr_goals', '--goals', str(path)]) == 2
    assert 'a list is needed' in capsys.readouterr().err
    path.write_text('[{do: fly}]')
    assert main(['run', 'lwr_goals', '--goals', str(path)]) == 2
    assert 'goals[0].do' in capsys.readouterr().err
