"""Goals over topics, while a graph runs: answered, reached, kept, and replayed to the digest."""

from __future__ import annotations

import json
from pathlib import Path
import signal
import subprocess
import sys
import time
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PoseStamped, TwistStamped
import pytest
from spun_node import SpunNode
from std_msgs.msg import Header, String
import yaml

from simloop_ros.assembly.assemble import assemble
from simloop_ros.assembly.run import run
from simloop_ros.ros.messages.goals import HeardStatus, heard_status
from simloop_ros.ros.transport.qos import EVENTS, STREAM
from simloop_ros.scenario.loading import load_scenario

LONGEST = 60.0  # for anything to happen on a loaded machine [s]
HOLD = ('planner.kind=hold', 'plant.noise=1e-5', 'seed=7', 'period=0.005')


class Commander(SpunNode):
    """Gives goals, and hears what becomes of them."""

    def __init__(self, domain: int):
        super().__init__('commander', domain)
        node = self._node
        self.heard: list[HeardStatus] = []
        self.recorded = 0.0  # time up to which the log is [s]
        node.create_subscription(DiagnosticStatus, 'goal_status', self._take, STREAM)
        node.create_subscription(Header, 'recorded', self._note, EVENTS)
        self.pose = node.create_publisher(PoseStamped, 'goal_pose', EVENTS)
        self.named = node.create_publisher(String, 'goal_named', EVENTS)
        self.jog = node.create_publisher(TwistStamped, 'jog', EVENTS)
        trajectories = pytest.importorskip('trajectory_msgs.msg')
        self.trajectory = node.create_publisher(
            trajectories.JointTrajectory, 'goal_joint_trajectory', EVENTS
        )
        self.point = trajectories.JointTrajectoryPoint
        self.begin()

    def _take(self, message: DiagnosticStatus) -> None:
        heard = heard_status(message)
        assert heard is not None
        self.heard.append(heard)

    def _note(self, message: Header) -> None:
        self.recorded = message.stamp.sec + 1e-9 * message.stamp.nanosec

    @property
    def matched(self) -> bool:
        publishers = (self.pose, self.named, self.jog, self.trajectory)
        statuses = self._node.count_publishers('/goal_status')
        return bool(statuses) and all(p.get_subscription_count() for p in publishers)

    def states(self, kind: str) -> list[str]:
        """Return the states of the last goal of a kind."""
        ids = [h.id for h in self.heard if h.goal is not None and h.goal.kind == kind]
        return [h.state for h in self.heard if ids and h.id == ids[-1]]


def a_pose(*place: float) -> PoseStamped:
    message = PoseStamped()
    position = message.pose.position
    position.x, position.y, position.z = place
    message.pose.orientation.w = 0.0
    return message


def test_goals_over_topics_replay_to_the_same_digest(graph: Any) -> None:
    out = graph.folder / 'out'
    arguments = [word for setting in HOLD for word in ('--set', setting)]
    process = graph.launch(
        *('irb120_rectangle', *arguments, '--endless'),
        *('--out', str(out), '--composed', '--no-figures'),
    )
    commander = Commander(int(graph.environment['ROS_DOMAIN_ID']))
    try:
        graph.wait_until(lambda: commander.matched, LONGEST)
        commander.pose.publish(a_pose(0.35, 0.1, 0.4))
        graph.wait_until(lambda: commander.states('pose'), LONGEST)
        commander.pose.publish(a_pose(3.0, 0.0, 0.0))
        bad = a_pose(0.3, 0.0, 0.4)
        bad.header.frame_id = 'the moon'
        commander.pose.publish(bad)
        trajectory = commander.trajectory.msg_type(joint_names=['joint_1'])
        trajectory.points.append(commander.point(positions=[0.4]))
        commander.trajectory.publish(trajectory)
        graph.wait_until(lambda: commander.states('trajectory'), LONGEST)
        commander.named.publish(String(data='nowhere'))
        graph.wait_until(lambda: commander.states('named'), LONGEST)
        graph.wait_until(lambda: 'reached' in commander.states('trajectory'), LONGEST)
        # The planner is ahead of the log, by as much as the control simulation asks for.
        end = commander.heard[-1].time + 0.5
        graph.wait_until(lambda: commander.recorded > end, LONGEST)
        process.send_signal(signal.SIGINT)
        assert process.wait(LONGEST) == 130, graph.output
    finally:
        commander.close()
    assert any('the moon' in heard.reason for heard in commander.heard)
    summary = json.loads((out / 'summary.json').read_text())
    states = {goal['goal']['do']: goal['state'] for goal in summary['goals']}
    assert states['trajectory'] == 'reached'
    goals = yaml.safe_load((out / 'goals.yaml').read_text())
    assert [goal['do'] for goal in goals][:3] == ['pose', 'pose', 'trajectory']
    given = [f'goals={json.dumps(goals)}', f'duration={0.005 * summary["steps"]}']
    again = run(
        assemble(load_scenario('irb120_rectangle', [*HOLD, *given])),
        Path(graph.folder / 'again'),
        time.perf_counter,
    )
    assert again['digest'] == summary['digest']
    assert again['goals'] == summary['goals']


@pytest.mark.long
def test_move_in_real_time_until_ctrl_c(graph: Any) -> None:
    """In real time: a machine with a load of ten may stop the robot, which is said then."""
    out = graph.folder / 'out'
    process = graph.launch(
        *('irb120_rectangle', '--set', 'planner.kind=hold', '--set', 'period=0.01'),
        *('--set', 'safety.timeout=100', '--set', 'control.natural_frequency=20', '--endless'),
        *('--realtime', '--priority', '0', '--out', str(out), '--no-figures'),
    )

    def move(*words: str) -> int:
        return subprocess.run(
            [sys.executable, '-m', 'simloop_ros.cli.main', 'move', *words], env=graph.environment
        ).returncode

    graph.wait_until(lambda: move('--joints', 'joint_1=0.2') == 0, 2.0 * LONGEST)
    assert move('--pose', '0.35', '0.1', '0.4') == 0, graph.output
    assert move('--pose', '0.35', '-0.05', '0.4', '--straight') == 0, graph.output
    assert move('--jog', '0', '0', '0.05') == 0, graph.output
    assert move('--pose', '3', '0', '0.4') == 1, graph.output
    assert move('nowhere') == 1, graph.output
    assert move('--joints', 'joint_1=x') == 2, graph.output
    assert move('home') == 0, graph.output
    process.send_signal(2)
    assert process.wait(2.0 * LONGEST) in (1, 130), graph.output  # 1: late, and so off its path
    summary = json.loads((out / 'summary.json').read_text())
    states = [goal['state'] for goal in summary['goals']]
    assert states.count('refused') == 2
    assert states[-1] == 'reached'
