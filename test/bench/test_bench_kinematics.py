"""The benchmark measures what it says; no test asserts a time."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

from simloop_bench import kinematics
from simloop_bench.kinematics_search import count_within, search_all
from simloop_ros.cli.main import main
from simloop_ros.robot.chain import chain_to
from simloop_ros.robot.model import RobotModel


def test_figures(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    path = tmp_path / 'bench.json'
    assert main(['bench', 'kinematics', '--quick', '--json', str(path)]) in (
        0,
        1,
    )  # by the machine
    content = json.loads(path.read_text())
    figures = content['figures']
    assert set(kinematics.LIMITS) <= set(figures)
    for name in ('round_trip_m', 'round_trip_rad'):
        assert 0.0 < figures[name] <= 1e-9
    assert figures['poses_without_solution'] == 0.0
    assert figures['other_number_of_solutions'] == 0.0
    assert {row['postures'] for row in content['rows']} == set(kinematics.POSTURES)
    assert all(row['solutions'] > 0 for row in content['rows'])
    shown = capsys.readouterr().out
    assert 'e-1' in shown  # small errors are not shown as zero


@pytest.mark.parametrize('name', [name for name in kinematics.POSTURES if 'singular' in name])
def test_singular_postures_are_singular(irb120: RobotModel, name: str) -> None:
    """The Jacobian loses a rank, or nearly."""
    make, _ = kinematics.POSTURES[name]
    arm = kinematics.inverse_kinematics(irb120, 'tool0').arm
    data, frame = irb120.pin_model.createData(), irb120.frame('tool0')
    for q in make(irb120, arm, 20, np.random.default_rng(1)):
        jacobian = pin.computeFrameJacobian(irb120.pin_model, data, q, frame)
        smallest = np.linalg.svd(jacobian, compute_uv=False)[-1]
        assert smallest < (2e-2 if name.startswith('near') else 1e-14)


def test_the_search_finds_the_posture_it_is_asked_for(irb120: RobotModel) -> None:
    q = np.array([0.3, 0.2, -0.4, 0.5, 0.7, 0.6])
    pose = irb120.frame_poses(q, ['tool0'])[0].homogeneous
    starts = np.random.default_rng(2).uniform(-np.pi, np.pi, (200, 6))
    found = search_all(chain_to(irb120, 'tool0'), pose, starts)
    assert len(found) == 8
    assert np.abs(found - q).max(axis=1).min() < 1e-8
    for solution in found:
        (there,) = irb120.frame_poses(solution, ['tool0'])
        np.testing.assert_allclose(there.homogeneous, pose, atol=1e-9)


def test_turns_are_counted_one_by_one() -> None:
    solutions = np.array([[0.0, 0.5], [3.0, 0.5]])
    assert count_within(solutions, np.array([-7.0, 0.0]), np.array([7.0, 1.0])) == 3 + 2
    assert count_within(solutions, np.array([-7.0, 0.6]), np.array([7.0, 1.0])) == 0
