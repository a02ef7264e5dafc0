"""The figures that a scenario draws where it names none: those that fit its kind of motion."""

from __future__ import annotations

import pytest

from simloop_ros.scenario.contradictions import refuse_graphs
from simloop_ros.scenario.loading import load_scenario, scenario_names
from simloop_ros.scenario.scenario import SIX_GRAPHS

FIRST = {
    'lwr_guiding': 'external_torque',
    'irb120_rectangle': 'tip_path_3d',
    'yumi_collision': 'residual',
    'workerbot_carry': 'carried_object',
    'workerbot_hold': 'internal_force',
}


@pytest.mark.parametrize('name', FIRST)
def test_the_first_figure_fits_the_scenario(name: str) -> None:
    assert load_scenario(name).drawn_graphs[0] == FIRST[name]


def test_given_ones_are_drawn_and_none_too() -> None:
    assert load_scenario('lwr_guiding', ['graphs=[path_difference]']).drawn_graphs == (
        'path_difference',
    )
    assert load_scenario('lwr_guiding', ['graphs=[]']).drawn_graphs == ()
    assert load_scenario('sphere_step').drawn_graphs == SIX_GRAPHS


@pytest.mark.parametrize('name', sorted(set(scenario_names()) - {'step'}))
def test_the_run_has_what_they_show(name: str) -> None:
    refuse_graphs(load_scenario(name))


def test_without_tips_there_is_no_path_of_them() -> None:
    settings = ['robot.tips=[]', 'admittance.isotropy=1']
    assert 'tip_path_3d' not in load_scenario('lwr_tcp', settings).drawn_graphs
