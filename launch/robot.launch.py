"""Run a scenario on a real robot: ``ros2 launch simloop_ros robot.launch.py driver:=ur5e``.

``ros2 launch -s`` shows the arguments; the robot is given as ``settings:="robot=my_ur5e.yaml"``.
"""

from launch import LaunchDescription

from simloop_ros.ros.launch.launch_description import describe_scenario


def generate_launch_description() -> LaunchDescription:
    """Describe the graph."""
    return describe_scenario(__file__)
