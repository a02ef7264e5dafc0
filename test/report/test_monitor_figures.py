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


def test_what_belongs_to_all_joints_has_the_colour_of_none_and_gaps_are_explained() -> None:
    time = np.arange(1.0, 4.0)
    share = np.array([0.5, np.nan, 2.0])
    curves = MonitorCurves('force_difference', 'N m', ('a',), time, share, np.ones((3, 1)))
    above, below = draw_residual(curves, 'run').axes
    assert above.get_title(loc='right') == 'gaps: not judged'
    assert above.lines[0].get_color() not in [line.get_color() for line in below.lines]
    judged = MonitorCurves('force_difference', 'N m', ('a',), time, np.ones(3), np.ones((3, 1)))
    assert draw_residual(judged, 'run').axes[0].get_title(loc='right') == ''
