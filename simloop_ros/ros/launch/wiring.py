"""From a scenario to its nodes: plain data for launch files and ``simloop launch``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
import yaml

from ...core.errors import ConfigError
from ...core.resources import PACKAGE
from ...scenario.contradictions import refuse_contradictions
from ...scenario.scenario import Scenario
from ..messages.effort_command import MEASURED_TORQUE
from ..node.parameter_values import parameter_values
from ..pacing.config import GraphConfig
from .node_parameters import node_parameters, refuse_options
from .options import ADD_REALTIME, WiringOptions

ORDINARY_PRIORITY = ('recorder', 'robotstudio', 'teach')
"""Nodes without real-time priority."""
APART = ('robot_follower',)
"""Nodes that are processes of their own even where the others share one: they outlive them."""
RECORDER_WINDOW = 512
"""Steps that the plant may be ahead of the recorder, in lockstep."""


JOINT_STATES = 'joint_states'
ACTION = 'follow_joint_trajectory'
BEST_EFFORT = 'qos_overrides.{}.subscription.reliability'
"""Parameter with which a node also hears a driver that publishes best effort."""


class NodeSpec(msgspec.Struct, frozen=True, kw_only=True):
    """One node of the graph.

    :ivar name: in the graph; empty if it is that of the executable.
    :ivar namespace: absolute, or empty for none.
    :ivar remappings: from, to.
    :ivar arguments: of the program, before those of ROS.
    :ivar ends_graph: whether the graph is done when this node is.
    """

    executable: str
    package: str = PACKAGE
    name: str = ''
    namespace: str = ''
    parameters: dict[str, Any]
    remappings: tuple[tuple[str, str], ...] = ()
    arguments: tuple[str, ...] = ()
    ends_graph: bool = False

    @property
    def apart(self) -> bool:
        """Return whether the node is a process of its own even where the others share one."""
        return self.executable in APART

    @property
    def full_name(self) -> str:
        """Return the node's name with its namespace."""
        return f'{self.namespace}/{self.name or self.executable}'


def wire(scenario: Scenario, options: WiringOptions) -> tuple[NodeSpec, ...]:
    """Return the nodes that run a scenario; raises ConfigError for contradicting options."""
    if not options.simulated and not options.realtime:
        raise ConfigError(f'without a simulated plant time has to be real: {ADD_REALTIME}')
    refuse_contradictions(scenario, simulated=options.simulated)
    refuse_options(scenario, options)
    parameters = node_parameters(scenario, options)
    graph = GraphConfig(
        period=scenario.period,
        realtime=options.realtime,
        loads=scenario.monitor.payload != 'none',
        trace=options.trace,
        window=RECORDER_WINDOW if options.out else 0,
    )
    common = parameter_values(graph, '')
    priority = {'priority': options.priority} if options.realtime else {}
    remappings = options.remappings
    if options.robot_states and not options.simulated:
        remappings = (*remappings, ('joint_states', options.robot_states))
    if options.robot_torques:
        remappings = (*remappings, ('measured_external_torque', options.robot_torques))
    if options.action:
        remappings = (*remappings, (ACTION, options.action))
    if not options.simulated:
        states = options.robot_states or JOINT_STATES
        remappings = (*remappings, *([(JOINT_STATES, states)] if options.robot_states else []))
        if scenario.monitor.signal == 'measured':
            remappings = (*remappings, (MEASURED_TORQUE, states))
        common |= {BEST_EFFORT.format(_resolved(states, options)): 'best_effort'}
    return tuple(
        NodeSpec(
            executable=executable,
            namespace=options.absolute_namespace,
            parameters={**common, **own, **({} if executable in ORDINARY_PRIORITY else priority)},
            remappings=remappings,
            ends_graph=executable == 'recorder',
        )
        for executable, own in parameters.items()
    )


def _resolved(topic: str, options: WiringOptions) -> str:
    """Return the full name of a topic."""
    return topic if topic.startswith('/') else f'{options.absolute_namespace}/{topic}'


def has_clock(nodes: Iterable[NodeSpec]) -> bool:
    """Return whether one of the nodes publishes ``/clock``, so that others shall follow it."""
    return any(
        node.parameters.get('publish.clock', False) and not node.parameters['realtime']
        for node in nodes
    )


def parameter_file(nodes: Iterable[NodeSpec]) -> str:
    """Return the parameters of all nodes as the text of a ROS parameter file."""
    return yaml.dump(
        {node.full_name: {'ros__parameters': node.parameters} for node in nodes},
        Dumper=_Dumper,
        sort_keys=False,
    )


class _Dumper(yaml.SafeDumper):
    """Writes equal values out each time: ROS does not read YAML references."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002
        return True
