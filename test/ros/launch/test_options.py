"""What is given in a command or a launch file reaches the driver of a robot, or is refused."""

from __future__ import annotations

from typing import Any

import pytest

from simloop_ros.core.errors import ConfigError
from simloop_ros.ros.launch.options import WiringOptions, refuse_unknown
from simloop_ros.ros.launch.wiring import wire
from simloop_ros.safety.config import EFFORT_RATE, MAX_ACCELERATION, TRACKING_ERROR
from simloop_ros.scenario.loading import load_scenario

STEP = ('robot=two_link', 'planner.move=[[0.1, 0, 0.1]]')
REAL: dict[str, Any] = {'realtime': True, 'simulated': False}


def test_an_argument_that_does_not_exist_is_refused() -> None:
    words = ['ros2', 'launch', 'simloop_ros', 'step.launch.py', 'plant:=none', 'driver_tpic:=/c']
    known = ('plant', 'driver_topic')
    with pytest.raises(ConfigError, match=r'driver_tpic:= .* did you mean driver_topic'):
        refuse_unknown(words, '/share/step.launch.py', known)
    refuse_unknown(words[:-1], '/share/step.launch.py', known)
    refuse_unknown(words, '/share/other.launch.py', known)  # included: arguments of another


def test_the_joint_states_of_a_real_robot_may_have_another_name() -> None:
    scenario = load_scenario('step', STEP)
    nodes = wire(scenario, WiringOptions(**REAL, robot_states='/arm/joint_states'))
    assert all(('joint_states', '/arm/joint_states') in node.remappings for node in nodes)
    with pytest.raises(ConfigError, match='robot_states: of a real robot'):
        wire(scenario, WiringOptions(realtime=True, robot_states='/arm/joint_states'))


@pytest.mark.parametrize('real', [True, False])
def test_a_real_robot_has_limits_that_a_simulated_one_has_not(real: bool) -> None:
    nodes = wire(load_scenario('step', STEP), WiringOptions(realtime=True, simulated=not real))
    (control,) = (node for node in nodes if node.executable == 'control_simulation')
    limits = {
        'safety.effort_rate': EFFORT_RATE,
        'safety.max_acceleration': MAX_ACCELERATION,
        'safety.tracking_error': TRACKING_ERROR,
    }
    assert (limits.items() <= control.parameters.items()) is real
    given = load_scenario('step', [*STEP, 'safety.effort_rate=3', 'safety.tracking_error=0.1'])
    kept = given.safety.resolved(real=real)
    assert (kept.effort_rate, kept.tracking_error) == (3.0, 0.1)
