"""``simloop teach``: from a run to a task, and what it refuses."""

from __future__ import annotations

from collections.abc import Callable, Iterator
import os
from pathlib import Path
import subprocess
import sys

import numpy as np
import pytest

from simloop_ros.cli.main import main
from simloop_ros.robot.model import RobotModel
from simloop_ros.teaching.legs import task_joints
from simloop_ros.teaching.task_file import load_task

POSES = 'poses.yaml'
HAND = (
    'plant.hands=[{link: flange, stiffness: 800, damping: 40, max_force: 40, start: 0.4, end: 2.4,'
    ' path: {kind: waypoints, waypoints: [{time: 1, offset: [0, 0.06, 0.02]}]}}]'
)


@pytest.fixture(scope='module')
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Yield a working folder with a short run in which the LWR was led."""
    folder, before = tmp_path_factory.mktemp('desk'), Path.cwd()
    os.chdir(folder)
    given = ['--set', 'period=0.005', '--set', 'duration=3.5', '--set', HAND, '--set', 'graphs=[]']
    assert main(['run', 'lwr_teach', *given, '--out', 'led']) == 0
    assert main(['teach', 'led', '--poses', '--rest', '0.3', '--out', POSES]) == 0
    yield folder
    os.chdir(before)


@pytest.fixture
def said(desk: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str]]:
    """Return what runs ``simloop teach`` at the desk; it gives the status and what was printed."""
    assert desk == Path.cwd()

    def call(*arguments: str) -> tuple[int, str]:
        capsys.readouterr()
        status = main(['teach', *arguments])
        shown = capsys.readouterr()
        return status, shown.out + shown.err

    return call


def test_a_path_poses_and_times_become_tasks(
    said: Callable[..., tuple[int, str]], lwr: RobotModel
) -> None:
    status, text = said('led')
    assert status == 0
    assert 'mm from what was led' in text
    (path,) = load_task('task.yaml').points
    assert path.path is not None
    first, last = (lwr.tip_positions(np.array(path.path[row]))[0] for row in (0, -1))
    np.testing.assert_allclose(last - first, [0.0, 0.06, 0.02], atol=0.01)
    poses = load_task(POSES).points
    assert len(poses) == 2
    said('led', '--keep', '0.2,3', '--out', 'times.yaml')
    kept = task_joints(load_task('times.yaml'), lwr)
    np.testing.assert_allclose(
        np.vstack(kept), np.vstack(task_joints(load_task(POSES), lwr)), atol=2e-3
    )


def test_an_earlier_file_is_kept(said: Callable[..., tuple[int, str]]) -> None:
    Path('mine.yaml').write_text('edited by hand')
    status, text = said('led', '--out', 'mine.yaml')
    assert (status, Path('mine-0001.yaml').read_text()) == (0, 'edited by hand')
    assert 'mine-0001.yaml has what was there before' in text
    said('led', '--out', 'mine.yaml')  # the same again
    assert not Path('mine-0002.yaml').exists()


def play(*settings: str) -> None:
    given = [word for each in settings for word in ('--set', each)]
    whole = ['--set', f'planner.file={POSES}', '--set', 'period=0.005', '--set', 'graphs=[]']
    assert main(['run', 'lwr_repeat', *whole, *given, '--out', 'played']) in (0, 1)


def test_a_push_while_it_plays_corrects_a_pose(
    said: Callable[..., tuple[int, str]], lwr: RobotModel
) -> None:
    """The robot waits at its second pose, a hand moves it, and the task takes that over."""
    text = Path(POSES).read_text()
    Path(POSES).write_text(text.replace('  - name: pose 2\n', '  - name: pose 2\n    wait: 2\n'))
    push = '{link: flange, start: 0.9, duration: 5, force: [0, 0, 8]}'
    yields = ('admittance.source=truth', 'admittance.stuck_time=100')
    play(*yields, f'plant.pushes=[{push}]')
    before = task_joints(load_task(POSES), lwr)
    status, shown = said('played', '--correct', POSES, '--out', 'corrected.yaml')
    assert status == 0, shown
    assert 'point 2 (pose 2): moved by' in shown
    after = task_joints(load_task('corrected.yaml'), lwr)
    up = lwr.tip_positions(after[1][0])[0] - lwr.tip_positions(before[1][0])[0]
    assert up[2] > 2e-3
    np.testing.assert_array_equal(after[0], before[0])
    Path(POSES).write_text(Path(POSES).read_text().replace('wait: 2', 'wait: 3'))
    status, shown = said('played', '--correct', POSES)
    assert (status, 'was another one then' in shown) == (2, True)
    play(*yields)
    status, shown = said('played', '--correct', POSES)
    assert (status, 'nothing is written' in shown) == (1, True)
    play()
    refused = said('played', '--correct', POSES)
    assert refused[0] == 2
    assert 'did not yield' in refused[1]


@pytest.mark.parametrize(
    ('arguments', 'message'),
    [
        ((), 'name the folder of a run, or add --live'),
        (('led', '--live'), 'one of them'),
        (('led', '--poses', '--keep', '1'), '--poses: not together with --keep'),
        (('--live', '--poses'), '--poses: not together with --live'),
        (('led', '--out', 'task.txt'), 'a YAML file is needed'),
        (('led', '--tolerance', '0'), '--tolerance: 0 is not a positive number'),
        (('led', '--tolerance', '1'), 'did not move by more than 1000 mm'),
        (('led', '--keep', '1,x'), "--keep: 'x' given; times of the run"),
        (('led', '--keep', '99'), "--keep: '99' given"),
        (('led', '--poses', '--rest', '60'), 'never rested for 60 s'),
        (('led', '--correct', POSES), 'no task was played'),
        (('led', '--correct', 'nowhere.yaml'), 'cannot be read'),
        (('led', '--robot', 'yumi'), "joint 'yumi_joint_1_l' is missing"),
        (('nowhere',), 'not there'),
        (('.',), 'not the folder of a run'),
    ],
)
def test_what_is_refused(
    said: Callable[..., tuple[int, str]], arguments: tuple[str, ...], message: str
) -> None:
    status, text = said(*arguments)
    assert status == 2
    assert message in text
    assert text.count('\n') == 1


@pytest.mark.long  # it waits for somebody
def test_nobody_to_teach_is_told(desk: Path) -> None:
    pytest.importorskip('rclpy')
    done = subprocess.run(
        [sys.executable, '-m', 'simloop_ros.cli.main', 'teach', '--live', '--namespace', 'lone'],
        capture_output=True,
        text=True,
        cwd=desk,
        env={**os.environ, 'PYTHONPATH': os.pathsep.join(filter(None, sys.path))},
        stdin=subprocess.DEVNULL,
        check=False,
    )
    assert done.returncode == 2
    assert 'nobody answers at lone/teach' in done.stderr
    assert done.stderr.count('\n') == 1
