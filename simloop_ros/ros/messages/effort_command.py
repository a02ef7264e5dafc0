"""The command of a step as a JointState: topic ``effort_command``."""

from __future__ import annotations

TOPIC = 'effort_command'
FIELDS = ('position', 'velocity', 'effort')
"""Desired position q_d, velocity v_d and effort of the step."""
LIMITED = 'limited'
"""``frame_id`` of a command whose effort was reduced to an effort limit; else it is empty."""
