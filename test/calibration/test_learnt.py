"""What a calibration learnt, in words: the shipped ones are of plants that are known."""

from __future__ import annotations

from simloop_ros.calibration.learnt import learnt_lines
from simloop_ros.collision.calibration import load_calibration
from simloop_ros.collision.detector import find_calibration
from simloop_ros.robot.model import RobotModel


def test_mass_and_friction_are_those_of_the_plant(yumi: RobotModel) -> None:
    """10 % heavier than the model, dry friction of 0.05 N m."""
    calibration = load_calibration(find_calibration('yumi_collision', 0.002), yumi, 0.002)
    (line,) = learnt_lines(calibration, yumi)
    assert line.startswith('the robot is about 10 % heavier than its model, and has friction of ')
    assert line.endswith(' N m that its model does not know, in 14 of 14 joints')
    low, _, high = line.partition('friction of ')[2].split()[:3]
    assert 0.04 < float(low) < 0.05 < float(high) < 0.06


def test_a_robot_as_its_model_is_called_so(sphere: RobotModel) -> None:
    calibration = load_calibration(find_calibration('sphere_collision', 0.005), sphere, 0.005)
    assert learnt_lines(calibration, sphere) == [
        'the robot is as its model says: no other mass, no friction'
    ]
