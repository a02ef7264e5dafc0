"""A contact while two arms carry an object: both stop along its path and keep the squeeze."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from simloop_ros.assembly.assemble import assemble
from simloop_ros.assembly.motion import MotionSettings, build_motion
from simloop_ros.bimanual.internal_force import split
from simloop_ros.bimanual.planner import BimanualPlanner
from simloop_ros.core.errors import GoalError
from simloop_ros.core.values import NO_INPUTS, ExternalInputs, JointState
from simloop_ros.loop.loop import Loop, LoopSnapshot
from simloop_ros.planning.planner import Planner
from simloop_ros.reaction.halting import REASON, Halting
from simloop_ros.robot.model import RobotModel
from simloop_ros.scenario.loading import load_scenario

TASKS = (
    '{do: approach, path: cp, clearance: 0.005, durations: [0.15]}, '
    '{do: grasp, squeeze: 20, durations: [0.15]}, {do: hold, duration: 0.15}, '
    '{do: move, by: [0, 0, 0.02], duration: 0.25}'
)
MOVING = 0.57  # s: in the middle of the move, from 0.45 s to 0.7 s
WANTED = 20.0  # N
KEPT = 2.0  # N, of the squeeze: the object is braked within 10 ms, and comes to swing
LOW, HIGH = 0.82, 0.84  # m: where the object is before the move and after it
STOPPED = 0.005  # m/s


class Carry:
    """A real loop that carries a beam; what the monitor says is said here."""

    def __init__(self, *settings: str):
        tasks = (f'bimanual.tasks=[{TASKS}]', 'seed=3')
        scenario = load_scenario('workerbot_carry', (*tasks, *settings))
        assembly = assemble(scenario)
        self.loop: Loop = assembly.loop
        self.model: RobotModel = assembly.facts.model
        planner = self.loop.planner
        assert isinstance(planner, BimanualPlanner)
        self.planner = planner

        def replan(position: np.ndarray) -> Planner:
            return build_motion(MotionSettings.of(scenario), self.model, position).base

        self.halting = Halting(planner, 'none', 'none', replan=replan)
        self.loop.planner = self.halting

    @property
    def object(self) -> Any:
        return self.loop.plant.report().object

    @property
    def squeeze(self) -> float:
        """Return the true squeeze [N], by the forces at the palms in axes of the world."""
        poses = self.model.frame_poses(self.loop.plant.truth.position, self.model.sensors)
        points = np.array([pose.translation for pose in poses])
        wrenches = self.loop.plant.report().true_wrenches
        assert wrenches is not None
        turned = [
            np.concatenate((pose.rotation @ wrench[:3], pose.rotation @ wrench[3:]))
            for pose, wrench in zip(poses, wrenches, strict=True)
        ]
        return split(points, np.array(turned)).squeeze

    def run(
        self, time: float, *, contact: bool = False, more: np.ndarray | float = 0.0
    ) -> list[float]:
        """Go on for a time [s]; return the squeezes.

        :param more: what the wrists feel beside the object, during the contact [N, N m].
        """
        squeezes = []
        for _ in range(round(time / self.loop.control.period)):
            if contact:
                inputs = self.loop.sensing.inputs
                wrenches = None if inputs.wrenches is None else inputs.wrenches + more
                self.loop.sensing.inputs = ExternalInputs(True, 'impact', inputs.torque, wrenches)
            self.loop.step()
            squeezes.append(self.squeeze)
        return squeezes

    def close(self) -> None:
        self.loop.plant.close()


@pytest.fixture(scope='module')
def on_its_way() -> Iterator[tuple[Carry, LoopSnapshot]]:
    carry = Carry()
    carry.run(MOVING)
    assert 'move' in carry.planner.task
    assert carry.object.velocity[2] > 0.05
    yield carry, carry.loop.snapshot()
    carry.close()


@pytest.fixture
def carry(on_its_way: tuple[Carry, LoopSnapshot]) -> Carry:
    """Return a loop in the middle of a move."""
    carry, state = on_its_way
    carry.loop.restore(state)
    return carry


@pytest.mark.parametrize('kind', ['stop', 'comply'])
def test_both_arms_stop_along_the_path_and_go_on(carry: Carry, kind: Any) -> None:
    """Whatever reaction is asked for, no arm leaves the other."""
    halting = carry.halting
    carry.halting.choose(kind, kind)
    braked = carry.run(0.01, contact=True)
    assert halting.activity in ('reacting', 'resting')
    assert carry.planner.halted == REASON
    assert carry.planner.doing == f'stopped: {REASON}'
    stopped = carry.run(0.1, contact=True)
    assert halting.activity == 'resting'
    assert np.linalg.norm(carry.object.velocity[:3]) < STOPPED
    place = carry.object.position.copy()
    assert LOW + 0.003 < place[2] < HIGH - 0.003  # it neither went back nor on
    np.testing.assert_allclose(place[:2], [0.4, 0.0], rtol=0.0, atol=1e-4)
    assert np.abs(np.array([*braked, *stopped]) - WANTED).max() < KEPT
    assert halting.resume(carry.loop.control.state)
    assert halting.activity == 'moving'
    assert not carry.planner.halted
    gone_on = carry.run(0.35)
    np.testing.assert_allclose(carry.object.position, [0.4, 0.0, HIGH], rtol=0.0, atol=2e-4)
    assert np.abs(np.array(gone_on) - WANTED).max() < KEPT


def test_without_a_reaction_a_contact_changes_nothing(carry: Carry) -> None:
    carry.halting.choose('none', 'none')
    carry.run(0.05, contact=True)
    assert carry.halting.activity == 'moving'
    assert not carry.planner.halted


def test_it_goes_on_by_itself_if_it_shall(carry: Carry, monkeypatch: pytest.MonkeyPatch) -> None:
    carry.halting.choose('stop', 'stop')
    monkeypatch.setattr(carry.halting, '_resume_after', 100)
    carry.run(0.02, contact=True)
    carry.run(0.06)
    assert carry.halting.activity == 'resting'
    carry.run(0.4)
    assert carry.halting.activity == 'moving'
    np.testing.assert_allclose(carry.object.position, [0.4, 0.0, HIGH], rtol=0.0, atol=2e-4)


def test_without_its_sensor_it_does_not_go_on() -> None:
    """Nor begins the tasks once more, with the object in its hands."""
    carry = Carry(f'plant.sensors.faults=[{{tip: palm_l, kind: lost, start: {MOVING}}}]')
    carry.run(MOVING)
    carry.halting.choose('stop', 'stop')
    carry.run(0.1, contact=True)
    with pytest.raises(GoalError, match='bring the robot home'):
        carry.halting.resume(carry.loop.control.state)
    assert carry.halting.activity == 'resting'
    place = carry.object.position.copy()
    squeezes = carry.run(0.2)
    np.testing.assert_allclose(carry.object.position, place, rtol=0.0, atol=2e-4)
    assert np.abs(np.array(squeezes) - WANTED).max() < WANTED  # below twice the wanted value
    carry.close()


def test_going_on_takes_no_step_of_its_own(carry: Carry) -> None:
    """A reading would count twice in force control."""
    carry.halting.choose('stop', 'stop')
    carry.run(0.1, contact=True)
    before = carry.planner.snapshot()
    assert carry.halting.resume(carry.loop.control.state)
    after = carry.planner.snapshot()
    assert after.control is before.control
    np.testing.assert_array_equal(after.position, before.position)


def test_hands_that_are_elsewhere_do_not_go_on(carry: Carry) -> None:
    carry.halting.choose('stop', 'stop')
    carry.run(0.1, contact=True)
    control = carry.loop.control.state
    away = JointState(control.position + 0.03, control.velocity)  # rad
    with pytest.raises(GoalError, match='bring the robot home'):
        carry.halting.resume(away)
    assert carry.halting.activity == 'resting'
    assert carry.halting.resume(control)


def test_near_home_it_is_planned_again() -> None:
    """A free hand is bumped: after that fault there is no going on, but the way is free."""
    slow = (
        'bimanual.tasks=[{do: approach, path: cp, clearance: 0.008, durations: [1]}, '
        '{do: grasp, squeeze: 20, durations: [0.3]}]'
    )
    carry = Carry(slow)
    old = carry.planner.snapshot().plan
    carry.run(0.2)
    carry.halting.choose('stop', 'stop')
    bumped = np.zeros((2, 6))
    bumped[0, 2] = 40.0  # N, above bimanual.free_force
    carry.run(0.03, contact=True, more=bumped)
    assert carry.halting.activity == 'resting'
    carry.halting._resume_after = 50
    carry.run(0.1)
    assert carry.planner.snapshot().plan is not old
    assert carry.halting.activity == 'moving'
    assert carry.planner.doing == 'task 1 (approach)'
    carry.close()


def test_a_stop_leaves_the_hands_closed(carry: Carry) -> None:
    """A reaction that moves is stopped by holding the joints: not that of two hands."""
    halting = carry.halting
    carry.halting.choose('float', 'float')
    carry.run(0.003, contact=True)
    assert halting.activity == 'reacting'
    halting.stop()
    assert halting.active == 'float'
    squeezes = carry.run(0.1)
    assert halting.activity == 'resting'
    assert np.abs(np.array(squeezes) - WANTED).max() < KEPT


def test_the_snapshot_of_a_halt_goes_back(carry: Carry) -> None:
    carry.halting.choose('stop', 'stop')
    carry.run(0.005, contact=True)
    state, wrenches = carry.loop.snapshot(), carry.loop.sensing.inputs.wrenches
    runs = []
    for _ in range(2):
        carry.loop.restore(state)
        np.testing.assert_array_equal(carry.loop.sensing.inputs.wrenches, wrenches)
        carry.run(0.03)
        assert carry.halting.resume(carry.loop.control.state)
        squeezes = carry.run(0.03)
        runs.append((carry.loop.plant.truth.position.tobytes(), squeezes))
    assert runs[0] == runs[1]


@pytest.mark.parametrize('lost', [False, True])
def test_readings_reach_the_planner(carry: Carry, lost: bool) -> None:
    """None of them is a lost sensor: both arms stop."""
    wrenches = carry.loop.plant.report().wrenches
    inputs = NO_INPUTS if lost else ExternalInputs(wrenches=wrenches)
    carry.halting.step(carry.loop.control.state, inputs)
    assert carry.planner.halted.startswith('wrist sensors lost') == lost
