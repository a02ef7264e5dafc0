"""kill -9 of ``control_simulation`` in the middle of every scenario, with real processes.

Each scenario runs as a graph in real time, a process for each node. In the middle of its motion,
when the robot is about as fast as it gets there, control is killed, and the robot has to come to
rest by itself: the plant follows the last plan to its end, and brakes. A row has, from the kill
until 3 s later,

* the largest acceleration of a joint, and the planned one: the larger of that of the stop,
  ``1.5 v/stop_time``, and that of the same scenario in lockstep;
* the speed that is left at the end;
* the least force on an object between two hands, as a share of that before.

The exit status is 1 if a robot does not rest, brakes with more than twice what is planned, or
drops its object. A plant that the machine left out for several periods has no states from them:
its longest gap stands in the row.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
import json
import os
from pathlib import Path
import signal
import subprocess
import sys
import tempfile
import threading
import time
from typing import Any

import numpy as np
import rclpy
from rclpy.executors import SingleThreadedExecutor
from sensor_msgs.msg import JointState

from simloop_bench.lateness_runs import SETTINGS, accelerations
from simloop_bench.processes import environment
from simloop_bench.virtual_graph import StepTruth, lockstep
from simloop_ros.core.errors import MessageError
from simloop_ros.core.values import Array
from simloop_ros.robot.fit_robot import load_fit_robot
from simloop_ros.robot.model import RobotModel
from simloop_ros.ros.launch.graph import programs, remove_orphans
from simloop_ros.ros.launch.wiring import WiringOptions, parameter_file, wire
from simloop_ros.ros.messages.joint_state import JointStateDecoder
from simloop_ros.ros.messages.wrists import TRUE_WRENCHES, by_hand, hand_axes
from simloop_ros.ros.transport.qos import STREAM
from simloop_ros.safety.brake import STOPPED_SPEED
from simloop_ros.safety.follower import STEEPEST
from simloop_ros.scenario.loading import load_scenario
from simloop_ros.scenario.scenario import Scenario
from simloop_ros.scenario.shipped import scenario_names

LEFT_OUT = ('step',)  # it has no robot of its own
CONTROL = 'control_simulation'
AFTER = 3.0  # time to come to rest [s]
BEFORE = 0.2  # time before the kill whose speed and squeeze count [s]
START = 60.0  # longest time until the first command [s]
MIDDLE = (0.3, 0.8)  # of the run: control is killed in between
FAST = 0.7  # share of the largest speed in the middle at which it is killed
RECENT = 0.02  # time over which the present speed is taken [s]
LEAST = 0.5  # planned acceleration below which a ratio says nothing [rad/s^2]
LARGEST_RATIO = 2.0
KEPT_SHARE = 0.05  # of the squeeze: below it the object is dropped


@dataclass
class Witness:
    """What the robot did, as the plant says it.

    :ivar states: stamp [s] and positions [rad], shape ``(n,)``.
    :ivar squeezes: stamp [s] and the smaller of the hands' forces [N].
    :ivar commanded: whether control has sent an effort.
    """

    model: RobotModel
    truth: str
    states: list[tuple[float, Array]] = field(default_factory=list)
    squeezes: list[tuple[float, float]] = field(default_factory=list)
    commanded: bool = False

    def __enter__(self) -> Witness:
        self._context = rclpy.Context()
        rclpy.init(context=self._context, domain_id=int(os.environ['ROS_DOMAIN_ID']))
        self._node = rclpy.create_node('witness', context=self._context)
        positions = JointStateDecoder(self.model.joint_names, ('position',)).decode
        wrenches = JointStateDecoder(hand_axes(self.model.tips), ('effort',)).decode

        def state(data: bytes) -> None:
            with suppress(MessageError):
                message = positions(data)
                self.states.append((1e-9 * message.stamp, message.position))

        def squeeze(data: bytes) -> None:
            with suppress(MessageError):
                message = wrenches(data)
                forces = np.linalg.norm(by_hand(message.effort)[:, :3], axis=1)
                self.squeezes.append((1e-9 * message.stamp, float(forces.min())))

        def command(_: bytes) -> None:
            self.commanded = True

        calls = {self.truth: state, TRUE_WRENCHES: squeeze, 'effort_command': command}
        for topic, call in calls.items():
            self._node.create_subscription(JointState, topic, call, STREAM, raw=True)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self._node)
        self._thread = threading.Thread(target=self._spin)
        self._thread.start()
        return self

    @property
    def speed(self) -> float:
        """Return the present speed of the fastest joint [rad/s]."""
        states = self.states
        for stamp, position in reversed(states):
            time_between = states[-1][0] - stamp
            if time_between >= RECENT:
                return float(np.abs(states[-1][1] - position).max()) / time_between
        return 0.0

    def _spin(self) -> None:
        while self._context.ok():
            with suppress(rclpy.executors.ExternalShutdownException):
                self._executor.spin_once(timeout_sec=0.05)

    def __exit__(self, *_: object) -> None:
        self._context.try_shutdown()
        self._thread.join()
        self._executor.shutdown()
        self._node.destroy_node()


def kill_in(name: str) -> dict[str, Any]:
    """Run a scenario, kill its control half-way, and return the row."""
    scenario = load_scenario(name, list(SETTINGS.get(name, ())))
    model = load_fit_robot(scenario.robot)
    steps = lockstep(scenario)
    _, planned = accelerations(model, steps, scenario.period)
    truth = 'joint_states' if scenario.plant.shows_truth else 'true_joint_states'
    with tempfile.TemporaryDirectory() as folder, Witness(model, truth) as witness:
        nodes = wire(
            scenario, WiringOptions(realtime=True, out=str(Path(folder) / 'run'), figures=False)
        )
        parameters = Path(folder) / 'parameters.yaml'
        parameters.write_text(parameter_file(nodes))
        running: dict[str, subprocess.Popen[bytes]] = {}
        output = (Path(folder) / 'output').open('wb')
        try:
            for program in programs(nodes, parameters, composed=False):
                running[program.name] = subprocess.Popen(
                    program.command,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    start_new_session=True,
                )
            until = time.monotonic() + START
            while not witness.commanded and time.monotonic() < until:
                time.sleep(0.02)
            _wait_for_motion(witness, scenario, steps)
            killed = witness.states[-1][0]
            running[CONTROL].send_signal(signal.SIGKILL)
            time.sleep(AFTER)
        finally:
            _end(running.values())
            output.close()
    return {'scenario': name, **_row(witness, scenario, killed, planned)}


def _wait_for_motion(witness: Witness, scenario: Scenario, steps: Sequence[StepTruth]) -> None:
    """Return in the middle of the run, once the robot is about as fast as in lockstep there."""
    duration = len(steps) * scenario.period
    first, last = (int(share * len(steps)) for share in MIDDLE)
    positions = np.array([step.report.truth.position for step in steps[first:last]])
    fastest = float(np.abs(np.diff(positions, axis=0)).max(initial=0.0)) / scenario.period
    time.sleep(MIDDLE[0] * duration)
    until = time.monotonic() + (MIDDLE[1] - MIDDLE[0]) * duration
    while witness.speed < FAST * fastest and time.monotonic() < until:
        time.sleep(0.002)


def _end(processes: Sequence[subprocess.Popen[bytes]] | Any) -> None:
    for number in (signal.SIGINT, signal.SIGKILL):
        for process in processes:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, number)
        until = time.monotonic() + 8.0
        while any(p.poll() is None for p in processes) and time.monotonic() < until:
            time.sleep(0.05)
    remove_orphans()


def _row(witness: Witness, scenario: Scenario, killed: float, lockstep: float) -> dict[str, Any]:
    stamps = np.array([stamp for stamp, _ in witness.states])
    positions = np.array([position for _, position in witness.states])
    h = np.diff(stamps)[:, None]
    velocity = np.diff(positions, axis=0) / h
    acceleration = 2.0 * np.diff(velocity, axis=0) / (h[1:] + h[:-1])
    before = (stamps[1:] > killed - BEFORE) & (stamps[1:] <= killed)
    after = stamps[2:] > killed
    speed = float(np.abs(velocity[before]).max(initial=0.0))
    planned = max(STEEPEST * speed / scenario.safety.stop_time, lockstep, LEAST)
    largest = float(np.abs(acceleration[after]).max(initial=0.0))
    left = float(np.abs(velocity[-50:]).max(initial=0.0))
    squeezes = np.array(witness.squeezes).reshape(-1, 2)
    held = squeezes[(squeezes[:, 0] > killed - BEFORE) & (squeezes[:, 0] <= killed), 1]
    since = squeezes[squeezes[:, 0] > killed, 1]
    wanted = float(np.median(held)) if held.size else 0.0
    kept = float(since.min()) / wanted if wanted and since.size else None
    return {
        'speed': speed,
        'planned': planned,
        'largest': largest,
        'ratio': largest / planned,
        'speed_left': left,
        'squeeze_before_n': wanted,
        'least_squeeze_share': kept,
        'longest_gap_ms': 1e3 * float(h[after.nonzero()[0]].max(initial=0.0)),
        'good': bool(
            left <= STOPPED_SPEED
            and largest <= LARGEST_RATIO * planned
            and (kept is None or kept > KEPT_SHARE)
        ),
    }


def main() -> int:
    """Kill in every scenario, or in those that are named; print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('names', nargs='*', help='scenarios; all that are shipped')
    parser.add_argument('--json', type=Path, help='file for the rows')
    options = parser.parse_args()
    names = options.names or [name for name in scenario_names() if name not in LEFT_OUT]
    os.environ.update(environment())
    print(f'{"scenario":18} speed  planned  largest [rad/s^2]  ratio  left [rad/s]  squeeze  gap')
    rows = []
    for name in names:
        row = kill_in(name)
        rows.append(row)
        kept = row['least_squeeze_share']
        squeeze = f'{kept:.2f} of {row["squeeze_before_n"]:.3g} N' if kept is not None else ''
        print(
            f'{name:18} {row["speed"]:5.2f}  {row["planned"]:7.2f}  {row["largest"]:7.2f}  '
            f'{row["ratio"]:15.2f}  {row["speed_left"]:12.4f}  {squeeze:15} '
            f'{row["longest_gap_ms"]:4.0f} ms {"" if row["good"] else "  MISSED"}',
            flush=True,
        )
    if options.json:
        options.json.write_text(json.dumps(rows, indent=2) + '\n')
    good = sum(row['good'] for row in rows)
    print(f'{good} of {len(rows)} came to rest as planned and dropped nothing')
    return 0 if good == len(rows) else 1


if __name__ == '__main__':
    sys.exit(main())
