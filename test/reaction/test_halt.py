"""A contact while two arms carry an object: both stop along its path and keep the squeeze."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simloop_ros.assembly.run import prepare
from simloop_ros.bimanual.internal_force import split
from simloop_ros.bimanual.planner import BimanualPlanner
from simloop_ros.core.errors import GoalError
from simloop_ros.core.values import NO_INPUTS, ExternalInputs, JointState
from simloop_ros.loop.loop import Loop, LoopState
from simloop_ros.reaction.halt import REASON
from simloop_ros.record.log import LogWriter
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
KINDS = ('stop', 'hold', 'retreat', 'float', 'comply')


class Carry:
    """A real loop that carries a beam; what the monitor says is said here."""

    def __init__(self, folder: Path, *settings: str):
        tasks = (f'bimanual.tasks=[{TASKS}]', 'seed=3')
        prepared = prepare(load_scenario('workerbot_carry', (*tasks, *settings)))
        self.loop: Loop = prepared.loop
        self.model: RobotModel = prepared.facts.model
        assert self.loop.protection is not None
        self.protection = self.loop.protection
        self.reflex = self.protection.reflex
        self._log = LogWriter(folder / 'raw', self.model.n)

    @property
    def planner(self) -> BimanualPlanner:
        planner = self.reflex.reacting.planner
        assert isinstance(planner, BimanualPlanner)
        return planner

    @property
    def object(self) -> Any:
        return self.loop.plant.held_object()

    @property
    def squeeze(self) -> float:
        """Return the true squeeze [N], by the forces at the palms in axes of the world."""
        poses = self.model.frame_poses(self.loop.plant.truth.position, self.model.sensors)
        points = np.array([pose.translation for pose in poses])
        wrenches = self.loop.plant.true_wrenches()
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
                felt = self.protection.felt
                wrenches = None if felt.wrenches is None else felt.wrenches + more
                self.protection.felt = ExternalInputs(True, 'impact', felt.torque, wrenches)
            self.loop.step(self._log)
            squeezes.append(self.squeeze)
        return squeezes

    def close(self) -> None:
        self._log.close()
        self.loop.plant.close()


@pytest.fixture(scope='module')
def on_its_way(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Carry, LoopState]]:
    carry = Carry(tmp_path_factory.mktemp('carry'))
    carry.run(MOVING)
    assert 'move' in carry.planner.task
    assert carry.object.velocity[2] > 0.05
    yield carry, carry.loop.state
    carry.close()


@pytest.fixture
def carry(on_its_way: tuple[Carry, LoopState]) -> Carry:
    """Return a loop in the middle of a move."""
    carry, state = on_its_way
    carry.loop.restore(state)
    return carry


@pytest.mark.parametrize('kind', KINDS)
def test_both_arms_stop_along_the_path_and_go_on(carry: Carry, kind: Any) -> None:
    """Whatever reaction is asked for, no arm leaves the other."""
    reacting = carry.reflex.reacting
    carry.reflex.impact = kind
    braked = carry.run(0.01, contact=True)
    assert reacting.state in ('reacting', 'resting')
    assert carry.planner.halted == REASON
    assert carry.planner.doing == f'stopped: {REASON}'
    stopped = carry.run(0.1, contact=True)
    assert reacting.state == 'resting'
    assert np.linalg.norm(carry.object.velocity[:3]) < STOPPED
    place = carry.object.position.copy()
    assert LOW + 0.003 < place[2] < HIGH - 0.003  # it neither went back nor on
    np.testing.assert_allclose(place[:2], [0.4, 0.0], rtol=0.0, atol=1e-4)
    assert np.abs(np.array([*braked, *stopped]) - WANTED).max() < KEPT
    assert reacting.resume(carry.loop.control.state)
    assert reacting.state == 'moving'
    assert not carry.planner.halted
    gone_on = carry.run(0.35)
    np.testing.assert_allclose(carry.object.position, [0.4, 0.0, HIGH], rtol=0.0, atol=2e-4)
    assert np.abs(np.array(gone_on) - WANTED).max() < KEPT


def test_without_a_reaction_a_contact_changes_nothing(carry: Carry) -> None:
    carry.reflex.impact = carry.reflex.push = 'none'
    carry.run(0.05, contact=True)
    assert carry.reflex.reacting.state == 'moving'
    assert not carry.planner.halted


def test_it_goes_on_by_itself_if_it_shall(carry: Carry, monkeypatch: pytest.MonkeyPatch) -> None:
    carry.reflex.impact = 'stop'
    monkeypatch.setattr(carry.reflex, '_resume_after', 100)
    carry.run(0.02, contact=True)
    carry.run(0.06)
    assert carry.reflex.reacting.state == 'resting'
    carry.run(0.4)
    assert carry.reflex.reacting.state == 'moving'
    np.testing.assert_allclose(carry.object.position, [0.4, 0.0, HIGH], rtol=0.0, atol=2e-4)


def test_without_its_sensor_it_does_not_go_on(tmp_path: Path) -> None:
    """Nor begins the tasks once more, with the object in its hands."""
    carry = Carry(tmp_path, f'plant.sensors.faults=[{{tip: palm_l, kind: lost, start: {MOVING}}}]')
    carry.run(MOVING)
    carry.reflex.impact = 'stop'
    carry.run(0.1, contact=True)
    with pytest.raises(GoalError, match='bring the robot home'):
        carry.reflex.reacting.resume(carry.loop.control.state)
    assert carry.reflex.reacting.state == 'resting'
    place = carry.object.position.copy()
    squeezes = carry.run(0.2)
    np.testing.assert_allclose(carry.object.position, place, rtol=0.0, atol=2e-4)
    assert np.abs(np.array(squeezes) - WANTED).max() < WANTED  # below twice the wanted value
    carry.close()


def test_going_on_takes_no_step_of_its_own(carry: Carry) -> None:
    """A reading would count twice in force control."""
    carry.reflex.impact = 'stop'
    carry.run(0.1, contact=True)
    before = carry.planner.snapshot()
    assert carry.reflex.reacting.resume(carry.loop.control.state)
    after = carry.planner.snapshot()
    assert after.control is before.control
    np.testing.assert_array_equal(after.position, before.position)


def test_hands_that_are_elsewhere_do_not_go_on(carry: Carry) -> None:
    carry.reflex.impact = 'stop'
    carry.run(0.1, contact=True)
    control = carry.loop.control.state
    away = JointState(control.position + 0.03, control.velocity)  # rad
    with pytest.raises(GoalError, match='bring the robot home'):
        carry.reflex.resume(away)
    assert carry.reflex.reacting.state == 'resting'
    assert carry.reflex.resume(control)


def test_near_home_it_begins_anew_and_feels(tmp_path: Path) -> None:
    """A free hand is bumped: after that fault there is no going on, but the way is free."""
    slow = (
        'bimanual.tasks=[{do: approach, path: cp, clearance: 0.008, durations: [1]}, '
        '{do: grasp, squeeze: 20, durations: [0.3]}]'
    )
    carry = Carry(tmp_path, slow)
    old = carry.planner
    carry.run(0.2)
    carry.reflex.impact = 'stop'
    bumped = np.zeros((2, 6))
    bumped[0, 2] = 40.0  # N, above bimanual.free_force
    carry.run(0.03, contact=True, more=bumped)
    assert carry.reflex.reacting.state == 'resting'
    carry.reflex._resume_after = 50
    carry.run(0.1)
    assert carry.planner is not old
    assert carry.reflex.reacting.state == 'moving'
    assert carry.planner.doing == 'task 1 (approach)'
    carry.close()


def test_a_reset_leaves_the_hands_closed(carry: Carry) -> None:
    """A reaction that moves is stopped by holding the joints: not that of two hands."""
    reacting = carry.reflex.reacting
    carry.reflex.impact = 'float'
    carry.run(0.003, contact=True)
    assert reacting.state == 'reacting'
    reacting.reset()
    assert reacting.active == 'float'
    squeezes = carry.run(0.1)
    assert reacting.state == 'resting'
    assert np.abs(np.array(squeezes) - WANTED).max() < KEPT


def test_the_memory_of_a_halt_goes_back(carry: Carry) -> None:
    carry.reflex.impact = 'stop'
    carry.run(0.005, contact=True)
    state, wrenches = carry.loop.state, carry.protection.felt.wrenches
    runs = []
    for _ in range(2):
        carry.loop.restore(state)
        np.testing.assert_array_equal(carry.protection.felt.wrenches, wrenches)
        carry.run(0.03)
        assert carry.reflex.reacting.resume(carry.loop.control.state)
        squeezes = carry.run(0.03)
        runs.append((carry.loop.plant.truth.position.tobytes(), squeezes))
    assert runs[0] == runs[1]


@pytest.mark.parametrize('lost', [False, True])
def test_readings_reach_the_planner(carry: Carry, lost: bool) -> None:
    """None of them is a lost sensor: both arms stop."""
    felt = NO_INPUTS if lost else ExternalInputs(wrenches=carry.loop.plant.wrenches())
    carry.reflex.step(carry.loop.control.state, felt)
    assert carry.planner.halted.startswith('wrist sensors lost') == lost
