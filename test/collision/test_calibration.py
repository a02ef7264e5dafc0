"""Calibrations: a file that comes back as it was, and is refused for anything else."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from simloop_ros.collision.build import KINDS, build_monitor
from simloop_ros.collision.calibration import Calibration, load_calibration, model_hash
from simloop_ros.collision.explanation import nothing_learnt
from simloop_ros.core.errors import ConfigError, UnknownNameError

H = 0.002


@pytest.fixture
def calibration(two_link):
    monitors = [build_monitor(kind, two_link, H) for kind in KINDS]
    return Calibration(
        robot=two_link.name,
        model=model_hash(two_link),
        joint_names=two_link.joint_names,
        period=H,
        false_alarms_per_hour=0.1,
        duration=100.0,
        thresholds={m.kind: ((((0.5,) * m.model.n,) * m.channels),) * m.regimes for m in monitors},
        jump=(1e-3, 1e-3),
        noise={m.kind: ((0.1, 0.1),) * m.regimes for m in monitors},
        explanation=nothing_learnt(two_link),
    )


def test_it_comes_back_as_it_was(calibration, two_link, tmp_path):
    path = tmp_path / 'calibration.yaml'
    path.write_bytes(msgspec.yaml.encode(calibration))
    assert load_calibration(path, two_link, H) == calibration


def test_a_file_with_an_old_name_is_accepted_with_a_warning(calibration, two_link, tmp_path):
    path = tmp_path / 'calibration.yaml'
    text = msgspec.yaml.encode(calibration).decode()
    assert text.count('disturbance_observer') == 2
    path.write_text(text.replace('disturbance_observer', 'matched_filter'))
    with pytest.warns(FutureWarning, match=f'{path}: matched_filter is now called'):
        assert load_calibration(path, two_link, H) == calibration


@pytest.mark.parametrize('kind', KINDS)
def test_every_monitor_takes_its_thresholds_from_it(kind, calibration, two_link, swing):
    """Half of what is asked for is left where the residual is half of the threshold."""
    monitor = build_monitor(kind, two_link, H, calibration)
    for row in swing(two_link, np.array([3.0, 1.0]), period=H, steps=600):
        reading = monitor.step(row)
    assert reading.margin == pytest.approx(1.0 - np.abs(monitor.residuals).max() / 0.5)


def test_it_is_refused_for_anything_else(calibration, two_link, shipped, tmp_path):
    path = tmp_path / 'calibration.yaml'
    path.write_bytes(msgspec.yaml.encode(calibration))
    for model, period, reason in (
        (two_link, 0.001, 'period'),
        (shipped('sphere'), H, 'robot'),
        (two_link.with_mass_bias(0.01), H, 'description'),
    ):
        with pytest.raises(ConfigError, match=reason):
            load_calibration(path, model, period)
        with pytest.raises(ConfigError, match=reason):
            build_monitor('disturbance_observer', model, period, calibration)


@pytest.mark.parametrize('text', ['', 'robot: yumi', '[1, 2]', 'a: [', 'period: 1'])
def test_what_is_no_calibration_is_refused_in_one_line(text, two_link, tmp_path):
    path = tmp_path / 'calibration.yaml'
    path.write_text(text)
    with pytest.raises(ConfigError, match='not a calibration') as caught:
        load_calibration(path, two_link, H)
    assert '\n' not in str(caught.value)
    with pytest.raises(ConfigError, match='cannot be read'):
        load_calibration(tmp_path / 'nowhere.yaml', two_link, H)


def test_the_error_of_the_torque_is_friction_and_noise(calibration):
    friction, noise = 0.3, 0.1
    n = len(calibration.joint_names)
    explanation = msgspec.structs.replace(calibration.explanation, coulomb=(-friction,) * n)
    known = msgspec.structs.replace(
        calibration, explanation=explanation, noise={'disturbance_observer': ((noise,) * n,)}
    )
    np.testing.assert_allclose(known.torque_error('disturbance_observer'), friction + 3.0 * noise)
    with pytest.raises(UnknownNameError):
        known.torque_error('nose')
