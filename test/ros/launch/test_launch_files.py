"""The launch files: one per scenario, thin; and with the real ``ros2 launch`` they do it."""

from __future__ import annotations

import ast
from collections.abc import Callable
from importlib.machinery import SourceFileLoader
from importlib.util import find_spec, module_from_spec, spec_from_loader
import json
import os
from pathlib import Path
import re
import shutil
import signal
import subprocess
import sys
import time
from types import ModuleType
from xml.etree import ElementTree as ET

import pytest

from simloop_ros.cli.main import main
from simloop_ros.scenario.loading import scenario_names

ROOT = Path(__file__).resolve().parents[3]
SUFFIX = '.launch.py'
FILES = sorted((ROOT / 'launch').glob('*'))
LAUNCH_FILES = [path for path in FILES if path.name.endswith(SUFFIX)]
NOT_OF_A_SCENARIO = {'robot', 'simloop', 'view_robot'}
SETTINGS = {'step': ['robot=two_link', 'planner.move=[[0.1, 0, 0.1]]']}
"""What has to be added to a shipped scenario before it runs."""
SHORT = 'duration=0.1'
PATIENCE = 120.0  # for a graph on a busy machine [s]
ENDING = 10.0  # longest time from SIGINT to the end on a busy machine [s]; 2 s on a free one
STARTED = re.compile(r'process started with pid \[(\d+)\]')
DOMAIN = str(1 + os.getpid() % 100)  # beyond 101 the ports lie where Linux takes those of its own
SOURCES = ('config', 'launch', 'resource', 'simloop_ros', 'urdf')
FILES_BESIDE = ('LICENSE', 'package.xml', 'pyproject.toml', 'setup.cfg', 'setup.py')


def test_every_scenario_has_its_launch_file() -> None:
    names = {path.name.removesuffix(SUFFIX) for path in LAUNCH_FILES}
    assert names == {*scenario_names(), *NOT_OF_A_SCENARIO}
    assert [path for path in FILES if path.is_file()] == LAUNCH_FILES


@pytest.mark.parametrize('path', LAUNCH_FILES, ids=lambda path: path.name)
def test_a_launch_file_is_thin(path: Path) -> None:
    tree = ast.parse(path.read_text())
    constants = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    texts = [value for value in constants if ast.get_docstring(tree) != value]
    assert all(isinstance(value, str) for value in texts)
    (call,) = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    name = path.name.removesuffix(SUFFIX)
    assert [ast.unparse(argument) for argument in call.args] == (
        [] if name == 'view_robot' else ['__file__']
    )
    assert not call.keywords
    if name not in NOT_OF_A_SCENARIO:
        assert os.readlink(path) == 'simloop.launch.py'


@pytest.mark.parametrize('path', LAUNCH_FILES, ids=lambda path: path.name)
def test_a_launch_file_describes_the_scenario_that_it_is_called_after(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Loaded as ``launch`` does it, without that package: the link's own name counts."""
    described = ModuleType('launch_description')
    described.describe_scenario = lambda file: Path(file).name  # type: ignore[attr-defined]
    described.describe_robot_view = lambda: 'view_robot.launch.py'  # type: ignore[attr-defined]
    launch = ModuleType('launch')
    launch.LaunchDescription = object  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, 'launch', launch)
    monkeypatch.setitem(sys.modules, 'simloop_ros.ros.launch.launch_description', described)
    loader = SourceFileLoader('python_launch_file', str(path))
    spec = spec_from_loader(loader.name, loader)
    assert spec
    module = module_from_spec(spec)
    loader.exec_module(module)
    assert module.generate_launch_description() == path.name


def test_the_package_names_what_the_launch_files_start() -> None:
    from simloop_ros.ros.launch.view import read_description, sliders, view_scenario

    depends = {element.text for element in ET.parse(ROOT / 'package.xml').iter('exec_depend')}
    viewers = view_scenario(read_description('sphere'), '', use_sim_time=False)
    assert {'rclpy', 'launch', 'launch_ros', 'ros2launch'} <= depends
    assert {node.package for node in (*viewers, sliders(''))} <= depends


needs_launch = pytest.mark.skipif(
    find_spec('launch_ros') is None, reason='launch_ros is not installed'
)
Launch = Callable[..., subprocess.Popen[str]]


@pytest.fixture(scope='module')
def prefix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the package where ``ros2 launch`` finds it, with its programs in ``lib``."""
    folder = tmp_path_factory.mktemp('prefix')
    source = tmp_path_factory.mktemp('source')
    for name in SOURCES:
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns('__pycache__'))
    for name in FILES_BESIDE:
        shutil.copy(ROOT / name, source)
    install = [sys.executable, '-m', 'pip', 'install', '--quiet', '--no-deps', '--no-index']
    install += ['--ignore-installed', '--no-build-isolation', '--prefix', str(folder)]
    subprocess.run([*install, str(source)], check=True, timeout=300)
    (folder / 'lib' / 'simloop_ros').symlink_to(folder / 'bin')
    return folder


@pytest.fixture
def launch(prefix: Path, tmp_path: Path) -> Launch:
    """Return what starts ``ros2 launch``."""
    (package,) = prefix.rglob('simloop_ros/core/resources.py')
    paths = [package.parents[2], os.environ.get('PYTHONPATH', '')]
    prefixes = [prefix, os.environ.get('AMENT_PREFIX_PATH', ''), sys.prefix]
    environment = os.environ | {
        'PYTHONPATH': os.pathsep.join(str(path) for path in paths if str(path)),
        'AMENT_PREFIX_PATH': os.pathsep.join(str(path) for path in prefixes if str(path)),
        'ROS_DOMAIN_ID': DOMAIN,
        'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST',
        'ROS_LOG_DIR': str(tmp_path / 'ros_log'),
    }

    def start(file: str, *arguments: str) -> subprocess.Popen[str]:
        ros2 = [sys.executable, '-c', 'from ros2cli.cli import main; raise SystemExit(main())']
        return subprocess.Popen(
            [*ros2, 'launch', 'simloop_ros', f'{file}{SUFFIX}', *arguments],
            cwd=tmp_path,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            # A shell's background job ignores SIGINT, and so would what it starts.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )

    return start


def nobody_is_left(output: str) -> bool:
    """Return whether all processes that were started have ended."""
    started = STARTED.findall(output)
    assert started
    return not [pid for pid in started if Path(f'/proc/{pid}').exists()]


def catches_sigterm(pid: str) -> bool:
    """Return whether a process has got so far that it ends cleanly; Python does not by itself."""
    status = Path(f'/proc/{pid}/status').read_text()
    (mask,) = re.findall(r'^SigCgt:\s*(\w+)$', status, re.MULTILINE)
    return bool(int(mask, 16) >> (signal.SIGTERM - 1) & 1)


def digest(folder: Path) -> str:
    return json.loads((folder / 'summary.json').read_text())['digest']


@needs_launch
@pytest.mark.parametrize(
    ('name', 'arguments'),
    [
        *((name, ()) for name in scenario_names()),
        ('yumi_step', ('composed:=true',)),
        ('sphere_step', ('namespace:=left/arm',)),
    ],
)
def test_lockstep_is_the_run_bit_for_bit(
    launch: Launch, tmp_path: Path, name: str, arguments: tuple[str, ...]
) -> None:
    settings = [*SETTINGS.get(name, []), SHORT]
    graph = launch(
        name, f'out:={tmp_path / "graph"}', f'settings:={";".join(settings)}', *arguments
    )
    output, _ = graph.communicate(timeout=PATIENCE)
    assert graph.returncode == 0, output
    assert nobody_is_left(output)
    alone = [part for setting in settings for part in ('--set', setting)]
    assert main(['run', name, *alone, '--out', str(tmp_path / 'run')]) == 0
    assert digest(tmp_path / 'graph') == digest(tmp_path / 'run'), output


@needs_launch
def test_any_scenario_by_name(launch: Launch, tmp_path: Path) -> None:
    given = ['scenario:=sphere_step', 'period:=0.001', 'plant:=mujoco', f'settings:={SHORT}']
    graph = launch('simloop', *given)
    output, _ = graph.communicate(timeout=PATIENCE)
    assert graph.returncode == 0, output
    summary = json.loads((tmp_path / 'runs' / 'sphere_step' / 'summary.json').read_text())
    assert (summary['period'], summary['plant'], summary['steps']) == (0.001, 'mujoco', 100)


@needs_launch
@pytest.mark.parametrize(
    'arguments',
    [('record:=false',), ('plant:=none', 'realtime:=true'), ('composed:=true', 'realtime:=true')],
    ids=['lockstep', 'no plant', 'composed real time'],
)
def test_an_interrupt_ends_all(launch: Launch, arguments: tuple[str, ...]) -> None:
    graph = launch('sphere_guiding', 'settings:=duration=1000', *arguments)
    assert graph.stdout
    lines = []
    expected = 1 if 'composed:=true' in arguments else 4
    while len(started := STARTED.findall(''.join(lines))) < expected:
        lines.append(graph.stdout.readline())
        assert lines[-1], ''.join(lines)
    deadline = time.monotonic() + PATIENCE
    while not all(catches_sigterm(pid) for pid in started) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert graph.poll() is None
    begin = time.monotonic()
    graph.send_signal(signal.SIGINT)
    output, _ = graph.communicate(timeout=PATIENCE)
    assert time.monotonic() - begin < ENDING
    assert nobody_is_left(''.join(lines))
    assert 'died' not in output
    assert 'Traceback' not in output


@needs_launch
@pytest.mark.parametrize(
    ('file', 'arguments', 'reason'),
    [
        ('simloop', ['scenario:=sphere_stp'], "unknown scenario 'sphere_stp': did you mean"),
        ('simloop', [], "missing required argument 'scenario'"),
        ('step', [], 'step: no robot given'),
        ('sphere_step', ['plant:=none'], 'time has to be real'),
        ('sphere_step', ['plant:=bullet'], "unknown value 'bullet'"),
        ('sphere_step', ['composed:=perhaps'], 'composed:=perhaps is neither true nor false'),
        ('sphere_step', ['settings:=perod=1'], "unknown key 'perod'"),
        ('view_robot', ['robot:=yummi'], "unknown robot 'yummi'"),
    ],
)
def test_mistakes_are_one_line(
    launch: Launch, file: str, arguments: list[str], reason: str
) -> None:
    graph = launch(file, *arguments)
    output, _ = graph.communicate(timeout=PATIENCE)
    assert graph.returncode == 1
    (line,) = (line for line in output.splitlines() if '[ERROR]' in line)
    assert reason in line
    assert 'Traceback' not in output
    assert not STARTED.search(output)


@needs_launch
def test_a_node_that_fails_ends_the_graph(launch: Launch) -> None:
    """The goal is out of reach, which the planner finds when it is configured."""
    graph = launch('sphere_step', 'settings:=planner.move=[[0,0,1000]]')
    output, _ = graph.communicate(timeout=PATIENCE)
    assert graph.returncode == 1
    assert 'ended with status 2' in output
    assert nobody_is_left(output)
