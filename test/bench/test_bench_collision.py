"""The study's parts: seeded, the same on any number of cores, honest about what it counts."""

from __future__ import annotations

import json
from math import inf
from pathlib import Path

import msgspec
import numpy as np
import pinocchio as pin
import pytest

from simloop_bench import collision
from simloop_bench.collision_detection import (
    FACTORS,
    Found,
    FreeResult,
    TrialResult,
    calibrated,
    collide,
    monitor_free,
    monitor_trial,
)
from simloop_bench.collision_robot import StudyRobot, loaded
from simloop_bench.collision_trials import CLOSING, LEAD, SLIDING, TIP_SPEED, TrialMaker
from simloop_bench.workers import Workers
from simloop_ros.calibration.calibrate import LEAST_DURATION
from simloop_ros.collision.build import KINDS
from simloop_ros.collision.calibration import model_hash
from simloop_ros.plants.spring_contact import point_jacobian

H = 1.0 / 250.0


@pytest.fixture(scope='module')
def robot():
    return StudyRobot(H)


@pytest.fixture(scope='module')
def model(robot):
    return robot.model


@pytest.fixture(scope='module')
def maker(model):
    return TrialMaker(model)


@pytest.fixture(scope='module')
def slow():
    """Return a robot whose calibration has the fewest steps."""
    return StudyRobot(1.0 / 100.0)


@pytest.fixture(scope='module')
def calibration(slow):
    return calibrated(slow, LEAST_DURATION, seed=1)


@pytest.mark.parametrize('seed', range(5))
def test_a_collision_is_one(maker, model, seed):
    """The point of the link reaches the obstacle when it should, and from outside."""
    trial = maker.draw(H, seed)
    data, frame = model.pin_model.createData(), model.frame(trial.spring.link)
    depths = [
        float(trial.spring.direction @ (place - trial.spring.origin))
        for q in trial.positions
        for _, place in [point_jacobian(model.pin_model, data, q, frame, trial.spring.point)]
    ]
    lead = round(LEAD / H)
    assert max(depths[: lead - 1]) <= 1e-6
    assert max(depths[lead : lead + 10]) > 0.0
    assert TIP_SPEED[0] <= trial.tip_speed <= TIP_SPEED[1]
    assert trial.closing_speed >= CLOSING
    assert np.linalg.norm(trial.spring.direction) == pytest.approx(1.0)
    assert 1e3 <= trial.spring.stiffness <= 1e5
    assert SLIDING < 1.0


def test_the_same_seed_is_the_same_collision(maker, model, robot):
    one, other = (collide(robot, model, maker.draw(H, 3), seed=3) for _ in range(2))
    np.testing.assert_array_equal(one[1], other[1])
    np.testing.assert_array_equal(one[0][-1].measured, other[0][-1].measured)
    assert one[1].max() > 1.0


def test_the_payload_is_at_the_tips(model):
    heavier = loaded(model.with_mass_bias(1e-12), 0.5)
    masses = [
        np.array([joint.mass for joint in some.pin_model.inertias]) for some in (model, heavier)
    ]
    added = masses[1] - masses[0]
    assert added.sum() == pytest.approx(2 * 0.5)
    assert np.flatnonzero(added > 0.1).tolist() == [7, 14]


def test_the_number_of_workers_does_not_matter(slow, calibration):
    alone = monitor_trial(slow, calibration, 3)
    with Workers(2) as workers:
        results = workers.run(monitor_trial, 2 * [(slow, calibration, 3)], lambda _: None)
    # As JSON: a place that was not named is NaN, which equals nothing.
    assert msgspec.json.encode(results) == msgspec.json.encode([alone, alone])


def test_free_motion_counts_alarms_that_fall_with_the_threshold(slow, calibration):
    free = monitor_free(slow, calibration, 10.0, 5)
    for kind in KINDS:
        assert len(free.alarms[kind]) == len(FACTORS)
        assert np.all(np.diff(free.alarms[kind]) <= 0)
        assert free.alarms[kind][0] > 0  # a fifth of its threshold is passed all the time
        assert free.own[kind] == 0


def found(delay: float, **changes) -> Found:
    facts = {
        'force': 5.0,
        'early': False,
        'link': True,
        'near': True,
        'last_joint': False,
        'place': 0.01,
        'kind': 'impact',
        'delays': [delay] * len(FACTORS),
    }
    return Found(delay=delay, **{**facts, **changes})


def trial(own: Found, noticed: float = 0.01, hurts: bool = True, depth: int = 5) -> TrialResult:
    return TrialResult(
        seed=0,
        link='link',
        depth=depth,
        stiffness=1e4,
        tip_speed=0.5,
        closing_speed=0.5,
        touched=True,
        noticed=noticed,
        hurts=hurts,
        peak=50.0,
        found=dict.fromkeys(KINDS, own),
    )


def test_what_is_missed_is_not_left_out(robot):
    """Of four contacts one is missed, one found before 10 N; two others do not count."""
    free = FreeResult(3600.0, dict.fromkeys(KINDS, [0] * len(FACTORS)), dict.fromkeys(KINDS, 2))
    trials = [
        trial(found(0.012)),
        trial(found(0.004)),
        trial(found(0.030, link=False)),
        trial(found(inf, link=False)),
        trial(found(0.5), hurts=False),
        trial(found(0.5, early=True), depth=2),
    ]
    facts = collision.summary(collision.Study(robot, [free], trials), KINDS[0])
    assert facts['contacts'] == 4
    assert facts['detected_share'] == pytest.approx(3 / 4)
    assert facts['delay_median_ms'] == pytest.approx(2.0)
    assert facts['delay_p95_ms'] == inf
    assert facts['right_link_share'] == pytest.approx(2 / 3)
    assert facts['false_alarms'] == 3.0
    assert facts['false_alarms_per_hour'] == pytest.approx(2.0)


@pytest.mark.long
def test_figures_have_their_fixed_names(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    from simloop_ros.cli.main import main

    path = tmp_path / 'new' / 'bench.json'
    assert main(['bench', 'collision', '--quick', '--json', str(path)]) in (0, 1)
    content = json.loads(path.read_text())
    assert {
        'false_alarms',
        'detected_share',
        'delay_median_ms',
        'delay_p95_ms',
        'right_link_share',
    } <= set(content['figures'])
    assert [row['monitor'] for row in content['rows'] if row['best']] == ['disturbance_observer']
    assert {file.name for file in path.parent.iterdir()} == {
        'bench.json',
        'collision_roc.png',
        'collision_delay.png',
    }
    assert 'disturbance_observer' in capsys.readouterr().out


@pytest.mark.parametrize('mass_error', [0.0, 0.1])
def test_a_payload_is_unknown_to_the_model(mass_error):
    robot = StudyRobot(1.0 / 500.0, mass_error, payload=0.5)
    model = robot.model
    before = model_hash(model)
    robot.build(model, np.random.default_rng(0), None)
    assert model_hash(model) == before
    real = loaded(model, 0.5)
    mass = pin.computeTotalMass(real.pin_model) - pin.computeTotalMass(model.pin_model)
    assert mass == pytest.approx(0.5 * len(model.tips))
