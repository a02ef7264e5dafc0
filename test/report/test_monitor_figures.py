"""The figure of what the collision monitor saw."""

from __future__ import annotations

import numpy as np
import pytest

from simloop_ros.report.monitor_figures import MonitorCurves, draw_residual


@pytest.mark.parametrize(
    ('unit', 'expected'),
    [('N m', 'torque'), ('N', 'force'), ('N or N m', 'force or torque')],
)
def test_what_acts_on_a_joint_is_called_after_its_unit(unit: str, expected: str) -> None:
    time = np.linspace(0.0, 1.0, 11)
    curves = MonitorCurves('momentum_observer', unit, ('slide',), time, time, time[:, None])
    figure = draw_residual(curves, 'run')
    assert figure.axes[1].get_ylabel() == f'external {expected} [{unit}]'
    assert any(text.get_text().endswith(f'estimated {expected}') for text in figure.texts)
