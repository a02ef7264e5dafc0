"""Alarms and their rate."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import poisson

from simloop_ros.replay.alarms import APART, alarm_rate, find_alarms


def test_no_alarm_in_a_short_log_says_little():
    rate = alarm_rate(0, 10.0)
    assert rate.line() == '0 alarms in 10 s: at most 1.08e+03 per hour with 95 % confidence'
    # At that rate, no alarm at all has a probability of 5 %.
    assert poisson.pmf(0, rate.highest * 10.0 / 3600.0) == pytest.approx(0.05)


@pytest.mark.parametrize('alarms', [1, 3, 20])
def test_the_interval_leaves_a_fortieth_on_either_side(alarms):
    rate = alarm_rate(alarms, 60.0)
    hours = 60.0 / 3600.0
    assert rate.per_hour == pytest.approx(60.0 * alarms)
    assert poisson.sf(alarms - 1, rate.lowest * hours) == pytest.approx(0.025)
    assert poisson.cdf(alarms, rate.highest * hours) == pytest.approx(0.025)


def test_nothing_judged_is_no_rate():
    assert alarm_rate(0, 0.0).line() == 'nothing was judged'


def test_contacts_that_are_near_are_one_alarm():
    time = 0.01 * np.arange(1000)
    contact = np.zeros(1000, bool)
    near, far = round(0.9 * APART / 0.01), round(1.2 * APART / 0.01)
    contact[[100, 100 + near, 100 + near + far]] = True
    share = np.where(contact, 1.5, 0.1)
    share[100 + near] = 2.0
    loud = np.tile([1.0, 2.0], (1000, 1))
    loud[100 + near] = [3.0, 2.0]
    first, second = find_alarms(time, contact, share, loud, ('a', 'b'))
    assert (first.start, first.end) == pytest.approx((1.0, 1.0 + 0.01 * near))
    assert (first.share, first.joint) == (2.0, 'a')
    assert second.joint == 'b'
    assert find_alarms(time, np.zeros(1000, bool), share, loud, ('a', 'b')) == ()
