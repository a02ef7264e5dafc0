"""A monitor that adapts: what it learns, what it never learns, and when it says so."""

from __future__ import annotations

from changed_robot import NOISE, H, adaptive, calibrated, dry_friction, fixed, robot, with_changes
import msgspec
import numpy as np
import pytest

from simloop_ros.collision.adaptation import LARGEST_FACTOR
from simloop_ros.collision.adaptive_observer import MARGIN
from simloop_ros.plants.spring_contact import point_jacobian


def contacts(monitor, rows):
    """Run the monitor; return the times of contact [s]."""
    return [row.time for row in rows if monitor.step(row).verdict == 'contact']


def force_at(model, link, force, begin, rise=0.0):
    """Return the joint torque of a constant force on a link's origin, from a time on."""
    data, frame = model.pin_model.createData(), model.frame(link)

    def outside(time, q):
        if time < begin:
            return 0.0
        jacobian, _ = point_jacobian(model.pin_model, data, q, frame, np.zeros(3))
        share = min(1.0, (time - begin) / rise) if rise else 1.0
        return share * (jacobian.T @ np.array(force))

    return outside


@pytest.mark.parametrize('factor', [0.5, 1.5])
def test_friction_that_changed_since_the_calibration_is_learnt_without_an_alarm(factor):
    rows = list(with_changes('lwr', friction=lambda _: factor).observations(10.0))
    monitor = adaptive('lwr')
    assert contacts(monitor, rows) == []
    assert contacts(fixed('lwr'), rows)
    assert monitor.doubt == ''
    dry = np.array(calibrated(robot('lwr')).coulomb)
    np.testing.assert_allclose(1.0 + monitor.belief.mean[: dry.size] / dry, factor, atol=0.05)


def test_a_gear_that_warms_up_raises_no_alarm():
    """Half as much again within ten seconds."""
    rows = with_changes('two_link', friction=lambda t: 1.0 + 0.05 * min(10.0, t))
    monitor = adaptive('two_link')
    assert contacts(monitor, rows.observations(12.0)) == []


def test_thresholds_are_wide_at_the_start_and_narrow_where_motion_confirms():
    monitor = adaptive('lwr')
    at_start = monitor.thresholds
    for row in with_changes('lwr').observations(10.0):
        monitor.step(row)
    slow = -1  # the channel with the least noise
    assert np.all(monitor.thresholds[:, slow] < at_start[:, slow])
    plain = 1.0 / fixed('lwr')._inverse
    assert np.all(monitor.thresholds[0, slow] < 1.5 * plain[0, slow])
    assert np.all(at_start[0, slow] > MARGIN * plain[0, slow])


@pytest.mark.parametrize('rise', [0.0, 5.0])
def test_a_person_who_leans_on_the_moving_arm_stays_a_contact(rise):
    """Also one who begins softly; and it is never taken for a load."""
    model = robot('two_link')
    outside = force_at(model, model.tips[0], lean_force(model), begin=5.0, rise=rise)
    monitor = adaptive('two_link', payload='take')
    found = np.array(
        contacts(monitor, with_changes('two_link', outside=outside).observations(45.0))
    )
    assert found[0] > 5.0
    first, last = (np.sum((found > end - 10.0) & (found <= end)) for end in (25.0, 45.0))
    assert last > 0.9 * first > 0.5 * 10.0 / H
    assert monitor.recognised is None


def test_ten_minutes_of_leaning_teach_no_more_than_friction_can_be():
    """The filter alone, for ten minutes: a constant torque on joints that go to and fro.

    It is no friction, for it does not change with the direction; what is learnt of it in one
    direction is unlearnt in the other.
    """
    adaptation = adaptive('two_link').adaptation
    dry = dry_friction(robot('two_link'))
    belief, torque = adaptation.prior, 4.0 * dry
    for i in range(15_000):
        v = np.array([0.5, 0.3]) * np.sin(0.04 * i * np.array([0.5, 0.8]))
        columns = np.zeros((2, len(belief.mean)))
        for joint in range(2):
            columns[joint, joint::2][:4] = np.sign(v[joint]), np.sign(v[joint]), v[joint], 1.0
        unexplained = torque + columns @ belief.mean
        rows = np.flatnonzero(np.abs(v) > 0.05)
        belief, _ = adaptation.update(belief, columns, unexplained, rows, contact=True)
    assert np.all(np.abs(unexplained) > 0.8 * torque)


def test_a_person_who_leans_on_the_resting_arm_stays_a_contact():
    model = robot('two_link')
    force = 3.0 * np.array(lean_force(model))
    outside = force_at(model, model.tips[0], force, begin=2.0)
    monitor = adaptive('two_link')
    leaning = with_changes('two_link', outside=outside, still=True)
    assert len(contacts(monitor, leaning.observations(12.0))) > 0.99 * 10.0 / H


def lean_force(model):
    """Return a level force that is several times the friction of the first joint [N]."""
    dry = np.array(calibrated(model).coulomb).max()
    return (4.0 * dry, 0.0, 0.0)


def test_what_is_beyond_belief_is_not_silent():
    rows = with_changes('lwr', friction=lambda _: LARGEST_FACTOR + 1.0).observations(10.0)
    monitor = adaptive('lwr')
    verdicts = {monitor.step(row).verdict for row in rows}
    assert 'friction of' in monitor.doubt
    dry = dry_friction(robot('lwr'))
    learnt = 1.0 + monitor.belief.mean[: dry.size] / dry
    assert np.all(learnt <= LARGEST_FACTOR + 1e-9)
    assert monitor.reading.doubt == monitor.doubt
    assert monitor.reading.verdict != 'free'
    assert 'unknown' in verdicts


def test_a_load_is_told_from_a_contact_with_mass_and_centre():
    """From a second of motion on; within 3 % and 1 cm after five."""
    mass, centre = 1.2, np.array([0.02, -0.03, 0.06])
    load = np.array([mass, *(mass * centre), *np.zeros(6)])
    load[[4, 6, 9]] = mass * (centre @ centre - centre**2)
    load[[5, 7, 8]] = -mass * centre[[0, 0, 1]] * centre[[1, 2, 2]]
    grasped = with_changes('lwr', load=lambda t: load if t >= 3.0 else None)
    monitor = adaptive('lwr', payload='take')
    found = contacts(monitor, grasped.observations(8.0))
    assert found[0] >= 3.0
    assert found[-1] < 5.0
    assert monitor.recognised is not None
    known = monitor.load
    assert known.tip == robot('lwr').tips[0]
    assert known.mass == pytest.approx(mass, rel=0.03)
    np.testing.assert_allclose(known.centre, centre, atol=0.01)


def test_a_load_that_is_only_proposed_stays_a_contact():
    load = np.array([1.0, *np.zeros(9)])
    grasped = with_changes('lwr', load=lambda t: load if t >= 3.0 else None)
    monitor = adaptive('lwr', payload='ask')
    found = contacts(monitor, grasped.observations(8.0))
    assert monitor.recognised is not None
    assert found[-1] > 7.5
    assert monitor.load.mass == pytest.approx(1.0, rel=0.03)


def test_a_load_that_is_accepted_is_a_contact_no_longer():
    load = np.array([1.0, *np.zeros(9)])
    grasped = with_changes('lwr', load=lambda t: load if t >= 3.0 else None)
    monitor = adaptive('lwr', payload='ask')
    assert monitor.accept() is None
    found = []
    for row in grasped.observations(8.0):
        if monitor.step(row).verdict == 'contact':
            found.append(row.time)
        if row.time >= 6.0 and monitor.recognised is not None and not monitor.recognised.taken:
            assert monitor.accept() is monitor.recognised
    assert 5.9 < found[-1] < 6.5
    assert monitor.recognised is not None
    assert monitor.recognised.taken
    assert monitor.recognised.mass == pytest.approx(1.0, rel=0.03)
    assert monitor.accept() is None


def test_a_level_push_on_the_tip_is_no_load():
    model = robot('lwr')
    pushed = with_changes('lwr', outside=force_at(model, model.tips[0], (15.0, 5.0, 0.0), 3.0))
    monitor = adaptive('lwr', payload='take')
    assert len(contacts(monitor, pushed.observations(13.0))) > 0.9 * 10.0 / H
    assert monitor.recognised is None


def test_commands_that_come_a_period_later_are_noise_and_no_contact():
    late = with_changes('lwr', lag=1, shake=2e-4)
    monitor = adaptive('lwr')
    assert contacts(monitor, late.late(6.0)) == []


def test_coarser_encoders_widen_the_thresholds():
    coarse = with_changes('lwr', resolution=8.0 * NOISE)
    monitor = adaptive('lwr')
    assert contacts(monitor, coarse.observations(6.0)) == []
    fine = adaptive('lwr')
    for row in with_changes('lwr').observations(6.0):
        fine.step(row)
    assert np.all(monitor.thresholds[0, 0] > fine.thresholds[0, 0])


def test_after_restore_everything_is_as_it_was():
    load = np.array([1.0, *np.zeros(9)])
    changed = with_changes(
        'lwr', load=lambda t: load if t >= 3.0 else None, friction=lambda _: 1.3
    )
    rows = list(changed.observations(5.0))
    monitor = adaptive('lwr', payload='take')
    for row in rows[:1000]:
        monitor.step(row)
    saved = monitor.snapshot()
    first = [monitor.step(row) for row in rows[1000:]]
    monitor.restore(saved)
    second = [monitor.step(row) for row in rows[1000:]]
    for one, other in zip(first, second, strict=True):
        assert msgspec.structs.astuple(one)[2:] == msgspec.structs.astuple(other)[2:]
        assert one.torque.tobytes() == other.torque.tobytes()
