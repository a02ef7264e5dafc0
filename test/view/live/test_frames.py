"""What a frame says of a live run, beside its records."""

from __future__ import annotations

from live_runs import SteeredRun
import msgspec
import numpy as np
import pytest

from simloop_ros.scenario.loading import load_scenario
from simloop_ros.view.actions import Seek
from simloop_ros.view.frame import Force, Frame
from simloop_ros.view.live.describe import describe
from simloop_ros.view.live.frames import COLUMNS, LONGEST_TRACE, SCALARS
from simloop_ros.view.live.live_run import LiveRun
from simloop_ros.view.page.held_forces import HeldForces

NAMES = [name for name, _ in COLUMNS]


def test_frames_have_every_step_once() -> None:
    with SteeredRun('lwr_full_body', ['duration=1']) as live:
        frames = []
        for time in (0.004, 0.1, 0.1, 0.35, 0.9):
            live.until(time)
            frames.append(live.frame())
        times = np.concatenate([frame.times for frame in frames])
        trace = np.concatenate([frame.trace for frame in frames])
        assert np.allclose(times, 0.002 * np.arange(1, 451))
        assert len(frames[2].times) == 0
        assert np.array_equal(trace[:, NAMES.index('position')], live.path)
        efforts = [record.command.effort for record in live.records]
        assert np.array_equal(trace[:, NAMES.index('effort')], efforts)
        external = [record.plant.external for record in live.records]
        assert np.array_equal(trace[:, NAMES.index('external torque')], external)
        assert np.abs(trace[:, NAMES.index('estimated external torque')]).max() > 0.1


@pytest.mark.parametrize('sink', [None, lambda _: None])
def test_signals_are_kept_for_a_while_only(sink: None) -> None:
    """While no page asks for frames, hardly anything is done for it."""
    run = LiveRun(load_scenario('sphere_step', ('period=0.01',)), sink)
    run.frame()
    for _ in range(450):
        run.step()
    frame = run.frame()
    assert frame.time == pytest.approx(4.5)
    assert len(frame.times) * 0.01 <= LONGEST_TRACE
    for _ in range(30):
        run.step()
    again = run.frame()
    assert np.allclose(again.times, 0.01 * np.arange(451, 481))
    assert again.joints == pytest.approx(again.trace[-1, NAMES.index('position')])
    run.close()


def test_the_hand_of_a_scenario_is_shown_with_its_energy_and_what_it_moves() -> None:
    with SteeredRun('lwr_full_body') as live:
        live.frame()
        live.until(1.5)
        frame = live.frame()
        done = live.records[-1].plant.hands[0]
        (force,) = frame.forces
        assert (force.kind, force.link) == ('hand', 'lwr_4_link')
        assert np.array_equal(force.vector, done.force)
        assert np.allclose(force.point, live.place('lwr_4_link'))
        names = [name for name, _ in SCALARS]
        assert frame.scalars[-1, names.index('energy of the hands')] == done.energy
        (mass,) = frame.effective_masses
        assert np.allclose(np.cross(mass, done.force), 0.0)
        assert 0.1 < np.linalg.norm(mass) < 50.0


@pytest.mark.parametrize('engine', ['pybullet', 'mujoco'])
def test_contacts_and_bodies_are_shown(engine: str) -> None:
    """A ball is thrown at one arm of YuMi: it is pushed against the ball's flight."""
    with SteeredRun('yumi_collision', [f'plant.engine={engine}']) as live:
        touched = None
        while touched is None:
            live.run.step()
            frame = live.frame()
            touched = next((each for each in frame.forces if each.kind == 'contact'), None)
            assert live.run.time < 1.0
        ball = next(body for body in frame.bodies if body.name == 'ball')
        assert ball.position[0] < 0.9
        assert touched.vector[0] < 0.0
        assert np.linalg.norm(touched.point - ball.position) < 0.06
        (contact,) = live.records[-1].plant.contacts
        assert np.linalg.norm(touched.vector) == pytest.approx(contact.force)


def contacts_of(frame: Frame) -> list[Force]:
    return [force for force in frame.forces if force.kind == 'contact']


def test_an_impact_is_in_the_next_frame_and_in_none_after_a_jump() -> None:
    """A ball hits one arm of YuMi."""
    with SteeredRun('yumi_collision') as live:
        while not any(record.plant.contacts for record in live.records):
            live.run.step()
        hit = live.run.time
        live.until(hit + 0.1)
        assert not live.records[-1].plant.contacts
        assert contacts_of(live.frame()) == []  # the last frame was at the start
        live.do(Seek(hit - 0.05))
        live.frame()
        live.until(hit + 0.1)
        forces = [c.force for record in live.records for c in record.plant.contacts]
        peaks = [np.linalg.norm(contact.vector) for contact in contacts_of(live.frame())]
        assert max(peaks) == pytest.approx(max(forces))
        live.do(Seek(hit + 0.05))  # from a snapshot before the impact, or not long after it
        assert contacts_of(live.frame()) == []


def test_a_page_holds_impacts_until_a_jump() -> None:
    with SteeredRun('lwr_full_body') as live:
        frame = live.frame()
    held = HeldForces()
    force = Force('contact', 'flange', np.zeros(3), np.ones(3))
    times = 1.0, 1.1, 1.3, 1.45, 1.5, 1.75, 1.8, 1.7
    forces = (force,), (), (), (), (force,), (), (force,), ()
    shown = [
        len(held.over(msgspec.structs.replace(frame, time=time, forces=each)).forces)
        for time, each in zip(times, forces, strict=True)
    ]
    assert shown == [1, 1, 1, 0, 1, 0, 1, 0]


def test_the_beam_of_two_hands_is_shown() -> None:
    with SteeredRun('workerbot_carry') as live:
        assert [body.carried for body in describe(live.run).bodies] == [True]
        live.until(0.01)
        (beam,) = live.frame().bodies
        report = live.records[-1].plant.object
        assert np.array_equal(beam.position, report.position)
        assert np.linalg.norm(beam.quaternion) == pytest.approx(1.0)
        assert live.frame().activity == 'task 1 (approach)'
