"""The external inputs of a planner: subscriptions of collisions and torques."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...collision.config import MonitorConfig
from ...guiding.config import AdmittanceConfig
from ..messages.notice import TOPIC as COLLISION
from ..messages.notice import from_message
from .topics import Topics

TORQUE_TOPICS = {
    'none': 'external_torque',
    'observer': 'external_torque',
    'truth': 'true_external_torque',
    'driver': 'measured_external_torque',
}
"""Topic of the external torque, by the source of the admittance."""


def open_inputs(
    topics: Topics,
    joint_names: Sequence[str],
    monitor: MonitorConfig,
    admittance: AdmittanceConfig,
    force_topic: str,
    call: Callable[[str, int, Any], None],
) -> tuple[str, ...]:
    """Subscribe to the external inputs that a planner needs; return their topics.

    :param force_topic: that replaces the one of the external torque; not subscribed to here.
    :param call: gets topic, stamp [ns] and value of each input.
    """
    torques = TORQUE_TOPICS[admittance.source]
    collisions = (COLLISION,) if monitor.watches else ()
    if monitor.watches:
        topics.subscribe_arrays(
            COLLISION, from_message, lambda stamp, notice: call(COLLISION, stamp, notice)
        )
    if force_topic:
        return (*collisions, force_topic)
    if not monitor.watches and not admittance.guides:
        return ()
    topics.subscribe_joints(
        torques, joint_names, ('effort',), lambda m: call(torques, m.stamp, m.effort)
    )
    return (*collisions, torques)
