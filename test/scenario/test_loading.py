"""A scenario is typed data: what is not meant is refused, by the name of its key."""

from __future__ import annotations

from pathlib import Path

import pytest

from simloop_ros.core.errors import ConfigError, UnknownNameError
from simloop_ros.core.resources import resource_folder
from simloop_ros.scenario.loading import load_scenario
from simloop_ros.scenario.robot_files import robot_config
from simloop_ros.scenario.shipped import scenario_descriptions, scenario_names

NEEDS_A_ROBOT = {'step': ('robot=two_link',)}
"""What has to be added to a shipped scenario before it is complete."""


@pytest.mark.parametrize('name', scenario_names())
def test_every_shipped_scenario_loads(name: str) -> None:
    scenario = load_scenario(name, NEEDS_A_ROBOT.get(name, ()))
    assert scenario.name == name
    assert scenario.description == scenario_descriptions()[name]
    assert '\n' not in scenario.description


def test_the_scenarios_of_000_are_shipped() -> None:
    expected = {'sphere_step', 'sphere_offline', 'sphere_collision', 'sphere_guiding'}
    expected |= {'yumi_step', 'yumi_offline', 'step'}
    assert expected <= set(scenario_names())


@pytest.mark.parametrize(
    ('key', 'near'),
    [
        ('perod', 'period'),
        ('plants.noise', 'plant'),
        ('plant.nois', 'plant.noise'),
        ('plant.friction.coulmb', 'plant.friction.coulomb'),
        ('planner.moves', 'planner.move'),
        ('control.rolback', 'control.rollback'),
        ('robot.tip', 'robot.tips'),
    ],
)
def test_an_unknown_key_names_the_nearest(key: str, near: str) -> None:
    with pytest.raises(UnknownNameError, match=f'did you mean .*{near}') as caught:
        load_scenario('sphere_step', [f'{key}=1'])
    assert caught.value.name.startswith(key.split('.')[0])
    assert near in caught.value.valid


@pytest.mark.parametrize(
    ('setting', 'near'),
    [
        ('plant={nois: 1}', 'plant.noise'),
        ('plant={friction: {viscos: 1}}', 'plant.friction.viscous'),
        ('plant.pushes=[{lnk: sphere, start: 1, duration: 1}]', r'plant.pushes\[0\].link'),
        (
            'plant.obstacles=[{kind: box}, {kind: box, raduis: 1}]',
            r'plant.obstacles\[1\].radius',
        ),
    ],
)
def test_an_unknown_key_inside_a_value_names_the_nearest(setting: str, near: str) -> None:
    with pytest.raises(UnknownNameError, match=f'did you mean {near}'):
        load_scenario('sphere_step', [setting])


@pytest.mark.parametrize('text', ['1e-5', '1.0e-5', '1E-05', '0.00001', '+1.e-5', '.1e-4'])
def test_a_number_is_a_number_however_it_is_written(text: str) -> None:
    assert load_scenario('sphere_step', [f'plant.noise={text}']).plant.noise == 1e-5


def test_set_reaches_every_level_and_the_last_one_counts() -> None:
    scenario = load_scenario(
        'sphere_step',
        [
            'period=0.5',
            'period=0.001',
            'plant.friction.coulomb=2',
            'plant.friction.viscous=3e0',
            'planner.move=[[0, 0, 0.5]]',
            'graphs=[path_difference]',
            'robot.home.slide=0.25',
            'plant.pushes=[{link: sphere, start: 1, duration: 0.5, force: [0, 0, 2]}]',
        ],
    )
    assert scenario.period == 0.001
    assert (scenario.plant.friction.coulomb, scenario.plant.friction.viscous) == (2.0, 3.0)
    assert scenario.planner.move == ((0.0, 0.0, 0.5),)
    assert scenario.graphs == ('path_difference',)
    assert scenario.robot.home == {'slide': 0.25}
    assert scenario.plant.pushes[0].force == (0.0, 0.0, 2.0)
    # What was not set is as in the file.
    assert scenario.planner.max_velocity == load_scenario('sphere_step').planner.max_velocity


def test_a_robot_is_named_or_described() -> None:
    assert load_scenario('step', ['robot=yumi']).robot == robot_config('yumi')
    described = load_scenario('step', ['robot.urdf=my.urdf', 'robot.tips=[tool0]']).robot
    assert (described.urdf, described.tips) == ('my.urdf', ('tool0',))
    changed = load_scenario('sphere_step', ['robot.gravity=[0, 0, 0]']).robot
    assert (changed.urdf, changed.gravity) == (robot_config('sphere').urdf, (0.0, 0.0, 0.0))


@pytest.mark.parametrize('settings', [(), ('robot=',), ('robot.tips=[a]',)])
def test_a_missing_robot_is_asked_for(settings: tuple[str, ...]) -> None:
    with pytest.raises(ConfigError, match=r'step: no robot given; .*robot.urdf=.*two_link'):
        load_scenario('step', settings)


def test_unknown_names() -> None:
    with pytest.raises(UnknownNameError, match='did you mean sphere_step'):
        load_scenario('sphere_stp')
    with pytest.raises(UnknownNameError, match='did you mean yumi'):
        load_scenario('step', ['robot=yummi'])


@pytest.mark.parametrize('text', ['.nan', '.inf', '-.inf', '1e999'])
@pytest.mark.parametrize(
    ('form', 'where'),
    [
        ('period={}', 'period'),
        ('plant.mass_bias={}', 'plant.mass_bias'),
        ('planner.move=[[0, {}, 0]]', r'planner.move\[0\]\[1\]'),
        ('robot.home={{slide: {}}}', 'robot.home.slide'),
    ],
)
def test_a_number_that_is_none_is_refused(form: str, where: str, text: str) -> None:
    with pytest.raises(ConfigError, match=f'^{where}: .*not a finite number'):
        load_scenario('sphere_step', [form.format(text)])


@pytest.mark.parametrize(
    ('setting', 'where'),
    [
        ('period=fast', 'period'),
        ('period=nan', 'period'),
        ('period=0', 'period'),
        ('period=-1', 'period'),
        ('period=[1]', 'period'),
        ('duration=-1', 'duration'),
        ('rest=-1', 'rest'),
        ('seed=1.5', 'seed'),
        ('seed=-1', 'seed'),
        ('plant.engine=bullet', 'plant.engine'),
        ('plant.mass_bias=-1', 'plant.mass_bias'),
        ('plant.noise=-1e-5', 'plant.noise'),
        ('plant.delay=0.5', 'plant.delay'),
        ('plant=heavy', 'plant'),
        ('plant.pushes=[{link: sphere}]', r'plant.pushes\[0\]'),
        ('planner.kind=sideways', 'planner.kind'),
        ('planner.move=[[0, 0]]', r'planner.move\[0\]'),
        ('planner.move=[[0, 0, up]]', r'planner.move\[0\]\[2\]'),
        ('planner.acceleration=0', 'planner.acceleration'),
        ('control.law=none', 'control.law'),
        ('graphs=[pie]', r'graphs\[0\]'),
        ('robot.tips=sphere', 'robot.tips'),
        ('robot.home=[0]', 'robot.home'),
    ],
)
def test_a_value_of_the_wrong_kind_names_its_key(setting: str, where: str) -> None:
    with pytest.raises(ConfigError, match=f'^{where}: '):
        load_scenario('sphere_step', [setting])


@pytest.mark.parametrize(
    ('setting', 'where', 'valid'),
    [
        ('monitor.reaction=my_module:Mine', 'monitor.reaction', 'comply, float, hold'),
        ('graphs=[my_module:Mine]', r'graphs\[0\]', ''),
        (
            'plant.obstacles=[{kind: my_module:Mine}]',
            r'plant.obstacles\[0\].kind',
            'box, cylinder',
        ),
    ],
)
def test_a_class_is_refused_where_only_names_are_possible(
    setting: str, where: str, valid: str
) -> None:
    """With the names that are possible there."""
    with pytest.raises(ConfigError, match=f"^{where}: .*'my_module:Mine': valid: {valid}"):
        load_scenario('sphere_step', [setting])


@pytest.mark.parametrize('setting', ['period', '=1', '', 'period:1', 'planner.move=[[0'])
def test_a_setting_of_the_wrong_form_is_refused(setting: str) -> None:
    with pytest.raises(ConfigError, match='--set'):
        load_scenario('sphere_step', [setting])


@pytest.mark.parametrize('text', ['2020-13-45', '!!int x', '!!python/object:os.system'])
def test_yaml_that_means_nothing_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match=r'--set period: .* not valid YAML'):
        load_scenario('sphere_step', [f'period={text}'])


FILE = """
description: my own
robot: sphere
duration: 1e-1
planner: {kind: guiding}
"""


def write(folder: Path, text: str) -> str:
    path = folder / 'mine.yaml'
    path.write_text(text)
    return str(path)


def test_a_scenario_in_a_file(tmp_path: Path) -> None:
    scenario = load_scenario(write(tmp_path, FILE), ['period=0.01'])
    assert (scenario.name, scenario.duration, scenario.period) == ('mine', 0.1, 0.01)
    assert scenario.robot == robot_config('sphere')


@pytest.mark.parametrize(
    ('text', 'message'),
    [
        ('[1, 2]', 'not a scenario, robot, driver or task file'),
        ('', 'not a scenario, robot, driver or task file'),
        ('a: [', 'not valid YAML'),
        ('duration: 2020-13-45', 'not valid YAML'),
        ('\x00', 'not valid YAML'),
        (FILE + 'perod: 1', 'did you mean period'),
        (FILE.replace('kind', 'kid'), 'did you mean planner.kind'),
        (FILE.replace('sphere', 'spere'), 'did you mean sphere'),
        (FILE.replace('sphere', '{urdf: a.urdf, tip: [b]}'), 'did you mean robot.tips'),
        (FILE.replace('description', 'name'), 'the key description is missing'),
        ('robot: sphere\nduration: 1', 'the key description is missing'),
        (FILE.replace('1e-1', '.nan'), 'duration: nan is not a finite number'),
    ],
)
def test_a_file_is_read_as_strictly(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message) as caught:
        load_scenario(write(tmp_path, text))
    assert '\n' not in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r'none.yaml: cannot be read: No such file'):
        load_scenario(str(tmp_path / 'none.yaml'))


def test_an_old_value_is_accepted_with_a_warning(tmp_path: Path) -> None:
    with pytest.warns(FutureWarning, match='monitor.kind: matched_filter is now called'):
        scenario = load_scenario('sphere_step', ['monitor.kind=matched_filter'])
    assert scenario.monitor.kind == 'disturbance_observer'
    with pytest.warns(FutureWarning, match='disturbance_observer'):
        scenario = load_scenario(write(tmp_path, FILE + 'monitor: {kind: matched_filter}'))
    assert scenario.monitor.kind == 'disturbance_observer'
    with pytest.warns(FutureWarning, match='disturbance_observer'):
        scenario = load_scenario('sphere_step', ['monitor={kind: matched_filter}'])
    assert scenario.monitor.kind == 'disturbance_observer'


def test_an_old_key_is_accepted_with_a_warning(tmp_path: Path) -> None:
    old = FILE + 'admittance: {even: 5}'
    with pytest.warns(FutureWarning, match=r'admittance.even is now called admittance.isotropy'):
        assert load_scenario(write(tmp_path, old)).admittance.isotropy == 5.0
    for setting in ('admittance.even=7', 'admittance={even: 7}'):
        with pytest.warns(FutureWarning, match='isotropy'):
            assert load_scenario('yumi_guiding', [setting]).admittance.isotropy == 7.0
    with pytest.raises(UnknownNameError, match=r'admittance\.even'):
        load_scenario(write(tmp_path, FILE + 'admittance: {even: 5, isotropy: 5}'))


@pytest.fixture
def robot_folder(tmp_path: Path) -> Path:
    """Return a folder with a robot file, its description beside it, and a scenario."""
    folder = tmp_path / 'mine'
    folder.mkdir()
    text = (resource_folder('urdf') / 'two_link.urdf').read_text()
    (folder / 'arm.urdf').write_text(text)
    (folder / 'arm.yaml').write_text('urdf: arm.urdf\ntips: [tip]\nhome: {joint2: 1.0}\n')
    (folder / 'run.yaml').write_text('description: d\nrobot: ./arm.yaml\n')
    return folder


def test_a_robot_file_beside_the_scenario(robot_folder: Path) -> None:
    robot = load_scenario(str(robot_folder / 'run.yaml')).robot
    assert robot.urdf == str((robot_folder / 'arm.urdf').resolve())
    assert robot.home == {'joint2': 1.0}


def test_a_robot_file_by_setting_is_in_the_working_directory(
    robot_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(robot_folder.parent)
    settings = ['robot=mine/arm.yaml', 'robot.home.joint1=0.5']
    robot = load_scenario('step', settings).robot
    assert robot.urdf == str((robot_folder / 'arm.urdf').resolve())
    assert robot.home == {'joint1': 0.5, 'joint2': 1.0}
    assert robot_config('mine/arm.yaml').tips == ('tip',)


def test_a_robot_file_may_use_a_shipped_description(tmp_path: Path) -> None:
    (tmp_path / 'mine.yaml').write_text('urdf: yumi.urdf.xacro\ntips: [tool0_l]\n')
    assert robot_config(str(tmp_path / 'mine.yaml')).urdf == 'yumi.urdf.xacro'
