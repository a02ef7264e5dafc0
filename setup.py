from pathlib import Path

from setuptools import find_packages, setup

NAME = 'simloop_ros'
HERE = Path(__file__).resolve().parent
NODES = (
    'admittance',
    'bimanual',
    'collision_monitor',
    'composed',
    'control_simulation',
    'motion_planner',
    'plant',
    'recorder',
    'robot_follower',
    'robotstudio',
    'teach',
)


def version() -> str:
    """Read the version without importing the package, whose requirements may not be there yet."""
    for line in (HERE / NAME / '__init__.py').read_text().splitlines():
        if line.startswith('__version__'):
            return line.split("'")[1]
    raise RuntimeError(f'no __version__ in {NAME}/__init__.py')


def share(folder: str) -> list[tuple[str, list[str]]]:
    """Return the data files of a folder and all below it, for the package's share folder."""
    files: dict[str, list[str]] = {}
    for path in sorted((HERE / folder).rglob('*')):
        if path.is_file() and '__pycache__' not in path.parts:
            relative = path.relative_to(HERE)
            files.setdefault(f'share/{NAME}/{relative.parent.as_posix()}', []).append(
                relative.as_posix()
            )
    return list(files.items())


setup(
    name=NAME,
    version=version(),
    description='Simulation in the control loop of collaborative robot arms',
    license='Apache-2.0',
    packages=find_packages(include=[NAME, f'{NAME}.*']),
    data_files=[
        ('share/ament_index/resource_index/packages', [f'resource/{NAME}']),
        (f'share/{NAME}', ['package.xml']),
        *share('urdf'),
        *share('config'),
        *share('launch'),
        *share('examples'),
    ],
    zip_safe=False,
    python_requires='>=3.10',
    install_requires=[
        'argcomplete',
        'matplotlib',
        'mcap',
        'msgspec',
        'mujoco',
        'numpy',
        'pin>=4',  # Pinocchio, with coal; the PyPI project called pinocchio is something else
        'pybullet; python_version < "3.12"',  # no wheels for newer ones: there it is an extra
        'pyyaml',
        'rich',
        'ruckig',
        'scipy',
        'toppra',
        'xacro',
        'zstandard',
    ],
    extras_require={
        'free': ['ompl>=2'],  # planner.kind free
        'pybullet': ['pybullet'],
        'ros': [
            'ros-diagnostic-msgs',
            'ros-geometry-msgs',
            'ros-rclpy[fastrtps]',
            'ros-sensor-msgs',
            'ros-std-msgs',
            'ros-std-srvs',
            'ros-trajectory-msgs',
            'ros-visualization-msgs',
        ],
        'test': [
            'example-robot-data',
            'hypothesis',
            'jsonschema',
            'mcap-ros2-support',
            'mkdocs',
            'mypy',
            'ompl>=2',
            'pytest',
            'pytest-xdist',
            'rosbags',
            'ruff',
            'selenium',
            'setuptools>=70.1',  # the tests install the package without network
            'types-PyYAML',
            'viser>=1.1',
        ],
        'view': ['viser>=1.1'],
    },
    entry_points={
        'console_scripts': [
            'simloop = simloop_ros.cli.start:main',
            *(f'{node} = {NAME}.nodes.{node}:main' for node in NODES),
        ]
    },
)
