"""How far the tip was from its path: against numbers that are known otherwise."""

from __future__ import annotations

from pathlib import Path
import time
from typing import Any

import numpy as np
import pytest

from simloop_ros.assembly.assemble import assemble
from simloop_ros.assembly.run import run
from simloop_ros.record.mcap import read_mcap
from simloop_ros.scenario.loading import load_scenario

ASKED = {1 / 200: 1e-4, 1 / 2000: 1e-6}
"""Period -> tip error at most [m]."""


def summary_of(folder: Path, *settings: str, name: str = 'irb120_rectangle') -> dict[str, Any]:
    return run(assemble(load_scenario(name, settings)), folder, time.perf_counter)


@pytest.mark.parametrize(
    ('period', 'profile'),
    [
        (1 / 200, 'quintic'),
        (1 / 200, 'trapezoidal'),
        (1 / 2000, 'quintic'),
        pytest.param(1 / 2000, 'trapezoidal', marks=pytest.mark.long),
    ],
)
def test_the_rectangle_without_model_error(tmp_path: Path, period: float, profile: str) -> None:
    """At and between samples, against the ideal rectangle."""
    summary = summary_of(tmp_path, f'period={period}', f'planner.profile={profile}')
    assert summary['steps'] == round(20.0 / period)
    assert 0.0 < summary['tip_error_rms'] < summary['tip_error_max'] < ASKED[period]
    # Half a step between two samples the tip cuts its own curve: a h^2/8 at most, with the
    # largest accelerations of 002's 0.3 m in 5 s.
    largest = {'quintic': 10.0 / np.sqrt(3.0), 'trapezoidal': 16.0 / 3.0}[profile]
    cut = largest * 0.3 / 5.0**2 * period**2 / 8.0
    assert summary['tip_error_max'] == pytest.approx(cut, rel=0.5)
    assert summary['corners'] == [
        {'name': f'corner {i}', 'time': time} for i, time in ((2, 5), (3, 10), (4, 15), (1, 20))
    ]
    log = read_mcap(tmp_path / 'log.mcap')
    for corner in (5, 10, 15, 20):
        step = round(corner / period) - 1
        moving = np.abs(log.column('velocity')).max()
        at_corner = np.abs(log.column('velocity')[step]).max()
        rest = {'quintic': 20.0 * (period / 5.0) ** 2, 'trapezoidal': 10.0 * period / 5.0}
        assert at_corner < rest[profile] * moving


def test_a_sphere_that_lags_is_as_far_from_its_path_as_it_lags(tmp_path: Path) -> None:
    """The tip of the sphere is its joint, so at the samples the error is that of the joint."""
    settings = (
        'robot=sphere',
        'planner.kind=cartesian',
        'planner.corners=[[0, 0, 0.1]]',
        'planner.corners_from=start',
        'planner.duration=0.5',
        'plant.mass_bias=0.1',
        'rest=3',
    )
    summary = summary_of(tmp_path, *settings, name='step')
    log = read_mcap(tmp_path / 'log.mcap')
    apart = np.abs(log.column('true_position') - log.column('desired_position'))
    assert summary['tip_error_max'] >= apart.max() - 1e-12
    assert summary['tip_error_max'] == pytest.approx(apart.max(), rel=0.2)
    assert summary['tip_error_rms'] == pytest.approx(np.sqrt(np.mean(apart**2)), rel=0.1)


def test_only_a_cartesian_path_has_one(tmp_path: Path) -> None:
    summary = summary_of(tmp_path, 'duration=0.1', name='sphere_offline')
    assert 'tip_error_max' not in summary
    assert 'corners' not in summary
