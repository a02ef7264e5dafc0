"""What teaching must show: a led path is repeated, an edited pose is reached."""

from __future__ import annotations

import numpy as np
import pytest
from teach_and_repeat import (
    PATH_LIMIT,
    POSE_LIMIT,
    Led,
    edited_task,
    path_distance,
    path_task,
    play,
)

HEAVIER = ('plant.mass_bias=0.1', 'plant.noise=1e-5', 'period=0.005')


@pytest.mark.parametrize('settings', [('period=0.005',), HEAVIER], ids=['as taught', 'heavier'])
def test_a_led_path_is_repeated(led: Led, settings: tuple[str, ...]) -> None:
    path, task = path_task(led)
    assert path_distance(led, path, play(task, led.model, *settings)) < PATH_LIMIT


def test_an_edited_pose_is_reached(led: Led) -> None:
    task, goal = edited_task(led)
    pose = play(task, led.model, *HEAVIER).poses[1]
    assert np.linalg.norm(led.model.tip_positions(pose)[0] - goal) < POSE_LIMIT
