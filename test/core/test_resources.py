"""The package finds its files however it is installed."""

from __future__ import annotations

import os
from pathlib import Path
import shutil
import subprocess
import sys

import pytest

from simloop_ros.core import resources
from simloop_ros.core.errors import SimloopError, UnknownNameError

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ('config', 'examples', 'launch', 'resource', 'simloop_ros', 'urdf')
FILES = ('LICENSE', 'package.xml', 'pyproject.toml', 'setup.cfg', 'setup.py')


def test_source_tree_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('AMENT_PREFIX_PATH', '/nowhere')
    assert resources.resource_folder('urdf') == ROOT / 'urdf'
    assert (resources.resource_folder('config') / 'robots' / 'yumi.yaml').is_file()
    assert (resources.resource_folder('launch') / 'simloop.launch.py').is_file()


def test_unknown_kind() -> None:
    with pytest.raises(UnknownNameError, match='did you mean urdf'):
        resources.resource_folder('urfd')


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Move the package to where nothing is installed, and return its folder."""
    package = tmp_path / 'lib' / 'python3' / 'site-packages' / 'simloop_ros'
    package.mkdir(parents=True)
    monkeypatch.setattr(resources, '__file__', str(package / 'core' / 'resources.py'))
    monkeypatch.setattr(sys, 'prefix', str(tmp_path / 'python'))
    monkeypatch.setenv('AMENT_PREFIX_PATH', '')
    monkeypatch.setattr('site.getuserbase', lambda: str(tmp_path / 'user'))
    return package


@pytest.mark.parametrize('prefix', ['.', 'ament', 'python', 'user'])
def test_prefixes(
    elsewhere: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, prefix: str
) -> None:
    assert elsewhere.is_dir()
    monkeypatch.setenv('AMENT_PREFIX_PATH', f'/nowhere:{tmp_path / "ament"}')
    folder = tmp_path / prefix / 'share' / 'simloop_ros' / 'urdf'
    folder.mkdir(parents=True)
    assert resources.resource_folder('urdf').samefile(folder)


def test_nothing_installed(elsewhere: Path) -> None:
    with pytest.raises(SimloopError, match=f'{elsewhere}.*install the package again'):
        resources.resource_folder('urdf')


OFFLINE = ('--quiet', '--no-deps', '--no-build-isolation', '--no-index')


@pytest.fixture(scope='module')
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build from a copy of the sources, so that nothing is left in the tree under test."""
    folder, built = (tmp_path_factory.mktemp(name) for name in ('source', 'built'))
    for name in SOURCES:
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns('__pycache__'))
    for name in FILES:
        shutil.copy(ROOT / name, folder)
    build = [sys.executable, '-m', 'pip', 'wheel', *OFFLINE, '--wheel-dir', str(built)]
    subprocess.run([*build, str(folder)], check=True, timeout=300)
    (found,) = built.glob('simloop_ros-*.whl')
    return found


@pytest.mark.parametrize('how', ['--prefix', '--target'])
def test_installation(wheel: Path, tmp_path: Path, how: str) -> None:
    """Install with pip, then load a robot in an interpreter that sees only the installed files."""
    install = [sys.executable, '-m', 'pip', 'install', *OFFLINE, '--ignore-installed']
    install += ['--no-compile', how, str(tmp_path / 'here'), str(wheel)]
    subprocess.run(install, check=True, timeout=300)
    (package,) = (tmp_path / 'here').rglob('simloop_ros/core/resources.py')
    script = """if True:
        import msgspec
        from simloop_ros.core import resources
        from simloop_ros.robot.config import RobotConfig
        from simloop_ros.robot.loading import load_robot
        text = (resources.resource_folder('config') / 'robots' / 'yumi.yaml').read_bytes()
        config = msgspec.yaml.decode(text, type=RobotConfig)
        print(resources.__file__)
        print(load_robot(config, resources.resource_folder('urdf')).n)
        print(resources.resource_folder('launch'))
    """
    environment = os.environ | {'PYTHONPATH': str(package.parents[2]), 'AMENT_PREFIX_PATH': ''}
    run = [sys.executable, '-c', script]
    output = subprocess.run(
        run, check=True, timeout=120, cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    share = tmp_path / 'here' / 'share'
    assert output.stdout.split() == [str(package), '14', str(share / 'simloop_ros' / 'launch')]
    assert (share / 'ament_index' / 'resource_index' / 'packages' / 'simloop_ros').is_file()
    assert (share / 'simloop_ros' / 'package.xml').is_file()
    nodes = {path.stem for path in (ROOT / 'simloop_ros' / 'nodes').glob('[!_]*.py')}
    scripts = {path.name for path in (tmp_path / 'here' / 'bin').iterdir()}
    assert scripts == {'simloop', *nodes}
    assert (share / 'simloop_ros' / 'config' / 'rviz' / 'simloop.rviz').is_file()
    assert (share / 'simloop_ros' / 'examples' / 'two_link.py').is_file()
    launch = share / 'simloop_ros' / 'launch'
    assert {path.name for path in launch.glob('*.py')} == {
        path.name for path in (ROOT / 'launch').glob('*.py')
    }
    link = launch / 'yumi_step.launch.py'  # in the source tree
    assert link.read_text() == (launch / 'simloop.launch.py').read_text()
