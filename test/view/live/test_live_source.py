"""A live run in a process of its own, talked to as a page does."""

from __future__ import annotations

from collections.abc import Callable
import multiprocessing
import os
from pathlib import Path
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from simloop_ros.core.errors import SimloopError
from simloop_ros.view.actions import (
    Grip,
    Halt,
    LoadScenario,
    Pause,
    Play,
    Save,
    Seek,
    SetKey,
    SetSpeed,
    Step,
)
from simloop_ros.view.frame import Frame
from simloop_ros.view.live.live_source import LiveSource

PATIENCE = 60.0
"""Time after which something will never happen [s]: far more than a busy machine needs."""


def wait_for(what: Callable[[], bool]) -> None:
    """Wait until something is so, on a machine however busy."""
    end = time.monotonic() + PATIENCE
    while not what():
        assert time.monotonic() < end, 'it did not happen'
        time.sleep(0.002)


def frame_of(source: LiveSource, fits: Callable[[Frame], bool] = lambda _: True) -> Frame:
    """Return the first frame that fits."""
    frames: list[Frame] = []

    def looked() -> bool:
        frame = source.frame()
        frames.extend([] if frame is None else [frame])
        return bool(frames) and fits(frames[-1])

    wait_for(looked)
    return frames[-1]


def told(source: LiveSource, text: str) -> str:
    """Return the first notice with a text."""
    notices: list[str] = []

    def looked() -> bool:
        notices.extend(f'{each.level}: {each.text}' for each in source.notices())
        return any(text in notice for notice in notices)

    wait_for(looked)
    return next(notice for notice in notices if text in notice)


def test_a_page_plays_steps_pauses_goes_back_and_loads(tmp_path: Path) -> None:
    source = LiveSource(LoadScenario('lwr_full_body'), time.perf_counter)
    try:
        first = source.description()
        assert (first.title, first.period) == ('lwr_full_body', 0.002)
        assert frame_of(source).time == 0.0
        source.send(Step(3))
        frame = frame_of(source, lambda frame: frame.time > 0.0)
        assert frame.time == pytest.approx(0.006)
        assert np.allclose(frame.times, [0.002, 0.004, 0.006])
        source.send(SetSpeed(0.0))
        source.send(Play())
        frame = frame_of(source, lambda frame: frame.time > 0.5)
        assert frame.progress.playing
        assert frame.progress.speed == 0.0
        source.send(Pause())
        still = frame_of(source, lambda frame: not frame.progress.playing)
        assert frame_of(source).time == still.time
        source.send(Seek(0.25))
        frame = frame_of(source, lambda frame: frame.time < 0.3)
        assert frame.time == pytest.approx(0.25)
        source.send(Grip(1, 'elbow', (0, 0, 0), (0, 0, 0), 500, 20))
        assert told(source, 'elbow').startswith('error: unknown')
        source.send(SetKey('admittance.dead_zone', '0.3'))
        assert told(source, 'dead_zone') == 'info: admittance.dead_zone is 0.3'
        source.send(Save(str(tmp_path / 'session')))
        assert 'session.yaml' in told(source, 'session')
        source.send(LoadScenario('nothing_like_it'))
        assert told(source, 'nothing_like_it').startswith('error')
        assert source.description() is first
        source.send(LoadScenario('lwr_tcp', ('seed=3',)))
        wait_for(lambda: source.description() is not first)
        assert source.description().title == 'lwr_tcp'
        assert frame_of(source).time == 0.0
    finally:
        source.close()
    assert multiprocessing.active_children() == []


def test_in_real_time_a_second_takes_a_second() -> None:
    """Never faster, whatever the machine does besides."""
    source = LiveSource(LoadScenario('sphere_step', ('period=0.005',)), time.perf_counter)
    try:
        begin = time.perf_counter()
        source.send(Play())
        frame = frame_of(source, lambda frame: frame.time > 0.5)
        assert frame.time < time.perf_counter() - begin + 0.005
    finally:
        source.close()


def test_a_page_that_does_not_read_does_not_stop_the_simulation() -> None:
    source = LiveSource(LoadScenario('yumi_step', ('period=0.002',)), time.perf_counter)
    try:
        source.send(SetSpeed(0.0))
        source.send(Play())
        wait_for(lambda: bool(source.frame()))  # and so another one is asked for
        for _ in range(200):
            source.send(Halt())
        source.send(Pause())
        told(source, 'stopped already')
        before = frame_of(source)
        source.send(Play())
        time.sleep(0.2)
        frame = frame_of(source, lambda frame: frame.time > before.time + 0.05)
        assert len(frame.times) <= 1000
    finally:
        source.close()


@pytest.mark.parametrize(
    ('load', 'text'),
    [
        (LoadScenario('nothing_like_it'), 'nothing_like_it'),
        (LoadScenario('lwr_tcp', ('period=-1',)), 'period'),
        (LoadScenario('lwr_tcp', ('robot.urdf=missing.urdf',)), 'missing.urdf'),
    ],
)
def test_what_cannot_be_run_is_one_line(load: LoadScenario, text: str) -> None:
    with pytest.raises(SimloopError, match=text) as caught:
        LiveSource(load, time.perf_counter)
    assert '\n' not in str(caught.value)
    assert multiprocessing.active_children() == []


def test_a_simulation_that_was_killed_is_told_once() -> None:
    source = LiveSource(LoadScenario('lwr_tcp'), time.perf_counter)
    (child,) = multiprocessing.active_children()
    frame_of(source)
    os.kill(child.pid, signal.SIGKILL)
    assert told(source, 'has ended').startswith('error')
    source.send(Play())
    source.frame()  # may have come before
    assert source.frame() is None
    assert source.notices() == ()
    source.close()


PAGE_THAT_DIES = """
import multiprocessing, os, signal, time
from simloop_ros.view.actions import LoadScenario, Play
from simloop_ros.view.live.live_source import LiveSource

if __name__ == '__main__':
    source = LiveSource(LoadScenario('lwr_tcp'), time.perf_counter)
    source.send(Play())
    print(multiprocessing.active_children()[0].pid, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_simulation_ends_with_its_page(tmp_path: Path) -> None:
    """Also if the page's process is killed while the robot moves."""
    script = tmp_path / 'page.py'
    script.write_text(PAGE_THAT_DIES)
    ended = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=PATIENCE
    )
    assert ended.returncode == -signal.SIGKILL
    pid = int(ended.stdout)

    def is_gone() -> bool:
        try:
            return Path(f'/proc/{pid}/stat').read_text().rsplit(')', 1)[1].split()[0] == 'Z'
        except FileNotFoundError:
            return True

    wait_for(is_gone)
