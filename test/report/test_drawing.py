"""What all figures are drawn with."""

from __future__ import annotations

from matplotlib.lines import Line2D
import numpy as np

from simloop_ros.report.drawing import Mark, empty_figure, head, readable

TIME = np.linspace(0.0, 20.0, 201)


def test_a_late_stop_is_marked_before_the_names_of_tasks() -> None:
    tasks = [Mark(float(k), f'task {k}') for k in range(1, 16)]
    late = [Mark(18.0, 'collision'), Mark(19.0, 'stopped')]
    assert readable([*tasks, *late], TIME) == [*tasks[:10], *late]
    assert readable(tasks, TIME) == tasks[:12]


def test_marks_outside_and_repeats_are_left_out() -> None:
    kept = [Mark(1.0, 'stopped'), Mark(1.2, 'push'), Mark(3.0, 'stopped')]
    others = [Mark(-1.0, 'push'), Mark(1.5, 'stopped'), Mark(20.5, 'stopped')]
    assert readable([*others, *kept], TIME) == kept
    assert readable(kept, np.empty(0)) == []


def test_a_legend_of_two_rows_is_read_from_left_to_right() -> None:
    figure, _ = empty_figure(1, 1, 2.0)
    names = [f'a_joint_with_a_name_{k}' for k in range(7)]
    head(figure, [Line2D([], []) for _ in names], names, 'seen', 'run')
    figure.draw_without_rendering()
    boxes = [(text.get_window_extent(), text.get_text()) for text in figure.legends[0].get_texts()]
    read = sorted(boxes, key=lambda entry: (-round(entry[0].y0), entry[0].x0))
    assert len({round(box.y0) for box, _ in boxes}) == 2
    assert [name for _, name in read] == names
