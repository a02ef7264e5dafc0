"""No two texts of a figure overlap, and none leaves the canvas."""

from __future__ import annotations

from itertools import combinations
import json
from pathlib import Path
import time
from typing import Any

from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox
import numpy as np
import pytest

from simloop_ros.assembly.assemble import assemble
from simloop_ros.assembly.run import run
from simloop_ros.report.bimanual_figures import draw_internal_forces
from simloop_ros.report.contact_peak import ForceCourse
from simloop_ros.report.drawing import Mark
from simloop_ros.report.monitor_figures import monitor_curves
from simloop_ros.report.page import run_figures
from simloop_ros.scenario.loading import load_scenario

RUNS = {
    'sphere_step': ('duration=0.3', 'plant.mass_bias=0.1'),
    'yumi_collision': (
        'duration=0.6',
        'graphs=[residual, force_difference, velocity_comparison, tip_path_3d]',
    ),
    'lwr_full_body': (
        'duration=1',
        'plant.hands=[{link: lwr_4_link, stiffness: 500, damping: 30, max_force: 40, start: 0.1, '
        'end: 0.95, path: {kind: line, velocity: [0, 0.1, 0]}}]',
        'graphs=[external_torque, tip_path_3d, tip_path_plane, joint_velocities]',
    ),
    'workerbot_bump': (
        'bimanual.tasks=[{do: approach, path: cp, clearance: 0.005, durations: [0.15]}, '
        '{do: grasp, squeeze: 20, durations: [0.15]}, {do: hold, duration: 0.1}, '
        '{do: move, by: [0, 0.01, 0.02], turn: [0, 0, 0.1], duration: 0.25}]',
        'plant.pushes=[{link: wb_link_5_l, start: 0.45, duration: 0.02, force: [0, 0, -100]}]',
        'graphs=[internal_force, path_correction, hand_positions, carried_object, tip_path_plane, '
        'tip_path_3d, joint_angles]',
    ),
    'irb120_rectangle': ('planner.duration=0.5',),
}
"""Scenarios with many joints and events, short: their marks are close together."""
TOUCH = 1.0
"""Overlap of two boxes that no eye sees [dot]."""


@pytest.fixture(scope='module', params=RUNS)
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place: Path = tmp_path_factory.mktemp(request.param)
    scenario = load_scenario(request.param, RUNS[request.param])
    run(assemble(scenario), place, time.perf_counter)
    return place


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> dict[int, Text]:
    """Return all texts that the renderer gets, by their identity."""
    texts: dict[int, Text] = {}
    draw_text = RendererAgg.draw_text

    def keep(self: RendererAgg, *args: Any, mtext: Text | None = None, **more: Any) -> None:
        if mtext is not None:
            texts[id(mtext)] = mtext
        draw_text(self, *args, mtext=mtext, **more)

    monkeypatch.setattr(RendererAgg, 'draw_text', keep)
    return texts


def box_of(text: Text) -> Bbox:
    """Return the box of a text; of a slanted one only its middle, for its box is mostly empty."""
    # A label's white background is no text.
    box = text.get_window_extent()
    if text.get_rotation() % 90.0:
        x, y = (box.x0 + box.x1) / 2.0, (box.y0 + box.y1) / 2.0
        return Bbox([[x - 5.0, y - 5.0], [x + 5.0, y + 5.0]])
    return box


def faults(figure: Figure, drawn: dict[int, Text]) -> list[str]:
    """Return the texts of a figure that overlap, or leave it."""
    drawn.clear()
    figure.canvas.draw()
    boxes = [(text.get_text(), box_of(text)) for text in drawn.values() if text.get_text()]
    assert boxes
    found = []
    canvas = figure.bbox.padded(TOUCH)
    for text, box in boxes:
        if not (canvas.contains(box.x0, box.y0) and canvas.contains(box.x1, box.y1)):
            found.append(f'{text!r} leaves the canvas')
    for (text, box), (other, other_box) in combinations(boxes, 2):
        width = min(box.x1, other_box.x1) - max(box.x0, other_box.x0)
        height = min(box.y1, other_box.y1) - max(box.y0, other_box.y0)
        if width > TOUCH and height > TOUCH:
            found.append(f'{text!r} and {other!r} overlap')
    return found


def test_the_texts_of_all_graphs(folder: Path, drawn: dict[int, Text]) -> None:
    found = {name: faults(figure, drawn) for name, figure in run_figures(folder)}
    assert {name: each for name, each in found.items() if each} == {}


def test_marks_at_one_time_and_at_the_end(drawn: dict[int, Text]) -> None:
    steps = 1e-2 * np.arange(1, 401)
    marks = [Mark(2.0, 'push start'), Mark(2.0, 'collision'), Mark(2.001, 'stopped')]
    marks += [Mark(0.1 * k, f'task {k}') for k in range(12)] + [Mark(4.0, 'the last one')]
    course = ForceCourse('a run', steps, np.sin(steps))
    figure = draw_internal_forces([course], 'crowded', events=marks)
    assert faults(figure, drawn) == []
    shown = {text.get_text() for text in figure.axes[0].texts}
    assert {'collision', 'stopped'} <= shown


def test_the_test_finds_what_overlaps(drawn: dict[int, Text]) -> None:
    figure = draw_internal_forces([ForceCourse('a', np.arange(3.0), np.ones(3))], 'run')
    figure.text(0.5, 0.5, 'one')
    figure.text(0.51, 0.5, 'other')
    figure.text(0.99, 0.3, 'beyond the edge')
    said = faults(figure, drawn)
    assert "'one' and 'other' overlap" in said
    assert "'beyond the edge' leaves the canvas" in said


def test_the_monitor_sees_in_the_log_what_it_saw_in_the_run(folder: Path) -> None:
    """Its residual is beyond the threshold in the step of each collision, and not before."""
    summary = json.loads((folder / 'summary.json').read_text())
    if not summary['settings']['monitor']['calibration']:
        pytest.skip('nothing is detected')
    curves = monitor_curves(folder, summary)
    found = [event['time'] for event in summary['events'] if event['kind'] == 'collision']
    (beyond,) = np.nonzero(curves.share >= 1.0)
    assert curves.time[beyond[0]] == pytest.approx(found[0], abs=1e-9)
    assert np.nanmax(curves.share[: beyond[0]]) < 1.0
