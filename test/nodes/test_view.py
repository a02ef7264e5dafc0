"""A view of a graph: what it hears, that its hands pull, and that the graph does not notice."""

from __future__ import annotations

from collections.abc import Callable, Iterator
import json
import signal
import sys
import time
from typing import Any

import numpy as np
import pytest

from simloop_ros.assembly.assemble import assemble
from simloop_ros.assembly.run import run
from simloop_ros.robot.fit_robot import load_fit_robot
from simloop_ros.scenario.loading import load_scenario
from simloop_ros.view.actions import Grip, Halt, LetGo, Pause, Play, Reset, Resume, SetSpeed, Step
from simloop_ros.view.frame import Frame
from simloop_ros.view.graph.graph_source import GraphSource

LONGEST = 60.0  # for anything to happen on a busy machine [s]
TURN = 0.02  # time between two frames that a page asks for [s]
LED = ('plant.hands=[]', 'duration=1000')
FREE = ('--composed', '--no-record')
LINK, PERIOD = 'lwr_4_link', 0.002


class Page:
    """Asks for frames as a page does, and keeps what came.

    :ivar frames: all frames so far.
    """

    def __init__(self, graph: Any, namespace: str = ''):
        self._graph = graph
        self.source = GraphSource(namespace, time.monotonic)
        self.frames: list[Frame] = []
        self.said: list[str] = []
        self.lines: list[str] = []

    def wait(self) -> None:
        """Wait for the graph."""
        end = time.monotonic() + LONGEST
        assert self.source.wait(self.lines.append, lambda: time.monotonic() < end)

    @property
    def last(self) -> Frame:
        return self.frames[-1]

    def look(self) -> None:
        """Take a frame, and what there is to say."""
        frame = self.source.frame()
        if frame is not None:
            self.frames.append(frame)
        self.said += [notice.text for notice in self.source.notices()]

    def until(self, true: Callable[[], object]) -> None:
        """Take frames until something is true."""

        def looked() -> bool:
            self.look()
            time.sleep(TURN)
            return bool(self.frames and true())

        self._graph.wait_until(looked, LONGEST)

    def since(self, time: float) -> np.ndarray:
        """Return the traces of the steps after a time [s], shape ``(steps, columns, n)``."""
        return np.concatenate([frame.trace[frame.times > time] for frame in self.frames])


@pytest.fixture
def pages(graph: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Page]]:
    """Give what opens pages of the graph, and close them."""
    for name in ('ROS_DOMAIN_ID', 'ROS_AUTOMATIC_DISCOVERY_RANGE', 'ROS_LOG_DIR'):
        monkeypatch.setenv(name, graph.environment[name])
    monkeypatch.setenv('FASTDDS_BUILTIN_TRANSPORTS', 'UDPv4')
    opened: list[Page] = []

    def open_page(namespace: str = '') -> Page:
        opened.append(Page(graph, namespace))
        return opened[-1]

    yield open_page
    for page in opened:
        page.source.close()


def settings(*values: str) -> list[str]:
    return [word for value in values for word in ('--set', value)]


def test_a_graph_is_shown_and_runs_as_if_nobody_looked(graph: Any, pages: Any) -> None:
    """In a namespace; the page is there first, and hears all of a run in lockstep."""
    page = pages('left')
    # In lockstep a fast machine would be through with a short one before it is discovered.
    values = ('duration=60', 'period=0.001', 'plant.noise=1e-5', 'seed=7')
    out = graph.folder / 'out'
    namespace = ('--composed', '--namespace', 'left')
    process = graph.launch(
        'yumi_step', *namespace, *settings(*values), '--out', str(out), '--no-figures'
    )
    page.wait()
    page.until(lambda: page.last.progress.ended)
    assert process.wait(LONGEST) == 0, graph.output
    scenario = load_scenario('yumi_step', list(values))
    expected = run(assemble(scenario), graph.folder / 'expected', time.perf_counter)
    assert json.loads((out / 'summary.json').read_text())['digest'] == expected['digest']

    assert page.lines[0] == 'waiting for a graph in /left: nobody publishes joint_states yet'
    description = page.source.description()
    assert (description.title, description.period) == ('yumi in /left', 0.001)
    assert description.model.tips == ('tool0_l', 'tool0_r')
    abilities = description.abilities
    assert (abilities.grips, abilities.pauses, abilities.steps) == (True, True, True)
    assert not abilities.speeds
    last = page.last
    assert 1.0 < last.time < 61.0  # the plant may be ahead of the recorder
    assert not last.progress.playing
    assert np.abs(last.joints - last.twin).max() < 0.01
    times = np.concatenate([frame.times for frame in page.frames])
    assert len(times) > 100
    assert (np.diff(times) > 0.0).all()
    trace = page.since(times[0] + 0.1)  # its topics are not discovered at the same moment
    assert np.isfinite(trace[:, [0, 1, 2, 3]]).all()
    assert np.abs(trace[:, 0] - trace[:, 1]).max() < 0.05  # desired and measured positions
    assert np.abs(trace[:, 2] - trace[:, 3]).max() < 20.0  # both efforts


def test_a_hand_pulls_pauses_steps_and_resets_over_topics(graph: Any, pages: Any) -> None:
    """In lockstep without an end: nothing depends on how fast the machine is."""
    process = graph.launch('lwr_full_body', *FREE, *settings(*LED))
    page = pages()
    page.wait()
    page.until(lambda: page.last.time > 0.5)
    description = page.source.description()
    model = description.model
    pose = model.frame_poses(page.last.joints, [LINK])[0]
    start, begin = pose.translation, page.last.time
    target = tuple((start + np.array([0.0, 0.15, 0.0])).tolist())
    page.source.send(Grip(7, LINK, (0.0, 0.0, 0.0), target, 300.0, 30.0))

    def moved() -> float:
        return float((model.frame_poses(page.last.joints, [LINK])[0].translation - start)[1])

    page.until(lambda: moved() > 0.02)
    pulls = [force for frame in page.frames for force in frame.forces if force.kind == 'mouse']
    assert {force.link for force in pulls} == {LINK}
    assert max(float(np.linalg.norm(force.vector)) for force in pulls) <= 30.0 + 1e-9
    assert np.abs(page.since(begin)[:, 4]).max() > 1.0  # the robot feels it: true torque

    page.source.send(LetGo(7))
    page.until(lambda: not page.last.forces)
    gone = page.last.time
    page.until(lambda: page.last.time > gone + 1.5)
    # A wrench acts for 0.1 s after its message.
    assert not page.since(gone + 1.0)[:, 4].any()

    check_steps(page)
    page.source.send(Halt())
    page.until(lambda: page.last.activity.startswith('stopped by control_simulation'))
    page.source.send(Reset())
    page.until(lambda: any('Resume' in line for line in page.said))
    page.source.send(Pause())
    page.until(lambda: not page.last.progress.playing)
    home = load_fit_robot(load_scenario('lwr_full_body', []).robot).home
    assert page.last.joints == pytest.approx(home, abs=0.02)
    page.source.send(Play())
    page.source.send(Resume())
    page.until(lambda: page.last.progress.playing and 'stopped' not in page.last.activity)
    page.source.send(SetSpeed(2.0))
    page.until(lambda: page.said[-1] == 'SetSpeed: a graph cannot do that')
    process.send_signal(signal.SIGINT)
    page.until(lambda: page.last.progress.ended)
    assert process.wait(LONGEST) == 130
    assert_next_graph_is_shown(graph, page)


def check_steps(page: Page) -> None:
    """Pause, take a step and three, and go on."""
    page.source.send(Pause())
    page.until(lambda: not page.last.progress.playing)
    for _ in range(5):
        page.look()
        time.sleep(TURN)
    held = page.last.time
    page.source.send(Step())
    page.until(lambda: page.last.time > held)
    assert page.last.time == pytest.approx(held + PERIOD)
    page.source.send(Step(3))
    page.until(lambda: page.last.time > held + 3.5 * PERIOD)
    assert page.last.time == pytest.approx(held + 4 * PERIOD)
    page.source.send(Play())
    page.until(lambda: page.last.progress.playing and page.last.time > held + 0.1)


def assert_next_graph_is_shown(graph: Any, page: Page) -> None:
    """Start another robot where one has ended."""
    page.frames.clear()
    process = graph.launch('sphere_step', *FREE, *settings('duration=1000'))
    page.until(lambda: page.last.time > 0.1 and not page.last.progress.ended)
    graph.wait_until(lambda: page.source.description().title == 'sphere', LONGEST)
    assert page.last.joints.shape == (1,)
    process.send_signal(signal.SIGINT)
    process.wait(LONGEST)


def test_a_collision_is_shown_with_its_link_and_the_obstacle(graph: Any, pages: Any) -> None:
    pytest.importorskip('pybullet')
    page = pages()
    process = graph.launch('yumi_collision', *FREE, *settings('duration=1000'))
    page.wait()
    page.until(lambda: page.last.alarm is not None and page.last.alarm.link)
    process.send_signal(signal.SIGINT)
    alarm = page.last.alarm
    assert alarm is not None
    assert alarm.kind in ('push', 'impact')
    assert alarm.link in page.source.description().model.links
    assert alarm.margin > 1.0
    process.wait(LONGEST)


def test_the_launch_shows_a_page_that_ends_with_the_graph(graph: Any) -> None:
    pytest.importorskip('viser')
    graph.environment['BROWSER'] = 'true'  # opens none
    process = graph.launch('sphere_step', *FREE, '--view', *settings('duration=1000'))
    graph.wait_until(lambda: 'http://127.0.0.1:' in graph.output, LONGEST)
    process.send_signal(signal.SIGINT)
    assert process.wait(LONGEST) == 130, graph.output
    graph.wait_until(lambda: not graph.pids(), LONGEST)


def test_a_page_without_a_graph_says_what_it_waits_for(graph: Any) -> None:
    pytest.importorskip('viser')
    process = graph.start(
        *(sys.executable, '-m', 'simloop_ros.cli.main', 'view', '--graph'),
        *('--namespace', 'left', '--no-browser', '--port', '0'),
    )
    line = 'simloop: waiting for a graph in /left: nobody publishes joint_states yet'
    graph.wait_until(lambda: line in graph.output, LONGEST)
    process.send_signal(signal.SIGINT)
    assert process.wait(LONGEST) == 0
    assert graph.output.splitlines() == [line]
