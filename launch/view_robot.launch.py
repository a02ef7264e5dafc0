"""Show a robot in rviz: ``ros2 launch simloop_ros view_robot.launch.py robot:=yumi``."""

from launch import LaunchDescription

from simloop_ros.ros.launch.launch_description import describe_robot_view


def generate_launch_description() -> LaunchDescription:
    """Describe rviz, the state publisher and the sliders."""
    return describe_robot_view()
