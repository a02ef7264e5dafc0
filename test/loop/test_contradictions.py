"""What does not go together with two hands, and what does."""

from __future__ import annotations

import pytest

from simloop_ros.errors import ConfigError
from simloop_ros.loop.contradictions import refuse_contradictions
from simloop_ros.loop.scenario import load_scenario, scenario_names

NEEDS = {'step': ('robot=two_link',)}


@pytest.mark.parametrize('name', scenario_names())
def test_no_shipped_scenario_contradicts_itself(name: str) -> None:
    refuse_contradictions(load_scenario(name, NEEDS.get(name, ())))


@pytest.mark.parametrize(
    ('name', 'setting', 'reason'),
    [
        ('yumi_hold', 'robot.tips=[tool0_l]', 'robot.tips: 1 for planner.kind bimanual'),
        ('yumi_hold', 'planner.move=[[0, 0, 1], [0, 0, 1]]', r'planner\.move is not for'),
        ('yumi_hold', 'plant.sensors=null', r'plant\.sensors: two hands feel nothing'),
        ('yumi_hold', 'admittance.source=truth', r'admittance\.source: .* set it to none'),
        ('yumi_hold', 'monitor.reaction=hold', r'monitor\.reaction: hold would part hands'),
        ('yumi_hold', 'monitor.push=comply', r'monitor\.push: comply would part hands'),
        ('yumi_step', 'bimanual.tasks=[{do: hold}]', r'bimanual\.tasks are not for .* online'),
        ('yumi_step', 'graphs=[carried_object]', 'graphs: carried_object is of two hands'),
    ],
)
def test_each_contradiction_is_refused(name: str, setting: str, reason: str) -> None:
    with pytest.raises(ConfigError, match=reason):
        refuse_contradictions(load_scenario(name, [setting]))


@pytest.mark.parametrize('setting', ['monitor.reaction=stop', 'monitor.push=none'])
def test_hands_may_be_stopped(setting: str) -> None:
    refuse_contradictions(load_scenario('yumi_hold', [setting]))


def test_a_real_robot_has_sensors_of_its_own() -> None:
    scenario = load_scenario('yumi_hold', ['plant.sensors=null'])
    refuse_contradictions(scenario, simulated=False)
