"""Who can be guided by hand, by what its driver takes and tells."""

from __future__ import annotations

import pytest

from simloop_ros.cli.launch import planned
from simloop_ros.cli.main import make_parser
from simloop_ros.core.errors import ConfigError
from simloop_ros.ros.launch.wiring import wire

GUIDED = ('step', '--set', 'robot=irb120', '--set', 'planner.kind=hold', '--set', 'duration=1')
OBSERVED = ('--set', 'admittance.source=observer')
DRIVER = ('--driver', 'abb_egm')
KNOWN = (*DRIVER, '--driver-set', 'effort=torque')


def wired(*arguments: str) -> set[str]:
    scenario, options = planned(make_parser('launch').parse_args(['launch', *GUIDED, *arguments]))
    return {node.executable for node in wire(scenario, options)}


def test_a_robot_without_torques_is_refused_with_the_reason() -> None:
    with pytest.raises(ConfigError, match=r'tells no torques.*cannot be guided') as refusal:
        wired(*OBSERVED, *DRIVER)
    assert '\n' not in str(refusal.value)


@pytest.mark.parametrize('effort', ['torque', 'torque_without_gravity'])
def test_a_robot_that_takes_positions_needs_measured_torques(effort: str) -> None:
    with pytest.raises(ConfigError, match=r'set monitor\.signal=measured'):
        wired(*OBSERVED, *DRIVER, '--driver-set', f'effort={effort}')
    assert 'admittance' in wired(*OBSERVED, *KNOWN, '--set', 'monitor.signal=measured')


def test_a_sensor_of_its_own_guides_any_robot() -> None:
    given = ('--set', 'admittance.source=driver', '--robot-torques', '/sensor')
    assert 'admittance' in wired(*given, *DRIVER)


def test_a_robot_that_takes_positions_cannot_float() -> None:
    with pytest.raises(ConfigError, match=r'set planner\.kind=hold'):
        wired('--set', 'planner={kind: guiding}', *KNOWN)


def test_efforts_need_nothing_else() -> None:
    given = ('--driver-output', 'effort', '--gravity-handled')
    assert 'admittance' in wired(*OBSERVED, *DRIVER, *given)
