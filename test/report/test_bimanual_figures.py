"""The figures of 003 show the arrays that they are given, with their units."""

from __future__ import annotations

from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
import numpy as np
import pytest

from simloop_ros.report.bimanual_figures import (
    CarryCourse,
    CorrectionCourse,
    HandsCourse,
    draw_carry,
    draw_correction,
    draw_hands,
    draw_internal_forces,
)
from simloop_ros.report.contact_peak import ForceCourse, peak_of, peak_text
from simloop_ros.report.drawing import Mark

TIME = 1e-3 * np.arange(1, 2001)
CONTACT = 0.5
STEP = 1.5e-3  # a step of TIME, and its round-off


def pulse(peak: float, decay: float, setpoint: float = 0.0) -> np.ndarray:
    """Return a force that jumps to a peak and then decays to a setpoint [N].

    It has come to a share of its peak after ``decay ln((peak - setpoint) / (share peak))``.
    """
    since = TIME - CONTACT
    return np.where(since < 0.0, 0.0, setpoint + (peak - setpoint) * np.exp(-since / decay))


def curves(ax: Axes) -> list[np.ndarray]:
    """Return the curves of a graph over its whole time."""
    return [
        np.asarray(line.get_ydata()) for line in ax.lines if len(line.get_xdata()) == len(TIME)
    ]


def legend(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.legends[0].get_texts()]


@pytest.mark.parametrize(('peak', 'decay', 'setpoint'), [(40.0, 0.05, 0.0), (30.0, 0.1, 20.0)])
def test_a_peak_is_found_with_the_time_that_it_takes(
    peak: float, decay: float, setpoint: float
) -> None:
    found = peak_of(ForceCourse('K', TIME, pulse(peak, decay, setpoint)), setpoint)
    assert found is not None
    assert found.contact == pytest.approx(CONTACT, abs=STEP)
    assert found.risen == pytest.approx(CONTACT, abs=STEP)
    assert found.overshoots
    assert found.force == pytest.approx(peak, rel=0.03)
    assert found.settled == pytest.approx(
        decay * np.log((peak - setpoint) / (0.02 * peak)), abs=2 * STEP
    )


def test_a_force_that_never_settles_has_no_such_time() -> None:
    found = peak_of(ForceCourse('K', TIME, pulse(40.0, 10.0)))
    assert found is not None
    assert found.settled is None
    # The last sample outside counts, however quiet it was before.
    late = pulse(40.0, 0.01)
    late[-1] = 1.0
    found = peak_of(ForceCourse('K', TIME, late))
    assert found is not None
    assert found.settled is None


@pytest.mark.parametrize('force', [np.zeros(0), np.zeros(9), np.full(9, -1.0), np.full(9, np.nan)])
def test_without_contact_there_is_no_peak(force: np.ndarray) -> None:
    assert peak_of(ForceCourse('free', TIME[: len(force)], force)) is None


def test_internal_forces_and_their_contact() -> None:
    runs = [ForceCourse(f'K = {k}', TIME, pulse(peak, 0.05)) for k, peak in ((1, 30.0), (2, 40.0))]
    figure = draw_internal_forces(runs, 'hold', events=[Mark(CONTACT, 'contact')])
    whole, near = figure.axes
    for ax in (whole, near):
        for drawn, run in zip(curves(ax), runs, strict=True):
            np.testing.assert_array_equal(drawn, run.force)
        assert ax.get_ylabel() == 'internal force [N]'
    assert whole.get_xlim() == (0.0, TIME[-1])
    begin, end = near.get_xlim()
    assert begin < CONTACT < end < CONTACT + 0.1
    peaks = [run.force.max() for run in runs]
    for text, run, peak in zip(legend(figure), runs, peaks, strict=True):
        assert text.startswith(f'{run.label}: peak {peak:.3g} N')
        # ln 50 decay times.
        assert '0.2 s after' in text
    assert 'setpoint: 0.5 N' in legend(draw_internal_forces(runs, 'hold', 0.5))


def test_a_wanted_force_is_drawn_in_its_steps() -> None:
    setpoint = np.select([TIME < CONTACT, TIME < 1.0, TIME < 1.5], [np.nan, 50.0, 5.0], np.nan)
    run = ForceCourse('run', TIME, pulse(60.0, 0.01, 5.0))
    figure = draw_internal_forces([run], 'steps', setpoint)
    for ax in figure.axes:
        np.testing.assert_array_equal(curves(ax)[1], setpoint)
    assert legend(figure)[1] == 'setpoint'
    # The last one is what the force settles to.
    assert 'settled' in legend(figure)[0]
    same = np.where(np.isnan(setpoint), np.nan, 50.0)
    assert legend(draw_internal_forces([run], 'steps', same))[1] == 'setpoint: 50 N'
    assert len(legend(draw_internal_forces([run], 'steps', np.full(len(TIME), np.nan)))) == 1


def test_how_a_force_settled_is_said_only_if_nothing_disturbed_it() -> None:
    late = pulse(40.0, 0.05)
    late[TIME > 1.0] += 5.0 * np.exp((1.0 - TIME[TIME > 1.0]) / 0.05)
    found = peak_of(ForceCourse('run', TIME, late))
    assert found is not None
    assert 'settled' in peak_text(found, [Mark(0.1, 'push start'), Mark(1.0, 'hold')])
    assert peak_text(found, [Mark(1.0, 'push start')]) == f'peak {found.force:.3g} N'


def test_a_correction_is_in_millimetres_and_milliradians() -> None:
    position = 1e-3 * np.sin(TIME)[:, None] * [1.0, 2.0, 3.0]
    course = CorrectionCourse(TIME, position, -0.2 * position)
    figure = draw_correction(course, 'left', [Mark(0.4, 'contact')])
    upper, lower = figure.axes
    np.testing.assert_allclose(np.array(curves(upper)).T, 1e3 * position)
    np.testing.assert_allclose(np.array(curves(lower)).T, -200.0 * position)
    assert (upper.get_ylabel(), lower.get_ylabel()) == ('position [mm]', 'rotation [mrad]')
    assert legend(figure) == [f'{axis} of the object' for axis in 'xyz']
    small = draw_correction(CorrectionCourse(TIME, position, 1e-3 * position), 'left')
    assert small.axes[1].get_ylabel() == 'rotation [µrad]'


def test_hands_are_drawn_with_the_end_before_them() -> None:
    planned = np.stack((0.05 - 0.006 * TIME, -0.05 + 0.006 * TIME), axis=1)
    position = planned + np.array([0.0002, -0.0001])
    course = HandsCourse(('palm_a', 'palm_b'), TIME, position, planned, np.array([0.04, -0.04]))
    for i, ax in enumerate(draw_hands(course, 'uneven').axes):
        drawn_plan, drawn = curves(ax)
        np.testing.assert_allclose(drawn_plan, 1e3 * planned[:, i])
        np.testing.assert_allclose(drawn, 1e3 * position[:, i])
        low, high = ax.get_ylim()
        end = (40.0, -40.0)[i]
        assert low < end < high
        assert ax.get_ylabel() == f'{course.names[i]}, along the beam [mm]'
        assert low < drawn.min() < drawn.max() < high
        # Near enough to see a tenth of a millimetre: the other end is not in it.
        assert high - low < 20.0
        (beam,) = ax.patches
        extent = beam.get_extents().transformed(ax.transData.inverted())
        assert sorted(extent.intervaly) == pytest.approx([-40.0, 40.0])


def test_a_hand_ends_where_the_place_of_the_beam_is_not_known() -> None:
    position = np.where(TIME[:, None] < 1.0, [0.05, -0.05], np.nan)
    course = HandsCourse(('palm_a', 'palm_b'), TIME, position, position, np.array([0.04, -0.04]))
    said = legend(draw_hands(course, 'halted'))[1]
    assert said == 'hand; both while the place of the beam is known'


def test_carry_shows_squeeze_band_and_path_error() -> None:
    carried = TIME >= 0.2
    setpoint = np.where(TIME < 0.1, np.nan, 20.0)
    squeeze = np.where(carried, 20.0 + 0.7 * np.sin(9.0 * TIME), 0.0)
    error = np.where(carried, 4e-4 * np.sin(2.0 * TIME) ** 2, 0.005)
    runs = [CarryCourse('noise', TIME, squeeze, setpoint, carried, error)]
    figure = draw_carry(runs, 'carry', [Mark(0.2, 'grasp')])
    upper, middle, lower = figure.axes
    np.testing.assert_array_equal(curves(upper)[0], squeeze)
    np.testing.assert_array_equal(curves(upper)[1], setpoint)
    np.testing.assert_allclose(curves(middle)[0], np.where(carried, squeeze - 20.0, np.nan))
    np.testing.assert_allclose(curves(lower)[0], 1e3 * error)
    # A distance is never negative.
    for ax, low, text in ((middle, -1.0, 'allowed: 1 N'), (lower, 0.0, 'allowed: 1 mm')):
        (band,) = ax.patches
        extent = band.get_extents().transformed(ax.transData.inverted())
        assert sorted(extent.intervaly) == pytest.approx([low, 1.0])
        assert ax.get_title('right') == text
    # The largest errors while the object is moved, not before.
    assert legend(figure) == [
        'noise: at most 0.7 N and 0.4 mm off',
        'setpoint',
    ]


def test_a_limit_that_is_far_away_does_not_squeeze_the_curve() -> None:
    carried, setpoint = TIME >= 0.2, np.full(len(TIME), 20.0)
    error = 4e-5 * np.sin(TIME) ** 2  # far below 1 mm
    course = CarryCourse('run', TIME, setpoint, setpoint, carried, error)
    lower = draw_carry([course], 'carry').axes[2]
    assert lower.get_title('right') == 'allowed: 1 mm, beyond these axes'
    assert not lower.patches
    assert lower.get_ylim()[1] < 1e3 * 1.3 * error.max()


def test_the_zoom_at_the_contact_stays_within_the_run() -> None:
    """A force that rises slowly to its setpoint, and has its largest value by noise at the end."""
    force = np.clip(TIME - CONTACT, 0.0, 1.0) * 20.0
    force[-1] = 20.1
    figure = draw_internal_forces([ForceCourse('run', TIME, force)], 'grip', 20.0)
    begin, end = figure.axes[1].get_xlim()
    assert 0.0 <= begin < CONTACT
    assert CONTACT + 0.9 < end <= TIME[-1]
    assert legend(figure)[0] == 'run: at most 20.1 N, without a peak at the contact'


def test_errors_are_said_only_of_what_is_compared() -> None:
    squeeze, never = np.full(len(TIME), 20.5), np.zeros(len(TIME), dtype=bool)
    setpoint, unknown = np.full(len(TIME), 20.0), np.full(len(TIME), np.nan)

    def said(carried: np.ndarray, error: np.ndarray) -> str:
        course = CarryCourse('run', TIME, squeeze, setpoint, carried, error)
        return legend(draw_carry([course], 'carry'))[0]

    assert said(never, 1e-3 * setpoint) == 'run'
    assert said(~never, unknown) == 'run: at most 0.5 N off'


def every_figure(time: np.ndarray, value: float) -> list[Figure]:
    one, two, three = (np.full((len(time), k), value) for k in (1, 2, 3))
    flat, title, marks = one[:, 0], 'a_$b', [Mark(0.5, 'push_$c')]
    return [
        draw_internal_forces([ForceCourse('K', time, flat)] * 2, title, 20.0, marks),
        draw_internal_forces([ForceCourse('K', time, flat)], title, flat, marks),
        draw_correction(CorrectionCourse(time, three, three), title, marks),
        draw_hands(
            HandsCourse(('$a_$b', 'c' * 99), time, two, two, np.array([0.04, -0.04])), title, marks
        ),
        draw_carry([CarryCourse('K', time, flat, flat, flat > 0.0, flat)] * 2, title, marks),
    ]


@pytest.mark.parametrize(
    ('steps', 'value'), [(5, 0.0), (5, 1.0), (5, np.nan), (5, 1e308), (1, 1.0), (0, 0.0)]
)
def test_unusual_runs_are_drawn(tmp_path: Path, steps: int, value: float) -> None:
    for i, figure in enumerate(every_figure(0.25 * np.arange(steps), value)):
        path = tmp_path / f'{i}.png'
        figure.savefig(path)
        assert path.stat().st_size > 5000


def test_no_runs_are_no_lines() -> None:
    for figure in (draw_internal_forces([], 'none'), draw_carry([], 'none')):
        assert not any(curves(ax) for ax in figure.axes)
