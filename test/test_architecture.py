"""Who may import whom: design, section 4."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import cache
import json
from pathlib import Path
import re
import subprocess
import sys

import pytest

import simloop_ros

PACKAGE = Path(simloop_ros.__file__).parent
MODULES = sorted(PACKAGE.rglob('*.py'))
ROS = re.compile(r'^(rclpy|launch|launch_ros|ament_index_python|rosgraph_msgs|\w+_(msgs|srvs))$')
ROS_FOLDERS = ('ros', 'nodes')
GRAPH_VIEW = PACKAGE / 'view' / 'graph'
"""The one part of a room above ROS that talks to it."""
ORDER = (
    ('', 'core'),
    ('robot',),
    ('maths',),
    ('kinematics', 'world'),
    ('planning', 'control', 'plants', 'safety', 'collision', 'guiding'),
    ('bimanual', 'goals', 'identification'),
    ('reaction',),
    ('scenario',),
    ('teaching',),
    ('loop',),
    ('record',),
    ('assembly',),
    ('calibration', 'robotstudio', 'drivers', 'logs'),
    ('replay',),
    ('report', 'ros'),
    ('nodes', 'view'),
    ('cli',),
)
LAYERS = {name: i for i, names in enumerate(ORDER) for name in names}
"""A part imports from its own and from lower layers only."""
ROS_ORDER = (('messages',), ('transport', 'pacing'), ('node',), ('driver', 'launch'))
ROS_LAYERS = {name: i for i, names in enumerate(ROS_ORDER) for name in names}
"""The same inside ``ros``: neighbours do not import each other."""
ROS_MODULES = [module for module in MODULES if module.parent.parent == PACKAGE / 'ros']


def part(module: Path) -> str:
    """Return the name of the module's folder in the package, or its own if it has none."""
    first = module.relative_to(PACKAGE).parts[0].removesuffix('.py')
    return '' if first == '__init__' else first


@cache
def syntax(module: Path) -> ast.Module:
    """Return the syntax tree of a module."""
    return ast.parse(module.read_text())


@cache
def imports(module: Path) -> frozenset[str]:
    """Return every imported name in full, wherever in the file the import stands."""
    return frozenset(_imports(module))


def _imports(module: Path) -> Iterator[str]:
    package = ('simloop_ros', *module.relative_to(PACKAGE).parts[:-1])
    for node in ast.walk(syntax(module)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            base = '.'.join((*above, *([node.module] if node.module else [])))
            yield from (f'{base}.{alias.name}' for alias in node.names)


def own_imports(module: Path) -> set[str]:
    """Return the parts of the package that a module imports."""
    names = (name.split('.') for name in imports(module))
    found = {name[1] for name in names if name[0] == 'simloop_ros' and len(name) > 1}
    return {'' if name == '__version__' else name for name in found}


@cache
def used_names(module: Path) -> set[str]:
    """Return every dotted name that a module uses, as ``time.sleep``."""
    return {
        ast.unparse(node)
        for node in ast.walk(syntax(module))
        if isinstance(node, (ast.Attribute, ast.Name))
    }


def each_of(modules: list[Path]) -> Callable[[Callable[[Path], None]], Callable[[], None]]:
    """Let a test of one module be one test of them all; a test of each takes longer to collect."""

    def decorate(test: Callable[[Path], None]) -> Callable[[], None]:
        def test_all() -> None:
            assert modules
            failures = {}
            for module in modules:
                try:
                    test(module)
                except AssertionError as error:  # noqa: PERF203
                    failures[str(module.relative_to(PACKAGE))] = str(error)
            assert failures == {}

        return test_all

    return decorate


by_module = each_of(MODULES)


def test_the_walk_sees_imports_of_every_form() -> None:
    run = PACKAGE / 'assembly' / 'run.py'
    found = set(imports(run))
    assert {'pathlib.Path', 'simloop_ros.record.run_recorder.RunRecorder'} <= found
    assert 'simloop_ros.assembly.assemble.Assembly' in found  # relative, of the own folder
    assert 'numpy' in found  # a whole module
    assert own_imports(run) == {'assembly', 'core', 'record'}
    plants = PACKAGE / 'plants' / 'build.py'
    assert 'simloop_ros.plants.mujoco_plant.MujocoPlant' in imports(plants)  # in a function
    assert own_imports(PACKAGE / 'cli' / 'main.py') == {'', 'core', 'cli'}


@by_module
def test_every_module_has_a_layer(module: Path) -> None:
    assert part(module) in LAYERS


@each_of([module for module in MODULES if module != PACKAGE / '__init__.py'])
def test_imports_go_down_only(module: Path) -> None:
    """Apart from the public names of the package, which are imported when they are used."""
    own = part(module)
    for other in own_imports(module):
        assert LAYERS[other] <= LAYERS[own], f'{own} imports {other}'
        if LAYERS[own] == LAYERS[other] > 0:
            assert other == own, f'{own} and {other} are neighbours'


@each_of(ROS_MODULES)
def test_inside_ros_imports_go_down_only(module: Path) -> None:
    own = module.parent.name
    names = (name.split('.') for name in imports(module))
    others = {name[2] for name in names if name[:2] == ['simloop_ros', 'ros']}
    for other in others - {own}:
        assert ROS_LAYERS[other] < ROS_LAYERS[own], f'{own} imports {other}'


@each_of([module for module in ROS_MODULES if module.parent.name in ('messages', 'pacing')])
def test_messages_and_pacing_need_no_middleware(module: Path) -> None:
    tops = {name.split('.')[0] for name in imports(module)}
    assert 'rclpy' not in tops
    if module.parent.name == 'pacing':
        assert not [name for name in tops if ROS.match(name)]


def knows_ros(module: Path) -> bool:
    """Return whether a module may import ROS."""
    return part(module) in ROS_FOLDERS or GRAPH_VIEW in module.parents


@each_of([module for module in MODULES if not knows_ros(module)])
def test_ros_stays_in_its_folders(module: Path) -> None:
    tops = {name.split('.')[0] for name in imports(module)}
    assert not [name for name in tops if ROS.match(name)]


@each_of([module for module in MODULES if module.name != 'launch_description.py'])
def test_only_the_launch_description_knows_launch(module: Path) -> None:
    """No registry of Python packages has it, so that everything else must work without it."""
    tops = {name.split('.')[0] for name in imports(module)}
    assert not tops & {'launch', 'launch_ros', 'ament_index_python'}


@each_of([module for module in MODULES if LAYERS.get(part(module), 0) < LAYERS['loop']])
def test_blocks_have_no_clock_and_no_dice(module: Path) -> None:
    """Time and random generator are arguments."""
    tops = {name.split('.')[0] for name in imports(module)}
    assert not tops & {'time', 'datetime', 'random', 'threading', 'asyncio'}
    dice = re.compile(r'^(np|numpy)\.random\.(?!Generator$)')
    assert not [name for name in used_names(module) if dice.match(name)]


@by_module
def test_nobody_sleeps_or_asks_for_the_wall_clock(module: Path) -> None:
    forbidden = {'time.sleep', 'time.time', 'np.random.seed', 'numpy.random.seed'}
    assert not used_names(module) & forbidden


@each_of([module for module in MODULES if module.parent != PACKAGE / 'view' / 'page'])
def test_only_the_page_needs_viser(module: Path) -> None:
    assert not {'viser', 'trimesh'} & {name.split('.')[0] for name in imports(module)}


@each_of([module for module in MODULES if part(module) not in ('view', 'cli')])
def test_nobody_needs_the_view(module: Path) -> None:
    assert 'view' not in own_imports(module)


@each_of([module for module in MODULES if part(module) != 'report'])
def test_only_report_draws(module: Path) -> None:
    assert 'matplotlib' not in {name.split('.')[0] for name in imports(module)}


LOADED = """
import json, sys, time
from pathlib import Path
{body}
print(json.dumps([name for name in {names} if name in sys.modules]))
"""
EVERYTHING = """
import importlib, pkgutil, simloop_ros
for module in pkgutil.walk_packages(simloop_ros.__path__, 'simloop_ros.'):
    parts = module.name.split('.')[1:]
    if parts[0] not in ('ros', 'nodes') and parts[:2] != ['view', 'graph']:
        importlib.import_module(module.name)
"""
A_RUN = """
import tempfile

import pytest

from simloop_ros.cli.main import main
with tempfile.TemporaryDirectory() as folder:
    assert main(['run', 'sphere_step', '--set', 'duration=0.1', '--out', folder]) == 0
"""


def loaded(body: str, names: list[str]) -> list[str]:
    """Return which of the names are imported once ``body`` has run in a fresh interpreter."""
    done = subprocess.run(
        [sys.executable, '-c', LOADED.format(body=body, names=names)],
        capture_output=True,
        text=True,
        check=True,
        cwd=PACKAGE.parent,
    )
    return json.loads(done.stdout.splitlines()[-1])


def test_importing_the_package_needs_neither_pybullet_nor_ros() -> None:
    assert (
        loaded(EVERYTHING, ['pybullet', 'pybullet_data', 'rclpy', 'launch', 'sensor_msgs']) == []
    )


A_LIST = """
from simloop_ros.cli.main import main
assert main(['list']) == 0
"""
PARSERS = """
from simloop_ros.cli.arguments import ARGUMENTS
from simloop_ros.cli.completers import settings
from simloop_ros.cli.main import make_parser
for name in ARGUMENTS:
    make_parser(name)
assert settings('plant.engine=')
"""
CONFIGS = """
import importlib, simloop_ros.scenario.contradictions
for path in Path(simloop_ros.__path__[0]).glob('*/config.py'):
    importlib.import_module(f'simloop_ros.{path.parent.name}.config')
"""


ENGINES = ['pinocchio', 'mujoco', 'matplotlib', 'scipy', 'toppra']


def test_what_a_shell_asks_for_loads_neither_engine_nor_numpy() -> None:
    """Help, list and completion answer at once."""
    assert loaded(PARSERS, [*ENGINES, 'numpy', 'rich']) == []
    assert loaded(A_LIST, [*ENGINES, 'numpy', 'rich', 'msgspec']) == []


def test_reading_scenarios_loads_no_engine() -> None:
    assert loaded(CONFIGS, ENGINES) == []


@pytest.mark.parametrize('node', ['motion_planner', 'teach'])
def test_who_plans_in_the_background_has_loaded_what_it_needs(node: str) -> None:
    """On a busy machine its thread, which is not urgent, would import for half a minute."""
    pytest.importorskip('rclpy')
    names = ['scipy.interpolate', 'scipy.spatial']
    assert loaded(f'import simloop_ros.nodes.{node}', names) == names


def test_a_run_with_pinocchio_loads_no_other_engine() -> None:
    names = ['pinocchio', 'pybullet', 'mujoco', 'rclpy', 'launch']
    assert loaded(A_RUN, names) == ['pinocchio']


# What keeps the package readable


@by_module
def test_files_and_functions_fit_on_some_pages(module: Path) -> None:
    text = module.read_text()
    assert len(text.splitlines()) <= (200 if part(module) == 'nodes' else 350)
    for node in ast.walk(syntax(module)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert (node.end_lineno or 0) - node.lineno < 60, node.name


def test_a_class_name_is_found_in_one_place() -> None:
    names = [
        node.name
        for module in MODULES
        for node in syntax(module).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith('_')
    ]
    assert sorted({name for name in names if names.count(name) > 1}) == []


def test_the_loop_is_the_loop_only() -> None:
    modules = [path.name for path in (PACKAGE / 'loop').glob('*.py') if path.read_text().strip()]
    assert len(modules) <= 4
