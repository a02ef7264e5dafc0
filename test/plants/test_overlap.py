"""A robot inside an obstacle: the ball has a radius of 0.1 m and starts at the origin."""

import numpy as np
import pytest

from simloop_ros.core.errors import ConfigError
from simloop_ros.plants.config import Obstacle
from simloop_ros.plants.overlap import refuse_overlap

INSIDE = {
    'plane': Obstacle(kind='plane', position=(0, 0, 0.05), normal=(0, 0, -1)),
    'box': Obstacle(kind='box', position=(0.14, 0, 0)),
    'sphere': Obstacle(kind='sphere', position=(0, 0.19, 0)),
}
OUTSIDE = {
    'plane': Obstacle(kind='plane', position=(0, 0, 0.11), normal=(0, 0, -2)),
    'box': Obstacle(kind='box', position=(0.16, 0, 0)),
    'sphere': Obstacle(kind='sphere', position=(0, 0.21, 0)),
}


@pytest.mark.parametrize('kind', INSIDE)
def test_overlap_is_refused(ball, kind):
    refuse_overlap(ball, (OUTSIDE[kind],), np.zeros(1))
    with pytest.raises(ConfigError, match=r'obstacle overlaps .* at the start'):
        refuse_overlap(ball, (OUTSIDE[kind], INSIDE[kind]), np.zeros(1))


def test_the_position_counts(ball):
    refuse_overlap(ball, (INSIDE['plane'],), np.array([-0.06]))
