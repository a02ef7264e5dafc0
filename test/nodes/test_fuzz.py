"""Random messages on every subscription break no node and bring no effort beyond its limit."""

from __future__ import annotations

import json
from pathlib import Path
import sys
from typing import Any

import pytest

pytestmark = pytest.mark.long

FUZZ = Path(__file__).parents[2] / 'benchmarks' / 'fuzz.py'
LONGEST = 200.0  # on a loaded machine [s]
MOST_MEMORY = 100.0  # growth [MB]: buffers that fill up to their bounds

JOINTS = {
    'control_simulation': {'joint_states', 'desired_joint_states'},
    'motion_planner': {'control_state'},
    'plant': {'effort_command'},
    'collision_monitor': {'effort_command', 'control_state'},
    'recorder': {'effort_command', 'control_state', 'joint_states', 'true_joint_states'},
}
OTHERS = {
    'control_simulation': {'safety', 'resend'},
    'motion_planner': {'safety', 'resend', 'collision'},
    'plant': {'safety', 'resend', 'recorded', 'external_wrench'},
    'collision_monitor': {'resend'},
    'recorder': {'safety', 'resend', 'contacts', 'collision'},
}
SOURCES = {
    'observer': 'external_torque',
    'truth': 'true_external_torque',
    'driver': 'measured_external_torque',
}


def targets(source: str) -> set[str]:
    """Return every subscription that messages go to; the source is that of a guided robot."""
    every = {
        (node, topic)
        for kind in (JOINTS, OTHERS)
        for node, topics in kind.items()
        for topic in topics
    }
    planner = 'admittance' if source else 'motion_planner'
    if source:
        every |= {('motion_planner', SOURCES[source]), ('recorder', 'true_external_torque')}
    return {f'{planner if node == "motion_planner" else node} /{topic}' for node, topic in every}


@pytest.mark.parametrize(
    ('count', 'options', 'source'),
    [
        (500, (), ''),
        (300, ('--realtime', '--period', '0.05'), ''),
        (300, (), 'observer'),
        (300, (), 'truth'),
        (300, ('--realtime', '--period', '0.05'), 'driver'),
    ],
    ids=['lockstep', 'real time', 'guided', 'by truth', 'by driver in real time'],
)
def test_nothing_breaks(graph: Any, count: int, options: tuple[str, ...], source: str) -> None:
    options = (*options, *(('--guided', source) if source else ()))
    process = graph.start(sys.executable, str(FUZZ), str(count), *options)
    graph.wait_until(lambda: process.poll() is not None, LONGEST)
    result = json.loads(
        next(line for line in graph.output.splitlines() if line.startswith('{"messages"'))
    )
    assert result['broken'] == []
    assert 0.0 < result['largest_effort_share'] <= 1.0
    assert result['memory_growth_mb'] < MOST_MEMORY
    assert result['least_per_target'] == count
    assert set(result['targets']) >= targets(source)
    assert process.returncode == 0
