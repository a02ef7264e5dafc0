"""Teaching a graph that runs: services, keys, files."""

from __future__ import annotations

from pathlib import Path
import subprocess
import sys
from typing import Any

from lone_node import LoneNode
import numpy as np
import pytest
from sensor_msgs.msg import JointState
from std_srvs.srv import SetBool, Trigger

from simloop_ros.nodes.teach import TeachNode
from simloop_ros.robot.fit_robot import load_fit_robot
from simloop_ros.ros.launch.options import WiringOptions
from simloop_ros.ros.messages.joint_state import JointStateEncoder
from simloop_ros.ros.messages.stamps import stamp_of
from simloop_ros.ros.transport.qos import STREAM
from simloop_ros.scenario.loading import load_scenario
from simloop_ros.scenario.robot_files import robot_config
from simloop_ros.scenario.scenario import Scenario
from simloop_ros.teaching.legs import task_joints
from simloop_ros.teaching.task import kept_pose, new_task
from simloop_ros.teaching.task_file import load_task, task_text

LONGEST = 120.0  # on a busy machine [s]
PERIOD = 0.002
PLAYED = 'lwr_repeat'  # with a task of two poses


class Led:
    """A node that teaches, and a robot that the test moves."""

    def __init__(self, domain: int, scenario: Scenario, out: Path):
        options = WiringOptions(teach=str(out))
        self.lone = LoneNode(domain, 'teach', TeachNode, scenario, options)
        self.model = self.lone.model
        self._encode = JointStateEncoder(self.model.joint_names, ('position',)).encode
        self._states = self.lone.other.create_publisher(JointState, 'control_state', STREAM)
        self._step = 0
        self.lone.until(lambda: self._states.get_subscription_count())

    def move(self, *positions: Any) -> None:
        """Let the robot be at positions, one after the other, 10 ms apart."""
        for position in positions:
            self._step += 5
            self._states.publish(self._encode(stamp_of(self._step, PERIOD), position))
        taken = self.lone.node._teacher
        self.lone.until(
            lambda: taken._last is not None and (taken._last.position == positions[-1]).all()
        )

    def call(self, name: str, on: bool | None = None) -> tuple[bool, str]:
        kind = Trigger if on is None else SetBool
        request = Trigger.Request() if on is None else SetBool.Request(data=on)
        answer = self.lone.call(kind, f'teach/{name}', request)
        return answer.success, answer.message


@pytest.fixture
def led(graph: Any, tmp_path: Path, request: pytest.FixtureRequest) -> Any:
    """Give a node of a scenario, by its name."""
    domain = int(graph.environment['ROS_DOMAIN_ID'])
    settings = []
    if request.param == PLAYED:
        played, lwr = tmp_path / 'played.yaml', load_fit_robot(robot_config('lwr'))
        poses = (kept_pose(lwr, lwr.home, 'here'), kept_pose(lwr, lwr.home + 0.3, 'there'))
        played.write_text(task_text(new_task(lwr, poses), lwr, tmp_path))
        settings = [f'planner.file={played}']
    made = Led(domain, load_scenario(request.param, settings), tmp_path / 'task.yaml')
    yield made
    made.lone.close()


@pytest.mark.parametrize('led', ['lwr_teach'], indirect=True)
def test_poses_and_paths_are_kept_and_saved(led: Led, tmp_path: Path) -> None:
    home = led.model.home
    assert led.call('save') == (False, 'nothing was kept yet: keep a pose, or record a path')
    assert led.call('keep') == (False, 'no joint state has come yet: try again')
    led.move(home)
    assert led.call('keep') == (True, 'kept pose 1')
    assert led.call('record', on=True)[0]
    led.move(*(home + 0.2 * np.sin(share) for share in np.linspace(0.0, 1.5, 60)))
    done, text = led.call('record', on=False)
    assert done, text
    assert 'kept path 1' in text
    assert led.call('save') == (True, f'2 points written to {tmp_path / "task.yaml"}')
    pose, path = task_joints(load_task(str(tmp_path / 'task.yaml')), led.model)
    np.testing.assert_allclose(pose[0], home, atol=1e-6)
    np.testing.assert_allclose(path[-1], home + 0.2 * np.sin(1.5), atol=2e-3)
    led.move(home + 0.1)
    led.call('keep')
    led.call('record', on=True)  # nothing moves
    led.lone.node.end()  # what was not saved is saved at the end
    assert len(load_task(str(tmp_path / 'task.yaml')).points) == 3
    assert len(load_task(str(tmp_path / 'task-0001.yaml')).points) == 2


@pytest.mark.parametrize('led', [PLAYED], indirect=True)
def test_while_a_task_plays_its_poses_are_corrected(led: Led, tmp_path: Path) -> None:
    """The nearest pose becomes where the robot is; the file that is played stays."""
    home = led.model.home
    led.move(home + 0.29)
    done, text = led.call('keep')
    assert done
    assert text.startswith('point 2 (there) moved by')
    assert led.call('record', on=True)[0] is False
    assert led.call('save')[0]
    first, second = task_joints(load_task(str(tmp_path / 'task.yaml')), led.model)
    np.testing.assert_allclose(first[0], home, atol=1e-6)
    np.testing.assert_allclose(second[0], home + 0.29, atol=1e-6)
    np.testing.assert_allclose(
        task_joints(load_task(str(tmp_path / 'played.yaml')), led.model)[1][0],
        home + 0.3,
        atol=1e-6,
    )


@pytest.mark.long
def test_a_running_graph_is_taught_by_lines(graph: Any, tmp_path: Path) -> None:
    """In real time, started and taught by commands; keys come from a pipe."""
    out = tmp_path / 'task.yaml'
    settings = ('--set', 'duration=30', '--set', 'graphs=[]')
    process = graph.launch(
        'lwr_teach', *settings, '--realtime', '--composed', '--no-record', '--teach', str(out)
    )
    keys = subprocess.Popen(
        [sys.executable, '-m', 'simloop_ros.cli.main', 'teach', '--live'],
        env=graph.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert keys.stdin is not None
    assert keys.stdout is not None
    shown = [keys.stdout.readline()]
    for _ in range(100):  # the robot may not have begun yet
        keys.stdin.write('\n')
        keys.stdin.flush()
        shown.append(keys.stdout.readline())
        if shown[-1].startswith('kept'):
            break
    rest, _ = keys.communicate('what\nsave\nquit\n', LONGEST)
    assert keys.returncode == 0, (shown, rest, graph.output)
    assert shown[-1] == 'kept pose 1\n'
    assert f'1 points written to {out}' in rest
    assert load_task(str(out)).robot == 'lwr'
    process.terminate()
    process.wait(LONGEST)
