"""The study of hand guiding: its numbers, and the pieces that they are made of."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from simloop_bench.exact_admittance import exact_error
from simloop_bench.guiding import (
    DELAYS,
    STIFFNESSES,
    experiment_figures,
    force_bars,
    force_figures,
    map_cells,
    stability_figures,
    stability_panels,
)
from simloop_bench.guiding_experiment import GuidedMotion, drift, push_elbow
from simloop_bench.guiding_figures import Course, draw_experiment, draw_forces, draw_stability
from simloop_bench.guiding_force import DIRECTIONS, Pull, pull
from simloop_bench.guiding_run import GuidedRun, lead
from simloop_bench.guiding_stability import Cell, stable
from simloop_bench.guiding_step import bump, step_costs
from simloop_bench.torque_error import torque_error_shares
from simloop_ros.robot.fit_robot import load_fit_robot
from simloop_ros.scenario.loading import load_scenario
from simloop_ros.scenario.robot_files import robot_config

PERIOD = 0.002


def guided(angle: float, energy: float, back: float) -> GuidedMotion:
    """Return an experiment in which joint 0 goes to an angle along a ramp."""
    way = np.linspace(0.0, angle, 50)[:, None]
    rest = np.zeros_like(way)
    hand = np.zeros((50, 1, 3))
    run = GuidedRun(PERIOD, way, rest, rest, rest, hand, hand, True)
    return GuidedMotion(run, 0, 0.0, 0.05, angle, angle, energy, back, 0.0)


def test_a_step_is_the_exponential_and_parameters_change_without_a_bump() -> None:
    error = exact_error(200, 1)
    assert max(error.deflection, error.velocity) < 1e-12
    found = bump(20, 1)
    assert found.position < 1e-15
    assert found.velocity < 1e-12
    assert set(step_costs(True, lambda _: None)) == {
        'step_us',
        'changing_us',
        'guidance_us',
        'touched_us',
    }


def test_energy_is_torque_times_way() -> None:
    ramp = np.linspace(0.0, 1.0, 100)[:, None]
    speed = np.diff(ramp, axis=0, prepend=0.0) / PERIOD
    hand = np.zeros((100, 1, 3))
    run = GuidedRun(PERIOD, ramp, speed, np.full((100, 1), 3.0), ramp, hand, hand, True)
    assert run.energy[-1] == pytest.approx(3.0)


def test_figures_of_the_experiment() -> None:
    cases = dict.fromkeys(
        (
            'observer',
            'truth',
            'real, observer',
            'real, truth',
            'rigid joints',
            'flexible joints',
        ),
        guided(1.5, 2.0, 6.0),
    )
    cases |= {
        'adapted': guided(1.5, 2.0, 6.0),
        'constant': guided(1.5, 8.0, 4.0),
        'takes positions': guided(1.5, 2.1, 6.0),
    }
    figures = experiment_figures(cases)
    assert figures['energy_ratio'] == 0.25
    assert figures['return_ratio'] == 1.5
    assert figures['surrogate_energy_difference'] == pytest.approx(0.05)
    assert figures['observer_path_rms_deg'] == figures['surrogate_difference'] == 0.0


def test_a_hand_leads_the_tip_and_its_force_is_what_it_feels() -> None:
    found = pull('lwr', False, DIRECTIONS[0])
    assert found.completed
    assert 0.5 < found.force <= found.peak < 20.0
    figures = force_figures({'lwr, exact': [found, Pull(found.direction, 9.0, 9.0, True)]})
    assert figures['lwr_force_largest_n'] == 9.0


@pytest.mark.parametrize(('robot', 'scenario'), [('lwr', 'lwr_tcp'), ('yumi', 'yumi_guiding')])
def test_a_real_robot_stays_where_it_is_while_nobody_touches_it(robot: str, scenario: str) -> None:
    assert np.rad2deg(drift(robot, scenario, 2.0).away.max()) < 0.01


def test_the_tip_gets_lighter_and_stays_where_it_is() -> None:
    elbow = push_elbow()
    held = elbow.time <= elbow.release
    assert elbow.mass[held][-1] < 0.85 * elbow.mass[0]
    assert elbow.tip.max() < 1e-4
    assert elbow.hinted > 0.8


def test_a_soft_hand_is_stable_and_a_stiff_late_one_is_not() -> None:
    assert stable(Cell(100.0, 0, True, 'observer'))
    assert not stable(Cell(5000.0, 5, True, 'observer', damped=False))


def test_the_map_counts_human_arms_only() -> None:
    cells = map_cells(False)
    assert len(cells) == 10 * len(STIFFNESSES) * len(DELAYS)
    verdicts = [cell.stiffness <= 500.0 for cell in cells]
    figures = stability_figures(cells, verdicts)
    # 1000 N/m at 0, 2 and 4 ms, constant and adapted, with observer and truth; YuMi, observer.
    assert figures == {'unstable_human': 18.0, 'unstable_undamped': 12.0}
    assert not stability_panels(cells, verdicts)[0].stable[-1].any()


def test_torque_error_is_that_of_001() -> None:
    shares = torque_error_shares(load_fit_robot(robot_config('lwr')))
    assert max(shares.values()) < 0.01


def test_a_run_that_diverges_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    scenario = load_scenario('lwr_tcp', ['duration=0.1'])
    assert lead(scenario).completed
    from simloop_ros.core.errors import DivergenceError
    from simloop_ros.loop.loop import Loop

    def diverge(*_: object) -> None:
        raise DivergenceError('it does', 0, 'joint')

    monkeypatch.setattr(Loop, 'step', diverge)
    assert not lead(scenario).completed


def test_the_pictures_are_drawn(tmp_path: Path) -> None:
    time = np.linspace(0.0, 1.0, 50)
    course = Course(
        title='some',
        time=time,
        position=time,
        torque=time,
        energy=time,
        grip=0.1,
        release=0.5,
    )
    draw_experiment([course, course], tmp_path / 'experiment.png')
    bars = force_bars({'lwr, exact': [Pull(np.array(way), 2.0, 3.0, True) for way in DIRECTIONS]})
    draw_forces(bars, tmp_path / 'force.png')
    cells = map_cells(True)
    draw_stability(stability_panels(cells, [True] * len(cells)), tmp_path / 'stability.png')
    for path in tmp_path.iterdir():
        assert path.read_bytes().startswith(b'\x89PNG')
