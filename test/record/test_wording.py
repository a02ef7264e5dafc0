"""Numbers as people write them."""

import pytest

from simloop_ros.record.wording import effort_unit, length, moment, span


@pytest.mark.parametrize(
    ('time', 'period', 'text'),
    [
        (0.30000000000000004, 0.005, '0.3 s'),
        (3.0000000000000004, 0.001, '3 s'),
        (0.6925, 0.0005, '0.6925 s'),
        (1.0 / 3.0, 1.0 / 300.0, '0.333 s'),
        (0.0, 0.005, '0 s'),
        (1000.0, 0.005, '1000 s'),
        (20.0, 1.0, '20 s'),
    ],
)
def test_times_have_the_decimals_of_the_period(time: float, period: float, text: str) -> None:
    assert moment(time, period) == text


def test_durations_and_lengths_have_readable_units() -> None:
    assert [span(t) for t in (0.002, 0.064, 1.5)] == ['2 ms', '64 ms', '1.5 s']
    lengths = [length(x) for x in (0.3123, 0.0128, 1.5e-4, 2.44e-5, 1e-9, float('nan'))]
    expected = ['0.312 m', '12.8 mm', '0.15 mm', '24 um', 'less than 1 um', 'an unknown distance']
    assert lengths == expected


def test_efforts_of_both_kinds_of_joints_have_both_units() -> None:
    assert effort_unit(['rad', 'rad']) == 'N m'
    assert effort_unit(['m']) == 'N'
    assert effort_unit(['rad', 'm']) == 'N or N m'
