"""A run in real time that is paused in between, and what its log has for other programs."""

from __future__ import annotations

import json
from pathlib import Path
import time
from typing import Any

from rosbags.highlevel import AnyReader
from rosbags.typesys import Stores, get_typestore
from spun_node import SpunNode
from std_srvs.srv import SetBool

from simloop_ros.record.mcap import McapReader
from simloop_ros.record.metrics import compute_metrics

TIMEOUT = 1.0  # s: a busy machine is not the subject
PAUSE = 1.5  # s: longer, so that it would stop the robot if it counted
SETTINGS = (
    'plant.engine=mujoco',
    'plant.obstacles=[{kind: plane, name: ceiling, position: [0, 0, 0.11], normal: [0, 0, -1]}]',
    'duration=5',
    f'safety.timeout={round(200 * TIMEOUT)}',
)
SOON = 40.0  # for processes on a loaded machine [s]
TOPICS = {
    *('robot_description', 'joint_states', 'effort_command', 'desired_joint_states'),
    *('control_state', 'true_joint_states', 'contacts', 'collision', 'safety'),
}


class Caller(SpunNode):
    """Pauses the plant."""

    def pause(self, paused: bool) -> bool:
        """Return whether the plant answered that it is paused, or going on."""
        client = self._node.create_client(SetBool, '/ball/plant/pause')
        if not client.wait_for_service(timeout_sec=1.0):
            return False
        future = client.call_async(SetBool.Request(data=paused))
        end = time.monotonic() + 5.0
        while not future.done() and time.monotonic() < end:
            time.sleep(0.01)
        return future.done() and future.result().success


def test_a_paused_run_goes_on_and_its_log_is_that_of_the_graph(graph: Any, tmp_path: Path) -> None:
    begin = time.time_ns()
    out = tmp_path / 'out'
    settings = [word for setting in SETTINGS for word in ('--set', setting)]
    ways = ('--realtime', '--composed', '--namespace', 'ball', '--out', str(out))
    ways += ('--no-figures',)
    process = graph.launch('sphere_collision', *ways, *settings)
    caller = Caller('caller', int(graph.environment['ROS_DOMAIN_ID']))
    caller.begin()
    try:
        graph.wait_until(lambda: caller.pause(True), SOON)
        time.sleep(PAUSE)
        graph.wait_until(lambda: caller.pause(False), SOON)
    finally:
        caller.close()
    graph.wait_until(lambda: process.poll() is not None, SOON)
    end = time.time_ns()
    summary = json.loads((out / 'summary.json').read_text())
    stops = [event for event in summary['events'] if event['kind'] == 'stop']
    assert stops == []
    assert summary['digest'] == compute_metrics(McapReader(out / 'log.mcap')).digest
    with AnyReader([out / 'log.mcap'], default_typestore=get_typestore(Stores.ROS2_JAZZY)) as bag:
        stamps = {c.topic: [] for c in bag.connections}
        touched = 0
        for connection, stamp, raw in bag.messages():
            stamps[connection.topic].append(stamp)
            if connection.topic == '/ball/contacts':
                touched += bool(bag.deserialize(raw, connection.msgtype).status)
    assert set(stamps) == {f'/ball/{topic}' for topic in TOPICS}
    assert all(begin < stamp < end for of_topic in stamps.values() for stamp in of_topic)
    assert touched > 0
    assert len(stamps['/ball/joint_states']) == summary['steps']
