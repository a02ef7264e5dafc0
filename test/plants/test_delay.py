"""Delay: old readings, exactly."""

import numpy as np

from simloop_ros.core.values import JointState


def test_a_reading_is_the_one_of_delay_periods_ago(build, arm):
    late, prompt = build(arm, 0.001, delay=4), build(arm, 0.001)
    seen = [prompt.observe()]
    for step in range(30):
        late.step(np.ones(7))
        prompt.step(np.ones(7))
        seen.append(prompt.observe())
        assert np.array_equal(late.observe(), seen[max(step + 1 - 4, 0)])


def test_noise_arrives_late_too(build, arm):
    late = build(arm, 0.001, delay=2, noise=0.1)
    prompt = build(arm, 0.001, noise=0.1)
    seen = []
    for _ in range(10):
        late.step(np.ones(7))
        prompt.step(np.ones(7))
        seen.append(prompt.observe())
    assert np.array_equal(late.observe(), seen[-3])


def test_the_start_repeats_its_first_reading(build, block):
    plant = build(block, 0.001, delay=3)
    plant.step(np.ones(1))
    plant.start(JointState(np.array([0.5]), np.array([1.0])))
    for _ in range(3):
        assert plant.observe() == np.array([0.5])
        plant.step(np.zeros(1))
    assert plant.observe() == np.array([0.5])
    plant.step(np.zeros(1))
    assert plant.observe() > np.array([0.5])
