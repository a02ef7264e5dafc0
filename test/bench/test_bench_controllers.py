"""The comparison of controllers: its measures, its figures, and a small one as a whole."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pytest

from simloop_bench.controller_motions import CONTROLLERS, MOTIONS, control_settings
from simloop_bench.controller_run import (
    DIVERGED,
    REST,
    Case,
    Outcome,
    outcome,
    restless,
    run_case,
    tip_paths,
)
from simloop_bench.controllers import Size, bench_controllers, claim_figures, row
from simloop_bench.ripple import WINDOW, torque_ripple
from simloop_ros.record.columns import COLUMNS
from simloop_ros.robot.model import RobotModel
from simloop_ros.scenario.loading import load_scenario

H = 1.0 / 200.0
CASE = Case('lwr_fast', 'measured', H, 0.0, 0.0, False)


def test_ripple_is_what_the_mean_leaves() -> None:
    """White noise keeps all but its share in the mean; a fast sine keeps its rms."""
    rng = np.random.default_rng(1)
    steps, sigma = 20_000, 0.3
    width = 2 * round(0.5 * WINDOW / H) + 1
    noise = torque_ripple(rng.normal(scale=sigma, size=(steps, 3)), H)
    assert noise == pytest.approx(sigma * np.sqrt(1.0 - 1.0 / width), rel=0.02)
    alternating = np.tile([[2.0], [-2.0]], (500, 1))
    assert torque_ripple(alternating, H) == pytest.approx(2.0 * (1.0 + 1.0 / width))


@pytest.mark.parametrize('period', [1.0 / 200.0, 1.0 / 2000.0])
def test_what_changes_slowly_is_no_ripple(period: float) -> None:
    time = period * np.arange(round(2.0 / period))
    ramp = np.column_stack((3.0 + 5.0 * time, -time))
    assert torque_ripple(ramp, period) < 1e-9
    slow = np.sin(2.0 * np.pi * time)[:, None]
    assert torque_ripple(slow, period) < 0.01


def test_an_effort_without_a_whole_window_has_no_ripple() -> None:
    assert torque_ripple(np.ones((3, 2)), H) == 0.0


@pytest.mark.parametrize('motion', MOTIONS)
def test_every_motion_is_planned_beforehand(motion: str) -> None:
    """On-line, a controller that lags would be given a path that lags."""
    entry = MOTIONS[motion]
    for controller in CONTROLLERS:
        scenario = load_scenario(
            entry.scenario, (*entry.settings, *control_settings(controller, H))
        )
        assert scenario.planner.kind != 'online'
        wanted = {'measured': 'deadbeat', 'observer': 'deadbeat'}.get(
            controller, controller.removesuffix('_observer')
        )
        assert scenario.control.law == wanted


def test_the_path_of_a_tip(two_link: RobotModel) -> None:
    """Two links of 1 m in the x-z plane."""
    q = np.array([[0.0, 0.0], [0.3, 0.4]])
    paths = tip_paths(two_link, q)
    np.testing.assert_allclose(paths, [two_link.tip_positions(one) for one in q], atol=1e-15)
    np.testing.assert_allclose(np.linalg.norm(paths[0], axis=1), 2.0, rtol=1e-12)


def log_of(robot: RobotModel, error: np.ndarray) -> np.ndarray:
    """Return a log in which the first joint is off by so much."""
    rows = np.zeros((len(error), len(COLUMNS), robot.n))
    for name in ('desired_position', 'true_position'):
        rows[:, COLUMNS.index(name)] = robot.home
    rows[:, COLUMNS.index('true_position'), 0] += error
    rows[:, COLUMNS.index('effort')] = 0.5 * robot.effort_limit
    return rows


def test_measures_of_a_known_log(sphere: RobotModel) -> None:
    """A point mass on one vertical joint: the tip is the joint."""
    error = np.full(400, 1e-3)
    error[:50], error[200] = 5e-3, 2e-3
    found = outcome(sphere, log_of(sphere, error), H, 50, 0.25, False)
    assert found.start_max == pytest.approx(5e-3)
    assert found.tip_max == pytest.approx(2e-3)
    assert found.tip_rms == pytest.approx(np.sqrt((349e-6 + 4e-6) / 350))
    assert (found.effort, found.limited, found.unstable) == (pytest.approx(0.5), 0.25, False)
    assert found.ripple == pytest.approx(0.0, abs=1e-12)


def test_how_much_a_robot_still_moves(sphere: RobotModel) -> None:
    """A swing of the last half of the rest; a place that is wrong is no motion."""
    time = H * np.arange(400)
    swing = 2e-3 * np.sin(2.0 * np.pi * time / 0.05)
    assert restless(sphere, log_of(sphere, swing), H) == pytest.approx(2e-3 / np.sqrt(2.0))
    assert restless(sphere, log_of(sphere, np.full(400, 0.1)), H) < 1e-12
    earlier = np.where(time < time[-1] - 0.5 * REST, swing, 0.0)
    assert restless(sphere, log_of(sphere, earlier), H) < 1e-4


def test_the_error_of_deadbeat_falls_with_the_square_of_the_period() -> None:
    """Without a disturbance there is none; a heavier robot is off by ``e h^2``."""
    assert run_case(CASE).tip_max < 1e-9
    heavy = msgspec.structs.replace(CASE, mass_error=0.1)
    coarse = run_case(heavy).tip_rms
    fine = run_case(msgspec.structs.replace(heavy, period=H / 2.0)).tip_rms
    assert coarse / fine == pytest.approx(4.0, rel=0.03)


def test_a_robot_that_never_comes_to_rest_is_unstable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Gains beyond what a late measurement bears: joints go from limit to limit for ever."""
    wild = ('control.law=computed_torque', 'control.natural_frequency=150', 'plant.delay=1')
    monkeypatch.setattr('simloop_bench.controller_run.control_settings', lambda *_: wild)
    found = run_case(msgspec.structs.replace(CASE, mass_error=0.1))
    assert found.unstable
    assert row(CASE, found)['unstable'] == 'unstable'
    still = row(CASE, DIVERGED)
    assert (still['unstable'], still['tip_rms_um']) == ('unstable', None)


def test_the_figures_are_the_worse_of_with_and_without_friction() -> None:
    outcomes = {}
    for friction, own in ((False, 0.5), (True, 1.5)):
        for name in CONTROLLERS:
            error = own if name == 'observer' else 1.0 + CONTROLLERS.index(name)
            ripple = {'observer': 0.8, 'computed_torque': 2.0}.get(name, 0.4)
            case = Case('yumi_step', name, H, 0.1, 1e-5, friction)
            outcomes[case] = Outcome(error, error, 0.0, ripple, 0.1, 0.0, False)
    figures = claim_figures(outcomes)
    assert figures == {
        'observer_error_over_best_yumi_step_200': 1.5,
        'observer_ripple_over_computed_torque_yumi_step_200': pytest.approx(0.4),
        'observer_ripple_over_filtered_yumi_step_200': pytest.approx(2.0),
    }


def test_a_small_comparison_as_a_whole(tmp_path: Path) -> None:
    """All controllers on one motion; without noise simulation in the loop is far ahead."""
    size = Size(('lwr_fast',), (H,), (0.1,), (1e-5,), (False,))
    seen: list[float] = []
    result = bench_controllers(True, lambda _, share: seen.append(share), 1, size)
    assert seen[-1] == 1.0
    errors = {line['controller']: line['tip_rms_um'] for line in result.rows}
    assert tuple(errors) == CONTROLLERS
    assert errors['observer'] < 0.2 * errors['computed_torque'] < errors['pd_gravity']
    assert set(result.limits) <= set(result.figures)
    assert result.figures['observer_ripple_over_computed_torque_lwr_fast_200'] < 1.0
    for name, draw in result.pictures.items():
        draw(tmp_path / f'{name}.png')
        assert (tmp_path / f'{name}.png').read_bytes().startswith(b'\x89PNG')
