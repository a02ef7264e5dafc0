"""What all figures are drawn with."""

from __future__ import annotations

import numpy as np

from simloop_ros.report.drawing import Mark, readable

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
