"""The robot's own weight: its worst posture, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from simloop_ros.core.errors import GoalError
from simloop_ros.robot.fit_robot import load_fit_robot
from simloop_ros.robot.weight import (
    sampled_postures,
    weight_efforts,
    weight_notes,
    worst_weights,
)
from simloop_ros.scenario.robot_files import robot_config

ROUNDING = 1e-9
"""Relative difference of sums in another order."""


def test_the_worst_of_two_links_is_known() -> None:
    """Both links of 1 kg and 1 m stretched out level: (0.5 + 1.5) m g and 0.5 m g."""
    model = load_fit_robot(robot_config('two_link'))
    assert worst_weights(model) == pytest.approx([2.0 * 9.82, 0.5 * 9.82], rel=ROUNDING)


@pytest.mark.parametrize('name', ['lwr', 'yumi'])
def test_no_random_posture_is_worse(name: str) -> None:
    model = load_fit_robot(robot_config(name))
    random = np.random.default_rng(1).uniform(model.lower, model.upper, (2000, model.n))
    found = np.abs([weight_efforts(model, q) for q in random]).max(axis=0)
    assert (found <= worst_weights(model) * (1.0 + ROUNDING) + ROUNDING).all()


def test_samples_are_within_the_ranges_and_fill_them() -> None:
    model = load_fit_robot(robot_config('yumi'))
    samples = sampled_postures(model, 200)
    shares = (samples - model.lower) / (model.upper - model.lower)
    assert shares.min() >= 0.0
    assert shares.max() <= 1.0
    assert np.histogram(shares[:, 0], 10, (0.0, 1.0))[0].min() >= 15
    assert (samples == sampled_postures(model, 200)).all()


@pytest.mark.parametrize(('limit', 'notes'), [(25.0, 0), (20.0, 1)])
def test_a_note_where_little_is_left(limit: float, notes: int) -> None:
    """Level, the first of two links bears 19.64 N m."""
    model = load_fit_robot(robot_config('two_link'))
    model.effort_limit[0] = limit
    assert len(weight_notes(model, np.zeros((1, 2)), 'here')) == notes


def test_the_worst_posture_on_the_way_counts() -> None:
    model = load_fit_robot(robot_config('two_link'))
    model.effort_limit[0] = 19.0
    upright = np.array([np.pi / 2, 0.0])
    assert weight_notes(model, upright[None], 'here') == ()
    with pytest.raises(GoalError, match=r'joint1 cannot bear .* on the way: it needs 19.64 N m'):
        weight_notes(model, np.array([upright, np.zeros(2)]), 'on the way')
