"""What the plant publishes: its state after each step, and markers for rviz."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from rosgraph_msgs.msg import Clock
from std_msgs.msg import Float64MultiArray, String

from ...core.errors import ConfigError
from ...core.values import Array, PlantReport
from ...plants.config import PlantConfig
from ...record.hands_log import AXES, object_row
from ...robot.model import RobotModel
from ..messages.arrays import to_message as array_to_message
from ..messages.contacts import to_message as contacts_to_message
from ..messages.description import with_mesh_addresses
from ..messages.effort_command import MEASURED_TORQUE, applied_kind
from ..messages.markers import (
    contact_markers,
    hand_markers,
    object_markers,
    obstacle_markers,
    push_markers,
)
from ..messages.stamps import split, step_of
from ..messages.wrists import OBJECT, TRUE_WRENCHES, WRENCHES, hand_axes
from ..pacing.braked_plant import BrakedPlant
from ..pacing.config import PublishConfig
from ..pacing.position_stream import PositionStream, StreamConfig
from ..transport.qos import EVENTS, LATCHED, STREAM
from .block_node import BlockNode
from .marker_topic import MarkerTopic

CLOCK_PERIOD = 0.01
"""Simulated time between two messages on ``/clock`` [s]."""
Read = Callable[[Any], Iterable[Array]]


class PlantTopics:
    """Publishes the state of a plant."""

    def __init__(
        self,
        node: BlockNode,
        config: PlantConfig,
        publish: PublishConfig,
        model: RobotModel,
        plant: BrakedPlant,
    ):
        topics, graph = node.topics, node.graph
        names, axes = model.joint_names, hand_axes(model.tips)
        self._config, self._model, self._plant = config, model, plant
        self._period = graph.period
        self._clock_steps = max(1, round(CLOCK_PERIOD / graph.period))
        self._senders: list[Callable[[int, PlantReport], None]] = []

        def add(topic: str, names: Sequence[str], fields: tuple[str, ...], read: Read) -> None:
            send = topics.publish_joints(topic, names, fields).send
            self._senders.append(lambda stamp, report: send(stamp, *read(report)))

        fields = ('position', 'effort') if graph.realtime else ('position',)
        self._joint_states = topics.publish_joints('joint_states', names, fields)
        self._tells_effort = graph.realtime  # in lockstep it is that of the command
        if publish.truth:
            fields = ('position', 'velocity')
            add('true_joint_states', names, fields, lambda r: (r.truth.position, r.truth.velocity))
        if publish.torque:
            add('true_external_torque', names, ('effort',), lambda r: (r.external,))
        if config.torque_sensors is not None:
            add(MEASURED_TORQUE, names, ('effort',), lambda r: (r.torque,))
        if plant.plant.report().wrenches is not None:
            add(WRENCHES, axes, ('effort',), lambda r: (r.wrenches.ravel(),))
            if publish.hands:
                add(TRUE_WRENCHES, axes, ('effort',), lambda r: (r.true_wrenches.ravel(),))
                add(OBJECT, AXES, ('position', 'velocity'), lambda r: object_row(r.object))
        if config.obstacles:
            contacts = topics.publish_arrays('contacts')
            self._senders.append(
                lambda stamp, report: contacts.send(
                    stamp, contacts_to_message(stamp, report.contacts)
                )
            )
        self._clock = self._description = None
        if publish.clock and not graph.realtime:
            self._clock = topics.publisher(Clock, '/clock', EVENTS)
        if publish.description:
            self._description = topics.publisher(String, 'robot_description', LATCHED)
        self._markers = MarkerTopic(node)

    def begin(self) -> None:
        """Publish the description of the robot."""
        if self._description:
            self._description.publish(String(data=with_mesh_addresses(self._model.urdf)))

    def send(self, stamp: int) -> None:
        """Publish the present state with a stamp [ns]."""
        plant = self._plant.plant
        if self._tells_effort:
            applied = self._plant.take_applied()
            kind = applied_kind(applied.steps)
            self._joint_states.send(stamp, plant.observe(), applied.effort, frame_id=kind)
        else:
            self._joint_states.send(stamp, plant.observe())
        report = plant.report()
        for send in self._senders:
            send(stamp, report)
        if self._clock and stamp and not step_of(stamp, self._period) % self._clock_steps:
            clock = Clock()
            clock.clock.sec, clock.clock.nanosec = split(stamp)
            self._clock.publish(clock)

    def send_markers(self) -> None:
        """Publish contacts, obstacles, wrenches, hands, object, if there is a subscription."""
        if not self._markers.wanted:
            return
        report, pushed, model = self._plant.plant.report(), self._plant.wrench, self._model
        beam = self._config.object
        size = (beam.width, beam.length, beam.width) if beam else ()
        self._markers.show(
            (
                *obstacle_markers(self._config.obstacles, model.base),
                *contact_markers(report.contacts, model.base),
                *push_markers(pushed.acting),
                *hand_markers(report.hands, self._hand_points(), model.base),
                *object_markers(report.object, size, model.sensors, report.wrenches, model.base),
            )
        )

    def _hand_points(self) -> Array:
        """Return where the simulated hands hold the robot, in the world [m], ``(hands, 3)``."""
        hands, truth = self._config.hands, self._plant.plant.truth
        poses = self._model.frame_poses(truth.position, [hand.link for hand in hands])
        points = [pose.act(np.array(hand.point)) for pose, hand in zip(poses, hands, strict=True)]
        return np.array(points).reshape(-1, 3)


def open_stream(node: BlockNode, model: RobotModel, config: StreamConfig) -> PositionStream | None:
    """Return the stream of positions to a real robot, if there is one; ConfigError in lockstep."""
    if not config.used:
        return None
    if not node.graph.realtime:
        raise ConfigError('stream: a real robot does not wait: add realtime')
    topics, names = node.topics, model.joint_names
    states = commands = None
    if config.joint_states:
        states = topics.publish_joints(config.joint_states, names, ('position',))
    if config.commands:
        commands = topics.publisher(Float64MultiArray, config.commands, STREAM)

    def send(stamp: int, position: Array) -> None:
        if states:
            states.send(stamp, position)
        if commands:
            commands.publish(array_to_message(position))

    stream = PositionStream(model, node.graph.period, config, send, node.refuse)
    topics.subscribe_joints(
        config.robot,
        names,
        ('position',),
        lambda message: stream.follow(message.position),
        driven=True,
    )
    return stream
