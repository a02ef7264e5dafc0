"""The figures of ``simloop bench view`` have their names; no test asserts a time."""

from __future__ import annotations

import pytest

from simloop_bench import view
from simloop_bench.timing import best_of
from simloop_ros.scenario.loading import load_scenario

pytest.importorskip('viser')


def test_costs_are_of_the_loop_and_of_the_view():
    told = []
    costs = view._costs(
        load_scenario('sphere_step', ()), 1, 20, lambda _, share: told.append(share)
    )
    assert set(costs) == {view.BARE, view.RECORDED, view.VIEW}
    assert told[-1] == 1.0


def test_figures_without_a_browser(monkeypatch):
    monkeypatch.setattr(view, 'missing', lambda: 'a browser')
    monkeypatch.setattr(view, 'SCENARIO', 'sphere_step')
    said = []
    figures, row = view._run(0.3, lambda what, _: said.append(what))
    assert set(figures) == {'real_time_factor', 'late_share'}
    assert any('no browser' in what for what in said)
    assert 'no browser' in row['what']


def test_every_figure_has_its_limit():
    assert set(view.LIMITS) == {
        'real_time_factor',
        'late_share',
        'frames_per_s',
        'cost_share_unattached',
    }


def test_cost_is_of_the_given_clock():
    ticks = iter(range(100))
    assert best_of({'a': lambda: 5}, 3, clock=lambda: float(next(ticks))) == {'a': 0.2}
