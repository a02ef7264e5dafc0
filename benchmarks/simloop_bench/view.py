"""``simloop bench view``: what the page does to the loop, and the loop to the page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
import tempfile
import time
from typing import Any

from simloop_ros.assembly.assemble import assemble
from simloop_ros.core.errors import MissingDependencyError, SimloopError
from simloop_ros.record.run_folder import RunFolder
from simloop_ros.record.run_recorder import RunRecorder
from simloop_ros.scenario.loading import load_scenario
from simloop_ros.scenario.scenario import Scenario
from simloop_ros.view.actions import LoadScenario, Play, Reset, SetSpeed
from simloop_ros.view.frame import Frame, Progress
from simloop_ros.view.live.live_run import LiveRun
from simloop_ros.view.live.live_source import LiveSource
from simloop_ros.view.live.worker import LOOK_EVERY
from simloop_ros.view.source import Source

from .chromium import chromium, missing
from .result import BenchResult, Limit
from .timing import best_of

SCENARIO, SETTINGS = 'yumi_step', ('period=0.002',)
BARE, RECORDED, VIEW = 'bare loop', 'loop and log of simloop run', 'view, nobody looks'
"""What is compared; the view has the signals of the last steps instead of a log."""
ROUNDS = 3
"""Of the costs of a step, for each build of the blocks."""
SIZE = 1280, 800
"""Of the browser's page [pixels]."""
LIMITS = {
    'real_time_factor': Limit(at_least=0.99, at_most=1.01),
    'late_share': Limit(at_most=0.01),
    'frames_per_s': Limit(at_least=30.0),
    'cost_share_unattached': Limit(at_most=0.02),
}
LOADING = 90.0
"""Time in which the page has to be shown [s]."""
WARMING = 2.0
"""Time between the first frame of the browser and the measurement [s]."""
COUNT_FRAMES = """
window.simloopFrames = 0;
const count = () => { window.simloopFrames += 1; requestAnimationFrame(count); };
requestAnimationFrame(count);
"""


def bench_view(quick: bool, progress: Callable[[str, float], None]) -> BenchResult:
    """Return the figures and rows of the benchmark.

    :param quick: shorter, and built once.
    :param progress: told what is being done and the share that is done.
    """
    duration, builds, steps = (5.0, 1, 500) if quick else (60.0, 16, 2000)
    scenario = load_scenario(SCENARIO, SETTINGS)
    costs = _costs(scenario, builds, steps, progress)
    rows: list[dict[str, Any]] = [
        {'what': f'{what}, a step', 'us_per_step': 1e6 * cost} for what, cost in costs.items()
    ]
    figures, shown = _run(duration, progress)
    figures['cost_share_unattached'] = costs[VIEW] / costs[BARE] - 1.0
    figures['cost_share_beside_run'] = costs[VIEW] / costs[RECORDED] - 1.0
    return BenchResult(figures=figures, limits=LIMITS, rows=[*rows, shown])


def _costs(
    scenario: Scenario, builds: int, steps: int, progress: Callable[[str, float], None]
) -> dict[str, float]:
    """Return the processor's time of a step of the loop, bare and in a view [s].

    The best of several builds: where the blocks lie in memory is a percent of a step.
    """
    found = []
    for build in range(builds):
        found.append(_costs_of_build(scenario, steps))
        progress('cost of a step', (build + 1) / builds)
    return {what: min(costs[what] for costs in found) for what in found[0]}


def _costs_of_build(scenario: Scenario, steps: int) -> dict[str, float]:
    assembly, run = assemble(scenario), LiveRun(scenario)
    run.take(SetSpeed(0.0), 0.0)
    run.take(Play(), 0.0)
    bare = assembly.loop
    start = bare.snapshot()

    def loop() -> int:
        bare.restore(start)
        for _ in range(steps):
            bare.step()
        return steps

    def view() -> int:
        run.take(Reset(), 0.0)
        while run.index < steps:
            run.play(time.perf_counter, time.perf_counter() + LOOK_EVERY)
        return run.index

    try:
        with (
            tempfile.TemporaryDirectory() as folder,
            RunFolder(Path(folder) / 'run') as results,
            RunRecorder(assembly.facts, results) as recorder,
        ):

            def recorded() -> int:
                bare.restore(start)
                for _ in range(steps):
                    recorder.take(bare.step())
                return steps

            candidates = {BARE: loop, RECORDED: recorded, VIEW: view}
            return best_of(candidates, ROUNDS, clock=time.thread_time)
    finally:
        bare.plant.close()
        run.close()


class _Watched:
    """A source whose last frame is kept."""

    def __init__(self, source: Source):
        self._source = source
        self.last: Frame | None = None
        self.description, self.notices = source.description, source.notices
        self.send, self.close = source.send, source.close

    def frame(self) -> Frame | None:
        """Return what the source gives."""
        frame = self._source.frame()
        self.last = frame or self.last
        return frame

    @property
    def moment(self) -> tuple[float, Progress]:
        """Return the simulated time of the last frame [s], and how the run goes."""
        assert self.last is not None
        return self.last.time, self.last.progress


def _run(
    duration: float, progress: Callable[[str, float], None]
) -> tuple[dict[str, float], dict[str, Any]]:
    """Run in real time for a while [s] with the page open, and return figures and a row."""
    try:
        from simloop_ros.view.page.page import Page
        from simloop_ros.view.page.server import serve
    except ImportError as error:
        raise MissingDependencyError(
            "bench view needs viser: pip install 'simloop_ros[view]'"
        ) from error
    source = _Watched(LiveSource(LoadScenario(SCENARIO, SETTINGS), time.perf_counter))
    try:
        served = serve(port=0)
        try:
            page = Page(served.server, source)

            def turn_for(seconds: float, what: str) -> None:
                end = time.perf_counter() + seconds
                page.run(time.perf_counter, time.sleep, lambda: time.perf_counter() < end)
                progress(what, 1.0)

            if missing():
                progress(f'no page, because there is no browser: {missing()}', 0.0)
                return _without_browser(source, duration)
            with chromium(*SIZE) as driver:
                driver.get(served.address)
                _wait_for_canvas(driver, turn_for)
                turn_for(WARMING, 'the page is there')
                return _measured(page, source, driver, duration, turn_for)
        finally:
            served.stop()
    finally:
        source.close()


def _wait_for_canvas(driver: Any, turn_for: Callable[[float, str], None]) -> None:
    begin = time.perf_counter()
    while not driver.execute_script('return document.querySelector("canvas") !== null'):
        if time.perf_counter() - begin > LOADING:
            raise SimloopError(f'bench view: the page is not shown after {LOADING:g} s')
        turn_for(0.2, 'the page is loaded')


def _measured(
    page: Any,
    source: _Watched,
    driver: Any,
    duration: float,
    turn_for: Callable[[float, str], None],
) -> tuple[dict[str, float], dict[str, Any]]:
    """Return figures and a row of a run with its page open."""
    driver.execute_script(COUNT_FRAMES)
    source.send(Reset())
    source.send(Play())  # counts late periods from now on
    turn_for(0.5, 'the robot moves')
    before = float(driver.execute_script('return window.simloopFrames'))
    turn_for(0.1, 'the robot moves')
    first, begin, (from_time, _) = page.frames, time.perf_counter(), source.moment
    turn_for(duration, 'with the page open')
    elapsed, (to_time, progress) = time.perf_counter() - begin, source.moment
    drawn = float(driver.execute_script('return window.simloopFrames')) - before
    sent = (page.frames - first) / elapsed
    figures = {
        'real_time_factor': (to_time - from_time) / elapsed,
        'late_share': progress.late_share,
        'frames_per_s': min(sent, drawn / elapsed),
    }
    row = {
        'what': f'page open for {elapsed:.0f} s',
        'sent_per_s': sent,
        'drawn_per_s': drawn / elapsed,
    }
    return figures, row


def _without_browser(source: _Watched, duration: float) -> tuple[dict[str, float], dict[str, Any]]:
    """Return figures and a row of a run that nobody looks at."""
    source.send(Play())
    begin, (from_time, _) = time.perf_counter(), _next_moment(source)
    time.sleep(duration)
    to_time, progress = _next_moment(source)
    elapsed = time.perf_counter() - begin
    figures = {
        'real_time_factor': (to_time - from_time) / elapsed,
        'late_share': progress.late_share,
    }
    return figures, {'what': f'no browser, {elapsed:.0f} s'}


def _next_moment(source: _Watched) -> tuple[float, Progress]:
    source.frame()
    frame = None
    while frame is None:
        time.sleep(0.002)
        frame = source.frame()
    return source.moment
