"""The figures of 002: they show what was logged, of any robot."""

from __future__ import annotations

from pathlib import Path
import time

import numpy as np
import pytest

from simloop_ros.assembly.assemble import assemble
from simloop_ros.assembly.run import run
from simloop_ros.record.mcap import McapReader, read_mcap
from simloop_ros.report.drawing import Mark
from simloop_ros.report.joint_figures import JOINT_GRAPHS, draw_joints
from simloop_ros.report.series import series_of
from simloop_ros.report.tip_figures import TIP_GRAPHS, TipCurve, tip_curves
from simloop_ros.robot.fit_robot import load_fit_robot
from simloop_ros.robot.model import link_positions
from simloop_ros.robot.urdf import kinematic_tree
from simloop_ros.scenario.loading import load_scenario

SETTINGS = ('duration=0.3', 'plant.mass_bias=0.1')


@pytest.fixture(scope='module')
def log(tmp_path_factory: pytest.TempPathFactory) -> McapReader:
    folder: Path = tmp_path_factory.mktemp('run')
    run(assemble(load_scenario('yumi_offline', SETTINGS)), folder, time.perf_counter)
    return McapReader(folder / 'log.mcap')


def test_the_log_holds_the_robot(log: McapReader) -> None:
    model = load_fit_robot(load_scenario('yumi_offline').robot)
    assert log.description == model.urdf
    tree = kinematic_tree(log.description)
    assert tuple(tree.names)[1:] == model.joint_names


def test_curves_are_those_of_the_joints(log: McapReader) -> None:
    model = load_fit_robot(load_scenario('yumi_offline').robot)
    rows = read_mcap(log.path)
    curves = tip_curves(log, model.tips)
    assert tuple(curve.name for curve in curves) == model.tips
    for i, curve in enumerate(curves):
        for found, column in ((curve.desired, 'desired'), (curve.actual, 'true')):
            joints = rows.column(f'{column}_position')
            for row in (0, 17, -1):
                expected = model.tip_positions(joints[row])[i]
                np.testing.assert_allclose(found[row], expected, atol=1e-12)
    assert np.linalg.norm(curves[0].actual - curves[0].desired, axis=1).max() > 1e-6
    assert len(tip_curves(log, model.tips, points=10)[0].time) == 10
    assert tip_curves(log, ()) == ()


def test_link_positions_are_those_of_one_at_a_time() -> None:
    model = load_fit_robot(load_scenario('yumi_offline').robot)
    rng = np.random.default_rng(3)
    joints = model.lower + (model.upper - model.lower) * rng.random((20, model.n))
    found = link_positions(model.pin_model, model.tips[1], joints)
    for point, q in zip(found, joints, strict=True):
        np.testing.assert_allclose(point, model.tip_positions(q)[1], atol=1e-12)


def lines_of(graph: str, curve: TipCurve) -> list[np.ndarray]:
    figure = TIP_GRAPHS[graph]([curve], 'run', [Mark(0.5, 'corner 1')])
    (ax,) = figure.axes
    data = 'get_data_3d' if graph == 'tip_path_3d' else 'get_data'
    return [np.array(getattr(line, data)()).T for line in ax.lines[:2]]


def test_both_ways_are_drawn_as_they_are() -> None:
    t = np.linspace(0.0, 1.0, 30)
    flat = np.zeros_like(t)
    desired = np.stack((flat, np.cos(t), 2.0 * np.sin(t)), axis=1)
    actual = desired + np.array([0.0, 0.01, -0.02])
    curve = TipCurve('tip', t, desired, actual)
    for line, way in zip(lines_of('tip_path_3d', curve), (desired, actual), strict=True):
        np.testing.assert_allclose(line, way)
    # In the plane of the axes in which something happens: not x.
    for line, way in zip(lines_of('tip_path_plane', curve), (desired, actual), strict=True):
        np.testing.assert_allclose(line, way[:, 1:])


def test_a_tip_that_rests_is_left_out() -> None:
    """Of two arms of which one moves, only that one is shown, in its plane."""
    t = np.linspace(0.0, 1.0, 20)
    way = np.stack((np.cos(t), 0.0 * t - 5.0, np.sin(t)), axis=1)
    rest = np.full((20, 3), 7.0)
    curves = [TipCurve('left', t, rest, rest), TipCurve('right', t, way, way)]
    (ax,) = TIP_GRAPHS['tip_path_plane'](curves, 'run', []).axes
    assert len(ax.lines) == 2
    np.testing.assert_allclose(np.array(ax.lines[0].get_data()).T, way[:, [0, 2]])
    assert (ax.get_xlabel(), ax.get_ylabel()) == ('x [m]', 'z [m]')


@pytest.mark.parametrize('graph', TIP_GRAPHS)
def test_what_happened_at_one_place_has_one_label(graph: str) -> None:
    t = np.linspace(0.0, 1.0, 101)
    way = np.stack((np.clip(t - 0.5, 0.0, 1.0), 0.0 * t, 0.001 * t), axis=1)
    names = ('grasp', 'hold', 'move', 'hold', 'push', 'end')
    marks = [
        Mark(time, name) for time, name in zip((0.1, 0.2, 0.3, 0.4, 0.5, 1.0), names, strict=True)
    ]
    (ax,) = TIP_GRAPHS[graph]([TipCurve('tip', t, way, way)], 'run', marks).axes
    assert [text.get_text() for text in ax.texts] == ['grasp, hold, move,\npush', 'end']
    assert len(ax.lines) == 2 + len(marks)


@pytest.mark.parametrize('slope', [1.0, -1.0])
def test_a_label_does_not_hide_the_path(slope: float) -> None:
    t = np.linspace(0.0, 1.0, 401)
    way = np.stack((t, 0.0 * t, slope * t), axis=1)
    curve = TipCurve('tip', t, way, way)
    (ax,) = TIP_GRAPHS['tip_path_plane']([curve], 'run', [Mark(0.5, 'collision, push')]).axes
    (label,) = ax.texts
    box = label.get_window_extent()
    points = ax.transData.transform(way[:, [0, 2]])
    assert not any(box.contains(x, y) for x, y in points)


@pytest.mark.parametrize('value', [0.0, np.nan, 1e308])
@pytest.mark.parametrize('graph', TIP_GRAPHS)
def test_unusual_ways_are_drawn(tmp_path: Path, graph: str, value: float) -> None:
    way = np.full((5, 3), value)
    curve = TipCurve('tip_$x', np.arange(5.0), way, way)
    path = tmp_path / 'figure.png'
    TIP_GRAPHS[graph]([curve], 'a_$b', [Mark(2.0, 'push_$c')]).savefig(path)
    assert path.stat().st_size > 5000


@pytest.mark.parametrize('graph', JOINT_GRAPHS)
def test_all_joints_are_drawn_once(log: McapReader, graph: str) -> None:
    units = ['rad'] * (log.n - 1) + ['m']
    series = series_of(log, log.period, log.joint_names, units)
    figure = draw_joints(graph, series, 'yumi', [Mark(0.1, 'push')])
    column = {'joint_angles': 'measured_position', 'joint_velocities': 'velocity'}[graph]
    drawn = [
        line.get_ydata() for ax in figure.axes for line in ax.lines if len(line.get_xdata()) > 2
    ]
    assert len(drawn) == log.n
    values = read_mcap(log.path).column(column).copy()
    if graph == 'joint_angles':  # small beside the distance of the joints: since the start
        values[:, :-1] -= values[0, :-1]  # the last one is alone on its axes
        assert 'since the start' in figure.axes[0].get_ylabel()
    np.testing.assert_allclose(np.array(drawn).T, values, atol=1e-12)
    assert [ax.get_ylabel().split('[')[1][:-1] for ax in figure.axes] == (
        ['rad', 'm'] if graph == 'joint_angles' else ['rad/s', 'm/s']
    )
    labels = {line.get_label() for line in figure.axes[0].lines}
    assert set(log.joint_names) <= labels
