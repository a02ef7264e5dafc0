"""The topics of a log: which columns are fields of which messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .columns import COLUMNS, ESTIMATED_COLUMNS, GUIDED_COLUMNS
from .hands_log import HANDS_COLUMNS

Fields = Mapping[str, tuple[str, ...]]
"""Field of a JointState -> columns of the log that it has, one after the other."""
Topics = Mapping[str, Fields]

TOPICS: Topics = {
    '/desired_joint_states': {
        'position': ('desired_position',),
        'velocity': ('desired_velocity',),
    },
    '/effort_command': {'effort': ('effort',)},
    '/joint_states': {'position': ('measured_position',)},
    '/true_joint_states': {'position': ('true_position',)},
    '/control_state': {
        'position': ('position',),
        'velocity': ('velocity',),
        'effort': ('rollback_effort',),
    },
}
"""Those of every run, in the order of one step."""
ESTIMATED_TOPICS: Topics = {**TOPICS, '/external_torque': {'effort': ('external_torque',)}}
"""The same for a real robot that is guided."""
GUIDED_TOPICS: Topics = {
    **ESTIMATED_TOPICS,
    '/true_external_torque': {'effort': ('true_external_torque',)},
}
"""The same for a simulated robot that is guided."""
HANDS_TOPICS: Topics = {
    '/wrist_wrenches': {'effort': ('wrench_1', 'wrench_2')},
    '/path_corrections': {'position': ('correction_1', 'correction_2')},
    '/true_wrist_wrenches': {'effort': ('true_wrench_1', 'true_wrench_2')},
    '/object_state': {'position': ('object_pose',), 'velocity': ('object_velocity',)},
}
"""The same for the log of two hands; the joints are ``AXES``, of each hand for both."""
SEPARATE_HANDS_TOPICS: Topics = {
    '/hand_1/wrist_wrench': {'effort': ('wrench_1',)},
    '/hand_2/wrist_wrench': {'effort': ('wrench_2',)},
    '/hand_1/path_correction': {'position': ('correction_1',)},
    '/hand_2/path_correction': {'position': ('correction_2',)},
    '/hand_1/true_wrist_wrench': {'effort': ('true_wrench_1',)},
    '/hand_2/true_wrist_wrench': {'effort': ('true_wrench_2',)},
    '/object': {'position': ('object_pose',), 'velocity': ('object_velocity',)},
}
"""Those of logs up to version 0.2, which can still be read."""
LAYOUTS: tuple[tuple[tuple[str, ...], Topics], ...] = (
    (HANDS_COLUMNS, HANDS_TOPICS),
    (HANDS_COLUMNS, SEPARATE_HANDS_TOPICS),
    (GUIDED_COLUMNS, GUIDED_TOPICS),
    (ESTIMATED_COLUMNS, ESTIMATED_TOPICS),
    (COLUMNS, TOPICS),
)
"""Columns of a log and its topics; new logs have the first that fits, and so is a file read."""
DESCRIPTION = '/robot_description'
EFFECTIVE_MASS = '/effective_mass'
"""Topic of the log: a JointState whose joints are the tips and whose effort is the mass [kg]."""
COLLISION, CONTACTS, SAFETY = '/collision', '/contacts', '/safety'
LIVE_TOPICS = {topic[1:]: topic for topic in (COLLISION, CONTACTS, SAFETY)}
"""Topics of messages that belong to no row: name in the graph -> topic of the log."""
EVERY_TOPIC = (*GUIDED_TOPICS, *HANDS_TOPICS, *LIVE_TOPICS.values(), DESCRIPTION, EFFECTIVE_MASS)
"""All topics that a new log can have; in a graph each has its live name instead."""
LATCHED_QOS = """- history: 1
  depth: 1
  reliability: 1
  durability: 1
  deadline: {sec: 9223372036, nsec: 854775807}
  lifespan: {sec: 9223372036, nsec: 854775807}
  liveliness: 1
  liveliness_lease_duration: {sec: 9223372036, nsec: 854775807}
  avoid_ros_namespace_conventions: false
"""
"""``offered_qos_profiles`` of a topic whose last message is for late readers too: keep last 1,
reliable, transient local. Numbers are understood by rosbag2 of every distribution."""


def topics_of(columns: tuple[str, ...]) -> Topics:
    """Return the topics of a new log with these columns."""
    return next(topics for names, topics in LAYOUTS if names == columns)


def places(columns: tuple[str, ...], topics: Topics) -> dict[str, dict[str, slice]]:
    """Return topic -> field -> place of its columns, which are next to each other."""
    return {
        topic: {
            field: slice(columns.index(names[0]), columns.index(names[-1]) + 1)
            for field, names in fields.items()
        }
        for topic, fields in topics.items()
    }


def names_of(fields: Fields, joint_names: Sequence[str], groups: Sequence[str]) -> tuple[str, ...]:
    """Return the joint names of a topic.

    :param groups: what the columns of a field with several of them belong to, as the two hands.
    """
    if all(len(columns) == 1 for columns in fields.values()):
        return tuple(joint_names)
    return tuple(f'{group}/{name}' for group in groups for name in joint_names)
