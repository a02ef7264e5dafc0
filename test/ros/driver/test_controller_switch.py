"""Who has the robot: its own controller or ours, and what happens where that cannot be changed."""

from __future__ import annotations

from types import SimpleNamespace

from rclpy.task import Future

from simloop_ros.drivers.config import ControllersConfig
from simloop_ros.ros.driver.controller_switch import PATIENCE, ControllerSwitch

NAMES = ControllersConfig(ours='forward_effort', robot='trajectory')


class Manager:
    """A controller manager that answers when it is told to.

    :ivar asked: what was asked for: activated, deactivated.
    """

    def __init__(self, *, ready: bool = True):
        self.asked: list[tuple[list[str], list[str]]] = []
        self.ready = ready
        self.now = 0.0

    def __call__(self, activate: list[str], deactivate: list[str]) -> Future | None:
        if not self.ready:
            return None
        self.asked.append((activate, deactivate))
        self._answer: Future = Future()
        return self._answer

    def answer(self, *, ok: bool) -> None:
        self._answer.set_result(SimpleNamespace(ok=ok))

    def clock(self) -> float:
        return self.now


def test_it_is_taken_and_given_back_in_the_reverse_order() -> None:
    manager = Manager(ready=False)
    switch = ControllerSwitch(NAMES, manager, manager.clock)
    assert not switch.take()
    manager.ready = True
    assert not switch.take()
    assert switch.owner == 'taking'
    manager.answer(ok=True)
    assert switch.take()
    assert switch.take()
    assert not switch.give_back()
    manager.answer(ok=True)
    assert switch.give_back()
    assert switch.owner == 'robot'
    there = (['forward_effort'], ['trajectory'])
    assert manager.asked == [there, there[::-1]]
    assert not switch.fault


def test_a_refusal_is_told_with_what_to_type() -> None:
    manager = Manager()
    switch = ControllerSwitch(NAMES, manager, manager.clock)
    switch.take()
    manager.answer(ok=False)
    assert not switch.take()
    assert switch.owner == 'nobody'
    assert 'refused' in switch.fault
    assert '--deactivate trajectory --activate forward_effort' in switch.fault
    assert switch.give_back(), 'what was not taken is not given back'
    assert len(manager.asked) == 1


def test_nobody_waits_for_ever() -> None:
    manager = Manager(ready=False)
    switch = ControllerSwitch(NAMES, manager, manager.clock)
    switch.take()
    manager.now = PATIENCE + 0.1
    assert not switch.take()
    assert 'no answer' in switch.fault


def test_without_controllers_nothing_is_switched() -> None:
    manager = Manager()
    switch = ControllerSwitch(ControllersConfig(), manager, manager.clock)
    assert switch.owner == 'ours'
    assert switch.take()
    assert switch.give_back()
    assert not manager.asked
