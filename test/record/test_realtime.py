"""A run in real time whose robot left its bounds is not called good."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgspec.structs import replace
import numpy as np
import pytest

from simloop_ros.assembly.assemble import Assembly, assemble
from simloop_ros.core.values import JointState
from simloop_ros.loop.step_record import StepRecord
from simloop_ros.record.realtime import accelerations
from simloop_ros.record.run_folder import RunFolder
from simloop_ros.record.run_recorder import RunRecorder
from simloop_ros.record.timing import RunTiming
from simloop_ros.scenario.loading import load_scenario

H = 0.01
ROW = 100  # in which something happens
AT = f'{(ROW + 1) * H:.2f} s'
PUSH = 'plant.pushes=[{link: sphere, start: 0.9, duration: 0.05, force: [0, 0, -0.01]}]'

Records = list[StepRecord]


def made(*settings: str) -> tuple[Assembly, Records]:
    """Return a run of the sphere in lockstep, and the records of its steps."""
    assembly = assemble(load_scenario('sphere_step', [f'period={H}', 'graphs=[]', *settings]))
    records: Records = []
    assembly.loop.run(assembly.facts.steps, records.append)
    return assembly, records


def judged(folder: Path, change: Callable[[Records, Assembly], None], *settings: str) -> Any:
    """Return the summary of that run as if it had gone in real time, after a change."""
    assembly, records = made(*settings)
    change(records, assembly)
    timing = RunTiming(H)
    with RunRecorder(assembly.facts, RunFolder(folder / 'out')) as recorder:
        for k, record in enumerate(records):
            timing.command(round(k * H * 1e9))
            recorder.take(record)
            timing.row(round(k * H * 1e9), round((k + 1) * H * 1e9))
        return recorder.write(1.0, {}, timing=timing)


def keep(_: Records, __: Assembly) -> None:
    """Change nothing."""


def jerk(records: Records, _: Assembly) -> None:
    """Move the true robot by 3 mm for a period: 3 mm / h^2 is 30 m/s^2, and back twice that."""
    plant = records[ROW - 1].plant
    truth = JointState(plant.truth.position + 0.003, plant.truth.velocity)
    records[ROW - 1] = replace(records[ROW - 1], plant=replace(plant, truth=truth))


def saturate(records: Records, assembly: Assembly) -> None:
    command = replace(
        records[ROW].command, effort=assembly.facts.model.effort_limit, saturated=True
    )
    records[ROW] = replace(records[ROW], command=command)


def test_a_run_within_its_bounds_is_as_in_lockstep(tmp_path: Path) -> None:
    summary = judged(tmp_path, keep)
    assert summary['status'] == 'reached'
    assert summary['verdict'][1] == '0 % of the periods were late, the longest gap was 10 ms'
    largest = summary['largest_acceleration']
    assert largest['tips'] == pytest.approx(largest['joints'])  # one joint, which slides
    assert 0.0 < largest['tips'] < 1.0


def test_a_tip_that_jerked_was_disturbed(tmp_path: Path) -> None:
    summary = judged(tmp_path, jerk)
    assert summary['status'] == 'disturbed'
    assert summary['largest_acceleration']['tips'] == pytest.approx(60.0, rel=0.02)
    told = summary['verdict'][1]
    assert told.startswith('the tip accelerated with ')
    assert f' m/s^2 at {AT}; its setpoints with 0.' in told
    assert 'were late' in summary['verdict'][2]


def test_a_tip_that_was_pushed_did_not_jerk_by_itself(tmp_path: Path) -> None:
    assert judged(tmp_path, jerk, PUSH)['status'] == 'reached'


def test_an_effort_limit_that_the_plan_does_not_need_is_a_disturbance(tmp_path: Path) -> None:
    summary = judged(tmp_path, saturate)
    assert summary['status'] == 'disturbed'
    words = f'slide was at its effort limit at {AT}; its setpoints need '
    assert summary['verdict'][1].startswith(words)


def test_an_effort_limit_that_the_plan_needs_is_none(tmp_path: Path) -> None:
    def ask(records: Records, assembly: Assembly) -> None:
        """Let the setpoints around the row accelerate with twice what the joint can."""
        saturate(records, assembly)
        (limit,), mass = assembly.facts.model.effort_limit, 1.0
        for k in range(ROW - 4, ROW + 5):
            setpoint = records[k].setpoint
            way = 0.5 * (2.0 * limit / mass) * ((k - ROW) * H) ** 2
            setpoint = replace(setpoint, position=setpoint.position + way)
            records[k] = replace(records[k], setpoint=setpoint)

    assert 'effort limit at' not in ' '.join(judged(tmp_path, ask)['verdict'])


@pytest.mark.parametrize('split', [1, 2, 7, 100])
def test_a_parabola_has_one_acceleration_however_it_is_sampled(split: int) -> None:
    """Also across blocks, and with rows that are left out."""
    steps = np.random.default_rng(0).integers(0, 4, 100).astype(np.float64)
    times = 0.002 * np.cumsum(steps)
    ways = np.array([[1.0, 0.0, 0.0], [0.0, 3.0, 4.0]])
    points = 0.5 * times[:, None, None] ** 2 * ways
    blocks = [points[i : i + split] for i in range(0, len(points), split)]
    found = accelerations(blocks, steps, 0.002)
    rows = np.flatnonzero(steps)
    np.testing.assert_allclose(found[rows[2:]], 5.0, rtol=1e-6)
    assert not found[steps == 0.0].any()
