"""A row of messages is the step that the loop would have logged."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from simloop_ros.assembly.assemble import run_facts
from simloop_ros.core.values import Contact
from simloop_ros.record.columns import row_reader
from simloop_ros.record.events import Located, described
from simloop_ros.ros.messages import effort_command
from simloop_ros.ros.messages.joint_state import DecodedJointState
from simloop_ros.ros.messages.notice import COLLISION, Notice
from simloop_ros.ros.messages.wrists import CORRECTIONS, OBJECT, TRUE_WRENCHES, WRENCHES
from simloop_ros.ros.pacing.record_rows import (
    CONTACTS,
    EXTERNAL,
    MEASURED,
    STATE,
    TRUE_EXTERNAL,
    TRUTH,
    RecordBuilder,
    RecordLayout,
)
from simloop_ros.ros.pacing.rows import RowJoiner
from simloop_ros.scenario.loading import load_scenario

H = 0.01
NAMES, TIPS = ('a', 'b'), ('left', 'right')
TORQUES = (EXTERNAL, TRUE_EXTERNAL)
START, END = 0, 10_000_000
LOCATED = Located('link', 0.75, (1.0, 2.0, 3.0), (4.0, 5.0, 6.0))


def joints(first: float, frame_id: str = '', size: int = 2) -> DecodedJointState:
    position, velocity, effort = (first + np.arange(size) + 100 * k for k in range(3))
    return DecodedJointState(0, position, velocity, effort, frame_id)


PARTS: dict[str, Any] = {
    effort_command.TOPIC: joints(1000.0, effort_command.LIMITED),
    CORRECTIONS: joints(2000.0, 'task 2 (grasp)', 12),
    MEASURED: joints(3000.0),
    TRUTH: joints(4000.0),
    CONTACTS: (Contact('link', 'wall', 5.0, (0.1, 0.2, 0.3)),),
    COLLISION: Notice(END, True, 'push', 0.5, LOCATED),
    WRENCHES: joints(5000.0, size=12),
    TRUE_WRENCHES: joints(6000.0, size=12),
    OBJECT: joints(7000.0, size=6),
    EXTERNAL: joints(8000.0),
    TRUE_EXTERNAL: joints(9000.0),
    STATE: joints(10_000.0),
}


def built(layout: RecordLayout, **changed: Any) -> Any:
    """Return the step of the messages, joined as the recorder does it."""
    rows = RowJoiner(
        STATE, layout.early, layout.late, H, window=8, realtime=False, lasting=layout.lasting
    )
    parts = PARTS | changed
    for topic in (*layout.early, *layout.late, STATE):
        rows.add(topic, START if topic in layout.early else END, parts[topic])
    (row,) = rows.complete()
    return RecordBuilder(layout).build(7, row)


def test_every_number_is_in_its_place() -> None:
    step = built(
        RecordLayout(truth=True, contacts=True, collisions=True, torques=TORQUES, hands=True)
    )
    np.testing.assert_array_equal(step.setpoint.position, [1000, 1001])
    np.testing.assert_array_equal(step.command.velocity, [1100, 1101])
    np.testing.assert_array_equal(step.command.effort, [1200, 1201])
    np.testing.assert_array_equal(step.measured, [3000, 3001])
    np.testing.assert_array_equal(step.rollback.state.position, [10_000, 10_001])
    np.testing.assert_array_equal(step.rollback.state.velocity, [10_100, 10_101])
    np.testing.assert_array_equal(step.rollback.effort, [10_200, 10_201])
    np.testing.assert_array_equal(step.plant.truth.position, [4000, 4001])
    assert step.plant.contacts == PARTS[CONTACTS]
    assert step.index == 7
    assert (step.monitor.contact, step.monitor.kind) == (True, 'push')
    assert (step.monitor.reading.margin, step.monitor.reading.verdict) == (0.5, 'contact')
    np.testing.assert_array_equal(step.monitor.reading.torque, [8200, 8201])
    assert described(step.monitor.hit) == LOCATED
    np.testing.assert_array_equal(step.plant.external, [9200, 9201])
    np.testing.assert_array_equal(step.plant.wrenches, 5200 + np.arange(12).reshape(2, 6))
    np.testing.assert_array_equal(step.plant.true_wrenches, 6200 + np.arange(12).reshape(2, 6))
    assert step.planner.activity == 'task 2 (grasp)'
    position, rotation = step.planner.correction.position, step.planner.correction.rotation
    np.testing.assert_array_equal(position, [[2000, 2001, 2002], [2006, 2007, 2008]])
    np.testing.assert_array_equal(rotation, [[2003, 2004, 2005], [2009, 2010, 2011]])
    held = step.plant.object
    np.testing.assert_array_equal(held.position, [7000, 7001, 7002])
    np.testing.assert_array_equal(held.rotation_vector, [7003, 7004, 7005])
    np.testing.assert_array_equal(held.velocity, 7100 + np.arange(6))


@pytest.mark.parametrize(('frame_id', 'limited'), [('limited', True), ('', False)])
def test_a_limited_effort_is_what_control_says_whatever_its_size(
    frame_id: str, limited: bool
) -> None:
    message = joints(1000.0, frame_id)
    step = built(RecordLayout(), **{effort_command.TOPIC: message})
    assert step.command.saturated is limited


def test_a_real_robot_that_is_guided_has_no_true_torque() -> None:
    settings = ['plant.hands=[]', 'duration=1']
    real = run_facts(load_scenario('lwr_tcp', settings), simulated=False)
    layout = RecordLayout.of(real, truth=False, simulated=False, realtime=True)
    assert layout.torques == TORQUES[:1]
    step = built(RecordLayout(torques=layout.torques))
    np.testing.assert_array_equal(step.monitor.reading.torque, [8200, 8201])
    row = row_reader(real.columns)(step)
    assert len(row) == len(real.columns)
    np.testing.assert_array_equal(row[-1], [8200, 8201])


def test_without_a_truth_of_its_own_the_measured_position_is_true() -> None:
    step = built(RecordLayout())
    np.testing.assert_array_equal(step.plant.truth.position, step.measured)
    assert step.plant.contacts == ()
    assert step.planner is step.monitor is step.plant.object is None
    assert step.plant.wrenches is None


@pytest.mark.parametrize('flags', itertools.product([False, True], repeat=5))
def test_each_part_of_a_row_has_a_topic_that_is_read(flags: tuple[bool, ...]) -> None:
    names = ('truth', 'contacts', 'collisions', 'torques', 'hands')
    given = dict(zip(names, flags, strict=True))
    layout = RecordLayout(**given | {'torques': TORQUES if given['torques'] else ()})
    topics = layout.topics(NAMES, TIPS)
    read = [topic.name for topic in topics]
    parts = {*layout.early, *layout.late, STATE} - {CONTACTS, COLLISION}
    assert sorted(read) == sorted(parts)
    assert read[-1] == STATE  # the one that completes a row
    assert set(layout.lasting) <= set(layout.early)
    lost = {topic.name for topic in topics if not topic.finite}
    assert lost == ({CORRECTIONS, WRENCHES, TRUE_WRENCHES, OBJECT} if flags[-1] else set())
