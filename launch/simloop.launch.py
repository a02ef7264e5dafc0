"""Run a scenario as a graph; ``ros2 launch -s`` shows the arguments.

``ros2 launch simloop_ros simloop.launch.py scenario:=NAME``. The launch file of each shipped
scenario, ``NAME.launch.py``, is a link to this one: it runs the scenario that it is called after.
"""

from launch import LaunchDescription

from simloop_ros.ros.launch.launch_description import describe_scenario


def generate_launch_description() -> LaunchDescription:
    """Describe the graph."""
    return describe_scenario(__file__)
