"""A node alone in the process of a test, over DDS: the test plays all that it talks to."""

from __future__ import annotations

from collections.abc import Callable
import time
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter

from simloop_ros.robot.fit_robot import load_fit_robot
from simloop_ros.ros.launch.wiring import WiringOptions, wire
from simloop_ros.scenario.scenario import Scenario

LONGEST = 20.0  # for anything to happen on a loaded machine [s]


class LoneNode:
    """Starts a node of a scenario, and spins it together with ``other``, who plays the rest.

    :ivar said: diagnostics of the node that were not looked at yet.
    :ivar follower: publisher of the status of a follower, where the test plays one.
    """

    def __init__(
        self, domain: int, executable: str, kind: type, scenario: Scenario, options: WiringOptions
    ):
        self.context = Context()
        rclpy.init(context=self.context, domain_id=domain)
        self.executor = SingleThreadedExecutor(context=self.context)
        self.other = Node('other', context=self.context)
        self.executor.add_node(self.other)
        self.model = load_fit_robot(scenario.robot)
        self.specs = wire(scenario, options)
        self.nodes: list[Any] = []
        self.follower: Any = None
        self.said: list[DiagnosticStatus] = []
        self.node = self.start(executable, kind)
        self._name = f'/{executable}'
        self.other.create_subscription(DiagnosticArray, '/diagnostics', self._on_diagnostics, 10)

    def start(self, executable: str, kind: type) -> Any:
        """Start a node of the scenario in this process; it hears the others over DDS."""
        spec = next(spec for spec in self.specs if spec.executable == executable)
        values = {name: value for name, value in spec.parameters.items() if value != []}
        node = kind(
            executable,
            context=self.context,
            parameter_overrides=[Parameter(name, value=value) for name, value in values.items()],
        )
        node.start()
        self.nodes.append(node)
        self.executor.add_node(node)
        return node

    def close(self) -> None:
        """End."""
        for node in self.nodes:
            node.stop()
            node.destroy_node()
        self.other.destroy_node()
        self.executor.shutdown()
        rclpy.shutdown(context=self.context)

    def until(self, done: Callable[[], Any]) -> None:
        """Let everybody work until something has happened."""
        end = time.monotonic() + LONGEST
        while not done():
            assert time.monotonic() < end, 'it did not happen'
            self.executor.spin_once(timeout_sec=0.02)
            for node in self.nodes:
                node.schedule.run()

    def _on_diagnostics(self, message: DiagnosticArray) -> None:
        self.said += [status for status in message.status if status.name == self._name]

    def call(self, kind: type, name: str, request: Any) -> Any:
        """Return the response of a service."""
        client = self.other.create_client(kind, name)
        self.until(client.service_is_ready)
        future = client.call_async(request)
        self.until(future.done)
        self.other.destroy_client(client)
        return future.result()

    def reports(
        self, text: str, level: bytes = DiagnosticStatus.WARN, key: str = '', least: int = 0
    ) -> dict[str, str]:
        """Wait until the node says something in its diagnostics, and return the values.

        :param key: of a value that shall have become large enough.
        """

        def found() -> list[dict[str, str]]:
            values = [
                {item.key: item.value for item in status.values}
                for status in self.said
                if status.level == level and text in status.message
            ]
            return [each for each in values if not key or int(each[key]) >= least]

        self.until(found)
        result = found()[-1]
        self.said.clear()
        return result
