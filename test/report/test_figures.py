import struct

import numpy as np
import pytest

from simloop_ros.core.errors import UnknownNameError
from simloop_ros.record.columns import GUIDED_COLUMNS
from simloop_ros.report.figures import DOTS_PER_INCH, GRAPHS, Mark, draw_figures, grid_shape
from simloop_ros.report.series import DIFFERENCES, Series

CURVES = (*GUIDED_COLUMNS, *DIFFERENCES)


def series(n, points=50, value=None):
    time = 0.01 * (1 + np.arange(points))
    wave = np.sin(time)[:, None] * (1 + np.arange(n))
    return Series(
        time=time,
        joint_names=tuple(f'joint_{i}' for i in range(n)),
        units=('rad',) * (n - 1) + ('m',),
        curves={name: wave if value is None else np.full((points, n), value) for name in CURVES},
    )


def saved(folder, *arguments):
    paths = []
    for name, figure in draw_figures(*arguments):
        paths.append(folder / f'{name}.png')
        figure.savefig(paths[-1])
    return paths


def png_size(path):
    data = path.read_bytes()
    assert data[:8] == b'\x89PNG\r\n\x1a\n'
    assert len(data) > 5000
    return struct.unpack('>II', data[16:24])


def test_every_graph_is_a_png_of_its_name(tmp_path):
    paths = saved(tmp_path, GRAPHS, series(1), 'sphere_step', [Mark(0.2, 'push')])
    assert [path.name for path in paths] == [f'{name}.png' for name in GRAPHS]
    for path in paths:
        width, height = png_size(path)
        assert width == pytest.approx(8.95 * DOTS_PER_INCH, abs=1)
        assert 4.5 * DOTS_PER_INCH < height < 5.5 * DOTS_PER_INCH


def test_only_what_is_asked_for_is_drawn():
    drawn = draw_figures(['path_difference'], series(2), 'step')
    assert [name for name, _ in drawn] == ['path_difference']


def test_fourteen_joints_are_two_columns_of_seven(tmp_path):
    assert grid_shape(14) == (7, 2)
    (path,) = saved(tmp_path, ['force_difference'], series(14), 'yumi_step')
    width, height = png_size(path)
    assert 800 < width < 1300
    assert 1000 < height < 1600


@pytest.mark.parametrize('n', range(1, 57))
def test_the_grid_holds_every_joint(n):
    rows, columns = grid_shape(n)
    assert 0 <= rows * columns - n < rows
    assert rows <= 14


@pytest.mark.parametrize('value', [0.0, 1e-18, np.nan, np.inf, 1e308, -3.0])
def test_unusual_values_are_drawn(tmp_path, value):
    graphs = ['force_comparison', 'force_difference']
    for path in saved(tmp_path, graphs, series(2, value=value), 'step'):
        png_size(path)


@pytest.mark.parametrize('points', [0, 1])
def test_hardly_any_points_are_drawn(tmp_path, points):
    marks = [Mark(0.01, 'contact')]
    for path in saved(tmp_path, GRAPHS[:2], series(1, points), 'step', marks):
        png_size(path)


def test_names_are_not_formulas(tmp_path):
    odd = Series(
        time=np.arange(3.0),
        joint_names=('cost_$x_{', 'a' * 200),
        units=('rad', 'm'),
        curves={name: np.ones((3, 2)) for name in CURVES},
    )
    marks = [Mark(1.0, '$\\frac')] * 50
    png_size(*saved(tmp_path, ['path_comparison'], odd, '$a_{', marks))


def test_an_unknown_graph_is_named_before_anything_is_drawn():
    with pytest.raises(UnknownNameError, match='path_difference'):
        next(draw_figures(['force_difference', 'path_diff'], series(1), 'step'))
