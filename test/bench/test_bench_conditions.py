"""Robots that change after their calibration: what the study simulates is what it says."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from simloop_bench.changing_friction import ChangingFriction
from simloop_bench.collision_conditions import DEVELOPMENT_SEED, SEED, bench_conditions
from simloop_bench.condition_robot import CONDITIONS, build_loop, carrying, load
from simloop_ros.core.errors import UnknownNameError
from simloop_ros.core.values import JointState
from simloop_ros.plants.pinocchio_plant import PinocchioPlant

H = 1e-3


@pytest.mark.parametrize('wrong', [{'robot': 'nobody'}, {'only': 'nothing'}])
def test_what_there_is_not_is_refused(wrong) -> None:
    with pytest.raises(UnknownNameError):
        bench_conditions(True, lambda _what, _share: None, **wrong)


def test_nothing_is_judged_on_what_it_was_tuned_on() -> None:
    assert abs(SEED - DEVELOPMENT_SEED) > 10_000


def test_friction_grows_on_its_ramp_and_with_it_what_a_sliding_robot_loses() -> None:
    """A robot in weightlessness that coasts: its momentum falls by the friction alone."""
    model = load('lwr')
    model.pin_model.gravity.setZero()
    losses = []
    for scale in (1.0, 1.5):
        plant = ChangingFriction(
            PinocchioPlant(model, H),
            model,
            H,
            np.full(model.n, 0.5),
            np.zeros(model.n),
            scale=scale,
            ramp=0.0,
            stribeck=0.0,
        )
        v = np.zeros(model.n)
        v[0] = 1.0
        plant.start(JointState(model.home, v))
        plant.step(np.zeros(model.n))
        losses.append(v[0] - plant.truth.velocity[0])
    assert losses[1] > 1.2 * losses[0] > 0.0


def test_a_payload_is_at_the_first_tip_alone() -> None:
    model = load('yumi')
    loaded = carrying(model, 0.5)
    before, after = (
        np.array([body.mass for body in each.pin_model.inertias]) for each in (model, loaded)
    )
    changed = np.flatnonzero(after != before)
    assert changed.tolist() == [model.pin_model.frames[model.tip_frames[0]].parentJoint]
    assert (after - before).sum() == pytest.approx(0.5)


def test_commands_that_come_later_are_those_of_the_period_before() -> None:
    """Two steps of a late robot end where one step of a prompt one ends, from the same hold."""
    model = load('lwr')
    late = replace(CONDITIONS[0], delay=1)
    prompt, slow = (
        build_loop(model, condition, H, np.random.default_rng(0)).plant
        for condition in (CONDITIONS[0], late)
    )
    first, second = np.random.default_rng(1).uniform(-60.0, 60.0, (2, model.n))
    for plant in (prompt, slow):
        plant.start(JointState(model.home, np.zeros(model.n)))
    slow.step(first)
    slow.step(second)
    prompt.start(JointState(model.home, np.zeros(model.n)))
    prompt.step(first)
    np.testing.assert_allclose(slow.truth.velocity, prompt.truth.velocity, atol=0.02)
    assert np.abs(prompt.truth.velocity).max() > 0.05
