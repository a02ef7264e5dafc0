"""Several nodes in one process: ``composed motion_planner plant ... --ros-args ...``."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
import sys

from ..core.errors import USER_ERROR, UnknownNameError
from ..ros.node.block_node import BlockNode
from ..ros.node.process import run_nodes
from .admittance import AdmittanceNode
from .bimanual import BimanualNode
from .collision_monitor import CollisionMonitorNode
from .control_simulation import ControlSimulationNode
from .motion_planner import MotionPlannerNode
from .plant import PlantNode
from .recorder import RecorderNode
from .robotstudio import RobotStudioNode
from .teach import TeachNode

KINDS: dict[str, Callable[..., BlockNode]] = {
    'admittance': AdmittanceNode,
    'bimanual': BimanualNode,
    'collision_monitor': CollisionMonitorNode,
    'control_simulation': ControlSimulationNode,
    'motion_planner': MotionPlannerNode,
    'plant': PlantNode,
    'recorder': RecorderNode,
    'robotstudio': RobotStudioNode,
    'teach': TeachNode,
}


def main() -> int:
    """Run the nodes that the arguments before ``--ros-args`` name."""
    arguments = sys.argv[1:]
    own = arguments[: arguments.index('--ros-args')] if '--ros-args' in arguments else arguments
    for name in own:
        if name not in KINDS:
            print(f'composed: {UnknownNameError("node", name, KINDS)}', file=sys.stderr)
            return USER_ERROR
    return run_nodes([partial(KINDS[name], name) for name in own], sys.argv)


if __name__ == '__main__':
    raise SystemExit(main())
