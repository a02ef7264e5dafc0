"""What does not go together with two hands, and what does."""

from __future__ import annotations

from typing import get_args

import pytest

from simloop_ros.core.config_types import ReactionKind
from simloop_ros.core.errors import ConfigError
from simloop_ros.scenario.contradictions import refuse_contradictions, refuse_graphs
from simloop_ros.scenario.loading import load_scenario, scenario_names

NEEDS = {'step': ('robot=two_link',)}


@pytest.mark.parametrize('name', scenario_names())
def test_no_shipped_scenario_contradicts_itself(name: str) -> None:
    scenario = load_scenario(name, NEEDS.get(name, ()))
    refuse_contradictions(scenario)
    refuse_graphs(scenario)


@pytest.mark.parametrize(
    ('name', 'setting', 'reason'),
    [
        ('yumi_hold', 'robot.tips=[tool0_l]', 'robot.tips: 1 for planner.kind bimanual'),
        ('yumi_hold', 'plant.sensors=null', r'plant\.sensors: two hands need wrist sensors'),
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


@pytest.mark.parametrize(
    ('settings', 'reason'),
    [
        (['graphs=[external_torque]'], 'external_torque is of a robot that is guided'),
        (['graphs=[path_difference, tip_path_3d]', 'robot.tips=[]'], 'tip_path_3d is of the tips'),
        (['graphs=[hand_positions]'], 'hand_positions is of two hands'),
    ],
)
def test_figures_that_a_run_cannot_have_are_refused(settings: list[str], reason: str) -> None:
    with pytest.raises(ConfigError, match=f'graphs: {reason}.*; .* take one of force_comparison'):
        refuse_graphs(load_scenario('yumi_step', settings))


def test_a_figure_is_named_once() -> None:
    scenario = load_scenario('yumi_step', ['graphs=[path_difference, path_difference]'])
    with pytest.raises(ConfigError, match='graphs: path_difference is named twice; name it once'):
        refuse_graphs(scenario)


@pytest.mark.parametrize('setting', ['monitor.reaction=stop', 'monitor.push=none'])
def test_hands_may_be_stopped(setting: str) -> None:
    refuse_contradictions(load_scenario('yumi_hold', [setting]))


def test_a_real_robot_has_sensors_of_its_own() -> None:
    scenario = load_scenario('yumi_hold', ['plant.sensors=null'])
    refuse_contradictions(scenario, simulated=False)


@pytest.mark.parametrize('key', ['reaction', 'push'])
@pytest.mark.parametrize('kind', sorted({*get_args(ReactionKind)} - {'none', 'stop'}))
def test_no_reaction_parts_hands_that_hold_an_object(key: str, kind: str) -> None:
    with pytest.raises(ConfigError, match=rf'monitor\.{key}: {kind} would part hands'):
        refuse_contradictions(load_scenario('yumi_hold', [f'monitor.{key}={kind}']))
