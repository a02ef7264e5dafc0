"""Start postures: what is bad about one, and that the proposal is better."""

from __future__ import annotations

import numpy as np

from simloop_ros.planning.home import HomeSearch
from simloop_ros.robot.fit_robot import load_fit_robot
from simloop_ros.scenario.robot_files import robot_config


def test_a_stretched_arm_is_bad_and_a_bent_one_is_proposed() -> None:
    model = load_fit_robot(robot_config('two_link'))
    search = HomeSearch(model, model.tips)
    (fault,) = search.faults(np.zeros(2))
    assert 'tip cannot be moved in every direction' in fault
    better = search.propose()
    assert better is not None
    assert search.faults(better) == []
    assert abs(better[1]) > 0.1  # the elbow is bent


def test_the_arms_of_yumi_would_overlap_at_zero() -> None:
    model = load_fit_robot(robot_config('yumi'))
    search = HomeSearch(model, model.tips)
    assert search.faults(model.home) == []
    assert any('touches' in fault for fault in search.faults(np.zeros(model.n)))


def test_a_joint_at_the_end_of_its_range_is_bad() -> None:
    model = load_fit_robot(robot_config('irb120'))
    search = HomeSearch(model, model.tips)
    q = model.home.copy()
    q[0] = model.upper[0]
    assert search.faults(q) == ['joint_1 at the end of the range']
