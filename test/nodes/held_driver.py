"""The driver of a robot, as a process: it holds its last command for ever, whatever happens.

``python held_driver.py ROBOT PERIOD KIND FILE``: the kind is ``effort``, ``weightless`` (the robot
compensates gravity itself) or ``position``. At SIGTERM it writes what the robot did.
"""

from __future__ import annotations

from pathlib import Path
import signal
import sys
import time

import numpy as np
import pinocchio as pin
import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.signals import SignalHandlerOptions
from sensor_msgs.msg import JointState as JointStateMessage
from std_msgs.msg import Float64MultiArray

from simloop_ros.core.values import Array, JointState
from simloop_ros.plants.pinocchio_plant import PinocchioPlant
from simloop_ros.robot.fit_robot import load_fit_robot
from simloop_ros.ros.launch.options import PRIORITY
from simloop_ros.ros.messages.joint_state import JointStateEncoder
from simloop_ros.ros.messages.stamps import stamp_of
from simloop_ros.ros.node.scheduling import set_priority
from simloop_ros.scenario.robot_files import robot_config

SERVO = 20.0  # of a robot that takes positions [rad/s]
TOPIC = '/arm_controller/commands'


class HeldDriver:
    """A robot at rest at its home until the first command, in steps of a steady clock."""

    def __init__(self, robot: str, period: float, kind: str):
        self._kind = kind
        self._period = period
        self._model = load_fit_robot(robot_config(robot))
        self._data = self._model.pin_model.createData()
        self._plant = PinocchioPlant(self._model, period)
        self._plant.start(JointState(self._model.home, np.zeros(self._model.n)))
        self._held: Array | None = None
        self.rows: list[Array] = []  # time, position, velocity, command
        self.node = rclpy.create_node('held_driver')
        # A driver has more joints than the model, and another order.
        names = (*self._model.joint_names[::-1], 'gripper')
        self._encode = JointStateEncoder(names, ('position',)).encode
        self._states = self.node.create_publisher(JointStateMessage, 'joint_states', 10)
        self.node.create_subscription(Float64MultiArray, TOPIC, self._on_command, 10)
        self._first_stamp = self.node.get_clock().now().nanoseconds
        self._origin = time.monotonic_ns()

    def _on_command(self, message: Float64MultiArray) -> None:
        self._held = np.array(message.data)

    def step_if_due(self) -> float:
        """Take the steps that are due, and publish the last; return the time until the next."""
        steps = len(self.rows)
        due = (time.monotonic_ns() - self._origin) // stamp_of(1, self._period)
        while len(self.rows) <= due:
            self._step()
        if len(self.rows) > steps:
            stamp = self._first_stamp + stamp_of(len(self.rows), self._period)
            state = np.append(self._plant.truth.position[::-1], 0.0)
            self._states.publish(self._encode(stamp, state))
        next_due = self._origin + stamp_of(len(self.rows), self._period)
        return max(0.0, 1e-9 * (next_due - time.monotonic_ns()))

    def _step(self) -> None:
        before, held = self._plant.truth, self._held
        if held is not None and self._kind == 'position':
            a = SERVO**2 * (held - before.position) - 2.0 * SERVO * before.velocity
            velocity = before.velocity + self._period * a
            self._plant.start(JointState(before.position + self._period * velocity, velocity))
        elif held is not None:
            effort = held
            if self._kind == 'weightless':
                q = before.position
                gravity = pin.computeGeneralizedGravity(self._model.pin_model, self._data, q)
                effort = held + gravity
            self._plant.step(effort)
        now, command = self._plant.truth, np.zeros(self._model.n) if held is None else held
        at = [1e-9 * time.monotonic_ns()]
        self.rows.append(np.concatenate([at, now.position, now.velocity, command]))


def main(robot: str, period: str, kind: str, file: str) -> None:
    """Drive the robot until a signal."""
    ends: list[int] = []
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    signal.signal(signal.SIGTERM, lambda number, _: ends.append(number))
    driver = HeldDriver(robot, float(period), kind)
    set_priority(PRIORITY)  # as ros2_control does, where the system allows it
    executor = SingleThreadedExecutor()
    executor.add_node(driver.node)
    while not ends:
        executor.spin_once(timeout_sec=driver.step_if_due())
    part = Path(file).with_suffix('.part')
    with part.open('wb') as out:
        np.save(out, np.array(driver.rows))
    part.rename(file)


if __name__ == '__main__':
    main(*sys.argv[1:])
