"""Run the scenario yumi_guiding as a graph; ``ros2 launch -s`` shows the arguments."""

from launch import LaunchDescription

from simloop_ros.ros.launch.launch_description import describe_scenario


def generate_launch_description() -> LaunchDescription:
    """Describe the graph."""
    return describe_scenario('yumi_guiding')
