"""The delay that a motion bears, against the formulas of its loops."""

from __future__ import annotations

from math import e

import pytest

from simloop_ros.assembly.bearable_delay import (
    FOLLOWED_TIME,
    HAND_STIFFNESS,
    bearable_delay,
    fitting_damping,
)
from simloop_ros.assembly.motion import MotionSettings
from simloop_ros.robot.fit_robot import load_fit_robot
from simloop_ros.scenario.loading import load_scenario


def bears(name: str, *settings: str) -> tuple[str, float]:
    scenario = load_scenario(name, list(settings))
    found = bearable_delay(MotionSettings.of(scenario), load_fit_robot(scenario.robot))
    return found.loop, found.delay


def test_a_plan_that_is_sent_ahead_bears_most() -> None:
    assert bears('yumi_step') == ('plan', 0.05)


def test_seven_joints_in_series_give_way_together() -> None:
    """Each has the damping ``0.25 * 40 l^2`` when it is touched, so ``l^2/d = 0.1``."""
    loop, delay = bears('lwr_tcp')
    assert loop == 'hand guiding'
    assert delay == pytest.approx(1.0 / (HAND_STIFFNESS * 7 * 0.1))
    assert bears('lwr_tcp', 'admittance.damping=80')[1] == pytest.approx(2.0 * delay)


def test_force_control_bears_less_with_a_stiff_object() -> None:
    loop, delay = bears('workerbot_carry')
    assert loop == 'force control'
    assert delay == pytest.approx(3000.0 / (2.0 * e * 5e4))
    assert bears('workerbot_carry', 'plant.object.stiffness=1e5')[1] == pytest.approx(delay / 2)


def test_a_robot_that_follows_a_hand_by_positions_bears_as_much_as_a_plan() -> None:
    """Control takes its own position, however old the setpoint is."""
    assert bears('sphere_guiding', 'period=0.004') == ('plan', FOLLOWED_TIME)


def test_a_guided_robot_is_damped_as_much_as_real_time_needs() -> None:
    scenario = load_scenario('lwr_tcp', ['period=0.005'])
    settings, model = MotionSettings.of(scenario), load_fit_robot(scenario.robot)
    alone = bearable_delay(settings, model)
    factor = fitting_damping(settings, model)
    assert factor == pytest.approx(0.5 * 0.005 / alone.delay)
    fitted = bearable_delay(settings, model, factor)
    assert fitted.delay == pytest.approx(0.5 * 0.005)
    assert fitted.damping == factor
    fast = MotionSettings.of(load_scenario('lwr_tcp', ['period=0.002']))
    assert fitting_damping(fast, model) == 1.0
    assert fitting_damping(MotionSettings.of(load_scenario('workerbot_carry')), model) == 1.0
