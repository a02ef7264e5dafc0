"""Run one scenario in process: ``ros2 launch simloop_ros simloop.launch.py scenario:=NAME``."""

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, ExecuteProcess
from launch.substitutions import LaunchConfiguration
from launch_ros.substitutions import ExecutableInPackage


def generate_launch_description() -> LaunchDescription:
    """Describe the run: the scenario's name and the folder for its results."""
    return LaunchDescription(
        [
            DeclareLaunchArgument('scenario', default_value='yumi_step', description='its name'),
            DeclareLaunchArgument(
                'out',
                default_value=['runs/', LaunchConfiguration('scenario')],
                description='folder for the results',
            ),
            # Not a Node: simloop run is a plain program and knows no --ros-args.
            ExecuteProcess(
                cmd=[
                    ExecutableInPackage('simloop', 'simloop_ros'),
                    'run',
                    LaunchConfiguration('scenario'),
                    '--out',
                    LaunchConfiguration('out'),
                ],
                output='screen',
            ),
        ]
    )
