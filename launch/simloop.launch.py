"""Run a scenario as a graph: ``ros2 launch simloop_ros simloop.launch.py scenario:=NAME``."""

from launch import LaunchDescription

from simloop_ros.ros.launch.launch_description import describe_scenario


def generate_launch_description() -> LaunchDescription:
    """Describe the graph."""
    return describe_scenario()
