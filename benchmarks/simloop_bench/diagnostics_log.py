"""The last diagnostics of all nodes: ``python -m simloop_bench.diagnostics_log FILE``.

Listens to ``/diagnostics`` until SIGINT or SIGTERM, then writes for each node the values of its
last status, and its ``message`` as one of them, as JSON.
"""

from __future__ import annotations

import json
from pathlib import Path
import sys

from diagnostic_msgs.msg import DiagnosticArray
import rclpy

from simloop_ros.ros.node.process import MAX_SPIN_TIME, fastest_executor, open_middleware
from simloop_ros.ros.transport.qos import EVENTS


def main() -> int:
    """Listen, then write."""
    path = Path(sys.argv[1])
    received = open_middleware([])
    last: dict[str, dict[str, str]] = {}

    def listen(message: DiagnosticArray) -> None:
        for status in message.status:
            values = {item.key: item.value for item in status.values}
            last[status.name.rpartition('/')[2]] = {'message': status.message, **values}

    node = rclpy.create_node('diagnostics_log')
    node.create_subscription(DiagnosticArray, '/diagnostics', listen, EVENTS)
    executor = fastest_executor()
    executor.add_node(node)
    try:
        while not received:
            executor.spin_once(timeout_sec=MAX_SPIN_TIME)
    finally:
        path.write_text(json.dumps(last, indent=2) + '\n')
        executor.remove_node(node)
        node.destroy_node()
        rclpy.shutdown()
    return 0


if __name__ == '__main__':
    raise SystemExit(main())
